//! Walls that appear on a map between two questions: the perturbations of the experiments.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, section 5.3: a disc is blocked around the cell at
//! three quarters of a shortest path, with a radius of a sixteenth of its moves, at most 15. Experiment 1 repeats that
//! until no path of the original cost is left, experiment 2 until the least cost has risen by 15 %.
//!
//! Settled here, since the report leaves it open: lengths are numbers of moves, rounded down; a radius is at least 1,
//! measured in a straight line; start and goal are never blocked; further discs lie on shortest paths of the map as it
//! is by then; what becomes unsolvable is dropped.

use throng_grid::{Area, Cell, Cost, Grid};
use throng_search::{RegisteredSearch, Unsupported};

/// Until when discs are blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perturbation {
    /// Until every shortest path is blocked.
    Exp1,
    /// Until the least cost is at least 15 % higher.
    Exp2,
}

/// What a perturbation has done.
#[derive(Clone, Debug)]
pub struct Perturbed {
    /// The discs, for [`Perturbed::undo`].
    discs: Vec<Area>,
    /// Least cost before, and after; `None` when no way is left.
    pub before: Cost,
    /// Least cost now; `None` when no way is left, or nothing could be blocked.
    pub after: Option<Cost>,
}

impl Perturbed {
    /// How many discs were blocked.
    pub fn discs(&self) -> usize {
        self.discs.len()
    }

    /// Opens what was blocked.
    pub fn undo(&self, grid: &mut Grid) {
        for &disc in &self.discs {
            grid.unblock(disc);
        }
    }

    /// Blocks it again, except the ends of the way.
    pub fn redo(&self, grid: &mut Grid, (from, to): (Cell, Cell)) {
        for &disc in &self.discs {
            grid.block(disc);
        }
        for end in [from, to] {
            grid.unblock(grid.size().pos(end));
        }
    }
}

impl Perturbation {
    /// Whether the least cost has risen enough.
    fn is_done(self, before: Cost, now: Cost) -> bool {
        match self {
            Self::Exp1 => now > before,
            Self::Exp2 => u64::from(now) * 100 >= u64::from(before) * 115,
        }
    }

    /// Perturbs a grid on which nothing is blocked around the ways between two cells; `None` when there is no way to
    /// begin with. `shortest` is any search that finds shortest paths.
    ///
    /// # Errors
    /// When the search does not support the ground.
    pub fn apply(
        self,
        grid: &mut Grid,
        (from, to): (Cell, Cell),
        shortest: &mut RegisteredSearch,
    ) -> Result<Option<Perturbed>, Unsupported> {
        let mut path = Vec::new();
        let Some(before) = shortest.find(grid.ground(), from, to, &mut path)?.cost else { return Ok(None) };
        let mut perturbed = Perturbed { discs: Vec::new(), before, after: Some(before) };
        while let Some(now) = perturbed.after
            && !self.is_done(before, now)
        {
            let moves = path.len() - 1;
            let radius = (moves / 16).clamp(1, 15) as i32;
            let size = grid.size();
            let disc = Area::disc(size.pos(path[moves * 3 / 4]), radius);
            let blocked = grid.block(disc);
            let freed = grid.unblock(size.pos(from)) + grid.unblock(size.pos(to));
            perturbed.discs.push(disc);
            perturbed.after = None;
            if blocked > freed && grid.ground().reachable(from, to) {
                perturbed.after = shortest.find(grid.ground(), from, to, &mut path)?.cost;
            }
        }
        Ok(Some(perturbed))
    }
}
