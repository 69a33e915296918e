//! Maps for patrols, drawn from the words of M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis,
//! University of Alberta, 2008, and from nothing else: no length was chosen by the results of runs. We do not have the
//! thesis's Figure 4.2, which shows the maps.
//!
//! What the thesis says, with the section:
//! - "64x64" (ch. 4); "each agent has one patrol location on the right-hand side of the map and one on the left-hand side"
//!   (ch. 4).
//! - (b), (c): the heuristic "leads the agents through the barriers in the center of the map" (ch. 4).
//! - (b): agents "sometimes cross over above the obstacle in the middle of the map" (4.1.1).
//! - (c): "a more constrained area with many obstacles (i.e. the center of the map)" (ch. 4); "each of the narrow corridors in
//!   the center" (4.1.1); agents "reach the large obstacles in the middle", then move along their side to "the corridor that
//!   connects the two sides of the map" (4.3).
//! - (d): "agents need to share small passageways" (ch. 4); the heuristic "does not lead the agents astray" (4.1.2); it contains
//!   "more open space" and no "large, central areas of congestion" (4.6).
//!
//! Two rules give the lengths that it does not state. Parts are thirds: the centre is the middle third of the map, obstacles
//! in a row are three, a third of a wall with passageways is open. What is narrow or small is two cells wide, the least width
//! in which two agents pass each other.

use crate::generate::draw::{Rect, fill};
use crate::{Size, Terrain, Tiles};

/// The width of narrow corridors and small passageways.
const NARROW: i32 = 2;

/// Map (b): one obstacle in the middle third of the map, with open ground all around it.
pub(super) fn obstacle(size: Size) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    let ((left, right), (top, bottom)) = (middle_third(size.width()), middle_third(size.height()));
    fill(&mut tiles, Rect::new(left, top, right, bottom), Terrain::Wall);
    tiles
}

/// Map (c): three times three large obstacles that fill the middle third of the map's width from top to bottom, with narrow
/// corridors between them.
pub(super) fn obstacles(size: Size) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    for (left, right) in three(middle_third(size.width())) {
        for (top, bottom) in three((0, size.height().cast_signed())) {
            fill(&mut tiles, Rect::new(left, top, right, bottom), Terrain::Wall);
        }
    }
    tiles
}

/// Map (d): a wall of one cell between the sides, a third of which is open in small passageways at equal distances.
pub(super) fn passageways(size: Size) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    let (middle, height) = ((size.width() / 2).cast_signed(), size.height().cast_signed());
    for top in (0..height).step_by(3 * NARROW as usize) {
        let bottom = (top + 2 * NARROW).min(height);
        fill(&mut tiles, Rect::new(middle, top, middle + 1, bottom), Terrain::Wall);
    }
    tiles
}

/// Returns the ends of the middle third of a length. The outer thirds are equal, and the middle takes the remainder.
fn middle_third(length: u32) -> (i32, i32) {
    let third = (length / 3).cast_signed();
    (third, length.cast_signed() - third)
}

/// Divides a stretch into three equal parts with narrow gaps between them; the last part takes the remainder.
fn three((from, to): (i32, i32)) -> [(i32, i32); 3] {
    let part = (to - from - 2 * NARROW) / 3;
    let starts = [0, 1, 2].map(|place| from + place * (part + NARROW));
    [(starts[0], starts[0] + part), (starts[1], starts[1] + part), (starts[2], to)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pos;

    fn walls(tiles: &Tiles, row: i32) -> String {
        let cell = |x| if tiles.at(Pos::new(x, row)) == Some(Terrain::Wall) { '#' } else { '.' };
        (0..tiles.size().width().cast_signed()).map(cell).collect()
    }

    #[test]
    fn lengths_follow_the_two_rules() {
        let size = Size::new(16, 16).unwrap();
        assert_eq!(walls(&obstacle(size), 4), "................");
        assert_eq!(walls(&obstacle(size), 5), ".....######.....");
        let field = Size::new(30, 16).unwrap();
        assert_eq!(walls(&obstacles(field), 0), "..........##..##..##..........");
        let corridors: Vec<i32> =
            (0..16).filter(|&row| !walls(&obstacles(field), row).contains('#')).collect();
        assert_eq!(corridors, [4, 5, 10, 11]);
        let open: Vec<i32> = (0..16).filter(|&row| !walls(&passageways(size), row).contains('#')).collect();
        assert_eq!(open, [4, 5, 10, 11]);
    }
}
