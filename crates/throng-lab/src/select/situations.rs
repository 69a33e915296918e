//! Problems from gameplay: the situations of a recording in which many agents got new orders.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018, chapter
//! 6, names problems from logs of games as future work. A situation has the start and the goal of every agent that is under
//! way, and the map of that tick, so that a selector can be trained and tested on what a game asks for. Agents that have arrived
//! are left out. Of several agents with the same goal, all but the first get the nearest free cell that nobody else has.

use std::collections::BTreeSet;

use throng::grid::movingai::{Problem, Scenario};
use throng::{Cell, Pos, Tiles, World};
use throng_crowd::{PlaybackError, Recording};

/// A situation of a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct Situation {
    /// The number of ticks before it.
    pub tick: u64,
    /// The number of agents that had just got a new goal.
    pub ordered: usize,
    /// The map.
    pub tiles: Tiles,
    /// Start and goal of each agent that is under way.
    pub agents: Vec<(Pos, Pos)>,
}

/// Returns the situations of a recording in which at least this number of agents got new goals, in the order of their ticks.
/// The first one is the beginning, if enough agents have goals there.
///
/// # Errors
/// If the recording cannot be played.
pub fn situations(recording: &Recording, ordered: usize) -> Result<Vec<Situation>, PlaybackError> {
    let mut playback = recording.play()?;
    let mut found = Vec::new();
    let mut known: Vec<Option<Pos>> = Vec::new();
    loop {
        let world = playback.world();
        let goals: Vec<Option<Pos>> = goals(world);
        let changed = goals
            .iter()
            .enumerate()
            .filter(|&(at, goal)| goal.is_some() && known.get(at).copied().flatten() != *goal);
        let changed = changed.count();
        if changed >= ordered.max(1) {
            let agents = under_way(world);
            if !agents.is_empty() {
                let tiles = world.grid().tiles().clone();
                found.push(Situation { tick: world.ticks(), ordered: changed, tiles, agents });
            }
        }
        known = goals;
        if !playback.step()? {
            return Ok(found);
        }
    }
}

/// Returns the goals of agents by their numbers.
fn goals(world: &World) -> Vec<Option<Pos>> {
    let mut goals = Vec::new();
    for &agent in world.agents() {
        goals.resize(goals.len().max(agent.index() + 1), None);
        goals[agent.index()] = world.goal(agent).ok().flatten();
    }
    goals
}

/// Returns start and goal of the agents that are under way.
fn under_way(world: &World) -> Vec<(Pos, Pos)> {
    let ground = world.grid().ground();
    let mut taken: BTreeSet<Cell> = BTreeSet::new();
    let mut agents = Vec::new();
    for &agent in world.agents() {
        let (Ok(at), Ok(Some(target))) = (world.position(agent), world.target(agent)) else { continue };
        let Some(target) = ground.cell(target) else { continue };
        let Some(start) = ground.cell(at).filter(|&start| start != target && ground.reachable(start, target))
        else {
            continue;
        };
        let is_open = |cell: Cell| {
            ground.is_free(cell) && cell != start && !taken.contains(&cell) && ground.reachable(start, cell)
        };
        if let Some(goal) = ground.nearest_where(ground.pos(target), is_open) {
            taken.insert(goal);
            agents.push((at, ground.pos(goal)));
        }
    }
    agents
}

impl Situation {
    /// Returns the agents as a scenario. Lengths are octile distances; they order no problems here.
    pub fn scenario(&self, map: &str) -> Scenario {
        let problem = |(line, &(start, goal)): (u32, &(Pos, Pos))| {
            let (dx, dy) = (f64::from(start.x.abs_diff(goal.x)), f64::from(start.y.abs_diff(goal.y)));
            Problem {
                bucket: 0,
                map: map.to_owned(),
                size: self.tiles.size(),
                start,
                goal,
                length: dx.max(dy) + (std::f64::consts::SQRT_2 - 1.0) * dx.min(dy),
                line,
            }
        };
        Scenario { problems: (2..).zip(&self.agents).map(problem).collect() }
    }
}

#[cfg(test)]
mod tests {
    use throng::grid::builtin::builtin;
    use throng::{AgentSpec, Budget, Grid, MoveRules, Settings};

    use super::*;
    use crate::Instance;

    /// Eight agents get an order at the beginning, and all of them the same one ten ticks later.
    #[test]
    fn orders_become_problems_that_can_be_run() {
        let grid = Grid::new(builtin("rooms").unwrap(), MoveRules::default());
        let instance = Instance::generate(grid.ground(), crate::ProblemType::Random, 8, 3).unwrap();
        let (planner, ground) = (throng_planners::planner("pibt", &grid).unwrap(), grid.ground().clone());
        let mut world = World::new(grid, planner, Settings::default()).unwrap();
        let agents: Vec<_> = instance
            .starts
            .iter()
            .zip(&instance.goals)
            .map(|(&start, &goal)| {
                let at = ground.pos(start);
                let agent = world.spawn(AgentSpec::at(at.x, at.y)).unwrap();
                world.send(agent, ground.pos(goal)).unwrap();
                agent
            })
            .collect();
        world.start_recording();
        for tick in 0..20 {
            if tick == 10 {
                for &agent in &agents {
                    world.send(agent, ground.pos(instance.goals[0])).unwrap();
                }
            }
            world.tick(Budget::Unlimited, &mut Vec::new());
        }
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        let found = situations(&recording, 6).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].tick, found[0].ordered, found[0].agents.len()), (0, 8, 8));
        assert_eq!((found[1].tick, found[1].ordered >= 6), (11, true));
        assert!(situations(&recording, 9).unwrap().is_empty());
        for situation in &found {
            let scenario = situation.scenario("rooms.map");
            let instance = Instance::from_scenario(&ground, &scenario, situation.agents.len()).unwrap();
            assert_eq!(instance.starts.len(), situation.agents.len());
        }
    }
}
