//! Orders to one agent: patrols and following.

use throng::{AgentId, ForeignId, Pos, Unit};

use super::change;
use super::orders::at;
use crate::memory::pointers;
use crate::status::{Failure, ThrongStatus, call};
use crate::types::{ThrongAgent, ThrongPos, ThrongWorld};

/// Lets an agent go round some points for ever.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_patrol(
    world: ThrongWorld,
    agent: ThrongAgent,
    points: *const ThrongPos,
    count: usize,
) -> ThrongStatus {
    call(|| {
        pointers! { points = input(points, count); }
        change(world, |world| {
            // The world refuses longer patrols, so there is no need to copy more.
            let points: Vec<Pos> = points.iter().take(throng::MAX_WAYPOINTS + 1).map(at).collect();
            Ok(world.patrol(AgentId::from_bits(agent), &points)?)
        })
    })
}

/// Adds a point to the end of an agent's patrol.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_extend_patrol(
    world: ThrongWorld,
    agent: ThrongAgent,
    x: i32,
    y: i32,
) -> ThrongStatus {
    call(|| change(world, |world| Ok(world.extend_patrol(AgentId::from_bits(agent), Pos::new(x, y))?)))
}

/// Lets an agent follow a unit, whose kind is a `ThrongUnitKind`, at a distance in cells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_follow(
    world: ThrongWorld,
    agent: ThrongAgent,
    kind: u32,
    unit: u64,
    distance: u32,
) -> ThrongStatus {
    call(|| {
        change(world, |world| {
            let unit = match kind {
                1 => Unit::Agent(AgentId::from_bits(unit)),
                2 => Unit::Foreign(ForeignId::from_bits(unit)),
                _ => return Err(Failure::invalid(format!("{kind} is not the kind of a unit: 1 or 2"))),
            };
            let wrong =
                |_| Failure::invalid(format!("an agent follows at most 65,535 cells behind, not {distance}"));
            let distance = u16::try_from(distance).map_err(wrong)?;
            Ok(world.follow(AgentId::from_bits(agent), unit, distance)?)
        })
    })
}
