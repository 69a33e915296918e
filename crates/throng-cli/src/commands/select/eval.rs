//! `throng select eval`: evaluates selectors on stored results.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use throng_lab::select::single_agent::{OtherHalf, SPLIT_SEED, SingleAgentEvaluation};
use throng_lab::select::{
    Evaluation, Holdout, Learner, ModelEvaluation, Quality, Single, Spread, StoredEvaluation,
    importance_chart,
};

use super::crowd::{self, CrowdOptions};
use super::{DataFolder, SingleAgent, refused};
use crate::output::{bad_input, print_either, table};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select eval crowd --holdout maps
  throng select eval crowd --holdout games --limit ample --json
  throng select eval genre --importance genre.svg
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
    /// The seed of the splits; the settings of models were chosen on splits with other seeds than the default
    #[arg(long, value_name = "SEED", default_value_t = SPLIT_SEED)]
    seed: u64,
    /// Draw how much each feature decided the picks of the trees
    #[arg(long, value_name = "FILE.svg")]
    importance: Option<PathBuf>,
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
            return crowd::run(
                &arguments.crowd,
                holdout,
                &arguments.folder,
                (arguments.seed, arguments.importance.as_deref()),
                json,
            );
        }
        Target::Problem => SingleAgent::Problem,
        Target::Map => SingleAgent::Map,
        Target::Game => SingleAgent::Game,
        Target::Genre => SingleAgent::Genre,
    };
    arguments.crowd.refuse_for_single_agents()?;
    let granularity = target.granularity();
    let all = throng_lab::select::Target::SingleAgent(granularity).learners();
    let learners: Vec<&dyn Learner> = all.iter().map(AsRef::as_ref).collect();
    let found = granularity.evaluate(&arguments.folder.data, arguments.seed, &learners).map_err(refused)?;
    write_importance(&found.stored.evaluation, arguments.importance.as_deref())?;
    print_either(json, &found, || text(&found))
}

fn text(found: &SingleAgentEvaluation) -> String {
    let Evaluation { instances, splits, portfolio, .. } = &found.stored.evaluation;
    let thesis = found.thesis;
    let mut text = format!("{instances} instances, {splits} splits, choices: {}\n\n", portfolio.join("; "));
    text += &evaluation_table(&found.stored.evaluation);
    if !found.stored.evaluation.singles.is_empty() {
        text += "\n";
        text += &chosen_table(&found.stored.evaluation);
    }
    text += &stored_tables(&found.stored);
    if let Some(OtherHalf { problems, gap_closed }) = &found.other_half {
        let _ = writeln!(
            text,
            "\nA choice by the true results on one half of the problems of each map ({problems} or more) closes {} of the gap on \
             the other half. The rest is luck, or would take more problems to know.",
            closed(*gap_closed)
        );
    }
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

/// Draws how much each feature decided the picks of the first model that can tell.
pub(super) fn write_importance(evaluation: &Evaluation, file: Option<&Path>) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let Some(model) = evaluation.models.iter().find(|model| !model.importance.is_empty()) else {
        return Err(bad_input("no model of this evaluation can tell how much its features decided"));
    };
    let svg = importance_chart(&model.model, &model.importance);
    write_file(file, svg.as_bytes())
}

/// Formats how often each choice is the right one, and how often models choose it.
pub(super) fn chosen_table(evaluation: &Evaluation) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let models = || evaluation.models.iter().filter(|model| model.chosen.len() == evaluation.singles.len());
    let row = |(at, single): (usize, &Single)| {
        let fixed = [single.name.clone(), format!("{:.3}", single.quality), percent(single.best_share)];
        let chosen = models().map(move |model| percent(model.chosen[at]));
        fixed.into_iter().chain(chosen).collect::<Vec<_>>()
    };
    let mut heads = vec!["choice".to_owned(), ">quality alone".to_owned(), ">is best".to_owned()];
    heads.extend(models().map(|model| format!(">{}", model.model)));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    table(&heads, evaluation.singles.iter().enumerate().map(row))
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

/// Formats the share of a gap that is closed.
fn closed(gap: Spread) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    match (gap.mean, gap.low, gap.high) {
        (Some(mean), Some(low), Some(high)) => {
            format!("{} ({} to {})", percent(mean), percent(low), percent(high))
        }
        (Some(mean), ..) => percent(mean),
        _ => "no gap".to_owned(),
    }
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
        vec![
            model.model.clone(),
            format!("{:.2} ± {:.2}", model.quality, model.quality_deviation),
            percent(model.accuracy),
            percent(model.balanced_accuracy),
            closed(model.gap_closed),
            format!("{} of {}", model.splits_won, evaluation.splits),
        ]
    };
    let mut rows = vec![fixed("prior", evaluation.prior)];
    rows.extend(evaluation.models.iter().map(model));
    rows.extend(evaluation.perfect_label.map(|label| fixed("perfect label", label)));
    rows.extend([fixed("best", evaluation.best), fixed("worst", evaluation.worst)]);
    table(&["model", ">quality", ">accuracy", ">balanced", ">gap closed", ">splits won"], rows)
}
