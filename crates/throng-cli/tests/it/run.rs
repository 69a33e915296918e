//! `throng run`.

use std::fs;

use crate::support::{Folder, document, failure, is_animated, json, keys, refusal, success, throng};

/// The fields of a result.
pub(crate) const FIELDS: [&str; 26] = [
    "agents",
    "collisions",
    "completion_rate",
    "completion_seconds_mean",
    "completion_ticks_mean",
    "delay_mean",
    "expansions",
    "failed_moves",
    "idle_ticks_max",
    "map",
    "overruled",
    "peak_bytes",
    "planner",
    "prepare_seconds",
    "seed",
    "shortest_agents",
    "shortest_mean",
    "shortest_steps_mean",
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

#[test]
fn results_have_the_documented_fields() {
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
fn threads_do_not_change_the_result() {
    let hash = |more: &[&str]| json(&[&RUN, more].concat())["state_hash"].clone();
    let one = hash(&["--threads", "1"]);
    assert_eq!(one, hash(&["--threads", "2"]));
    assert_eq!(one, hash(&["--seed", "1"]));
    assert_ne!(one, hash(&["--seed", "2"]));
}

#[test]
fn pictures_and_animations_are_written() {
    let folder = Folder::new();
    let (picture, animation) = (folder.path("picture.png"), folder.path("animation.PNG"));
    let text = success(&throng(&[&RUN[..], &["-o", &picture, "--animation", &animation]].concat()));
    assert!(text.contains("\npicture ") && text.contains("\nanimation "), "{text}");
    assert!(!is_animated(&folder.read("picture.png")));
    assert!(is_animated(&folder.read("animation.PNG")));

    let text = failure(&throng(&[&RUN[..], &["--animation", &folder.path("no/a.png")]].concat()), 1);
    assert!(text.contains("cannot write"), "{text}");
    let text = refusal(&[&RUN[..], &["--animation", "a.gif"]].concat());
    assert!(text.contains("a.png"), "{text}");
}

#[test]
fn impossible_runs_are_refused_with_a_reason() {
    let run = |agents: &str, planner: &str, more: &[&str]| {
        let arguments = ["run", "builtin:arena", "--agents", agents, "--planner", planner];
        refusal(&[&arguments[..], more].concat())
    };
    assert!(run("3000", "far", &[]).contains("3000 agents do not fit"));
    for none in ["0", "many"] {
        assert!(run(none, "far", &[]).contains("--agents"), "{none}");
    }
    assert!(run("0", "far", &[]).contains("at least 1"));
    assert!(run("5", "farr", &[]).contains("did you mean `far`?"));
    let text = run("5", "far:reserv=3", &[]);
    assert!(text.contains("did you mean `reserve`?"), "{text}");
    let text = run("5", "far", &["--type", "swap-side"]);
    assert!(text.contains("did you mean swap-sides?"), "{text}");
    assert!(run("5", "far", &["--budget", "lots"]).contains("number of units"));
    assert!(run("5", "far", &["--wall-limit", "0"]).contains("seconds"));
    assert!(["0", "0us"].iter().all(|none| run("5", "far", &["--budget", none]).contains("positive number")));
}

#[test]
fn scenario_files_give_as_many_agents_as_they_have_problems() {
    let folder = Folder::new();
    let map = folder.write("a.map", "type octile\nheight 2\nwidth 4\nmap\n....\n....\n");
    let line = |from: &str, to: &str, length: u32| format!("0\ta.map\t4\t2\t{from}\t{to}\t{length}\n");
    let lines = line("0\t0", "3\t0", 3) + &line("0\t1", "3\t1", 3);
    let scen = folder.write("a.map.scen", format!("version 1\n{lines}"));
    let run = |agents| ["run", &map, "--scen", &scen, "--planner", "far", "--agents", agents];
    let found = json(&run("2"));
    assert_eq!((&found["type"], &found["completion_rate"]), (&"scenario".into(), &1.0.into()));
    let text = refusal(&run("3"));
    assert!(text.contains("2 problems") && text.contains('3'), "{text}");
}

/// Runs a crowd without end; the goals of a run do not depend on the planner, its throughput does.
#[test]
fn lifelong_runs_report_their_throughput() {
    let run =
        ["run", "builtin:arena", "--agents", "30", "--lifelong", "--max-ticks", "150", "--planner", "pibt"];
    let found = json(&[&run[..], &["--warm-up", "50"]].concat());
    let [throughput, finished, ticks, served] =
        ["throughput", "tasks_finished", "task_ticks_mean", "served_rate"]
            .map(|key| found[key].as_f64().unwrap());
    assert_eq!((&found["stopped"], &found["warm_up"]), (&"ticks".into(), &50.into()));
    assert!(throughput > 0.1 && throughput * 100.0 < finished && ticks > 5.0 && served > 0.5, "{found}");
    assert_eq!((&found["collisions"], &found["delay_mean"]), (&0.into(), &serde_json::Value::Null));
    let text = success(&throng(&[&run[..], &["--warm-up", "0"]].concat()));
    assert!(text.contains("\nthroughput ") && !text.contains("shortest path"), "{text}");
    assert!(refusal(&run).contains("--warm-up"));
    let text = failure(&throng(&[&RUN[..], &["--warm-up", "5"]].concat()), 2);
    assert!(text.contains("--lifelong"), "{text}");
    assert!(refusal(&[&run[..], &["--loops", "3"]].concat()).contains("--loops"));
}

/// Runs a patrol on an open field, with a planner and more options.
fn patrol(more: &[&str]) -> std::process::Output {
    let arguments = ["run", "builtin:patrol-field", "--agents", "12", "--type", "swap-sides", "--loops", "3"];
    throng(&[&arguments[..], &["--planner"], more].concat())
}

#[test]
fn patrols_report_their_loops_and_draw_their_lanes() {
    let folder = Folder::new();
    let text = success(&patrol(&["lra", "--arrows", &folder.path("lanes.svg")]));
    assert!(text.contains("loops         36 completed") && text.contains("coherence     0."), "{text}");
    let svg = folder.read_text("lanes.svg");
    assert!(svg.starts_with("<svg") && svg.contains("stroke="), "{svg}");
    success(&patrol(&["whca", "--arrows", &folder.path("lanes.png")]));
    assert_eq!(&folder.read("lanes.png")[1..4], b"PNG");
    let json = document(&patrol(&["whca", "--json"]));
    assert_eq!((&json["loops_done"], &json["completion_rate"]), (&36.into(), &1.0.into()));
    assert!(json["loop_distance"].as_f64().unwrap() > 60.0);
    assert!(json["travel_over_shortest"].as_f64().unwrap() >= 1.0);
    let error = failure(&patrol(&["lra", "--arrows", &folder.path("lanes.gif")]), 2);
    assert!(error.contains("lanes.png") && error.contains("lanes.svg"), "{error}");
    let arguments = ["run", "builtin:town", "--agents", "2", "--type", "inside-out", "--loops", "3"];
    let error = refusal(&[&arguments[..], &["--planner", "lra"]].concat());
    assert!(error.contains("random") && error.contains("swap-sides"), "{error}");
}

#[test]
fn direction_maps_are_saved_and_loaded() {
    let folder = Folder::new();
    let file = folder.path("arena.directions");
    let run = |planner: &str, more: &[&str]| {
        let usual = ["run", "builtin:arena", "--agents", "20", "--max-ticks", "60", "--planner", planner];
        throng(&[&usual[..], more].concat())
    };
    success(&run("dm", &["--save-directions", &file]));
    assert!(fs::metadata(&file).unwrap().len() > 500);
    success(&run("dm", &["--directions", &file]));
    success(&run("far:directions=on", &["--directions", &file]));
    success(&run(&format!("dm-greedy:map={file}"), &[]));
    let message = failure(&run("dm-greedy", &[]), 2);
    assert!(message.contains("direction map"), "{message}");
    let message = failure(&run("pibt", &["--directions", &file]), 2);
    assert!(message.contains("direction map"), "{message}");
    let message = failure(&run("pibt", &["--save-directions", &file]), 2);
    assert!(message.contains("learns no direction map"), "{message}");
    fs::write(&file, b"type octile").unwrap();
    let message = failure(&run("dm", &["--directions", &file]), 2);
    assert!(message.contains("not a direction map"), "{message}");
}

#[test]
fn agents_explore_an_unknown_map() {
    let run = |planner: &str, fog: &[&str]| {
        [&["run", "builtin:rooms", "--agents", "12", "--planner", planner], fog].concat().join(" ")
    };
    let of = |planner: &str, fog: &[&str]| json(&run(planner, fog).split(' ').collect::<Vec<_>>());
    let (whole, own) = (of("lra", &[]), of("lra", &["--fog", "3"]));
    let shared = of("bmaa-f", &["--fog", "3:shared"]);
    for found in [&own, &shared] {
        assert!(found["discoveries"].as_u64().unwrap() > 0, "{found}");
        assert_eq!((&found["collisions"], &found["overruled"]), (&0.into(), &0.into()));
    }
    assert!(
        whole.get("discoveries").is_none() && own["travel_mean"].as_f64() > whole["travel_mean"].as_f64()
    );
    let refused =
        |planner: &str, fog: &str| refusal(&run(planner, &["--fog", fog]).split(' ').collect::<Vec<_>>());
    let text = refused("whca", "3");
    assert!(text.contains("`whca` requires the whole map") && text.contains("bmaa, lra, dm, rtaa"), "{text}");
    assert!(refused("bmaa-f", "3").contains("let the agents share one map"));
    assert!(refused("lra", "0").contains("8:shared"));
}

/// The recording grows while the run goes on, Ctrl-C ends the run with a whole recording, and a killed one leaves what it had
/// beside the older recording.
#[test]
#[cfg(unix)]
fn a_recording_survives_the_end_of_the_program() {
    let folder = Folder::new();
    let file = folder.write("run.throng", "an older recording");
    let arguments = ["run", "builtin:warehouse", "--agents", "60", "--lifelong", "--max-ticks", "100000000"];
    let start = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(arguments).args(["--planner", "pibt", "--record", &file, "--json"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let beside = folder.join("run.throng.new");
        while beside.metadata().map_or(0, |metadata| metadata.len()) < 100_000 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child
    };
    let mut killed = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(folder.read("run.throng"), b"an older recording");
    let left = folder.write("left.throng", folder.read("run.throng.new"));
    let played = throng(&["replay", &left, "--check"]);
    assert!(success(&played).contains("no violations"));
    std::fs::remove_file(folder.join("run.throng.new")).unwrap();
    let stopped = start();
    let signal = std::process::Command::new("kill").args(["-INT", &stopped.id().to_string()]).status();
    assert!(signal.unwrap().success());
    let output = stopped.wait_with_output().unwrap();
    let text = failure(&output, 130);
    assert!(text.contains("Ctrl-C"), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stopped"], "interrupted");
    let played = json(&["replay", &file, "--check"]);
    assert_eq!((&played["ticks"], &played["findings"]), (&report["ticks"], &0.into()));
    assert_eq!(played["cut_short"], false);
    assert!(!folder.join("run.throng.new").exists());
}
