//! `throng explain`: what a planner, search or generator does, and its parameters.

use std::fmt::Write;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::grid::generate::{GENERATORS, Generator};
use throng::planners::{ALIASES, PLANNERS, PlannerInfo, planner_info};
use throng::searches::spec::{self, Kind, SpecError};
use throng::searches::{SEARCHES, SearchInfo};

use crate::output::{bad_input, fields, print_either, table, wrap};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng explain jps";

/// The arguments of `throng explain`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A planner, a search or a generator; `throng list` shows them
    name: String,
}

/// What there is to say about something.
#[derive(Debug, Serialize)]
struct Explanation {
    name: &'static str,
    /// `planner`, `search` or `generator`.
    kind: &'static str,
    summary: &'static str,
    parameters: Vec<Parameter>,
    /// A command that uses it.
    example: String,
    /// What only planners have.
    #[serde(flatten)]
    planner: Option<Planner>,
    /// What only searches have.
    #[serde(flatten)]
    search: Option<Search>,
    /// What only generators have.
    #[serde(flatten)]
    generator: Option<Sides>,
}

/// What only a planner has.
#[derive(Debug, Serialize)]
struct Planner {
    idea: &'static str,
    reference: &'static str,
    /// What agents must share.
    shares: &'static str,
    /// It keeps its promises only when every unit is under its control.
    needs_control: bool,
    /// It computes something for a map before the first tick.
    prepares: bool,
    /// What the name stands for, where it is a short one.
    #[serde(skip_serializing_if = "Option::is_none")]
    stands_for: Option<&'static str>,
    /// Short names, and what they stand for.
    aliases: Vec<String>,
}

/// What only a search has.
#[derive(Debug, Serialize)]
struct Search {
    idea: &'static str,
    reference: &'static str,
    /// Every path it finds is a shortest one.
    optimal: bool,
    /// It computes something for a map before the first question.
    prepares: bool,
    /// The corner rules it supports.
    corners: Vec<&'static str>,
    /// It supports four directions.
    four_way: bool,
    /// The terrain it supports.
    terrain: &'static [&'static str],
}

/// What only a generator has.
#[derive(Debug, Serialize)]
struct Sides {
    /// The shortest side of a map that it makes.
    min_side: u32,
}

/// A parameter.
#[derive(Debug, Serialize)]
struct Parameter {
    name: &'static str,
    /// The values it takes.
    values: String,
    default: String,
    summary: &'static str,
}

/// `throng explain`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let name = arguments.name.as_str();
    let search = all_searches().find(|info| info.name == name).map(of_search);
    let generator = || GENERATORS.iter().find(|generator| generator.name == name).map(of_generator);
    let planner = || planner_info(name).ok().map(|info| of_planner(name, info));
    let explanation = search.or_else(generator).or_else(planner).ok_or_else(|| unknown(name))?;
    print_either(json, &explanation, || explanation.text())
}

/// The searches, those that need a path database last.
fn all_searches() -> impl Iterator<Item = &'static SearchInfo> {
    SEARCHES.iter().chain(throng::cpd::search_infos())
}

/// The refusal of a name.
fn unknown(name: &str) -> anyhow::Error {
    let searches = all_searches().map(|info| info.name);
    let planners = PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let known = searches.chain(GENERATORS.iter().map(|generator| generator.name)).chain(planners);
    match SpecError::unknown("planner, search or generator", name, known) {
        error @ SpecError::UnknownName { nearest: Some(_), .. } => bad_input(error),
        error => bad_input(format_args!("{error}; `throng list` shows what there is")),
    }
}

/// What is told of parameters.
fn told(parameters: &[spec::Parameter]) -> Vec<Parameter> {
    let parameter = |parameter: &spec::Parameter| Parameter {
        name: parameter.name,
        values: parameter.kind.to_string(),
        default: parameter.kind.default_text(),
        summary: parameter.summary,
    };
    parameters.iter().map(parameter).collect()
}

fn of_planner(name: &str, info: &PlannerInfo) -> Explanation {
    let aliases = ALIASES.iter().filter(|(_, text)| spec::split(text).0 == info.name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let sample = alias.map_or_else(|| sample(info.name, info.parameters), |(alias, _)| (*alias).to_owned());
    Explanation {
        name: alias.map_or(info.name, |(alias, _)| alias),
        kind: "planner",
        summary: info.summary,
        parameters: told(info.parameters),
        example: format!("throng run builtin:town --agents 200 --planner {sample}"),
        planner: Some(Planner {
            idea: info.idea,
            reference: info.reference,
            shares: info.needs.name(),
            needs_control: info.needs_control,
            prepares: info.prepares,
            stands_for: alias.map(|(_, text)| *text),
            aliases: aliases.map(|(alias, text)| format!("{alias} = {text}")).collect(),
        }),
        search: None,
        generator: None,
    }
}

fn of_search(info: &SearchInfo) -> Explanation {
    Explanation {
        name: info.name,
        kind: "search",
        summary: info.summary,
        parameters: told(info.parameters),
        example: format!(
            "throng path builtin:arena --from 24,4 --to 24,44 --search {}{}",
            sample(info.name, info.parameters),
            if SEARCHES.iter().any(|known| known.name == info.name) { "" } else { " --cpd arena.cpd" }
        ),
        planner: None,
        search: Some(Search {
            idea: info.idea,
            reference: info.reference,
            optimal: info.optimal,
            prepares: info.prepares,
            corners: info.corners.iter().map(|corners| corners.name()).collect(),
            four_way: info.four_way,
            terrain: if info.weighted_terrain { &["uniform", "wc3"] } else { &["uniform"] },
        }),
        generator: None,
    }
}

/// A name with its first parameter, at a value that shows how it is written.
fn sample(name: &str, parameters: &[spec::Parameter]) -> String {
    let Some(parameter) = parameters.first() else { return name.to_owned() };
    let value = match parameter.kind {
        Kind::Choice(options) => options.last().map(|&option| option.to_owned()).unwrap_or_default(),
        kind => kind.default_text(),
    };
    format!("{name}:{}={value}", parameter.name)
}

fn of_generator(generator: &Generator) -> Explanation {
    let name = generator.name;
    let sample = sample(name, generator.parameters);
    Explanation {
        name,
        kind: "generator",
        summary: generator.summary,
        parameters: told(generator.parameters),
        example: format!("throng map generate {sample} --size 128x128 --seed 1 -o {name}.map"),
        planner: None,
        search: None,
        generator: Some(Sides { min_side: generator.min_side }),
    }
}

impl Explanation {
    /// For people.
    fn text(&self) -> String {
        let mut text = format!("{} ({}): {}\n", self.name, self.kind, self.summary);
        if let Some(full) = self.planner.as_ref().and_then(|planner| planner.stands_for) {
            let _ = writeln!(text, "\n{} is short for {full}.", self.name);
        }
        if let Some(planner) = &self.planner {
            let reference = wrap(&format!("Reference: {}", planner.reference));
            let _ = write!(text, "\n{}\n\n{}\n\n{}", wrap(planner.idea), reference, planner.text());
        }
        if let Some(search) = &self.search {
            let reference = wrap(&format!("Reference: {}", search.reference));
            let _ = write!(text, "\n{}\n\n{}\n\n{}", wrap(search.idea), reference, search.text());
        }
        if let Some(Sides { min_side }) = self.generator {
            let _ = writeln!(text, "\nSides have at least {min_side} cells.");
        }
        if self.parameters.is_empty() {
            text += "\nIt has no parameters.\n";
        } else {
            let rows = self.parameters.iter().map(|parameter| {
                [parameter.name, &parameter.values, &parameter.default, parameter.summary].map(str::to_owned)
            });
            let _ = write!(text, "\n{}", table(&["parameter", "values", "default", "what it does"], rows));
        }
        let _ = writeln!(text, "\nExample: {}", self.example);
        text
    }
}

impl Planner {
    /// For people.
    fn text(&self) -> String {
        let control = if self.needs_control { "every unit" } else { "its own agents" };
        let mut lines = vec![
            ("agents share", self.shares.to_owned()),
            ("must control", control.to_owned()),
            ("prepares", if self.prepares { "yes, once for a map" } else { "no" }.to_owned()),
        ];
        if !self.aliases.is_empty() {
            lines.push(("short names", self.aliases.join(", ")));
        }
        fields(&lines)
    }
}

impl Search {
    /// For people.
    fn text(&self) -> String {
        let optimal = if self.optimal { "yes, always" } else { "not always" };
        let prepares = if self.prepares { "yes, once for a map" } else { "no" };
        fields(&[
            ("shortest paths", optimal.to_owned()),
            ("prepares", prepares.to_owned()),
            ("corners", self.corners.join(", ")),
            ("four directions", if self.four_way { "yes" } else { "no" }.to_owned()),
            ("terrain", self.terrain.join(", ")),
        ])
    }
}
