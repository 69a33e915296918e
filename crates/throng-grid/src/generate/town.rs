//! A town: streets divide the map into blocks, blocks are divided into lots (building plots), and a lot holds a house
//! with rooms or a garden. Some blocks are squares. Every street ends at other streets, so the streets are connected;
//! rooms that are still closed at the end are connected by a passage.

use super::building::{Style, building, outer_doors};
use super::connect::join_components;
use super::draw::{Rect, brush, fill, paint};
use super::{SeededRng, Values};
use crate::{Pos, Size, Terrain, Tiles};

/// The dimensions of a town.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Width of the widest street.
    street: i32,
    /// Approximate minimum side of a lot.
    lot: i32,
    /// Minimum side of a room.
    room: i32,
    /// Percentage of lots that are gardens.
    green: u32,
}

impl Plan {
    pub(super) const DEFAULT: Self = Self { street: 6, lot: 13, room: 3, green: 18 };
}

pub(super) fn town(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let [street, lot] = ["street", "lot"].map(|name| values.get(name) as i32);
    let plan = Plan { street, lot, green: values.get("green") as u32, ..Plan::DEFAULT };
    let mut tiles = streets(size, plan, rng);
    join_components(&mut tiles, 3, 1);
    tiles
}

/// Returns a town without passages to closed rooms: divides the map by streets, the widest first, and builds on each
/// block that is small enough.
pub(super) fn streets(size: Size, plan: Plan, rng: &mut SeededRng) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    let mut todo = vec![(Rect::of(size).inset(2), plan.street)];
    while let Some((area, street)) = todo.pop() {
        let vertical = area.width() > area.height();
        if area.length(vertical) < 4 * plan.lot + street {
            lots(&mut tiles, area, plan, rng);
            continue;
        }
        let (one, other) = halves(area, vertical, street, rng);
        if street >= 5 {
            avenue(&mut tiles, area, one, vertical);
        }
        let narrower = (street - rng.between(0, 2)).max(2);
        todo.extend([(one, narrower), (other, narrower)]);
    }
    tiles
}

/// Divides an area near its middle into two rectangles with a gap between them.
fn halves(area: Rect, vertical: bool, gap: i32, rng: &mut SeededRng) -> (Rect, Rect) {
    let length = area.length(vertical);
    let at = rng.between(length * 35 / 100, length * 65 / 100 - gap).clamp(0, (length - gap).max(0));
    area.split(vertical, at, gap)
}

/// Plants a row of trees along one side of a wide street.
fn avenue(tiles: &mut Tiles, area: Rect, before: Rect, vertical: bool) {
    for along in (2..area.length(!vertical) - 2).step_by(4) {
        let (x, y) =
            if vertical { (before.x1 + 1, area.y0 + along) } else { (area.x0 + along, before.y1 + 1) };
        tiles.set(Pos::new(x, y), Terrain::Trees);
    }
}

/// Divides a block into lots and builds on each.
fn lots(tiles: &mut Tiles, block: Rect, plan: Plan, rng: &mut SeededRng) {
    if rng.chance(8) {
        return square(tiles, block, rng);
    }
    let mut todo = vec![block];
    while let Some(lot) = todo.pop() {
        let vertical = lot.width() > lot.height();
        if lot.length(vertical) >= 2 * plan.lot {
            // Adjacent houses share a wall (-1), touch, or leave an alley.
            let gap = rng.pick(&[-1, -1, 0, 1, 1, 2]);
            let (one, other) = halves(lot, vertical, gap, rng);
            todo.extend([one, other]);
        } else if lot.width().min(lot.height()) < 5 || rng.chance(plan.green) {
            garden(tiles, lot, rng);
        } else {
            house(tiles, lot, plan, rng);
        }
    }
}

/// Builds a house with one to three doors; some have a garden in a corner.
fn house(tiles: &mut Tiles, lot: Rect, plan: Plan, rng: &mut SeededRng) {
    let room = plan.room + rng.between(0, 2);
    building(tiles, lot, Style::house(room), rng);
    let (width, height) = (lot.width(), lot.height());
    if width.min(height) >= 10 && rng.chance(45) {
        let (w, h) = (rng.between(width / 3, width / 2), rng.between(height / 3, height / 2));
        let x0 = if rng.chance(50) { lot.x0 } else { lot.x1 - w };
        let y0 = if rng.chance(50) { lot.y0 } else { lot.y1 - h };
        let yard = Rect::new(x0, y0, x0 + w, y0 + h);
        // The walls towards the garden form a ring around it, clipped to the lot.
        paint(tiles, yard.inset(-1).positions().filter(|&pos| lot.contains(pos)), Terrain::Wall);
        garden(tiles, yard, rng);
    }
    let doors = rng.between(1, 3) as usize;
    outer_doors(tiles, lot, doors, rng);
}

/// Draws a garden: grass, some trees, sometimes a pond.
fn garden(tiles: &mut Tiles, lot: Rect, rng: &mut SeededRng) {
    fill(tiles, lot, Terrain::Grass);
    let trees = rng.between(3, 18) as u32;
    paint(tiles, lot.positions().filter(|_| rng.chance(trees)), Terrain::Trees);
    let room = lot.width().min(lot.height()) - 4;
    if room >= 4 && rng.chance(40) {
        let pond = rng.between(3, room.min(8));
        paint(tiles, brush(lot.middle(), pond), Terrain::Water);
    }
}

/// Draws a square with a well in the middle and market stalls around it.
fn square(tiles: &mut Tiles, block: Rect, rng: &mut SeededRng) {
    fill(tiles, block, Terrain::Ground);
    let middle = block.middle();
    if block.width().min(block.height()) >= 9 {
        paint(tiles, brush(middle, 5), Terrain::Wall);
        paint(tiles, brush(middle, 3), Terrain::Water);
    }
    let stalls = block.inset(2);
    for y in (stalls.y0..stalls.y1 - 1).step_by(5) {
        for x in (stalls.x0..stalls.x1 - 2).step_by(6) {
            let near = (x - middle.x).abs() < 7 && (y - middle.y).abs() < 7;
            if !near && rng.chance(60) {
                fill(tiles, Rect::new(x, y, x + rng.between(2, 3), y + 2), Terrain::Wall);
            }
        }
    }
}
