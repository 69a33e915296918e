//! `throng list`: what there is, from the registries.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng::grid::builtin::BUILTINS;
use throng::grid::generate::GENERATORS;
use throng::planners::{ALIASES, PLANNERS, planner_info};
use throng::searches::SEARCHES;
use throng_lab::ProblemType;

use super::lab;
use crate::fetch;
use crate::output::{print_either, table};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng list searches";

/// The arguments of `throng list`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these; without it everything is listed
    #[arg(value_enum)]
    kind: Option<Kind>,
}

/// What can be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    /// Planners for crowds
    Planners,
    /// Path searches
    Searches,
    /// Built-in maps, and sets of maps that can be fetched
    Maps,
    /// Who starts where and goes where
    ProblemTypes,
    /// Map generators
    Generators,
    /// Experiments of the laboratory
    Experiments,
}

/// What is listed.
#[derive(Debug, Serialize)]
struct Listing {
    /// Planners for crowds.
    #[serde(skip_serializing_if = "Option::is_none")]
    planners: Option<Vec<Planner>>,
    /// Path searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    searches: Option<Vec<Search>>,
    /// Built-in maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    maps: Option<Vec<Map>>,
    /// Sets of maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<Vec<Set>>,
    /// Who starts where and goes where.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem_types: Option<Vec<Problem>>,
    /// Map generators.
    #[serde(skip_serializing_if = "Option::is_none")]
    generators: Option<Vec<Generator>>,
    /// Experiments of the laboratory.
    #[serde(skip_serializing_if = "Option::is_none")]
    experiments: Option<Vec<lab::Entry>>,
}

/// A planner, or a short name for one with certain parameters.
#[derive(Debug, Serialize)]
struct Planner {
    name: &'static str,
    /// What the short name stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias_of: Option<&'static str>,
    summary: &'static str,
}

/// A problem type.
#[derive(Debug, Serialize)]
struct Problem {
    name: &'static str,
    summary: &'static str,
}

/// A search.
#[derive(Debug, Serialize)]
struct Search {
    name: &'static str,
    optimal: bool,
    prepares: bool,
    /// It uses a path database, which must be given.
    needs_database: bool,
    summary: &'static str,
}

/// A built-in map.
#[derive(Debug, Serialize)]
struct Map {
    /// With its prefix, as commands take it.
    name: String,
    width: u32,
    height: u32,
    summary: &'static str,
}

/// A set of maps.
#[derive(Debug, Serialize)]
struct Set {
    name: &'static str,
    summary: &'static str,
    /// Where it is; none when it has not been fetched.
    folder: Option<PathBuf>,
}

/// A generator.
#[derive(Debug, Serialize)]
struct Generator {
    name: &'static str,
    parameters: Vec<&'static str>,
    summary: &'static str,
}

/// `throng list`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let listing = Listing::of(arguments.kind);
    print_either(json, &listing, || listing.text(arguments.kind.is_none()))
}

impl Listing {
    /// Everything, or only one kind.
    fn of(kind: Option<Kind>) -> Self {
        let wanted = |this| kind.is_none_or(|kind| kind == this);
        Self {
            planners: wanted(Kind::Planners).then(planners),
            problem_types: wanted(Kind::ProblemTypes).then(problem_types),
            searches: wanted(Kind::Searches).then(searches),
            maps: wanted(Kind::Maps).then(maps),
            sets: wanted(Kind::Maps).then(sets),
            generators: wanted(Kind::Generators).then(generators),
            experiments: wanted(Kind::Experiments).then(lab::entries),
        }
    }

    /// For people.
    fn text(&self, hints: bool) -> String {
        let mut sections = Vec::new();
        if let Some(planners) = &self.planners {
            let rows = planners.iter().map(|planner| {
                let what = planner.alias_of.map(|of| format!("short for {of}"));
                [planner.name.to_owned(), what.unwrap_or_else(|| planner.summary.to_owned())]
            });
            sections.push(table(&["planner", "what it does"], rows));
        }
        if let Some(searches) = &self.searches {
            sections.push(searches_text(searches));
        }
        if let Some(maps) = &self.maps {
            let rows = maps.iter().map(|map| {
                [map.name.clone(), format!("{}×{}", map.width, map.height), map.summary.to_owned()]
            });
            sections.push(table(&["built-in map", ">size", "what it shows"], rows));
        }
        if let Some(sets) = &self.sets {
            sections.push(sets_text(sets));
        }
        if let Some(types) = &self.problem_types {
            let rows = types.iter().map(|problem| [problem.name, problem.summary].map(str::to_owned));
            sections.push(table(&["problem type", "who goes where"], rows));
        }
        if let Some(generators) = &self.generators {
            let rows = generators.iter().map(|generator| {
                [generator.name, generator.summary, &generator.parameters.join(", ")].map(str::to_owned)
            });
            sections.push(table(&["generator", "what it makes", "parameters"], rows));
        }
        if let Some(experiments) = &self.experiments {
            sections.push(lab::text(experiments));
        }
        let mut text = sections.join("\n");
        if hints {
            let _ = writeln!(text, "\n`throng explain NAME` tells more of a planner, search or generator.");
        }
        text
    }
}

fn planners() -> Vec<Planner> {
    let named =
        PLANNERS.iter().map(|info| Planner { name: info.name, alias_of: None, summary: info.summary });
    let short = ALIASES.iter().map(|&(name, of)| {
        let summary = planner_info(name).map_or("", |info| info.summary);
        Planner { name, alias_of: Some(of), summary }
    });
    named.chain(short).collect()
}

fn problem_types() -> Vec<Problem> {
    ProblemType::ALL.map(|kind| Problem { name: kind.name(), summary: kind.summary() }).into()
}

fn searches() -> Vec<Search> {
    let search = |info: &throng::searches::SearchInfo| Search {
        name: info.name,
        optimal: info.optimal,
        prepares: info.prepares,
        needs_database: !SEARCHES.iter().any(|known| known.name == info.name),
        summary: info.summary,
    };
    SEARCHES.iter().chain(throng::cpd::search_infos()).map(search).collect()
}

fn searches_text(searches: &[Search]) -> String {
    let rows = searches.iter().map(|search| {
        let shortest = if search.optimal { "yes" } else { "no" };
        let prepares = match (search.needs_database, search.prepares) {
            (true, _) => "database",
            (false, true) => "yes",
            (false, false) => "no",
        };
        [search.name, shortest, prepares, search.summary].map(str::to_owned)
    });
    table(&["search", "shortest", "prepares", "what it does"], rows)
}

fn maps() -> Vec<Map> {
    let map = |builtin: &throng::grid::builtin::Builtin| Map {
        name: format!("builtin:{}", builtin.name),
        width: builtin.width,
        height: builtin.height,
        summary: builtin.summary,
    };
    BUILTINS.iter().map(map).collect()
}

fn sets() -> Vec<Set> {
    let data = fetch::data_folder().ok();
    let folder = |name: &str| data.as_ref().map(|data| data.join(name)).filter(|folder| folder.is_dir());
    fetch::sets().map(|(name, summary)| Set { name, summary, folder: folder(name) }).collect()
}

fn sets_text(sets: &[Set]) -> String {
    let rows = sets.iter().map(|set| {
        let folder = set.folder.as_ref().map(|folder| folder.display().to_string());
        let folder = folder.unwrap_or_else(|| format!("throng maps fetch {}", set.name));
        [set.name.to_owned(), set.summary.to_owned(), folder]
    });
    table(&["map set", "what it holds", "where it is, or how to get it"], rows)
}

fn generators() -> Vec<Generator> {
    let generator = |generator: &throng::grid::generate::Generator| Generator {
        name: generator.name,
        parameters: generator.parameters.iter().map(|parameter| parameter.name).collect(),
        summary: generator.summary,
    };
    GENERATORS.iter().map(generator).collect()
}
