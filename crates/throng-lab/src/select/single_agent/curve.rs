//! How well portfolios of each size do under the perfect selector: formed greedily, and drawn at random.

use serde::Serialize;
use throng::grid::SeededRng;

use super::{Granularity, SPLIT_SEED};
use crate::select::{Dataset, Quality, greedy_portfolio, random_portfolio, virtual_best, worst};

/// The number of random portfolios per split and size.
const DRAWS: usize = 20;

/// Seed of the random portfolios.
const SEED: u64 = 2;

/// Portfolios of one size, on the test parts of all splits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CurvePoint {
    /// The size.
    pub size: usize,
    /// The virtual best of the greedy portfolio.
    pub greedy: Quality,
    /// The worst choice from the greedy portfolio.
    pub greedy_worst: Quality,
    /// The virtual best of random portfolios.
    pub random: Quality,
    /// The worst choice from random portfolios.
    pub random_worst: Quality,
}

/// Returns the utility of a portfolio on some instances.
type PortfolioUtility = fn(&[Vec<f64>], &[usize], &[usize]) -> f64;

/// Returns the curve for some sizes. Portfolios are formed on the training part and measured on the test part of each split.
pub fn portfolio_curve(granularity: Granularity, data: &Dataset, sizes: &[usize]) -> Vec<CurvePoint> {
    let splits = granularity.splits(data, SPLIT_SEED);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let greedy: Vec<Vec<usize>> =
        splits.iter().map(|split| greedy_portfolio(&data.utilities, &split.train, largest)).collect();
    let mut rng = SeededRng::new(SEED);
    let mut point = |&size: &usize| {
        let mut values: [Vec<f64>; 4] = Default::default();
        for (split, greedy) in splits.iter().zip(&greedy) {
            let greedy = &greedy[..size.min(greedy.len())];
            let draws: Vec<Vec<usize>> =
                (0..DRAWS).map(|_| random_portfolio(data.algorithms.len(), size, &mut rng)).collect();
            let greedy = [greedy.to_vec()];
            let mean = |of: PortfolioUtility, portfolios: &[Vec<usize>]| {
                let utilities = portfolios.iter().map(|members| of(&data.utilities, &split.test, members));
                utilities.sum::<f64>() / portfolios.len() as f64
            };
            let bests = [mean(virtual_best, &greedy), mean(virtual_best, &draws)];
            let worsts = [mean(worst, &greedy), mean(worst, &draws)];
            let of_split = [bests[0], worsts[0], bests[1], worsts[1]];
            for (values, value) in values.iter_mut().zip(of_split) {
                values.push(data.measure.quality(value));
            }
        }
        let [greedy, greedy_worst, random, random_worst] = values.map(|values| Quality::of(&values));
        CurvePoint { size, greedy, greedy_worst, random, random_worst }
    };
    sizes.iter().map(&mut point).collect()
}
