//! The lowest layer of a picture: terrain in soft colours, lit from above. Walls have a darker face and cast a shadow
//! on lower cells, water darkens away from its shore, trees have crowns.

use super::canvas::Canvas;
use super::palette::{self, BLOCKED, Colour, INK};
use crate::distance_transform::distance_transform;
use crate::{Grid, Pos, Terrain, Tiles};

/// Draws the terrain of all cells, and stripes on blocked cells.
pub(super) fn draw(canvas: &mut Canvas, grid: &Grid) {
    let (tiles, size) = (grid.tiles(), grid.size());
    let shore = steps_to_shore(tiles);
    for cell in size.cells() {
        let pos = size.pos(cell);
        let terrain = tiles.terrain()[cell.index()];
        let base = shade(pos, terrain, shore[cell.index()]);
        if grid.blocked()[cell.index()] {
            stripes(canvas, pos, base);
            continue;
        }
        match terrain {
            Terrain::Wall => wall(canvas, tiles, pos, base),
            Terrain::Trees => crown(canvas, pos, base),
            Terrain::Swamp => reeds(canvas, pos, base),
            _ => plain(canvas, pos, base),
        }
        if !matches!(terrain, Terrain::Wall | Terrain::Outside) {
            shadow(canvas, tiles, pos);
            grid_line(canvas, pos);
        }
    }
}

/// Returns a hash of a position. Small random variations of brightness structure large uniform areas.
fn grain(pos: Pos) -> u32 {
    let mixed = (pos.x as u32).wrapping_mul(0x9E37_79B1) ^ (pos.y as u32).wrapping_mul(0x85EB_CA77);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE3D);
    mixed ^ mixed >> 13
}

fn shade(pos: Pos, terrain: Terrain, shore: u8) -> Colour {
    let colour = palette::terrain(terrain);
    match terrain {
        Terrain::Outside => colour,
        Terrain::Water => colour.shifted(14 - 8 * shore as i8),
        Terrain::Wall => colour.shifted((grain(pos) % 7) as i8 - 3),
        _ => colour.shifted((grain(pos) % 9) as i8 - 4),
    }
}

/// Returns, for water cells, the number of steps to the nearest other terrain, at most 6; 0 for other cells.
fn steps_to_shore(tiles: &Tiles) -> Vec<u8> {
    const FAR: u8 = 6;
    distance_transform(tiles, &[(-1, 0), (0, -1)], |terrain| if terrain == Terrain::Water { FAR } else { 0 })
}

fn is_high(tiles: &Tiles, x: i32, y: i32) -> bool {
    matches!(tiles.at(Pos::new(x, y)), Some(Terrain::Wall))
}

/// Returns the pixels of a cell: coordinates in the picture, then inside the cell.
fn pixels(scale: u32, pos: Pos) -> impl Iterator<Item = (u32, u32, u32, u32)> {
    let (left, top) = (pos.x as u32 * scale, pos.y as u32 * scale);
    (0..scale).flat_map(move |v| (0..scale).map(move |u| (left + u, top + v, u, v)))
}

/// Draws the pixels of a cell. `colour` gets what [`pixels`] returns.
fn draw_pixels(canvas: &mut Canvas, pos: Pos, colour: impl Fn((u32, u32, u32, u32)) -> Colour) {
    for pixel in pixels(canvas.scale, pos) {
        canvas.put(pixel.0, pixel.1, colour(pixel));
    }
}

fn plain(canvas: &mut Canvas, pos: Pos, base: Colour) {
    draw_pixels(canvas, pos, |_| base);
}

/// Draws a wall: lighter at the top where the wall ends above, with a dark face where it ends below.
fn wall(canvas: &mut Canvas, tiles: &Tiles, pos: Pos, base: Colour) {
    let scale = canvas.scale;
    let below = tiles.at(Pos::new(pos.x, pos.y + 1));
    let face = !matches!(below, None | Some(Terrain::Wall | Terrain::Outside));
    let lit = matches!(tiles.at(Pos::new(pos.x, pos.y - 1)), Some(above) if above != Terrain::Wall);
    let (face_from, lit_to) = (scale - scale.div_ceil(3).min(scale / 2), scale.div_ceil(8));
    draw_pixels(canvas, pos, |(.., v)| {
        if face && v >= face_from {
            base.mix(INK, 110)
        } else if lit && v < lit_to {
            base.shifted(26)
        } else {
            base
        }
    });
}

/// Draws a round crown, lit from the upper left, on a darker floor. Small cells have one colour.
fn crown(canvas: &mut Canvas, pos: Pos, base: Colour) {
    let scale = canvas.scale as i32;
    let grain = grain(pos);
    if scale < 4 {
        let base = base.shifted(((grain >> 8) % 17) as i8 - 8);
        return plain(canvas, pos, base);
    }
    let jitter = |bits: u32| (grain >> bits & 3) as i32 * scale / 16 - scale / 10;
    let radius = scale * (34 + (grain >> 12 & 7) as i32) / 40;
    draw_pixels(canvas, pos, |(_, _, u, v)| {
        // Distances from the centre of the crown, in halves of a pixel.
        let (dx, dy) = (2 * (u as i32 - jitter(3)) + 1 - scale, 2 * (v as i32 - jitter(6)) + 1 - scale);
        let inside = dx * dx + dy * dy < radius * radius;
        let (lx, ly) = (dx + scale / 3, dy + scale / 3);
        let light = lx * lx + ly * ly < radius * radius / 3;
        match (inside, light) {
            (true, true) => base.shifted(22),
            (true, false) => base,
            (false, _) => base.shifted(-22),
        }
    });
}

/// Draws swamp: tufts and puddles.
fn reeds(canvas: &mut Canvas, pos: Pos, base: Colour) {
    let scale = canvas.scale;
    let water = palette::terrain(Terrain::Water);
    if scale < 4 {
        let share = (grain(pos) >> 5 & 63) as u8;
        return plain(canvas, pos, base.mix(water, share));
    }
    draw_pixels(canvas, pos, |(x, y, ..)| {
        let speck = Pos::new((x * 8 / scale / 2) as i32, (y * 8 / scale / 2) as i32);
        match grain(speck) % 5 {
            0 => base.mix(water, 90),
            1 => base.shifted(-12),
            _ => base,
        }
    });
}

/// Draws diagonal stripes that continue across cells.
fn stripes(canvas: &mut Canvas, pos: Pos, base: Colour) {
    let band = (canvas.scale / 4).max(1);
    draw_pixels(canvas, pos, |(x, y, ..)| base.mix(BLOCKED[((x + y) / band % 2) as usize], 215));
}

/// Darkens the edge of a cell below or to the right of a wall.
fn shadow(canvas: &mut Canvas, tiles: &Tiles, pos: Pos) {
    let scale = canvas.scale;
    let (above, left) = (is_high(tiles, pos.x, pos.y - 1), is_high(tiles, pos.x - 1, pos.y));
    let depth = (scale / 4).max(1);
    if !above && !left {
        return;
    }
    for (x, y, u, v) in pixels(scale, pos) {
        if (above && v < depth) || (left && u < depth / 2) {
            canvas.blend(x, y, INK, if scale == 1 { 30 } else { 62 });
        }
    }
}

/// Draws a faint line between cells if cells are at least 10 pixels wide.
fn grid_line(canvas: &mut Canvas, pos: Pos) {
    if canvas.scale < 10 {
        return;
    }
    for (x, y, u, v) in pixels(canvas.scale, pos) {
        if u + 1 == canvas.scale || v + 1 == canvas.scale {
            canvas.blend(x, y, INK, 16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_cells_have_their_distance_to_the_shore() {
        let tiles = Tiles::picture(
            "WWWWWWW.
             WWWWWWW.",
        );
        assert_eq!(steps_to_shore(&tiles)[..8], [6, 6, 5, 4, 3, 2, 1, 0]);
    }
}
