use super::*;
use crate::Experiment;
use crate::select::single_agent::Granularity;
use crate::select::{Prediction, SelectionTask, Trial, training_hash};

/// Returns the rows of the scale `smoke`, whose data are drawn.
fn executed(experiment: &str) -> Vec<RunRow> {
    let context = RunContext::new(Maps::default(), false, false, Arc::default());
    let plan = Experiment::open(experiment).unwrap().plan("smoke").unwrap();
    plan.runs().map(|settings| run(&context, &settings).unwrap().unwrap().row).collect()
}

fn mean(rows: &[RunRow], model: &str, column: &str) -> f64 {
    let own = rows.iter().filter(|row| row.text("model") == Some(model));
    let values: Vec<f64> = own.map(|row| row.number(column).unwrap()).collect();
    assert_eq!(values.len(), 3, "{model} {column}");
    values.iter().sum::<f64>() / 3.0
}

#[test]
fn single_agents_are_selected_for_at_four_granularities() {
    for (target, best) in [
        ("genre", "perfect-label"),
        ("game", "perfect-label"),
        ("map", "virtual-best"),
        ("problem", "virtual-best"),
    ] {
        let rows = executed(&format!("select-{target}"));
        let quality = |model: &str| mean(&rows, model, "suboptimality_mean");
        assert!(
            quality("virtual-best") <= quality(best) + 1e-9 && quality(best) < quality("prior"),
            "{target}"
        );
        assert!(quality("prior") < quality("virtual-worst"), "{target}");
        assert!(quality("trees") < quality("prior"), "{target}: the first feature decides");
        assert!(mean(&rows, "trees", "accuracy") > mean(&rows, "random", "accuracy"), "{target}");
        let improvement = mean(&rows, best, "improvement");
        assert!((0.0..1.0).contains(&improvement), "{target}: {improvement}");
        assert!(rows.iter().all(|row| row.number("completion_rate").is_none()));
    }
}

#[test]
fn crowds_have_completion_distance_types_and_a_limit() {
    let rows = executed("select-crowd");
    let completion = |model: &str| mean(&rows, model, "completion_rate");
    assert!(completion("virtual-worst") < completion("random"));
    assert!(completion("prior") < completion("trees") && completion("trees") <= completion("virtual-best"));
    for planner in THESIS_PORTFOLIO {
        assert!(completion(planner) <= completion("prior") + 0.05, "{planner}");
    }
    assert!((mean(&rows, "virtual-best", "accuracy") - 1.0).abs() < 1e-9);
    assert!(mean(&rows, "prior", "gap_closed").abs() < 1e-9);
    assert!((mean(&rows, "virtual-best", "gap_closed") - 1.0).abs() < 1e-9);
    assert!(mean(&rows, "trees", "completion_swap_sides") > 0.3);
    let chosen = ["chosen_first", "chosen_second", "chosen_third"].map(|column| mean(&rows, "trees", column));
    assert!((chosen.iter().sum::<f64>() - 1.0).abs() < 1e-9 && mean(&rows, "trees", "travel_mean") > 0.0);
    assert!(rows.iter().all(|row| row.number("work").is_some_and(|work| work > 1e5)));
}

#[test]
fn missing_data_and_unknown_models_are_refused() {
    let settings = |data: &str, model: &str| {
        let mut row = RunRow::new();
        let texts = [("target", "map"), ("data", data), ("model", model)];
        for (name, value) in texts {
            row.set(name, value);
        }
        row
    };
    let folder = tempfile::tempdir().unwrap();
    let refusal = content_hash(&settings(folder.path().to_str().unwrap(), "trees"), &Maps::default());
    let reason = refusal.unwrap_err().reason.to_string();
    assert!(
        reason.contains("rths-configurations.parquet") && reason.contains("throng select gather"),
        "{reason}"
    );
    let reason = check_solver(&settings(SAMPLE, "tree")).unwrap_err().reason.to_string();
    assert!(reason.contains("there is no model `tree`") && reason.contains("ridge+probes"), "{reason}");
    assert!(check_solver(&settings(SAMPLE, "virtual-best")).is_ok());
}

#[test]
fn stored_predictions_are_a_model_on_the_splits_that_they_cover() {
    let folder = tempfile::tempdir().unwrap();
    crate::select::single_agent::tests::write_synthetic(folder.path());
    let task = SelectionTask::single_agent(Granularity::Map, folder.path()).unwrap();
    let Trial { data, split } = task.trial(0).unwrap();
    let choices = task.portfolio.choices(&data, &split.train);
    let target = |at: usize| task.portfolio.target(&data, &choices, at);
    let taught: Vec<Vec<f64>> = split.train.iter().map(|&at| target(at)).collect();
    let ids = split.train.iter().map(|&at| &data.ids[at]);
    let training = training_hash(ids.zip(taught.iter().map(Vec::as_slice)));
    let predicted: Vec<Prediction> = split
        .test
        .iter()
        .map(|&at| Prediction { training, instance: data.ids[at].to_string(), scores: target(at) })
        .collect();
    let mut settings = RunRow::new();
    for (name, value) in [("target", "map"), ("data", folder.path().to_str().unwrap()), ("model", "net")] {
        settings.set(name, value);
    }
    let hash = || content_hash(&settings, &Maps::default()).unwrap();
    assert!(check_solver(&settings).is_err(), "nothing is stored yet");
    let before = hash();
    let file = folder.path().join(StoredPredictions::file("map", "net"));
    StoredPredictions::write(&file, "net", &predicted).unwrap();
    assert!(check_solver(&settings).is_ok());
    assert_ne!(hash(), before);

    let context = RunContext::new(Maps::default(), false, false, Arc::default());
    let row = |split: i64| {
        let mut settings = settings.clone();
        settings.set("instance", split);
        run(&context, &settings)
    };
    let first = row(0).unwrap().unwrap().row;
    assert_eq!((first.number("accuracy"), first.number("gap_closed")), (Some(1.0), Some(1.0)));
    let refused = row(1).unwrap_err().to_string();
    assert!(refused.contains("does not cover split 1"), "{refused}");
}
