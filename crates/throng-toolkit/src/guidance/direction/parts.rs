//! Vectors for parts of the map only: narrow passages, or crowded areas.
//!
//! Section 5.6 of the thesis proposes to store vectors only where collisions are likely, and names these two kinds of
//! places without a definition. Here a cell is in a narrow passage if walls bound the free cells around it, along its row or
//! its column, within a maximum width. A cell is crowded if at least a minimum number of other units stand near it when an
//! agent passes it.
//!
//! Both are evaluated on the present map and positions when a step is learned, so edits need no update. A cell that has a
//! vector goes on learning, so that no vector outlives a passage that was widened or a crowd that has gone.

use throng_crowd::{AgentRow, Occupant, View};
use throng_grid::{Area, Cell, Direction, Ground, Pos};

use super::map::DirectionMap;

/// Distance in cells up to which agents count as near a cell. Not tuned.
const NEAR: i32 = 2;

/// The cells whose vectors are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// All cells.
    All,
    /// Cells of passages of at most this width in cells.
    Narrow {
        /// The largest width.
        width: u32,
    },
    /// Cells that an agent passes while at least this many other units are near.
    Crowded {
        /// The smallest number of other units; at least 1.
        others: u32,
    },
}

impl Parts {
    /// Returns true if the map stores the vector of a cell that an agent passes.
    #[inline]
    pub(super) fn stores(self, map: &DirectionMap, view: &View<'_>, agent: AgentRow, cell: Cell) -> bool {
        match self {
            Self::All => true,
            _ if map.vector(cell).is_some() => true,
            Self::Narrow { width } => is_narrow(view.ground(agent), cell, width),
            Self::Crowded { others } => is_crowded(view, agent, cell, others),
        }
    }
}

/// Returns true if the cell is in a passage of at most this width, measured along its row or its column.
fn is_narrow(ground: &Ground, cell: Cell, width: u32) -> bool {
    let free_run = |direction: Direction| {
        let next = |at: &Pos| Some(*at + direction);
        let run = std::iter::successors(next(&ground.pos(cell)), next);
        let is_free = |&at: &Pos| ground.cell(at).is_some_and(|cell| ground.is_free(cell));
        run.take(width as usize).take_while(is_free).count()
    };
    let across = |a, b| 1 + free_run(a) + free_run(b) <= width as usize;
    across(Direction::West, Direction::East) || across(Direction::North, Direction::South)
}

/// Returns true if at least this many units beside the agent that passes are near the cell.
fn is_crowded(view: &View<'_>, agent: AgentRow, cell: Cell, others: u32) -> bool {
    let size = view.grid().size();
    let center = size.pos(cell);
    let corner = |sign| Pos::new(center.x + sign * NEAR, center.y + sign * NEAR);
    let is_other = |&near: &Cell| match view.occupancy().at(near) {
        Occupant::Nobody => false,
        Occupant::Agent(other) => other != agent,
        Occupant::Foreign => true,
    };
    Area::rect(corner(-1), corner(1))
        .cells(size)
        .filter(is_other)
        .nth(others.saturating_sub(1) as usize)
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, MoveRules, Tiles};

    #[test]
    fn passages_and_doorways_are_narrow_and_rooms_are_not() {
        let tiles = Tiles::picture(
            ".....@@@@@@.....
             .....@@@@@@.....
             ................
             ................
             .....@@@@@@.....
             .....@@@@@@.....
             @@@@@@@@@@@@@.@@
             .....@@@@@@.....
             .....@@@@@@.....
             .....@@@@@@.....
             .....@@@@@@.....",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let ground = grid.ground();
        let narrow = |width| {
            let mark = |cell| match () {
                () if !ground.is_free(cell) => '@',
                () if is_narrow(ground, cell, width) => 'n',
                () => '.',
            };
            let marks: Vec<char> = grid.size().cells().map(mark).collect();
            marks.chunks(16).map(|row| row.iter().collect::<String>()).collect::<Vec<_>>()
        };
        #[rustfmt::skip]
        assert_eq!(narrow(2), [
            ".....@@@@@@.....",
            ".....@@@@@@.....",
            ".....nnnnnn.....",
            ".....nnnnnn.....",
            ".....@@@@@@.....",
            ".....@@@@@@.....",
            "@@@@@@@@@@@@@n@@",
            ".....@@@@@@.....",
            ".....@@@@@@.....",
            ".....@@@@@@.....",
            ".....@@@@@@.....",
        ]);
        assert_eq!(narrow(1)[2], "................", "the passage is two cells wide");
        assert_eq!(narrow(1)[6], "@@@@@@@@@@@@@n@@");
        assert_eq!(narrow(4)[7], "nnnnn@@@@@@nn.nn", "rooms of four rows, one with a door");
    }
}
