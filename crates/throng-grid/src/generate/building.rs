//! A building: a rectangle of walls, cut into rooms by walls with a door each (binary space partition).
//!
//! A wall never ends at an earlier wall's door, so all rooms of a building can be reached from each other.

use super::draw::{Rect, fill, outline};
use crate::rng::SeededRng;
use crate::{Pos, Profile, Terrain, Tiles};

/// How a building is cut up.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// The shortest side of a room.
    pub(super) room: i32,
    /// Percentage of rooms that stay large.
    pub(super) large: u32,
    /// Percentage of small rooms that are filled. Fills doors as well: rooms may end up closed.
    pub(super) solid: u32,
}

impl Style {
    /// An ordinary house.
    pub(super) const fn house(room: i32) -> Self {
        Self { room, large: 15, solid: 0 }
    }
}

/// Draws outer walls and rooms, without a door to the outside.
pub(super) fn building(tiles: &mut Tiles, rect: Rect, style: Style, rng: &mut SeededRng) {
    fill(tiles, rect, Terrain::Ground);
    outline(tiles, rect, Terrain::Wall);
    split(tiles, rect.inset(1), style, rng);
}

/// Cuts a room in two until the parts are small enough.
fn split(tiles: &mut Tiles, rect: Rect, style: Style, rng: &mut SeededRng) {
    let room = style.room;
    let mut todo = vec![rect];
    while let Some(rect) = todo.pop() {
        let (width, height) = (rect.width(), rect.height());
        let upright = if width * 4 > height * 5 { true } else { height * 4 <= width * 5 && rng.chance(50) };
        let longest = if upright { width } else { height };
        let small = longest < 2 * room + 1;
        if small || (longest < 4 * room && rng.chance(style.large)) {
            if small && rng.chance(style.solid) {
                fill(tiles, rect, Terrain::Wall);
            }
            continue;
        }
        let Some(at) = place_for_wall(tiles, rect, room, upright, rng) else { continue };
        let (wall, one, other) = if upright {
            (
                Rect::new(at, rect.y0, at + 1, rect.y1),
                Rect::new(rect.x0, rect.y0, at, rect.y1),
                Rect::new(at + 1, rect.y0, rect.x1, rect.y1),
            )
        } else {
            (
                Rect::new(rect.x0, at, rect.x1, at + 1),
                Rect::new(rect.x0, rect.y0, rect.x1, at),
                Rect::new(rect.x0, at + 1, rect.x1, rect.y1),
            )
        };
        fill(tiles, wall, Terrain::Wall);
        door_in(tiles, wall, longest >= 6 * room, rng);
        todo.extend([one, other]);
    }
}

/// Where a wall across a room may stand: both its ends must meet walls, not doors.
fn place_for_wall(tiles: &Tiles, rect: Rect, room: i32, upright: bool, rng: &mut SeededRng) -> Option<i32> {
    let (start, end) = if upright { (rect.x0, rect.x1) } else { (rect.y0, rect.y1) };
    let is_wall = |x, y| tiles.at(Pos::new(x, y)).is_none_or(|terrain| terrain == Terrain::Wall);
    let fits = |at: i32| {
        if upright {
            is_wall(at, rect.y0 - 1) && is_wall(at, rect.y1)
        } else {
            is_wall(rect.x0 - 1, at) && is_wall(rect.x1, at)
        }
    };
    (0..8).map(|_| rng.between(start + room, end - 1 - room)).find(|&at| fits(at))
}

/// Opens one cell of a wall, or two to three of a long one.
fn door_in(tiles: &mut Tiles, wall: Rect, wide: bool, rng: &mut SeededRng) {
    let (x, y) = (rng.between(wall.x0, wall.x1 - 1), rng.between(wall.y0, wall.y1 - 1));
    let width = if wide { rng.between(2, 3) } else { 1 };
    let door = if wall.width() == 1 {
        Rect::new(x, y, x + 1, (y + width).min(wall.y1))
    } else {
        Rect::new(x, y, (x + width).min(wall.x1), y + 1)
    };
    fill(tiles, door, Terrain::Ground);
}

/// Opens doors of a cell in the outer wall where both sides can be walked on; says how many were opened.
pub(super) fn outer_doors(tiles: &mut Tiles, rect: Rect, doors: usize, rng: &mut SeededRng) -> usize {
    let inner = rect.inset(1);
    let walkable = |x, y| tiles.at(Pos::new(x, y)).is_some_and(|terrain| Profile::WALKER.enters(terrain));
    let mut places: Vec<Pos> = rect
        .places()
        .filter(|&pos| !inner.contains(pos))
        .filter(|&Pos { x, y }| {
            (walkable(x - 1, y) && walkable(x + 1, y)) || (walkable(x, y - 1) && walkable(x, y + 1))
        })
        .collect();
    rng.shuffle(&mut places);
    places.truncate(doors);
    for &pos in &places {
        tiles.set(pos, Terrain::Ground);
    }
    places.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MoveRules, Size};

    #[test]
    fn all_rooms_of_a_building_hang_together() {
        for seed in 0..200 {
            let size = Size::new(30 + seed as u32 % 40, 20 + seed as u32 % 30).unwrap();
            let mut tiles = Tiles::filled(size, Terrain::Grass);
            let rect = Rect::of(size).inset(2);
            let mut rng = SeededRng::new(seed);
            building(&mut tiles, rect, Style::house(2 + seed as i32 % 4), &mut rng);
            let parts =
                |tiles: &Tiles| Grid::new(tiles.clone(), MoveRules::FOUR_WAY).ground().components().count();
            assert_eq!(parts(&tiles), 2, "inside and outside, seed {seed}");
            assert_eq!(outer_doors(&mut tiles, rect, 2, &mut rng), 2);
            assert_eq!(parts(&tiles), 1);
        }
    }
}
