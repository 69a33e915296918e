//! What is done with fuzzed bytes: each function reads them as one format and then uses what was accepted. None may panic,
//! take long or exhaust memory.
//!
//! Formats with checksums are resealed first ([`seal`]), so that the bytes behind a checksum are reached. Where the
//! fuzzer would rarely get so far, it alters what the library has written ([`alter`]): the bytes of the fuzzer are then a
//! list of places and values.

mod alter;
#[path = "../../crates/throng-capi/tests/arguments/buffer.rs"]
mod buffer;
mod calls;
#[expect(dead_code, reason = "the tests of the C ABI use all of it")]
#[path = "../../crates/throng-capi/tests/arguments/fixture.rs"]
mod fixture;
mod seal;
#[expect(dead_code, reason = "the tests of the C ABI use all of it")]
#[path = "../../crates/throng-capi/tests/arguments/table.rs"]
mod table;

use std::cell::RefCell;
use std::path::Path;
use std::sync::OnceLock;

use alter::alter;
pub use calls::calls;
use tempfile::TempDir;
use throng::{Budget, Cell, Grid, MoveRules, Pos, ProfileId, Settings, World};
use throng_cpd::{Cpd, CpdInfo};
use throng_crowd::plan_file::PlanFile;
use throng_crowd::{Recording, RunningCheck, check, snapshot};
use throng_grid::builtin::builtin;
use throng_grid::movingai::{read_map, read_scenario, write_map};
use throng_lab::files::Files;
use throng_lab::report::ReportConfig;
use throng_lab::store::{JOURNAL_FILE, RESULTS_FILE, write_rows};
use throng_lab::{Experiment, Results, RunRow};
use throng_planners::{PLANNERS, planner, restore};
use throng_select::{FEATURES, MapFeatures, Model, instance_features};
use throng_toolkit::DirectionMap;

/// A function that takes the bytes of the fuzzer.
pub type Target = fn(&[u8]);

/// All targets. Each has a file in `fuzz_targets`.
pub const TARGETS: &[(&str, Target)] = &[
    ("calls", calls),
    ("cpd", cpd),
    ("direction_map", direction_map),
    ("experiment", experiment),
    ("journal", journal),
    ("map", map),
    ("model", model),
    ("page", page),
    ("plan", plan),
    ("recording", recording),
    ("report", report),
    ("scenario", scenario),
    ("snapshot", snapshot),
    ("table", table),
];

/// A map file: what is read is written and read again.
pub fn map(data: &[u8]) {
    #[cfg(feature = "canary")]
    assert!(!data.starts_with(b"type octa"), "the canary was found");
    let Ok(tiles) = read_map(data) else { return };
    assert_eq!(read_map(&write_map(&tiles)).as_ref(), Ok(&tiles));
    if tiles.size().area() <= 1 << 16 {
        let grid = Grid::new(tiles, MoveRules::default());
        let components = grid.ground().components();
        assert_eq!(components.largest().is_some(), grid.ground().free_cells().next().is_some());
    }
}

/// A scenario file.
pub fn scenario(data: &[u8]) {
    if let Ok(scenario) = read_scenario(data) {
        assert!(scenario.problems.iter().all(|problem| problem.line > 0));
    }
}

/// A world of a dozen agents on a small map, some ticks after its start.
fn world(spec: &str) -> World {
    let grid = Grid::new(builtin("rooms").expect("a built-in map"), MoveRules::default());
    let planner = planner(spec, &grid).expect("a planner of the registry");
    let mut world = World::new(grid, planner, Settings::default()).expect("default settings");
    let cells: Vec<Pos> =
        world.grid().ground().free_cells().map(|cell| world.grid().size().pos(cell)).collect();
    for number in 0..12 {
        let (from, to) = (cells[number * 17 % cells.len()], cells[number * 101 % cells.len()]);
        if let Ok(agent) = world.spawn(throng::AgentSpec::at(from.x, from.y)) {
            world.send(agent, to).expect("a position on the map");
        }
    }
    for _ in 0..8 {
        world.tick(Budget::expansions(60), &mut Vec::new());
    }
    world
}

/// The snapshots of all planners.
fn snapshots() -> &'static [Vec<u8>] {
    static SNAPSHOTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SNAPSHOTS.get_or_init(|| PLANNERS.iter().map(|info| world(info.name).snapshot()).collect())
}

/// An altered snapshot of the planner that the first byte chooses, with a fitting checksum and state hash, then 50 ticks.
pub fn snapshot(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let all = snapshots();
    let altered = alter(&all[usize::from(choice) % all.len()], data, 8);
    let Ok(sealed) = snapshot::reseal(&altered) else { return };
    let Ok(mut world) = restore(&sealed) else { return };
    for tick in 0..50 {
        world.tick(Budget::expansions([20, 0, 300][tick % 3]), &mut Vec::new());
    }
    drop(world.snapshot());
}

fn recorded() -> &'static [u8] {
    static RECORDED: OnceLock<Vec<u8>> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let mut world = world("pibt");
        world.start_recording();
        for tick in 0..12 {
            let cell = Pos::new(tick, 3);
            world.block(cell);
            world.tick(Budget::expansions(500), &mut Vec::new());
            world.unblock(cell);
        }
        world.finish_recording().expect("a recording was started")
    })
}

/// An altered recording with fitting checksums, played and checked.
pub fn recording(data: &[u8]) {
    for bytes in [seal::recording(&alter(recorded(), data, 0)), seal::recording(data)] {
        let Ok((recording, _)) = Recording::salvage(&bytes) else { continue };
        if recording.within_limits().is_err() || recording.ticks.len() > 200 {
            continue;
        }
        let report = check(&recording);
        let mut running = RunningCheck::default();
        if running.advance(&bytes).is_ok() {
            assert_eq!(running.report(), report, "both checks find the same");
        }
        if let Ok(mut playback) = recording.play() {
            while let Ok(true) = playback.step() {}
        }
    }
}

/// An altered path database with fitting checksums, then queries.
pub fn cpd(data: &[u8]) {
    static MADE: OnceLock<(Grid, Vec<u8>)> = OnceLock::new();
    let (grid, bytes) = MADE.get_or_init(|| {
        let picture = "........\n.##.#.#.\n.#..#...\n...##.#.\n.#....#.";
        let grid = Grid::new(throng::Tiles::picture(picture), MoveRules::default());
        let bytes = Cpd::build(grid.ground()).to_bytes();
        (grid, bytes)
    });
    for bytes in [seal::database(&alter(bytes, data, 8)), seal::database(data)] {
        let _ = CpdInfo::check(&bytes);
        let Ok(cpd) = Cpd::open(&bytes, grid.ground()) else { continue };
        for from in grid.size().cells().step_by(3) {
            for to in grid.size().cells().step_by(5) {
                let _ = (cpd.first_move(from, to), cpd.distance(from, to));
            }
        }
    }
}

thread_local! {
    /// A folder for formats that are read from files, in memory where the system has that.
    static FOLDER: RefCell<TempDir> = RefCell::new(
        tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder"),
    );
}

/// Writes a file into an otherwise empty folder and calls `read` with the folder.
fn with_file(name: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    FOLDER.with_borrow(|folder| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the temporary folder can be written");
        read(folder.path());
        std::fs::remove_file(path).expect("the file can be removed");
    });
}

/// Some rows of results.
fn rows() -> Vec<RunRow> {
    let row = |number: u64| {
        let mut row = RunRow::new();
        row.set("run", format!("{number:016x}"));
        row.set("planner", ["far", "bmaa", "surge"][number as usize % 3]);
        row.set("agents", number);
        row.set("completion_rate", 1.0 / (number + 1) as f64);
        row
    };
    (0..20).map(row).collect()
}

/// A journal with fitting checksums.
pub fn journal(data: &[u8]) {
    for bytes in [seal::journal(&alter(&seal::empty_journal(), data, 0)), seal::journal(data), data.to_vec()]
    {
        with_file(JOURNAL_FILE, &bytes, |folder| drop(Results::open(&[folder])));
    }
}

/// An altered table of results.
pub fn table(data: &[u8]) {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let made = TABLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(RESULTS_FILE);
        write_rows(&Files::default(), &path, &rows()).expect("the temporary folder can be written");
        std::fs::read(path).expect("the table was written")
    });
    // A panic of the decoder is caught in its thread and returned as an error; libFuzzer's hook would end the program.
    drop(std::panic::take_hook());
    for bytes in [alter(made, data, 0), data.to_vec()] {
        with_file(RESULTS_FILE, &bytes, |folder| drop(Results::open(&[folder])));
    }
}

/// An experiment file: it is planned if it is accepted.
pub fn experiment(data: &[u8]) {
    with_file("mine.toml", data, |folder| {
        let path = folder.join("mine.toml");
        let Ok(experiment) = Experiment::open(&path.to_string_lossy()) else { return };
        for scale in ["smoke", "quick"] {
            let Ok(plan) = experiment.plan(scale) else { continue };
            for place in [0, plan.len() / 2, plan.len() - 1] {
                assert!(plan.run(place).text("run").is_some());
            }
        }
    });
}

/// The settings of a report.
pub fn report(data: &[u8]) {
    with_file("report.toml", data, |folder| {
        let _ = ReportConfig::of_folders(&[folder]).map(|config| drop(config("mine")));
    });
}

/// A model with a fitting checksum, then a prediction.
pub fn model(data: &[u8]) {
    static MADE: OnceLock<(Vec<u8>, MapFeatures, Grid)> = OnceLock::new();
    let (made, features, grid) = MADE.get_or_init(|| {
        let grid = Grid::new(builtin("rooms").expect("a built-in map"), MoveRules::default());
        let features = MapFeatures::of(grid.ground());
        (include_bytes!("../../crates/throng-planners/models/nothing-ample.model").to_vec(), features, grid)
    });
    let vector = instance_features(features, grid.ground(), &[(Cell(0), Cell(5))]);
    assert_eq!(vector.values().len(), FEATURES.len());
    for bytes in [seal::last_eight(&alter(made, data, 8)), seal::last_eight(data)] {
        if let Ok(model) = Model::read(&bytes) {
            for forest in model.forests() {
                let _ = forest.predict(vector.values());
            }
        }
    }
}

/// A plan file, checked on a map.
pub fn plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(plan) = PlanFile::read(text) else { return };
    static GRID: OnceLock<Grid> = OnceLock::new();
    let grid =
        GRID.get_or_init(|| Grid::new(builtin("rooms").expect("a built-in map"), MoveRules::default()));
    drop(plan.check(grid, ProfileId(0)));
    assert_eq!(PlanFile::read(&plan.write()).as_ref(), Ok(&plan));
}

/// A direction map with a fitting checksum.
pub fn direction_map(data: &[u8]) {
    if let Ok(map) = DirectionMap::from_bytes(&seal::last_eight(data)) {
        assert_eq!(DirectionMap::from_bytes(&map.to_bytes()).as_ref(), Ok(&map));
    }
}

/// Messages of a browser to the live page, and an upload.
pub fn page(data: &[u8]) {
    throng_view::fuzzing::messages(data);
}
