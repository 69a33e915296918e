//! Placeholder.
use throng_grid::{Cell, DirectionSet, Ground};

#[derive(Clone, Debug)]
pub(crate) struct Flow(Vec<DirectionSet>);

impl Flow {
    pub(crate) fn of(ground: &Ground) -> Self {
        Self(ground.size().cells().map(|cell| ground.moves(cell)).collect())
    }

    pub(crate) fn moves(&self, cell: Cell) -> DirectionSet {
        self.0[cell.index()]
    }
}
