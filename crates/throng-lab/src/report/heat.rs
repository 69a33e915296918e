//! Heat maps: the same built-in instance under every planner, with the time that agents waited per cell. The instance is
//! run for the report, so no ticks need to be stored and no map that may not be redistributed is shown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use throng::grid::builtin::builtin;
use throng::grid::render::Picture;
use throng::{Grid, MoveRules};
use throng_search::spec::SpecError;

use super::settings::HeatSettings;
use crate::{Instance, RunResult, Setup, run};

/// Seed of the instance.
const SEED: u64 = 1;

/// The heat map of a run.
#[derive(Clone, Debug)]
pub(crate) struct HeatMap {
    pub(crate) planner: String,
    /// The PNG file in base64.
    pub(crate) data: String,
    pub(crate) result: RunResult,
}

/// Why heat maps could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeatError {
    /// Unknown map, problem type or planner.
    #[error("report: heat: {0}")]
    Unknown(#[from] SpecError),
    /// The instance does not fit the map.
    #[error("report: heat: {0}")]
    Problem(#[from] crate::ProblemError),
    /// The run was refused.
    #[error("report: heat: {0}")]
    ReportRun(#[from] crate::RunError),
    /// The picture could not be drawn.
    #[error("report: heat: {0}")]
    Render(#[from] throng::grid::render::RenderError),
}

/// Runs the instance under each planner and draws the heat maps, all with the same scale.
pub(crate) fn heat_maps(
    settings: &HeatSettings,
    rules: MoveRules,
    planners: &[String],
) -> Result<Vec<HeatMap>, HeatError> {
    let grid = Grid::new(builtin(&settings.map)?, rules);
    let instance = Instance::generate(grid.ground(), settings.r#type.parse()?, settings.agents, SEED)?;
    let mut runs = Vec::new();
    for planner in planners {
        let mut waits = vec![0_u32; grid.size().area()];
        let outcome = run(Setup::new(&grid, &instance, planner, settings.ticks), |world, _| {
            for &agent in world.agents().iter().filter(|&&agent| world.has_arrived(agent) == Ok(false)) {
                if let Some(cell) = world.position(agent).ok().and_then(|pos| grid.size().cell(pos)) {
                    waits[cell.index()] += 1;
                }
            }
            true
        })?;
        runs.push((planner, waits, outcome.result));
    }
    let hottest = runs.iter().flat_map(|(_, heat, _)| heat).copied().max().unwrap_or(0);
    let picture = |(planner, heat, result): (&String, Vec<u32>, RunResult)| {
        let heat = softened(&heat, hottest);
        let png = Picture::of_grid(&grid).heat(&heat).heat_max(root(hottest)).scale(6).png()?;
        Ok(HeatMap { planner: planner.clone(), data: STANDARD.encode(png), result })
    };
    runs.into_iter().map(picture).collect()
}

/// Takes square roots, so that a queue of a hundred ticks does not hide one of ten, and drops the traces of agents that
/// only pass.
fn softened(heat: &[u32], hottest: u32) -> Vec<u32> {
    heat.iter().map(|&value| if value * 30 < hottest { 0 } else { root(value) }).collect()
}

fn root(value: u32) -> u32 {
    (value * 256).isqrt()
}
