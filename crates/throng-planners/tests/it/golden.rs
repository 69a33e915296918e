//! Compares results with a recorded text file, line by line, and makes the maps that such results are recorded on.

use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_grid::builtin::builtin;
use throng_grid::generate::generate;
use throng_grid::movingai::read_map;
use throng_grid::{Size, Terrain, Tiles};

/// Differing lines shown in a failure message.
const SHOWN: usize = 12;

/// Whether lines that start so are compared: all, unless `THRONG_GOLDEN_ONLY` gives the start of a line.
pub(crate) fn is_selected(line: &str) -> bool {
    std::env::var("THRONG_GOLDEN_ONLY").map_or(true, |start| line.starts_with(&start))
}

/// Panics unless the lines equal those of the file. With `THRONG_WRITE_GOLDEN` set, writes the file instead.
pub(crate) fn check(file: &Path, lines: &[String]) {
    if std::env::var_os("THRONG_WRITE_GOLDEN").is_some() {
        assert!(std::env::var_os("THRONG_GOLDEN_ONLY").is_none(), "a golden file is written as a whole");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, lines.join("\n") + "\n").unwrap();
        return;
    }
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let recorded: Vec<&str> = text.lines().filter(|line| is_selected(line)).collect();
    let count = recorded.len().max(lines.len());
    let pair = |i: usize| (recorded.get(i).copied().unwrap_or("-"), lines.get(i).map_or("-", String::as_str));
    let differing: Vec<(&str, &str)> = (0..count).map(pair).filter(|(old, new)| old != new).collect();
    let shown =
        differing.iter().take(SHOWN).map(|(old, new)| format!("  recorded {old}\n  now      {new}\n"));
    assert!(
        differing.is_empty(),
        "{} of {count} lines differ from {}; the first are\n{}If every difference is intended, record them again \
         with THRONG_WRITE_GOLDEN=1 and say why in the commit message.",
        differing.len(),
        file.display(),
        shown.collect::<String>(),
    );
}

/// Adds a value to a hash that depends on the order of values.
pub(crate) fn chain(hash: u64, value: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// The map that a text names: `builtin:NAME`, `GENERATOR@WIDTHxHEIGHT`, or `SET/MAP` below `THRONG_DATA`.
pub(crate) fn tiles(map: &str) -> Tiles {
    if let Some((generator, size)) = map.split_once('@') {
        let (width, height) = size.split_once('x').unwrap();
        let size = Size::new(width.parse().unwrap(), height.parse().unwrap()).unwrap();
        return generate(generator, size, 3).unwrap();
    }
    if !map.contains('/') {
        return builtin(map).unwrap();
    }
    let folder = std::env::var_os("THRONG_DATA").expect("THRONG_DATA must name a folder of MovingAI sets");
    let path = Path::new(&folder).join(format!("{map}.map"));
    read_map(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

/// Turns a fifth of the ground into swamp and trees, at random.
pub(crate) fn with_terrain(mut tiles: Tiles, seed: u64) -> Tiles {
    let mut random = Pcg32::seed_from_u64(seed);
    for pos in tiles.size().cells().map(|cell| tiles.size().pos(cell)).collect::<Vec<_>>() {
        match random.next_u32() % 10 {
            0 if tiles.at(pos) == Some(Terrain::Ground) => tiles.set(pos, Terrain::Swamp),
            1 if tiles.at(pos) == Some(Terrain::Ground) => tiles.set(pos, Terrain::Trees),
            _ => {}
        }
    }
    tiles
}
