//! A building: a rectangle divided into rooms by walls with one door each (binary space partitioning).
//!
//! A wall never ends at the door of an earlier wall, so all rooms of a building are connected.

use super::draw::{Rect, fill, outline};
use crate::{Pos, Profile, SeededRng, Terrain, Tiles};

/// How a building is divided.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Minimum side of a room, in cells.
    pub(super) room: i32,
    /// Percentage of rooms that are not divided although they are large enough.
    pub(super) large: u32,
    /// Percentage of small rooms that are filled with wall. A filled room may block a door, so rooms may be closed.
    pub(super) solid: u32,
}

impl Style {
    /// Returns the style of a house.
    pub(super) const fn house(room: i32) -> Self {
        Self { room, large: 15, solid: 0 }
    }
}

/// Draws the outer walls and the rooms, without a door to the outside.
pub(super) fn building(tiles: &mut Tiles, rect: Rect, style: Style, rng: &mut SeededRng) {
    fill(tiles, rect, Terrain::Ground);
    outline(tiles, rect, Terrain::Wall);
    split(tiles, rect.inset(1), style, rng);
}

/// Divides a room in two until all rooms are small enough.
fn split(tiles: &mut Tiles, rect: Rect, style: Style, rng: &mut SeededRng) {
    let room = style.room;
    let mut todo = vec![rect];
    while let Some(rect) = todo.pop() {
        let (width, height) = (rect.width(), rect.height());
        let vertical = if width * 4 > height * 5 { true } else { height * 4 <= width * 5 && rng.chance(50) };
        let longest = if vertical { width } else { height };
        let small = longest < 2 * room + 1;
        if small || (longest < 4 * room && rng.chance(style.large)) {
            if small && rng.chance(style.solid) {
                fill(tiles, rect, Terrain::Wall);
            }
            continue;
        }
        let Some(at) = wall_position(tiles, rect, room, vertical, rng) else { continue };
        let (wall, one, other) = if vertical {
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

/// Returns a random position for a wall across a room, `None` if eight attempts fail. Both ends must touch a wall, not
/// a door.
fn wall_position(tiles: &Tiles, rect: Rect, room: i32, vertical: bool, rng: &mut SeededRng) -> Option<i32> {
    let (start, end) = if vertical { (rect.x0, rect.x1) } else { (rect.y0, rect.y1) };
    let is_wall = |x, y| tiles.at(Pos::new(x, y)).is_none_or(|terrain| terrain == Terrain::Wall);
    let fits = |at: i32| {
        if vertical {
            is_wall(at, rect.y0 - 1) && is_wall(at, rect.y1)
        } else {
            is_wall(rect.x0 - 1, at) && is_wall(rect.x1, at)
        }
    };
    (0..8).map(|_| rng.between(start + room, end - 1 - room)).find(|&at| fits(at))
}

/// Opens one cell of a wall, or two to three cells if the door is `wide`.
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

/// Opens up to `doors` doors of one cell in the outer wall, where both sides are walkable. Returns how many were
/// opened.
pub(super) fn outer_doors(tiles: &mut Tiles, rect: Rect, doors: usize, rng: &mut SeededRng) -> usize {
    let inner = rect.inset(1);
    let walkable = |x, y| tiles.at(Pos::new(x, y)).is_some_and(|terrain| Profile::WALKER.enters(terrain));
    let mut candidates: Vec<Pos> = rect
        .positions()
        .filter(|&pos| !inner.contains(pos))
        .filter(|&Pos { x, y }| {
            (walkable(x - 1, y) && walkable(x + 1, y)) || (walkable(x, y - 1) && walkable(x, y + 1))
        })
        .collect();
    rng.shuffle(&mut candidates);
    candidates.truncate(doors);
    for &pos in &candidates {
        tiles.set(pos, Terrain::Ground);
    }
    candidates.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MoveRules, Size};

    #[test]
    fn all_rooms_of_a_building_are_connected() {
        for seed in 0..200 {
            let size = Size::new(30 + seed as u32 % 40, 20 + seed as u32 % 30).unwrap();
            let mut tiles = Tiles::filled(size, Terrain::Grass);
            let rect = Rect::of(size).inset(2);
            let mut rng = SeededRng::new(seed);
            building(&mut tiles, rect, Style::house(2 + seed as i32 % 4), &mut rng);
            let component_count =
                |tiles: &Tiles| Grid::new(tiles.clone(), MoveRules::FOUR_WAY).ground().components().count();
            assert_eq!(component_count(&tiles), 2, "inside and outside, seed {seed}");
            assert_eq!(outer_doors(&mut tiles, rect, 2, &mut rng), 2);
            assert_eq!(component_count(&tiles), 1);
        }
    }
}
