//! `throng run` and `throng compare`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::map::PNG;
use crate::run::{bad, document, good, json, throng};

/// What a result holds, no more and no less.
const FIELDS: [&str; 22] = [
    "agents",
    "collisions",
    "completion_rate",
    "completion_seconds_mean",
    "completion_ticks_mean",
    "expansions",
    "failed_moves",
    "map",
    "overruled",
    "peak_bytes",
    "planner",
    "prepare_seconds",
    "seed",
    "shortest_mean",
    "state_hash",
    "stopped",
    "tick_us",
    "ticks",
    "travel_mean",
    "travel_over_shortest",
    "type",
    "wall_seconds",
];

const RUN: [&str; 8] = ["run", "builtin:arena", "--agents", "30", "--planner", "far", "--type", "swap-sides"];

/// Whether these are the bytes of an animated PNG.
pub(crate) fn is_animated(bytes: &[u8]) -> bool {
    bytes.starts_with(PNG) && bytes.windows(4).any(|chunk| chunk == b"acTL")
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The reason of a refusal, in one line.
fn refused(arguments: &[&str]) -> String {
    let text = bad(&throng(arguments), 2);
    let reason = text.lines().next().unwrap().to_owned();
    assert!(reason.starts_with("error: "), "{text}");
    reason
}

#[test]
fn a_result_has_its_fields() {
    let found = json(&RUN);
    assert_eq!(keys(&found), FIELDS);
    assert_eq!(keys(&found["tick_us"]), ["max", "mean", "p50", "p99", "p999"]);
    assert_eq!((&found["map"], &found["type"]), (&"builtin:arena".into(), &"swap-sides".into()));
    assert_eq!((&found["planner"], &found["agents"]), (&"far".into(), &30.into()));
    assert_eq!((&found["collisions"], &found["overruled"]), (&0.into(), &0.into()));
    assert!((0.0..=1.0).contains(&found["completion_rate"].as_f64().unwrap()), "{found}");
    let hash = found["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(), "{hash}");
}

#[test]
fn the_same_problem_is_put_to_every_planner_of_a_comparison() {
    let arguments = ["compare", "builtin:arena", "--agents", "30"];
    let planners = ["--planner", "far", "--planner", "astar-replan"];
    let found = json(&[arguments, planners].concat());
    let rows = found.as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["planner"].as_str().unwrap()).collect::<Vec<_>>(),
        ["far", "astar-replan"]
    );
    assert!(rows.iter().all(|row| keys(row) == FIELDS), "{found}");
    let alone = json(&["run", "builtin:arena", "--agents", "30", "--planner", "far"]);
    assert_eq!(alone["state_hash"], rows[0]["state_hash"]);
    let text = good(&throng(&[arguments, planners].concat()));
    assert!(text.contains("far") && text.contains("astar-replan") && text.contains("home %"), "{text}");
}

#[test]
fn threads_do_not_change_the_result() {
    let hash = |more: &[&str]| json(&[&RUN, more].concat())["state_hash"].clone();
    let one = hash(&["--threads", "1"]);
    assert_eq!(one, hash(&["--threads", "2"]));
    assert_eq!(one, hash(&["--seed", "1"]));
    assert_ne!(one, hash(&["--seed", "2"]));
}

#[test]
fn a_run_is_drawn_and_filmed() {
    let folder = TempDir::new().unwrap();
    let (still, animation) = (folder.path().join("still.png"), folder.path().join("animation.PNG"));
    let files = ["-o", still.to_str().unwrap(), "--animation", animation.to_str().unwrap()];
    let text = good(&throng(&[&RUN[..], &files].concat()));
    assert!(text.contains("\npicture ") && text.contains("\nfilm "), "{text}");
    assert!(!is_animated(&fs::read(&still).unwrap()));
    assert!(is_animated(&fs::read(&animation).unwrap()));

    let nowhere = folder.path().join("no/animation.png");
    let text = bad(&throng(&[&RUN[..], &["--animation", nowhere.to_str().unwrap()]].concat()), 1);
    assert!(text.contains("cannot write"), "{text}");
    let text = refused(&[&RUN[..], &["--animation", "animation.gif"]].concat());
    assert!(text.contains("animation.png"), "{text}");
}

#[test]
fn what_cannot_be_run_is_refused_with_a_reason() {
    let run = |agents: &str, planner: &str, more: &[&str]| {
        let arguments = ["run", "builtin:arena", "--agents", agents, "--planner", planner];
        refused(&[&arguments[..], more].concat())
    };
    assert!(run("3000", "far", &[]).contains("3000 agents do not fit"));
    assert!(run("5", "farr", &[]).contains("did you mean `far`?"));
    let text = run("5", "far:reserv=3", &[]);
    assert!(text.contains("did you mean `reserve`?"), "{text}");
    let text = run("5", "far", &["--type", "swap-side"]);
    assert!(text.contains("did you mean swap-sides?"), "{text}");
    assert!(run("5", "far", &["--budget", "lots"]).contains("expansions"));
    assert!(run("5", "far", &["--wall-limit", "0"]).contains("seconds"));
    assert!(["0", "0us"].iter().all(|none| run("5", "far", &["--budget", none]).contains("from 1")));
}

#[test]
fn scenarios_give_agents_as_far_as_they_reach() {
    let folder = TempDir::new().unwrap();
    let (map, scen) = (folder.path().join("a.map"), folder.path().join("a.map.scen"));
    fs::write(&map, "type octile\nheight 2\nwidth 4\nmap\n....\n....\n").unwrap();
    let line = |from: &str, to: &str, length: u32| format!("0\ta.map\t4\t2\t{from}\t{to}\t{length}\n");
    fs::write(&scen, format!("version 1\n{}{}", line("0\t0", "3\t0", 3), line("0\t1", "3\t1", 3))).unwrap();
    let files = ["--scen", scen.to_str().unwrap(), "--planner", "far", "--agents"];
    let run = |agents| [&["run", map.to_str().unwrap()], &files[..], &[agents]].concat();
    let found = json(&run("2"));
    assert_eq!((&found["type"], &found["completion_rate"]), (&"scenario".into(), &1.0.into()));
    let text = refused(&run("3"));
    assert!(text.contains("2 problems") && text.contains("3 are needed"), "{text}");
}

#[test]
fn a_recording_is_played_and_checked_and_damage_is_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.throng");
    let name = file.to_str().unwrap();
    let run = json(&[
        "run",
        "builtin:arena",
        "--agents",
        "30",
        "--planner",
        "bmaa-c",
        "--record",
        name,
        "--max-ticks",
        "300",
    ]);
    let replay = json(&["replay", name, "--check"]);
    for field in ["ticks", "agents", "planner", "state_hash"] {
        assert_eq!(replay[field], run[field], "{field}");
    }
    assert_eq!(replay["findings"], 0);
    assert!(replay["agent_steps"].as_u64().unwrap() >= 30 * replay["ticks"].as_u64().unwrap());
    let plan = folder.path().join("plan.txt");
    good(&throng(&["replay", name, "--plan", plan.to_str().unwrap()]));
    assert!(std::fs::read_to_string(&plan).unwrap().contains("solution=\n0:("));
    let played = json(&["replay", plan.to_str().unwrap(), "--map", "builtin:arena", "--check"]);
    assert_eq!((&played["ticks"], &played["agents"]), (&run["ticks"], &run["agents"]));
    assert_eq!(played["findings"], 0);

    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    assert!(bad(&throng(&["replay", name, "--check"]), 2).contains("ticks are intact"));
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    std::fs::write(&file, altered).unwrap();
    assert!(!throng(&["replay", name, "--check"]).status.success());
    std::fs::write(&file, "not a recording").unwrap();
    bad(&throng(&["replay", name]), 2);
}

#[test]
fn a_plan_file_is_played_on_its_map() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let map = path("two.map", "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n");
    let good_plan = path("good.txt", "agents=2\nsolution=\n0:(0,0),(2,0),\n1:(0,1),(1,0),\n2:(0,1),(0,0),\n");
    let played = json(&["replay", &good_plan, "--map", &map, "--check", "--four-way"]);
    let count = |field: &str| played[field].as_u64().unwrap();
    assert_eq!((count("ticks"), count("agents"), count("steps"), count("findings")), (2, 2, 3, 0));
    assert!(good(&throng(&["replay", &good_plan, "--map", &map])).contains("steps"));

    // Two meet in one cell, one cuts the wall's corner.
    let crash = path("crash.txt", "0:(0,0),(2,0),\n1:(1,0),(1,0),\n");
    assert!(bad(&throng(&["replay", &crash, "--map", &map, "--check"]), 1).contains("SharedCell"));
    good(&throng(&["replay", &crash, "--map", &map]));
    let corner = path("corner.txt", "0:(1,0),\n1:(0,1),\n");
    assert!(bad(&throng(&["replay", &corner, "--map", &map, "--check"]), 1).contains("IllegalStep"));
    good(&throng(&["replay", &corner, "--map", &map, "--check", "--corners", "allow"]));

    let broken = path("broken.txt", "0:(0,0),\n1:(0,x),\n");
    let reason = refused(&["replay", &broken, "--map", &map]);
    assert!(reason.contains("line 2, column 6: expected a row"), "{reason}");
    assert!(refused(&["replay", &good_plan]).contains("--map MAP"));
    assert!(refused(&["replay", &good_plan, "--map", "nowhere.map"]).contains("nowhere.map"));
    bad(&throng(&["replay", &good_plan, "--corners", "allow"]), 2);
    bad(&throng(&["replay", &good_plan, "--map", &map, "--plan", "out.txt"]), 2);
}

/// A patrol prints what its loops came to, and its lanes are drawn as PNG and as SVG.
#[test]
fn patrols_are_counted_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let patrol = |more: &[&str]| {
        let words = [
            "run",
            "builtin:patrol-field",
            "--agents",
            "12",
            "--type",
            "swap-sides",
            "--loops",
            "3",
            "--planner",
        ];
        throng(&[&words[..], more].concat())
    };
    let text = good(&patrol(&["lra", "--arrows", &path("lanes.svg")]));
    assert!(text.contains("loops         36 walked") && text.contains("coherence     0."), "{text}");
    let svg = std::fs::read_to_string(path("lanes.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("stroke="), "{svg}");
    good(&patrol(&["whca", "--arrows", &path("lanes.png")]));
    assert_eq!(&std::fs::read(path("lanes.png")).unwrap()[1..4], b"PNG");
    let json = document(&patrol(&["whca", "--json"]));
    assert_eq!((&json["loops_done"], &json["completion_rate"]), (&36.into(), &1.0.into()));
    assert!(
        json["loop_distance"].as_f64().unwrap() > 60.0
            && json["travel_over_shortest"].as_f64().unwrap() >= 1.0
    );
    let error = bad(&patrol(&["lra", "--arrows", &path("lanes.gif")]), 2);
    assert!(error.contains("lanes.png") && error.contains("lanes.svg"), "{error}");
    let error = bad(
        &throng(&[
            "run",
            "builtin:town",
            "--agents",
            "2",
            "--type",
            "inside-out",
            "--loops",
            "3",
            "--planner",
            "lra",
        ]),
        2,
    );
    assert!(error.contains("patrols are of type random or swap-sides"), "{error}");
}

/// A direction map that one crowd has learned is followed by another, and nobody follows one that is not there.
#[test]
fn directions_are_kept_and_followed() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("arena.directions");
    let file = file.to_str().unwrap();
    let run = |planner: &str, more: &[&str]| {
        let usual = ["run", "builtin:arena", "--agents", "20", "--max-ticks", "60", "--planner", planner];
        throng(&[&usual[..], more].concat())
    };
    good(&run("dm", &["--save-directions", file]));
    assert!(fs::metadata(file).unwrap().len() > 500);
    good(&run("dm", &["--directions", file]));
    good(&run("far:directions=on", &["--directions", file]));
    good(&run(&format!("dm-greedy:map={file}"), &[]));
    let message = bad(&run("dm-greedy", &[]), 2);
    assert!(message.contains("follows a direction map and has none"), "{message}");
    let message = bad(&run("pibt", &["--directions", file]), 2);
    assert!(message.contains("no use for this direction map"), "{message}");
    let message = bad(&run("pibt", &["--save-directions", file]), 2);
    assert!(message.contains("learns no direction map"), "{message}");
    fs::write(file, b"type octile").unwrap();
    let message = bad(&run("dm", &["--directions", file]), 2);
    assert!(message.contains("not a direction map"), "{message}");
}
