//! Tests of the field builder.

use super::super::field::REACH;
use super::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_grid::{Corners, Cost, Grid, MoveRules, Profile, Size, Terrain, Tiles};

fn random(side: u32, seed: u64, rules: MoveRules, profile: Profile) -> Grid {
    let (size, mut random) = (Size::new(side, side).unwrap(), Pcg32::seed_from_u64(seed));
    let terrain = |_| match random.next_u32() % 20 {
        0..5 => Terrain::Wall,
        5..8 => Terrain::Swamp,
        8..10 => Terrain::Trees,
        _ => Terrain::Ground,
    };
    let tiles = Tiles::from_terrain(size, size.cells().map(terrain).collect()).unwrap();
    Grid::with_profile(tiles, rules, profile)
}

/// Calls `check` with random maps under all move rules, with and without terrain costs.
fn grounds(mut check: impl FnMut(&Ground, &mut Pcg32)) {
    let rules = Corners::ALL.map(MoveRules::eight_way).into_iter().chain([MoveRules::FOUR_WAY]);
    for rules in rules {
        for (seed, profile) in (0..12).flat_map(|seed| [(seed, Profile::WALKER), (seed, Profile::WC3)]) {
            let grid = random(40, seed, rules, profile);
            check(grid.ground(), &mut Pcg32::seed_from_u64(seed));
        }
    }
}

fn random_request(ground: &Ground, random: &mut Pcg32) -> FieldRequest {
    let free: Vec<Cell> = ground.free_cells().collect();
    let mut draw = || free[random.next_u32() as usize % free.len()];
    FieldRequest { agent: AgentId(0), from: draw(), target: draw(), map: 0, origin: PathOrigin::default() }
}

/// Distances to a target on paths through some cells only, by relaxation until nothing changes.
fn relaxed_distances(ground: &Ground, target: Cell, inside: impl Fn(Cell) -> bool) -> Vec<Cost> {
    let mut left = vec![Cost::MAX; ground.size().area()];
    left[target.index()] = 0;
    loop {
        let mut better = false;
        for cell in ground.free_cells().filter(|&cell| inside(cell)) {
            for (direction, to) in ground.neighbours(cell).filter(|&(_, to)| inside(to)) {
                let over = left[to.index()].saturating_add(ground.cost(cell, direction));
                if over < left[cell.index()] {
                    (left[cell.index()], better) = (over, true);
                }
            }
        }
        if !better {
            return left;
        }
    }
}

#[test]
fn distances_are_those_of_relaxation_in_the_corridor() {
    let (mut compared, mut stretches) = (0, 0);
    grounds(|ground, random| {
        let request = random_request(ground, random);
        let mut builder = FieldBuilder::with_memory(ground);
        builder.start(ground, request);
        builder.advance(ground, 1 << 30);
        let found = builder.found.clone();
        let everywhere = relaxed_distances(ground, request.target, |_| true);
        let mut path = PathAhead::default();
        while let Some(field) = builder.result() {
            if path.stretch().is_empty() {
                assert!(path.start(ground, &found));
            }
            let (end, beyond) = path.end().unwrap();
            let near = |cell: Cell| {
                let at = ground.pos(cell);
                let far = |on: Pos| (at.x - on.x).abs().max((at.y - on.y).abs());
                path.stretch().iter().any(|&on| far(ground.pos(on)) <= REACH)
            };
            let exact = relaxed_distances(ground, end, near);
            for cell in ground.size().cells() {
                let expected = exact[cell.index()].saturating_add(beyond);
                let stored = field.distance(ground.pos(cell));
                assert_eq!(stored.is_some(), expected != Cost::MAX, "{cell:?}");
                let expected = (expected >> f_range(ground).1) as i32;
                assert!(stored.is_none_or(|stored| Field::is(stored, expected)));
                compared += u32::from(stored.is_some());
            }
            let is_exact = |cell: &Cell| exact[cell.index()] + beyond == everywhere[cell.index()];
            assert!(path.stretch().iter().all(is_exact), "on the path");
            // An agent near the end gets the next stretch, until the target is in the stretch.
            let mut near_end = path.stretch().iter().filter_map(|&cell| field.distance(ground.pos(cell)));
            let Some(here) = near_end.find(|&here| field.needs_next_stretch(here)) else {
                assert_eq!(end, request.target);
                break;
            };
            stretches += 1;
            assert!(field.next_stretch(ground, here, &mut path));
            assert!(builder.start_next_stretch(ground, request, &field, here));
            builder.advance(ground, 1 << 30);
        }
    });
    assert!(stretches > 20, "{stretches}");
    assert!(compared > 3_000, "{compared}");
}

#[test]
fn slices_give_the_same_field_and_cost_what_they_use() {
    grounds(|ground, random| {
        let request = random_request(ground, random);
        let mut whole = FieldBuilder::with_memory(ground);
        whole.start(ground, request);
        let price = whole.advance(ground, 1 << 30);
        let (mut sliced, mut paid) = (FieldBuilder::with_memory(ground), 0);
        sliced.start(ground, request);
        while !sliced.is_done() {
            let granted = u64::from(random.next_u32() % 40);
            let spent = sliced.advance(ground, granted);
            assert!(spent <= granted);
            paid += spent;
        }
        let all = |field: Option<Field>| {
            let value = |cell| field.as_ref().map(|field| field.distance(ground.pos(cell)));
            ground.size().cells().map(value).collect::<Vec<_>>()
        };
        assert_eq!(all(sliced.result()), all(whole.result()));
        // Nothing is free. Less than the price of one jump may be lost.
        assert!((price..price + JUMP_PRICE).contains(&paid), "{paid} for {price}");
    });
}
