//! Tables: our means with their confidence intervals at each scale, and the paper's numbers beside them.

use super::measure::{Aggregation, Measure, setting_label};
use super::runs::{ReportRun, RunSet, SELECTORS};
use super::settings::{RunFilter, TableSettings};
use crate::format::decimal;
use crate::paper::{OVERALL, Paper, PaperTable};
use crate::stats::{Estimate, Resampling};
use crate::task::is_solver_column;

/// The heading of a row or column: its key in the results and its label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TableHeading {
    pub(crate) key: String,
    pub(crate) label: String,
}

impl TableHeading {
    fn of(key: &str, label: String) -> Self {
        Self { key: key.to_owned(), label }
    }
}

/// A cell.
#[derive(Clone, Debug)]
pub(crate) struct TableCell {
    pub(crate) measure: &'static Measure,
    /// The mean at each scale.
    pub(crate) ours: Vec<Option<Estimate>>,
    /// The number of runs at each scale whose times were measured on a loaded machine.
    pub(crate) loaded: Vec<usize>,
    /// The paper's number and the number it prints behind ±.
    pub(crate) paper: Option<(f64, Option<f64>)>,
    /// Whether it is the best of its row, or of its column if columns are measures, at each scale.
    pub(crate) best: Vec<bool>,
    /// Whether the paper's number is the best.
    pub(crate) paper_best: bool,
}

/// A table of the report.
#[derive(Clone, Debug)]
pub(crate) struct ReportTable {
    pub(crate) name: String,
    pub(crate) caption: String,
    /// The heading of the first column.
    pub(crate) corner: String,
    /// The settings whose values are the rows and the columns; empty if they are measures.
    pub(crate) settings: [String; 2],
    pub(crate) rows: Vec<TableHeading>,
    pub(crate) columns: Vec<TableHeading>,
    pub(crate) scales: Vec<String>,
    pub(crate) cells: Vec<Vec<TableCell>>,
    pub(crate) has_paper: bool,
    /// Whether some intervals mix different settings, because these were run only once each.
    pub(crate) pooled: bool,
}

/// Marks times that were measured on a loaded machine.
const LOAD_MARK: &str = "†";

/// Maximum number of planners as columns. More planners become rows, so that the page stays readable.
const MAX_PLANNER_COLUMNS: usize = 9;

impl ReportTable {
    /// Computes a table.
    pub(crate) fn new(settings: &TableSettings, sets: &[RunSet], planners: &[String], paper: &Paper) -> Self {
        let printed = paper.table(&settings.name);
        let by_planner = settings.measures.len() == 1 && !is_solver_column(&settings.rows);
        let mut rows = row_keys(settings, sets, planners, printed);
        let mut columns = if by_planner { planners.to_vec() } else { settings.measures.clone() };
        if by_planner {
            columns.extend(settings.printed.iter().cloned());
        }
        if by_planner && rows.len() > 1 {
            rows.push(OVERALL.to_owned());
        }
        if by_planner && printed.is_some_and(|table| table.columns.iter().any(|name| name == OVERALL)) {
            columns.push(OVERALL.to_owned());
        }
        // A paper's average is compared with ours only if everything that it averages was run.
        let names = [rows.as_slice(), &columns].concat();
        let cell = |row: &String, column: &String| {
            let measure = Measure::of(if by_planner { &settings.measures[0] } else { column });
            let of = |run: &ReportRun| {
                settings.only.matches(run)
                    && is_in_row(run, &settings.rows, row)
                    && (!by_planner || is_in_column(run, column))
            };
            let value = printed.and_then(|table| table.comparable(row, column, &names));
            let spread = printed.and_then(|table| table.spread(row, column));
            TableCell {
                measure,
                ours: sets.iter().map(|runs| runs.estimate(measure, of)).collect(),
                loaded: sets.iter().map(|runs| runs.loaded(measure, of)).collect(),
                paper: value.map(|value| (value, spread)),
                best: vec![false; sets.len()],
                paper_best: false,
            }
        };
        let cells: Vec<Vec<TableCell>> =
            rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        let mut estimates = cells.iter().flatten().flat_map(|cell| cell.ours.iter().flatten());
        let mut table = Self {
            name: settings.name.clone(),
            caption: settings.caption.clone(),
            corner: setting_label(&settings.rows),
            settings: [settings.rows.clone(), if by_planner { "planner".to_owned() } else { String::new() }],
            rows: rows.iter().map(|key| TableHeading::of(key, label(paper, key))).collect(),
            columns: columns
                .iter()
                .map(|key| {
                    TableHeading::of(
                        key,
                        if by_planner { label(paper, key) } else { Measure::of(key).title() },
                    )
                })
                .collect(),
            scales: sets.iter().map(|runs| runs.scale.clone()).collect(),
            has_paper: cells.iter().flatten().any(|cell| cell.paper.is_some()),
            pooled: estimates.any(|estimate| estimate.resampling == Resampling::Pooled),
            cells,
        };
        table.mark_best(by_planner);
        let is_wide = planners.len() > MAX_PLANNER_COLUMNS && table.rows.len() < planners.len();
        if by_planner && printed.is_none() && is_wide {
            table.transpose();
        }
        table
    }

    /// Returns the caption with the explanations that the numbers need.
    pub(crate) fn full_caption(&self) -> String {
        let mut text = self.caption.clone();
        let measure = self.cells.first().and_then(|row| row.first()).map(|cell| cell.measure);
        let one = measure.filter(|one| self.cells.iter().flatten().all(|cell| cell.measure.name == one.name));
        if let Some(measure) = one {
            text = format!("{text}{}{}", if text.is_empty() { "" } else { ". " }, measure.title());
        }
        let are_all = |is: fn(Aggregation) -> bool| {
            self.cells.iter().flatten().all(|cell| is(cell.measure.aggregation))
        };
        let numbers = if are_all(|aggregation| aggregation == Aggregation::MeanOverRuns) {
            "Mean"
        } else if are_all(Aggregation::is_over_queries) {
            "Over all path queries"
        } else {
            "Numbers"
        };
        text =
            if text.is_empty() { numbers.to_owned() } else { format!("{text}, {}", numbers.to_lowercase()) };
        text += " ± half of the 95 % interval";
        if let [first, others @ ..] = self.scales.as_slice()
            && !others.is_empty()
        {
            text = format!("{text}; large: {first}, below: {}", others.join(", "));
        }
        if self.pooled {
            text +=
                ". Some settings were run once, so their differences count as random and intervals are wide";
        }
        if self.cells.iter().flatten().any(|cell| cell.loaded.iter().any(|&runs| runs > 0)) {
            text = format!(
                "{text}. {LOAD_MARK} includes times measured on a loaded machine, which are too long"
            );
        }
        text + "."
    }

    /// Exchanges rows and columns.
    fn transpose(&mut self) {
        let columns = self.columns.len();
        let mut transposed: Vec<Vec<TableCell>> =
            (0..columns).map(|_| Vec::with_capacity(self.rows.len())).collect();
        for row in std::mem::take(&mut self.cells) {
            for (column, cell) in transposed.iter_mut().zip(row) {
                column.push(cell);
            }
        }
        self.cells = transposed;
        std::mem::swap(&mut self.rows, &mut self.columns);
        self.settings.reverse();
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

    /// Returns a mean rounded as it is printed, so that equal numbers are equally good.
    fn shown(&self, row: usize, column: usize, scale: usize) -> Option<f64> {
        let cell = &self.cells[row][column];
        let digits = 10_f64.powi(cell.measure.digits as i32);
        cell.ours[scale].map(|estimate| (estimate.value * digits).round() / digits)
    }
}

/// Returns the members of a group that no other is better than.
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
    sets: &[RunSet],
    planners: &[String],
    printed: Option<&PaperTable>,
) -> Vec<String> {
    let matches =
        |run: &ReportRun, key: &str| settings.only.matches(run) && run.setting(&settings.rows) == key;
    let present = |key: &str| sets.iter().any(|runs| runs.runs.iter().any(|run| matches(run, key)));
    let mut rows: Vec<String> = match printed {
        Some(table) => table.cells.keys().filter(|key| present(key)).cloned().collect(),
        None => Vec::new(),
    };
    let found = if is_solver_column(&settings.rows) {
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

/// Returns true if the run belongs to the row. Runs of selectors belong to their own row only.
fn is_in_row(run: &ReportRun, column: &str, key: &str) -> bool {
    if key == OVERALL { !SELECTORS.contains(&run.planner()) } else { run.setting(column) == key }
}

fn is_in_column(run: &ReportRun, planner: &str) -> bool {
    run.planner() == planner || (planner == OVERALL && !SELECTORS.contains(&run.planner()))
}

/// Returns the label of a key, the paper's if it has one.
fn label(paper: &Paper, key: &str) -> String {
    match key {
        OVERALL => "Overall".to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => paper.label(key).to_owned(),
    }
}

impl TableCell {
    /// Returns the mark of a time that was measured on a loaded machine, or nothing.
    pub(crate) fn load_mark(&self, scale: usize) -> &'static str {
        if self.loaded[scale] > 0 { LOAD_MARK } else { "" }
    }

    /// Returns the paper's number with its spread as text; none if there is no number.
    pub(crate) fn printed(&self) -> Option<(String, String)> {
        let (paper, spread) = self.paper?;
        let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", decimal(spread, 1)));
        Some((decimal(paper, self.measure.printed_decimals(paper)), spread))
    }

    /// Compares the mean at the first scale with the paper's number: `better` or `worse`, by a strength from 1 (a little) to
    /// 3 (far). None if the paper's number is in our interval or there is nothing to compare.
    pub(crate) fn against_paper(&self) -> Option<(&'static str, u8)> {
        let (ours, (paper, _)) = (self.ours.first().copied()??, self.paper?);
        let inside = ours.interval.is_some_and(|interval| interval.low <= paper && paper <= interval.high);
        let far = if self.measure.unit == "%" {
            (ours.value - paper).abs() / 10.0
        } else {
            // On a logarithmic scale: half and twice are equally far.
            (ours.value.max(1e-9) / paper.max(1e-9)).ln().abs() / std::f64::consts::LN_2
        };
        let strength = 1 + u8::from(far >= 0.5) + u8::from(far >= 2.0);
        let side = if self.measure.is_better(ours.value, paper) { "better" } else { "worse" };
        (!inside && far >= 0.05).then_some((side, strength))
    }
}

/// Returns the table for experiments without settings: completion by map and planner.
pub(crate) fn default_table() -> TableSettings {
    TableSettings {
        name: "Completion".to_owned(),
        caption: "Share of the agents that have arrived at the end".to_owned(),
        rows: "map".to_owned(),
        measures: vec!["completion_rate".to_owned()],
        printed: Vec::new(),
        only: RunFilter::default(),
    }
}
