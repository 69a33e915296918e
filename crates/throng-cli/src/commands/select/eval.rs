//! `throng select eval`: evaluates selectors on stored results.

use std::fmt::Write;

use anyhow::Result;
use clap::{Args, ValueEnum};
use throng_lab::select::single_agent::SingleAgentEvaluation;
use throng_lab::select::{
    Evaluation, Holdout, Learner, Lookup, ModelEvaluation, NearestNeighbours, Quality, RandomPick,
    StoredEvaluation, Trees,
};

use super::crowd::{self, CrowdOptions};
use super::{DataFolder, SingleAgent, refused};
use crate::output::{print_either, table};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select eval crowd --holdout maps
  throng select eval crowd --holdout games --limit ample --json
  throng select eval genre
  throng select eval problem --json";

/// What a selection is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// A planner is picked per crowd
    Crowd,
    /// A configuration is picked per problem of one map
    Problem,
    /// A configuration is picked per map
    Map,
    /// The game of the map is predicted
    Game,
    /// The genre of the map is predicted
    Genre,
}

/// The arguments of `throng select eval`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What a selection is made for
    target: Target,
    /// Options for crowds.
    #[command(flatten)]
    crowd: CrowdOptions,
    /// What the training part does not share with the test part; for `crowd` alone
    #[arg(long, default_value = "problems")]
    holdout: HoldoutName,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
}

/// What the parts of a split do not share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum HoldoutName {
    /// Single problems: maps and types are known
    Problems,
    /// Whole maps
    Maps,
    /// Whole games
    Games,
}

/// `throng select eval`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let target = match arguments.target {
        Target::Crowd => {
            let holdout = match arguments.holdout {
                HoldoutName::Problems => Holdout::Problems,
                HoldoutName::Maps => Holdout::Maps,
                HoldoutName::Games => Holdout::Games,
            };
            return crowd::run(&arguments.crowd, holdout, &arguments.folder, json);
        }
        Target::Problem => SingleAgent::Problem,
        Target::Map => SingleAgent::Map,
        Target::Game => SingleAgent::Game,
        Target::Genre => SingleAgent::Genre,
    };
    arguments.crowd.refuse_for_single_agents()?;
    let lookup: &dyn Learner = match target {
        SingleAgent::Map => &Lookup::Game,
        _ => &Lookup::MapAndType,
    };
    let trees = Trees::default();
    let learners: [&dyn Learner; 5] = [
        &trees,
        &NearestNeighbours { count: 1 },
        &NearestNeighbours { count: 10 },
        lookup,
        &RandomPick { seed: 1 },
    ];
    let found = target.granularity().evaluate(&arguments.folder.data, &learners).map_err(refused)?;
    print_either(json, &found, || text(&found))
}

fn text(found: &SingleAgentEvaluation) -> String {
    let Evaluation { instances, splits, portfolio, .. } = &found.stored.evaluation;
    let thesis = found.thesis;
    let mut text = format!("{instances} instances, {splits} splits, choices: {}\n\n", portfolio.join("; "));
    text += &evaluation_table(&found.stored.evaluation);
    text += &stored_tables(&found.stored);
    let _ = writeln!(
        text,
        "\nThe thesis, {}: prior {:.2}, selector {:.2} with accuracy {:.0} %, perfect {:.2}, gap closed {:.0} %, {} of 20 \
         splits won",
        thesis.table,
        thesis.prior.0,
        thesis.selector.0,
        thesis.accuracy.0 * 100.0,
        thesis.perfect.0,
        thesis.gap_closed * 100.0,
        thesis.splits_won,
    );
    text
}

/// Formats the evaluations of stored predictions that cover only some splits.
pub(crate) fn stored_tables(found: &StoredEvaluation) -> String {
    let mut text = String::new();
    for partial in &found.partial {
        let _ = writeln!(text, "\nOn the {} splits that stored predictions cover:\n", partial.splits);
        text += &evaluation_table(partial);
    }
    if !found.stale.is_empty() {
        let models = found.stale.join(", ");
        let _ =
            writeln!(text, "\nStored predictions of {models} are for other data or splits and are not used.");
    }
    text
}

/// Formats an evaluation as a table.
pub(crate) fn evaluation_table(evaluation: &Evaluation) -> String {
    let fixed = |name: &str, quality: Quality| {
        let mut cells = vec![name.to_owned(), format!("{:.2} ± {:.2}", quality.quality, quality.deviation)];
        cells.resize(6, String::new());
        cells
    };
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let model = |model: &ModelEvaluation| {
        let gap = model.gap_closed;
        let closed = match (gap.mean, gap.low, gap.high) {
            (Some(mean), Some(low), Some(high)) => {
                format!("{} ({} to {})", percent(mean), percent(low), percent(high))
            }
            (Some(mean), ..) => percent(mean),
            _ => "no gap".to_owned(),
        };
        vec![
            model.model.clone(),
            format!("{:.2} ± {:.2}", model.quality, model.quality_deviation),
            percent(model.accuracy),
            percent(model.balanced_accuracy),
            closed,
            format!("{} of {}", model.splits_won, evaluation.splits),
        ]
    };
    let mut rows = vec![fixed("prior", evaluation.prior)];
    rows.extend(evaluation.models.iter().map(model));
    rows.extend(evaluation.perfect_label.map(|label| fixed("perfect label", label)));
    rows.extend([fixed("best", evaluation.best), fixed("worst", evaluation.worst)]);
    table(&["model", ">quality", ">accuracy", ">balanced", ">gap closed", ">splits won"], rows)
}
