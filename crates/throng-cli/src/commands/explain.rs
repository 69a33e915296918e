//! `throng explain`: describes a planner, search or generator and its parameters.

use std::fmt::Write;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::grid::generate::{GENERATORS, Generator};
use throng_planners::{ALIASES, PLANNERS, PlannerInfo, planner_info, prepares};
use throng_search::spec::{self, Kind, SpecError};
use throng_search::{SEARCHES, SearchInfo};

use crate::output::{bad_input, fields, print_either, table, wrap};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng explain surge";

/// The arguments of `throng explain`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A planner, search or generator; `throng list` shows all
    name: String,
}

/// The description of a planner, search or generator.
#[derive(Debug, Serialize)]
struct Explanation {
    name: &'static str,
    /// `planner`, `search` or `generator`.
    kind: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterDetails>,
    /// A command that uses it.
    example: String,
    #[serde(flatten)]
    details: Details,
    /// The planner of the same name, if this is a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    planner: Option<Box<Explanation>>,
}

/// What only planners, searches or generators have.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Details {
    Planner(PlannerDetails),
    Search(SearchDetails),
    Generator {
        /// Minimum side of a generated map, in cells.
        min_side: u32,
    },
}

/// Details of a planner.
#[derive(Debug, Serialize)]
struct PlannerDetails {
    idea: &'static str,
    reference: &'static str,
    /// What the agents must share.
    shares: &'static str,
    /// What the planner must know of the map; with some parameters it may be more.
    needs_map: &'static str,
    /// Whether the planner's guarantees require control of every unit.
    needs_control: bool,
    /// Whether it prepares data for a map before the first tick.
    prepares: bool,
    /// The planner and parameters behind the name, if it is an alias.
    #[serde(skip_serializing_if = "Option::is_none")]
    stands_for: Option<&'static str>,
    /// Aliases of the planner, as `alias = planner:parameters`.
    aliases: Vec<String>,
}

/// Details of a search.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a search, each read by name")]
struct SearchDetails {
    idea: &'static str,
    reference: &'static str,
    /// Whether every path it finds is a shortest path.
    optimal: bool,
    /// Whether the path is what an agent walks while it searches.
    real_time: bool,
    /// Whether it prepares data for a map before the first query.
    prepares: bool,
    /// The supported corner rules.
    corners: Vec<&'static str>,
    /// Whether it supports four directions.
    four_way: bool,
    /// The supported terrain costs.
    terrain: &'static [&'static str],
}

/// A parameter of a planner, search or generator.
#[derive(Debug, Serialize)]
struct ParameterDetails {
    name: &'static str,
    /// The accepted values.
    values: String,
    default: String,
    summary: &'static str,
}

/// `throng explain`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let name = arguments.name.as_str();
    let search = all_searches().find(|info| info.name == name).map(explain_search);
    let generator = || GENERATORS.iter().find(|generator| generator.name == name).map(explain_generator);
    let planner = planner_info(name).ok().map(|info| explain_planner(name, info)).transpose()?;
    let explanation = match (search.or_else(generator), planner) {
        (Some(found), planner) => Explanation { planner: planner.map(Box::new), ..found },
        (None, planner) => planner.ok_or_else(|| unknown(name))?,
    };
    print_either(json, &explanation, || explanation.text())
}

/// Returns all searches; those that need a path database come last.
fn all_searches() -> impl Iterator<Item = &'static SearchInfo> {
    SEARCHES.iter().chain(throng_cpd::search_infos())
}

/// Returns the error for an unknown name.
fn unknown(name: &str) -> anyhow::Error {
    let searches = all_searches().map(|info| info.name);
    let planners = PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let known = searches.chain(GENERATORS.iter().map(|generator| generator.name)).chain(planners);
    match SpecError::unknown("planner, search or generator", name, known) {
        error @ SpecError::UnknownName { nearest: Some(_), .. } => bad_input(error),
        error => bad_input(format_args!("{error}; `throng list` shows all names")),
    }
}

fn describe(parameters: &[spec::Parameter]) -> Vec<ParameterDetails> {
    let parameter = |parameter: &spec::Parameter| ParameterDetails {
        name: parameter.name,
        values: parameter.kind.to_string(),
        default: parameter.kind.default_text(),
        summary: parameter.summary,
    };
    parameters.iter().map(parameter).collect()
}

fn explain_planner(name: &str, info: &PlannerInfo) -> Result<Explanation> {
    let aliases = ALIASES.iter().filter(|(_, text)| spec::split(text).0 == info.name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let sample = alias.map_or_else(|| sample(info.name, info.parameters), |(alias, _)| (*alias).to_owned());
    Ok(Explanation {
        name: alias.map_or(info.name, |(alias, _)| alias),
        kind: "planner",
        summary: info.summary,
        parameters: describe(info.parameters),
        example: format!("throng run builtin:town --agents 200 --planner {sample}"),
        details: Details::Planner(PlannerDetails {
            idea: info.idea,
            reference: info.reference,
            shares: info.needs.name(),
            needs_map: info.needs_map.name(),
            needs_control: info.needs_control,
            prepares: prepares(name).map_err(bad_input)?,
            stands_for: alias.map(|(_, text)| *text),
            aliases: aliases.map(|(alias, text)| format!("{alias} = {text}")).collect(),
        }),
        planner: None,
    })
}

fn explain_search(info: &SearchInfo) -> Explanation {
    Explanation {
        name: info.name,
        kind: "search",
        summary: info.summary,
        parameters: describe(info.parameters),
        example: format!(
            "throng path builtin:arena --from 24,4 --to 24,44 --search {}{}",
            sample(info.name, info.parameters),
            if SEARCHES.iter().any(|known| known.name == info.name) { "" } else { " --cpd arena.cpd" }
        ),
        details: Details::Search(SearchDetails {
            idea: info.idea,
            reference: info.reference,
            optimal: info.optimal,
            real_time: info.real_time,
            prepares: info.prepares,
            corners: info.corners.iter().map(|corners| corners.name()).collect(),
            four_way: info.four_way,
            terrain: if info.weighted_terrain { &["uniform", "wc3"] } else { &["uniform"] },
        }),
        planner: None,
    }
}

/// Returns a name with its first parameter, as an example of the syntax.
fn sample(name: &str, parameters: &[spec::Parameter]) -> String {
    let Some(parameter) = parameters.first() else { return name.to_owned() };
    let value = match parameter.kind {
        Kind::Choice(options) => options.last().map(|&option| option.to_owned()).unwrap_or_default(),
        kind => kind.default_text(),
    };
    format!("{name}:{}={value}", parameter.name)
}

fn explain_generator(generator: &Generator) -> Explanation {
    let name = generator.name;
    let sample = sample(name, generator.parameters);
    Explanation {
        name,
        kind: "generator",
        summary: generator.summary,
        parameters: describe(generator.parameters),
        example: format!("throng map generate {sample} --size 128x128 --seed 1 -o {name}.map"),
        details: Details::Generator { min_side: generator.min_side },
        planner: None,
    }
}

impl Explanation {
    /// Returns the details as text.
    fn text(&self) -> String {
        let Self { name, kind, summary, .. } = self;
        let mut text = format!("{name} ({kind}): {summary}\n");
        if let Details::Planner(PlannerDetails { stands_for: Some(full), .. }) = &self.details {
            let _ = writeln!(text, "\n{name} is an alias of {full}.");
        }
        let described = |idea, reference, fields| {
            let reference = wrap(&format!("Reference: {reference}"));
            format!("\n{}\n\n{reference}\n\n{fields}", wrap(idea))
        };
        let details = match &self.details {
            Details::Planner(planner) => described(planner.idea, planner.reference, planner.text()),
            Details::Search(search) => described(search.idea, search.reference, search.text()),
            Details::Generator { min_side } => format!("\nEach side has at least {min_side} cells.\n"),
        };
        text += &details;
        if self.parameters.is_empty() {
            text += "\nIt has no parameters.\n";
        } else {
            let rows = self.parameters.iter().map(|parameter| {
                [parameter.name, &parameter.values, &parameter.default, parameter.summary].map(str::to_owned)
            });
            let _ = write!(text, "\n{}", table(&["parameter", "values", "default", "what it does"], rows));
        }
        let _ = writeln!(text, "\nExample: {}", self.example);
        if let Some(planner) = &self.planner {
            let _ = write!(text, "\n{}", planner.text());
        }
        text
    }
}

impl PlannerDetails {
    /// Returns the details as text.
    fn text(&self) -> String {
        let control = if self.needs_control { "every unit" } else { "its own agents" };
        let mut lines = vec![
            ("agents share", self.shares.to_owned()),
            ("must know", self.needs_map.to_owned()),
            ("must control", control.to_owned()),
            ("prepares", if self.prepares { "yes, once per map" } else { "no" }.to_owned()),
        ];
        if !self.aliases.is_empty() {
            lines.push(("aliases", self.aliases.join(", ")));
        }
        fields(&lines)
    }
}

impl SearchDetails {
    /// Returns the details as text.
    fn text(&self) -> String {
        let optimal = if self.optimal { "yes, always" } else { "not always" };
        let prepares = if self.prepares { "yes, once per map" } else { "no" };
        fields(&[
            ("shortest paths", optimal.to_owned()),
            ("real-time", if self.real_time { "yes" } else { "no" }.to_owned()),
            ("prepares", prepares.to_owned()),
            ("corners", self.corners.join(", ")),
            ("four directions", if self.four_way { "yes" } else { "no" }.to_owned()),
            ("terrain", self.terrain.join(", ")),
        ])
    }
}
