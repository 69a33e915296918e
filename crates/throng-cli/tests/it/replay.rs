//! `throng replay`.

use std::fs;

use crate::support::{Folder, document, failure, json, refusal, success, throng};

#[test]
fn recordings_are_played_and_checked_and_damage_is_detected() {
    let folder = Folder::new();
    let file = folder.path("run.throng");
    let arguments = ["run", "builtin:arena", "--agents", "30", "--planner", "bmaa-c", "--max-ticks", "300"];
    let run = json(&[&arguments[..], &["--record", &file]].concat());
    let replay = json(&["replay", &file, "--check"]);
    for field in ["ticks", "agents", "planner", "state_hash"] {
        assert_eq!(replay[field], run[field], "{field}");
    }
    assert_eq!(replay["findings"], 0);
    assert!(replay["agent_steps"].as_u64().unwrap() >= 30 * replay["ticks"].as_u64().unwrap());
    let plan = folder.path("plan.txt");
    success(&throng(&["replay", &file, "--plan", &plan]));
    assert!(folder.read_text("plan.txt").contains("solution=\n0:("));
    let played = json(&["replay", &plan, "--map", "builtin:arena", "--check"]);
    assert_eq!((&played["ticks"], &played["agents"]), (&run["ticks"], &run["agents"]));
    assert_eq!(played["findings"], 0);

    let whole = fs::read(&file).unwrap();
    // What a program that was killed has left is played up to its last whole tick.
    for cut in [9, 10, 30, 60, 200] {
        fs::write(&file, &whole[..whole.len() - cut]).unwrap();
        let output = throng(&["replay", &file, "--check", "--json"]);
        let warning = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(warning.contains("warning") && warning.contains("ticks are intact"), "{warning}");
        let played = document(&output);
        assert!(output.status.success() && played["cut_short"] == true && played["findings"] == 0);
        let ticks = played["ticks"].as_u64().unwrap();
        assert!(ticks <= run["ticks"].as_u64().unwrap() && ticks > 0, "{cut}: {ticks}");
    }
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    fs::write(&file, altered).unwrap();
    assert!(!throng(&["replay", &file, "--check"]).status.success());
    fs::write(&file, "not a recording").unwrap();
    failure(&throng(&["replay", &file]), 2);
}

#[test]
fn plan_files_are_checked_on_their_map() {
    let folder = Folder::new();
    let map = folder.write("two.map", "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n");
    let plan =
        folder.write("good.txt", "agents=2\nsolution=\n0:(0,0),(2,0),\n1:(0,1),(1,0),\n2:(0,1),(0,0),\n");
    let played = json(&["replay", &plan, "--map", &map, "--check", "--four-way"]);
    let count = |field: &str| played[field].as_u64().unwrap();
    assert_eq!((count("ticks"), count("agents"), count("steps"), count("findings")), (2, 2, 3, 0));
    assert!(success(&throng(&["replay", &plan, "--map", &map])).contains("steps"));

    // Two agents enter the same cell; one agent cuts the corner of a wall.
    let collision = folder.write("collision.txt", "0:(0,0),(2,0),\n1:(1,0),(1,0),\n");
    let text = failure(&throng(&["replay", &collision, "--map", &map, "--check"]), 1);
    assert!(text.contains("1 violation found") && text.contains("SharedCell"), "{text}");
    success(&throng(&["replay", &collision, "--map", &map]));
    let corner = folder.write("corner.txt", "0:(1,0),\n1:(0,1),\n");
    assert!(failure(&throng(&["replay", &corner, "--map", &map, "--check"]), 1).contains("IllegalStep"));
    success(&throng(&["replay", &corner, "--map", &map, "--check", "--corners", "allow"]));

    let broken = folder.write("broken.txt", "0:(0,0),\n1:(0,x),\n");
    let reason = refusal(&["replay", &broken, "--map", &map]);
    assert!(reason.contains("broken.txt:2:6: expected a row"), "{reason}");
    assert!(refusal(&["replay", &plan]).contains("--map MAP"));
    assert!(refusal(&["replay", &plan, "--map", "nowhere.map"]).contains("nowhere.map"));
    failure(&throng(&["replay", &plan, "--corners", "allow"]), 2);
    failure(&throng(&["replay", &plan, "--map", &map, "--plan", "out.txt"]), 2);
}
