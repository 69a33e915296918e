//! Damaged and hostile files.

use std::sync::Arc;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_grid::{Area, Cell, Grid, MoveRules, Pos, Profile, Tiles};

use super::*;
use crate::registry::{SEARCHES, any_search};

const PICTURE: &str = "
    .....#....
    .###.#.##.
    .#.T.#.#..
    .#.SW..#.#
    .#####.#..
    ..........
    ##########
    .########.";

fn grid() -> Grid {
    Grid::with_profile(Tiles::picture(PICTURE), MoveRules::default(), Profile::WC3)
}

/// Recomputes the checksums.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= HEADER + 8 {
        let sum = checksum(&bytes[..56]);
        bytes[56..HEADER].copy_from_slice(&sum.to_le_bytes());
        let body = bytes.len() - 8;
        let sum = checksum(&bytes[..body]);
        bytes[body..].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

#[test]
fn every_truncation_and_every_flipped_bit_is_detected() {
    let grid = grid();
    let file = Cpd::build(grid.ground()).to_bytes();
    assert!(Cpd::open(&file, grid.ground()).is_ok());
    for length in 0..file.len() {
        assert!(Cpd::open(&file[..length], grid.ground()).is_err(), "cut to {length} bytes");
    }
    assert!(Cpd::open(&[&file[..], &[0]].concat(), grid.ground()).is_err());
    for bit in 0..file.len() * 8 {
        let mut flipped = file.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Cpd::open(&flipped, grid.ground()).is_err(), "bit {bit} flipped");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let grid = grid();
    let file = Cpd::build(grid.ground()).to_bytes();
    let changed = |at: usize, byte: u8| {
        let mut bytes = file.clone();
        bytes[at] = byte;
        Cpd::open(&sealed(bytes), grid.ground()).unwrap_err().to_string()
    };
    assert_eq!(changed(0, b'T'), "the file is not a path database");
    assert_eq!(
        changed(8, 1),
        "the path database has format version 1, this program reads version 2: build the database again"
    );
    assert_eq!(
        changed(40, !file[40]),
        "the path database was built for another map, or for other terrain costs or moves"
    );
    assert_eq!(changed(55, 0xFF).split(':').next(), Some("the path database is truncated"));
    assert_eq!(
        changed(24, 4),
        "the path database is damaged: the number of bytes per run does not match the number of nodes"
    );
    let info = CpdInfo::read(&file).unwrap();
    let ends = HEADER + info.components as usize * 4 + info.nodes as usize * 4;
    assert_eq!(changed(ends - 1, 7), "the path database is damaged: its nodes are not the cells of the map");
    assert_eq!(changed(ends + 2, 7), "the path database is damaged: a row ends before it begins");
    let mut cut = file.clone();
    cut.truncate(100);
    let error = Cpd::open(&cut, grid.ground()).unwrap_err().to_string();
    assert_eq!(error, format!("the path database is truncated: 100 of {} bytes", file.len()));
}

/// A file with correct checksums may contain wrong paths, but causes neither a panic nor an endless loop.
#[test]
fn hostile_files_are_refused_or_harmless() {
    let grid = grid();
    let file = Cpd::build(grid.ground()).to_bytes();
    let mut changed = grid.clone();
    changed.block(Area::disc(Pos::new(5, 3), 1));
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut opened = 0;
    let info = CpdInfo::read(&file).unwrap();
    let cells = HEADER + info.components as usize * 4;
    for round in 0..60_000 {
        let mut bytes = file.clone();
        if round % 8 == 0 {
            // Two cells exchange their numbers: nothing is out of range, and every row is wrong.
            let mut word = || cells + 4 * (random.next_u32() % info.nodes) as usize;
            let (one, other) = (word(), word());
            (0..4).for_each(|i| bytes.swap(one + i, other + i));
        }
        // Anywhere, or in the runs only.
        let from = if round % 2 == 0 { 0 } else { cells + info.nodes as usize * 8 };
        for _ in 0..random.next_u32() % 4 {
            let at = from + random.next_u32() as usize % (bytes.len() - from);
            bytes[at] = random.next_u32() as u8;
        }
        let Ok(cpd) = Cpd::open(&sealed(bytes), grid.ground()) else { continue };
        opened += 1;
        if opened % 8 == 0 {
            run_queries(&Arc::new(cpd), &changed, &mut random);
        }
    }
    assert!(opened > 1_000, "only {opened} files were opened");
}

/// Runs every kind of query.
fn run_queries(cpd: &Arc<Cpd>, changed: &Grid, random: &mut impl Rng) {
    let mut path = Vec::new();
    for from in changed.size().cells() {
        let to = Cell(random.next_u32() % changed.size().area() as u32);
        cpd.first_move(from, to);
        let distance = cpd.distance(from, to);
        assert_eq!(cpd.path(from, to, &mut path), distance);
        assert_eq!(distance, cpd.ground().path_cost(&path), "the cost is that of the path");
    }
    for entry in SEARCHES {
        let mut search = any_search(entry.info.name, Some(cpd)).unwrap();
        for _ in 0..4 {
            let mut cell = || Cell(random.next_u32() % changed.size().area() as u32);
            let _ = search.find(changed.ground(), cell(), cell(), &mut path);
        }
    }
}

/// A cell without moves may have any symbol if it is alone in its component, and none otherwise: following it would
/// leave the map.
#[test]
fn cells_without_moves_must_be_alone_in_their_component() {
    assert!(row_is_sound(0, &[0], 0..1));
    assert!(!row_is_sound(0, &[0], 0..2));
    assert!(row_is_sound(1, &[0], 0..2));
    assert!(!row_is_sound(1, &[1], 0..2));
    assert!(!row_is_sound(1, &[], 0..2));
    assert!(!row_is_sound(1, &[0, 0], 0..2));
    assert!(!row_is_sound(1, &[0, 2 << SYMBOL_BITS], 0..2));
    assert!(!row_is_sound(1, &[-16], 0..2));
}
