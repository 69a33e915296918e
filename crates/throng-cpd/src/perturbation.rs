//! Perturbations: walls that appear on a map between queries, as in the experiments of the report.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, section 5.3: a disc is blocked around the cell at
//! three quarters of a shortest path, with a radius of a sixteenth of its moves, at most 15. Experiment 1 repeats that
//! until no path of the original cost is left, experiment 2 until the minimum cost has risen by 15 %.
//!
//! Details that the report leaves open: lengths are numbers of moves, rounded down. A radius is at least 1 and measured
//! in a straight line. Start and goal are never blocked. Further discs lie on shortest paths of the map at that time.
//! Unsolvable instances are dropped.

use throng_grid::{Area, Cell, Cost, Grid};
use throng_search::{RegisteredSearch, Unsupported};

/// The condition that ends a perturbation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perturbation {
    /// Every shortest path is blocked.
    Exp1,
    /// The minimum cost is at least 15 % higher.
    Exp2,
}

/// The result of a perturbation.
#[derive(Clone, Debug)]
pub struct Perturbed {
    /// The blocked discs, for [`Perturbed::undo`].
    discs: Vec<Area>,
    /// Minimum cost before the perturbation.
    pub before: Cost,
    /// Minimum cost after it; `None` if there is no path, or nothing could be blocked.
    pub after: Option<Cost>,
}

impl Perturbed {
    /// Returns the number of blocked discs.
    pub fn discs(&self) -> usize {
        self.discs.len()
    }

    /// Unblocks the discs.
    pub fn undo(&self, grid: &mut Grid) {
        for &disc in &self.discs {
            grid.unblock(disc);
        }
    }

    /// Blocks the discs again, except both ends of the path.
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
    /// Returns true if the minimum cost has risen enough.
    fn is_done(self, before: Cost, now: Cost) -> bool {
        match self {
            Self::Exp1 => now > before,
            Self::Exp2 => u64::from(now) * 100 >= u64::from(before) * 115,
        }
    }

    /// Perturbs a grid on which nothing is blocked around the shortest paths between two cells. Returns `None` if there
    /// is no path. `shortest` must be an optimal search.
    ///
    /// # Errors
    ///
    /// If the search does not support the ground.
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
