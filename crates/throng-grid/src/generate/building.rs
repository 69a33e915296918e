//! A building: a rectangle divided into rooms by walls with one door each (binary space partitioning).
//!
//! A wall never ends at the door of an earlier wall, so all rooms of a building are connected.

use super::draw::{Rect, fill, paint, walkable};
use crate::{Pos, SeededRng, Terrain, Tiles};

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
    paint(tiles, rect.outline(), Terrain::Wall);
    split(tiles, rect.inset(1), style, rng);
}

/// Divides a room in two until all rooms are small enough.
fn split(tiles: &mut Tiles, rect: Rect, style: Style, rng: &mut SeededRng) {
    let room = style.room;
    let mut todo = vec![rect];
    while let Some(rect) = todo.pop() {
        let (width, height) = (rect.width(), rect.height());
        let vertical = if width * 4 > height * 5 { true } else { height * 4 <= width * 5 && rng.chance(50) };
        let longest = rect.length(vertical);
        let small = longest < 2 * room + 1;
        if small || (longest < 4 * room && rng.chance(style.large)) {
            if small && rng.chance(style.solid) {
                fill(tiles, rect, Terrain::Wall);
            }
            continue;
        }
        let Some(at) = wall_position(tiles, rect, room, vertical, rng) else { continue };
        let (one, rest) = rect.split(vertical, at, 0);
        let (wall, other) = rest.split(vertical, 1, 0);
        fill(tiles, wall, Terrain::Wall);
        door_in(tiles, wall, longest >= 6 * room, rng);
        todo.extend([one, other]);
    }
}

/// Returns a random column or row of a room for a wall across it, `None` if eight attempts fail. Both ends must touch
/// a wall, not a door.
fn wall_position(tiles: &Tiles, rect: Rect, room: i32, vertical: bool, rng: &mut SeededRng) -> Option<i32> {
    let is_wall = |x, y| tiles.at(Pos::new(x, y)).is_none_or(|terrain| terrain == Terrain::Wall);
    let fits = |at: i32| {
        if vertical {
            is_wall(rect.x0 + at, rect.y0 - 1) && is_wall(rect.x0 + at, rect.y1)
        } else {
            is_wall(rect.x0 - 1, rect.y0 + at) && is_wall(rect.x1, rect.y0 + at)
        }
    };
    (0..8).map(|_| rng.between(room, rect.length(vertical) - 1 - room)).find(|&at| fits(at))
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

/// Opens up to `doors` doors of one cell in the outer wall, where both sides are walkable.
pub(super) fn outer_doors(tiles: &mut Tiles, rect: Rect, doors: usize, rng: &mut SeededRng) {
    let both = |pos: Pos, dx, dy| {
        [-1, 1].iter().all(|side| walkable(tiles, Pos::new(pos.x + side * dx, pos.y + side * dy)))
    };
    let mut candidates: Vec<Pos> = rect.outline().filter(|&pos| both(pos, 1, 0) || both(pos, 0, 1)).collect();
    rng.shuffle(&mut candidates);
    candidates.truncate(doors);
    paint(tiles, candidates, Terrain::Ground);
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
            outer_doors(&mut tiles, rect, 2, &mut rng);
            assert_eq!(rect.outline().filter(|&pos| walkable(&tiles, pos)).count(), 2);
            assert_eq!(component_count(&tiles), 1);
        }
    }
}
