//! `throng demo`: runs a crowd under every planner and random queries with every search on built-in maps. Prints tables
//! and writes an animation and a picture.

mod planners;
mod searches;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::RunResult;

use crate::output::{count, note, print_either};
use crate::picture;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng demo --out demo.png";

/// Map of the path queries: 512×512 cells with woods, water, caves and ruins.
const MAP: &str = "builtin:valley";

/// Map of the crowd: small enough to see each agent, with streets, rooms and gardens.
const TOWN: &str = "builtin:town";

/// Seed of the queries and of the instance.
const SEED: u64 = 1;

/// The arguments of `throng demo`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// File of the picture; the animation is written beside it, with -crowd in its name
    #[arg(short, long, value_name = "FILE.png", default_value = "throng-demo.png")]
    out: PathBuf,
    /// Number of random queries
    #[arg(long, value_name = "N", default_value_t = 60, hide = true)]
    queries: usize,
    /// Number of agents
    #[arg(long, value_name = "N", default_value_t = 300, hide = true)]
    agents: usize,
}

/// The report of the demo.
#[derive(Debug, Serialize)]
struct DemoReport<'a> {
    map: &'static str,
    queries: usize,
    seed: u64,
    searches: Vec<searches::SearchMeasurement>,
    picture: &'a Path,
    planners: Vec<RunResult>,
    animation: &'a Path,
}

/// `throng demo`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    picture::check_name(&arguments.out)?;
    let animation = animation_file(&arguments.out);
    let (queries, agents) = (arguments.queries, arguments.agents);
    note(format_args!("{} with every search ...", count(queries, "random query", "random queries")));
    let searches = searches::compare(MAP, queries, &arguments.out)?;
    note(format_args!("{} under every planner ...", count(agents, "agent", "agents")));
    let planners = planners::compare(TOWN, agents, &animation)?;
    let report = DemoReport {
        map: MAP,
        queries,
        seed: SEED,
        searches,
        picture: &arguments.out,
        planners,
        animation: &animation,
    };
    print_either(json, &report, || report.text(agents))?;
    if cfg!(debug_assertions) {
        note("note: this is a debug build; for meaningful times use cargo run --release -- demo");
    }
    Ok(())
}

/// Returns the file of the animation, beside the picture.
fn animation_file(picture: &Path) -> PathBuf {
    let stem = picture.file_stem().unwrap_or_default().to_string_lossy();
    picture.with_file_name(format!("{stem}-crowd.png"))
}

impl DemoReport<'_> {
    /// Returns the report as text.
    fn text(&self, agents: usize) -> String {
        let crowd = format!(
            "{} on {TOWN}, problem type {}, under every planner\n\n",
            count(agents, "agent", "agents"),
            planners::PROBLEM.name()
        );
        let queries = format!(
            "\n{} on {MAP} with every search\n\n",
            count(self.queries, "random query", "random queries"),
        );
        let files = format!(
            "\nAnimation: {} (the best run; open it in a browser)\nPicture:   {} (some shortest paths)\n",
            self.animation.display(),
            self.picture.display()
        );
        crowd + &planners::text(&self.planners) + &queries + &searches::text(&self.searches) + &files + NEXT
    }
}

/// Commands to try next.
const NEXT: &str = "
Try next:
  throng list                                                           planners, searches, maps, experiments
  throng explain surge                                                  how a planner works
  throng run builtin:bridge --agents 80 --planner surge --animation b.png   one run as an animation
  throng compare --help                                                 planners side by side on any map
  throng path builtin:arena --from 24,4 --to 24,44 -o path.png          one path as a picture
  throng map render builtin:keep -o keep.png                            a picture of a map
  throng map generate caves --size 128x128 --seed 7 -o caves.map        a new map

Watch 2,000 characters live in your browser, draw a wall in their way, compare two planners:
  throng view
";
