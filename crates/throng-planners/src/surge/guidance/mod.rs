//! Guidance: which waypoint or target each agent heads for, and the distances around the agent.
//!
//! The sector guide of each ground (see [`SectorGuide`]) has the local fields, which all agents share. An agent needs two
//! things of its own: the row of the part in which its target lies, shared by all agents with targets there, and near its
//! target the field of the target. Both are computed within the work of the tick, in the order of the requests. Regions
//! get rows first (`regions.rs`): without a row of its own an agent heads for the centre of its target's region.
//! Without that too it chooses among the waypoints around it by their octile distances to the target: it rounds the walls nearby, and may
//! walk into a dead end that is larger than that.
//!
//! After an edit the fields in and around the changed sectors are computed again. Rows stay in use, are repaired
//! where their values follow from those around the edit, and are computed again where they do not.

mod agent_guide;
mod congestion;
mod map_changes;
mod preview;
mod regions;
mod rows;
mod saved;
mod target_fields;

use std::collections::VecDeque;
use std::ops::Range;

use throng_crowd::{AgentRow, View};
use throng_grid::moves::STRAIGHT;
use throng_grid::{Cell, Cost, Grid, Ground, Pos, ProfileId};
use throng_search::{Heuristic, LocalField, NO_DISTANCE, OctileDistance, SectorGuide, UNREACHED};
use throng_toolkit::run_chunks;

use super::neighbour_costs::NeighbourCosts;
use super::prices;
use super::work_budget::{Prepaid, WorkBudget};
use agent_guide::{AgentGuide, Heading, Path};
use congestion::Congestion;
use regions::Regions;
use rows::{Row, Rows};
pub(super) use saved::SavedGuidance;
use target_fields::{TargetFields, TargetKey};

/// Most agents examined per tick for an unneeded field. Bounds the time of a tick.
const MAX_EXAMINED: usize = 512;

/// Steps are counted and prices change in ticks with at least this number of units left for it.
const MIN_LEFT_FOR_PRICES: u64 = 1_000;

/// An agent this near to the centre of its target's region, in sides of sectors, needs the row of its target now: half of the
/// side of a region and a sector more.
const NEAR_CENTRE: u32 = 3;

/// The guidance of all agents.
#[derive(Clone)]
pub(super) struct Guidance {
    /// By profile.
    maps: Vec<GuidedMap>,
    agents: Vec<AgentGuide>,
    /// The agents that wait for the row of their target's region.
    waiting_for_region: VecDeque<AgentRow>,
    /// The agents that wait for the row of their target's part.
    waiting_for_row: VecDeque<AgentRow>,
    /// The agents that wait for the field of their target.
    waiting_for_field: VecDeque<AgentRow>,
    targets: TargetFields,
    prepaid: Prepaid,
    /// Counts the changes of maps.
    version: u32,
    /// The value of `version` at the beginning of the tick.
    version_before: u32,
    /// True if steps are counted in this tick.
    is_counting: bool,
    /// The agent that is examined next for an unneeded field.
    next_dropped: usize,
    max_bytes: usize,
}

/// What agents choose by. It does not change while they do, so that they can do it in parallel.
struct Choice<'a> {
    maps: &'a [GuidedMap],
    targets: &'a TargetFields,
    version: u32,
}

/// The guide of one ground and the rows over it.
#[derive(Clone)]
struct GuidedMap {
    guide: SectorGuide,
    rows: Rows,
    regions: Regions,
    congestion: Congestion,
    /// True if it was loaded: what follows from the map must be computed again, which was paid for.
    is_restored: bool,
}

impl GuidedMap {
    fn new(guide: SectorGuide, ground: &Ground, max_bytes: usize) -> Self {
        let regions = Regions::new(&guide, ground, max_bytes);
        let (rows, congestion) = (Rows::new(guide.parts()), Congestion::new(&guide));
        Self { rows, guide, regions, congestion, is_restored: false }
    }

    /// Returns the best row in a position for a target in a part, and what kind of path it gives, to an agent that follows the given path.
    #[inline]
    fn row(&self, part: u32, pos: Pos, follows: Path) -> Option<(&Row, Path)> {
        let own = self.rows.get(part).filter(|row| self.covers(row, pos, follows));
        own.map(|row| (row, Path::ToTarget)).or_else(|| self.row_of_region(part))
    }

    /// Returns the row of the centre of a part's region.
    fn row_of_region(&self, part: u32) -> Option<(&Row, Path)> {
        self.rows.get(self.regions.centres[part as usize]).map(|row| (row, Path::ToRegion))
    }

    /// Returns true if a row is of use in a position: if it has the sector of the position, and beside that sector for an agent that follows the row
    /// already. The way to a waypoint may leave the window for a few cells. If the agent returned to the row of the region there, which may lead back
    /// into the window elsewhere, it would walk in a circle for ever.
    #[inline]
    fn covers(&self, row: &Row, pos: Pos, follows: Path) -> bool {
        row.window.is_none_or(|window| match follows {
            Path::ToTarget => self.guide.is_near_window(&window, pos),
            Path::ToRegion | Path::Unknown => self.guide.is_in_window(&window, pos),
        })
    }

    /// Computes the row of a part if it is paid for. Returns false if it is not paid for yet.
    fn build_row(&mut self, part: u32, mut pay: impl FnMut(u64) -> bool) -> bool {
        let centre = self.regions.centres[part as usize];
        if self.regions.are_rows_windowed && part != centre && !self.rows.needs_whole(part, centre) {
            let window = self.regions.window(&self.guide, part);
            let layout = self.guide.window_layout(&window);
            if !pay(prices::window_row(layout.parts(), self.guide.window_edges(&layout))) {
                return false;
            }
            self.rows.fill(part, Some((window, layout)), &mut self.guide);
            if !self.rows.needs_whole(part, centre) {
                return true;
            }
            // Agents that follow the row of the region to its centre would not get farther.
            self.rows.expire(part);
        }
        let is_paid = pay(prices::row(self.guide.parts(), self.guide.edges()));
        if is_paid {
            self.rows.fill(part, None, &mut self.guide);
        }
        is_paid
    }

    /// Returns what an agent's choice of a heading counts.
    fn choice_price(&self) -> u64 {
        prices::choice(self.guide.parts(), self.guide.sectors())
    }

    /// Returns true if the row of a part is of use in a position: if rows are whole, always.
    fn needs_row(&self, part: u32, pos: Pos) -> bool {
        !self.regions.are_rows_windowed
            || self.guide.is_in_window(&self.regions.window(&self.guide, part), pos)
    }
}

impl Choice<'_> {
    /// Lets an agent choose what it heads for, if it has to, and looks up its neighbour costs.
    fn guide(&self, view: &View<'_>, agent: AgentRow, target: Cell, entry: &mut AgentGuide) {
        let state = (view.at(agent), target, self.version);
        if entry.is_settled(state) {
            return;
        }
        let (ground, map) = (view.ground(agent), &self.maps[usize::from(view.profile(agent).0)]);
        let pos = ground.pos(view.at(agent));
        let own = self.targets.field(entry.target_field);
        let part = entry.target_part(target, self.version, || map.guide.part(ground.pos(target), target));
        let keeps = match entry.heading {
            Heading::Nowhere => false,
            Heading::Target => own.is_some_and(|own| own.distance(pos) != NO_DISTANCE),
            Heading::Waypoint(waypoint) => {
                let here = map.guide.field(waypoint).distance(pos);
                map.guide.sector(pos) == entry.sector
                    && !matches!(here, 0 | NO_DISTANCE)
                    && !(entry.is_near && own.is_some())
                    && map.row(part, pos, entry.path).is_none_or(|(_, path)| path <= entry.path)
            }
        };
        if keeps && entry.costs_of == Some(state) {
            return;
        }
        if !keeps {
            self.choose(view, agent, target, part, entry);
            entry.has_chosen = true;
        }
        let beyond = if entry.is_exact() { entry.beyond } else { UNREACHED };
        let field = field_of(map, self.targets, entry);
        entry.costs = NeighbourCosts::new(ground, &map.guide, field, beyond, state.0, target);
        entry.costs_of = Some(state);
    }

    /// Lets an agent choose the best waypoint, or its target. `part` is the part of its target.
    fn choose(&self, view: &View<'_>, agent: AgentRow, target: Cell, part: u32, entry: &mut AgentGuide) {
        let (ground, map) = (view.ground(agent), &self.maps[usize::from(view.profile(agent).0)]);
        let (pos, guide) = (ground.pos(view.at(agent)), &map.guide);
        let over = |(row, path): (&Row, Path)| {
            let offset = match guide.field(part).distance(ground.pos(target)) {
                offset if path == Path::ToTarget && offset != NO_DISTANCE => u32::from(offset),
                _ => 0,
            };
            guide.best_waypoint(pos, |other| row.distance(other).saturating_add(offset))
        };
        let mut row = map.row(part, pos, entry.path);
        let mut best = row.and_then(over);
        if best.is_none() && row.is_some_and(|(row, _)| row.window.is_some()) {
            // Inside the window no path leads from here to the target.
            row = map.row_of_region(part);
            best = row.and_then(over);
        }
        let path = row.map_or(Path::Unknown, |(_, path)| path);
        if row.is_none() {
            let octile = OctileDistance::to_cell(ground, target);
            best = guide.best_waypoint(pos, |other| {
                let waypoint = ground.cell(guide.waypoint(other)).unwrap_or(target);
                guide.distance_of(octile.clone().lower(waypoint.0))
            });
        }
        let direct = self.targets.field(entry.target_field).map_or(NO_DISTANCE, |own| own.distance(pos));
        (entry.heading, entry.beyond) = match best {
            // The distance to the centre of a region says nothing about that to the target.
            Some((waypoint, total))
                if direct == NO_DISTANCE || (path != Path::ToRegion && total < u32::from(direct)) =>
            {
                (Heading::Waypoint(waypoint), total - u32::from(guide.field(waypoint).distance(pos)))
            }
            _ if direct != NO_DISTANCE => (Heading::Target, 0),
            _ => (Heading::Nowhere, UNREACHED),
        };
        (entry.sector, entry.path) = (guide.sector(pos), path);
        let near = NEAR_CENTRE * guide.side() as u32 * straight_step(ground, guide, view.at(agent));
        let is_near = best.is_some_and(|(_, total)| total < near);
        if path == Path::ToRegion && is_near {
            entry.gets_urgent = !std::mem::replace(&mut entry.is_urgent, true);
        }
    }
}

/// Returns the distance of a straight step on the terrain of a cell. What is a short distance depends on it: with that of the cheapest
/// terrain, no agent would step aside in a swamp.
#[inline]
fn straight_step(ground: &Ground, guide: &SectorGuide, at: Cell) -> u32 {
    let halves = ground.halves().get(at.index()).copied().unwrap_or(ground.profile().min_halves());
    guide.distance_of(STRAIGHT / 2 * Cost::from(halves))
}

/// Returns the distances to what an agent heads for.
#[inline]
fn field_of<'a>(map: &'a GuidedMap, targets: &'a TargetFields, entry: &AgentGuide) -> Option<&'a LocalField> {
    let field = match entry.heading {
        Heading::Nowhere => return None,
        Heading::Waypoint(part) => map.guide.field(part),
        Heading::Target => targets.field(entry.target_field)?,
    };
    (!field.is_empty()).then_some(field)
}

impl Guidance {
    /// Computes the local fields of a grid.
    pub(super) fn new(grid: &Grid, max_bytes: usize) -> Self {
        Self::with_guides(grid, max_bytes, |_| None)
    }

    /// Returns new guidance for a grid that takes over the local fields of this one, as far as they are those of the grid.
    pub(super) fn renewed(&self, grid: &Grid) -> Self {
        Self::with_guides(grid, self.max_bytes, |number| Some(self.maps.get(number)?.guide.clone()))
    }

    /// Computes the local fields of a grid. `known` returns a guide of a profile's ground before an edit.
    fn with_guides(grid: &Grid, max_bytes: usize, known: impl Fn(usize) -> Option<SectorGuide>) -> Self {
        let map = |(number, ground): (usize, &Ground)| {
            let guide = known(number).map(|known| known.updated(ground));
            let mut guide = guide.unwrap_or_else(|| SectorGuide::new(ground));
            guide.complete(ground);
            GuidedMap::new(guide, ground, max_bytes)
        };
        Self {
            maps: grid.grounds().iter().enumerate().map(map).collect(),
            agents: Vec::new(),
            waiting_for_region: VecDeque::new(),
            waiting_for_row: VecDeque::new(),
            waiting_for_field: VecDeque::new(),
            targets: TargetFields::default(),
            prepaid: Prepaid::default(),
            version: 0,
            version_before: 0,
            is_counting: false,
            next_dropped: 0,
            max_bytes,
        }
    }

    fn map(&self, view: &View<'_>, agent: AgentRow) -> &GuidedMap {
        &self.maps[usize::from(view.profile(agent).0)]
    }

    /// Returns true if a map or its fields have changed in this tick.
    pub(super) fn is_changed(&self) -> bool {
        self.version != self.version_before
    }

    /// Returns the sector guide of an agent's ground.
    pub(super) fn guide(&self, view: &View<'_>, agent: AgentRow) -> &SectorGuide {
        &self.map(view, agent).guide
    }

    /// Returns the distances to what an agent heads for.
    #[inline]
    pub(super) fn field(&self, view: &View<'_>, agent: AgentRow) -> Option<&LocalField> {
        field_of(self.map(view, agent), &self.targets, self.agents.get(agent.index())?)
    }

    /// Returns the estimated cost from a cell to an agent's target, if the field that it follows covers the cell.
    pub(super) fn distance(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<Cost> {
        // Until the next tick a loaded heading may name a part of another state of the map.
        let map = self.maps.get(usize::from(view.profile(agent).0)).filter(|map| !map.is_restored)?;
        let entry = self.agents.get(agent.index())?;
        let here = field_of(map, &self.targets, entry)?.distance(view.ground(agent).pos(cell));
        let is_known = here != NO_DISTANCE && entry.is_exact();
        is_known.then(|| map.guide.cost_of(entry.beyond.saturating_add(u32::from(here))))
    }

    /// Returns the sectors of the first profile, `None` before the first tick.
    pub(super) fn sectors(&self) -> Option<impl Fn(Pos) -> u32> {
        self.maps.first().map(|map| |pos| map.guide.sector(pos))
    }

    /// Returns the distance of a number of straight steps on the terrain of an agent's cell.
    pub(super) fn straight_steps(&self, view: &View<'_>, agent: AgentRow, steps: u32) -> u32 {
        steps * straight_step(view.ground(agent), self.guide(view, agent), view.at(agent))
    }

    /// Returns the neighbour costs of an agent that may step in this tick.
    #[inline]
    pub(super) fn costs(&self, view: &View<'_>, agent: AgentRow) -> NeighbourCosts {
        match view.target(agent) {
            Some(target) if target != view.at(agent) => self.agents[agent.index()].costs,
            Some(target) => {
                let (ground, guide) = (view.ground(agent), self.guide(view, agent));
                NeighbourCosts::new(ground, guide, self.target_field(agent), 0, target, target)
            }
            None => NeighbourCosts::RESTING,
        }
    }

    /// Counts the steps that agents under way make, for the prices of steps. `next` returns the next cell of an agent.
    pub(super) fn count_steps(&mut self, view: &View<'_>, next: impl Fn(AgentRow) -> Option<Cell>) {
        if !self.is_counting {
            return;
        }
        for (agent, _) in under_way(view, 0..view.id_limit()) {
            let straight = i64::from(self.straight_steps(view, agent, 1));
            let costs = &self.agents[agent.index()].costs;
            let congestion = &mut self.maps[usize::from(view.profile(agent).0)].congestion;
            congestion.count(view, agent, costs, next(agent).unwrap_or(view.at(agent)), straight);
        }
    }

    /// Changes the prices of steps from time to time, and the fields with them, with a quarter of the budget. Ticks with hardly any work have other
    /// needs.
    pub(super) fn update_prices(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        self.is_counting = budget.left() >= MIN_LEFT_FOR_PRICES;
        if !self.is_counting {
            return;
        }
        for (number, ground) in view.grid().grounds().iter().enumerate() {
            let Some(map) = self.maps.get_mut(number) else { return };
            let mut has_changed = false;
            budget.part(1, 4, |budget| {
                let pay = |prepaid: &mut Prepaid, price: u64| prepaid.pay(budget, price);
                has_changed = map.congestion.update(view, ground, &mut map.guide, pay);
            });
            if !has_changed {
                continue;
            }
            (0..map.guide.parts() as u32).for_each(|part| map.rows.expire(part));
            self.targets.age(ProfileId(number as u8));
            // Costs around agents are looked up again, and plans stay: the map is as before.
            self.version = self.version.wrapping_add(1);
            self.version_before = self.version_before.wrapping_add(1);
        }
    }

    fn target_field(&self, agent: AgentRow) -> Option<&LocalField> {
        self.targets.field(self.agents.get(agent.index())?.target_field)
    }

    /// Makes room for an agent, so that the first tick does not allocate for all.
    pub(super) fn add(&mut self, agent: AgentRow) {
        if agent.index() >= self.agents.len() {
            self.agents.resize_with(agent.index() + 1, AgentGuide::default);
        }
    }

    /// An agent has a new target or is gone: forgets what it heads for.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        if let Some(entry) = self.agents.get_mut(agent.index()) {
            self.targets.release(entry.target_field);
            let AgentGuide { waits_for_region, waits_for_row, waits_for_field, is_urgent, .. } = *entry;
            *entry = AgentGuide {
                waits_for_region,
                waits_for_row,
                is_urgent,
                waits_for_field,
                ..AgentGuide::default()
            };
        }
    }

    /// Queues the agents that need a row or the field of their target. Returns what the choices of the agents that head for nothing yet will count.
    pub(super) fn request_all(&mut self, view: &View<'_>) -> u64 {
        self.agents.resize_with(view.id_limit(), AgentGuide::default);
        self.drop_unneeded(view);
        let mut expected = 0;
        for (agent, target) in under_way(view, 0..view.id_limit()) {
            let entry = &mut self.agents[agent.index()];
            let (ground, map) = (view.ground(agent), &self.maps[usize::from(view.profile(agent).0)]);
            let part = entry.target_part(target, self.version, || map.guide.part(ground.pos(target), target));
            let pos = ground.pos(view.at(agent));
            if entry.heading == Heading::Nowhere {
                expected += map.choice_price();
            }
            let has_row = map.rows.is_current(part, view.tick()) || !map.needs_row(part, pos);
            if !has_row && !entry.waits_for_row {
                entry.waits_for_row = true;
                self.waiting_for_row.push_back(agent);
            }
            if entry.path == Path::Unknown
                && !entry.waits_for_region
                && map.row(part, pos, entry.path).is_none()
            {
                entry.waits_for_region = true;
                self.waiting_for_region.push_back(agent);
            }
            if entry.is_settled((view.at(agent), target, self.version)) {
                continue;
            }
            entry.is_near = map.guide.is_near(pos, ground.pos(target), part);
            let has_field = self.targets.field(entry.target_field).is_some();
            if entry.is_near && !has_field && !entry.waits_for_field {
                entry.waits_for_field = true;
                self.waiting_for_field.push_back(agent);
            }
        }
        expected
    }

    /// Lets agents choose what they head for and looks up their neighbour costs. Returns what the choices count.
    pub(super) fn choose_all(&mut self, view: &View<'_>) -> u64 {
        let choice = Choice { maps: &self.maps, targets: &self.targets, version: self.version };
        run_chunks(view.executor(), &mut self.agents, |first, entries| {
            for (agent, target) in under_way(view, first..first + entries.len()) {
                choice.guide(view, agent, target, &mut entries[agent.index() - first]);
            }
        });
        let mut units = 0;
        for (agent, _) in under_way(view, 0..view.id_limit()) {
            let entry = &mut self.agents[agent.index()];
            if std::mem::take(&mut entry.has_chosen) {
                units += self.maps[usize::from(view.profile(agent).0)].choice_price();
            }
            if std::mem::take(&mut entry.gets_urgent) {
                self.waiting_for_row.push_front(agent);
            }
        }
        units
    }

    /// Computes the fields of targets and rows that agents wait for, as far as the budget goes.
    pub(super) fn build(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        while let Some(&agent) = self.waiting_for_field.front() {
            if is_under_way(view, agent) {
                let map = &mut self.maps[usize::from(view.profile(agent).0)];
                let (ground, entry) = (view.ground(agent), &mut self.agents[agent.index()]);
                let target = view.target(agent).unwrap_or(view.at(agent));
                let part = map.guide.part(ground.pos(target), target);
                let cells = map.guide.target_cells(ground.pos(target), part);
                let price = prices::max_field(cells);
                if !self.prepaid.pay(budget, price) {
                    return;
                }
                let key = TargetKey { profile: view.profile(agent), target };
                self.targets.release(entry.target_field);
                let (place, expansions) = self.targets.add(key, &mut map.guide, ground);
                entry.target_field = Some(place);
                self.prepaid.refund(price.saturating_sub(prices::field(cells, expansions)));
            }
            self.waiting_for_field.pop_front();
            self.agents[agent.index()].waits_for_field = false;
        }
        while let Some(&agent) = self.waiting_for_region.front() {
            if !self.build_row(view, agent, Path::ToRegion, budget) {
                return;
            }
            self.waiting_for_region.pop_front();
            self.agents[agent.index()].waits_for_region = false;
        }
        while let Some(&agent) = self.waiting_for_row.front() {
            if !self.build_row(view, agent, Path::ToTarget, budget) {
                return;
            }
            self.waiting_for_row.pop_front();
            let entry = &mut self.agents[agent.index()];
            (entry.waits_for_row, entry.is_urgent) = (false, false);
        }
    }

    /// Computes the row of an agent's target, or of its region, unless it is there. Returns false if it is not paid for yet.
    fn build_row(
        &mut self,
        view: &View<'_>,
        agent: AgentRow,
        path: Path,
        budget: &mut WorkBudget<'_, '_>,
    ) -> bool {
        let Some(target) = view.target(agent).filter(|_| is_under_way(view, agent)) else { return true };
        let map = &mut self.maps[usize::from(view.profile(agent).0)];
        let part = map.guide.part(view.ground(agent).pos(target), target);
        let of_region = path == Path::ToRegion;
        let pos = view.ground(agent).pos(view.at(agent));
        let is_there = if of_region {
            map.row(part, pos, Path::Unknown).is_some()
        } else {
            map.rows.is_current(part, view.tick())
        };
        if is_there {
            return true;
        }
        let part = if of_region { map.regions.centres[part as usize] } else { part };
        map.guide.pending() == 0 && map.build_row(part, |price| self.prepaid.pay(budget, price))
    }

    /// Drops what no agent under way needs while rows and fields of targets exceed the memory cap: the fields of agents that
    /// have arrived, then rows.
    fn drop_unneeded(&mut self, view: &View<'_>) {
        if self.bytes() <= self.max_bytes {
            return;
        }
        for _ in 0..MAX_EXAMINED.min(view.id_limit()) {
            let agent = AgentRow((self.next_dropped % view.id_limit()) as u32);
            self.next_dropped = agent.index() + 1;
            if !is_under_way(view, agent) {
                let entry = &mut self.agents[agent.index()];
                entry.costs_of = None;
                self.targets.release(std::mem::take(&mut entry.target_field));
            }
        }
        if self.bytes() <= self.max_bytes {
            return;
        }
        for (profile, map) in self.maps.iter_mut().enumerate() {
            let mut is_needed = vec![false; map.guide.parts()];
            for &agent in view.agents() {
                if usize::from(view.profile(agent).0) == profile
                    && let Some(target) = view.target(agent).filter(|&target| target != view.at(agent))
                {
                    let part = map.guide.part(view.ground(agent).pos(target), target);
                    is_needed[part as usize] = true;
                    is_needed[map.regions.centres[part as usize] as usize] = true;
                }
            }
            map.rows.retain(|part| is_needed[part as usize]);
        }
    }

    fn bytes(&self) -> usize {
        self.targets.memory_bytes() + self.maps.iter().map(|map| map.rows.memory_bytes()).sum::<usize>()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes()
            + self
                .maps
                .iter()
                .map(|map| map.guide.memory_bytes() + map.congestion.memory_bytes())
                .sum::<usize>()
            + self.agents.capacity() * size_of::<AgentGuide>()
    }
}

/// Returns the agents with these numbers that may step and are not at their target, with their targets.
pub(super) fn under_way<'a>(
    view: &View<'a>,
    numbers: Range<usize>,
) -> impl Iterator<Item = (AgentRow, Cell)> + use<'a> {
    let (view, movers) = (*view, view.movers());
    let begin = movers.partition_point(|agent| agent.index() < numbers.start);
    let end = movers.partition_point(|agent| agent.index() < numbers.end);
    movers[begin..end].iter().filter_map(move |&agent| {
        let target = view.target(agent).filter(|&target| target != view.at(agent))?;
        Some((agent, target))
    })
}

/// Returns true if an agent is alive and not at its target.
fn is_under_way(view: &View<'_>, agent: AgentRow) -> bool {
    view.is_alive(agent) && view.target(agent).is_some_and(|target| target != view.at(agent))
}

#[cfg(test)]
mod tests;
