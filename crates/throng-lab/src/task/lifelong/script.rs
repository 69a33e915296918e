//! The goals of a lifelong run, and the tasks that its agents finish.

use throng::grid::SeededRng;
use throng::{AgentId, Cell, Event, Ground, TickReport, World};
use throng_crowd::WorldError;

use super::LifelongMeasures;
use crate::hash::checksum;
use crate::problem::largest_component;
use crate::{Instance, ScenarioScript};

/// The current task of an agent.
#[derive(Clone, Debug)]
struct AgentTask {
    /// The agent's own sequence of goals.
    rng: SeededRng,
    goal: Cell,
    /// The last tick before the order.
    since: u64,
    /// Whether the agent has finished a task after the warm-up.
    served: bool,
}

/// A lifelong run.
#[derive(Clone, Debug)]
pub struct Lifelong {
    /// The cells that goals are drawn from.
    cells: Vec<Cell>,
    agents: Vec<AgentTask>,
    /// The agents that arrived in the last tick.
    arrived: Vec<AgentId>,
    /// The number of ticks before tasks are counted.
    warm_up: u64,
    /// The number of tasks that were finished in all ticks.
    finished: u64,
    /// The number of tasks that were finished after the warm-up, and the sum of their ticks.
    counted: (u64, u64),
}

impl Lifelong {
    /// Creates the goals of a run that starts with the problem `instance`. Equal seeds give each agent the same sequence of
    /// goals.
    pub fn new(ground: &Ground, instance: &Instance, seed: u64, warm_up: u64) -> Self {
        let task = |(number, &goal): (u64, &Cell)| AgentTask {
            rng: SeededRng::new(checksum(seed, &number.to_le_bytes())),
            goal,
            since: 0,
            served: false,
        };
        Self {
            cells: largest_component(ground),
            agents: (0..).zip(&instance.goals).map(task).collect(),
            arrived: Vec::new(),
            warm_up,
            finished: 0,
            counted: (0, 0),
        }
    }

    /// Returns the script of this run; `watch` is called after each tick and may return false to stop.
    pub fn watched<'a>(
        &'a mut self,
        watch: impl FnMut(&World, &[Event]) -> bool + 'a,
    ) -> impl ScenarioScript + 'a {
        WatchedLifelong { lifelong: self, watch }
    }

    /// Returns the measures of a run that has ended after a number of ticks.
    pub fn measures(&self, ticks: u64) -> LifelongMeasures {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let served = self.agents.iter().filter(|task| task.served).count() as u64;
        LifelongMeasures {
            tasks_finished: self.finished,
            throughput: share(self.counted.0, ticks.saturating_sub(self.warm_up)),
            task_ticks_mean: share(self.counted.1, self.counted.0),
            served_rate: share(served, self.agents.len() as u64).unwrap_or(1.0),
        }
    }

    /// Draws the next goal of an agent.
    fn next_goal(&mut self, agent: AgentId) -> Cell {
        let task = &mut self.agents[agent.index()];
        loop {
            let goal = task.rng.pick(&self.cells);
            // A component of one cell has no other goal.
            if goal != task.goal || self.cells.len() < 2 {
                task.goal = goal;
                return goal;
            }
        }
    }

    /// Counts a finished task.
    fn arrive(&mut self, agent: AgentId, tick: u64) {
        self.finished += 1;
        if tick > self.warm_up {
            let task = &mut self.agents[agent.index()];
            self.counted = (self.counted.0 + 1, self.counted.1 + tick - task.since);
            task.served = true;
        }
        self.arrived.push(agent);
    }
}

/// A lifelong run with a function that is called after each tick.
struct WatchedLifelong<'a, W> {
    lifelong: &'a mut Lifelong,
    watch: W,
}

impl<W: FnMut(&World, &[Event]) -> bool> ScenarioScript for WatchedLifelong<'_, W> {
    fn before_tick(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        for agent in std::mem::take(&mut self.lifelong.arrived) {
            let goal = self.lifelong.next_goal(agent);
            self.lifelong.agents[agent.index()].since = world.ticks();
            world.send(agent, world.grid().size().pos(goal))?;
            retasked.push(agent);
        }
        Ok(())
    }

    fn after_tick(&mut self, world: &World, _report: TickReport, events: &[Event]) -> bool {
        for event in events {
            if let Event::Arrived { agent } = *event {
                self.lifelong.arrive(agent, world.ticks());
            }
        }
        (self.watch)(world, events)
    }

    fn ends_when_all_arrived(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use throng::{Grid, MoveRules, Tiles};

    use super::*;
    use crate::{ProblemType, Setup, Shortest, run_script};

    fn town() -> Grid {
        let tiles: Tiles = throng::grid::builtin::builtin("builtin:town").unwrap();
        Grid::new(tiles, MoveRules::default())
    }

    /// Runs a planner and returns the goals of each agent in their order, and the measures.
    fn goals(grid: &Grid, planner: &str, seed: u64, warm_up: u64) -> (Vec<Vec<Cell>>, LifelongMeasures) {
        let instance = Instance::generate(grid.ground(), ProblemType::Random, 40, seed).unwrap();
        let mut lifelong = Lifelong::new(grid.ground(), &instance, seed, warm_up);
        let mut goals: Vec<Vec<Cell>> = instance.goals.iter().map(|&goal| vec![goal]).collect();
        let setup = Setup { shortest: Shortest::Unwanted, ..Setup::new(grid, &instance, planner, 300) };
        let watch = |world: &World, _: &[Event]| {
            for (agent, goals) in world.agents().iter().zip(&mut goals) {
                let goal = world.goal(*agent).unwrap().and_then(|goal| grid.size().cell(goal)).unwrap();
                if goals.last() != Some(&goal) {
                    goals.push(goal);
                }
            }
            true
        };
        let result = run_script(setup, &mut lifelong.watched(watch)).unwrap().result;
        assert_eq!((result.ticks, result.collisions), (300, Some(0)), "{planner}");
        (goals, lifelong.measures(result.ticks))
    }

    /// The k-th goal of an agent is the same under every planner, and another one with another seed.
    #[test]
    fn goals_do_not_depend_on_the_planner() {
        let grid = town();
        let (first, measures) = goals(&grid, "pibt", 5, 100);
        let largest = largest_component(grid.ground());
        assert!(first.iter().flatten().all(|goal| largest.contains(goal)));
        assert!(first.iter().all(|goals| goals.len() > 1), "{first:?}");
        for planner in ["surge", "lra"] {
            for (one, other) in first.iter().zip(goals(&grid, planner, 5, 100).0) {
                let common = one.len().min(other.len());
                assert_eq!(one[..common], other[..common], "{planner}");
            }
        }
        assert_ne!(first[0][1], goals(&grid, "pibt", 6, 100).0[0][1]);
        // All agents but those that have just arrived were sent on.
        let sent: u64 = first.iter().map(|goals| goals.len() as u64 - 1).sum();
        assert!((sent..=sent + 40).contains(&measures.tasks_finished), "{sent} {measures:?}");
    }

    /// Only arrivals after the warm-up count, and a longer warm-up counts fewer.
    #[test]
    fn throughput_is_counted_after_the_warm_up() {
        let grid = town();
        let [none, some, all] = [0, 100, 300].map(|warm_up| goals(&grid, "pibt", 5, warm_up).1);
        let finished = none.tasks_finished;
        assert_eq!((some.tasks_finished, all.tasks_finished), (finished, finished));
        assert_eq!(none.throughput, Some(finished as f64 / 300.0));
        let counted = some.throughput.unwrap() * 200.0;
        assert!(counted > 1.0 && counted < finished as f64, "{some:?}");
        assert_eq!((all.throughput, all.task_ticks_mean, all.served_rate), (None, None, 0.0));
        assert!(none.task_ticks_mean.unwrap() > 10.0 && none.served_rate > 0.9, "{none:?}");
    }
}
