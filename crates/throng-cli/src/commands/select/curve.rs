//! `throng select curve`: completion of planners over limits of work, and where selection pays.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::select::crowd::CurvePoint;
use throng_lab::select::{WorkCurve, WorkLimit};

use super::DataFolder;
use super::crowd::CrowdOptions;
use crate::output::{bad_input, measure, print_either, table};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select curve -o curve.svg
  throng select curve --games bg --portfolio own --json";

/// Number of limits.
const POINTS: usize = 25;

/// The arguments of `throng select curve`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The planners and games.
    #[command(flatten)]
    crowd: CrowdOptions,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
    /// Draw the curve
    #[arg(short = 'o', long = "out", value_name = "FILE.svg")]
    out: Option<PathBuf>,
}

/// The curve with its limits.
#[derive(Debug, Serialize)]
struct Shown {
    problems: usize,
    portfolio: Vec<String>,
    /// The limit at which the planners' completion comes nearest to the thesis's, in expansions of A*.
    calibrated: f64,
    points: Vec<ShownPoint>,
}

/// A point of the curve.
#[derive(Debug, Serialize)]
struct ShownPoint {
    #[serde(flatten)]
    point: CurvePoint,
    /// Completion of the best single planner.
    prior: f64,
    /// What a perfect selection adds to the best single planner.
    gap: f64,
}

/// `throng select curve`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    if arguments.crowd.limit() != WorkLimit::Paper {
        return Err(bad_input("the curve shows all limits: leave out --limit"));
    }
    let stored = arguments.crowd.stored(&arguments.folder)?;
    let curve = stored.curve(POINTS);
    if curve.points.is_empty() {
        return Err(bad_input("the runs of the stored problems are too short for a curve"));
    }
    if let Some(file) = &arguments.out {
        write_file(file, curve.chart().as_bytes())?;
    }
    let WorkCurve { points, problems, portfolio, calibrated } = curve;
    let shown = |point: CurvePoint| {
        let prior = point.prior();
        ShownPoint { prior, gap: point.best - prior, point }
    };
    let shown = Shown { problems, portfolio, calibrated, points: points.into_iter().map(shown).collect() };
    print_either(json, &shown, || text(&shown))
}

fn text(shown: &Shown) -> String {
    let percent = |share: &f64| format!("{:.1} %", share * 100.0);
    let row = |ShownPoint { point, gap, .. }: &ShownPoint| {
        let mut cells = vec![measure(point.work)];
        cells.extend(point.completion.iter().map(percent));
        cells.extend([point.best, point.worst, *gap].iter().map(percent));
        let wins: Vec<String> =
            point.best_share.iter().map(|share| format!("{:.0}", share * 100.0)).collect();
        cells.push(wins.join(" / "));
        cells
    };
    let mut heads = vec![">work".to_owned()];
    heads.extend(shown.portfolio.iter().map(|planner| format!(">{planner}")));
    heads.extend([">best", ">worst", ">gap", ">best choice, %"].map(str::to_owned));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let about = format!(
        "{} problems; work in expansions of A*; the calibrated limit is {}\n\n",
        shown.problems,
        measure(shown.calibrated)
    );
    about + &table(&heads, shown.points.iter().map(row))
}
