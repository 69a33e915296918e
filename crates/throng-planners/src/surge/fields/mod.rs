//! The corridor fields of all agents, built within the work of each tick.
//!
//! An agent queues for a field when it gets a new target, is pushed out of its corridor, or the map changes in its
//! corridor. A few [`FieldBuilder`]s share the work of a tick. Agents with the same target share a field that covers both.
//! After an edit elsewhere a field still leads to the target, but a shorter path may have opened: an agent on a detour
//! gets a new field when nobody else needs work, once per edit.
//!
//! Memory is capped. Beyond the cap the fields of arrived agents are dropped first. If that does not suffice, no field is
//! built until some are dropped.

mod agent_field;
mod loaded;
mod map_changes;
mod store;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Cost, Grid};
use throng_toolkit::{SearchQueue, Slicing};

use super::field::Field;
use super::field_builder::{FieldBuilder, FieldRequest, PathOrigin};
use super::neighbour_costs::{NeighbourCosts, OctileSteps};
use super::work_budget::WorkBudget;
use agent_field::AgentField;
use map_changes::MapChanges;
use store::{FieldKey, FieldStore};

/// Four builders run in parallel. Rounds are short, so that a clock that is read between rounds is obeyed.
const SLICING: Slicing = Slicing { at_once: BUILDERS, slice: 2_048, min_share: 1 };
/// The number of fields that are built at the same time.
const BUILDERS: usize = 4;
/// An agent waits twice as long before each new field for a shorter path, up to 2 to this power ticks. Longer waits keep
/// an agent from turning back and forth before a door that opens and closes.
const MAX_DETOUR_WAITS: u8 = 10;
/// Most agents examined per tick for a shorter path or an unneeded field. Bounds the time of a tick.
const MAX_EXAMINED: usize = 512;

/// The fields of all agents.
#[derive(Serialize, Deserialize)]
pub(super) struct Fields {
    agents: Vec<AgentField>,
    /// By agent: the neighbour costs, if the agent is under way. Apart from the rest, because every step reads them.
    #[serde(skip)]
    costs: Vec<NeighbourCosts>,
    /// The agents that wait for a builder.
    waiting: VecDeque<AgentId>,
    builders: SearchQueue<FieldBuilder>,
    store: FieldStore,
    changes: MapChanges,
    detours: DetourScan,
    /// The agent that is examined next for an unneeded field.
    next_dropped: usize,
}

/// The agents that are examined for a shorter path after an edit.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct DetourScan {
    /// The agent that is examined next.
    next: usize,
    /// The number of agents still to be examined.
    left: usize,
    /// True if an agent must be examined again in the next tick, because it has to wait before it turns.
    again: bool,
}

impl Fields {
    /// Returns no fields. The builders get their memory at once, so that the first tick does not allocate it.
    pub(super) fn new(grid: &Grid, max_bytes: usize) -> Self {
        let spare = (0..BUILDERS).map(|_| FieldBuilder::with_memory(grid.ground())).collect::<Vec<_>>();
        let mut builders = SearchQueue::from(spare);
        builders.retain(|_| false);
        Self {
            agents: Vec::new(),
            costs: Vec::new(),
            waiting: VecDeque::new(),
            builders,
            store: FieldStore::new(max_bytes),
            changes: MapChanges::new(grid.grounds()),
            detours: DetourScan::default(),
            next_dropped: 0,
        }
    }

    /// Returns an agent's field.
    #[inline]
    pub(super) fn of(&self, agent: AgentId) -> Option<&Field> {
        self.store.get(self.agents.get(agent.index())?.field).map(|shared| &shared.field)
    }

    /// Returns the distance of a cell to an agent's target, if the agent's field covers it.
    pub(super) fn distance(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<Cost> {
        let (field, ground) = (self.of(agent)?, view.ground(agent));
        Some(field.cost(ground, field.distance(ground.pos(cell))?))
    }

    /// Returns the neighbour costs of an agent that may step in this tick.
    #[inline]
    pub(super) fn costs(&self, view: &View<'_>, agent: AgentId) -> NeighbourCosts {
        match view.target(agent) {
            Some(target) if target != view.at(agent) => self.costs[agent.index()],
            Some(target) => NeighbourCosts::new(view.ground(agent), self.of(agent), target, target),
            None => NeighbourCosts::RESTING,
        }
    }

    /// Looks up the neighbour costs of an agent under way.
    fn update_costs(&mut self, view: &View<'_>, agent: AgentId, target: Cell) {
        let at = view.at(agent);
        self.costs[agent.index()] = NeighbourCosts::new(view.ground(agent), self.of(agent), at, target);
        let entry = &mut self.agents[agent.index()];
        entry.costs_of = Some((at, entry.field, target, self.changes.count));
    }

    /// An agent has a new target or is gone: drops its field.
    pub(super) fn forget(&mut self, agent: AgentId) {
        if let Some(entry) = self.agents.get_mut(agent.index()) {
            self.store.release(std::mem::take(&mut entry.field));
            (entry.unreachable_on, entry.detours) = (0, 0);
        }
    }

    /// Queues the agents that need a field, or lets them share one that exists.
    pub(super) fn queue(&mut self, view: &View<'_>) {
        self.agents.resize_with(view.id_limit(), AgentField::default);
        self.costs.resize(view.id_limit(), NeighbourCosts::RESTING);
        if std::mem::take(&mut self.detours.again) {
            self.detours.left = view.id_limit();
        }
        self.detours.left = self.detours.left.min(view.id_limit());
        self.drop_unneeded(view);
        for &agent in view.movers() {
            let Some(target) = view.target(agent).filter(|&target| target != view.at(agent)) else {
                continue;
            };
            let entry = &self.agents[agent.index()];
            if entry.costs_of != Some((view.at(agent), entry.field, target, self.changes.count)) {
                self.update_costs(view, agent, target);
            }
            let (ground, entry) = (view.ground(agent), &self.agents[agent.index()]);
            let here = self.costs[agent.index()].here();
            let leads =
                |field: &Field| here.is_some_and(|here| !field.is_stale() && !field.needs_next_stretch(here));
            if entry.waiting
                || self.of(agent).is_some_and(leads)
                || entry.unreachable_on == ground.fingerprint()
            {
                continue;
            }
            let key = FieldKey { profile: view.profile(agent), target };
            if let Some(place) = self.store.find(key, ground.pos(view.at(agent))) {
                let entry = &mut self.agents[agent.index()];
                self.store.share(place);
                self.store.release(entry.field.replace(place));
                self.update_costs(view, agent, target);
            } else {
                // An agent before a new wall or pushed aside has more to lose than one that sets out.
                self.agents[agent.index()].waiting = true;
                if self.of(agent).is_some() {
                    self.waiting.push_front(agent);
                } else {
                    self.waiting.push_back(agent);
                }
            }
        }
    }

    /// Drops fields of arrived agents while the fields exceed the memory cap.
    fn drop_unneeded(&mut self, view: &View<'_>) {
        let mut examined = MAX_EXAMINED.min(view.id_limit());
        while self.store.is_over_cap() && examined > 0 {
            let agent = AgentId((self.next_dropped % view.id_limit()) as u32);
            (self.next_dropped, examined) = (agent.index() + 1, examined - 1);
            if !view.is_alive(agent) || view.is_at_target(agent) {
                self.store.release(std::mem::take(&mut self.agents[agent.index()].field));
            }
        }
    }

    /// Builds fields, as far as the budget goes.
    pub(super) fn build(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        let mut examined = MAX_EXAMINED;
        loop {
            self.fill_builders(view, &mut examined);
            let left = budget.left();
            let Some(grant) = SLICING.grant(budget.work, left, self.builders.len()) else { return };
            let advance = |builder: &mut FieldBuilder, (): &mut (), limit: u64| {
                builder.advance(view.ground(builder.request.agent), limit)
            };
            let spent = self.builders.advance(view.executor(), grant, advance);
            let mut finished = Vec::new();
            self.builders.deliver(|builder| finished.push((builder.request, builder.result())));
            for (request, field) in finished {
                self.deliver(view, request, field);
            }
            budget.work.spend(spent);
            budget.left = budget.left.saturating_sub(spent);
        }
    }

    /// Starts fields on idle builders, and restarts fields for which the map has changed. Builders keep the order of
    /// their slots.
    fn fill_builders(&mut self, view: &View<'_>, examined: &mut usize) {
        let mut position = 0;
        for slot in 0..BUILDERS as u8 {
            let is_busy = self.builders.searches().get(position).is_some_and(|builder| builder.slot == slot);
            let mut goes_on = is_busy && self.check_builder(view, position);
            while !goes_on
                && !self.store.is_over_cap()
                && let Some(agent) = self.waiting.pop_front().or_else(|| self.next_on_detour(view, examined))
            {
                goes_on = self.start(view, position, slot, agent);
            }
            position += usize::from(goes_on);
        }
    }

    /// Checks the builder at a position before it goes on. Returns false if it was removed.
    fn check_builder(&mut self, view: &View<'_>, position: usize) -> bool {
        let builder = &mut self.builders.searches_mut()[position];
        let (request, slot) = (builder.request, builder.slot);
        let ground = view.ground(request.agent);
        let is_wanted = view.is_alive(request.agent) && view.target(request.agent) == Some(request.target);
        if is_wanted && (request.map == ground.fingerprint() || builder.survives(ground)) {
            builder.recompute(ground);
            return true;
        }
        self.remove(slot);
        self.agents[request.agent.index()].waiting = false;
        is_wanted && self.start(view, position, slot, request.agent)
    }

    fn remove(&mut self, slot: u8) {
        self.builders.retain(|builder| builder.slot != slot);
    }

    /// Starts a field for an agent at a position of the queue, if the agent still has a target. Returns true if it did.
    fn start(&mut self, view: &View<'_>, position: usize, slot: u8, agent: AgentId) -> bool {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let target = view.target(agent).filter(|&target| target != at && view.is_alive(agent));
        self.agents[agent.index()].waiting = target.is_some();
        let Some(target) = target else { return false };
        let map = ground.fingerprint();
        let origin = PathOrigin { map, tick: view.tick() };
        let request = FieldRequest { agent, from: at, target, map, origin };
        let builder = self.builders.start_at(position);
        builder.slot = slot;
        // An agent at the end of a stretch gets the next one. All others get a path from their cell.
        if let Some(shared) = self.store.get(self.agents[agent.index()].field)
            && let Some(here) = shared.field.distance(ground.pos(at))
            && !shared.field.is_stale()
            && shared.key == (FieldKey { profile: view.profile(agent), target })
            && shared.field.needs_next_stretch(here)
            && builder.start_next_stretch(
                ground,
                FieldRequest { origin: shared.origin, ..request },
                &shared.field,
                here,
            )
        {
            return true;
        }
        builder.start(ground, request);
        true
    }

    /// Returns the next agent whose path was searched before the last edit and is longer than the octile distance. An
    /// agent that has turned for a shorter path before keeps to its path the longer.
    fn next_on_detour(&mut self, view: &View<'_>, examined: &mut usize) -> Option<AgentId> {
        while self.detours.left > 0 && *examined > 0 {
            *examined -= 1;
            let agent = AgentId((self.detours.next % view.id_limit()) as u32);
            (self.detours.next, self.detours.left) = (agent.index() + 1, self.detours.left - 1);
            let Some(target) = view.target(agent).filter(|_| view.is_alive(agent)) else { continue };
            let (at, ground) = (view.at(agent), view.ground(agent));
            let entry = &mut self.agents[agent.index()];
            let Some(shared) = self.store.get(entry.field) else { continue };
            let octile = OctileSteps::new(ground, target).distance(at);
            let is_detour =
                shared.field.distance(ground.pos(at)).is_some_and(|here| !Field::is(here, octile));
            if !is_detour || shared.origin.map == ground.fingerprint() || entry.waiting {
                continue;
            }
            if view.tick() < shared.origin.tick + (1 << entry.detours) {
                self.detours.again = true;
                continue;
            }
            entry.detours = (entry.detours + 1).min(MAX_DETOUR_WAITS);
            return Some(agent);
        }
        None
    }

    /// Gives an agent its field; `None` if its target is unreachable.
    fn deliver(&mut self, view: &View<'_>, request: FieldRequest, field: Option<Field>) {
        let entry = &mut self.agents[request.agent.index()];
        entry.waiting = false;
        let Some(field) = field else {
            entry.unreachable_on = request.map;
            return;
        };
        let key = FieldKey { profile: view.profile(request.agent), target: request.target };
        let place = self.store.add(field, key, request.origin, self.changes.count);
        self.store.release(entry.field.replace(place));
        self.update_costs(view, request.agent, request.target);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
            + self.changes.memory_bytes()
            + self.agents.capacity() * (size_of::<AgentField>() + size_of::<NeighbourCosts>())
            + self.builders.slots().iter().map(FieldBuilder::memory_bytes).sum::<usize>()
    }
}
