//! A game level: an irregular outline with districts (towns, halls, caves, fields with woods and lakes), rock between
//! them and passages of several widths through the rock. A river and a castle are optional.
//!
//! Districts are the Voronoi regions of jittered lattice points under a distance distorted by noise, so their borders
//! wind. Each kind of district is one layer drawn over the whole map and copied where a district has that kind.

mod castle;
mod districts;
mod river;
mod wilds;

use districts::{DistrictKind, Districts};

use super::building::{Style, building};
use super::connect::{fill_small, join_components};
use super::draw::Rect;
use super::town::{Plan, streets};
use super::{SeededRng, Values};
use crate::distance_transform::{EIGHT, distance_transform};
use crate::{Size, Terrain, Tiles};

pub(super) fn level(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let districts = Districts::new(size, values.get("district") as i32, values.get("wild") as u32, rng);
    let mut tiles = Tiles::filled(size, Terrain::Wall);
    for kind in DistrictKind::ALL {
        if !districts.kinds().contains(&kind) {
            continue;
        }
        let layer = layer(kind, size, rng);
        for (cell, terrain) in size.cells().zip(layer.terrain()) {
            if districts.kind_at(cell) == Some(kind) {
                tiles.replace(cell, *terrain);
            }
        }
    }
    fill_small(&mut tiles, 12);
    districts.passages(&mut tiles, rng);
    let river = values.get("river") as i32;
    if river > 0 {
        river::river(&mut tiles, &districts, river, rng);
    }
    let castle = (values.get("castle") as i32).min(size.width().min(size.height()) as i32 - 8);
    if castle >= castle::MIN_SIDE {
        castle::castle(&mut tiles, castle, rng);
    }
    join_components(&mut tiles, 40, 2);
    hide_rock(&mut tiles);
    tiles
}

/// Returns the whole map as one district of a kind.
fn layer(kind: DistrictKind, size: Size, rng: &mut SeededRng) -> Tiles {
    match kind {
        DistrictKind::Field => wilds::field(size, rng),
        DistrictKind::Caves => wilds::caves(size, rng),
        DistrictKind::Town => streets(size, Plan::DEFAULT, rng),
        DistrictKind::Halls => {
            let mut tiles = Tiles::filled(size, Terrain::Wall);
            let style = Style { room: 6, large: 40, solid: 24 };
            building(&mut tiles, Rect::of(size), style, rng);
            wilds::pillars(&mut tiles, rng);
            tiles
        }
    }
}

/// Turns rock that is far from all other terrain into [`Terrain::Outside`].
fn hide_rock(tiles: &mut Tiles) {
    /// Steps within which rock stays visible.
    const RIM: u8 = 4;
    let size = tiles.size();
    let steps =
        distance_transform(tiles, &EIGHT, |terrain| if terrain == Terrain::Wall { u8::MAX } else { 0 });
    for cell in size.cells().filter(|cell| steps[cell.index()] > RIM) {
        tiles.replace(cell, Terrain::Outside);
    }
}
