//! `throng list`: lists the contents of the registries.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng::grid::builtin::BUILTINS;
use throng::grid::generate::GENERATORS;
use throng_lab::ProblemType;
use throng_planners::{ALIASES, PLANNERS, planner_info};
use throng_search::SEARCHES;

use super::lab;
use crate::fetch;
use crate::output::{print_either, table};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng list searches";

/// The arguments of `throng list`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list; everything by default
    #[arg(value_enum)]
    kind: Option<ListKind>,
}

/// The kinds of things that can be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ListKind {
    /// Planners
    Planners,
    /// Path searches
    Searches,
    /// Built-in maps and map sets that can be fetched
    Maps,
    /// Problem types, which choose starts and goals
    ProblemTypes,
    /// Map generators
    Generators,
    /// Experiments
    Experiments,
}

/// The listed entries. Kinds that were not requested are absent.
#[derive(Debug, Serialize)]
struct Listing {
    /// Planners
    #[serde(skip_serializing_if = "Option::is_none")]
    planners: Option<Vec<NamedEntry>>,
    /// Path searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    searches: Option<Vec<SearchEntry>>,
    /// Built-in maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    maps: Option<Vec<MapEntry>>,
    /// Map sets that can be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<Vec<MapSetEntry>>,
    /// Problem types.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem_types: Option<Vec<NamedEntry>>,
    /// Map generators.
    #[serde(skip_serializing_if = "Option::is_none")]
    generators: Option<Vec<GeneratorEntry>>,
    /// Experiments
    #[serde(skip_serializing_if = "Option::is_none")]
    experiments: Option<Vec<lab::ExperimentEntry>>,
}

/// A planner, an alias of one, or a problem type.
#[derive(Debug, Serialize)]
struct NamedEntry {
    name: &'static str,
    /// The planner and parameters behind an alias.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias_of: Option<&'static str>,
    summary: &'static str,
}

/// A search.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a search, each read by name")]
struct SearchEntry {
    name: &'static str,
    optimal: bool,
    /// Whether the path is what an agent walks while it searches.
    real_time: bool,
    prepares: bool,
    /// Whether a path database must be given.
    needs_database: bool,
    summary: &'static str,
}

/// A built-in map.
#[derive(Debug, Serialize)]
struct MapEntry {
    /// The name with its prefix, as commands take it.
    name: String,
    width: u32,
    height: u32,
    summary: &'static str,
}

/// A map set.
#[derive(Debug, Serialize)]
struct MapSetEntry {
    name: &'static str,
    summary: &'static str,
    /// The set's folder; none if the set has not been fetched.
    folder: Option<PathBuf>,
}

/// A generator.
#[derive(Debug, Serialize)]
struct GeneratorEntry {
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
    /// Collects the entries of one kind, or of all.
    fn of(kind: Option<ListKind>) -> Self {
        let wanted = |this| kind.is_none_or(|kind| kind == this);
        Self {
            planners: wanted(ListKind::Planners).then(planners),
            problem_types: wanted(ListKind::ProblemTypes).then(problem_types),
            searches: wanted(ListKind::Searches).then(searches),
            maps: wanted(ListKind::Maps).then(maps),
            sets: wanted(ListKind::Maps).then(sets),
            generators: wanted(ListKind::Generators).then(generators),
            experiments: wanted(ListKind::Experiments).then(lab::entries),
        }
    }

    /// Returns the entries as tables.
    fn text(&self, hints: bool) -> String {
        let sections = [
            section(self.planners.as_ref(), &["planner", "what it does"], |planner| {
                let what = planner.alias_of.map(|of| format!("alias of {of}"));
                [planner.name.to_owned(), what.unwrap_or_else(|| planner.summary.to_owned())]
            }),
            section(
                self.searches.as_ref(),
                &["search", "shortest", "real-time", "prepares", "what it does"],
                |search| {
                    let yes = |is| if is { "yes" } else { "no" };
                    let prepares = match (search.needs_database, search.prepares) {
                        (true, _) => "database",
                        (false, true) => "yes",
                        (false, false) => "no",
                    };
                    let properties = [yes(search.optimal), yes(search.real_time), prepares];
                    [search.name, properties[0], properties[1], properties[2], search.summary]
                        .map(str::to_owned)
                },
            ),
            section(self.maps.as_ref(), &["built-in map", ">size", "what it shows"], |map| {
                [map.name.clone(), format!("{}×{}", map.width, map.height), map.summary.to_owned()]
            }),
            section(self.sets.as_ref(), &["map set", "contents", "folder, or command to fetch it"], |set| {
                let folder = set.folder.as_ref().map(|folder| folder.display().to_string());
                let folder = folder.unwrap_or_else(|| format!("throng maps fetch {}", set.name));
                [set.name.to_owned(), set.summary.to_owned(), folder]
            }),
            section(self.problem_types.as_ref(), &["problem type", "starts and goals"], |problem| {
                [problem.name, problem.summary].map(str::to_owned)
            }),
            section(self.generators.as_ref(), &["generator", "what it makes", "parameters"], |generator| {
                [generator.name, generator.summary, &generator.parameters.join(", ")].map(str::to_owned)
            }),
            self.experiments.as_deref().map(lab::text),
        ];
        let mut text = sections.into_iter().flatten().collect::<Vec<_>>().join("\n");
        if hints {
            text += "\n`throng explain NAME` describes a planner, search or generator.\n";
        }
        text
    }
}

/// Returns a table with one row per entry, `None` if the kind was not requested.
fn section<T, const N: usize>(
    entries: Option<&Vec<T>>,
    header: &[&str; N],
    row: impl Fn(&T) -> [String; N],
) -> Option<String> {
    entries.map(|entries| table(header, entries.iter().map(row)))
}

fn planners() -> Vec<NamedEntry> {
    let named =
        PLANNERS.iter().map(|info| NamedEntry { name: info.name, alias_of: None, summary: info.summary });
    let short = ALIASES.iter().map(|&(name, of)| {
        let summary = planner_info(name).map_or("", |info| info.summary);
        NamedEntry { name, alias_of: Some(of), summary }
    });
    named.chain(short).collect()
}

fn problem_types() -> Vec<NamedEntry> {
    let entry = |kind: ProblemType| NamedEntry { name: kind.name(), alias_of: None, summary: kind.summary() };
    ProblemType::ALL.map(entry).into()
}

fn searches() -> Vec<SearchEntry> {
    let search = |info: &throng_search::SearchInfo| SearchEntry {
        name: info.name,
        optimal: info.optimal,
        real_time: info.real_time,
        prepares: info.prepares,
        needs_database: !SEARCHES.iter().any(|known| known.name == info.name),
        summary: info.summary,
    };
    SEARCHES.iter().chain(throng_cpd::search_infos()).map(search).collect()
}

fn maps() -> Vec<MapEntry> {
    let map = |builtin: &throng::grid::builtin::Builtin| MapEntry {
        name: format!("builtin:{}", builtin.name),
        width: builtin.width,
        height: builtin.height,
        summary: builtin.summary,
    };
    BUILTINS.iter().map(map).collect()
}

fn sets() -> Vec<MapSetEntry> {
    let data = fetch::data_folder().ok();
    let folder = |name: &str| data.as_ref().map(|data| data.join(name)).filter(|folder| folder.is_dir());
    fetch::sets().map(|(name, summary)| MapSetEntry { name, summary, folder: folder(name) }).collect()
}

fn generators() -> Vec<GeneratorEntry> {
    let generator = |generator: &throng::grid::generate::Generator| GeneratorEntry {
        name: generator.name,
        parameters: generator.parameters.iter().map(|parameter| parameter.name).collect(),
        summary: generator.summary,
    };
    GENERATORS.iter().map(generator).collect()
}
