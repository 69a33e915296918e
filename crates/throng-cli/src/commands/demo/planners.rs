//! The crowd of the demo: the same instance under every planner, and an animation of the best run.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, ensure};
use throng::{Grid, MoveRules};
use throng_lab::{Instance, ProblemType, RunLimits, RunResult, Setup, TickBudget};
use throng_planners::{ALIASES, PLANNERS, planner_info};

use super::SEED;
use crate::commands::crowd::{Orders, run_with_progress};
use crate::commands::run_result::comparison;
use crate::output::{bad_input, count, measure, thousands};
use crate::picture::AnimationRecorder;
use crate::source;

/// Problem type: streams in both directions through the same streets, where planners differ most.
pub(super) const PROBLEM: ProblemType = ProblemType::SwapSides;

/// Tick limit of a run.
const MAX_TICKS: u64 = 1_000;

/// Work budget per tick in expansions, as in a game. It makes the result the same on every machine.
const EXPANSIONS: u64 = 20_000;

/// Runs the instance under every planner and alias with goals, and writes an animation of the best run.
pub(super) fn compare(map: &str, agents: usize, animation: &Path) -> Result<Vec<RunResult>> {
    let grid = Grid::new(source::open_map(map)?, MoveRules::default());
    let instance = Instance::generate(grid.ground(), PROBLEM, agents, SEED).map_err(bad_input)?;
    let limits = RunLimits { budget: TickBudget::Expansions(EXPANSIONS), ..RunLimits::ticks(MAX_TICKS) };
    let mut results: Vec<RunResult> = Vec::new();
    let mut best: Option<(usize, AnimationRecorder)> = None;
    for planner in names() {
        let mut recorder = AnimationRecorder::new(&grid, &instance);
        let setup = Setup { seed: SEED, limits, ..Setup::new(&grid, &instance, planner, MAX_TICKS) };
        let mut result =
            run_with_progress(setup, Orders::Once, Some(&mut recorder), &AtomicBool::new(false), |_| ())?
                .result;
        ensure!(result.collisions == Some(0), "{planner} let agents collide, which is a bug of the planner");
        map.clone_into(&mut result.map);
        PROBLEM.name().clone_into(&mut result.r#type);
        if best.as_ref().is_none_or(|&(best, _)| better(&result, &results[best]).is_lt()) {
            best = Some((results.len(), recorder));
        }
        results.push(result);
    }
    if let Some((_, recorder)) = best {
        recorder.write(animation)?;
    }
    Ok(results)
}

/// Returns the planners and aliases whose agents go to their targets.
fn names() -> Vec<&'static str> {
    let all = PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|&(alias, _)| alias));
    all.filter(|name| planner_info(name).is_ok_and(|info| info.has_goals)).collect()
}

/// Orders results: more arrived agents first, then fewer ticks.
fn better(a: &RunResult, b: &RunResult) -> Ordering {
    b.completion_rate.total_cmp(&a.completion_rate).then(a.ticks.cmp(&b.ticks))
}

/// Returns a table of the planners and names the best one, which the animation shows.
pub(super) fn text(results: &[RunResult]) -> String {
    let best = results.iter().min_by(|a, b| better(a, b));
    let verdict = best.map_or_else(String::new, |best| {
        let arrived = (best.completion_rate * best.agents as f64).round() as usize;
        let all = if arrived == best.agents { "all " } else { "" };
        format!(
            "\nBest: {}, {all}{} arrived in {} ticks of {} µs. No planner caused a collision.\n\
             Limits: {} ticks per run and {} expansions per tick.\n",
            best.planner,
            count(arrived, "agent", "agents"),
            thousands(best.ticks),
            measure(best.tick_us.mean),
            thousands(MAX_TICKS),
            thousands(EXPANSIONS)
        )
    });
    comparison(results) + &verdict
}
