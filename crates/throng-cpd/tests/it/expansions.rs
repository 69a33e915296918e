//! What every search expands and finds, compared with recorded numbers: a change that is meant to keep results must
//! keep every line of `expansions/*.txt`.
//!
//! A line names a search and a map, then gives the sums of expansions, costs and lower bounds over seeded queries and a
//! hash of all paths. The map is edited between queries, in ways that make paths longer, shorter and impossible.
//!
//! `THRONG_WRITE_GOLDEN=1 cargo test -p throng-cpd expansions` records new files; `-- --include-ignored` adds the real
//! maps of `THRONG_DATA`. `THRONG_GOLDEN_ONLY=cpd` runs the searches whose names start so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_cpd::{Cpd, any_search, search_infos};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Profile, Terrain};
use throng_search::{SEARCHES, SearchInfo};

use crate::golden::{chain, check, is_selected, tiles, with_terrain};

/// Parameters other than the defaults.
const VARIANTS: [&str; 29] = [
    "wastar:weight=1",
    "wastar:weight=5.5",
    "focal:epsilon=1",
    "focal:epsilon=1.5",
    "sector:size=5",
    "sector:size=16,refine=partial",
    "sector:size=8,refine=partial,cut=0.3",
    "hpa:cluster=6,levels=2",
    "hpa:cluster=5,smooth=off",
    "cpd-search:epsilon=1",
    "cpd-search:epsilon=1,from=nearer",
    "cpd-search:from=nearer",
    "cpd-weighted:epsilon=1.5",
    "cpd-focal:epsilon=1",
    "cpd-focal:epsilon=2.5",
    "cpd-focal:pull=all",
    "cpd-nosp:epsilon=1.01",
    "cpd-branching:epsilon=1",
    "cpd-branching:same=cell",
    "cpd-branching:look=off",
    "cpd-branching:walks=full",
    "cpd-branching:same=cell,look=off,walks=full",
    "cpd-soft:epsilon=1.3",
    "cpd-soft:priority=multiplier",
    "cpd-soft:priority=multiplier,epsilon=1.3",
    "cpd-near:search=walls",
    "cpd-near:search=walls,same=cell,epsilon=1.01",
    "cpd-near:epsilon=1.5",
    "cpd-shadow:targets=1",
];

const FORBID: MoveRules = MoveRules::eight_way(Corners::Forbid);
const ALLOW: MoveRules = MoveRules::eight_way(Corners::Allow);
const MIXED: MoveRules = MoveRules::eight_way(Corners::Mixed);

/// A map (`builtin:NAME`, `GENERATOR@WIDTHxHEIGHT` or `SET/MAP`), its rules and profile.
type Instance = (&'static str, MoveRules, Profile);

const SMALL: [Instance; 7] = [
    ("builtin:arena", FORBID, Profile::WALKER),
    ("rooms:room=5,doors=50@40x40", ALLOW, Profile::WALKER),
    ("maze:corridor=1,loops=20@33x33", MIXED, Profile::WALKER),
    ("random:walls=25@40x40", MoveRules::FOUR_WAY, Profile::WALKER),
    ("random:walls=20@36x36", MIXED, Profile::WC3),
    ("caves:tunnel=1@44x40", FORBID, Profile::WC3),
    ("town@56x48", MIXED, Profile::WALKER),
];

const REAL: [Instance; 5] = [
    ("dao/arena2", FORBID, Profile::WALKER),
    ("bg512/AR0504SR", MIXED, Profile::WALKER),
    ("mazes/maze512-8-0", ALLOW, Profile::WALKER),
    ("random/random512-20-0", MoveRules::FOUR_WAY, Profile::WALKER),
    ("wc3/blastedlands", FORBID, Profile::WC3),
];

#[test]
fn expansions_on_small_maps_are_as_recorded() {
    let infos: Vec<&SearchInfo> = SEARCHES.iter().chain(search_infos()).collect();
    let instance = |&(map, rules, profile): &Instance| {
        let tiles = if profile.is_uniform() { tiles(map) } else { with_terrain(tiles(map), 5) };
        let grid = Grid::with_profile(tiles, rules, profile);
        let cpd = Arc::new(Cpd::build(grid.ground()));
        records(&infos, map, &grid, Some(&cpd), 8)
    };
    check(&file("small"), &SMALL.iter().flat_map(instance).collect::<Vec<_>>());
}

#[test]
#[ignore = "needs THRONG_DATA: real maps"]
fn expansions_on_real_maps_are_as_recorded() {
    let infos: Vec<&SearchInfo> = SEARCHES.iter().collect();
    let instance = |&(map, rules, profile): &Instance| {
        records(&infos, map, &Grid::with_profile(tiles(map), rules, profile), None, 3)
    };
    check(&file("real"), &REAL.iter().flat_map(instance).collect::<Vec<_>>());
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/expansions/{name}.txt"))
}

/// One line for each search that supports the grid, with its variants.
fn records(
    infos: &[&SearchInfo],
    map: &str,
    grid: &Grid,
    cpd: Option<&Arc<Cpd>>,
    queries: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    for info in infos.iter().filter(|info| info.supports(grid.ground()).is_ok()) {
        let is_variant = |text: &&str| text.split(':').next() == Some(info.name);
        let texts = [info.name].into_iter().chain(VARIANTS.into_iter().filter(is_variant));
        for text in texts.filter(|text| is_selected(text)) {
            lines.push(format!("{text} {map} {}", record(text, grid.clone(), cpd, queries)));
        }
    }
    lines
}

fn record(text: &str, mut grid: Grid, cpd: Option<&Arc<Cpd>>, queries: usize) -> String {
    let mut search = any_search(text, cpd).unwrap();
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let free: Vec<Pos> = grid.ground().free_cells().map(|cell| grid.ground().pos(cell)).collect();
    let (mut expansions, mut cost, mut bound, mut hash, mut path) = (0, 0, 0, 0, Vec::new());
    for edits in EDITS {
        edits(&mut grid, &free, &mut random);
        // Pairs share targets, for searches that keep what they know of one.
        let mut to = None;
        for query in 0..queries {
            let mut pick = || grid.cell(free[random.next_u32() as usize % free.len()]).unwrap();
            let from = pick();
            to = to.filter(|_| query % 3 > 0).or_else(|| Some(pick()));
            let answer = search.find(grid.ground(), from, to.unwrap(), &mut path).unwrap();
            expansions += answer.expansions;
            cost += answer.cost.map_or(0, u64::from);
            bound += answer.cost.map_or(0, |_| u64::from(answer.lower_bound));
            hash = path.iter().fold(chain(hash, path.len() as u64), |hash, cell| chain(hash, cell.0.into()));
        }
    }
    format!("{expansions} {cost} {bound} {hash:016x}")
}

type Edit = fn(&mut Grid, &[Pos], &mut Pcg64Mcg);

/// The map as the database knows it, then more and more different from it.
const EDITS: [Edit; 6] = [
    |_, _, _| {},
    block,
    block,
    slow,
    |grid, free, random| {
        unblock(grid, free, random);
        unblock(grid, free, random);
    },
    open,
];

fn pick(free: &[Pos], random: &mut Pcg64Mcg) -> Pos {
    free[random.next_u32() as usize % free.len()]
}

fn block(grid: &mut Grid, free: &[Pos], random: &mut Pcg64Mcg) {
    for radius in [0, 1, 1, 3] {
        grid.block(Area::disc(pick(free, random), radius));
    }
    let corner = pick(free, random);
    grid.block(Area::rect(corner, Pos::new(corner.x + 9, corner.y)));
}

fn unblock(grid: &mut Grid, free: &[Pos], random: &mut Pcg64Mcg) {
    grid.unblock(Area::disc(pick(free, random), 6));
}

/// Makes some plain ground slower, or impassable for profiles that may not enter the new terrain.
fn slow(grid: &mut Grid, free: &[Pos], random: &mut Pcg64Mcg) {
    let size = grid.size();
    for pos in Area::disc(pick(free, random), 4).cells(size).map(|cell| size.pos(cell)) {
        if grid.tiles().at(pos) == Some(Terrain::Ground) {
            grid.set_terrain(pos, Terrain::Swamp);
        }
    }
}

/// Opens what was a wall from the start.
fn open(grid: &mut Grid, free: &[Pos], random: &mut Pcg64Mcg) {
    for radius in [1, 2] {
        grid.set_terrain(Area::disc(pick(free, random), radius), Terrain::Ground);
    }
}
