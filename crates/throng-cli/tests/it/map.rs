//! `throng map`.

use std::fs;

use crate::support::{Folder, PNG, failure, json, success, throng};

#[test]
fn generated_maps_can_be_read_and_searched() {
    let folder = Folder::new();
    let file = &folder.path("caves.map");
    let generate = |seed| {
        let kind = "caves:walls=48";
        let made = json(&["map", "generate", kind, "--size", "64x48", "--seed", seed, "-o", file]);
        assert_eq!(made["kind"], kind);
        (made["free_cells"].clone(), fs::read(file).unwrap())
    };
    let (free, bytes) = generate("7");
    assert_eq!(generate("7"), (free.clone(), bytes.clone()));
    assert_ne!(generate("8").1, bytes);
    generate("7");

    let info = json(&["map", "info", file]);
    assert_eq!((&info["width"], &info["height"], &info["free_cells"]), (&64.into(), &48.into(), &free));
    assert_eq!((&info["components"], &info["largest_component"]), (&1.into(), &free));
    assert_eq!(info["fingerprint"].as_str().unwrap().len(), 16);

    let text = String::from_utf8(bytes).unwrap();
    let rows: Vec<&str> = text.lines().skip(4).collect();
    let free =
        (0..48).flat_map(|y| (0..64).map(move |x| (x, y))).filter(|&(x, y)| rows[y].as_bytes()[x] == b'.');
    let free: Vec<String> = free.map(|(x, y)| format!("{x},{y}")).collect();
    let path = json(&["path", file, "--from", &free[0], "--to", &free[free.len() - 1]]);
    assert_eq!(path["found"], true);
}

#[test]
fn info_describes_the_file() {
    let folder = Folder::new();
    let file = &folder.write("small.map", "type octile\nheight 3\nwidth 5\nmap\n..@.T\n..@..\n@@@GW\n");
    let info = json(&["map", "info", file]);
    assert_eq!((&info["cells"], &info["free_cells"]), (&15.into(), &8.into()));
    assert_eq!((&info["components"], &info["largest_component"]), (&2.into(), &4.into()));
    assert_eq!(
        info["terrain"],
        serde_json::json!({"ground": 7, "grass": 1, "trees": 1, "wall": 5, "water": 1})
    );
    for key in ["corridor_cells", "dead_ends", "chokepoints", "articulation_cells"] {
        assert!(info["regions"][key].is_u64(), "{key}");
    }
    let wc3 = json(&["map", "info", file, "--terrain", "wc3"]);
    assert_eq!(wc3["free_cells"], 10);
    assert_ne!(wc3["fingerprint"], info["fingerprint"]);
    let text = success(&throng(&["map", "info", file]));
    assert!(text.contains("8 (53.3 %)"), "{text}");
}

#[test]
fn malformed_maps_are_refused_with_line_and_column() {
    let folder = Folder::new();
    let file = &folder.write("bad.map", "type octile\nheight 2\nwidth 3\nmap\n..@\n.x.\n");
    let text = failure(&throng(&["map", "info", file]), 2);
    assert_eq!(text, format!("error: {file}:6:2: found `x`, expected one of . G S W T @ O\n"));
    assert!(
        failure(&throng(&["map", "info", "no/such.map", "--json"]), 2).contains("cannot read no/such.map")
    );
    assert!(failure(&throng(&["map", "info", "arena"]), 2).contains("`builtin:arena`"));
    assert!(failure(&throng(&["map", "info", "builtin:arean"]), 2).contains("`arena`"));
}

#[test]
fn bad_settings_are_refused_before_writing() {
    let folder = Folder::new();
    let file = folder.join("x.map");
    for (kind, size, reason) in [
        ("cavse", "9x9", "there is no generator `cavse`: did you mean `caves`?"),
        ("caves:wals=1", "9x9", "`caves` has no parameter `wals`: did you mean `walls`?"),
        ("caves:walls=101", "9x9", "expected 0 to 100"),
        ("caves:walls=-1", "9x9", "expected 0 to 100"),
        ("caves:walls", "9x9", "write `caves:key=value,key=value`"),
        ("caves:walls=1,walls=2", "9x9", "given twice"),
        ("caves", "2x9", "at least 3"),
        ("caves", "0x9", "each side must have 1 to 65535"),
        ("caves", "9", "WxH"),
    ] {
        let arguments = ["map", "generate", kind, "--size", size, "--seed", "1", "-o"];
        let text = failure(&throng(&[&arguments[..], &[file.to_str().unwrap()]].concat()), 2);
        assert!(text.contains(reason), "{text}");
        assert!(!file.exists());
    }
    let nowhere = folder.path("no/x.map");
    let arguments = ["map", "generate", "caves", "--size", "9x9", "--seed", "1", "-o", &nowhere];
    assert!(failure(&throng(&arguments), 1).contains("cannot write"));
}

#[test]
fn pictures_are_png_files_of_the_right_size() {
    let folder = Folder::new();
    let out = &folder.path("arena.png");
    let render = |more: &[&str]| {
        let arguments = ["map", "render", "builtin:arena", "-o", out];
        success(&throng(&[&arguments, more].concat()));
        let bytes = fs::read(out).unwrap();
        assert!(bytes.starts_with(PNG));
        bytes
    };
    let plain = render(&["--scale", "3"]);
    // Width and height in the header: 49 cells of 3 pixels.
    assert_eq!((&plain[16..20], &plain[20..24]), (&[0, 0, 0, 147][..], &[0, 0, 0, 147][..]));
    let path = ["--scale", "3", "--from", "24,4", "--to", "24,44"];
    assert_ne!(render(&path), plain);
    assert_ne!(render(&[&path[..], &["--search", "jps"]].concat()), render(&path));

    assert!(
        failure(&throng(&["map", "render", "builtin:arena", "-o", out, "--scale", "0"]), 2).contains("scale")
    );
    let blocked = ["map", "render", "builtin:arena", "-o", out, "--from", "0,0", "--to", "24,4"];
    assert!(failure(&throng(&blocked), 1).contains("blocked"));
}

/// A direction map is drawn on its own map and refused on others.
#[test]
fn direction_maps_are_drawn() {
    use throng::grid::{Cell, Size};
    use throng_toolkit::{DirectionMap, Rate};
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    let mut lanes = DirectionMap::new(Size::new(64, 64).unwrap());
    lanes.learn(Cell(5), Cell(6), Rate::millionths(500_000));
    fs::write(path("lanes.dm"), lanes.to_bytes()).unwrap();
    let render = |map: &str, out: &str| {
        throng(&["map", "render", map, "-o", &path(out), "--directions", &path("lanes.dm")])
    };
    success(&render("builtin:patrol-field", "lanes.svg"));
    let svg = fs::read_to_string(path("lanes.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("stroke="), "{svg}");
    success(&render("builtin:patrol-field", "lanes.png"));
    assert!(fs::read(path("lanes.png")).unwrap().starts_with(PNG));
    let error = failure(&render("builtin:arena", "lanes.svg"), 2);
    assert!(error.contains("the direction map is for 64×64 cells"), "{error}");
    fs::write(path("lanes.dm"), b"something else").unwrap();
    assert!(failure(&render("builtin:patrol-field", "lanes.svg"), 2).contains("lanes.dm"));
}
