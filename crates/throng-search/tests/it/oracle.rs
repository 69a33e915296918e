//! The slow oracle: shortest distances by relaxing every legal step until nothing changes. The rules for steps are
//! written again from their definition.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_grid::{Area, Cell, Classes, Corners, Cost, Grid, MoveRules, Pos, Profile, Size, Terrain, Tiles};

/// Returns a random small grid; size, walls and terrain depend on the seed.
pub(crate) fn random_grid(seed: u64, rules: MoveRules, profile: Profile) -> (Grid, Pcg64Mcg) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let size = Size::new(1 + random.next_u32() % 24, 1 + random.next_u32() % 24).unwrap();
    let walls = random.next_u32() % 50;
    let terrain = size.cells().map(|_| match random.next_u32() % 100 {
        roll if roll < walls => Terrain::Wall,
        roll if roll > 80 => Terrain::ALL[roll as usize % 5],
        _ => Terrain::Ground,
    });
    let tiles = Tiles::from_terrain(size, terrain.collect()).unwrap();
    (Grid::with_profile(tiles, rules, profile), random)
}

/// Returns a random grid that spans several words of the bitmaps and several tiles, with sides near multiples of 64.
pub(crate) fn wide_grid(seed: u64, rules: MoveRules, profile: Profile) -> (Grid, Pcg64Mcg) {
    const SIDES: [u32; 9] = [1, 31, 63, 64, 65, 127, 128, 129, 200];
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut side = || SIDES[random.next_u32() as usize % SIDES.len()];
    let size = Size::new(side(), side()).unwrap();
    // Few walls in long runs, so that scans cover several words, or scattered walls.
    let walls = random.next_u32() % 30;
    let mut run = 0;
    let terrain = size.cells().map(|_| {
        if run == 0 && random.next_u32() % 400 < walls {
            run = 1 + random.next_u32() % 12;
        }
        run -= u32::from(run > 0);
        if run > 0 { Terrain::Wall } else { Terrain::Ground }
    });
    let tiles = Tiles::from_terrain(size, terrain.collect()).unwrap();
    (Grid::with_profile(tiles, rules, profile), random)
}

/// Blocks and unblocks three random discs.
pub(crate) fn edit(grid: &mut Grid, random: &mut Pcg64Mcg) {
    for _ in 0..3 {
        let cell = Cell(random.next_u32() % grid.size().area() as u32);
        let area = Area::disc(grid.size().pos(cell), (random.next_u32() % 3) as i32);
        if random.next_u32().is_multiple_of(2) {
            grid.block(area)
        } else {
            grid.unblock(area)
        };
    }
}

/// Sets and clears cost overlays and doors in random discs.
pub(crate) fn edit_layers(grid: &mut Grid, random: &mut impl Rng) {
    for _ in 0..3 {
        let cell = Cell(random.next_u32() % grid.size().area() as u32);
        let area = Area::disc(grid.size().pos(cell), (random.next_u32() % 5) as i32);
        if random.next_u32().is_multiple_of(4) {
            grid.set_door(area, [Classes::ALL, Classes::only(1)][random.next_u32() as usize % 2]);
        } else {
            let classes = [Classes::ALL, Classes::only(0)][random.next_u32() as usize % 2];
            grid.set_cost(area, classes, [0, 1, 3, 16][random.next_u32() as usize % 4]).unwrap();
        }
    }
}

/// Returns the cost of a step between two neighbouring positions, from the definitions; `None` if it is illegal.
pub(crate) fn step_cost(grid: &Grid, profile: Profile, from: Pos, to: Pos) -> Option<Cost> {
    let open = |pos: Pos| grid.tiles().at(pos).is_some_and(|terrain| profile.enters(terrain));
    let index = |pos: Pos| grid.cell(pos).unwrap().index();
    let passes = |pos: Pos| {
        grid.layers().doors.get(index(pos)).is_none_or(|allowed| allowed.contains(profile.class()))
    };
    let free = |pos: Pos| open(pos) && !grid.is_blocked(pos) && passes(pos);
    if from == to || (from.x - to.x).abs() > 1 || (from.y - to.y).abs() > 1 || !free(from) || !free(to) {
        return None;
    }
    let diagonal = from.x != to.x && from.y != to.y;
    let sides = [Pos::new(from.x, to.y), Pos::new(to.x, from.y)];
    let legal = !diagonal
        || !grid.rules().four_way
            && match grid.rules().corners {
                Corners::Forbid => sides.into_iter().all(free),
                Corners::Allow => true,
                Corners::Mixed => sides.into_iter().all(open),
            };
    let halves = |pos: Pos| {
        let overlays = grid.layers().overlays.iter();
        let extra: Cost = overlays
            .filter(|overlay| overlay.classes.contains(profile.class()))
            .map(|overlay| Cost::from(overlay.extra[index(pos)]))
            .sum();
        (Cost::from(profile.halves(grid.tiles().at(pos).unwrap())) + extra).min(16)
    };
    legal.then(|| (halves(from) + halves(to)) * if diagonal { 577 } else { 408 })
}

/// Returns the distances from a cell to every cell, `None` where there is no path. Cells whose distance has fallen are
/// relaxed again, in any order, until none is left.
pub(crate) fn distances(grid: &Grid, profile: Profile, from: Cell) -> Vec<Option<Cost>> {
    let size = grid.size();
    let mut known: Vec<Option<Cost>> = vec![None; size.area()];
    known[from.index()] = grid.ground().is_free(from).then_some(0);
    let mut changed = std::collections::VecDeque::from([from]);
    while let Some(cell) = changed.pop_front() {
        let Some(so_far) = known[cell.index()] else { continue };
        let pos = size.pos(cell);
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            let there = Pos::new(pos.x + dx, pos.y + dy);
            let Some(to) = size.cell(there) else { continue };
            let Some(cost) = step_cost(grid, profile, pos, there) else { continue };
            if known[to.index()].is_none_or(|best| so_far + cost < best) {
                known[to.index()] = Some(so_far + cost);
                changed.push_back(to);
            }
        }
    }
    known
}

/// Checks that the path is a chain of legal steps, by the definitions, and has the given cost.
pub(crate) fn check_path(grid: &Grid, profile: Profile, path: &[Cell], cost: Cost) {
    let steps = path.windows(2).map(|pair| {
        let (from, to) = (grid.size().pos(pair[0]), grid.size().pos(pair[1]));
        step_cost(grid, profile, from, to).unwrap_or_else(|| panic!("illegal step {from} to {to}"))
    });
    assert_eq!(steps.sum::<Cost>(), cost);
}
