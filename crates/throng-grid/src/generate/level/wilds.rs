//! The layers of districts without buildings: fields with woods, lakes and swamps, and caves; and pillars for halls.

use crate::generate::caves::{grow, smooth};
use crate::generate::draw::Rect;
use crate::generate::noise::Noise;
use crate::{Pos, SeededRng, Size, Terrain, Tiles};

/// Returns grass with patches of ground, woods that thin out towards their edges, and lakes with swampy shores.
pub(super) fn field(size: Size, rng: &mut SeededRng) -> Tiles {
    let lakes = Noise::new(rng.next_u64()).rough(size, 56);
    let woods = Noise::new(rng.next_u64()).rough(size, 40);
    let bare = Noise::new(rng.next_u64()).rough(size, 28);
    Tiles::from_fn(size, |cell| {
        let (lake, wood) = (lakes[cell.index()], woods[cell.index()]);
        let trees = ((wood - 590) / 2).clamp(0, 92) as u32;
        if lake < 290 {
            Terrain::Water
        } else if lake < 345 {
            Terrain::Swamp
        } else if rng.chance(trees.max(1)) {
            Terrain::Trees
        } else if bare[cell.index()] > 610 {
            Terrain::Ground
        } else {
            Terrain::Grass
        }
    })
}

/// Returns caves at twice the scale of the `caves` generator, with puddles.
pub(super) fn caves(size: Size, rng: &mut SeededRng) -> Tiles {
    let half = Size::new(size.width().div_ceil(2), size.height().div_ceil(2))
        .expect("half of a valid size is valid");
    let coarse = grow(half, rng, 47, 4);
    let fine = size.cells().map(|cell| {
        let Pos { x, y } = size.pos(cell);
        coarse[half.cell(Pos::new(x / 2, y / 2)).expect("half of an inner position is inside").index()]
    });
    let rock = smooth(size, fine.collect(), 2);
    let puddles = Noise::new(rng.next_u64()).rough(size, 32);
    Tiles::from_fn(size, |cell| match (rock[cell.index()], puddles[cell.index()]) {
        (true, _) => Terrain::Wall,
        (false, puddle) if puddle < 215 => Terrain::Water,
        (false, puddle) if puddle < 260 => Terrain::Swamp,
        _ => Terrain::Ground,
    })
}

/// Places pillars on a lattice, where all eight neighbours are ground.
pub(super) fn pillars(tiles: &mut Tiles, rng: &mut SeededRng) {
    let size = tiles.size();
    for y in (2..size.height() as i32 - 2).step_by(4) {
        for x in (2..size.width() as i32 - 2).step_by(4) {
            let mut around = Rect::new(x - 1, y - 1, x + 2, y + 2).positions();
            if around.all(|pos| tiles.at(pos) == Some(Terrain::Ground)) && rng.chance(30) {
                tiles.set(Pos::new(x, y), Terrain::Wall);
            }
        }
    }
}
