//! Path smoothing: detours through transitions are replaced by straight lines.
//!
//! The paper shoots rays from each cell of the path and takes a shortcut where a ray meets the path again. We try the
//! two octile lines between a cell and later ones, diagonal part first or straight part first: they include every ray,
//! and away from walls they are shortest paths.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};

use crate::heuristic::{Heuristic, OctileDistance};

/// Maximum number of path cells that a line may replace, as a multiple of the cluster's side.
const REACH: usize = 4;

/// Smooths paths; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Smoother {
    /// Cost from the start to each cell of the path.
    costs: Vec<Cost>,
    result: Vec<Cell>,
    lines: [Vec<Cell>; 2],
}

impl Smoother {
    /// Replaces parts of a path by cheaper straight lines and returns the path's cost. `side` is the cluster's side.
    pub(super) fn smooth(&mut self, ground: &Ground, side: u32, path: &mut Vec<Cell>) -> Cost {
        let reach = REACH * side as usize;
        let mut cost = self.measure(ground, path);
        // A line that replaced a detour can become part of a longer line in the next pass.
        loop {
            let before = cost;
            cost = self.pass(ground, reach, path);
            if cost == before {
                return cost;
            }
        }
    }

    fn pass(&mut self, ground: &Ground, reach: usize, path: &mut Vec<Cell>) -> Cost {
        self.result.clear();
        let mut at = 0;
        while at + 1 < path.len() {
            self.result.push(path[at]);
            if let Some((end, line)) = self.shortcut(ground, reach, path, at) {
                match self.lines[line].split_last() {
                    Some((_, between)) => self.result.extend_from_slice(between),
                    // The path returned to the same cell: drop the loop.
                    None => drop(self.result.pop()),
                }
                at = end;
            } else {
                at += 1;
            }
        }
        self.result.extend(path.last());
        std::mem::swap(&mut self.result, path);
        self.measure(ground, path)
    }

    /// Computes the cost to each cell of a path and returns the last one.
    fn measure(&mut self, ground: &Ground, path: &[Cell]) -> Cost {
        self.costs.clear();
        self.costs.push(0);
        let mut sum: Cost = 0;
        for pair in path.windows(2) {
            let step =
                ground.legal_step(pair[0], pair[1]).map_or(0, |direction| ground.cost(pair[0], direction));
            sum = sum.saturating_add(step);
            self.costs.push(sum);
        }
        sum
    }

    /// Returns the furthest path cell that a line reaches at less cost than the path, and the index of that line.
    fn shortcut(
        &mut self,
        ground: &Ground,
        reach: usize,
        path: &[Cell],
        at: usize,
    ) -> Option<(usize, usize)> {
        let mut bound = OctileDistance::to_cell(ground, path[at]);
        // Halving the distance limits the number of attempts; skipped cells are tried from the next path cell.
        let reaches =
            std::iter::successors(Some(reach), |&reach| Some(reach / 2)).take_while(|&reach| reach > 1);
        for end in reaches.map(|reach| (at + reach).min(path.len() - 1)) {
            let cost = self.costs[end] - self.costs[at];
            if bound.lower(path[end].0) >= cost {
                continue;
            }
            let costs = [true, false].map(|diagonal_first| {
                let line = &mut self.lines[usize::from(!diagonal_first)];
                draw(ground, path[at], path[end], diagonal_first, cost, line).unwrap_or(Cost::MAX)
            });
            let line = usize::from(costs[1] < costs[0]);
            if costs[line] < cost {
                return Some((end, line));
            }
        }
        None
    }
}

/// Draws a line between two cells, without the first and with the last, and returns its cost; `None` if a step is
/// illegal or the cost reaches `limit`.
fn draw(
    ground: &Ground,
    from: Cell,
    to: Cell,
    diagonal_first: bool,
    limit: Cost,
    line: &mut Vec<Cell>,
) -> Option<Cost> {
    line.clear();
    let (start, end) = (ground.pos(from), ground.pos(to));
    let (dx, dy) = (end.x - start.x, end.y - start.y);
    let toward = |x, y| Direction::between(Pos::new(0, 0), Pos::new(x, y));
    let straight = if dx.abs() > dy.abs() { toward(dx.signum(), 0) } else { toward(0, dy.signum()) };
    let (long, short) = (dx.abs().max(dy.abs()), dx.abs().min(dy.abs()));
    // With four directions, the first part runs along the other axis instead of diagonally.
    let (slant, slant_steps, straight_steps) = if ground.rules().four_way {
        (if dx.abs() > dy.abs() { toward(0, dy.signum()) } else { toward(dx.signum(), 0) }, short, long)
    } else {
        (toward(dx.signum(), dy.signum()), short, long - short)
    };
    let mut parts = [(slant, slant_steps), (straight, straight_steps)];
    if !diagonal_first {
        parts.reverse();
    }
    let (mut at, mut cost): (Cell, Cost) = (from, 0);
    for (direction, steps) in parts {
        for _ in 0..steps {
            let direction = direction.filter(|direction| ground.moves(at) & direction.bit() != 0)?;
            cost = cost.saturating_add(ground.cost(at, direction));
            if cost >= limit {
                return None;
            }
            at = ground.step(at, direction);
            line.push(at);
        }
    }
    Some(cost)
}
