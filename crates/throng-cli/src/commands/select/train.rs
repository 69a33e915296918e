//! `throng select train`: trains models on all stored results and writes model files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng_crowd::Sharing;
use throng_lab::select::features::CROWD_CORNERS;
use throng_lab::select::{AutoData, AutoModel, BudgetKind, Trees, train_auto};

use super::crowd::CrowdOptions;
use super::{DataFolder, MODEL_FILE, refused};
use crate::output::{fields, print_either, table, thousands};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select train
  throng select train --limit ample --portfolio own -o own.model
  throng select train auto";

/// The part of the maps whose error is measured: one in this number, in the order of their names.
const HELD_OUT: usize = 4;

/// The arguments of `throng select train`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What the models are for
    #[arg(default_value = "crowd")]
    target: Target,
    /// What is learned for `crowd`.
    #[command(flatten)]
    crowd: CrowdOptions,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
    /// The model file, by default crowd.model in the folder of the stored data; for `auto` the folder of its models, by
    /// default that of the planner's source
    #[arg(short = 'o', long = "out", value_name = "PATH")]
    out: Option<PathBuf>,
}

/// What models are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// Crowds at a limit of work: one model, for `throng select predict`
    Crowd,
    /// The planner auto: a model per sharing setting and kind of budget
    Auto,
}

/// The folder of the models that are part of the program.
const AUTO_FOLDER: &str = "crates/throng-planners/models";

/// The sharing settings that auto has models for, and the values of its parameter.
const SHARINGS: [(Sharing, &str); 4] = [
    (Sharing::Nothing, "nothing"),
    (Sharing::MoveRequests, "moves"),
    (Sharing::Reservations, "reservations"),
    (Sharing::Everything, "everything"),
];

/// The model that was trained.
#[derive(Debug, Serialize)]
struct Trained {
    model: PathBuf,
    bytes: usize,
    hash: String,
    instances: usize,
    /// Root mean square of the error on maps that were held out, by planner, in shares of the agents.
    errors: Vec<(String, f64)>,
}

/// `throng select train`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    match arguments.target {
        Target::Crowd => train_crowd(arguments, json),
        Target::Auto => train_for_auto(arguments, json),
    }
}

fn train_crowd(arguments: &Arguments, json: bool) -> Result<()> {
    let (data, work) = arguments.crowd.read(&arguments.folder)?;
    let mut maps: Vec<&str> = data.groups.iter().map(|group| group.map.as_str()).collect();
    maps.sort_unstable();
    maps.dedup();
    let is_held_out = |at: usize| {
        maps.binary_search(&data.groups[at].map.as_str()).is_ok_and(|number| number % HELD_OUT == 0)
    };
    let rows: Vec<&[i32]> = data.rows.iter().map(Vec::as_slice).collect();
    let note = format!(
        "{} crowds on {} maps, completion within {work:.0} expansions of A*, corners={}",
        data.len(),
        maps.len(),
        CROWD_CORNERS.name()
    );
    let model = Trees::default().model(&data.algorithms, &rows, &data.utilities, is_held_out, &note)?;
    let file = arguments.out.clone().unwrap_or_else(|| arguments.folder.data.join(MODEL_FILE));
    let bytes = model.write();
    write_file(&file, &bytes)?;
    let error = |(planner, forest): (&String, &throng_select::Forest)| {
        (planner.clone(), f64::from(forest.error) / 10_000.0)
    };
    let trained = Trained {
        model: file,
        bytes: bytes.len(),
        hash: format!("{:016x}", model.hash()),
        instances: data.len(),
        errors: model.portfolio().iter().zip(model.forests()).map(error).collect(),
    };
    print_either(json, &trained, || {
        let mut lines = vec![
            ("model", trained.model.display().to_string()),
            ("bytes", thousands(trained.bytes as u64)),
            ("trained on", note.clone()),
        ];
        lines.extend(
            trained
                .errors
                .iter()
                .map(|(planner, error)| (planner.as_str(), format!("error {:.1} %", error * 100.0))),
        );
        fields(&lines)
    })
}

/// A model of auto that was trained.
#[derive(Debug, Serialize)]
struct TrainedAuto {
    sharing: &'static str,
    budget: BudgetKind,
    file: PathBuf,
    bytes: usize,
    hash: String,
    #[serde(flatten)]
    measured: AutoModel,
}

fn train_for_auto(arguments: &Arguments, json: bool) -> Result<()> {
    arguments.crowd.refuse_for_single_agents()?;
    let data = AutoData::read(&arguments.folder.data).map_err(refused)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(AUTO_FOLDER));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut trained = Vec::new();
    for sharing in SHARINGS {
        for budget in BudgetKind::ALL {
            trained.push(train_one(&data, sharing, budget, &folder)?);
        }
    }
    print_either(json, &trained, || auto_table(&trained))
}

/// Trains a model and writes its file.
fn train_one(
    data: &AutoData,
    (sharing, name): (Sharing, &'static str),
    budget: BudgetKind,
    folder: &Path,
) -> Result<TrainedAuto> {
    let dataset = data.dataset(sharing, budget);
    let (sharing, kind) = (name, budget.name());
    let note = format!("{} problems of the experiment auto: sharing {sharing}, {kind} budget", dataset.len());
    let measured = train_auto(&dataset, &note).with_context(|| format!("{sharing}, {kind}"))?;
    let file = folder.join(format!("{sharing}-{kind}.model"));
    let bytes = measured.model.write();
    write_file(&file, &bytes)?;
    let hash = format!("{:016x}", measured.model.hash());
    Ok(TrainedAuto { sharing, budget, file, bytes: bytes.len(), hash, measured })
}

fn auto_table(trained: &[TrainedAuto]) -> String {
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let row = |model: &TrainedAuto| {
        let measured = &model.measured;
        let gain = measured.gain.map_or_else(String::new, |gain| gain.map(percent).join(" to "));
        [
            model.sharing.to_owned(),
            model.budget.name().to_owned(),
            format!("{}/{}", measured.problems, measured.maps),
            measured.portfolio.join(", "),
            measured.margin.map_or_else(|| "no choice".to_owned(), percent),
            percent(measured.single),
            percent(measured.picks),
            percent(measured.best),
            gain,
            percent(measured.two_groups),
            thousands(model.bytes as u64),
        ]
    };
    let columns = [
        "sharing",
        "budget",
        ">problems/maps",
        "portfolio",
        ">margin",
        ">first %",
        ">picks %",
        ">best %",
        ">gain",
        ">two groups",
        ">bytes",
    ];
    table(&columns, trained.iter().map(row))
        + "\nCompletion on maps that were held out; the gain is over the first planner, with its 95 % interval.\n"
}
