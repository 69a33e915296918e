//! Doors and cost overlays: random edits compared with the definitions, cell by cell, and with grounds built from scratch.

use super::*;
use crate::testing::random_tiles;
use crate::{Area, Classes, Corners, Direction, OverlayError, SeededRng};

/// What the edits say of each cell, kept in the simplest way.
struct Oracle {
    terrain: Vec<Terrain>,
    blocked: Vec<bool>,
    doors: Vec<Classes>,
    /// For each of the sets of classes that the test uses, the extra of each cell.
    extra: Vec<(Classes, Vec<u8>)>,
}

impl Oracle {
    fn new(grid: &Grid, sets: &[Classes]) -> Self {
        let cells = grid.size().area();
        Self {
            terrain: grid.tiles().terrain().to_vec(),
            blocked: vec![false; cells],
            doors: vec![Classes::ALL; cells],
            extra: sets.iter().map(|&set| (set, vec![0; cells])).collect(),
        }
    }

    fn state(&self, profile: Profile, cell: usize) -> CellState {
        let terrain = profile.halves(self.terrain[cell]);
        if terrain == 0 {
            return CellState::default();
        }
        let of_class = self.extra.iter().filter(|(set, _)| set.contains(profile.class()));
        let sum: u32 = of_class.map(|(_, extra)| u32::from(extra[cell])).sum();
        let extra = sum.min(u32::from(Profile::MAX_HALVES - terrain)) as u8;
        let blocked = self.blocked[cell] || !self.doors[cell].contains(profile.class());
        CellState { terrain, extra, blocked }
    }
}

fn assert_is_as_edited(grid: &Grid, oracle: &Oracle) {
    for ground in grid.grounds() {
        let states: Vec<_> =
            (0..grid.size().area()).map(|cell| oracle.state(ground.profile(), cell)).collect();
        let fresh = ground.with_cells(states.iter().copied());
        assert_eq!(ground.fingerprint(), fresh.fingerprint());
        assert_eq!(ground.halves(), fresh.halves());
        assert_eq!(ground.is_uniform(), fresh.is_uniform());
        assert_eq!(ground.components().sizes(), fresh.components().sizes());
        for (cell, state) in grid.size().cells().zip(&states) {
            assert_eq!((ground.cell_state(cell), ground.moves(cell)), (*state, fresh.moves(cell)));
            assert_eq!(ground.is_free(cell), state.terrain > 0 && !state.blocked);
            for (direction, to) in ground.neighbours(cell) {
                let halves = state.halves() + states[to.index()].halves();
                let terrain = state.terrain + states[to.index()].terrain;
                let length = if direction.is_diagonal() { 2308 / 4 } else { 1632 / 4 };
                assert_eq!(ground.cost(cell, direction), u32::from(halves) * length);
                assert_eq!(ground.terrain_cost(cell, direction), u32::from(terrain) * length);
            }
        }
        let uniform = ground.profile().is_uniform() && states.iter().all(|state| state.extra == 0);
        assert_eq!(ground.is_uniform(), uniform);
    }
}

#[test]
fn random_doors_and_overlays_give_the_grounds_of_their_definition() {
    let sets = [Classes::ALL, Classes::only(1), Classes::only(0).with(2), Classes::only(1).except()];
    for seed in 0..40_u64 {
        let corners = [Corners::Forbid, Corners::Allow, Corners::Mixed][seed as usize % 3];
        let mut grid = Grid::new(random_tiles(70, 40, 30, seed), MoveRules::eight_way(corners));
        grid.add_profile(Profile::WALKER.with_class(1).unwrap());
        grid.add_profile(Profile::WC3.with_class(2).unwrap());
        let mut oracle = Oracle::new(&grid, &sets);
        let mut rng = SeededRng::new(seed);
        let mut seen = BitGrid::new(70, 40);
        let mut known = grid.known(&seen);
        for _ in 0..40 {
            let mut below = |limit: u32| rng.below(limit);
            let at = Pos::new(below(70) as i32, below(40) as i32);
            let area = match below(3) {
                0 => Area::Cell(at),
                1 => Area::disc(at, below(5) as i32),
                _ => Area::rect(at, Pos::new(at.x + below(40) as i32, at.y + below(20) as i32)),
            };
            let cells: Vec<usize> = area.cells(grid.size()).map(Cell::index).collect();
            let before = grid.revision();
            match below(5) {
                0 => {
                    let blocked = below(2) == 0;
                    if blocked {
                        grid.block(area)
                    } else {
                        grid.unblock(area)
                    };
                    for &cell in &cells {
                        oracle.blocked[cell] = blocked;
                    }
                }
                1 => {
                    let terrain = [Terrain::Ground, Terrain::Swamp, Terrain::Wall][below(3) as usize];
                    grid.set_terrain(area, terrain);
                    for &cell in &cells {
                        oracle.terrain[cell] = terrain;
                    }
                }
                2 => {
                    let allowed = [Classes::ALL, Classes::only(1), Classes::NONE][below(3) as usize];
                    let count = grid.set_door(area, allowed);
                    let others = cells.iter().filter(|&&cell| oracle.doors[cell] != allowed).count();
                    assert_eq!(count, others);
                    for &cell in &cells {
                        oracle.doors[cell] = allowed;
                    }
                }
                _ => {
                    let (set, extra) = (below(4) as usize, [0, 1, 4, 16][below(4) as usize]);
                    let count = grid.set_cost(area, sets[set], extra).unwrap();
                    let others = cells.iter().filter(|&&cell| oracle.extra[set].1[cell] != extra).count();
                    assert_eq!(count, others);
                    for &cell in &cells {
                        oracle.extra[set].1[cell] = extra;
                    }
                }
            }
            assert!(grid.revision() - before <= 1);
            assert!(grid.door_revision() + grid.overlay_revision() <= grid.revision());
            let corner = Pos::new((at.x + 12).min(69), (at.y + 12).min(39));
            seen.set_rect(at, corner);
            known.observe(&grid, at, corner);
        }
        assert_is_as_edited(&grid, &oracle);
        assert_eq!(saved(&grid).map(|grid| grid.revision()), Some(grid.revision()));
        assert_is_as_edited(&saved(&grid).unwrap(), &oracle);
        // What was seen is as in a known map that is built at once, once all of it has been seen again.
        for (known, truth) in known.grounds().iter().zip(grid.grounds()) {
            let free = grid.size().cells().filter(|&cell| !seen.get(grid.size().pos(cell)));
            free.for_each(|cell| assert_eq!(known.cell_state(cell), truth.unseen()));
        }
        known.observe(&grid, Pos::new(0, 0), Pos::new(69, 39));
        assert_is_as_edited(&known, &oracle);
        assert_eq!(saved(&known).map(|grid| grid.ground().fingerprint()), Some(grid.ground().fingerprint()));
        for set in sets {
            grid.set_cost(Area::rect(Pos::new(0, 0), Pos::new(69, 39)), set, 0).unwrap();
        }
        assert!(grid.ground().is_uniform() && grid.layers().overlays.is_empty());
        known.observe(&grid, Pos::new(0, 0), Pos::new(69, 39));
        assert!(saved(&known).is_some(), "overlays that were seen to be cleared are gone");
    }
}

/// Returns the grid as it is restored from what must be saved.
fn saved(grid: &Grid) -> Option<Grid> {
    let profiles: Vec<_> = grid.grounds().iter().map(Ground::profile).collect();
    let edits = SavedEdits {
        blocked: grid.blocked().to_vec(),
        layers: grid.layers().clone(),
        revision: grid.revision(),
        door_revision: grid.door_revision(),
        overlay_revision: grid.overlay_revision(),
        tile_revisions: grid.tile_revisions().to_vec(),
    };
    Grid::restore(grid.tiles().clone(), grid.rules(), &profiles, edits)
}

#[test]
fn overlays_keep_moves_and_components_and_count_apart() {
    let mut grid = Grid::new(Tiles::picture("......\n.####.\n......"), MoveRules::default());
    let area = Area::rect(Pos::new(1, 0), Pos::new(4, 0));
    let components: *const crate::Components = grid.ground().components();
    assert_eq!(grid.set_cost(area, Classes::ALL, 6), Ok(4));
    assert_eq!((grid.revision(), grid.overlay_revision(), grid.door_revision()), (1, 1, 0));
    assert!(std::ptr::eq(components, grid.ground().components()), "the components are the same");
    assert_eq!(grid.set_cost(area, Classes::ALL, 6), Ok(0));
    assert_eq!(grid.overlay_revision(), 1, "nothing has changed");
    assert_eq!(grid.set_cost(Pos::new(1, 0), Classes::only(3), 6), Ok(1));
    assert_eq!(grid.revision(), 1, "no profile is of class 3");
    assert_eq!(grid.set_door(Pos::new(0, 1), Classes::only(3)), 1);
    assert_eq!((grid.revision(), grid.overlay_revision(), grid.door_revision()), (2, 1, 1));
    assert_eq!(grid.ground().cost(Cell(0), Direction::East), 1632 * 5 / 2);
    assert_eq!(grid.ground().terrain_cost(Cell(0), Direction::East), 1632);
}

#[test]
fn overlays_stay_within_the_limits_of_costs() {
    let mut grid = Grid::with_profile(Tiles::picture("SW"), MoveRules::default(), Profile::WC3);
    let all = Area::rect(Pos::new(0, 0), Pos::new(1, 0));
    assert_eq!(grid.set_cost(all, Classes::ALL, 17), Err(OverlayError::TooHigh { extra: 17 }));
    assert!(!grid.layers().had_overlay && grid.ground().max_halves() == 5);
    grid.set_cost(all, Classes::ALL, 9).unwrap();
    grid.set_cost(all, Classes::only(0), 9).unwrap();
    assert_eq!(grid.ground().halves(), [16, 16]);
    assert_eq!(grid.ground().cost(Cell(0), Direction::East), 1632 * 8);
    assert_eq!(grid.ground().terrain_cost(Cell(0), Direction::East), 408 * 9);
    for class in 1..7 {
        grid.set_cost(all, Classes::only(class), 1).unwrap();
    }
    assert_eq!(grid.set_cost(all, Classes::only(7), 1), Err(OverlayError::TooMany));
    grid.set_cost(all, Classes::only(1), 0).unwrap();
    assert_eq!(grid.set_cost(all, Classes::only(7), 1), Ok(2));
}
