//! Configuration search: plans for many agents jointly and completely, in slices, while they move.
//!
//! A configuration is the places of all members in a region. The plan is made in rounds. A round ends with a configuration
//! in which one more member is at its goal than at its beginning, and the next round begins there. The members execute
//! the plan of finished rounds while the search goes on.
//!
//! A round is a depth-first search over configurations. It expands the configuration on top of a stack: a PIBT step
//! generates one successor, under the next constraint of the configuration. Constraints fix the next places of more and
//! more members, breadth first, until every successor has been generated. A known successor goes onto the stack again.
//! Mostly a round is one chain of PIBT steps. Where PIBT is trapped, the round makes several attempts: in the first all
//! members seek their goals, in the next ones a single member does, and then all do again with more expansions.
//!
//! The search is complete: steps are reversible, so if the goal can be reached, it can be reached from the end of every
//! round, and it is a configuration with more members at their goals. An attempt that explores all configurations without
//! one proves that there is no plan.
//!
//! K. Okumura, *`LaCAM`: Search-Based Algorithm for Quick Multi-Agent Pathfinding*, AAAI 2023; K. Okumura, *Engineering
//! `LaCAM*`: Towards Real-Time, Large-Scale, and Near-Optimal Multi-Agent Pathfinding*, AAMAS 2024, for known successors
//! and the swap operation; R. Liang, R. Veerapaneni, D. Harabor, J. Li, M. Likhachev, *Real-Time `LaCAM` for Real-Time
//! MAPF*, `SoCS` 2025, for moving during the search. Departures: the members and cells are a part of the world; a goal is a
//! set of cells and may be optional; rounds and attempts, which also bound the memory, instead of one search that is
//! re-rooted; constraints are numbered, not stored. A search is saved as its start and its number of operations.

mod explored;
mod generator;
mod region;
mod rounds;
mod step_distances;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Crossings, Limits, StateError, Validate};
use throng_grid::{Cell, Ground};

use crate::TimeSliced;
use explored::Explored;
use generator::Generator;
use region::Region;
use step_distances::StepDistances;

/// Most expansions of a breadth-first search in one operation.
const WAVE_SLICE: u64 = 64;
/// No search makes more operations.
const MAX_OPERATIONS: u64 = 1 << 40;

/// An agent that is planned for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The agent.
    pub agent: AgentRow,
    /// Its cell when it was added, in the region.
    pub at: Cell,
    /// The cells of the region that it wants to reach; if there are none, it wants to stay where it is.
    pub goal: Vec<Cell>,
    /// True if the search has to bring it to its goal; otherwise the goal is only preferred.
    pub is_required: bool,
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Stage {
    /// It computes distances. The members move freely.
    #[default]
    Distances,
    /// It waits for [`ConfigurationSearch::set_out`].
    Ready,
    /// It searches.
    Search,
    /// It has found the goal.
    Found,
    /// No configuration at the goal can be reached, or the memory does not suffice.
    Failed,
}

/// A search for one group of agents after the other.
///
/// After loading, the next call makes the operations again that were made before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ConfigurationSearch {
    members: Vec<Member>,
    /// The cells of the region. Follow from `region` except after loading.
    cells: Vec<Cell>,
    /// True if the region is everything that its first cell is connected with.
    is_whole: bool,
    /// The fingerprint of the map.
    map: u64,
    crossings: Crossings,
    seed: u64,
    stage: Stage,
    /// The cells from which the members set out.
    starts: Vec<Cell>,
    /// The number of operations in [`Stage::Distances`], and in [`Stage::Search`].
    waves: u64,
    expansions: u64,
    /// The number of steps of the plan that the members have made.
    done: u64,
    /// The first member whose distances are not computed.
    #[serde(skip)]
    waiting: usize,
    #[serde(skip)]
    region: Region,
    #[serde(skip)]
    distances: StepDistances,
    #[serde(skip)]
    explored: Explored,
    /// Nodes to expand, the next one last.
    #[serde(skip)]
    stack: Vec<u32>,
    /// The places of all members after each step found so far.
    #[serde(skip)]
    plan: Vec<u32>,
    /// The places of all members after the last of them.
    #[serde(skip)]
    root: Vec<u32>,
    /// The number of required members, and how many are at their goals at the end of the plan.
    #[serde(skip)]
    required: usize,
    #[serde(skip)]
    arrived: usize,
    /// The members that are not at their goals there, the nearest first.
    #[serde(skip)]
    under_way: Vec<u32>,
    /// The number of the attempt: 0 if all members seek their goals, otherwise the one with this number does.
    #[serde(skip)]
    attempt: usize,
    /// Most expansions of an attempt.
    #[serde(skip)]
    limit: u64,
    /// The number of expansions at which the attempt ends.
    #[serde(skip)]
    attempt_end: u64,
    #[serde(skip)]
    generator: Generator,
    #[serde(skip)]
    order: Vec<u32>,
    #[serde(skip)]
    constraint: Vec<(u32, u32)>,
}

impl TimeSliced for ConfigurationSearch {
    fn agent(&self) -> AgentRow {
        self.members[0].agent
    }

    fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Found | Stage::Failed)
    }
}

impl ConfigurationSearch {
    /// Begins a search in at most `max_cells` open cells around a cell. Add members next.
    pub fn begin(
        &mut self,
        (ground, crossings): (&Ground, Crossings),
        from: Cell,
        max_cells: usize,
        seed: u64,
        is_open: impl Fn(Cell) -> bool,
    ) {
        self.is_whole = self.region.gather(ground, crossings, from, max_cells, is_open);
        self.crossings = crossings;
        self.cells.clear();
        self.cells.extend_from_slice(self.region.cells());
        self.members.clear();
        (self.map, self.seed) = (ground.fingerprint(), seed);
        (self.stage, self.waves, self.expansions, self.done) = (Stage::Distances, 0, 0, 0);
        self.required = 0;
        self.distances.clear();
        self.waiting = 0;
    }

    /// Adds a member.
    pub fn add(&mut self, member: Member) {
        let goal = member.goal.iter().filter_map(|&cell| self.region.place(cell));
        self.distances.add(&self.region, goal);
        self.required += usize::from(member.is_required);
        self.members.push(member);
    }

    /// Returns the members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the cells of the region.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns true if the region is everything that its first cell is connected with.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns how far the search is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns true if the map is the one that the search began on.
    pub fn is_current(&self, ground: &Ground) -> bool {
        self.map == ground.fingerprint()
    }

    /// Ends [`Stage::Ready`]: the members start from these cells. Fails if one is outside the region.
    pub fn set_out(&mut self, ground: &Ground, cells: impl Iterator<Item = Cell>) {
        self.resume(ground);
        self.starts.clear();
        self.starts.extend(cells);
        self.stage = if self.prepare() { Stage::Search } else { Stage::Failed };
    }

    /// Continues for about `limit` units of work and returns how many it used: up to one operation more. Stops when a
    /// stage ends. Fails when it needs more memory than `max_bytes`.
    pub fn advance(&mut self, ground: &Ground, limit: u64, max_bytes: usize) -> u64 {
        self.resume(ground);
        let (stage, mut used) = (self.stage, 0);
        while used < limit && self.stage == stage {
            used += match stage {
                Stage::Distances => self.extend(),
                Stage::Search => self.expand(),
                Stage::Ready | Stage::Found | Stage::Failed => break,
            };
            if self.explored.used_bytes() + self.distances.used_bytes() + 4 * self.plan.len() > max_bytes {
                self.stage = Stage::Failed;
            }
        }
        used
    }

    /// Returns the cells of all members after the next step of the plan; `None` if all steps found so far are made.
    pub fn next_step(&mut self, ground: &Ground) -> Option<impl Iterator<Item = (AgentRow, Cell)>> {
        self.resume(ground);
        let places = self.plan.chunks_exact(self.members.len()).nth(self.done as usize)?;
        let cell = |(member, &place): (&Member, &u32)| (member.agent, self.cells[place as usize]);
        Some(self.members.iter().zip(places).map(cell))
    }

    /// Records that the members have made the step of [`ConfigurationSearch::next_step`].
    pub fn step(&mut self) {
        self.done += 1;
    }

    /// Computes some distances and returns the units of work.
    fn extend(&mut self) -> u64 {
        self.waves += 1;
        let before = self.distances.expanded;
        let Some(member) = self.members.get(self.waiting) else {
            self.stage = Stage::Ready;
            return 1;
        };
        let place = self.region.place(member.at).unwrap_or(0);
        if self.distances.search(&self.region, self.waiting, place, WAVE_SLICE) {
            self.waiting += 1;
        }
        1 + self.distances.expanded - before
    }

    /// After loading: makes the operations again.
    fn resume(&mut self, ground: &Ground) {
        if self.region.len() == self.cells.len() {
            return;
        }
        self.region.set(ground, self.crossings, self.cells.iter().copied());
        self.distances.clear();
        self.required = self.members.iter().filter(|member| member.is_required).count();
        for member in &self.members {
            let goal = member.goal.iter().filter_map(|&cell| self.region.place(cell));
            self.distances.add(&self.region, goal);
        }
        let (stage, waves, expansions) = (self.stage, self.waves, self.expansions);
        (self.stage, self.waves, self.expansions) = (Stage::Distances, 0, 0);
        while self.waves < waves && self.stage == Stage::Distances {
            self.extend();
        }
        if matches!(stage, Stage::Search | Stage::Found) {
            self.stage = if self.prepare() { Stage::Search } else { Stage::Failed };
            while self.expansions < expansions && self.stage == Stage::Search {
                self.expand();
            }
        }
        if self.stage != Stage::Failed {
            self.stage = stage;
        }
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.region.memory_bytes()
            + self.distances.memory_bytes()
            + self.explored.memory_bytes()
            + self.generator.memory_bytes()
            + (self.stack.capacity() + self.order.capacity() + self.cells.capacity()) * size_of::<u32>()
    }
}

impl Validate for Member {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { agent, at, goal, is_required: _ } = self;
        agent.validate(limits)?;
        at.validate(limits)?;
        goal.validate(limits)
    }
}

impl Validate for ConfigurationSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { members, cells, starts, waves, expansions, .. } = self;
        members.validate(limits)?;
        cells.validate(limits)?;
        starts.validate(limits)?;
        let distinct = |list: &mut dyn Iterator<Item = u32>| {
            let mut list: Vec<u32> = list.collect();
            list.sort_unstable();
            list.is_sorted_by(|a, b| a < b)
        };
        limits.require(!members.is_empty(), "a configuration search has no members")?;
        limits.require(!cells.is_empty(), "a configuration search has no cells")?;
        limits.require(
            distinct(&mut members.iter().map(|member| member.agent.0)),
            "an agent is in a configuration search twice",
        )?;
        limits.require(
            distinct(&mut cells.iter().map(|cell| cell.0)),
            "a cell is in a configuration search twice",
        )?;
        limits.require(
            distinct(&mut starts.iter().map(|cell| cell.0)),
            "two members of a configuration search are in one cell",
        )?;
        limits.at_most(*waves, MAX_OPERATIONS, "the work of a configuration search")?;
        limits.at_most(*expansions, MAX_OPERATIONS, "the work of a configuration search")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::state::{decode, encode};
    use throng_grid::scene::Scene;
    use throng_grid::{Grid, MoveRules};

    const MEMORY: usize = 1 << 24;
    /// Three agents have to reverse their order; only the upper junction lets them pass.
    const REVERSE: &str = "
        ###########
        #####.#####
        #CBAabc...#
        #####.#####
        ###########";

    fn search(picture: &str) -> (Grid, ConfigurationSearch) {
        let scene = Scene::parse(picture).unwrap();
        let grid = Grid::new(scene.tiles, MoveRules::FOUR_WAY);
        let mut search = ConfigurationSearch::default();
        let cell = |pos| grid.cell(pos).unwrap();
        search
            .begin((grid.ground(), Crossings::Forbid), cell(scene.agents[0].start), usize::MAX, 1, |_| true);
        for (number, agent) in (0..).zip(&scene.agents) {
            let goal = agent.goal.map(cell).into_iter().collect();
            search.add(Member { agent: AgentRow(number), at: cell(agent.start), goal, is_required: true });
        }
        (grid, search)
    }

    /// Runs a search in slices of work and executes its plan meanwhile. Returns the cells after each step.
    fn run(grid: &Grid, search: &mut ConfigurationSearch, slice: u64, max_slices: u64) -> Vec<Vec<Cell>> {
        let ground = grid.ground();
        let mut steps = Vec::new();
        for _ in 0..max_slices {
            search.advance(ground, slice, MEMORY);
            if search.stage() == Stage::Ready {
                let starts: Vec<Cell> = search.members().iter().map(|member| member.at).collect();
                search.set_out(ground, starts.into_iter());
            }
            let next = search.next_step(ground).map(|next| next.map(|(_, cell)| cell).collect::<Vec<_>>());
            if let Some(next) = next {
                steps.push(next);
                search.step();
            } else if search.is_done() {
                break;
            }
        }
        steps
    }

    fn check_steps(grid: &Grid, search: &ConfigurationSearch, steps: &[Vec<Cell>]) {
        let mut at: Vec<Cell> = search.members().iter().map(|member| member.at).collect();
        for next in steps {
            for (i, (&from, &to)) in at.iter().zip(next).enumerate() {
                assert!(from == to || grid.ground().legal_step(from, to).is_some());
                for other in 0..i {
                    assert!(to != next[other] && (to != at[other] || from != next[other]));
                }
            }
            at.clone_from(next);
        }
    }

    #[test]
    fn agents_in_a_corridor_reverse_their_order() {
        let (grid, mut search) = search(REVERSE);
        let steps = run(&grid, &mut search, 100, 10_000);
        assert_eq!(search.stage(), Stage::Found);
        check_steps(&grid, &search, &steps);
        let last = steps.last().unwrap();
        assert!(search.members().iter().zip(last).all(|(member, at)| member.goal.contains(at)));
    }

    #[test]
    fn an_impossible_order_is_proved_impossible() {
        let (grid, mut search) = search("######\n#bAaB#\n######");
        run(&grid, &mut search, 1_000, 1_000);
        assert_eq!(search.stage(), Stage::Failed);
    }

    #[test]
    fn without_memory_the_search_fails() {
        let (grid, mut search) = search(REVERSE);
        search.advance(grid.ground(), 1_000, 100);
        assert_eq!(search.stage(), Stage::Failed);
    }

    #[test]
    fn a_loaded_search_continues_as_if_it_had_not_been_saved() {
        let (grid, mut whole) = search(REVERSE);
        let steps = run(&grid, &mut whole, 60, 10_000);
        let limits = Limits::new(&grid, 3, 1);
        for slices in [1, 5, 20, 40, 60] {
            let (_, mut first) = search(REVERSE);
            let mut made = run(&grid, &mut first, 60, slices);
            let mut bytes = Vec::new();
            encode(&first, &mut bytes);
            let mut loaded: ConfigurationSearch = decode(&bytes, &limits).unwrap();
            made.extend(run(&grid, &mut loaded, 60, 10_000));
            assert_eq!(made, steps, "saved after {slices} slices");
            assert_eq!(loaded.expansions, whole.expansions);
        }
    }
}
