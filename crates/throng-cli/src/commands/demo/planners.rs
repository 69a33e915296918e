//! The part of the crowd: the same problem under every planner, and an animation of the best run.

use std::cmp::Ordering;
use std::path::Path;

use anyhow::{Result, ensure};
use throng::planners::{ALIASES, PLANNERS, planner_info};
use throng::{Grid, MoveRules};
use throng_lab::{Instance, Limits, ProblemType, RunResult, Setup, TickBudget};

use super::SEED;
use crate::commands::crowd;
use crate::commands::outcome::comparison;
use crate::output::{bad_input, count, measure, thousands};
use crate::picture::Recorder;
use crate::source;

/// Streams in both directions through the same streets: where planners differ most.
pub(super) const PROBLEM: ProblemType = ProblemType::SwapSides;

/// A run ends after so many ticks.
const TICKS: u64 = 1_000;

/// What a tick may do, as in a game: so that nobody's search holds up the others, and every machine sees the same.
const EXPANSIONS: u64 = 20_000;

/// Runs the crowd under every planner that knows the map's rules, by its name and by each short name, and
/// writes an animation of the best run into a file.
pub(super) fn compare(map: &str, agents: usize, animation: &Path) -> Result<Vec<RunResult>> {
    let grid = Grid::new(source::open_map(map)?, MoveRules::default());
    let instance = Instance::generate(grid.ground(), PROBLEM, agents, SEED).map_err(bad_input)?;
    let names = names(grid.rules());
    let limits = Limits { budget: TickBudget::Expansions(EXPANSIONS), ..Limits::ticks(TICKS) };
    let mut results: Vec<RunResult> = Vec::new();
    let mut best: Option<(usize, Recorder)> = None;
    for planner in names {
        let mut recorder = Recorder::new(&grid, &instance);
        let setup = Setup { seed: SEED, limits, ..Setup::new(&grid, &instance, planner, TICKS) };
        let mut result = crowd::watched(setup, Some(&mut recorder), |_| ())?.result;
        ensure!(result.collisions == Some(0), "{planner} let characters collide: it is wrong");
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

/// The planners that know the rules, and the short names of these.
fn names(rules: MoveRules) -> Vec<&'static str> {
    let all = PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|&(alias, _)| alias));
    let knows = |name: &&str| {
        planner_info(name).is_ok_and(|info| info.has_goals && info.corners.contains(&rules.corners))
    };
    all.filter(knows).collect()
}

/// More agents at home come first, then fewer ticks.
fn better(a: &RunResult, b: &RunResult) -> Ordering {
    b.completion_rate.total_cmp(&a.completion_rate).then(a.ticks.cmp(&b.ticks))
}

/// The planners side by side, and which one the animation shows: the first of the best.
pub(super) fn text(results: &[RunResult]) -> String {
    let best = results.iter().min_by(|a, b| better(a, b));
    let verdict = best.map_or_else(String::new, |best| {
        let home = (best.completion_rate * best.agents as f64).round() as usize;
        let all = if home == best.agents { "all " } else { "" };
        format!(
            "\nBest: {} brought {all}{} home in {} ticks of {} µs. Under no planner did two collide.\n\
             A run ends after {} ticks at the latest, and a tick may spend {} expansions.\n",
            best.planner,
            count(home, "character", "characters"),
            thousands(best.ticks),
            measure(best.tick_us.mean),
            thousands(TICKS),
            thousands(EXPANSIONS)
        )
    });
    comparison(results) + &verdict
}
