//! `throng select`: from stored runs of crowds to features, an evaluation, a model and a prediction.

use std::path::Path;

use tempfile::TempDir;
use throng_lab::Course;
use throng_lab::select::crowd::{CrowdRun, CrowdRuns, ProblemKey, THESIS_PORTFOLIO};
use throng_lab::select::{CROWD_FILE, PRICES_FILE};

use crate::support::{json, keys, refusal, success, throng};

const MAPS: [&str; 5] = ["arena", "rooms", "town", "caves", "warehouse"];
const INSTANCES: u64 = 16;
const TYPES: [&str; 3] = ["random", "swap-sides", "tight-to-tight"];

/// Stores runs in which BMAA* is best on random problems and WHCA* on all others.
fn stored_runs(folder: &Path) {
    let mut runs = CrowdRuns::default();
    for (map, kind, instance) in MAPS.iter().flat_map(|map| {
        TYPES.iter().flat_map(move |kind| (0..INSTANCES).map(move |instance| (map, kind, instance)))
    }) {
        for (planner, name) in THESIS_PORTFOLIO.iter().enumerate() {
            let arrived = match (planner, *kind == "random") {
                (0, true) | (2, false) => 36,
                (1, _) => 18 + instance % 4,
                _ => 12,
            };
            let key = ProblemKey {
                game: "bg".to_owned(),
                map: format!("builtin:{map}"),
                kind: (*kind).to_owned(),
                instance,
                agents: 40,
                seed: 100 + instance,
            };
            runs.runs.push(CrowdRun {
                key,
                planner: (*name).to_owned(),
                limit: 4_000_000,
                is_cut: false,
                expansions: 50_000,
                course: Course::parse(&format!("50000:{arrived},5.00,40")).unwrap(),
                provenance: ["0123456789ab", "0.1.0", "a processor"].map(str::to_owned),
            });
        }
    }
    runs.write(&folder.join(CROWD_FILE)).unwrap();
    let price = THESIS_PORTFOLIO.map(|planner| format!("{planner:?} = 1.0\n")).concat();
    let prices = format!("measured = \"by hand\"\n[price]\n{price}[nanoseconds]\n{price}");
    std::fs::write(folder.join(PRICES_FILE), prices).unwrap();
}

#[test]
fn runs_become_a_model_that_predicts() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    stored_runs(folder.path());
    let missing = refusal(&["select", "eval", "crowd", "--data", data]);
    assert!(
        missing.contains("crowd-features.parquet") && missing.contains("throng select features"),
        "{missing}"
    );
    assert_eq!(json(&["select", "features", "--data", data])["crowds"], 240);

    for (holdout, splits) in [("problems", 10), ("maps", 10)] {
        let found = json(&["select", "eval", "crowd", "--holdout", holdout, "--data", data]);
        assert_eq!(
            (&found["instances"], &found["splits"], &found["holdout"]),
            (&240.into(), &splits.into(), &holdout.into())
        );
        for key in [
            "portfolio",
            "models",
            "prior",
            "best",
            "worst",
            "expected_utility",
            "limit",
            "work",
            "limits",
            "problems",
            "long_enough",
        ] {
            assert!(!found[key].is_null(), "{key}");
        }
        let trees = &found["models"][0];
        assert_eq!(trees["model"], "trees");
        assert!(trees["gap_closed"]["mean"].as_f64().unwrap() > 0.7, "{holdout}: {trees}");
        assert!(found["expected_utility"]["gap_closed"]["mean"].as_f64().unwrap() > 0.99, "{found}");
    }
    let chart = folder.path().join("importance.svg");
    let chart = chart.to_str().unwrap();
    let starved = ["select", "eval", "crowd", "--limit", "starved", "--data", data, "--importance", chart];
    let text = success(&throng(&starved));
    assert!(
        text.contains("trees") && text.contains("Expected utilities") && text.contains("is best"),
        "{text}"
    );
    assert!(text.contains("The runs of 240 of 240 problems reach it"), "{text}");
    assert!(std::fs::read_to_string(chart).unwrap().contains("<rect"));
    let curve = folder.path().join("curve.svg");
    let found = json(&["select", "curve", "--data", data, "-o", curve.to_str().unwrap()]);
    assert_eq!((&found["problems"], found["points"].as_array().unwrap().len()), (&240.into(), 25));
    assert_eq!(
        keys(&found["points"][0]),
        ["best", "best_share", "completion", "gap", "prior", "work", "worst"]
    );
    assert!(std::fs::read_to_string(curve).unwrap().contains("calibrated"));
    assert!(refusal(&["select", "curve", "--limit", "ample", "--data", data]).contains("leave out --limit"));
    let one_game = refusal(&["select", "eval", "crowd", "--holdout", "games", "--data", data]);
    assert!(one_game.contains("too few maps or games"), "{one_game}");

    let trained = json(&["select", "train", "--data", data]);
    assert_eq!(trained["instances"], 240);
    let model = trained["model"].as_str().unwrap();
    let predict = ["select", "predict", "builtin:town", "--agents", "40", "--model", model];
    let random = json(&[&predict[..], &["--explain"]].concat());
    assert_eq!(random["pick"], THESIS_PORTFOLIO[0]);
    let expected =
        ["confidence", "corners", "map_milliseconds", "milliseconds", "pick", "reasons", "utilities"];
    assert_eq!(keys(&random), expected);
    assert_eq!(random["corners"], "allow", "the rule of the crowds that the model was trained on");
    let other = throng(&[&predict[..], &["--corners", "forbid"]].concat());
    let warning = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(
        other.status.success() && warning.contains("trained on crowds with --corners allow"),
        "{warning}"
    );
    assert_eq!(random["utilities"].as_array().unwrap().len(), 3);
    assert!((0.5..=1.0).contains(&random["confidence"].as_f64().unwrap()), "{random}");
    assert!(!random["reasons"].as_array().unwrap().is_empty());
    let tight = json(&[&predict[..], &["--type", "tight-to-tight"]].concat());
    assert_eq!(tight["pick"], THESIS_PORTFOLIO[2]);
    assert_eq!(keys(&tight), expected.iter().copied().filter(|key| *key != "reasons").collect::<Vec<_>>());
}

#[test]
fn bad_models_and_options_are_refused() {
    let folder = TempDir::new().unwrap();
    let model = folder.path().join("crowd.model");
    let file = model.to_str().unwrap();
    let predict = ["select", "predict", "builtin:arena", "--agents", "10", "--model", file];
    assert!(refusal(&predict).contains("throng select train"));
    std::fs::write(&model, b"throngmodel\0\x01\0\0\0").unwrap();
    assert!(refusal(&predict).contains("cut short"));
    std::fs::write(&model, b"no model").unwrap();
    assert!(refusal(&predict).contains("not a model file"));
    let data = folder.path().to_str().unwrap();
    assert!(refusal(&["select", "features", "--data", data]).contains("throng select gather"));
    assert!(refusal(&["select", "eval", "crowd", "--data", data]).contains("throng select gather"));
    assert!(refusal(&["select", "eval", "genre", "--limit", "ample", "--data", data]).contains("--limit"));
}

#[test]
fn recordings_become_problems_that_the_laboratory_runs() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (recording, problems, results) = (at("rooms.throng"), at("problems"), at("results"));
    let run = ["run", "builtin:rooms", "--agents", "30", "--planner", "pibt", "--record", &recording];
    success(&throng(&run));
    let found = json(&["select", "problems", &recording, "-o", &problems, "--ordered", "30"]);
    assert_eq!((found[0]["tick"].as_u64(), found[0]["agents"].as_u64()), (Some(0), Some(30)), "{found}");
    let experiment = at("own.toml");
    let map = format!("{problems}/rooms-0");
    let text = format!(
        "[quick]\nmaps = {map:?}\ntypes = \"scen\"\nagents = 30\nplanners = \"pibt\"\nmax_ticks = 200\n"
    );
    std::fs::write(&experiment, text).unwrap();
    let ran = json(&["lab", "run", &experiment, "--scale", "quick", "-o", &results]);
    assert_eq!(ran["made"], 1, "{ran}");
    let few = refusal(&["select", "problems", &recording, "-o", &problems, "--ordered", "31"]);
    assert!(few.contains("--ordered"), "{few}");
    assert!(refusal(&["select", "problems", &experiment, "-o", &problems]).contains("own.toml"));
}

#[test]
fn pictures_are_drawn_of_maps_agents_and_crowds() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("picture.png");
    let draw = |options: &[&str]| {
        let fixed = ["select", "picture", "builtin:arena", "-o", file.to_str().unwrap()];
        success(&throng(&[&fixed[..], options].concat()));
        std::fs::read(&file).unwrap()
    };
    // Width and height follow the signature and the name of the first chunk.
    let size = |png: &[u8]| [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    let map = draw(&[]);
    assert_eq!(size(&map), [227, 227]);
    let crowd = draw(&["--agents", "20", "--type", "swap-sides"]);
    assert_ne!(map, crowd);
    assert_eq!(crowd, draw(&["--agents", "20", "--type", "swap-sides"]));
    let agent = ["--from", "24,4", "--to", "24,44"];
    assert_eq!(size(&draw(&[&agent[..], &["--input", "channels"]].concat())), [6 * 64, 64]);
    assert_eq!(size(&draw(&[&agent[..], &["--input", "pyramid"]].concat())), [12 * 64, 64]);

    let refused = |options: &[&str]| refusal(&[&["select", "picture", "builtin:arena"], options].concat());
    assert!(refused(&["-o", "arena.jpg"]).contains("PNG"));
    assert!(refused(&["-o", "arena.png", "--from", "900,4", "--to", "24,44"]).contains("outside the map"));
}
