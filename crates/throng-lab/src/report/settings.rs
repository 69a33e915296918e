//! What a report shows, as an experiment says it in its `[report]` section. Everything has a default, so that an
//! experiment without the section has a report too.

use serde::Deserialize;
use throng::searches::spec;

use super::measure::MEASURES;
use crate::columns::{self, Role};

/// The `[report]` section.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// The heading; the experiment's name when there is none.
    pub title: String,
    /// What the experiment asks, in a sentence or two.
    pub question: String,
    /// The file beside the experiment with the paper's numbers.
    pub paper: Option<String>,
    /// Adds a perfect and a worst selector, which choose a planner for each instance: by completion, then by travel.
    pub selectors: bool,
    /// The tables; one of completion by map and planner when there is none.
    #[serde(rename = "table")]
    pub tables: Vec<TableSettings>,
    /// The curves; completion against agents when there is none and more than one count was run.
    #[serde(rename = "curve")]
    pub curves: Vec<CurveSettings>,
    /// Measures whose distribution is drawn; travel and tick times when there is none.
    pub distributions: Vec<String>,
    /// The findings to check.
    #[serde(rename = "check")]
    pub checks: Vec<CheckSettings>,
    /// Where the crowd goes: a run a planner on an embedded map.
    pub heat: HeatSettings,
}

/// A table: a cell a row and column, the mean of a measure.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSettings {
    /// Its name; the paper's table of the same name stands beside it.
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub caption: String,
    /// A row each value of this column of the results.
    pub rows: String,
    /// The measures: several give a column each, one gives a column each planner.
    pub measures: Vec<String>,
    /// Which runs count.
    #[serde(default)]
    pub only: Only,
}

/// Curves of a measure, a line a planner.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveSettings {
    /// Its name.
    pub name: String,
    /// The column of the results along the bottom.
    #[serde(default = "agents")]
    pub x: String,
    /// What is drawn.
    pub measure: String,
    /// One small picture each value of this column, beside the one over all.
    #[serde(default)]
    pub each: Option<String>,
}

fn agents() -> String {
    "agents".to_owned()
}

/// Which runs count; all when nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Only {
    /// Those with more agents.
    pub agents_above: Option<i64>,
    /// Those with so many agents or fewer.
    pub agents_at_most: Option<i64>,
}

/// A finding to check.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSettings {
    /// What the paper found, in a sentence.
    pub finding: String,
    /// Where it says so.
    #[serde(default)]
    pub source: String,
    /// What is compared.
    pub measure: String,
    /// How.
    pub kind: CheckKind,
    /// The planners that it is said of; with `best-by-group` all when none is named.
    #[serde(default)]
    pub these: Vec<String>,
    /// The planners that they are compared with.
    #[serde(default)]
    pub those: Vec<String>,
    /// The column whose values are the groups.
    #[serde(default = "map")]
    pub by: String,
    /// On how many groups it must be so; on all when nothing is said.
    pub at_least: Option<usize>,
    /// The table of the paper that says what is expected.
    pub table: Option<String>,
    /// Which runs count.
    #[serde(default)]
    pub only: Only,
}

fn map() -> String {
    "map".to_owned()
}

/// The kinds of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Each of these has a higher mean than each of those, on the same instances.
    Above,
    /// Each of these has a lower mean than each of those, on the same instances.
    Below,
    /// The first of these has the highest mean of all on at least so many groups.
    HighestOnAtLeast,
    /// The first of these has the lowest mean of all on at least so many groups.
    LowestOnAtLeast,
    /// The first of these is above the first of those where the paper says so, and below where it says so.
    SignAgrees,
    /// The best planner of each group is the one that the paper names.
    BestByGroup,
}

/// The embedded instance on which pictures are made.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeatSettings {
    /// A built-in map's name.
    pub map: String,
    /// How many agents.
    pub agents: usize,
    /// The problem's type.
    pub r#type: String,
    /// The run ends after so many ticks.
    pub ticks: u64,
}

impl Default for HeatSettings {
    fn default() -> Self {
        Self { map: "town".to_owned(), agents: 150, r#type: "swap-sides".to_owned(), ticks: 400 }
    }
}

/// Why a `[report]` section is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A name that stands for nothing.
    #[error("report: {0}")]
    Unknown(#[from] spec::SpecError),
    /// A check lacks something that its kind needs.
    #[error("report: the check `{finding}` needs `{key}`")]
    Missing {
        /// What it checks.
        finding: String,
        /// The key.
        key: &'static str,
    },
}

impl ReportSettings {
    /// Checks what the names in it stand for.
    ///
    /// # Errors
    /// When a measure or a column is unknown, or a check lacks something.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let tables = self.tables.iter().flat_map(|table| &table.measures);
        let others = self.checks.iter().map(|check| &check.measure);
        let curves = self.curves.iter().map(|curve| &curve.measure);
        for name in tables.chain(others).chain(curves).chain(&self.distributions) {
            known_measure(name)?;
        }
        let rows = self.tables.iter().map(|table| &table.rows);
        let by = self.checks.iter().map(|check| &check.by);
        let curves = self.curves.iter().flat_map(|curve| [Some(&curve.x), curve.each.as_ref()]).flatten();
        for name in rows.chain(by).chain(curves) {
            known_column(name)?;
        }
        self.checks.iter().try_for_each(CheckSettings::validate)
    }
}

impl CheckSettings {
    fn validate(&self) -> Result<(), SettingsError> {
        let (these, those, table) = match self.kind {
            CheckKind::Above | CheckKind::Below => (true, true, false),
            CheckKind::HighestOnAtLeast | CheckKind::LowestOnAtLeast => (true, false, false),
            CheckKind::SignAgrees => (true, true, true),
            CheckKind::BestByGroup => (false, false, true),
        };
        let missing = [
            ("these", these && self.these.is_empty()),
            ("those", those && self.those.is_empty()),
            ("table", table && self.table.is_none()),
        ];
        match missing.into_iter().find(|(_, is_missing)| *is_missing) {
            Some((key, _)) => Err(SettingsError::Missing { finding: self.finding.clone(), key }),
            None => Ok(()),
        }
    }
}

fn known_measure(name: &str) -> Result<(), spec::SpecError> {
    let known = || MEASURES.iter().map(|measure| measure.name);
    if known().any(|known| known == name) {
        return Ok(());
    }
    Err(spec::SpecError::unknown("measure", name, known()))
}

fn known_column(name: &str) -> Result<(), spec::SpecError> {
    let known =
        || columns::COLUMNS.iter().filter(|column| column.role == Role::Setting).map(|column| column.name);
    if known().any(|known| known == name) {
        return Ok(());
    }
    Err(spec::SpecError::unknown("setting", name, known()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let settings: ReportSettings = toml::from_str(text).unwrap();
        settings.validate().unwrap_err().to_string()
    }

    #[test]
    fn misspelt_names_are_refused_with_the_nearest() {
        let table = "[[table]]\nname = \"T\"\n";
        let message = refusal(&format!("{table}rows = \"map\"\nmeasures = [\"completion_rat\"]"));
        assert_eq!(message, "report: there is no measure `completion_rat`: did you mean `completion_rate`?");
        let message = refusal(&format!("{table}rows = \"maps\"\nmeasures = [\"travel_mean\"]"));
        assert_eq!(message, "report: there is no setting `maps`: did you mean `map`?");
        assert!(toml::from_str::<ReportSettings>("titel = \"x\"").is_err());
    }

    #[test]
    fn checks_say_what_they_lack() {
        let check = "[[check]]\nfinding = \"far walks least\"\nmeasure = \"travel_mean\"\n";
        let message = refusal(&format!("{check}kind = \"lowest-on-at-least\""));
        assert_eq!(message, "report: the check `far walks least` needs `these`");
        let message = refusal(&format!("{check}kind = \"best-by-group\""));
        assert_eq!(message, "report: the check `far walks least` needs `table`");
        assert!(toml::from_str::<ReportSettings>(&format!("{check}kind = \"abov\"")).is_err());
    }
}
