use super::*;
use throng_grid::generate::generate;
use throng_grid::{Area, Corners, Grid, MoveRules, Profile, SeededRng, Size, Terrain, Tiles, random_queries};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Returns a map with random obstacles, of which some are long walls, and swamp.
fn random_grid(seed: u64, rules: MoveRules, profile: Profile) -> Grid {
    let mut rng = SeededRng::new(seed);
    let size = Size::new(40 + rng.below(60), 40 + rng.below(40)).unwrap();
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    for pos in (0..size.height() as i32).flat_map(|y| (0..size.width() as i32).map(move |x| Pos::new(x, y))) {
        let is_wall = (pos.x % 23 == 11 && pos.y % 19 != 3) || (pos.y % 17 == 8 && pos.x % 29 != 5);
        let terrain = match rng.below(100) {
            0..20 => Terrain::Wall,
            20..60 if is_wall => Terrain::Wall,
            60..75 => Terrain::Swamp,
            _ => continue,
        };
        tiles.set(pos, terrain);
    }
    Grid::with_profile(tiles, rules, profile)
}

/// Returns a map of single walls with the given percentage, so that sectors have many small pieces.
fn dense_grid(seed: u64, rules: MoveRules, percentage: u32) -> Grid {
    let mut rng = SeededRng::new(seed);
    let size = Size::new(60 + rng.below(60), 50 + rng.below(40)).unwrap();
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    for cell in size.cells().filter(|_| rng.below(100) < percentage) {
        tiles.set(size.pos(cell), Terrain::Wall);
    }
    Grid::new(tiles, rules)
}

fn complete(ground: &Ground) -> SectorGuide {
    let mut guide = SectorGuide::new(ground);
    guide.complete(ground);
    guide
}

fn exact(ground: &Ground, to: Cell) -> Vec<Cost> {
    let mut search = crate::BestFirst::new(
        crate::DenseStore::default(),
        crate::open_list::Heap::default(),
        crate::Policy::default(),
    );
    let mut space = crate::GridSpace::new(ground);
    search.begin(&space);
    search.add_source(to.0, 0, &mut crate::Blind);
    search.resume(&mut space, &mut crate::Blind, |_| false, u64::MAX, &mut ());
    ground.size().cells().map(|cell| search.node(cell.0).map_or(Cost::MAX, |node| node.g)).collect()
}

/// Walks from a cell to a target as an agent does, and returns the cost.
fn walk(guide: &mut SectorGuide, ground: &Ground, from: Cell, to: Cell) -> Cost {
    let part = guide.part(ground.pos(to), to);
    let (mut row, mut own) = (Vec::new(), LocalField::default());
    guide.fill_row(part, &mut row);
    guide.fill_target(ground, to, &mut own);
    let offset = u32::from(guide.field(part).distance(ground.pos(to)));
    let (mut at, mut cost, mut least) = (from, 0, u32::MAX);
    while at != to {
        let pos = ground.pos(at);
        let best = guide.best_waypoint(pos, |part| row[part as usize].saturating_add(offset));
        let direct = own.distance(pos);
        let (field, total) = match best {
            Some((part, total)) if direct == NO_DISTANCE || u32::from(direct) > total => {
                (guide.field(part), total)
            }
            _ => (&own, u32::from(direct)),
        };
        assert!(total < least, "the estimate falls with every step: {total} after {least} at {pos:?}");
        least = total;
        let down = |&(direction, next): &(throng_grid::Direction, Cell)| {
            (
                u32::from(field.distance(ground.pos(next))) + guide.distance_of(ground.cost(at, direction)),
                direction.number(),
            )
        };
        let (direction, next) = ground.neighbours(at).min_by_key(down).unwrap();
        cost += ground.cost(at, direction);
        at = next;
    }
    cost
}

/// The guide leads from everywhere to everywhere that is connected, on paths that are hardly longer than the shortest.
#[test]
fn agents_arrive_on_short_paths() {
    let costly = Profile::from_halves([2, 2, 16, 0, 0, 0, 0]).unwrap();
    for (number, rules) in RULES.into_iter().enumerate() {
        for profile in [Profile::WALKER, costly] {
            let (mut walked, mut shortest) = (0, 0);
            for seed in 0..4 {
                let grid = random_grid(10 * number as u64 + seed, rules, profile);
                let ground = grid.ground();
                let mut guide = complete(ground);
                for (from, to) in random_queries(ground, 12, seed) {
                    let best = exact(ground, to)[from.index()];
                    let cost = walk(&mut guide, ground, from, to);
                    assert!(cost >= best);
                    (walked, shortest) = (walked + u64::from(cost), shortest + u64::from(best));
                }
            }
            assert!(walked * 100 <= shortest * 112, "{rules:?} {profile:?}: {walked} for {shortest}");
        }
    }
}

/// Cells have the same label if a path inside their sector connects them.
#[test]
fn pieces_are_connected_within_their_sector() {
    for seed in 0..24 {
        let grid = dense_grid(400 + seed, RULES[seed as usize % 4], 25 + 3 * (seed as u32 / 4));
        let (ground, guide) = (grid.ground(), complete(grid.ground()));
        let key = |cell: Cell| (guide.sector(ground.pos(cell)), guide.labels[cell.index()]);
        let mut counts = std::collections::BTreeMap::new();
        let mut is_seen = vec![false; ground.size().area()];
        for start in ground.free_cells() {
            if std::mem::replace(&mut is_seen[start.index()], true) {
                continue;
            }
            let mut cells = vec![start];
            let mut done = 0;
            while let Some(&cell) = cells.get(done) {
                done += 1;
                assert_eq!(key(cell), key(start));
                for (_, next) in ground.neighbours(cell) {
                    if guide.sector(ground.pos(next)) == key(start).0 && !is_seen[next.index()] {
                        is_seen[next.index()] = true;
                        cells.push(next);
                    }
                }
            }
            assert_eq!(counts.insert(key(start), cells.len()), None, "one label per piece");
            let piece = &guide.pieces[key(start).0 as usize][usize::from(key(start).1)];
            assert_eq!(piece.size, cells.len());
            assert!(cells.contains(&ground.cell(piece.waypoint).unwrap()));
        }
        assert_eq!(counts.len(), guide.part_of_piece.len());
    }
}

/// The guide leads from everywhere to everywhere that is connected, where many pieces are hosted by others.
#[test]
fn hosted_pieces_are_left_and_reached() {
    let (mut hosted, mut walks) = (0, 0);
    for seed in 0..48 {
        let grid = dense_grid(500 + seed, RULES[seed as usize % 4], 20 + 2 * (seed as u32 / 4));
        let (ground, mut guide) = (grid.ground(), complete(grid.ground()));
        let is_hosted = |piece: &&Piece| piece.host.is_some();
        let small: Vec<Cell> = (guide.pieces.iter().flatten().filter(is_hosted))
            .map(|piece| ground.cell(piece.waypoint).unwrap())
            .collect();
        hosted += small.len();
        let mut queries = random_queries(ground, 20, seed);
        let mut rng = SeededRng::new(seed);
        for &cell in &small {
            let other = small[rng.below(small.len() as u32) as usize];
            queries.push((cell, other));
            queries.extend(random_queries(ground, 1, seed).into_iter().map(|(from, _)| (from, cell)));
        }
        for (from, to) in queries.into_iter().filter(|&(from, to)| ground.reachable(from, to)) {
            walk(&mut guide, ground, from, to);
            walks += 1;
        }
        // Every cell that is connected with a target has a distance.
        let Some(&target) = small.first() else { continue };
        let (part, mut row) = (guide.part(ground.pos(target), target), Vec::new());
        guide.fill_row(part, &mut row);
        for cell in ground.free_cells().filter(|&cell| cell != target && ground.reachable(cell, target)) {
            let best = guide.best_waypoint(ground.pos(cell), |part| row[part as usize]);
            assert!(best.is_some() || guide.waypoint(part) == ground.pos(cell));
        }
    }
    assert!(hosted > 800 && walks > 1_500, "{hosted}, {walks}");
}

/// In mazes with corridors of one cell, whose paths inside a sector are long, the guide leads everywhere too.
#[test]
fn the_guide_leads_through_mazes() {
    for seed in 0..6 {
        let tiles = generate("maze:corridor=1", Size::new(101, 85).unwrap(), seed).unwrap();
        let grid = Grid::new(tiles, RULES[0]);
        let (ground, mut guide) = (grid.ground(), complete(grid.ground()));
        for (from, to) in random_queries(ground, 30, seed) {
            walk(&mut guide, ground, from, to);
        }
    }
}

/// A field has the exact distances of paths inside its rectangle.
#[test]
fn fields_are_exact_inside_their_rectangle() {
    for (number, rules) in RULES.into_iter().enumerate() {
        let grid = random_grid(70 + number as u64, rules, Profile::WALKER);
        let guide = complete(grid.ground());
        let mut compared = 0;
        for part in (0..guide.parts() as u32).step_by(2) {
            // The same rectangle as a map of its own.
            let (min, max) = guide.rectangle(guide.sector(guide.waypoint(part)), guide.side());
            let size = Size::new((max.x - min.x + 1) as u32, (max.y - min.y + 1) as u32).unwrap();
            let mut tiles = Tiles::filled(size, Terrain::Wall);
            for cell in size.cells() {
                let (here, there) =
                    (size.pos(cell), Pos::new(size.pos(cell).x + min.x, size.pos(cell).y + min.y));
                if grid.ground().rows().get(there) {
                    tiles.set(here, Terrain::Ground);
                }
            }
            let inside = Grid::new(tiles, rules);
            let waypoint = guide.waypoint(part);
            let to = size.cell(Pos::new(waypoint.x - min.x, waypoint.y - min.y)).unwrap();
            let distances = exact(inside.ground(), to);
            for cell in size.cells().filter(|&cell| inside.ground().is_free(cell)) {
                let pos = size.pos(cell);
                let found = guide.field(part).distance(Pos::new(pos.x + min.x, pos.y + min.y));
                let exact = distances[cell.index()];
                assert_eq!(found == NO_DISTANCE, exact == Cost::MAX, "{pos:?}");
                if exact != Cost::MAX {
                    // Diagonal steps are rounded down by a quarter of a unit.
                    let error = i64::from(exact) - i64::from(guide.cost_of(u32::from(found)));
                    assert!((0..=4 * i64::from(found) / 100 + 4).contains(&error), "{found} for {exact}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 5_000, "{compared}");
    }
}

/// The row of a window has the distances over paths that stay among its parts.
#[test]
fn rows_of_windows_have_the_paths_inside() {
    let (mut longer, mut compared) = (0, 0);
    for seed in 0..24 {
        let grid = dense_grid(600 + seed, RULES[seed as usize % 4], 30 + seed as u32 / 2);
        let mut guide = complete(grid.ground());
        let part = SeededRng::new(seed).below(guide.parts() as u32);
        let waypoint = guide.waypoint(part);
        let window = guide.window((waypoint, waypoint), 1);
        let layout = guide.window_layout(&window);
        assert!(guide.has_window(&window) && guide.touches_window(&window, &[guide.sector(waypoint)]));
        let (mut row, mut whole) = (Vec::new(), Vec::new());
        guide.fill_row(part, &mut whole);
        guide.fill_window_row(part, &layout, &mut row);
        assert_eq!(row.len(), layout.parts());
        let distance = |part: u32| layout.place(part).map_or(UNREACHED, |place| row[place]);
        for other in 0..guide.parts() as u32 {
            let is_inside = guide.is_in_window(&window, guide.waypoint(other));
            assert_eq!(layout.place(other).is_some(), is_inside);
            if !is_inside || other == part {
                continue;
            }
            let over = |next: u32| {
                let length = guide.field(next).distance(guide.waypoint(other));
                if length == NO_DISTANCE { UNREACHED } else { distance(next).saturating_add(length.into()) }
            };
            let near = guide.around(guide.waypoint(other)).filter(|&next| next != other);
            assert_eq!(distance(other), near.map(over).min().unwrap_or(UNREACHED));
            assert!(distance(other) >= whole[other as usize]);
            longer += u32::from(distance(other) > whole[other as usize]);
            compared += 1;
        }
        // The window of the whole map.
        let last = guide.changes.squares.last();
        let layout = guide.window_layout(&guide.window((Pos::new(0, 0), last), 3));
        guide.fill_window_row(part, &layout, &mut row);
        assert_eq!(row, whole);
    }
    assert!(compared > 200 && longer > 0, "{compared}, {longer}");
}

fn edit(grid: &mut Grid, rng: &mut SeededRng) {
    let (width, height) = (grid.size().width() as i32, grid.size().height() as i32);
    let corner = Pos::new(rng.below(width as u32) as i32, rng.below(height as u32) as i32);
    let (wide, high) = if rng.below(2) == 0 { (rng.below(12) as i32, 0) } else { (0, rng.below(12) as i32) };
    let last = Pos::new((corner.x + wide).min(width - 1), (corner.y + high).min(height - 1));
    if rng.below(3) == 0 {
        // Most cells are not blocked: a larger area finds some that are.
        let last = Pos::new((corner.x + 30).min(width - 1), (corner.y + 30).min(height - 1));
        grid.unblock(Area::rect(corner, last));
    } else {
        grid.block(Area::rect(corner, last));
    }
}

/// After edits a guide is the one that would be made anew, and a row is repaired, or known to be too long or broken.
#[test]
fn edits_give_the_same_guide_as_a_new_one() {
    let (mut exact, mut improvable, mut broken) = (0, 0, 0);
    for seed in 0..20 {
        let rules = RULES[seed as usize % 4];
        let mut grid = match seed % 5 {
            0 => dense_grid(200 + seed, rules, 38),
            _ => random_grid(200 + seed, rules, Profile::WALKER),
        };
        let mut guide = complete(grid.ground());
        let mut rng = SeededRng::new(seed);
        for _ in 0..20 {
            let target = rng.below(guide.parts() as u32);
            let mut row = Vec::new();
            guide.fill_row(target, &mut row);
            edit(&mut grid, &mut rng);
            let Some(change) = guide.update(grid.ground()) else { continue };
            while guide.pending() > 0 {
                assert!(guide.next_cells() > 0 || guide.sector_parts(guide.pending[0]).is_empty());
                guide.compute_sector(grid.ground());
            }
            let mut fresh = complete(grid.ground());
            assert_eq!(guide.parts(), fresh.parts());
            assert_eq!(guide.part_of_piece, fresh.part_of_piece);
            for part in 0..fresh.parts() as u32 {
                assert_eq!(guide.waypoint(part), fresh.waypoint(part));
                assert_eq!(guide.field(part).values(), fresh.field(part).values());
            }
            let Some(now) = change.origins.iter().position(|&origin| origin == target) else { continue };
            let mut row: Vec<u32> = (change.origins.iter())
                .map(|&origin| row.get(origin as usize).copied().unwrap_or(UNREACHED))
                .collect();
            let mut anew = Vec::new();
            fresh.fill_row(now as u32, &mut anew);
            match guide.row_repair(&change.sectors).repair(now as u32, &mut row) {
                RowState::Exact => {
                    assert_eq!(row, anew);
                    exact += 1;
                }
                RowState::Improvable => {
                    assert!(row.iter().zip(&anew).all(|(row, anew)| row >= anew) && row != anew);
                    improvable += 1;
                }
                RowState::Broken => broken += 1,
            }
        }
    }
    assert!(exact > 50 && improvable > 5 && broken > 20, "{exact}, {improvable}, {broken}");
}

/// Edits that change costs only keep the labels of the cells, and give the guide that would be made anew.
#[test]
fn edits_of_costs_give_the_same_guide_as_a_new_one() {
    for seed in 0..12 {
        let mut grid = match seed % 3 {
            0 => dense_grid(400 + seed, RULES[seed as usize % 4], 38),
            _ => random_grid(400 + seed, RULES[seed as usize % 4], Profile::WC3),
        };
        let mut guide = complete(grid.ground());
        let mut rng = SeededRng::new(seed);
        for round in 0..8 {
            let corner = Pos::new(rng.below(40) as i32, rng.below(40) as i32);
            let area = Area::rect(corner, Pos::new(corner.x + 25, corner.y + 25));
            match round % 4 {
                0 => grid.set_terrain(area, Terrain::Swamp),
                1 => grid.set_cost(area, throng_grid::Classes::ALL, 1 + rng.below(6) as u8).unwrap(),
                2 => grid.set_cost(area, throng_grid::Classes::ALL, 0).unwrap(),
                _ => grid.block(Area::rect(corner, Pos::new(corner.x + 9, corner.y))),
            };
            guide.update(grid.ground());
            guide.complete(grid.ground());
            let fresh = complete(grid.ground());
            assert_eq!(guide.part_of_piece, fresh.part_of_piece);
            assert_eq!((&guide.labels, &guide.pieces), (&fresh.labels, &fresh.pieces));
            for part in 0..fresh.parts() as u32 {
                assert_eq!(guide.waypoint(part), fresh.waypoint(part));
                assert_eq!(guide.field(part).values(), fresh.field(part).values());
            }
            assert_eq!(guide.edges.list, fresh.edges.list);
        }
    }
}

/// A guide of another state of the map continues from what was saved, also if the map was edited in between.
#[test]
fn a_restored_guide_continues() {
    for seed in 0..8 {
        let mut grid = match seed % 3 {
            0 => dense_grid(300 + seed, RULES[0], 38),
            _ => random_grid(300 + seed, RULES[0], Profile::WALKER),
        };
        let mut rng = SeededRng::new(seed);
        let (mut guide, mut other) = (complete(grid.ground()), complete(grid.ground()));
        edit(&mut grid, &mut rng);
        guide.update(grid.ground());
        for _ in 0..rng.below(4) {
            guide.compute_sector(grid.ground());
        }
        other.restore(guide.saved(), guide.prices().clone());
        assert_eq!(other.saved(), guide.saved());
        if seed % 2 == 0 {
            edit(&mut grid, &mut rng);
        }
        assert_eq!(other.update(grid.ground()), guide.update(grid.ground()));
        assert_eq!(other.saved(), guide.saved());
        for part in 0..guide.parts() as u32 {
            assert_eq!(other.field(part).values(), guide.field(part).values());
        }
    }
}

#[test]
fn fields_are_the_same_whether_expansions_are_counted_or_not() {
    for (seed, rules) in (0..32).zip(RULES.iter().cycle()) {
        let size = Size::new(70, 61).unwrap();
        let grids = [
            dense_grid(seed, *rules, 10),
            dense_grid(seed, *rules, 40),
            random_grid(seed, *rules, Profile::WALKER),
            Grid::new(Tiles::filled(size, Terrain::Ground), *rules),
            Grid::new(generate("maze:corridor=1", size, seed).unwrap(), *rules),
        ];
        for grid in grids {
            let (fast, mut counted) = (complete(grid.ground()), SectorGuide::new(grid.ground()));
            while counted.pending() > 0 {
                counted.compute_sector(grid.ground());
            }
            for part in 0..fast.parts() as u32 {
                assert!(
                    fast.field(part).values() == counted.field(part).values(),
                    "seed {seed}, part {part}"
                );
            }
        }
    }
}

/// Fields with prices are those of repeated relaxation, and prices that are gone leave no trace.
#[test]
fn fields_count_the_prices_of_steps() {
    for seed in 0..4 {
        let grid = random_grid(seed, RULES[seed as usize % 4], Profile::WALKER);
        let ground = grid.ground();
        let (mut rng, mut guide) = (SeededRng::new(seed), complete(ground));
        let before: Vec<LocalField> =
            (0..guide.parts() as u32).map(|part| guide.field(part).clone()).collect();
        let mut price = |_| if rng.chance(10) { rng.below(40) as u8 } else { 0 };
        let prices =
            StepPrices::new(ground.size().cells().map(|_| std::array::from_fn(&mut price)).collect());
        guide.set_prices(ground, prices.clone());
        let straight = guide.distance_of(throng_grid::moves::STRAIGHT);
        for part in (0..guide.parts() as u32).step_by(5) {
            let field = guide.field(part).clone();
            let inside = |cell: Cell| before[part as usize].distance(ground.pos(cell)) != NO_DISTANCE;
            let mut slow = vec![u32::MAX; ground.size().area()];
            slow[ground.cell(guide.waypoint(part)).unwrap().index()] = 0;
            let mut has_changed = true;
            while has_changed {
                has_changed = false;
                for from in ground.free_cells().filter(|&cell| inside(cell)) {
                    for (direction, to) in ground.neighbours(from).filter(|&(_, to)| inside(to)) {
                        let step = guide.distance_of(ground.cost(from, direction));
                        let price = prices.price(from, direction) * straight / StepPrices::STRAIGHT;
                        assert_eq!(price, guide.price(from, direction));
                        let over = slow[to.index()].saturating_add(step + price);
                        if over < slow[from.index()] {
                            (slow[from.index()], has_changed) = (over, true);
                        }
                    }
                }
            }
            for cell in ground.free_cells().filter(|&cell| inside(cell)) {
                assert_eq!(u32::from(field.distance(ground.pos(cell))), slow[cell.index()], "seed {seed}");
            }
        }
        guide.set_prices(ground, StepPrices::new(vec![[0; 8]; ground.size().area()]));
        for (part, field) in (0..).zip(&before) {
            assert_eq!(guide.field(part).values(), field.values());
        }
    }
}
