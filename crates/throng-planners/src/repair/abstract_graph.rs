//! The abstract graph of sectors, with penalties for edges against the direction vectors of sectors.
//!
//! A node is a connected component of a sector. An edge has the length of the path between the centres of two nodes; its
//! penalty is that of one step against the vectors of both sectors, times the length in straight steps. Penalties are never
//! negative, so the distance between centres stays a consistent heuristic.

use throng_grid::{Cell, Cost, Direction, moves};
use throng_search::{Expansion, SectorGraph, Sectors, Space, Successor};
use throng_toolkit::StepPenalties;

/// The abstract graph as a search space.
pub(super) struct AbstractGraph<'a> {
    graph: SectorGraph<'a>,
    /// The penalties between sectors; `None` if sectors have no vectors.
    penalties: Option<StepPenalties<'a>>,
}

impl<'a> AbstractGraph<'a> {
    pub(super) fn new(sectors: &'a Sectors, penalties: Option<StepPenalties<'a>>) -> Self {
        Self { graph: SectorGraph(sectors), penalties }
    }
}

/// Returns the penalty of an edge of this length between two sectors, which are cells of the map of sector vectors.
fn edge_penalty(penalties: StepPenalties<'_>, (from, to): (Cell, Cell), length: Cost) -> Cost {
    let size = penalties.size();
    let direction = Direction::between(size.pos(from), size.pos(to));
    let step = direction.map_or(0, |direction| penalties.of(from, to, direction));
    let penalty = u64::from(step) * u64::from(length) / u64::from(moves::STRAIGHT);
    Cost::try_from(penalty).unwrap_or(Cost::MAX)
}

impl Space for AbstractGraph<'_> {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let Some(penalties) = self.penalties else { return self.graph.expand(at, propose) };
        let sectors = self.graph.0;
        let from = Cell(sectors.sector(at.node));
        self.graph.expand(at, |next| {
            let ends = (from, Cell(sectors.sector(next.node)));
            let penalty = edge_penalty(penalties, ends, next.g.saturating_sub(at.known.g));
            propose(Successor { g: next.g.saturating_add(penalty), ..next });
        });
    }
}
