//! The map of a world as it is now: what a game that was restored from a snapshot has to draw.

use super::look;
use super::orders::profile;
use crate::memory::pointers;
use crate::status::{Failure, ThrongStatus, call};
use crate::types::ThrongWorld;

/// Writes one `ThrongTerrain` per cell, in row order: the terrain of the world's own map with all edits so far.
/// `throng_world_info` writes its width and height. Cells that an edit of the kind `Block` blocked keep their terrain, see
/// `throng_world_walkable`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_terrain(
    world: ThrongWorld,
    terrain: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { terrain = output(terrain, capacity); count = place(count); }
        look(world, |world| {
            terrain.fill(world.grid().tiles().terrain().iter().map(|&class| class as u8), count)
        })
    })
}

/// Writes 1 for each cell on which an agent of a profile can stand, otherwise 0, in row order: its terrain, blocked cells
/// and doors count, units do not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_walkable(
    world: ThrongWorld,
    profile: u32,
    cells: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { cells = output(cells, capacity); count = place(count); }
        look(world, |world| {
            let missing =
                || Failure::new(ThrongStatus::NoSuchProfile, format!("the map has no profile {profile}"));
            let ground = world.grid().ground_of(self::profile(profile)?).ok_or_else(missing)?;
            cells.fill(ground.size().cells().map(|cell| ground.is_free(cell).into()), count)
        })
    })
}
