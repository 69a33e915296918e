//! Maps: terrain, move rules and profiles. A world gets a copy of the map with which it is created.

use std::ffi::c_char;

use throng::grid::generate::generate;
use throng::grid::movingai::read_map;
use throng::{Corners, Grid, MoveRules, Profile, Size, Terrain, Tiles};

use crate::enums::{choose, truth};
use crate::handles::Table;
use crate::memory::{Output, pointers};
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{ThrongMap, ThrongProfile};

/// The maps that the caller holds.
pub(crate) static MAPS: Table<Grid> = Table::new("map", 1);

/// Creates a map from one `ThrongTerrain` per cell, in row order. `corners` is a `ThrongCorners`; with `four_way` 1 there are
/// no diagonal steps. The map has profile 0, which enters ground, grass and swamp. Free it with `throng_map_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_create(
    width: u32,
    height: u32,
    terrain: *const u8,
    count: usize,
    corners: u32,
    four_way: u32,
    map: *mut ThrongMap,
) -> ThrongStatus {
    call(|| {
        pointers! { terrain = input(terrain, count); map = place(map); }
        let rules = rules(corners, four_way)?;
        let size = size(width, height)?;
        if terrain.len() != size.area() {
            let message = format!("a map of {width}x{height} cells has {} cells, not {count}", size.area());
            return Err(Failure::new(ThrongStatus::WrongSize, message));
        }
        let terrain = terrain.iter().map(|number| choose("terrain", &Terrain::ALL, number.into()));
        let terrain = terrain.collect::<Outcome<Vec<Terrain>>>()?;
        let wrong = || Failure::new(ThrongStatus::InvalidMap, "the terrain does not fit the size");
        add(Tiles::from_terrain(size, terrain).ok_or_else(wrong)?, rules, map)
    })
}

/// Creates a map from the content of a MovingAI `.map` file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_parse(
    file: *const u8,
    count: usize,
    corners: u32,
    four_way: u32,
    map: *mut ThrongMap,
) -> ThrongStatus {
    call(|| {
        pointers! { file = input(file, count); map = place(map); }
        let rules = rules(corners, four_way)?;
        add(read_map(&file.to_vec()).map_err(invalid_map)?, rules, map)
    })
}

/// Creates a built-in map, such as `rooms`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_builtin(
    name: *const c_char,
    corners: u32,
    four_way: u32,
    map: *mut ThrongMap,
) -> ThrongStatus {
    call(|| {
        pointers! { name = text(name); map = place(map); }
        let rules = rules(corners, four_way)?;
        add(throng::grid::builtin::builtin(&name).map_err(invalid_map)?, rules, map)
    })
}

/// Creates a map with a generator and its parameters, such as `random:walls=20`. The same seed gives the same map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_generate(
    generator: *const c_char,
    width: u32,
    height: u32,
    seed: u64,
    corners: u32,
    four_way: u32,
    map: *mut ThrongMap,
) -> ThrongStatus {
    call(|| {
        pointers! { generator = text(generator); map = place(map); }
        let rules = rules(corners, four_way)?;
        let size = size(width, height)?;
        add(generate(&generator, size, seed).map_err(invalid_map)?, rules, map)
    })
}

/// Adds a profile and writes its number. A profile that the map already has keeps its number. Worlds that exist already do
/// not get it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_add_profile(
    map: ThrongMap,
    profile: *const ThrongProfile,
    number: *mut u32,
) -> ThrongStatus {
    call(|| {
        pointers! { profile = value(profile); number = place(number); }
        let wrong = || {
            let max = Profile::MAX_HALVES;
            Failure::invalid(format!(
                "a profile enters some terrain, at a cost of at most {max} halves, and its class is below 32"
            ))
        };
        let entered = Profile::from_halves(profile.halves).ok_or_else(wrong)?;
        let profile = entered.with_class(profile.passage_class).ok_or_else(wrong)?;
        MAPS.write(map, |grid| {
            let is_known = grid.grounds().iter().any(|ground| ground.profile() == profile);
            if !is_known && grid.grounds().len() == 256 {
                return Err(Failure::new(ThrongStatus::Refused, "a map has at most 256 profiles"));
            }
            number.set(0, grid.add_profile(profile).0.into());
            Ok(())
        })
    })
}

/// Writes the width and height of a map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_size(map: ThrongMap, width: *mut u32, height: *mut u32) -> ThrongStatus {
    call(|| {
        pointers! { width = place(width); height = place(height); }
        MAPS.read(map, |grid| {
            width.set(0, grid.size().width());
            height.set(0, grid.size().height());
            Ok(())
        })
    })
}

/// Writes one `ThrongTerrain` per cell, in row order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_terrain(
    map: ThrongMap,
    terrain: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { terrain = output(terrain, capacity); count = place(count); }
        MAPS.read(map, |grid| terrain.fill(grid.tiles().terrain().iter().map(|&class| class as u8), count))
    })
}

/// Frees a map. Worlds that were created with it have copies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_map_free(map: ThrongMap) -> ThrongStatus {
    call(|| MAPS.remove(map).map(drop))
}

fn add(tiles: Tiles, rules: MoveRules, map: Output<'_, ThrongMap>) -> Outcome {
    map.set(0, MAPS.insert(Grid::new(tiles, rules))?);
    Ok(())
}

fn rules(corners: u32, four_way: u32) -> Outcome<MoveRules> {
    let corners = choose("corner rule", &Corners::ALL, corners)?;
    Ok(MoveRules { corners, four_way: truth("value of four_way", four_way)? })
}

fn size(width: u32, height: u32) -> Outcome<Size> {
    let wrong = || {
        let max = throng::grid::MAX_CELLS;
        Failure::new(
            ThrongStatus::InvalidMap,
            format!("a map has from 1 to {max} cells, not {width}x{height}"),
        )
    };
    Size::new(width, height).ok_or_else(wrong)
}

fn invalid_map(error: impl std::fmt::Display) -> Failure {
    Failure::new(ThrongStatus::InvalidMap, error.to_string())
}
