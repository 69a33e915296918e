//! Expendable cells: cells that an agent leaves out of its later searches.
//!
//! G. Sharon, N. R. Sturtevant, A. Felner, *Online Detection of Dead States in Real-Time Agent-Centered Search*,
//! Symposium on Combinatorial Search 2013. A cell whose estimate was raised is expendable if its neighbours can reach
//! each other without it, through each other. The cells that remain are then as connected as before, so a path to the
//! goal remains too.
//!
//! Whether neighbours are connected is read from a table ([`is_connected`]). One-way streets are tested move by move.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Direction, DirectionSet, Ground, directions};
use throng_search::real_time::is_connected;
use throng_toolkit::Flow;

/// The cells that an agent has pruned for its present goal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PrunedCells {
    /// In ascending order.
    cells: Vec<Cell>,
    /// The fingerprint of the ground on which they are expendable. Any number if there are none.
    ground: u64,
}

impl PrunedCells {
    /// Returns the cells in ascending order.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(crate) fn clear(&mut self) {
        self.cells.clear();
    }

    /// Drops the cells if the ground has changed: some may be needed now.
    pub(crate) fn follow(&mut self, ground: &Ground) {
        if std::mem::replace(&mut self.ground, ground.fingerprint()) != self.ground {
            self.clear();
        }
    }

    /// Adds a cell if it is expendable.
    pub(crate) fn prune(&mut self, ground: &Ground, flow: Option<&Flow>, cell: Cell) {
        if let Err(at) = self.cells.binary_search(&cell)
            && is_expendable(ground, flow, &self.cells, cell)
        {
            self.cells.insert(at, cell);
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
    }
}

impl Validate for PrunedCells {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // The fingerprint is only compared with that of the ground.
        let Self { cells, ground: _ } = self;
        cells.validate(limits)?;
        limits.require(cells.is_sorted(), "the pruned cells of an agent are not in order")
    }
}

/// Returns true if the neighbours of a cell that are not pruned can reach each other without it.
fn is_expendable(ground: &Ground, flow: Option<&Flow>, pruned: &[Cell], cell: Cell) -> bool {
    let is_left = |direction: Direction| pruned.binary_search(&ground.step(cell, direction)).is_err();
    let of_set = |set: DirectionSet, direction: Direction| set | direction.bit();
    let around = directions(ground.moves(cell)).filter(|&to| is_left(to)).fold(0, of_set);
    if let Some(flow) = flow {
        let enters = |&from: &Direction| flow.moves(ground.step(cell, from)) & from.opposite().bit() != 0;
        let into = directions(around).filter(enters).fold(0, of_set);
        let out = flow.moves(cell) & around;
        return around != 0 && is_bypassed(ground, |cell| flow.moves(cell), cell, (into, out, around));
    }
    is_connected(ground, around)
}

/// Returns true if each of the neighbours `into` reaches each of `out` by moves between the neighbours `around`.
fn is_bypassed(
    ground: &Ground,
    moves: impl Fn(Cell) -> DirectionSet,
    cell: Cell,
    (into, out, around): (DirectionSet, DirectionSet, DirectionSet),
) -> bool {
    let pos = |direction| ground.pos(ground.step(cell, direction));
    let next = |from: Direction| {
        let legal = moves(ground.step(cell, from));
        let is_next = |&to: &Direction| {
            Direction::between(pos(from), pos(to)).is_some_and(|step| legal & step.bit() != 0)
        };
        directions(around).filter(is_next).fold(0, |set, to| set | to.bit())
    };
    directions(into).all(|from| {
        let (mut reached, mut before) = (from.bit(), 0);
        while reached != before {
            before = reached;
            reached = directions(before).fold(before, |set, at| set | next(at));
        }
        out & !reached == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;
    use throng_grid::{Corners, Grid, MoveRules, Size, Terrain, Tiles};

    /// A random map with walls and blocked cells.
    fn random_grid(seed: u64, rules: MoveRules) -> Grid {
        let mut random = Pcg32::seed_from_u64(seed);
        let size = Size::new(12, 9).unwrap();
        let terrain = |_| if random.next_u32() % 3 == 0 { Terrain::Wall } else { Terrain::Ground };
        let terrain = size.cells().map(terrain).collect();
        let mut grid = Grid::new(Tiles::from_terrain(size, terrain).unwrap(), rules);
        for cell in size.cells() {
            if random.next_u32() % 12 == 0 {
                grid.block(size.pos(cell));
            }
        }
        grid
    }

    /// The tables are compared with moves between the neighbours.
    #[test]
    fn tables_equal_connectivity_by_legal_moves() {
        let rules = [
            MoveRules::eight_way(Corners::Forbid),
            MoveRules::eight_way(Corners::Allow),
            MoveRules::eight_way(Corners::Mixed),
            MoveRules::FOUR_WAY,
        ];
        let mut expendable = 0;
        for (seed, rules) in (0..400).flat_map(|seed| rules.map(|rules| (seed, rules))) {
            let grid = random_grid(seed, rules);
            let ground = grid.ground();
            for cell in ground.free_cells() {
                let around = ground.moves(cell);
                let sets = (around, around, around);
                let expected = around != 0 && is_bypassed(ground, |cell| ground.moves(cell), cell, sets);
                let found = is_expendable(ground, None, &[], cell);
                let is_safe = found <= expected;
                assert!(
                    found == expected || (rules.corners == Corners::Mixed && is_safe),
                    "{rules:?} {cell:?}"
                );
                expendable += u32::from(found);
            }
        }
        assert!(expendable > 10_000, "{expendable}");
    }

    /// Cells are pruned in random order, with and without one-way streets.
    #[test]
    fn cells_that_remain_reach_what_they_reached_before() {
        for seed in 0..300 {
            let corners = Corners::ALL[seed as usize % 3];
            let grid = random_grid(seed, MoveRules::eight_way(corners));
            let ground = grid.ground();
            let flow = (seed % 2 == 0).then(|| Flow::of(ground));
            let moves = |cell| flow.as_ref().map_or_else(|| ground.moves(cell), |flow| flow.moves(cell));
            let reached = |from: Cell, pruned: &PrunedCells| {
                let (mut seen, mut stack) = (vec![from], vec![from]);
                while let Some(at) = stack.pop() {
                    for to in directions(moves(at)).map(|direction| ground.step(at, direction)) {
                        if pruned.cells.binary_search(&to).is_err() && !seen.contains(&to) {
                            seen.push(to);
                            stack.push(to);
                        }
                    }
                }
                seen
            };
            let mut random = Pcg32::seed_from_u64(seed);
            let (mut pruned, area) = (PrunedCells::default(), ground.size().area() as u32);
            for _ in 0..200 {
                let cell = Cell(random.next_u32() % area);
                if ground.is_free(cell) {
                    pruned.prune(ground, flow.as_ref(), cell);
                }
            }
            let kept: Vec<Cell> =
                ground.free_cells().filter(|cell| pruned.cells.binary_search(cell).is_err()).collect();
            for &from in &kept {
                let (before, after) = (reached(from, &PrunedCells::default()), reached(from, &pruned));
                let lost = kept.iter().find(|to| before.contains(to) && !after.contains(to));
                assert_eq!(lost, None, "seed {seed}, from {from:?}");
            }
        }
    }
}
