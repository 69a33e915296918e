//! Tables: our means with their intervals, a column set each scale, and the paper's numbers beside them.

use super::data::{Run, Runs, SELECTORS};
use super::measure::{Measure, setting_label};
use super::settings::{Only, TableSettings};
use crate::paper::{OVERALL, Paper, PaperTable};
use crate::stats::{Estimate, Resampling};

/// A row or column: its name in the results and what the paper calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Heading {
    pub(crate) key: String,
    pub(crate) label: String,
}

/// A cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) measure: &'static Measure,
    /// A mean each scale.
    pub(crate) ours: Vec<Option<Estimate>>,
    /// What the paper prints, and behind ±.
    pub(crate) paper: Option<(f64, Option<f64>)>,
    /// Whether it is the best of its row, or of its column where columns are measures: ours of each scale, and the
    /// paper's.
    pub(crate) best: Vec<bool>,
    pub(crate) paper_best: bool,
}

/// How ours stands to the paper's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Against {
    /// The paper's number lies in our interval, or there is nothing to compare.
    Same,
    /// Better, a little to far.
    Better(u8),
    /// Worse, a little to far.
    Worse(u8),
}

/// A table of the report.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) caption: String,
    /// What the rows are, and what the columns are where that is not said by each.
    pub(crate) corner: String,
    pub(crate) rows: Vec<Heading>,
    pub(crate) columns: Vec<Heading>,
    pub(crate) scales: Vec<String>,
    pub(crate) cells: Vec<Vec<Cell>>,
    pub(crate) has_paper: bool,
    /// Whether some intervals mix chosen settings, because these were run once each.
    pub(crate) pooled: bool,
}

/// Columns of planners that a page has room for; more of them become rows.
const WIDEST: usize = 9;

impl Table {
    /// Computes a table.
    pub(crate) fn new(settings: &TableSettings, sets: &[Runs], planners: &[String], paper: &Paper) -> Self {
        let printed = paper.table(&settings.name);
        let by_planner = settings.measures.len() == 1 && settings.rows != "planner";
        let mut rows = row_keys(settings, sets, planners, printed);
        let mut columns = if by_planner { planners.to_vec() } else { settings.measures.clone() };
        if by_planner && rows.len() > 1 {
            rows.push(OVERALL.to_owned());
        }
        if by_planner && printed.is_some_and(|table| table.columns.iter().any(|name| name == OVERALL)) {
            columns.push(OVERALL.to_owned());
        }
        // Averages of a paper are compared with ours only where all of their parts were run.
        let names = [rows.as_slice(), &columns].concat();
        let cell = |row: &String, column: &String| {
            let measure = Measure::of(if by_planner { &settings.measures[0] } else { column });
            let of = |run: &Run| {
                settings.only.holds(run)
                    && holds(run, &settings.rows, row)
                    && (!by_planner || is_of(run, column))
            };
            let value = printed.and_then(|table| table.comparable(row, column, &names));
            let spread = printed.and_then(|table| table.spread(row, column));
            Cell {
                measure,
                ours: sets.iter().map(|runs| runs.estimate(measure, of)).collect(),
                paper: value.map(|value| (value, spread)),
                best: vec![false; sets.len()],
                paper_best: false,
            }
        };
        let cells: Vec<Vec<Cell>> =
            rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        let heading = |key: &String| Heading { key: key.clone(), label: label(paper, key) };
        let measure_heading = |key: &String| Heading { key: key.clone(), label: Measure::of(key).title() };
        let has_paper = cells.iter().flatten().any(|cell| cell.paper.is_some());
        let pooled = cells.iter().flatten().flat_map(|cell| cell.ours.iter().flatten());
        let mut table = Self {
            name: settings.name.clone(),
            caption: settings.caption.clone(),
            corner: setting_label(&settings.rows),
            rows: rows.iter().map(heading).collect(),
            columns: if by_planner {
                columns.iter().map(heading).collect()
            } else {
                columns.iter().map(measure_heading).collect()
            },
            scales: sets.iter().map(|runs| runs.scale.clone()).collect(),
            has_paper,
            pooled: pooled.into_iter().any(|estimate| estimate.resampling == Resampling::Pooled),
            cells,
        };
        table.mark_best(by_planner);
        if by_planner && printed.is_none() && planners.len() > WIDEST && table.rows.len() < planners.len() {
            table.turn();
        }
        table
    }

    /// Rows become columns.
    fn turn(&mut self) {
        let columns = self.columns.len();
        let mut turned: Vec<Vec<Cell>> = (0..columns).map(|_| Vec::with_capacity(self.rows.len())).collect();
        for row in std::mem::take(&mut self.cells) {
            for (column, cell) in turned.iter_mut().zip(row) {
                column.push(cell);
            }
        }
        self.cells = turned;
        std::mem::swap(&mut self.rows, &mut self.columns);
        self.corner = format!("planner, by {}", self.corner);
    }

    /// Marks the best cells, along rows or along columns.
    fn mark_best(&mut self, along_rows: bool) {
        let groups: Vec<Vec<(usize, usize)>> = if along_rows {
            let columns = || (0..self.columns.len()).filter(|&c| self.columns[c].key != OVERALL);
            (0..self.rows.len()).map(|r| columns().map(|c| (r, c)).collect()).collect()
        } else {
            let rows = || (0..self.rows.len()).filter(|&r| !SELECTORS.contains(&self.rows[r].key.as_str()));
            (0..self.columns.len()).map(|c| rows().map(|r| (r, c)).collect()).collect()
        };
        for group in groups.iter().filter(|group| group.len() > 1) {
            for scale in 0..self.scales.len() {
                for (r, c) in
                    best(group, |(r, c)| self.shown(r, c, scale), self.cells[group[0].0][group[0].1].measure)
                {
                    self.cells[r][c].best[scale] = true;
                }
            }
            let printed = |(r, c): (usize, usize)| self.cells[r][c].paper.map(|(value, _)| value);
            for (r, c) in best(group, printed, self.cells[group[0].0][group[0].1].measure) {
                self.cells[r][c].paper_best = true;
            }
        }
    }

    /// A mean as it is printed, so that what looks equal is equally good.
    fn shown(&self, row: usize, column: usize, scale: usize) -> Option<f64> {
        let cell = &self.cells[row][column];
        let digits = 10_f64.powi(cell.measure.digits as i32);
        cell.ours[scale].map(|estimate| (estimate.value * digits).round() / digits)
    }
}

/// Those of a group that nothing is better than.
fn best(
    group: &[(usize, usize)],
    value: impl Fn((usize, usize)) -> Option<f64>,
    measure: &Measure,
) -> Vec<(usize, usize)> {
    let known = || group.iter().filter_map(|&place| Some((place, value(place)?)));
    let beaten = |mine: f64| known().any(|(_, other)| measure.is_better(other, mine));
    known().filter(|&(_, mine)| !beaten(mine)).map(|(place, _)| place).collect()
}

fn row_keys(
    settings: &TableSettings,
    sets: &[Runs],
    planners: &[String],
    printed: Option<&PaperTable>,
) -> Vec<String> {
    let present = |key: &str| sets.iter().any(|runs| runs.runs.iter().any(|run| matches(run, settings, key)));
    let mut rows: Vec<String> = match printed {
        Some(table) => table.cells.keys().filter(|key| present(key)).cloned().collect(),
        None => Vec::new(),
    };
    let found = if settings.rows == "planner" {
        let selectors = SELECTORS.iter().map(|&name| name.to_owned());
        planners.iter().cloned().chain(selectors).collect()
    } else {
        sets.iter().flat_map(|runs| runs.values_of(&settings.rows)).collect::<Vec<_>>()
    };
    for key in found {
        if !rows.contains(&key) && present(&key) {
            rows.push(key);
        }
    }
    rows
}

fn matches(run: &Run, settings: &TableSettings, key: &str) -> bool {
    settings.only.holds(run) && run.setting(&settings.rows) == key
}

/// Whether a run belongs to a row; the selectors belong to their own only.
fn holds(run: &Run, column: &str, key: &str) -> bool {
    if key == OVERALL { !SELECTORS.contains(&run.planner()) } else { run.setting(column) == key }
}

fn is_of(run: &Run, planner: &str) -> bool {
    run.planner() == planner || (planner == OVERALL && !SELECTORS.contains(&run.planner()))
}

/// What the paper calls it, or what we do.
fn label(paper: &Paper, key: &str) -> String {
    match key {
        OVERALL => "Overall".to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => paper.label(key).to_owned(),
    }
}

impl Cell {
    /// How the mean at a scale stands to the paper's number.
    pub(crate) fn against(&self, scale: usize) -> Against {
        let (Some(ours), Some((paper, _))) = (self.ours[scale], self.paper) else { return Against::Same };
        let inside = ours.interval.is_some_and(|interval| interval.low <= paper && paper <= interval.high);
        let far = if self.measure.unit == "%" {
            (ours.value - paper).abs() / 10.0
        } else {
            // As factors: a half and twice are equally far.
            (ours.value.max(1e-9) / paper.max(1e-9)).ln().abs() / std::f64::consts::LN_2
        };
        let strength = if far < 0.5 {
            1
        } else if far < 2.0 {
            2
        } else {
            3
        };
        match inside || far < 0.05 {
            true => Against::Same,
            false if self.measure.is_better(ours.value, paper) => Against::Better(strength),
            false => Against::Worse(strength),
        }
    }
}

/// A table of completion by map and planner, for experiments that say nothing.
pub(crate) fn default_table() -> TableSettings {
    TableSettings {
        name: "Completion".to_owned(),
        caption: "Share of the agents at home at the end".to_owned(),
        rows: "map".to_owned(),
        measures: vec!["completion_rate".to_owned()],
        only: Only::default(),
    }
}
