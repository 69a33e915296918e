//! `throng select portfolio`: compares greedy and random portfolios of several sizes.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::select::single_agent::{CurvePoint, portfolio_curve};

use super::{DataFolder, SingleAgent, refused};
use crate::output::{print_either, table};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng select portfolio problem --sizes 1,2,4,8";

/// The arguments of `throng select portfolio`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What a selection is made for
    target: SingleAgent,
    /// Numbers of configurations
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,2,3,5,10,20")]
    sizes: Vec<usize>,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
}

/// The curve.
#[derive(Debug, Serialize)]
struct Curve {
    instances: usize,
    configurations: usize,
    points: Vec<CurvePoint>,
}

/// `throng select portfolio`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let granularity = arguments.target.granularity();
    let data = granularity.dataset(&arguments.folder.data).map_err(refused)?;
    let points = portfolio_curve(granularity, &data, &arguments.sizes);
    let curve = Curve { instances: data.len(), configurations: data.algorithms.len(), points };
    let row = |point: &CurvePoint| {
        let qualities = [point.greedy, point.random, point.greedy_worst, point.random_worst];
        let cells = qualities.map(|quality| format!("{:.2}", quality.quality));
        [vec![point.size.to_string()], cells.to_vec()].concat()
    };
    print_either(json, &curve, || {
        table(
            &[">size", ">greedy: best", ">random: best", ">greedy: worst", ">random: worst"],
            curve.points.iter().map(row),
        )
    })
}
