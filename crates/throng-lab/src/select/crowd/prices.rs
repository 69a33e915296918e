//! Prices: the time per expansion of each planner, in units of an expansion of A*.
//!
//! The time includes everything that a tick costs, so that a limit of priced work stands for a limit of time. A* is the
//! planner `astar-replan`. Runs of the scale `prices` are repeated; the fastest run of each problem counts, because other work
//! on the machine only ever makes a run slower. Only runs that the limit of expansions ended count: in the others many ticks
//! without a search would be charged to few expansions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Results, RunRow};

/// The scale of `mapf-types` that measures prices.
pub const PRICE_SCALE: &str = "prices";

/// The planner whose expansions are the unit.
const UNIT: &str = "astar-replan";

/// Why prices cannot be read or computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PriceError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There are no runs of the unit.
    #[error("no run of `{UNIT}` at the scale `{PRICE_SCALE}`: its expansions are the unit of prices")]
    NoUnit,
    /// A price is not a positive number.
    #[error("{}: the price of `{planner}` is not a positive number", path.display())]
    NotPositive {
        /// The file.
        path: PathBuf,
        /// The planner.
        planner: String,
    },
}

/// The price of an expansion by planner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// How they were measured.
    pub measured: String,
    /// The price by planner.
    price: BTreeMap<String, f64>,
    /// Nanoseconds per expansion by planner, on the machine of the measurement.
    nanoseconds: BTreeMap<String, f64>,
}

impl Prices {
    /// Returns the price of a planner's expansion.
    pub fn of(&self, planner: &str) -> Option<f64> {
        self.price.get(planner).copied()
    }

    /// Returns planners, prices and nanoseconds per expansion, in the order of the names.
    pub fn table(&self) -> impl Iterator<Item = (&str, f64, f64)> {
        self.price.iter().map(|(planner, &price)| {
            (planner.as_str(), price, self.nanoseconds.get(planner).copied().unwrap_or_default())
        })
    }

    /// Computes prices from repeated measurements, one set of results per repetition.
    ///
    /// # Errors
    /// If the planner whose expansions are the unit has no runs.
    pub fn measure(repetitions: &[Results]) -> Result<Self, PriceError> {
        let mut fastest: BTreeMap<(String, u64, String), (f64, f64)> = BTreeMap::new();
        let mut conditions: Vec<String> = Vec::new();
        for row in repetitions.iter().flat_map(|results| &results.rows) {
            let Some((key, seconds, expansions)) = measured(row) else { continue };
            let entry = fastest.entry(key).or_insert((seconds, expansions));
            entry.0 = entry.0.min(seconds);
            let text = |name| row.text(name).unwrap_or_default();
            let condition = format!("{}, {}", text("machine"), text("load"));
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for ((planner, ..), (seconds, expansions)) in fastest {
            let sum = sums.entry(planner).or_default();
            *sum = (sum.0 + seconds, sum.1 + expansions);
        }
        let nanoseconds: BTreeMap<String, f64> = sums
            .into_iter()
            .map(|(planner, (seconds, expansions))| (planner, rounded(seconds * 1e9 / expansions)))
            .collect();
        let unit = *nanoseconds.get(UNIT).ok_or(PriceError::NoUnit)?;
        let price =
            nanoseconds.iter().map(|(planner, each)| (planner.clone(), rounded(each / unit))).collect();
        let measured =
            format!("fastest of {} runs per problem; {}", repetitions.len(), conditions.join("; "));
        Ok(Self { measured, price, nanoseconds })
    }

    /// Reads a file of prices.
    ///
    /// # Errors
    /// If it cannot be read, or a price is not positive.
    pub fn read(path: &Path) -> Result<Self, PriceError> {
        let refuse = |reason: String| PriceError::Read { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        let prices: Self = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        match prices.price.iter().find(|(_, price)| !price.is_finite() || **price <= 0.0) {
            Some((planner, _)) => {
                Err(PriceError::NotPositive { path: path.to_owned(), planner: planner.clone() })
            }
            None => Ok(prices),
        }
    }

    /// Returns the text of a file of prices.
    pub fn to_text(&self) -> String {
        let lines = |table: &BTreeMap<String, f64>| {
            let line = |(planner, value): (&String, &f64)| format!("{planner:?} = {value:?}\n");
            table.iter().map(line).collect::<Vec<String>>().concat()
        };
        format!(
            "# Time per expansion of each planner in units of `{UNIT}`, made by `throng select gather`.\n\
             measured = {:?}\n\n[price]\n{}\n[nanoseconds]\n{}",
            self.measured,
            lines(&self.price),
            lines(&self.nanoseconds)
        )
    }
}

/// Rounds to thousandths, more than the measurement is worth.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Returns planner, seed and map of a run that measures prices, its seconds and its expansions; none for other runs.
fn measured(row: &RunRow) -> Option<((String, u64, String), f64, f64)> {
    let text = |name| row.text(name).map(str::to_owned);
    let expansions = row.number("expansions").filter(|count| *count > 0.0)?;
    let seed = u64::try_from(row.integer("seed")?).ok()?;
    let is_price = row.text("scale") == Some(PRICE_SCALE);
    let is_busy = row.text("stopped") == Some("expansions");
    (is_price && is_busy).then_some((
        (text("planner")?, seed, text("map")?),
        row.number("wall_seconds")?,
        expansions,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(planner: &str, seed: u64, seconds: f64, expansions: u64) -> RunRow {
        let mut row = RunRow::new();
        for (name, value) in [
            ("scale", PRICE_SCALE),
            ("planner", planner),
            ("map", "m"),
            ("load", "quiet"),
            ("stopped", "expansions"),
        ] {
            row.set(name, value);
        }
        row.set("seed", seed);
        row.set("wall_seconds", seconds);
        row.set("expansions", expansions);
        row
    }

    #[test]
    fn the_fastest_repetition_counts_and_a_star_is_the_unit() {
        let results = |factor: f64| Results {
            rows: vec![
                row(UNIT, 1, 0.001 * factor, 10_000),
                row("far", 1, 0.003, 10_000),
                row("far", 2, 0.001, 10_000),
            ],
            ..Results::default()
        };
        let prices = Prices::measure(&[results(3.0), results(1.0)]).unwrap();
        assert_eq!((prices.of(UNIT), prices.of("far"), prices.of("whca")), (Some(1.0), Some(2.0), None));
        let parsed: Prices = toml::from_str(&prices.to_text()).unwrap();
        assert_eq!(parsed, prices);
        assert!(matches!(Prices::measure(&[]), Err(PriceError::NoUnit)));
    }

    #[test]
    fn prices_that_are_not_positive_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        std::fs::write(&path, "measured = \"\"\n[price]\nfar = 0.0\n[nanoseconds]\n").unwrap();
        assert!(matches!(Prices::read(&path), Err(PriceError::NotPositive { .. })));
        std::fs::write(&path, "measured = \"\"\n[prices]\n").unwrap();
        assert!(matches!(Prices::read(&path), Err(PriceError::Read { .. })));
    }
}
