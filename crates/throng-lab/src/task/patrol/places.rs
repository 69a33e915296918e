//! The places that agents walk between.
//!
//! As in M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, 2008, ch. 4, all places lie on a checkerboard (the
//! sum of their coordinates is even), so that agents at their places enclose no other agent. They lie anywhere on the map,
//! on the left and on the right. The thesis shows where in a picture only. Our strips are set off from the edges so that paths
//! are about as long as the thesis's; the outer thirds of the map are not fitted to anything. No two agents share a place, and
//! of the agents that walk between two sides every second one starts on the right.

use std::ops::Range;

use throng::grid::SeededRng;
use throng::{Cell, Ground, Pos};

use crate::problem::largest_component;
use crate::{ProblemError, ProblemType};

/// The extent of the places on a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlaceArea {
    /// A strip that is set off from the edges.
    #[default]
    Strips,
    /// The outer third of the map.
    Thirds,
}

impl PlaceArea {
    /// The name in experiment files of the area that is not the default.
    pub(super) const THIRDS: &'static str = "thirds";

    /// Returns the number of parts into which the map is divided, the parts inwards from the side, and those along the side.
    const fn extent(self) -> (i32, Range<i32>, Range<i32>) {
        match self {
            Self::Strips => (32, 2..7, 5..27),
            Self::Thirds => (3, 0..1, 0..3),
        }
    }
}

/// The two places of each agent: its start and its first goal.
pub(super) type PlacePairs = Vec<[Cell; 2]>;

/// Where places lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlaceLayout {
    /// Both places anywhere.
    Anywhere,
    /// One place on the left, one on the right.
    LeftAndRight,
    /// One place at the top, one at the bottom.
    TopAndBottom,
}

impl PlaceLayout {
    /// Returns the layout of a problem type.
    ///
    /// # Errors
    /// If the type has no patrols.
    pub(super) fn of(kind: ProblemType) -> Result<Self, ProblemError> {
        match kind {
            ProblemType::Random => Ok(Self::Anywhere),
            ProblemType::SwapSides => Ok(Self::LeftAndRight),
            other => Err(ProblemError::NoPatrol(other.name().to_owned())),
        }
    }

    /// Returns the layout after a quarter turn.
    pub(super) const fn turned(self) -> Self {
        match self {
            Self::Anywhere => Self::Anywhere,
            Self::LeftAndRight => Self::TopAndBottom,
            Self::TopAndBottom => Self::LeftAndRight,
        }
    }

    /// Draws the places of all agents.
    ///
    /// # Errors
    /// If the map has too few.
    pub(super) fn draw(
        self,
        ground: &Ground,
        area: PlaceArea,
        agents: usize,
        rng: &mut SeededRng,
    ) -> Result<PlacePairs, ProblemError> {
        let mut board = largest_component(ground);
        board.retain(|&cell| {
            let pos = ground.pos(cell);
            (pos.x + pos.y) % 2 == 0
        });
        let (parts, inside, beside) = area.extent();
        let side = |first: bool| -> Vec<Cell> {
            let size = ground.size();
            let belongs = |cell: &Cell| {
                let Pos { x, y } = ground.pos(*cell);
                let (width, height) = (size.width().cast_signed(), size.height().cast_signed());
                let ((across, depth), (along, length)) = match self {
                    Self::TopAndBottom => ((y, height), (x, width)),
                    Self::Anywhere | Self::LeftAndRight => ((x, width), (y, height)),
                };
                let inwards = if first { across } else { depth - 1 - across };
                let within = |at: i32, of: i32, part: &Range<i32>| part.contains(&(at * parts / of));
                within(inwards, depth, &inside) && within(along, length, &beside)
            };
            board.iter().copied().filter(belongs).collect()
        };
        if self == Self::Anywhere {
            let places = draw(board, agents, 2 * agents, rng)?;
            return Ok(places.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect());
        }
        let (here, there) = (draw(side(true), agents, agents, rng)?, draw(side(false), agents, agents, rng)?);
        let pairs = here.into_iter().zip(there).enumerate();
        Ok(pairs.map(|(i, (here, there))| if i % 2 == 0 { [here, there] } else { [there, here] }).collect())
    }
}

/// Draws `count` different cells of a pool.
fn draw(
    mut pool: Vec<Cell>,
    agents: usize,
    count: usize,
    rng: &mut SeededRng,
) -> Result<Vec<Cell>, ProblemError> {
    if pool.len() < count {
        return Err(ProblemError::TooFewPlaces { agents, places: pool.len(), needed: count });
    }
    rng.shuffle(&mut pool);
    pool.truncate(count);
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::builtin::builtin;
    use throng::{Grid, MoveRules};

    fn field() -> Grid {
        Grid::new(builtin("patrol-field").unwrap(), MoveRules::default())
    }

    #[test]
    fn places_are_different_and_on_a_checkerboard() {
        let grid = field();
        for layout in [PlaceLayout::Anywhere, PlaceLayout::LeftAndRight, PlaceLayout::TopAndBottom] {
            let places = layout.draw(grid.ground(), PlaceArea::Strips, 100, &mut SeededRng::new(3)).unwrap();
            assert_eq!(
                places,
                layout.draw(grid.ground(), PlaceArea::Strips, 100, &mut SeededRng::new(3)).unwrap()
            );
            assert_ne!(
                places,
                layout.draw(grid.ground(), PlaceArea::Strips, 100, &mut SeededRng::new(4)).unwrap()
            );
            let mut all = places.concat();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 200, "{layout:?}");
            let even = |cell: &Cell| (grid.ground().pos(*cell).x + grid.ground().pos(*cell).y) % 2 == 0;
            assert!(all.iter().all(even), "{layout:?}");
        }
    }

    #[test]
    fn sides_are_strips_and_half_begin_on_either() {
        let grid = field();
        let places = PlaceLayout::LeftAndRight
            .draw(grid.ground(), PlaceArea::Strips, 60, &mut SeededRng::new(1))
            .unwrap();
        let left = |cell: Cell| {
            let Pos { x, y } = grid.ground().pos(cell);
            assert!((4..14).contains(&x) || (50..60).contains(&x), "{x}");
            assert!((10..54).contains(&y), "{y}");
            x < 32
        };
        assert!(places.iter().all(|&[first, second]| left(first) != left(second)));
        assert_eq!(places.iter().filter(|&&[first, _]| left(first)).count(), 30);
        let error = PlaceLayout::LeftAndRight
            .draw(grid.ground(), PlaceArea::Strips, 221, &mut SeededRng::new(1))
            .unwrap_err();
        assert_eq!(error, ProblemError::TooFewPlaces { agents: 221, places: 220, needed: 221 });
    }
    #[test]
    fn thirds_reach_from_top_to_bottom() {
        let grid = field();
        let places =
            PlaceLayout::LeftAndRight.draw(grid.ground(), PlaceArea::Thirds, 600, &mut SeededRng::new(1));
        let all: Vec<Pos> =
            places.unwrap().concat().into_iter().map(|cell| grid.ground().pos(cell)).collect();
        assert!(all.iter().all(|pos| pos.x < 22 || pos.x >= 42), "{all:?}");
        assert!(all.iter().any(|pos| pos.y < 3) && all.iter().any(|pos| pos.y > 60));
    }
}
