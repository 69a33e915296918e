//! The step penalties seen by the search of one agent: those of the whole map, of a window, or of the agent's own copy.

use throng_grid::{Cell, Cost, Direction, Pos, Size};
use throng_search::PagedCells;

use super::map::DirectionMap;
use super::step_penalty::StepPenalty;
use super::vector::Vector;

/// The step penalties that apply to one agent.
#[derive(Clone, Copy, Debug)]
pub struct StepPenalties<'a> {
    pub(super) step_penalty: StepPenalty,
    pub(super) map: &'a DirectionMap,
    /// The agent's own copy of the map, which may be outdated. It replaces `map` if present.
    pub(super) own: Option<&'a PagedCells<Vector>>,
    /// Position of the agent, and the squared distance in cells beyond which steps have no penalty.
    pub(super) window: Option<(Pos, u64)>,
}

impl<'a> StepPenalties<'a> {
    /// Returns the penalties of a whole map.
    pub fn of_map(step_penalty: StepPenalty, map: &'a DirectionMap) -> Self {
        Self { step_penalty, map, own: None, window: None }
    }

    /// Restricts the penalties to cells within a distance of a position.
    #[must_use]
    pub fn within(self, at: Pos, squared_distance: u64) -> Self {
        Self { window: Some((at, squared_distance)), ..self }
    }

    /// Returns the largest possible penalty.
    pub fn max(&self) -> Cost {
        self.step_penalty.max()
    }

    /// Returns the size of the map.
    pub fn size(&self) -> Size {
        self.map.size()
    }

    /// Returns the vector of a cell, or `None` if the agent knows none.
    #[inline]
    pub fn vector(&self, cell: Cell) -> Option<Vector> {
        Some(self.stored(cell)).filter(|vector| vector.is_known())
    }

    #[inline]
    fn stored(&self, cell: Cell) -> Vector {
        self.own.map_or_else(|| self.map.stored(cell), |own| own.get(cell))
    }

    /// Returns the penalty of a step; 0 if the cell entered is outside the window.
    #[inline]
    pub fn of(&self, from: Cell, to: Cell, direction: Direction) -> Cost {
        self.leaving(from).to(to, direction)
    }

    /// Returns the penalties of the steps out of a cell.
    #[inline]
    pub fn leaving(&self, from: Cell) -> Leaving<'a, '_> {
        Leaving { step_penalties: self, vector: self.stored(from) }
    }
}

/// The penalties of the steps out of one cell. Its vector is read once.
#[derive(Clone, Copy, Debug)]
pub struct Leaving<'a, 'b> {
    step_penalties: &'b StepPenalties<'a>,
    vector: Vector,
}

impl Leaving<'_, '_> {
    /// Returns the penalty of the step into a cell.
    #[inline]
    pub fn to(&self, to: Cell, direction: Direction) -> Cost {
        let step_penalties = self.step_penalties;
        if step_penalties.window.is_some_and(|(at, squared_distance)| {
            !is_within(step_penalties.map.size(), at, squared_distance, to)
        }) {
            return 0;
        }
        step_penalties.step_penalty.between(self.vector, step_penalties.stored(to), direction)
    }
}

/// Returns true if a cell is within a distance of a position.
#[inline]
pub(crate) fn is_within(size: Size, at: Pos, squared_distance: u64, cell: Cell) -> bool {
    size.pos(cell).distance_squared(at) <= squared_distance
}

#[cfg(test)]
mod tests {
    use super::super::Unknown;
    use super::*;

    #[test]
    fn steps_outside_the_window_have_no_penalty() {
        let size = Size::new(9, 1).unwrap();
        let mut map = DirectionMap::new(size);
        for cell in size.cells() {
            map.set(cell, Some(Vector::step(Direction::West)));
        }
        let step_penalties = StepPenalties::of_map(StepPenalty::new(4_000_000, Unknown::Half), &map);
        let has_penalty = |step_penalties: StepPenalties<'_>| -> Vec<bool> {
            (0..8).map(|x| step_penalties.of(Cell(x), Cell(x + 1), Direction::East) > 0).collect()
        };
        assert_eq!(has_penalty(step_penalties), [true; 8]);
        assert_eq!(
            has_penalty(step_penalties.within(Pos::new(1, 0), 9)),
            [true, true, true, true, false, false, false, false]
        );
    }
}
