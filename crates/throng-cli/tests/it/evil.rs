//! Files that were made to exhaust memory or time: each is refused by name, or read, within 512 MiB of address space and two
//! seconds of CPU. Every file that once did not is here; large ones are made by code.

use std::process::{Command, Output};

use throng::{Area, Budget, Grid, MoveRules, Pos, Profile, Settings, Tiles, World};
use throng_crowd::{Input, Recording, Stationary};
use throng_lab::RunRow;
use throng_lab::files::Files;
use throng_lab::store::{JOURNAL_FILE, RESULTS_FILE, write_rows};
use twox_hash::XxHash3_64;

use crate::support::{Folder, failure, success};

/// Address space in KiB, and seconds of CPU.
const LIMITS: &str = "ulimit -v 524288 && ulimit -t 2";

/// Runs `throng …` within the limits.
fn limited(arguments: &[&str]) -> Output {
    within(LIMITS, arguments)
}

/// Runs `throng …` after these commands of the shell.
fn within(limits: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits} && exec \"$@\""), "sh", env!("CARGO_BIN_EXE_throng")]);
    // Each arena of the allocator reserves 64 MiB of address space, used or not.
    command.args(arguments).env("THRONG_DATA", "/nowhere").env("MALLOC_ARENA_MAX", "1").output().unwrap()
}

/// Checks that a command refuses its input with one line that has these words.
fn refused(arguments: &[&str], words: &[&str]) {
    let text = failure(&limited(arguments), 2);
    assert!(text.starts_with("error: ") && !text.contains("panicked"), "{arguments:?}: {text}");
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}

#[test]
fn evil_maps_are_refused() {
    let folder = Folder::new();
    refused(&["map", "info", "/dev/zero"], &["/dev/zero", "`map-file`"]);
    let huge = folder.write("huge.map", "type octile\nheight 65535\nwidth 65535\nmap\n");
    refused(&["map", "info", &huge], &["huge.map", "65535x65535"]);
    let empty = folder.write("empty.map", "type octile\nheight 4096\nwidth 4096\nmap\n");
    refused(&["map", "info", &empty], &["empty.map", "found 0 rows"]);
    let scenario = folder.write("wide.scen", "version 1\n".to_owned() + &"1 ".repeat(4 << 20));
    refused(&["path", "builtin:arena", "--scen", &scenario], &["wide.scen"]);
}

#[test]
fn evil_experiments_are_planned_or_refused() {
    let folder = Folder::new();
    // 250 bytes that stand for five million runs.
    let text =
        "maps = \"builtin:arena\"\nplanners = \"far\"\nagents = [1,2,3,4,5,6,7,8,9,10]\nmax_ticks = 9\n";
    let many = folder.write("many.toml", format!("{text}instances = 100000\nbudgets = [1, 2, 3, 4, 5]\n"));
    let shown = success(&limited(&["lab", "show", &many, "--json"]));
    assert!(shown.contains("\"runs\": 5000000") || shown.contains("\"runs\":5000000"), "{}", &shown[..400]);
    let more = folder.write("more.toml", format!("{text}instances = 100000\nbudgets = [1, 2, 3, 4, 5, 6]\n"));
    refused(&["lab", "show", &more], &["more.toml", "`experiment-runs`"]);
    let list = |count: u32| (1..=count).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let with_list = |count| text.replace("1,2,3,4,5,6,7,8,9,10", &list(count));
    let long = folder.write("long.toml", with_list(90_000));
    success(&limited(&["lab", "show", &long, "--json"]));
    let longer = folder.write("longer.toml", with_list(100_001));
    refused(&["lab", "show", &longer], &["longer.toml:", "`experiment-values`"]);
    let instances = folder.write("instances.toml", format!("{text}instances = 100001\n"));
    refused(&["lab", "show", &instances], &["instances.toml:5:13", "`experiment-instances`"]);
    let large = folder.write("large.toml", "#".repeat((1 << 20) + 1));
    refused(&["lab", "show", &large], &["large.toml", "`experiment-file`"]);
}

fn empty_world(grid: Grid) -> World {
    World::new(grid, Box::new(Stationary), Settings::default()).unwrap()
}

/// Returns a recording of one tick.
fn recording(grid: Grid) -> Recording {
    let mut world = empty_world(grid);
    world.start_recording();
    world.tick(Budget::Unlimited, &mut Vec::new());
    Recording::read(&world.finish_recording().unwrap()).unwrap()
}

/// A recording of one megabyte whose snapshot has 256 profiles on the largest map.
#[test]
fn a_recording_with_many_profiles_on_a_large_map_is_refused() {
    let size = throng::Size::new(16, 16).unwrap();
    let mut grid = Grid::new(Tiles::filled(size, throng::Terrain::Ground), MoveRules::default());
    for profile in [Profile::WALKER, Profile::WC3] {
        for class in 0..32 {
            grid.add_profile(profile.with_class(class).unwrap());
        }
    }
    assert!(grid.grounds().len() > 60);
    let snapshot = empty_world(grid).snapshot();
    let varint = |number: usize| {
        let (mut bytes, mut rest) = (Vec::new(), number);
        while rest >= 128 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    };
    // The cells are runs of sixteen, one byte each; before them is their number.
    let runs = [&[16_u8][..], &[0xF0; 16]].concat();
    let cells = snapshot.windows(17).position(|window| window == runs).unwrap();
    // Width and height follow the name of the planner.
    let sides = snapshot.windows(2).position(|window| window == [16, 16]).unwrap();
    let side = varint(4_096);
    let large = [
        &snapshot[..sides],
        &side,
        &side,
        &snapshot[sides + 2..cells],
        &varint(1 << 20),
        &vec![0xF0; 1 << 20],
        &snapshot[cells + 17..snapshot.len() - 8],
    ]
    .concat();
    let sealed = [&large[..], &XxHash3_64::oneshot(&large).to_le_bytes()].concat();
    let version = recording(Grid::new(Tiles::picture("..\n.."), MoveRules::default())).write()[8];
    let begun = [&b"throng-r"[..], &[version], &varint(sealed.len()), &sealed].concat();
    let recording = [&begun[..], &XxHash3_64::oneshot(&begun).to_le_bytes()].concat();
    let folder = Folder::new();
    let file = folder.write("profiles.throng", recording);
    refused(&["replay", &file, "--check"], &["profiles.throng", "`snapshot-cells`"]);
}

/// Recordings below 600 kB whose edits touch the whole map again and again, or in very many ticks.
#[test]
fn recordings_with_endless_edits_are_refused() {
    let (size, folder) = (throng::Size::new(1_024, 1_024).unwrap(), Folder::new());
    let mut whole = recording(Grid::new(Tiles::filled(size, throng::Terrain::Ground), MoveRules::default()));
    let tick = whole.ticks[0].clone();
    let area = Area::rect(Pos::new(0, 0), Pos::new(1_023, 1_023));
    for _ in 0..20_000 {
        whole.ticks[0].inputs.extend([Input::Block(area), Input::Unblock(area)]);
    }
    let bytes = whole.write();
    assert!(bytes.len() < 600_000, "{}", bytes.len());
    let file = folder.write("edits.throng", bytes);
    for arguments in [vec!["replay", &file], vec!["replay", &file, "--check"]] {
        refused(&arguments, &["edits.throng", "`recording-edits`", "--unlimited"]);
    }
    whole.ticks.clear();
    for number in 0..20_000 {
        let mut tick = tick.clone();
        let cell = Area::Cell(Pos::new(number % 7, 0));
        tick.inputs.push(if number % 2 == 0 { Input::Block(cell) } else { Input::Unblock(cell) });
        whole.ticks.push(tick);
    }
    let bytes = whole.write();
    assert!(bytes.len() < 700_000, "{}", bytes.len());
    let file = folder.write("floods.throng", bytes);
    refused(&["replay", &file, "--check"], &["floods.throng", "`recording-floods`", "--unlimited"]);
}

/// A hundred edits of a whole map are checked in time; each once copied a list per cell.
#[test]
fn edits_of_a_whole_map_are_checked_in_time() {
    let (size, folder) = (throng::Size::new(256, 256).unwrap(), Folder::new());
    let mut world =
        empty_world(Grid::new(Tiles::filled(size, throng::Terrain::Ground), MoveRules::default()));
    world.start_recording();
    let area = Area::rect(Pos::new(0, 0), Pos::new(255, 255));
    for _ in 0..50 {
        world.block(area);
        world.unblock(area);
    }
    world.tick(Budget::Unlimited, &mut Vec::new());
    let file = folder.write("whole.throng", world.finish_recording().unwrap());
    success(&limited(&["replay", &file, "--check"]));
}

/// Tables whose page headers, lists or numbers of rows state far more than the file has.
#[test]
fn evil_tables_are_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.join("out")).unwrap();
    let rows: Vec<RunRow> = (0..200_u64)
        .map(|number| {
            let mut row = RunRow::new();
            row.set("run", format!("{number:016x}"));
            row.set("agents", number);
            row
        })
        .collect();
    write_rows(&Files::default(), &folder.join("out").join(RESULTS_FILE), &rows).unwrap();
    let whole = folder.read("out/results.parquet");
    let out = folder.path("out");
    let huge = [0xFE, 0xFF, 0xFF, 0xFF, 0x0F];
    // The first page header: its kind, then its uncompressed size.
    assert_eq!((whole[4], whole[6]), (0x15, 0x15));
    let end = (7..whole.len()).find(|&at| whole[at] < 128).unwrap() + 1;
    let page = [&whole[..7], &huge, &whole[end..]].concat();
    // The metadata begin with the version, then a list of the schema.
    let length = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let start = whole.len() - 8 - length;
    let list = (start..whole.len()).find(|&at| whole[at] == 0x19).unwrap() + 1;
    let elements = [&whole[..list], &[0xFC], &huge, &whole[list + 1..]].concat();
    let mut resized = elements.clone();
    let at = resized.len() - 8;
    resized[at..at + 4].copy_from_slice(&(length as u32 + 5).to_le_bytes());
    for (name, bytes) in [("page", page), ("schema", resized)] {
        folder.write("out/results.parquet", bytes);
        refused(&["lab", "report", &out, "--no-pictures"], &["results.parquet", "damaged"]);
        eprintln!("{name} is refused");
    }
    // Wherever a byte is altered, no message of the decoder reaches the terminal.
    for at in (start..whole.len()).step_by(whole.len().div_ceil(60)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        folder.write("out/results.parquet", bytes);
        let output = limited(&["lab", "report", &out, "--no-pictures"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains("panicked") && text.lines().count() <= 2, "byte {at}: {text}");
        assert!(output.status.code().is_some(), "byte {at}: {output:?}");
    }
}

/// Every offset of the journal looks like an entry, so that a checksum at each would take minutes.
#[test]
fn an_evil_journal_is_refused() {
    let folder = Folder::new();
    let made = folder
        .write("mine.toml", "maps = \"builtin:arena\"\nagents = 2\nmax_ticks = 5\nplanners = \"far\"\n");
    let out = folder.path("out");
    // A folder where the table should be written keeps the journal.
    std::fs::create_dir_all(folder.join("out/results.parquet.new")).unwrap();
    let arguments = ["lab", "run", &made, "-o", &out, "--resume", "--scale", "smoke"];
    assert!(!limited(&arguments).status.success());
    let journal = folder.read(&format!("out/{JOURNAL_FILE}"));
    let entries: Vec<u8> = [0, 0, 16, 0].into_iter().cycle().take(4 << 20).collect();
    folder.write(&format!("out/{JOURNAL_FILE}"), [&journal[..8], &entries].concat());
    refused(&["lab", "report", &out], &["journal", "damaged"]);
    // A last entry of full length with a wrong checksum does not vanish without a word.
    let mut altered = journal.clone();
    *altered.last_mut().unwrap() ^= 1;
    folder.write(&format!("out/{JOURNAL_FILE}"), altered);
    let output = limited(&["lab", "report", &out, "--no-pictures"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("warning") && text.contains("wrong checksum") && text.contains("journal"),
        "{text}"
    );
}

#[test]
fn evil_databases_models_plans_and_direction_maps_are_refused() {
    let folder = Folder::new();
    refused(&["cpd", "info", "/dev/zero"], &["/dev/zero"]);
    let plan = folder.write("far.txt", "0:(65535,65535),(0,0),\n1:(0,0),(65535,65535),\n");
    let output = limited(&["replay", &plan, "--map", "builtin:arena", "--check"]);
    assert!(failure(&output, 1).contains("far.txt"));
    let model = folder.write("cut.model", b"throngmodel\0\x01\0\0\0");
    let run = ["run", "builtin:arena", "--agents", "2", "--planner", "auto", "--model"];
    refused(&[&run[..], &[&model]].concat(), &["cut.model"]);
    let directions = folder.write("none.directions", "nothing");
    let run = ["run", "builtin:arena", "--agents", "2", "--planner", "dm", "--directions"];
    refused(&[&run[..], &[&directions]].concat(), &["none.directions"]);
}

/// A device stays a device, and nothing is left beside it.
#[test]
#[cfg(unix)]
fn a_database_is_not_built_over_a_device() {
    refused(&["cpd", "build", "builtin:arena", "-o", "/dev/null"], &["/dev/null", "no regular file"]);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    assert!(!std::path::Path::new("/dev/null.partial").exists());
}

#[test]
fn control_characters_of_file_names_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let name = folder.path("\u{1b}[31mred.map");
    let text = failure(&limited(&["map", "info", &name]), 2);
    assert!(!text.contains('\u{1b}') && text.contains("\\u{1b}[31mred.map"), "{text:?}");
    std::fs::write(&name, "type octile\nheight 1\nwidth 1\nmap\n.\n").unwrap();
    let text = success(&limited(&["map", "info", &name]));
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// Every kind of file one byte beyond its limit. The files have holes and take no room on the disk.
#[test]
fn files_beyond_their_limit_are_refused_by_its_name() {
    let folder = Folder::new();
    let run = |planner| ["run", "builtin:arena", "--agents", "2", "--planner", planner];
    let cases: [(u64, &str, &str, Vec<&str>); 9] = [
        (64 << 20, "map-file", "a.map", vec!["map", "info"]),
        (64 << 20, "scenario-file", "a.scen", vec!["path", "builtin:arena", "--scen"]),
        (2 << 30, "recording-file", "a.throng", vec!["replay"]),
        (1 << 30, "plan-file", "a.plan", vec!["replay", "--map", "builtin:arena"]),
        (8 << 30, "cpd-file", "a.cpd", vec!["cpd", "info"]),
        (64 << 20, "model-file", "a.model", [&run("auto")[..], &["--model"]].concat()),
        (128 << 20, "direction-map-file", "a.directions", [&run("dm")[..], &["--directions"]].concat()),
        (1 << 20, "experiment-file", "a.toml", vec!["lab", "show"]),
        (1 << 30, "table-file", RESULTS_FILE, vec!["lab", "report"]),
    ];
    for (limit, name, file, mut arguments) in cases {
        let path = folder.path(file);
        std::fs::File::create(&path).unwrap().set_len(limit + 1).unwrap();
        arguments.push(&path);
        refused(&arguments, &[file, &format!("`{name}`")]);
    }
}

/// Address space in KiB for two agents on the largest map. Tables per cell count as a whole here, also where nothing of them was
/// touched.
const LARGE: &str = "ulimit -v 3145728";

/// Planners allocate by what their agents touch, so that two agents on the largest map need little beyond the map.
#[test]
#[ignore = "soak: a map of 16 million cells under every planner"]
fn soak_large_map() {
    let folder = Folder::new();
    let size = throng::Size::new(4_096, 4_096).unwrap();
    let tiles = throng::grid::generate::generate("random:walls=10", size, 1).unwrap();
    let map = folder.write("large.map", throng::grid::movingai::write_map(&tiles));
    // `dm-greedy` needs a learned direction map.
    for info in throng_planners::PLANNERS.iter().filter(|info| info.name != "dm-greedy") {
        let arguments = ["run", &map, "--agents", "2", "--planner", info.name, "--max-ticks", "3", "--json"];
        let begun = std::time::Instant::now();
        success(&within(LARGE, &arguments));
        println!("{:<10} {:.1} s", info.name, begun.elapsed().as_secs_f64());
    }
}
