//! A castle in the middle of the level: moat, curtain wall with towers, courtyard, and a keep with rooms.

use crate::generate::building::{Style, building, outer_doors};
use crate::generate::draw::{Rect, brush, fill, paint};
use crate::{Pos, SeededRng, Terrain, Tiles};

/// Minimum side of a castle, in cells. Smaller walls have no room for a keep.
pub(super) const MIN_SIDE: i32 = 48;

pub(super) fn castle(tiles: &mut Tiles, side: i32, rng: &mut SeededRng) {
    let middle = Rect::of(tiles.size()).middle();
    let height = side * rng.between(78, 92) / 100;
    let (left, top) = (middle.x - side / 2, middle.y - height / 2);
    let outer = Rect::new(left, top, left + side, top + height);
    let moat = (side / 24).clamp(3, 9);
    fill(tiles, outer.inset(-2), Terrain::Grass);
    fill(tiles, outer, Terrain::Water);
    let curtain = outer.inset(moat);
    let thick = (side / 48).clamp(2, 4);
    fill(tiles, curtain, Terrain::Wall);
    let yard = curtain.inset(thick);
    fill(tiles, yard, Terrain::Ground);
    courtyard(tiles, yard, side, rng);
    towers(tiles, curtain, thick);
    gates(tiles, outer, yard, rng);
}

/// Draws round towers with a room inside at the corners and along the long sides.
fn towers(tiles: &mut Tiles, curtain: Rect, thick: i32) {
    let (right, bottom) = (curtain.x1 - 1, curtain.y1 - 1);
    let (third, inside) = (curtain.width() / 3, thick / 2);
    let corners = [(curtain.x0, curtain.y0), (right, curtain.y0), (curtain.x0, bottom), (right, bottom)];
    let along = [1, 2].map(|n| curtain.x0 + n * third);
    let between = along.into_iter().flat_map(|x| [(x, curtain.y0 + inside), (x, bottom - inside)]);
    for (x, y) in corners.into_iter().chain(between) {
        paint(tiles, brush(Pos::new(x, y), 4 * thick + 3), Terrain::Wall);
        paint(tiles, brush(Pos::new(x, y), 3 * thick), Terrain::Ground);
    }
}

/// Draws the keep around its garden, and houses and gardens along the curtain wall.
fn courtyard(tiles: &mut Tiles, yard: Rect, side: i32, rng: &mut SeededRng) {
    let margin = (side / 8).max(6);
    let keep = yard.inset(margin);
    fill(tiles, keep, Terrain::Wall);
    let rooms = keep.inset((side / 90).clamp(0, 2));
    building(tiles, rooms, Style { room: (side / 26).clamp(3, 7), large: 30, solid: 0 }, rng);
    let garden = rooms.inset(rooms.width().min(rooms.height()) / 3);
    if garden.width().min(garden.height()) >= 9 {
        fill(tiles, garden, Terrain::Wall);
        plant(tiles, garden.inset(1), rng);
        paint(tiles, brush(garden.middle(), 7), Terrain::Water);
        outer_doors(tiles, garden, 4, rng);
    }
    for number in 0..5 {
        // A door through the thick wall; the position is not aligned with the rooms behind it.
        let (x, y) = (rng.between(keep.x0 + 4, keep.x1 - 5), rng.between(keep.y0 + 4, keep.y1 - 5));
        let deep = rooms.x0 - keep.x0 + 1;
        let door = match number % 4 {
            0 => Rect::new(x, keep.y0, x + 2, keep.y0 + deep),
            1 => Rect::new(x, keep.y1 - deep, x + 2, keep.y1),
            2 => Rect::new(keep.x0, y, keep.x0 + deep, y + 2),
            _ => Rect::new(keep.x1 - deep, y, keep.x1, y + 2),
        };
        fill(tiles, door, Terrain::Ground);
    }
    along_the_wall(tiles, yard, margin / 2, rng);
}

/// Draws a row of houses and gardens inside the northern and southern wall, except near the gates.
fn along_the_wall(tiles: &mut Tiles, yard: Rect, deep: i32, rng: &mut SeededRng) {
    if deep < 5 {
        return;
    }
    for (y0, y1) in [(yard.y0, yard.y0 + deep), (yard.y1 - deep, yard.y1)] {
        let mut x = yard.x0 + deep;
        while x + deep + 2 < yard.x1 - deep {
            let wide = rng.between(deep + 2, 2 * deep).min(yard.x1 - deep - x);
            let house = Rect::new(x, y0 - 1, x + wide, y1 + 1);
            x += wide + rng.between(1, 3);
            if house.x0 - 5 < yard.middle().x && yard.middle().x < house.x1 + 5 {
                continue;
            }
            if rng.chance(65) {
                building(tiles, house, Style::house(3), rng);
                outer_doors(tiles, house, 2, rng);
            } else {
                plant(tiles, house.inset(2), rng);
            }
        }
    }
}

/// Fills a rectangle with grass and some trees.
fn plant(tiles: &mut Tiles, rect: Rect, rng: &mut SeededRng) {
    for pos in rect.positions() {
        tiles.set(pos, if rng.chance(14) { Terrain::Trees } else { Terrain::Grass });
    }
}

/// Opens gates with bridges over the moat: north and south always, west and east sometimes.
fn gates(tiles: &mut Tiles, outer: Rect, yard: Rect, rng: &mut SeededRng) {
    let Pos { x, y } = outer.middle();
    let gates = [
        (true, Rect::new(x - 2, outer.y0 - 6, x + 2, yard.y0 + 1)),
        (true, Rect::new(x - 2, yard.y1 - 1, x + 2, outer.y1 + 6)),
        (rng.chance(60), Rect::new(outer.x0 - 6, y - 1, yard.x0 + 1, y + 2)),
        (rng.chance(60), Rect::new(yard.x1 - 1, y - 1, outer.x1 + 6, y + 2)),
    ];
    for (_, gate) in gates.into_iter().filter(|(open, _)| *open) {
        fill(tiles, gate, Terrain::Ground);
    }
}
