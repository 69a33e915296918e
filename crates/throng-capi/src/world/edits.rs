//! Edits of the map of a world.

use throng::{Area, Classes, Terrain};

use super::orders::at;
use super::{batch, change};
use crate::enums::choose;
use crate::memory::pointers;
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{ThrongEdit, ThrongWorld};

/// Changes the map in the given order. How many cells each edit changed is written to `changed`, unless that is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_edit(
    world: ThrongWorld,
    edits: *const ThrongEdit,
    count: usize,
    changed: *mut u64,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            edits = input(edits, count);
            changed = optional(changed, count);
            results = optional(results, count);
        }
        change(world, |world| {
            batch(edits, results, |i, edit| {
                changed.set(i, 0);
                changed.set(i, carry_out(world, edit)? as u64);
                Ok(())
            })
        })
    })
}

fn carry_out(world: &mut throng::World, edit: ThrongEdit) -> Outcome<usize> {
    let area = match edit.shape {
        0 => Area::rect(at(edit.a), at(edit.b)),
        1 => Area::disc(at(edit.a), edit.radius),
        shape => return Err(Failure::invalid(format!("{shape} is not a shape: 0 or 1"))),
    };
    Ok(match edit.kind {
        0 => world.block(area),
        1 => world.unblock(area),
        2 => world.set_terrain(area, choose("terrain", &Terrain::ALL, edit.value)?),
        3 => world.set_door(area, Classes::from_bits(edit.value)),
        4 => {
            let wrong =
                |_| Failure::new(ThrongStatus::Overlay, format!("{} halves are too many", edit.extra));
            let extra = u8::try_from(edit.extra).map_err(wrong)?;
            world.set_cost(area, Classes::from_bits(edit.value), extra)?
        }
        kind => return Err(Failure::invalid(format!("{kind} is not a kind of edit"))),
    })
}
