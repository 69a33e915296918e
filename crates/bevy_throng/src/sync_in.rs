//! Sync in: what the components of units ask for becomes inputs of their worlds.
//!
//! Inputs are applied in the order of cells or agents, never in the order of entities, which depends on everything else
//! that a game spawns. So two machines that simulate the same units agree, whatever each of them draws.

use std::cmp::Reverse;

use bevy_ecs::change_detection::{DetectChanges, Mut, Ref};
use bevy_ecs::entity::Entity;
use bevy_ecs::query::{Changed, Has, Or, QueryData, With, Without};
use bevy_ecs::system::{Commands, Query, ResMut};
use throng::{AgentSpec, Pos, ProfileId, Speed, Unit, World, WorldError};

use crate::crowds::UnitInCrowd;
use crate::removals::{Removals, Removed};
use crate::{
    Adopt, Agent, AgentHandle, AgentPriority, AgentProfile, AgentSpeed, Crowd, CrowdId, Crowds,
    ForeignHandle, ForeignUnit, Goal, GridPosition, HoldPosition, InCrowd, InputError, InputRefused,
    ManualControl, Refused,
};

/// Takes out units whose entity, component or crowd is gone, and those that go to another crowd.
pub(crate) fn remove_units(
    mut crowds: ResMut<Crowds>,
    removals: ResMut<Removals>,
    moved: Query<(Entity, &InCrowd, Option<&AgentHandle>, Option<&ForeignHandle>), Changed<InCrowd>>,
    all: Query<Entity, Or<(With<AgentHandle>, With<ForeignHandle>)>>,
    refused: Query<
        Entity,
        (With<Refused>, Or<(Changed<GridPosition>, Changed<InCrowd>, Changed<AgentProfile>)>),
    >,
    mut commands: Commands,
) {
    let mut leaving: Vec<Entity> =
        removals.0.iter().filter(|&&(_, kind)| kind == Removed::Unit).map(|&(entity, _)| entity).collect();
    for (entity, crowd, agent, foreign) in &moved {
        let before = agent.map(|handle| handle.crowd).or(foreign.map(|handle| handle.crowd));
        if before.is_some_and(|before| before != crowd.0) {
            leaving.push(entity);
            commands.entity(entity).try_remove::<(AgentHandle, ForeignHandle)>();
        }
    }
    leaving.sort_by_key(|entity| crowds.units.get(entity).map(|&unit| order(unit)));
    for entity in leaving {
        crowds.remove_unit(entity);
    }
    if !std::mem::replace(&mut crowds.is_known, true) {
        let strangers: Vec<Entity> = all.iter().filter(|entity| !crowds.units.contains_key(entity)).collect();
        crowds.orphans.extend(strangers);
    }
    for entity in std::mem::take(&mut crowds.orphans) {
        if let Ok(mut entity) = commands.get_entity(entity) {
            entity.try_remove::<(AgentHandle, ForeignHandle)>();
        }
    }
    for entity in &refused {
        commands.entity(entity).try_remove::<Refused>();
    }
}

/// The order in which inputs of units are applied.
fn order(UnitInCrowd { crowd, unit }: UnitInCrowd) -> (CrowdId, bool, u64) {
    match unit {
        Unit::Agent(id) => (crowd, false, id.to_bits()),
        Unit::Foreign(id) => (crowd, true, id.to_bits()),
    }
}

/// A unit that is not in its crowd yet.
#[derive(QueryData)]
pub(crate) struct Newcomer {
    entity: Entity,
    at: &'static GridPosition,
    crowd: &'static InCrowd,
    is_agent: Has<Agent>,
    adopt: Option<&'static Adopt>,
    profile: Option<&'static AgentProfile>,
    speed: Option<&'static AgentSpeed>,
}

type IsNew =
    (Or<(With<Agent>, With<ForeignUnit>)>, (Without<AgentHandle>, Without<ForeignHandle>, Without<Refused>));

/// Spawns units: foreign ones first, each kind in the order of cells.
pub(crate) fn add_units(
    mut crowds: ResMut<Crowds>,
    newcomers: Query<Newcomer, IsNew>,
    mut commands: Commands,
) {
    let mut newcomers: Vec<_> = newcomers.iter().collect();
    let spec = |new: &NewcomerItem| {
        let (profile, speed) = (profile_or_default(new.profile), speed_or_default(new.speed));
        (profile, speed.steps(), speed.ticks())
    };
    newcomers.sort_by_key(|new| {
        let Pos { x, y } = new.at.0;
        let adopted = new.adopt.map(|adopt| Reverse(adopt.0.to_bits()));
        (new.crowd.0, new.is_agent, Reverse(adopted), y, x, spec(new), new.entity)
    });
    for new in newcomers {
        if crowds.get(new.crowd.0).is_some() {
            let result = add_unit(&mut crowds, &new, &mut commands);
            if let Err(error) = result {
                commands.entity(new.entity).try_insert(Refused(error));
                refuse(&mut commands, new.entity, error);
            }
        }
    }
}

fn add_unit(crowds: &mut Crowds, new: &NewcomerItem, commands: &mut Commands) -> Result<(), WorldError> {
    let id = new.crowd.0;
    let Some(crowd) = crowds.get_mut(id) else { return Ok(()) };
    let world = crowd.world_mut();
    if !new.is_agent {
        let unit = world.place_foreign(new.at.0)?;
        crowds.bind(new.entity, id, Unit::Foreign(unit));
        commands.entity(new.entity).try_insert(ForeignHandle { crowd: id, id: unit });
        return Ok(());
    }
    let agent = if let Some(&Adopt(agent)) = new.adopt {
        commands.entity(new.entity).try_insert(GridPosition(world.position(agent)?));
        agent
    } else {
        let spec = AgentSpec::at(new.at.0.x, new.at.0.y).profile(profile_or_default(new.profile));
        world.spawn(spec.at_speed(speed_or_default(new.speed)))?
    };
    crowds.bind(new.entity, id, Unit::Agent(agent));
    commands.entity(new.entity).try_insert(AgentHandle { crowd: id, id: agent });
    Ok(())
}

fn profile_or_default(profile: Option<&AgentProfile>) -> ProfileId {
    profile.map_or_else(ProfileId::default, |profile| profile.0)
}

fn speed_or_default(speed: Option<&AgentSpeed>) -> Speed {
    speed.map_or(Speed::NORMAL, |speed| speed.0)
}

/// Reports that the world refused an input.
fn refuse(commands: &mut Commands, entity: Entity, error: impl Into<InputError>) {
    let refused = InputRefused { entity, error: error.into() };
    commands.trigger(refused);
    commands.write_message(refused);
}

/// What the game sets on agents.
#[derive(QueryData)]
pub(crate) struct Orders {
    entity: Entity,
    handle: Ref<'static, AgentHandle>,
    goal: Option<Ref<'static, Goal>>,
    speed: Option<Ref<'static, AgentSpeed>>,
    profile: Option<Ref<'static, AgentProfile>>,
    priority: Option<Ref<'static, AgentPriority>>,
    hold: Option<Ref<'static, HoldPosition>>,
    manual: Option<Ref<'static, ManualControl>>,
}

type HasOrders = Or<(
    Changed<AgentHandle>,
    Changed<Goal>,
    Changed<AgentSpeed>,
    Changed<AgentProfile>,
    Changed<AgentPriority>,
    Changed<HoldPosition>,
    Changed<ManualControl>,
)>;

/// Carries out the changes of components of agents, in the order of agents: first what was removed, then what was set.
pub(crate) fn give_orders(
    mut crowds: ResMut<Crowds>,
    mut removals: ResMut<Removals>,
    changed: Query<Orders, HasOrders>,
    all: Query<Orders>,
    mut commands: Commands,
) {
    let crowds = &mut *crowds;
    let mut removed: Vec<_> =
        removals.0.drain(..).filter_map(|(entity, kind)| Some((all.get(entity).ok()?, kind))).collect();
    removed.sort_by_key(|(agent, kind)| (agent.handle.crowd, agent.handle.id, *kind as u8));
    for (agent, kind) in removed {
        let result = take_back(crowds, &agent, kind);
        if let Err(error) = result {
            refuse(&mut commands, agent.entity, error);
        }
    }
    let mut changed: Vec<_> = changed.iter().collect();
    changed.sort_by_key(|agent| (agent.handle.crowd, agent.handle.id));
    for agent in changed {
        let mut report = |error: InputError| refuse(&mut commands, agent.entity, error);
        set_properties(crowds, &agent, &mut report);
        set_goal(crowds, &agent, &mut report);
    }
}

/// Carries out the removal of a component, unless it was inserted again.
fn take_back(crowds: &mut Crowds, agent: &OrdersItem, kind: Removed) -> Result<(), WorldError> {
    let (id, Some(crowd)) = (agent.handle.id, crowds.get_mut(agent.handle.crowd)) else { return Ok(()) };
    let world = crowd.world_mut();
    match kind {
        Removed::Goal if agent.goal.is_none() => world.halt(id),
        Removed::Speed if agent.speed.is_none() => world.set_speed(id, Speed::NORMAL),
        Removed::Profile if agent.profile.is_none() => world.set_profile(id, ProfileId::default()),
        Removed::Priority if agent.priority.is_none() => world.set_priority(id, 0),
        Removed::HoldPosition if agent.hold.is_none() => world.hold(id, false),
        Removed::ManualControl if agent.manual.is_none() => world.control(id, true),
        _ => Ok(()),
    }
}

/// Sets what has changed about an agent besides its goal; everything, if the agent is new in its crowd.
fn set_properties(crowds: &mut Crowds, agent: &OrdersItem, report: &mut dyn FnMut(InputError)) {
    let (id, is_new) = (agent.handle.id, agent.handle.is_changed());
    let Some(crowd) = crowds.get_mut(agent.handle.crowd) else { return };
    let world = crowd.world_mut();
    let mut check = |result: Result<(), WorldError>| {
        if let Err(error) = result {
            report(error.into());
        }
    };
    if let Some(speed) = changed(agent.speed.as_ref(), is_new)
        && world.speed(id) != Ok(speed.0)
    {
        check(world.set_speed(id, speed.0));
    }
    if let Some(profile) = changed(agent.profile.as_ref(), is_new)
        && world.profile(id) != Ok(profile.0)
    {
        check(world.set_profile(id, profile.0));
    }
    if let Some(priority) = changed(agent.priority.as_ref(), is_new) {
        check(world.set_priority(id, priority.0));
    }
    if changed(agent.hold.as_ref(), is_new).is_some() {
        check(world.hold(id, true));
    }
    if changed(agent.manual.as_ref(), is_new).is_some() {
        check(world.control(id, false));
    }
}

/// Returns a component if it was set since the last fixed step or the agent is new.
fn changed<'a, C>(component: Option<&'a Ref<C>>, is_new: bool) -> Option<&'a C> {
    component.filter(|component| is_new || component.is_changed()).map(|component| &**component)
}

fn set_goal(crowds: &mut Crowds, agent: &OrdersItem, report: &mut dyn FnMut(InputError)) {
    let (AgentHandle { crowd, id }, is_new) = (*agent.handle, agent.handle.is_changed());
    let Some(goal) = changed(agent.goal.as_ref(), is_new) else { return };
    let leader = match goal {
        Goal::Follow { unit, .. } => crowds.units.get(unit).filter(|unit| unit.crowd == crowd).copied(),
        _ => None,
    };
    let Some(world) = crowds.get_mut(crowd).map(Crowd::world_mut) else { return };
    let result = match goal {
        Goal::Cell(goal) => world.send(id, *goal).map(drop),
        Goal::Waypoints(points) => send_through(world, id, points),
        Goal::Patrol(points) => world.patrol(id, points),
        Goal::Follow { unit, distance } => match leader {
            Some(leader) => world.follow(id, leader.unit, *distance),
            None => return report(InputError::NoUnit(*unit)),
        },
    };
    if let Err(error) = result {
        report(error.into());
    }
}

/// Sends an agent through waypoints. All are checked first, so that it carries out all of the order or nothing.
fn send_through(world: &mut World, agent: throng::AgentId, points: &[Pos]) -> Result<(), WorldError> {
    let (&first, rest) = points.split_first().ok_or(WorldError::NoWaypoint)?;
    if let Some(&outside) = points.iter().find(|&&point| world.grid().cell(point).is_none()) {
        return Err(WorldError::Outside(outside));
    }
    if rest.len() > throng::MAX_WAYPOINTS {
        return Err(WorldError::TooManyWaypoints);
    }
    world.send(agent, first)?;
    rest.iter().try_for_each(|&point| world.queue(agent, point))
}

/// Teleports agents whose position the game has changed, and moves foreign units: foreign units first, each kind in the
/// order of ids.
pub(crate) fn move_units(
    mut crowds: ResMut<Crowds>,
    mut agents: Query<(Entity, &AgentHandle, &mut GridPosition), (With<Agent>, Changed<GridPosition>)>,
    mut foreign: Query<(Entity, &ForeignHandle, &mut GridPosition), (Without<Agent>, Changed<GridPosition>)>,
    mut commands: Commands,
) {
    let mut moved: Vec<_> = foreign.iter_mut().collect();
    moved.sort_by_key(|(_, handle, _)| (handle.crowd, handle.id));
    for (entity, &ForeignHandle { crowd, id }, at) in moved {
        let Some(crowd) = crowds.get_mut(crowd) else { continue };
        let (before, world) = (crowd.world().foreign_position(id), crowd.world_mut());
        let result = world.move_foreign(id, at.0);
        restore(&mut commands, entity, at, before, result);
    }
    let mut moved: Vec<_> = Vec::new();
    for (entity, handle, at) in &mut agents {
        let before = crowds.get(handle.crowd).map(|crowd| crowd.world().position(handle.id));
        // The plugin's own writes are changes too.
        if let Some(before) = before.filter(|&before| before != Ok(at.0)) {
            moved.push((entity, *handle, at, before));
        }
    }
    moved.sort_by_key(|(_, handle, ..)| (handle.crowd, handle.id));
    for (entity, AgentHandle { crowd, id }, at, before) in moved {
        let Some(crowd) = crowds.get_mut(crowd) else { continue };
        let result = crowd.world_mut().teleport(id, at.0);
        restore(&mut commands, entity, at, before, result);
    }
}

/// Reports a refused move and restores the position.
fn restore(
    commands: &mut Commands,
    entity: Entity,
    mut at: Mut<GridPosition>,
    before: Result<Pos, WorldError>,
    result: Result<(), WorldError>,
) {
    if let Err(error) = result {
        refuse(commands, entity, error);
        if let Ok(before) = before {
            at.0 = before;
        }
    }
}
