//! What the search of one agent sees of a direction map: all of it, what lies within a window, or its own copy.

use throng_grid::{Cell, Cost, Direction, Pos, Size};
use throng_search::PagedCells;

use super::map::DirectionMap;
use super::step_penalty::StepPenalty;
use super::vector::Vector;

/// The penalties of steps, as an agent sees them from where it stands.
#[derive(Clone, Copy, Debug)]
pub struct StepPenalties<'a> {
    pub(super) step_penalty: StepPenalty,
    pub(super) map: &'a DirectionMap,
    /// The agent's own copy, which may be older than the map.
    pub(super) own: Option<&'a PagedCells<Vector>>,
    /// Where the agent stands and the square of the distance beyond which it sees no vectors.
    pub(super) window: Option<(Pos, u64)>,
}

impl<'a> StepPenalties<'a> {
    /// Those of a whole map.
    pub fn of_map(step_penalty: StepPenalty, map: &'a DirectionMap) -> Self {
        Self { step_penalty, map, own: None, window: None }
    }

    /// The same, seen from a place only up to a distance, which is given as its square.
    #[must_use]
    pub fn within(self, at: Pos, square: u64) -> Self {
        Self { window: Some((at, square)), ..self }
    }

    /// The largest penalty there is.
    pub fn most(&self) -> Cost {
        self.step_penalty.most()
    }

    /// The size of the map.
    pub fn size(&self) -> Size {
        self.map.size()
    }

    /// The vector of a cell, as far as the agent knows it.
    #[inline]
    pub fn vector(&self, cell: Cell) -> Option<Vector> {
        Some(self.stored(cell)).filter(|vector| vector.is_known())
    }

    #[inline]
    fn stored(&self, cell: Cell) -> Vector {
        self.own.map_or_else(|| self.map.stored(cell), |own| own.get(cell))
    }

    /// The penalty of a step. Steps into cells beyond the window have none.
    #[inline]
    pub fn of(&self, from: Cell, to: Cell, direction: Direction) -> Cost {
        self.leaving(from).to(to, direction)
    }

    /// The penalties of all steps out of a cell.
    #[inline]
    pub fn leaving(&self, from: Cell) -> Leaving<'a, '_> {
        Leaving { step_penalties: self, vector: self.stored(from) }
    }
}

/// The penalties of the steps out of one cell, whose vector is looked up once.
#[derive(Clone, Copy, Debug)]
pub struct Leaving<'a, 'b> {
    step_penalties: &'b StepPenalties<'a>,
    vector: Vector,
}

impl Leaving<'_, '_> {
    /// The penalty of a step into a cell.
    #[inline]
    pub fn to(&self, to: Cell, direction: Direction) -> Cost {
        let step_penalties = self.step_penalties;
        if step_penalties
            .window
            .is_some_and(|(at, square)| !is_within(step_penalties.map.size(), at, square, to))
        {
            return 0;
        }
        step_penalties.step_penalty.between(self.vector, step_penalties.stored(to), direction)
    }
}

/// Whether a cell lies within a distance, given as its square.
#[inline]
fn is_within(size: Size, at: Pos, square: u64, cell: Cell) -> bool {
    let pos = size.pos(cell);
    let (dx, dy) = (u64::from(pos.x.abs_diff(at.x)), u64::from(pos.y.abs_diff(at.y)));
    dx * dx + dy * dy <= square
}

#[cfg(test)]
mod tests {
    use super::super::Unknown;
    use super::*;

    #[test]
    fn what_lies_beyond_the_window_costs_nothing() {
        let size = Size::new(9, 1).unwrap();
        let mut map = DirectionMap::new(size);
        for cell in size.cells() {
            map.set(cell, Some(Vector::step(Direction::West)));
        }
        let step_penalties = StepPenalties::of_map(StepPenalty::new(4_000_000, Unknown::Half), &map);
        let paid = |step_penalties: StepPenalties<'_>| -> Vec<bool> {
            (0..8).map(|x| step_penalties.of(Cell(x), Cell(x + 1), Direction::East) > 0).collect()
        };
        assert_eq!(paid(step_penalties), [true; 8]);
        assert_eq!(
            paid(step_penalties.within(Pos::new(1, 0), 9)),
            [true, true, true, true, false, false, false, false]
        );
    }
}
