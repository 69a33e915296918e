//! The resource: the worlds of the game, and which entity is which unit.

use std::time::{Duration, Instant};

use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::resource::Resource;
use throng::{AgentId, Budget, Event, ForeignId, GroupId, Pos, TickReport, Unit, World};

use crate::{InputError, Layout};

/// The name of a crowd. It is never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CrowdId(u32);

impl CrowdId {
    /// The first crowd of [`Crowds`], to which units belong unless they have an [`InCrowd`](crate::InCrowd).
    pub const FIRST: Self = Self(0);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The crowds of the game, each with its map: most games have one.
///
/// Systems change a map by the commands of its world, for example
/// `crowds.first_mut().world_mut().block(area)`. Such an edit takes effect in the next tick.
#[derive(Resource, Debug, Default)]
pub struct Crowds {
    /// The crowds by number; `None` for one that was removed.
    slots: Vec<Option<Crowd>>,
    /// Which unit each entity is.
    pub(crate) units: EntityHashMap<UnitInCrowd>,
    /// Entities of crowds that were removed, which still have their handles.
    pub(crate) orphans: Vec<Entity>,
    /// False until the plugin has seen this resource: handles of entities may be those of a resource that it replaces.
    pub(crate) is_known: bool,
}

/// A unit of a crowd.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UnitInCrowd {
    pub(crate) crowd: CrowdId,
    pub(crate) unit: Unit,
}

impl Crowds {
    /// Creates the resource with its first crowd.
    pub fn new(first: Crowd) -> Self {
        Self { slots: vec![Some(first)], ..Self::default() }
    }

    /// Adds a crowd and returns its name.
    pub fn add(&mut self, crowd: Crowd) -> CrowdId {
        self.slots.push(Some(crowd));
        CrowdId(self.slots.len() as u32 - 1)
    }

    /// Removes a crowd and returns its world. Its entities stay, without their handles, until they are given another
    /// crowd.
    pub fn remove(&mut self, crowd: CrowdId) -> Option<World> {
        let removed = self.slots.get_mut(crowd.index())?.take()?;
        let (orphans, units) = (&mut self.orphans, &mut self.units);
        for entity in removed.agents.entities().chain(removed.foreign.entities()) {
            units.remove(&entity);
            orphans.push(entity);
        }
        Some(removed.world)
    }

    /// Returns a crowd; `None` if it does not exist or was removed.
    pub fn get(&self, crowd: CrowdId) -> Option<&Crowd> {
        self.slots.get(crowd.index())?.as_ref()
    }

    /// Returns a crowd; `None` if it does not exist or was removed.
    pub fn get_mut(&mut self, crowd: CrowdId) -> Option<&mut Crowd> {
        self.slots.get_mut(crowd.index())?.as_mut()
    }

    /// Returns the first crowd.
    ///
    /// # Panics
    /// If there is none: the game has not added it yet, or has removed it.
    pub fn first(&self) -> &Crowd {
        self.get(CrowdId::FIRST).expect("the game has added the first crowd")
    }

    /// Returns the first crowd.
    ///
    /// # Panics
    /// If there is none: the game has not added it yet, or has removed it.
    pub fn first_mut(&mut self) -> &mut Crowd {
        self.get_mut(CrowdId::FIRST).expect("the game has added the first crowd")
    }

    /// Returns the crowds in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (CrowdId, &Crowd)> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(number, crowd)| crowd.as_ref().map(|crowd| (CrowdId(number), crowd)))
    }

    /// Returns the crowds in the order in which they were added.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (CrowdId, &mut Crowd)> {
        let slots = (0..).zip(&mut self.slots);
        slots.filter_map(|(number, crowd)| crowd.as_mut().map(|crowd| (CrowdId(number), crowd)))
    }

    /// Sends agents of a crowd to a goal as a group: [`World::send_group`]. The event
    /// [`GroupArrived`](crate::GroupArrived) reports their arrival. Leave the [`Goal`](crate::Goal) of these entities out;
    /// setting one later takes its agent out of the group. The order of the entities does not matter.
    ///
    /// # Errors
    /// If there is no such crowd, an entity is no agent of it, or the goal is outside the map; then no agent is sent. An
    /// entity that was spawned after the last fixed step is no agent yet.
    pub fn send_group(
        &mut self,
        crowd: CrowdId,
        entities: &[Entity],
        goal: Pos,
    ) -> Result<GroupId, InputError> {
        let agent = |&entity: &Entity| match self.units.get(&entity) {
            Some(&UnitInCrowd { crowd: own, unit: Unit::Agent(id) }) if own == crowd => Ok(id),
            _ => Err(InputError::NoUnit(entity)),
        };
        let mut agents = entities.iter().map(agent).collect::<Result<Vec<AgentId>, _>>()?;
        // The order of entities differs between machines.
        agents.sort();
        let world = self.get_mut(crowd).ok_or(InputError::NoCrowd(crowd))?.world_mut();
        Ok(world.send_group(&agents, goal)?.0)
    }

    /// Remembers which unit an entity is.
    pub(crate) fn bind(&mut self, entity: Entity, crowd: CrowdId, unit: Unit) {
        self.units.insert(entity, UnitInCrowd { crowd, unit });
        if let Some(crowd) = self.get_mut(crowd) {
            match unit {
                Unit::Agent(id) => crowd.agents.set(id.index(), Some((entity, id.to_bits()))),
                Unit::Foreign(id) => crowd.foreign.set(id.index(), Some((entity, id.to_bits()))),
            }
        }
    }

    /// Removes the unit of an entity from its world.
    pub(crate) fn remove_unit(&mut self, entity: Entity) {
        let Some(UnitInCrowd { crowd, unit }) = self.units.remove(&entity) else { return };
        let Some(crowd) = self.get_mut(crowd) else { return };
        // The game may have removed the unit from the world already.
        match unit {
            Unit::Agent(id) if crowd.agents.find(id.index(), id.to_bits()) == Some(entity) => {
                let _ = crowd.world.despawn(id);
                crowd.agents.set(id.index(), None);
            }
            Unit::Foreign(id) if crowd.foreign.find(id.index(), id.to_bits()) == Some(entity) => {
                let _ = crowd.world.remove_foreign(id);
                crowd.foreign.set(id.index(), None);
            }
            Unit::Agent(_) | Unit::Foreign(_) => {}
        }
    }
}

/// How much work the planner of a crowd may do in a tick: an owned [`Budget`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TickBudget {
    /// No limit but that of the planner itself.
    Unlimited,
    /// At most this many units of work: the same decisions on every machine.
    Units(u64),
    /// At most this many expansions: the same decisions on every machine.
    Expansions(u64),
    /// As many rounds of work as another machine granted: [`TickReport::rounds`].
    Rounds(u32),
    /// Rounds of work until this time is over. Decisions depend on the clock.
    Time(Duration),
}

/// A world, and how the plugin runs it.
#[derive(Debug)]
pub struct Crowd {
    world: World,
    /// The budget of each tick.
    pub budget: TickBudget,
    /// Where the cells of the map lie in the game.
    pub layout: Layout,
    /// The number of fixed steps of the app per tick, so that agents may step less often than the physics; 0 counts as 1.
    pub fixed_steps_per_tick: u32,
    /// Stops the ticks. Units still enter and leave.
    pub paused: bool,
    /// Fixed steps since the last tick.
    pub(crate) steps_since_tick: u32,
    /// True if the crowd ticked in this fixed step.
    pub(crate) has_ticked: bool,
    /// Emitted by the last tick.
    pub(crate) events: Vec<Event>,
    pub(crate) report: Option<TickReport>,
    pub(crate) agents: Entities,
    pub(crate) foreign: Entities,
}

impl Crowd {
    /// Creates a crowd that ticks with every fixed step, with a budget of 20,000 units.
    pub fn new(world: World) -> Self {
        Self {
            world,
            budget: TickBudget::Units(20_000),
            layout: Layout::default(),
            fixed_steps_per_tick: 1,
            paused: false,
            steps_since_tick: u32::MAX,
            has_ticked: false,
            events: Vec::new(),
            report: None,
            agents: Entities::default(),
            foreign: Entities::default(),
        }
    }

    /// Sets the budget of each tick.
    #[must_use]
    pub fn budget(self, budget: TickBudget) -> Self {
        Self { budget, ..self }
    }

    /// Sets where the cells of the map lie in the game.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Sets the number of fixed steps of the app per tick; 0 counts as 1.
    #[must_use]
    pub fn fixed_steps_per_tick(self, steps: u32) -> Self {
        Self { fixed_steps_per_tick: steps, ..self }
    }

    /// Returns the world, for questions about the map and the agents.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world, to edit the map, to give orders to groups, or to put a copy in its place.
    ///
    /// Units are spawned and removed by their entities. An agent that is spawned here has no entity until one adopts it
    /// ([`Adopt`](crate::Adopt)); the entity of an agent that is removed here gets [`Refused`](crate::Refused).
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Returns what the planner did in the last tick; `None` before the first one.
    pub fn report(&self) -> Option<TickReport> {
        self.report
    }

    /// Returns the events of the last tick.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the entity of an agent.
    pub fn entity(&self, agent: AgentId) -> Option<Entity> {
        self.agents.find(agent.index(), agent.to_bits())
    }

    /// Returns the entity of a foreign unit.
    pub fn foreign_entity(&self, unit: ForeignId) -> Option<Entity> {
        self.foreign.find(unit.index(), unit.to_bits())
    }

    /// Returns the entity of a unit.
    pub fn unit_entity(&self, unit: Unit) -> Option<Entity> {
        match unit {
            Unit::Agent(id) => self.entity(id),
            Unit::Foreign(id) => self.foreign_entity(id),
        }
    }

    /// Counts a fixed step of the app, and ticks if one is due.
    pub(crate) fn fixed_step(&mut self) {
        self.has_ticked = false;
        if self.paused {
            return;
        }
        self.steps_since_tick = self.steps_since_tick.saturating_add(1);
        if self.steps_since_tick >= self.fixed_steps_per_tick.max(1) {
            self.steps_since_tick = 0;
            self.has_ticked = true;
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.events.clear();
        let start = Instant::now();
        let mut is_over;
        let budget = match self.budget {
            TickBudget::Unlimited => Budget::Unlimited,
            TickBudget::Units(units) => Budget::Units(units),
            TickBudget::Expansions(expansions) => Budget::Expansions(expansions),
            TickBudget::Rounds(rounds) => Budget::Rounds(rounds),
            TickBudget::Time(limit) => {
                is_over = move || start.elapsed() >= limit;
                Budget::Until(&mut is_over)
            }
        };
        self.report = Some(self.world.tick(budget, &mut self.events));
    }

    /// Returns the fraction of a tick that has passed since the last one, given the fraction of a fixed step that has
    /// passed since the last fixed step.
    pub(crate) fn fraction_of_tick(&self, fraction_of_step: f32) -> f32 {
        (self.steps_since_tick as f32 + fraction_of_step) / self.fixed_steps_per_tick.max(1) as f32
    }
}

/// The entities of the units of one kind, by row.
#[derive(Debug, Default)]
pub(crate) struct Entities {
    /// The entity of each row, and the id of the unit as a number.
    rows: Vec<Option<(Entity, u64)>>,
}

impl Entities {
    fn set(&mut self, row: usize, entry: Option<(Entity, u64)>) {
        if row >= self.rows.len() {
            self.rows.resize(row + 1, None);
        }
        self.rows[row] = entry;
    }

    fn find(&self, row: usize, id: u64) -> Option<Entity> {
        self.rows.get(row).copied().flatten().filter(|&(_, known)| known == id).map(|(entity, _)| entity)
    }

    fn entities(&self) -> impl Iterator<Item = Entity> {
        self.rows.iter().flatten().map(|&(entity, _)| entity)
    }
}
