//! Passages through the middle of the map, and how far agents use each in one direction only.
//!
//! Jansen 2008, section 4.1.1: each narrow corridor in the centre of a map soon becomes a passage from left to right or from
//! right to left. A passage is a group of adjacent free cells in the map's middle column, bounded by walls.

use throng::{Event, Ground, Pos};

/// The passages of a map and the number of times agents crossed them.
#[derive(Clone, Debug)]
pub(super) struct Passages {
    /// The middle column: the first of the right half.
    column: i32,
    /// The number of each row's passage; none where the middle column is a wall.
    rows: Vec<Option<usize>>,
    /// The number of crossings of each passage, to the right and to the left.
    crossings: Vec<[u64; 2]>,
}

impl Passages {
    pub(super) fn new(ground: &Ground) -> Self {
        let size = ground.size();
        let column = (size.width() / 2).cast_signed();
        let is_free = |y| size.cell(Pos::new(column, y)).is_some_and(|cell| ground.is_free(cell));
        let (mut rows, mut count) = (Vec::new(), 0);
        for y in 0..size.height().cast_signed() {
            let is_new = is_free(y) && rows.last().is_none_or(Option::is_none);
            count += usize::from(is_new);
            rows.push(is_free(y).then(|| count - 1));
        }
        Self { column, rows, crossings: vec![[0; 2]; count] }
    }

    /// Counts the crossings of a tick.
    pub(super) fn count(&mut self, events: &[Event]) {
        for event in events {
            let Event::Moved { from, to, .. } = *event else { continue };
            let is_right = |pos: Pos| pos.x >= self.column;
            if is_right(from) == is_right(to) {
                continue;
            }
            let inside = if is_right(to) { to } else { from };
            if let Some(passage) = self.rows[inside.y as usize] {
                self.crossings[passage][usize::from(is_right(from))] += 1;
            }
        }
    }

    /// Returns the share of the crossings in the main direction of their passage, in the passage where it is lowest; none if
    /// no wall bounds a passage or nothing was counted.
    pub(super) fn one_way_share(&self) -> Option<f64> {
        let is_bounded = self.rows.iter().any(Option::is_none);
        let used = self.crossings.iter().filter(|crossings| **crossings != [0; 2]);
        let share = |[right, left]: &[u64; 2]| *right.max(left) as f64 / (right + left) as f64;
        used.map(share).min_by(f64::total_cmp).filter(|_| is_bounded)
    }
}

#[cfg(test)]
mod tests {
    use throng::{AgentId, Grid, MoveRules, Tiles};

    use super::*;

    /// Returns the share after moves, each given by its start and end.
    fn share(picture: &str, moves: &[[(i32, i32); 2]]) -> Option<f64> {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
        let moved = |&[from, to]: &[(i32, i32); 2]| Event::Moved {
            agent: AgentId::from_bits(0),
            from: Pos::new(from.0, from.1),
            to: Pos::new(to.0, to.1),
            ticks: 1,
        };
        let mut passages = Passages::new(grid.ground());
        passages.count(&moves.iter().map(moved).collect::<Vec<_>>());
        passages.one_way_share()
    }

    #[test]
    fn the_passage_with_the_most_opposing_crossings_counts() {
        let map = "....\n..#.\n....";
        let right = |y| [(1, y), (2, y)];
        let left = |y| [(2, y), (1, y)];
        assert_eq!(share(map, &[]), None);
        assert_eq!(share(map, &[right(0), right(0), left(2)]), Some(1.0));
        assert_eq!(share(map, &[right(0), left(2), left(2), left(2), right(2)]), Some(0.75));
        assert_eq!(share(map, &[[(0, 0), (1, 0)], [(2, 0), (3, 0)]]), None, "nobody crosses the middle");
        assert_eq!(share("....\n....", &[right(0), left(1)]), None, "no wall bounds a passage");
    }
}
