//! The state of a run: its progress towards the limits, and its measures so far.

use std::time::{Duration, Instant};

use throng::{Budget, Event, TickReport, World};

use super::course::{Course, CourseRecorder};
use super::limits::RunProgress;
use super::shortest::sampled_agents;
use super::{RunError, RunLimits, RunResult, Setup, Stopped, TickBudget, TickSample};
use crate::measures::{Measures, mean};

/// The number of ticks between two measurements of the planner's memory.
const MEMORY_INTERVAL: u64 = 16;

/// The state of a run.
pub(super) struct RunState {
    pub(super) measures: Measures,
    pub(super) progress: RunProgress,
    /// The events of the last tick.
    pub(super) events: Vec<Event>,
    /// The time of each tick, in microseconds.
    pub(super) times: Vec<f64>,
    /// The time of all ticks up to each tick, in seconds; the first is 0.
    seconds_at: Vec<f64>,
    pub(super) peak_bytes: usize,
    pub(super) series: Vec<TickSample>,
    course: Option<CourseRecorder>,
    /// What the planner reported about itself, with the ticks.
    notices: Vec<String>,
}

impl RunState {
    pub(super) fn new(setup: Setup<'_>) -> Self {
        let cells = if setup.heat { setup.grid.size().area() } else { 0 };
        Self {
            measures: Measures::new(setup.instance.starts.len(), cells),
            progress: RunProgress::default(),
            events: Vec::new(),
            times: Vec::new(),
            seconds_at: vec![0.0],
            peak_bytes: 0,
            series: Vec::new(),
            course: setup.limits.expansions.map(CourseRecorder::new),
            notices: Vec::new(),
        }
    }

    /// Executes a tick and measures it.
    pub(super) fn tick(&mut self, setup: Setup<'_>, world: &mut World) -> TickReport {
        self.events.clear();
        let begun = Instant::now();
        let report = tick(world, setup.limits.budget, begun, &mut self.events);
        let took = begun.elapsed();
        // Only ticks count towards the time of a run: checks, pictures and measures between them do not.
        self.progress.wall += took;
        self.progress.ticks = world.ticks();
        self.progress.expansions += report.expansions;
        let moved = self.events.iter().any(|event| matches!(event, Event::Moved { .. }));
        self.progress.still = if moved { 0 } else { self.progress.still + 1 };
        self.times.push(took.as_secs_f64() * 1e6);
        self.seconds_at.push(self.progress.wall.as_secs_f64());
        self.measures.observe(setup.grid.ground(), world.ticks(), &self.events);
        self.progress.completion = self.completion_rate();
        self.notices.extend(world.notices().iter().map(|text| format!("tick {}: {text}", world.ticks())));
        if world.ticks() % MEMORY_INTERVAL == 1 {
            self.peak_bytes = self.peak_bytes.max(world.planner().memory_bytes());
        }
        if let Some(course) = &mut self.course {
            let RunProgress { expansions, ticks, .. } = self.progress;
            let travel = || self.measures.travel_mean(setup.grid.ground());
            course.after_tick(expansions, self.measures.arrived, ticks, travel);
        }
        if setup.series {
            let arrived = self.measures.arrived as u64;
            let tick_us = took.as_secs_f64() * 1e6;
            self.series.push(TickSample { arrived, expansions: report.expansions, tick_us });
        }
        report
    }

    /// Returns the course of the finished run; none if it has no limit of expansions.
    pub(super) fn finish_course(&mut self, setup: Setup<'_>) -> Option<Course> {
        let RunProgress { expansions, ticks, .. } = self.progress;
        let travel = self.measures.travel_mean(setup.grid.ground());
        Some(self.course.take()?.finish(expansions, self.measures.arrived, ticks, travel))
    }

    /// Returns the results that follow from the world and the measures.
    pub(super) fn summary(
        &self,
        setup: Setup<'_>,
        stopped: Stopped,
        world: &World,
    ) -> Result<RunResult, RunError> {
        let (measures, seconds_at) = (&self.measures, &self.seconds_at);
        let (ticks_without_arrival, seconds_without_arrival) = self.without_arrival(stopped, setup.limits);
        let ticks = measures.completion_ticks().map(|tick| tick.unwrap_or(ticks_without_arrival) as f64);
        let seconds = measures
            .completion_ticks()
            .map(|tick| tick.map_or(seconds_without_arrival, |tick| seconds_at[tick as usize]));
        let (ticks, seconds): (Vec<f64>, Vec<f64>) = (ticks.collect(), seconds.collect());
        let agents = setup.instance.starts.len();
        // Travel and delay are those of the agents whose shortest paths are known.
        let shortest = setup.shortest.paths(setup.grid, setup.instance)?;
        let length = shortest.map_or(0.0, |paths| paths.length_mean);
        let sample = sampled_agents(agents, setup.grid.size().area());
        let travel = measures.travel_mean_of(setup.grid.ground(), sample.clone());
        let arrival = mean(sample.map(|agent| ticks[agent]));
        Ok(RunResult {
            agents,
            ticks: world.ticks(),
            completion_rate: self.completion_rate(),
            completion_ticks_mean: mean(ticks.iter().copied()),
            completion_seconds_mean: mean(seconds.iter().copied()),
            travel_mean: measures.travel_mean(setup.grid.ground()),
            shortest_mean: length,
            shortest_agents: shortest.map_or(0, |paths| paths.agents),
            shortest_steps_mean: shortest.map(|paths| paths.steps_mean),
            travel_over_shortest: if length > 0.0 { travel / length } else { 1.0 },
            delay_mean: shortest.map(|paths| arrival - paths.steps_mean),
            tick_limit: setup.limits.ticks,
            expansions: world.totals().expansions,
            failed_moves: measures.failed_moves,
            idle_ticks_max: measures.longest_idle(),
            discoveries: setup.fog.map(|_| measures.discoveries),
            notices: self.notices.clone(),
            overruled: measures.overruled,
            state_hash: world.state_hash(),
            ..RunResult::default()
        })
    }

    /// Returns the share of the agents that have arrived.
    fn completion_rate(&self) -> f64 {
        let agents = self.measures.completion_ticks().count();
        if agents == 0 { 1.0 } else { self.measures.arrived as f64 / agents as f64 }
    }

    /// Returns the ticks and the seconds that an agent counts that has not arrived: the whole limit, also if the run
    /// ended early because no agent moved. Otherwise a planner whose agents soon stand still would seem fast.
    fn without_arrival(&self, stopped: Stopped, limits: RunLimits) -> (u64, f64) {
        let RunProgress { ticks, still, wall, .. } = self.progress;
        let (elapsed, is_still) = (wall.as_secs_f64(), stopped == Stopped::Still);
        let seconds = match limits.wall {
            Some(limit) if !matches!(stopped, Stopped::Completion | Stopped::Interrupted) => {
                limit.as_secs_f64()
            }
            // Without a limit of time: as if the ticks without a move had gone on until the limit of ticks.
            None if is_still => {
                let idle = elapsed - self.seconds_at[(ticks - still) as usize];
                idle.mul_add((limits.ticks - ticks) as f64 / still as f64, elapsed)
            }
            _ => elapsed,
        };
        (if is_still { limits.ticks } else { ticks }, seconds)
    }
}

fn tick(world: &mut World, budget: TickBudget, begun: Instant, events: &mut Vec<Event>) -> TickReport {
    match budget {
        TickBudget::Unlimited => world.tick(Budget::Unlimited, events),
        TickBudget::Expansions(limit) => world.tick(Budget::expansions(limit), events),
        TickBudget::Units(limit) => world.tick(Budget::units(limit), events),
        TickBudget::Microseconds(limit) => {
            let mut spent = || begun.elapsed() >= Duration::from_micros(limit);
            world.tick(Budget::Until(&mut spent), events)
        }
    }
}
