//! Pages that are generated from the registries: they are current, and `cargo xtask docs` writes them.

use std::fmt::Write;

use throng_cpd::search_infos;
use throng_lab::columns::{COLUMNS, Role, SCHEMA_VERSION, tasks_with};
use throng_lab::format::thousands;
use throng_lab::limits::Limit;
use throng_lab::{TASKS, keys};
use throng_planners::{ALIASES, PLANNERS};
use throng_search::spec::Parameter;
use throng_search::{SEARCHES, SearchInfo};

use crate::root;

/// The page about searches.
const SEARCHES_PAGE: &str = "docs/searches.md";

/// The page about planners.
const PLANNERS_PAGE: &str = "docs/planners.md";

/// The page about limits.
const LIMITS_PAGE: &str = "docs/limits.md";

/// The page about results.
const RESULTS_PAGE: &str = "docs/research/results.md";

#[test]
fn the_page_about_results_is_current() {
    is_current(RESULTS_PAGE, &results_page());
}

#[test]
fn the_page_about_limits_is_current() {
    is_current(LIMITS_PAGE, &limits_page());
}

#[test]
fn names_of_limits_are_unique() {
    let names: Vec<&str> = all_limits().map(|limit| limit.name).collect();
    assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{names:?}");
}

#[test]
fn the_page_about_searches_is_current() {
    is_current(SEARCHES_PAGE, &searches_page());
}

#[test]
fn the_page_about_planners_is_current() {
    is_current(PLANNERS_PAGE, &planners_page());
}

/// Compares a page with its generated text; writes it first if `THRONG_WRITE_DOCS` is set.
pub(crate) fn is_current(page: &str, now: &str) {
    let file = root().join(page);
    if std::env::var_os("THRONG_WRITE_DOCS").is_some() {
        std::fs::write(&file, now).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == now, "{page} is outdated: run cargo xtask docs");
}

fn all_limits() -> impl Iterator<Item = &'static Limit> {
    throng_lab::limits::all().chain(throng_view::limits::LIMITS)
}

/// Returns the page about limits: a table of all.
fn limits_page() -> String {
    let mut page = "# Limits\n\n\
        This page is generated from the limits in the libraries by `cargo xtask docs`.\n\n\
        A file of unknown origin must not exhaust memory or time. An input beyond a limit is refused with an error that \
        names the file and the limit. Within the limits, memory is proportional to the size of the file. Memory for the bytes \
        of a file is reserved fallibly, so that a file that does not fit is refused too; what is decoded from them is not: where \
        the system refuses it, the program ends, and [stored files](storage.md) are as after a kill.\n\n\
        The limits per byte do not count for the first 65,536 values or bytes of a table. `throng replay --unlimited` plays recordings beyond `recording-edits` and `recording-floods`.\n\n\
        | limit | what is limited | at most | why |\n|---|---|---|---|\n"
        .to_owned();
    for Limit { name, max, unit, what, reason } in all_limits() {
        let max = thousands(*max);
        let _ = writeln!(
            page,
            "| `{name}` | {} | {max} {unit} | {} |",
            what.trim_end_matches(','),
            plain(reason)
        );
    }
    page
}

/// Returns the page about planners: a table with aliases, then one section per planner.
fn planners_page() -> String {
    let mut page = "# Planners\n\n\
        This page is generated from the registry by `cargo xtask docs`. `throng explain NAME` prints the same text.\n\n\
        A planner is selected by its name, with optional parameters, or by an alias: `bmaa`, `far:reserve=2`, `bmaa-c`.\n\n\
        A planner that must know only what each agent has seen works on unknown maps ([guide](guide.md#unknown-maps)); \
        `bmaa` with `flow`, `landmarks` or `abstraction` and `dm` with `sector` must know what all agents have seen.\n\n\
        | planner | what it does | agents share | must know | aliases |\n|---|---|---|---|---|\n"
        .to_owned();
    for info in PLANNERS {
        let (name, summary, shares) = (info.name, plain(info.summary), info.needs.name());
        let short: Vec<String> = ALIASES
            .iter()
            .filter(|(_, text)| text.split(':').next() == Some(name))
            .map(|(alias, text)| format!("`{alias}` = `{text}`"))
            .collect();
        let (knows, short) = (info.needs_map.name(), short.join(", "));
        let _ = writeln!(page, "| [{name}](#{name}) | {summary} | {shares} | {knows} | {short} |");
    }
    for info in PLANNERS {
        let _ = write!(page, "\n## {}\n\n{}.\n\n{}\n\n", info.name, plain(info.summary), plain(info.idea));
        let _ = writeln!(page, "- Reference: {}.", plain(info.reference));
        parameters(&mut page, info.parameters);
    }
    page
}

/// Returns the page about the columns of results, and the keys and tasks of experiments.
fn results_page() -> String {
    let mut page = "# Results and experiments\n\n\
         This page is generated from the laboratory's declarations by `cargo xtask docs`.\n\n\
         ## Tasks\n\n| task | what a run does |\n|---|---|\n"
        .to_owned();
    for task in &TASKS {
        let _ = writeln!(page, "| `{}` | {} |", task.name, plain(task.about));
    }
    let _ = write!(
        page,
        "\n## Columns\n\n\
         `results.parquet` in a result folder has a row per run, schema version {SCHEMA_VERSION}, compressed with \
         Snappy.\nA column has no value where it does not apply. Settings and measures are the same on every \
         machine,\nunless a time limit ended the run; timings and provenance are not.\n"
    );
    for role in Role::ALL {
        let _ = write!(
            page,
            "\n### {}\n\n| column | kind | tasks | meaning |\n|---|---|---|---|\n",
            heading(role)
        );
        for column in COLUMNS.iter().filter(|column| column.role == role) {
            let (name, tasks) = (column.name, list(&tasks_with(column)));
            let kind = format!("{:?}", column.kind).to_lowercase();
            let _ = writeln!(page, "| `{name}` | {kind} | {tasks} | {} |", plain(column.about));
        }
    }
    page += "\n## Series\n\nIf an experiment sets `series`, `series.parquet` has a row per tick: `run`, `tick`, \
             `arrived` (agents at their\ngoals), `expansions` and `tick_us`.\n\n\
             ## Keys of experiment files\n\n\
             An axis takes a value or a list; every combination of the axes' values is a run.\n\n\
             | key | axis | tasks | meaning |\n|---|---|---|---|\n";
    for key in keys() {
        let (axis, tasks) = (yes(key.column.is_some()), list(&key.tasks()));
        let _ = writeln!(page, "| `{}` | {axis} | {tasks} | {} |", key.name, plain(key.about));
    }
    page
}

/// Lists tasks; none or all of them are `all`.
fn list(tasks: &[&str]) -> String {
    if tasks.is_empty() || tasks.len() == TASKS.len() { "all".to_owned() } else { tasks.join(", ") }
}

fn heading(role: Role) -> &'static str {
    match role {
        Role::Setting => "Settings",
        Role::Measure => "Measures",
        Role::Timing => "Timings",
        Role::Provenance => "Provenance",
    }
}

/// Returns the page about searches: a table, then one section per search.
fn searches_page() -> String {
    let mut page = "# Searches\n\n\
        This page is generated from the registry by `cargo xtask docs`. `throng explain NAME` prints the same text.\n\n\
        A search is selected by its name, with optional parameters: `astar`, `wastar:weight=1.5`,\n\
        `hpa:cluster=16,levels=2`. It refuses rules that it does not support. Searches whose names begin with `cpd` use a path\n\
        database: `throng cpd build MAP -o FILE` builds one, and `--cpd FILE` selects it. The path of a real-time search is what\n\
        an agent walks while it searches: `throng path MAP --scen FILE` reports how much longer these paths are than shortest\n\
        ones, and how many agents gave up at the `cap`.\n\n\
        | search | what it does | shortest paths | real-time | prepares |\n|---|---|---|---|---|\n"
        .to_owned();
    for info in SEARCHES.iter().chain(search_infos()) {
        let (name, summary) = (info.name, plain(info.summary));
        let _ = writeln!(
            page,
            "| [{name}](#{name}) | {summary} | {} | {} | {} |",
            yes(info.optimal),
            yes(info.real_time),
            yes(info.prepares)
        );
    }
    for info in SEARCHES.iter().chain(search_infos()) {
        section(&mut page, info);
    }
    page
}

/// Appends the section of one search.
fn section(page: &mut String, info: &SearchInfo) {
    let corners: Vec<String> = info.corners.iter().map(ToString::to_string).collect();
    let directions = if info.four_way { "eight or four" } else { "eight" };
    let terrain = if info.weighted_terrain { "of any cost" } else { "that costs the same everywhere" };
    let _ = write!(page, "\n## {}\n\n{}.\n\n{}\n\n", info.name, plain(info.summary), plain(info.idea));
    let _ = writeln!(page, "- Reference: {}.", plain(info.reference));
    let _ = writeln!(
        page,
        "- Supports: corners {}; {directions} directions; terrain {terrain}.",
        corners.join(", ")
    );
    parameters(page, info.parameters);
}

/// Appends the table of parameters.
fn parameters(page: &mut String, parameters: &[Parameter]) {
    if parameters.is_empty() {
        let _ = writeln!(page, "- Parameters: none.");
    } else {
        let _ = writeln!(page, "\n| parameter | values | default | what it does |\n|---|---|---|---|");
        for parameter in parameters {
            row(page, parameter);
        }
    }
}

/// Appends the row of one parameter.
fn row(page: &mut String, parameter: &Parameter) {
    let values = plain(&parameter.kind.to_string());
    let default = parameter.kind.default_text();
    let _ = writeln!(page, "| `{}` | {values} | {default} | {} |", parameter.name, plain(parameter.summary));
}

/// Escapes the characters of names and choices that Markdown would interpret.
pub(crate) fn plain(text: &str) -> String {
    text.replace('*', "\\*").replace('|', "\\|")
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
