//! What a report shows, as `report.toml` beside the experiment says it. Everything has a default, so that an experiment
//! without the file has a report too.

use serde::Deserialize;
use throng::searches::spec;

use crate::strict::{self, FileError};

use super::measure::{MEASURES, setting_label};
use crate::columns::{COLUMNS, Role};

/// A `report.toml`.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// The heading; the experiment's name when there is none.
    pub title: String,
    /// What the experiment asks, in a sentence or two.
    pub question: String,
    /// Adds a perfect and a worst selector, which choose a planner for each instance: by completion, then by travel.
    pub selectors: bool,
    /// The planners that the selectors choose among; all when none is named.
    pub among: Vec<String>,
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
    /// Instead of values of a column, these measures along the bottom, each at the number that its name ends with.
    #[serde(default)]
    pub along: Vec<String>,
    /// What the bottom axis is called, if not by its column.
    #[serde(default)]
    pub label: Option<String>,
}

impl CurveSettings {
    /// What the bottom axis is called.
    pub(crate) fn x_label(&self) -> String {
        self.label.clone().unwrap_or_else(|| setting_label(&self.x))
    }
}

fn agents() -> String {
    "agents".to_owned()
}

/// Which runs count; all when nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Only {
    /// Those with more agents.
    pub agents_above: Option<i64>,
    /// Those with so many agents or fewer.
    pub agents_at_most: Option<i64>,
    /// Those on this map.
    pub map: Option<String>,
    /// Those on maps of these sets.
    pub map_sets: Vec<String>,
    /// Those of these planners.
    pub planners: Vec<String>,
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
    /// The planners that it is said of; with `best-by-group` all when none is named. With `rises` and `falls` they are a
    /// row in this order; a single one is looked at along the groups.
    #[serde(default)]
    pub these: Vec<String>,
    /// The planners that they are compared with.
    #[serde(default)]
    pub those: Vec<String>,
    /// The column whose values are the groups, maps when nothing is said. With `above`, `below` and `within` only what is
    /// said counts: then each comparison is made in each group.
    pub by: Option<String>,
    /// On how many groups it must be so; on all when nothing is said.
    pub at_least: Option<usize>,
    /// The number that a target names, or how many times those it may be.
    pub value: Option<f64>,
    /// The table of the paper that says what is expected.
    pub table: Option<String>,
    /// With `above` and `below`: so many times the others' mean, 1 when nothing is said.
    pub times: Option<f64>,
    /// With `within`: by which share of the others' mean it may differ.
    pub share: Option<f64>,
    /// Which runs count.
    #[serde(default)]
    pub only: Only,
}

/// The kinds of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Each of these has a higher mean than each of those, on the same instances.
    Above,
    /// Each of these has a lower mean than each of those, on the same instances.
    Below,
    /// One of these has the highest mean of all on at least so many groups.
    HighestOnAtLeast,
    /// One of these has the lowest mean of all on at least so many groups.
    LowestOnAtLeast,
    /// The first of these is above the first of those where the paper says so, and below where it says so.
    SignAgrees,
    /// The best planner of each group is the one that the paper names.
    BestByGroup,
    /// Each of these has about the same mean as each of those, on the same instances.
    Within,
    /// The mean rises along a row: the straight line through the means does, and the last is above the first.
    Rises,
    /// The mean falls along a row.
    Falls,
    /// Along a row, one in between has a better mean than both ends.
    BestInside,
    /// A target: in every group the mean of each of these is at least `value`, times that of each of those if there are.
    AtLeast,
    /// A target: in every group the mean of each of these is at most `value`, times that of each of those if there are.
    AtMost,
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
        Self { map: "bridge".to_owned(), agents: 90, r#type: "swap-sides".to_owned(), ticks: 300 }
    }
}

impl ReportSettings {
    /// Reads a file; `file` is its name in refusals.
    ///
    /// # Errors
    /// When it is no TOML, has unknown or missing keys, names an unknown measure or setting, or a check lacks something.
    pub fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let settings: Self = strict::read(file, text)?;
        match settings.mistake() {
            Some((word, reason)) => Err(strict::at(file, text, text.find(&word).unwrap_or(0), reason)),
            None => Ok(settings),
        }
    }

    /// The first word that stands for nothing or lacks something, and why.
    fn mistake(&self) -> Option<(String, String)> {
        let tables = self.tables.iter().flat_map(|table| &table.measures);
        let others = self.checks.iter().map(|check| &check.measure);
        let curves = self.curves.iter().flat_map(|curve| curve.along.iter().chain([&curve.measure]));
        let mut measures = tables.chain(others).chain(curves).chain(&self.distributions);
        let rows = self.tables.iter().map(|table| &table.rows);
        let by = self.checks.iter().filter_map(|check| check.by.as_ref());
        let curves = self.curves.iter().flat_map(|curve| [Some(&curve.x), curve.each.as_ref()]).flatten();
        let columns = COLUMNS.iter().filter(|column| column.role == Role::Setting).map(|column| column.name);
        let known = MEASURES.iter().map(|measure| measure.name);
        measures
            .find_map(|name| unknown("measure", name, known.clone()))
            .or_else(|| {
                rows.chain(by).chain(curves).find_map(|name| unknown("setting", name, columns.clone()))
            })
            .or_else(|| self.checks.iter().find_map(CheckSettings::mistake))
    }
}

impl CheckSettings {
    /// The column whose values are the groups.
    pub(crate) fn group_column(&self) -> &str {
        self.by.as_deref().unwrap_or("map")
    }

    fn mistake(&self) -> Option<(String, String)> {
        let (these, those, table) = match self.kind {
            CheckKind::Above | CheckKind::Below | CheckKind::Within => (true, true, false),
            CheckKind::HighestOnAtLeast
            | CheckKind::LowestOnAtLeast
            | CheckKind::Rises
            | CheckKind::Falls
            | CheckKind::BestInside
            | CheckKind::AtLeast
            | CheckKind::AtMost => (true, false, false),
            CheckKind::SignAgrees => (true, true, true),
            CheckKind::BestByGroup => (false, false, true),
        };
        let target = matches!(self.kind, CheckKind::AtLeast | CheckKind::AtMost);
        let missing = [
            ("these", these && self.these.is_empty()),
            ("those", those && self.those.is_empty()),
            ("table", table && self.table.is_none()),
            ("share", self.kind == CheckKind::Within && self.share.is_none()),
            ("value", target && self.value.is_none()),
        ];
        let (key, _) = missing.into_iter().find(|(_, is_missing)| *is_missing)?;
        Some((self.finding.clone(), format!("the check `{}` needs `{key}`", self.finding)))
    }
}

/// The refusal of a name that is not known.
fn unknown<'a>(
    what: &'static str,
    name: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> Option<(String, String)> {
    let all = known.clone();
    let is_known = known.any(|known| known == name);
    (!is_known).then(|| {
        let error = spec::SpecError::unknown(what, name, all.clone());
        let near = matches!(error, spec::SpecError::UnknownName { nearest: Some(_), .. });
        let list =
            if near { String::new() } else { format!(": one of {}", all.collect::<Vec<_>>().join(", ")) };
        (name.to_owned(), format!("{error}{list}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        ReportSettings::parse("report.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn misspelt_names_are_refused_with_the_nearest() {
        let table = "[[table]]\nname = \"T\"\n";
        assert_eq!(
            refusal(&format!("{table}rows = \"map\"\nmeasures = [\"completion_rat\"]")),
            "report.toml:4:14: there is no measure `completion_rat`: did you mean `completion_rate`?"
        );
        assert_eq!(
            refusal(&format!("{table}rows = \"maps\"\nmeasures = [\"travel_mean\"]")),
            "report.toml:3:9: there is no setting `maps`: did you mean `map`?"
        );
        let far = refusal("distributions = [\"speed\"]");
        assert!(
            far.starts_with("report.toml:1:19: there is no measure `speed`: one of completion_rate, "),
            "{far}"
        );
        assert_eq!(
            refusal("titel = \"x\""),
            "report.toml:1:1: there is no key `titel`: did you mean `title`?"
        );
    }

    #[test]
    fn checks_say_what_they_lack() {
        let check = "[[check]]\nfinding = \"far walks least\"\nmeasure = \"travel_mean\"\n";
        let message = refusal(&format!("{check}kind = \"lowest-on-at-least\""));
        assert_eq!(message, "report.toml:2:12: the check `far walks least` needs `these`");
        let message = refusal(&format!("{check}kind = \"best-by-group\""));
        assert_eq!(message, "report.toml:2:12: the check `far walks least` needs `table`");
        let message = refusal(&format!("{check}kind = \"abov\""));
        assert_eq!(message, "report.toml:4:8: there is no kind `abov`: did you mean `above`?");
    }
}
