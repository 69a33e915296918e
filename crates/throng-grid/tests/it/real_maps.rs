//! The published benchmark files in the folder `THRONG_DATA`: every file is read, every map is written back unchanged,
//! and the numbers of files and problems match the folder's `README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use throng_grid::movingai::{Flaw, ParseError, Scenario, read_map, read_scenario, write_map};
use throng_grid::{Grid, MoveRules};

/// The numbers of maps, scenario files and problems.
type Counts = [usize; 3];

#[test]
#[ignore = "needs THRONG_DATA: every published file"]
fn every_published_file_is_read() {
    let folder = data();
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files(&folder) {
        let set = file.strip_prefix(&folder).unwrap().components().next().unwrap();
        let set = counts.entry(set.as_os_str().to_str().unwrap().to_owned()).or_default();
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("map") => {
                let bytes = fs::read(&file).unwrap();
                let tiles = expect(read_map(&bytes), &file);
                let lines = bytes.split(|&byte| byte == b'\n');
                let plain: Vec<&[u8]> = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
                assert!(write_map(&tiles) == plain.join(&b'\n'), "{} is written differently", file.display());
                set[0] += 1;
            }
            Some("scen") => {
                set[1] += 1;
                set[2] += scenario(&file).problems.len();
            }
            _ => {}
        }
    }
    for (set, expect) in table(&folder) {
        assert_eq!(counts.get(&set), Some(&expect), "{set}: maps, scenario files, problems");
    }
}

/// In the Dragon Age set, the problems with a listed length of 0 are those without a path.
#[test]
#[ignore = "needs THRONG_DATA: every published file"]
fn published_problems_without_a_path_are_detected() {
    let folder = data();
    let mut found = 0;
    for file in files(&folder.join("dao")).filter(|file| file.extension().is_some_and(|it| it == "scen")) {
        let scenario = scenario(&file);
        let unsolvable =
            scenario.problems.iter().filter(|it| it.length == 0.0 && it.start != it.goal).count();
        let map = file.with_extension("");
        let grid = Grid::new(expect(read_map(&fs::read(&map).unwrap()), &map), MoveRules::default());
        let flaws: Vec<Flaw> =
            scenario.problems.iter().filter_map(|problem| problem.flaw(grid.ground())).collect();
        assert_eq!(flaws, vec![Flaw::NoPath; unsolvable], "{}", file.display());
        found += unsolvable;
    }
    assert!(found > 0, "{} has no problem without a path", folder.join("dao").display());
}

fn data() -> PathBuf {
    PathBuf::from(std::env::var_os("THRONG_DATA").expect("THRONG_DATA is set"))
}

fn scenario(file: &Path) -> Scenario {
    expect(read_scenario(&fs::read(file).unwrap()), file)
}

fn expect<T>(result: Result<T, ParseError>, file: &Path) -> T {
    result.unwrap_or_else(|error| panic!("{}:{error}", file.display()))
}

/// Returns all files below a folder.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let mut todo = vec![folder.to_path_buf()];
    std::iter::from_fn(move || {
        loop {
            let path = todo.pop()?;
            if !path.is_dir() {
                return Some(path);
            }
            todo.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    })
}

/// Parses the rows ``| `set` | what | maps | scenario files (problems) | …`` of the folder's `README.md`.
fn table(folder: &Path) -> Vec<(String, Counts)> {
    let Ok(text) = fs::read_to_string(folder.join("README.md")) else {
        eprintln!("no README.md in {}: numbers not compared", folder.display());
        return Vec::new();
    };
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let set = columns.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let (scenarios, problems) = columns.get(4)?.strip_suffix(')')?.split_once(" (")?;
        let maps = columns[3].parse().ok()?;
        Some((set.to_owned(), [maps, scenarios.parse().ok()?, problems.replace(',', "").parse().ok()?]))
    };
    let rows: Vec<_> = text.lines().filter_map(row).collect();
    assert!(!rows.is_empty(), "README.md has no table of sets");
    rows
}
