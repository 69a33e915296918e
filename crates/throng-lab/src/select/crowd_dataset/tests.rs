use super::*;
use crate::select::sample::crowd_sample;

#[test]
fn a_folder_without_data_is_refused_with_the_command_that_makes_them() {
    let folder = tempfile::tempdir().unwrap();
    let error = CrowdData::read(folder.path(), &THESIS_PORTFOLIO).err().unwrap().to_string();
    assert!(error.contains(CROWD_FILE) && error.contains("throng select gather"), "{error}");
}

/// The limit of a split does not change with the problems of its test part.
#[test]
fn the_limit_of_a_split_comes_from_its_training_part() {
    let data = crowd_sample().unwrap();
    let split = &data.splits(Holdout::Problems, 1)[0];
    let (_, work) = data.trial(split, WorkLimit::Paper).unwrap();
    let mut other = data.clone();
    for &at in &split.test {
        other.of_thesis[at] = None;
    }
    let (_, without_test) = other.trial(split, WorkLimit::Paper).unwrap();
    assert!((work - without_test).abs() < 1e-9, "{work} is not {without_test}");
    let mut other = data.clone();
    let thesis: Vec<usize> =
        split.train.iter().copied().filter(|&at| other.of_thesis[at].is_some()).collect();
    for &at in &thesis[..thesis.len() - 1] {
        other.of_thesis[at] = None;
    }
    let (_, of_one) = other.trial(split, WorkLimit::Paper).unwrap();
    assert!((work - of_one).abs() > 1.0, "one problem of the training part gives the same limit: {work}");
}

#[test]
fn limits_spread_over_the_splits_and_games_without_the_thesis_use_that_of_all() {
    let data = crowd_sample().unwrap();
    let found = data.trials(Holdout::Maps, WorkLimit::Paper, 1).unwrap();
    assert_eq!((found.trials.len(), found.works.len(), found.limits.not_own), (10, 10, 0));
    assert!(found.limits.lowest < found.limits.highest, "{:?}", found.limits);
    assert!(found.limits.lowest <= found.limits.mean && found.limits.mean <= found.limits.highest);
    let games = data.trials(Holdout::Games, WorkLimit::Paper, 1).unwrap();
    assert_eq!((games.trials.len(), games.limits.not_own), (2, 1));
    let starved = data.trials(Holdout::Maps, WorkLimit::Starved, 1).unwrap();
    assert!((starved.limits.all * 3.0 - found.limits.all).abs() < 1.0);
    let ample = data.trials(Holdout::Maps, WorkLimit::Ample, 1).unwrap();
    assert!(ample.long_enough < ample.problems, "some runs of the sample are short");
    assert_eq!((found.long_enough, found.limits.lowered), (found.problems, 0));
    let curve = data.curve(7);
    assert_eq!((curve.points.len(), curve.problems), (7, data.len()));
    let chart = curve.chart();
    assert!(chart.starts_with("<svg xmlns") && chart.contains("calibrated") && chart.ends_with("</svg>\n"));
    assert_eq!(chart.matches("<polyline").count(), 3 + 3, "three planners; best, worst, gap");
}

/// A split whose limit is higher than the stored runs reach is not lost: its limit is lowered, and this is counted.
#[test]
fn limits_beyond_the_stored_runs_are_lowered() {
    let data = crowd_sample().unwrap();
    let found = data.trials(Holdout::Maps, WorkLimit::Ample, 1).unwrap();
    assert_eq!(found.trials.len(), 10);
    let most = data.reach().max(data.work(WorkLimit::Ample));
    let wanted = |split: &Split| data.calibrated(&split.train).unwrap() * WorkLimit::Ample.factor();
    let splits = data.splits(Holdout::Maps, 1);
    for (split, &work) in splits.iter().zip(&found.works) {
        assert!((work - wanted(split).min(most)).abs() < 1e-9, "{work}");
    }
    let beyond = splits.iter().filter(|split| wanted(split) > most).count();
    assert!(beyond > 0 && beyond < 10, "{beyond}");
    assert_eq!(found.limits.lowered, beyond);
    // 100 problems or more reach the limit of the short runs, and fewer that of the long ones.
    assert!((data.reach() - 2e6).abs() < 1e-9, "{}", data.reach());
}

#[test]
fn one_game_remains() {
    let data = crowd_sample().unwrap();
    let all = data.len();
    let one = data.of_games(&["bg".to_owned()]);
    assert!(one.len() < all && one.splits(Holdout::Games, 1).is_empty());
}
