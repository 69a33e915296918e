//! Foreign units: obstacles of one cell that the game moves.

use throng::ForeignId;

use super::orders::at;
use super::tick::pos_of;
use super::{batch, change, look};
use crate::memory::pointers;
use crate::status::{ThrongStatus, call};
use crate::types::{THRONG_NO_ID, ThrongForeign, ThrongOrder, ThrongPos, ThrongWorld};

/// Puts foreign units on the map, and writes the id of each to `units`, which has room for `count`; `THRONG_NO_ID` for one
/// that is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_place_foreign(
    world: ThrongWorld,
    positions: *const ThrongPos,
    count: usize,
    units: *mut ThrongForeign,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            positions = input(positions, count);
            units = output(units, count);
            results = optional(results, count);
        }
        change(world, |world| {
            batch(positions, results, |i, pos| {
                units.set(i, THRONG_NO_ID);
                units.set(i, world.place_foreign(at(pos))?.to_bits());
                Ok(())
            })
        })
    })
}

/// Moves foreign units by any distance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_move_foreign(
    world: ThrongWorld,
    orders: *const ThrongOrder,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { orders = input(orders, count); results = optional(results, count); }
        change(world, |world| {
            batch(orders, results, |_, order| {
                Ok(world.move_foreign(ForeignId::from_bits(order.unit), at(order.to))?)
            })
        })
    })
}

/// Removes foreign units from the map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_remove_foreign(
    world: ThrongWorld,
    units: *const ThrongForeign,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { units = input(units, count); results = optional(results, count); }
        change(world, |world| {
            batch(units, results, |_, id| Ok(world.remove_foreign(ForeignId::from_bits(id))?))
        })
    })
}

/// Writes the ids and positions of all foreign units, in the order of their rows. Both arrays have room for `capacity`;
/// `positions` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_foreign_units(
    world: ThrongWorld,
    units: *mut ThrongForeign,
    positions: *mut ThrongPos,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! {
            units = output(units, capacity);
            positions = optional(positions, capacity);
            count = place(count);
        }
        look(world, |world| {
            for (i, unit) in world.foreign_units().enumerate() {
                positions.set(i, pos_of(world.foreign_position(unit)?));
            }
            units.fill(world.foreign_units().map(ForeignId::to_bits), count)
        })
    })
}
