//! Draws the cells of problems: anywhere, on sides, in the middle, at the edges, or in clusters.

use throng::grid::{Pos, SeededRng};
use throng::{Cell, Ground};

use super::largest_component;

/// Draws the cells of a problem.
pub(super) struct CellSampler<'a> {
    ground: &'a Ground,
    rng: SeededRng,
    /// The cells of the largest component, in row order.
    pub(super) cells: Vec<Cell>,
    min: Pos,
    max: Pos,
}

impl<'a> CellSampler<'a> {
    pub(super) fn new(ground: &'a Ground, seed: u64) -> Self {
        let cells = largest_component(ground);
        let (mut min, mut max) = (Pos::new(i32::MAX, i32::MAX), Pos::new(0, 0));
        for pos in cells.iter().map(|&cell| ground.pos(cell)) {
            min = Pos::new(min.x.min(pos.x), min.y.min(pos.y));
            max = Pos::new(max.x.max(pos.x), max.y.max(pos.y));
        }
        Self { ground, rng: SeededRng::new(seed), cells, min, max }
    }

    /// Draws `count` different cells of a pool.
    pub(super) fn draw(&mut self, mut pool: Vec<Cell>, count: usize) -> Vec<Cell> {
        self.rng.shuffle(&mut pool);
        pool.truncate(count);
        pool
    }

    /// Returns the cells whose rank is at most `max_rank`, but at least the `min_count` cells of lowest rank.
    fn lowest(&self, rank: impl Fn(Pos) -> i64, max_rank: i64, min_count: usize) -> Vec<Cell> {
        let mut ranked: Vec<_> = self.cells.iter().map(|&cell| (rank(self.ground.pos(cell)), cell)).collect();
        ranked.sort_unstable();
        let within = ranked.partition_point(|&(rank, _)| rank <= max_rank);
        ranked.truncate(within.max(min_count));
        ranked.into_iter().map(|(_, cell)| cell).collect()
    }

    pub(super) fn opposite_sides(&mut self, agents: usize) -> (Vec<Cell>, Vec<Cell>) {
        let (min, max) = (self.min, self.max);
        let band = |extent: i32| i64::from(extent + 1) * 15 / 100;
        let (wide, high) = (band(max.x - min.x), band(max.y - min.y));
        let mut sides = if self.rng.chance(50) {
            [
                self.lowest(|pos| i64::from(pos.x - min.x), wide, agents),
                self.lowest(|pos| i64::from(max.x - pos.x), wide, agents),
            ]
        } else {
            [
                self.lowest(|pos| i64::from(pos.y - min.y), high, agents),
                self.lowest(|pos| i64::from(max.y - pos.y), high, agents),
            ]
        };
        self.rng.shuffle(&mut sides);
        let [here, there] = sides;
        (here, there)
    }

    pub(super) fn swap_sides(&mut self, agents: usize) -> (Vec<Cell>, Vec<Cell>) {
        let half = agents / 2;
        let (here, there) = self.opposite_sides(agents);
        let mut cells = |first: &[Cell], second: &[Cell], count: usize| {
            let mut drawn = self.draw(first.to_vec(), count);
            let mut is_drawn = vec![false; self.ground.size().area()];
            for cell in &drawn {
                is_drawn[cell.index()] = true;
            }
            // The sides of a small map overlap.
            let rest: Vec<Cell> = second.iter().copied().filter(|cell| !is_drawn[cell.index()]).collect();
            drawn.extend(self.draw(rest, agents - count));
            drawn
        };
        (cells(&here, &there, half), cells(&there, &here, half))
    }

    pub(super) fn inside(&self, agents: usize) -> Vec<Cell> {
        let count = self.cells.len().max(1) as i64;
        let sum = self.cells.iter().fold((0_i64, 0_i64), |sum, &cell| {
            let pos = self.ground.pos(cell);
            (sum.0 + i64::from(pos.x), sum.1 + i64::from(pos.y))
        });
        let (x, y) = (sum.0 / count, sum.1 / count);
        let rank = |pos: Pos| (i64::from(pos.x) - x).pow(2) + (i64::from(pos.y) - y).pow(2);
        self.lowest(rank, -1, agents.max(self.cells.len() / 10))
    }

    pub(super) fn outside(&self, agents: usize) -> Vec<Cell> {
        let (min, max) = (self.min, self.max);
        // The distance from the border in thousandths of the extent, so that wide maps have wide edges.
        let share = |distance: i32, extent: i32| i64::from(distance) * 1_000 / i64::from(extent + 1);
        let rank = |pos: Pos| {
            let x = share((pos.x - min.x).min(max.x - pos.x), max.x - min.x);
            let y = share((pos.y - min.y).min(max.y - pos.y), max.y - min.y);
            x.min(y)
        };
        self.lowest(rank, 100, agents)
    }

    /// Returns the nearest cells around a random one, and around another that is at least half as far away as the farthest.
    pub(super) fn clusters(&mut self, here: usize, there: usize) -> (Vec<Cell>, Vec<Cell>) {
        let Some(&first) = self.cells.get(self.rng.below(self.cells.len() as u32) as usize) else {
            return (Vec::new(), Vec::new());
        };
        let (order, steps) = self.outwards(first);
        let reach = order.last().map_or(0, |cell| steps[cell.index()]);
        let far: Vec<Cell> = order.iter().copied().filter(|cell| 2 * steps[cell.index()] >= reach).collect();
        let second = self.rng.pick(&far);
        let around = self.outwards(second).0;
        let ball = |order: &[Cell], count: usize| order[..count.min(order.len())].to_vec();
        (ball(&order, here), ball(&around, there))
    }

    /// Returns all cells in the order of their distance in moves, and that distance per cell.
    fn outwards(&self, from: Cell) -> (Vec<Cell>, Vec<u32>) {
        let mut steps = vec![u32::MAX; self.ground.size().area()];
        steps[from.index()] = 0;
        let (mut order, mut next) = (vec![from], 0);
        while let Some(&cell) = order.get(next) {
            next += 1;
            for (_, to) in self.ground.neighbours(cell) {
                if steps[to.index()] == u32::MAX {
                    steps[to.index()] = steps[cell.index()] + 1;
                    order.push(to);
                }
            }
        }
        (order, steps)
    }
}
