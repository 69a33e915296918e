use super::*;
use crate::Experiment;

/// Returns the rows of the scale `smoke`, whose data are drawn.
fn executed(experiment: &str) -> Vec<RunRow> {
    let context = RunContext::new(Maps::default(), false, false, Arc::default());
    let plan = Experiment::open(experiment).unwrap().plan("smoke").unwrap();
    plan.runs.iter().map(|settings| run(&context, settings).unwrap().unwrap().row).collect()
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
