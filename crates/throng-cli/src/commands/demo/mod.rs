//! `throng demo`: a crowd under every planner and questions to every search, on embedded game-like maps; tables, a
//! animation, a picture, and what to try next.

mod planners;
mod searches;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::RunResult;

use crate::output::{count, note, print_either};
use crate::picture;

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng demo --out demo.png";

/// The map of the searches: 512×512, woods, water, caves and ruins.
const MAP: &str = "builtin:valley";

/// The map of the crowd: small enough to tell the characters apart, with streets, rooms and gardens.
const TOWN: &str = "builtin:town";

/// The questions and the crowd are the same each time.
const SEED: u64 = 1;

/// The arguments of `throng demo`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where the picture goes; the animation goes beside it, with -crowd in its name
    #[arg(short, long, value_name = "FILE.png", default_value = "throng-demo.png")]
    out: PathBuf,
    /// Random questions
    #[arg(long, value_name = "N", default_value_t = 60, hide = true)]
    queries: usize,
    /// Characters of the crowd
    #[arg(long, value_name = "N", default_value_t = 300, hide = true)]
    agents: usize,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report<'a> {
    map: &'static str,
    queries: usize,
    seed: u64,
    searches: Vec<searches::Row>,
    picture: &'a Path,
    planners: Vec<RunResult>,
    animation: &'a Path,
}

/// `throng demo`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    picture::check_name(&arguments.out)?;
    let animation = beside(&arguments.out);
    let (queries, agents) = (arguments.queries, arguments.agents);
    note(format_args!("{} to every search ...", count(queries, "random question", "random questions")));
    let searches = searches::compare(MAP, queries, &arguments.out)?;
    note(format_args!("{} under every planner ...", count(agents, "character", "characters")));
    let planners = planners::compare(TOWN, agents, &animation)?;
    let report = Report {
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
        note("note: this is a debug build, whose times say little; cargo run --release -- demo");
    }
    Ok(())
}

/// Where the animation goes.
fn beside(picture: &Path) -> PathBuf {
    let stem = picture.file_stem().unwrap_or_default().to_string_lossy();
    picture.with_file_name(format!("{stem}-crowd.png"))
}

impl Report<'_> {
    /// For people.
    fn text(&self, agents: usize) -> String {
        let crowd = format!(
            "{} on {TOWN}: {}, under every planner\n\n",
            count(agents, "character", "characters"),
            planners::PROBLEM.summary()
        );
        let questions = format!(
            "\n{} on {MAP}, put to every search\n\n",
            count(self.queries, "random question", "random questions"),
        );
        let files = format!(
            "\nAnimation: {} (the best run; open it in a browser)\nPicture:   {} (some shortest paths)\n",
            self.animation.display(),
            self.picture.display()
        );
        crowd + &planners::text(&self.planners) + &questions + &searches::text(&self.searches) + &files + NEXT
    }
}

/// What to try next.
const NEXT: &str = "
Try next:
  throng list                                                        what there is
  throng explain far                                                 how a planner works
  throng run builtin:bridge --agents 80 --planner far --animation b.png   a crowd of your own, animated
  throng compare --help                                              planners side by side on any map
  throng path builtin:arena --from 24,4 --to 24,44 -o path.png       one path, drawn
  throng map render builtin:keep -o keep.png                         a castle
  throng map generate caves --size 128x128 --seed 7 -o caves.map     a map of your own
";
