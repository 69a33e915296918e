//! Greedy followers of a direction map (`dm-greedy`): no goal and no search, only steps along the vectors.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, section 3.6.
//! An agent takes the step to a free neighbour with the least cost on the direction map, cells with a vector before cells
//! without. If the two best costs are similar, it takes the second with probability 1/4. If its own cell has no vector, it
//! takes a random step.
//!
//! What the thesis leaves open: two costs are similar if they differ by less than a tenth of the largest penalty. The map
//! was learned before ([`Resources::direction_map`]), or is learned when the planner is made: by `learn` round trips of
//! forty agents between random cells of a checkerboard, with learning of the surrounding cells.

use throng_crowd::MoveDraft;
use throng_crowd::state::{decode_unchecked, encode};
use throng_crowd::{
    AgentId, AgentSpec, Budget, DebugLayer, DebugMark, Event, Limits, MapKnowledge, Moves, Occupant, Planner,
    Settings, Sharing, StateError, View, Work, World,
};
use throng_grid::{Cell, Cost, Grid, Pos};
use throng_search::spec::{Kind, Parameter, Values};
use throng_toolkit::{DirectionMap, SavedVectors, StepPenalties, StepPenalty, Unknown, random_item};

use crate::directions::W_MAX;
use crate::inspect;
use crate::registry::{PlannerInfo, Resources, planner};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "dm-greedy",
    summary: "greedy followers of a learned direction map, without goals",
    idea: "Agents without goals follow a direction map, one cheapest step at a time, and keep to the lanes that others \
           have made: ambient walkers. They need a map that was learned before, or learn one first from forty \
           patrolling agents. Without a map they walk at random.",
    reference: "M. R. Jansen: Multi-Agent Pathfinding with Direction Maps. Master's thesis, University of Alberta, 2008",
    parameters: &[
        Parameter {
            name: "learn",
            summary: "round trips from which the map is learned before the first tick; 0 if a map is given",
            kind: Kind::Integer { min: 0, max: 1_000, default: 0 },
        },
        W_MAX,
    ],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Whole,
    needs_control: false,
    prepares: |_| true,
    has_goals: false,
    build: |values, grid, resources| Box::new(Greedy::new(values, grid, resources)),
};

/// The number of agents that a map is learned from.
const TEACHERS: usize = 40;
/// Most ticks per round trip, as a multiple of width plus height. Only a map that cannot be walked needs the limit.
const MAX_TICKS_PER_SIDE: u64 = 8;
/// Most agents that step in one round of work. Rounds are short, so that a clock is obeyed.
const ROUND: u64 = 256;

/// A step: whether its cell has no vector, its cost, and its cell.
type Choice = (bool, Cost, Cell);

/// The planner.
#[derive(Debug)]
struct Greedy {
    map: Option<DirectionMap>,
    size: throng_grid::Size,
    penalty: StepPenalty,
    draft: MoveDraft,
}

impl Greedy {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let loops = values.get("learn");
        let given = resources.direction_map.take_if(|map| map.size() == grid.size());
        Self {
            size: grid.size(),
            map: given.or_else(|| (loops > 0).then(|| learned(grid, loops))),
            penalty: StepPenalty::new(values.get("w_max"), Unknown::Half),
            draft: MoveDraft::default(),
        }
    }

    /// Returns the next cell of an agent; `None` if no neighbour is free.
    fn step(&self, view: &View<'_>, agent: AgentId) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let free = |cell: Cell| self.draft.at(view, cell) == Occupant::Nobody;
        let room = || ground.neighbours(at).filter(|&(_, cell)| free(cell));
        let random = view.random_per_tick(agent);
        let map = self.map.as_ref().filter(|map| map.vector(at).is_some());
        let Some(map) = map else { return random_item(room, random).map(|(_, cell)| cell) };
        let penalties = StepPenalties::of_map(self.penalty, map);
        let choice = |(direction, to)| {
            let cost = ground.cost(at, direction).saturating_add(penalties.of(at, to, direction));
            (map.vector(to).is_none(), cost, to)
        };
        // Cells with a vector first, then the least cost; tie-break: the lowest direction.
        let is_better = |(unknown, cost, _): Choice, other: Option<Choice>| {
            other.is_none_or(|other| (unknown, cost) < (other.0, other.1))
        };
        let (mut best, mut second) = (None, None);
        for choice in room().map(choice) {
            if is_better(choice, best) {
                second = best.replace(choice);
            } else if is_better(choice, second) {
                second = Some(choice);
            }
        }
        let best = best?;
        let is_similar = |second: &Choice| {
            best.0 == second.0 && second.1 - best.1 < self.penalty.max() / 10 && random.is_multiple_of(4)
        };
        Some(second.filter(is_similar).unwrap_or(best).2)
    }
}

impl Planner for Greedy {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.draft.begin(view);
        let (movers, mut served) = (view.movers(), 0);
        // The first agent rotates, because scarce work does not suffice for all.
        let first = if movers.is_empty() { 0 } else { view.tick() as usize % movers.len() };
        while served < movers.len() {
            let share = ROUND.min(work.left()).min((movers.len() - served) as u64);
            if share == 0 || !work.round(share) {
                return;
            }
            work.spend(share);
            for i in served..served + share as usize {
                let agent = movers[(first + i) % movers.len()];
                match self.step(view, agent) {
                    Some(to) => self.draft.go(view, moves, agent, to),
                    None => {
                        if let Some((_, held)) = view.ground(agent).neighbours(view.at(agent)).next() {
                            let by = match self.draft.at(view, held) {
                                Occupant::Agent(other) => Some(other),
                                _ => None,
                            };
                            moves.wait(agent, held, by);
                        }
                    }
                }
            }
            served += share as usize;
        }
    }

    fn inspect(&self, _: &View<'_>, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        inspect::directions(self.map.as_ref(), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        encode(&self.map.as_ref().map(DirectionMap::saved), bytes);
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        let saved: Option<SavedVectors> = decode_unchecked(bytes)?;
        self.map = saved.map(|saved| DirectionMap::restored(self.size, &saved)).transpose()?;
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.map.as_ref().map_or(0, DirectionMap::memory_bytes) + self.draft.memory_bytes()
    }
}

/// Learns a map from patrolling agents, each of which makes this many round trips.
fn learned(grid: &Grid, loops: u64) -> DirectionMap {
    let blank = || DirectionMap::new(grid.size());
    let Ok(teacher) = planner("dm:surround=0.1", grid) else { return blank() };
    let Ok(mut world) = World::new(grid.clone(), teacher, Settings::default()) else { return blank() };
    let ends = patrol_places(grid);
    let mut left = Vec::new();
    for &(from, to) in &ends {
        // A cell that is taken or blocked gets no agent.
        let Ok(agent) = world.spawn(AgentSpec::at(from.x, from.y)) else { continue };
        if world.send(agent, to).is_ok() {
            left.push((agent, [to, from], 2 * loops));
        }
    }
    let sides = u64::from(grid.size().width()) + u64::from(grid.size().height());
    let (mut events, max_ticks) = (Vec::new(), loops.saturating_mul(sides * MAX_TICKS_PER_SIDE));
    while !left.is_empty() && world.ticks() < max_ticks {
        events.clear();
        world.tick(Budget::Unlimited, &mut events);
        for event in &events {
            let Event::Arrived { agent } = *event else { continue };
            let Some(place) = left.iter().position(|(known, ..)| *known == agent) else { continue };
            let (_, ends, legs) = &mut left[place];
            *legs -= 1;
            ends.swap(0, 1);
            let next = ends[0];
            if *legs == 0 || world.send(agent, next).is_err() {
                left.remove(place);
                // The agent exists, so this is not refused.
                let _gone = world.despawn(agent);
            }
        }
    }
    DirectionMap::of_world(&world).unwrap_or_else(blank)
}

/// Pairs of distinct cells of a checkerboard that can reach each other.
fn patrol_places(grid: &Grid) -> Vec<(Pos, Pos)> {
    let ground = grid.ground();
    let components = ground.components();
    let fits = |cell: &Cell| {
        let pos = ground.pos(*cell);
        (pos.x + pos.y) % 2 == 0 && components.label(ground, *cell) == components.largest()
    };
    let mut cells: Vec<Cell> = ground.free_cells().filter(fits).collect();
    // A fixed shuffle, so that learning is deterministic.
    let mix = |cell: Cell| {
        (u64::from(cell.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ u64::from(cell.0)
    };
    cells.sort_unstable_by_key(|&cell| (mix(cell).wrapping_mul(0xBF58_476D_1CE4_E5B9), cell));
    cells.truncate(2 * TEACHERS);
    cells.chunks_exact(2).map(|pair| (ground.pos(pair[0]), ground.pos(pair[1]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner_with;
    use throng_grid::{Direction, MoveRules, Tiles};

    /// A ring of vectors around a block: a follower circles it.
    #[test]
    fn a_follower_walks_along_the_vectors() {
        let tiles = Tiles::picture(
            ".....
             .@@@.
             .@@@.
             .....",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let mut map = DirectionMap::new(grid.size());
        let cell = |x, y| grid.cell(Pos::new(x, y)).unwrap();
        let ring: Vec<Cell> = (0..4)
            .map(|x| cell(x, 0))
            .chain((0..3).map(|y| cell(4, y)))
            .chain((1..5).rev().map(|x| cell(x, 3)))
            .chain((1..4).rev().map(|y| cell(0, y)))
            .collect();
        for (i, &from) in ring.iter().enumerate() {
            let to = ring[(i + 1) % ring.len()];
            let direction = Direction::between(grid.size().pos(from), grid.size().pos(to)).unwrap();
            map.set(from, Some(throng_toolkit::Vector::step(direction)));
        }
        let with = |map| {
            planner_with("dm-greedy", &grid, Resources { direction_map: Some(map), ..Resources::default() })
        };
        let other_size = DirectionMap::new(throng_grid::Size::new(3, 3).unwrap());
        assert!(with(other_size).is_err());
        let follower = with(map).unwrap();
        let mut world = World::new(grid.clone(), follower, Settings::default()).unwrap();
        let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
        for i in 0..60 {
            let at = world.position(agent).unwrap();
            assert_eq!(grid.cell(at), Some(ring[i % ring.len()]), "after {i} ticks");
            world.tick(Budget::Unlimited, &mut Vec::new());
        }
    }

    #[test]
    fn a_map_is_learned_from_patrolling_agents() {
        let grid = Grid::new(throng_grid::builtin::builtin("arena").unwrap(), MoveRules::default());
        let learn = || {
            let follower = planner("dm-greedy:learn=3", &grid).unwrap();
            let world = World::new(grid.clone(), follower, Settings::default()).unwrap();
            DirectionMap::of_world(&world).unwrap()
        };
        let map = learn();
        assert!(map.known().count() * 2 > grid.ground().free_count(), "{}", map.known().count());
        assert!(map.coherence().millionths().unwrap() > 250_000);
        assert_eq!(learn(), map, "learning is deterministic");
    }
}
