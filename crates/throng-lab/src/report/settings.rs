//! The settings of a report: `report.toml` beside the experiment. Everything has a default, so an experiment without the
//! file has a report too.

use serde::{Deserialize, Deserializer};
use throng_search::spec;

use crate::findings::Findings;
use crate::strict::{self, FileError, Source};

use super::measure::{MEASURES, TIME_SERIES, setting_label};
use crate::columns::{COLUMNS, Role};

/// The contents of a `report.toml`.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// The heading; the experiment's name by default.
    pub title: String,
    /// What the experiment investigates, in one or two sentences.
    pub question: String,
    /// Adds the virtual best and the virtual worst solver, which choose a planner per instance by completion, then travel.
    pub selectors: bool,
    /// The planners that the selectors choose among; all by default.
    pub portfolio: Vec<String>,
    /// The tables; by default one of completion by map and planner.
    #[serde(rename = "table")]
    pub tables: Vec<TableSettings>,
    /// The curves; by default completion over the number of agents, if there are several numbers.
    #[serde(rename = "curve")]
    pub curves: Vec<CurveSettings>,
    /// Measures whose distribution is drawn; travel and tick times by default.
    pub distributions: Vec<String>,
    /// The scales whose runs decide findings of papers; by default the first scale of the report. The runs of a map set are
    /// those of the first of these scales that has the set.
    pub decide: Vec<String>,
    /// The findings to check.
    #[serde(rename = "check")]
    pub checks: Vec<CheckSettings>,
    /// The instance of the heat maps.
    pub heat: HeatSettings,
}

/// A table of means, one per row and column.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSettings {
    /// The name. The paper's table with the same name is shown beside it.
    pub name: String,
    /// The caption.
    #[serde(default)]
    pub caption: String,
    /// The column of the results whose values are the rows.
    pub rows: String,
    /// The measures. Several give one column each; a single one gives one column per planner.
    pub measures: Vec<String>,
    /// Columns of the paper's table that none of our planners has, shown behind those of our planners.
    #[serde(default)]
    pub printed: Vec<String>,
    /// The runs to include.
    #[serde(default)]
    pub only: RunFilter,
}

/// Curves of a measure, one per planner.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveSettings {
    /// The name.
    pub name: String,
    /// The column of the results on the x axis.
    #[serde(default = "agents")]
    pub x: String,
    /// The measure on the y axis.
    pub measure: String,
    /// The column of the results for which each value gets a small chart, besides the large one.
    #[serde(default)]
    pub each: Option<String>,
    /// The column with a time series of the measure, drawn over time instead of over the values of a setting.
    #[serde(default)]
    pub over: Option<String>,
    /// The title of the x axis; by default the label of the setting, or `simulation time`.
    #[serde(default)]
    pub label: Option<String>,
}

impl CurveSettings {
    /// Returns the title of the x axis.
    pub(crate) fn x_label(&self) -> String {
        let by_default =
            || if self.over.is_some() { "simulation time".to_owned() } else { setting_label(&self.x) };
        self.label.clone().unwrap_or_else(by_default)
    }
}

fn agents() -> String {
    "agents".to_owned()
}

/// A filter of runs. By default all runs pass.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunFilter {
    /// Runs with more agents.
    pub agents_above: Option<i64>,
    /// Runs with at most this many agents.
    pub agents_at_most: Option<i64>,
    /// Runs on this map, or on one of these.
    #[serde(deserialize_with = "one_or_several")]
    pub map: Vec<String>,
    /// Runs on maps of these sets.
    pub map_sets: Vec<String>,
    /// Runs of these planners.
    pub planners: Vec<String>,
    /// Runs on other maps than these.
    pub except_maps: Vec<String>,
    /// Runs with problems of these types.
    pub types: Vec<String>,
    /// Runs in four directions, or in eight.
    pub four_way: Option<bool>,
    /// Runs with this number of threads.
    pub threads: Option<i64>,
}

/// Reads a text or a list of texts.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(deserializer)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

/// A finding to check.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent options, each set by name")]
pub struct CheckSettings {
    /// The finding, in one sentence.
    pub finding: String,
    /// The numbered finding of a paper that the check decides, such as `dm-6`.
    pub decides: Option<String>,
    /// The numbered finding of which the check examines another reading, or our variant, without deciding it.
    pub also: Option<String>,
    /// The origin of a finding without a number.
    #[serde(default)]
    pub source: String,
    /// The compared measure.
    pub measure: String,
    /// With `above` and `below`: the measure of the same runs that it is compared with, instead of other planners.
    pub than: Option<String>,
    /// The kind of comparison.
    pub kind: CheckKind,
    /// The scales on whose runs the check is made; by default all in a report, and those of `decide` for the finding.
    #[serde(default)]
    pub scales: Vec<String>,
    /// Makes the check on each map alone, and requires it to hold on all of them.
    #[serde(default)]
    pub each_map: bool,
    /// The planners that the finding is about. With `best-by-group`, `at-least` and `at-most` the default is all. With `rises` and `falls` they form a
    /// sequence in this order; a single planner, or with `by` each planner, is compared along the groups.
    #[serde(default)]
    pub planners: Vec<String>,
    /// The planners that they are compared with. With `highest-on-at-least` and `lowest-on-at-least` the default is all others.
    #[serde(default)]
    pub baselines: Vec<String>,
    /// Compares the first planner with the first baseline, the second with the second, and so on.
    #[serde(default)]
    pub pairwise: bool,
    /// The column whose values are the groups, `map` by default. With `above`, `below` and `within` there is no default;
    /// each comparison is made in each group if it is given.
    pub by: Option<String>,
    /// The minimum number of groups in which the finding must hold; all by default.
    pub at_least: Option<usize>,
    /// The target, or the factor of the others' mean that is the target.
    pub value: Option<f64>,
    /// With `at-least` and `at-most`: decides the geometric mean over the groups of the mean over the others' mean, instead of
    /// every group.
    #[serde(default)]
    pub geometric_mean: bool,
    /// With `at-least` and `at-most`: compares with the best of `baselines` in each group, instead of with each of them.
    #[serde(default)]
    pub best_baseline: bool,
    /// The table of the paper with the expected values. With `at-least` and `at-most`, `baselines` are columns of it.
    pub table: Option<String>,
    /// With `above` and `below`: factor of the others' mean, 1 by default.
    pub times: Option<f64>,
    /// With `above` and `below`: how far the whole interval may lie on the other side, in the unit of the measure; 0 by default.
    pub tolerance: Option<f64>,
    /// With `within`: maximum difference as a share of the others' mean. With `levels-off`: maximum share of the first rise.
    pub share: Option<f64>,
    /// The runs to include.
    #[serde(default)]
    pub only: RunFilter,
}

/// The kinds of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Each of `planners` has a higher mean than each of `baselines` on the same instances.
    Above,
    /// Each of `planners` has a lower mean than each of `baselines` on the same instances.
    Below,
    /// One of `planners` has the highest mean of all planners in at least `at_least` groups.
    HighestOnAtLeast,
    /// One of `planners` has the lowest mean of all planners in at least `at_least` groups.
    LowestOnAtLeast,
    /// The first of `planners` is above the first of `baselines` where the paper's is, and below where the paper's is.
    SignAgrees,
    /// The best planner of each group is the paper's best.
    BestByGroup,
    /// Each of `planners` has about the same mean as each of `baselines` on the same instances.
    Within,
    /// The mean rises along a sequence: the slope of the means is positive and the last is above the first.
    Rises,
    /// The mean falls along a sequence.
    Falls,
    /// Between the ends of a sequence there is a better mean than at both ends.
    BestInside,
    /// Of three means, the rise from the second to the third is at most `share` of the rise from the first to the second.
    LevelsOff,
    /// A target: in every group the mean of each of `planners` is at least `value`, or `value` times that of each of `baselines`.
    AtLeast,
    /// A target: in every group the mean of each of `planners` is at most `value`, or `value` times that of each of `baselines`.
    AtMost,
}

/// The built-in instance of the heat maps.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeatSettings {
    /// Name of the built-in map.
    pub map: String,
    /// Number of agents.
    pub agents: usize,
    /// The problem type.
    pub r#type: String,
    /// Tick limit.
    pub ticks: u64,
}

impl Default for HeatSettings {
    fn default() -> Self {
        Self { map: "bridge".to_owned(), agents: 90, r#type: "swap-sides".to_owned(), ticks: 300 }
    }
}

impl ReportSettings {
    /// Parses the text of a file. `file` is its name in errors.
    ///
    /// # Errors
    /// Returns an error for malformed TOML, unknown or missing keys, unknown measures or settings, and incomplete checks.
    pub fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let settings: Self = strict::read(file, text)?;
        match settings.first_error() {
            Some((word, reason)) => {
                Err(Source::new(file, text).place(text.find(&word).unwrap_or(0)).refuse(reason))
            }
            None => Ok(settings),
        }
    }

    /// Returns the first word that is unknown or incomplete, and the reason.
    fn first_error(&self) -> Option<(String, String)> {
        let tables = self.tables.iter().flat_map(|table| &table.measures);
        let others =
            self.checks.iter().flat_map(|check| [Some(&check.measure), check.than.as_ref()]).flatten();
        let curves = self.curves.iter().map(|curve| &curve.measure);
        let mut measures = tables.chain(others).chain(curves).chain(&self.distributions);
        let rows = self.tables.iter().map(|table| &table.rows);
        let by = self.checks.iter().filter_map(|check| check.by.as_ref());
        let curves = self.curves.iter().flat_map(|curve| [Some(&curve.x), curve.each.as_ref()]).flatten();
        let columns = COLUMNS.iter().filter(|column| column.role == Role::Setting).map(|column| column.name);
        let known = MEASURES.iter().map(|measure| measure.name);
        let mut series = self.curves.iter().filter_map(|curve| curve.over.as_ref());
        measures
            .find_map(|name| unknown("measure", name, known.clone()))
            .or_else(|| series.find_map(|name| unknown("time series", name, TIME_SERIES.iter().copied())))
            .or_else(|| {
                rows.chain(by).chain(curves).find_map(|name| unknown("setting", name, columns.clone()))
            })
            .or_else(|| self.unknown_finding())
            .or_else(|| self.checks.iter().find_map(CheckSettings::first_error))
    }

    /// Returns the first name of a finding that no paper has.
    fn unknown_finding(&self) -> Option<(String, String)> {
        let findings = Findings::embedded();
        let known = findings.findings.iter().map(|finding| finding.id.as_str());
        self.checks
            .iter()
            .filter_map(CheckSettings::named)
            .find_map(|id| unknown("finding", id, known.clone()))
    }
}

impl CheckSettings {
    /// Returns the numbered finding that the check decides or examines.
    pub(crate) fn named(&self) -> Option<&String> {
        self.decides.as_ref().or(self.also.as_ref())
    }

    /// Returns true if the check is made on the runs of a scale.
    pub(crate) fn is_made_at(&self, scale: &str) -> bool {
        self.scales.is_empty() || self.scales.iter().any(|own| own == scale)
    }

    /// Returns the column whose values are the groups.
    pub(crate) fn group_column(&self) -> &str {
        self.by.as_deref().unwrap_or("map")
    }

    fn first_error(&self) -> Option<(String, String)> {
        let target = matches!(self.kind, CheckKind::AtLeast | CheckKind::AtMost);
        let planners = self.kind != CheckKind::BestByGroup && !target;
        let table = matches!(self.kind, CheckKind::SignAgrees | CheckKind::BestByGroup);
        let baselines = matches!(
            self.kind,
            CheckKind::Above | CheckKind::Below | CheckKind::Within | CheckKind::SignAgrees
        );
        let missing = [
            ("planners", planners && self.planners.is_empty()),
            ("baselines", baselines && self.baselines.is_empty() && self.than.is_none()),
            ("table", table && self.table.is_none()),
            ("share", matches!(self.kind, CheckKind::Within | CheckKind::LevelsOff) && self.share.is_none()),
            ("baselines, as many as planners", self.pairwise && self.planners.len() != self.baselines.len()),
            ("planners, exactly three", self.kind == CheckKind::LevelsOff && self.planners.len() != 3),
            ("value", target && self.value.is_none()),
            (
                "kind = \"at-least\" or \"at-most\", for `geometric_mean` and `best_baseline`",
                (self.geometric_mean || self.best_baseline) && !target,
            ),
            (
                "baselines",
                (self.geometric_mean || self.best_baseline || (target && self.table.is_some()))
                    && self.baselines.is_empty(),
            ),
        ];
        let (key, _) = missing.into_iter().find(|(_, is_missing)| *is_missing)?;
        Some((self.finding.clone(), format!("the check `{}` needs `{key}`", self.finding)))
    }
}

/// Returns the name and the reason if the name is unknown.
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
        let list = if near {
            String::new()
        } else {
            format!("; expected one of {}", all.collect::<Vec<_>>().join(", "))
        };
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
    fn misspelt_names_are_refused_with_a_suggestion() {
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
            far.starts_with(
                "report.toml:1:19: there is no measure `speed`; expected one of completion_rate, "
            ),
            "{far}"
        );
        assert_eq!(
            refusal("titel = \"x\""),
            "report.toml:1:1: there is no key `titel`: did you mean `title`?"
        );
    }

    #[test]
    fn incomplete_checks_are_refused() {
        let check = "[[check]]\nfinding = \"far walks least\"\nmeasure = \"travel_mean\"\n";
        let message = refusal(&format!("{check}kind = \"lowest-on-at-least\""));
        assert_eq!(message, "report.toml:2:12: the check `far walks least` needs `planners`");
        let message = refusal(&format!("{check}kind = \"best-by-group\""));
        assert_eq!(message, "report.toml:2:12: the check `far walks least` needs `table`");
        let message = refusal(&format!("{check}kind = \"at-most\"\nvalue = 1.0\ngeometric_mean = true"));
        assert_eq!(message, "report.toml:2:12: the check `far walks least` needs `baselines`");
        let message = refusal(&format!(
            "{check}kind = \"below\"\nplanners = [\"far\"]\nbaselines = [\"lra\"]\nbest_baseline = true"
        ));
        assert!(message.contains("needs `kind = "), "{message}");
        let message = refusal(&format!("{check}kind = \"abov\""));
        assert_eq!(message, "report.toml:4:8: there is no kind `abov`: did you mean `above`?");
    }
}
