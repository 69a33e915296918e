//! What an agent does after its present goal.

use throng::{AgentId, Orders};

use super::look;
use super::tick::{NOBODY, pos_of, unit_of};
use crate::enums::ThrongOrdersKind;
use crate::memory::pointers;
use crate::status::{ThrongStatus, call};
use crate::types::{ThrongAgent, ThrongOrders, ThrongPos, ThrongWorld};

/// Writes what an agent does after its present goal to `found`, and the waypoints of its queue or the points of its patrol
/// to `points`. There are at most 32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_orders(
    world: ThrongWorld,
    agent: ThrongAgent,
    found: *mut ThrongOrders,
    points: *mut ThrongPos,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { found = place(found); points = output(points, capacity); count = place(count); }
        look(world, |world| {
            let of_kind = |kind: ThrongOrdersKind| ThrongOrders {
                kind: kind as u32,
                next: 0,
                distance: 0,
                reserved: 0,
                unit: NOBODY,
            };
            let (orders, list) = match world.orders(AgentId::from_bits(agent))? {
                Orders::None => (of_kind(ThrongOrdersKind::None), None),
                Orders::Queue(list) => (of_kind(ThrongOrdersKind::Queue), Some(list)),
                Orders::Patrol { points, next } => {
                    (ThrongOrders { next: next as u32, ..of_kind(ThrongOrdersKind::Patrol) }, Some(points))
                }
                Orders::Follow { unit, distance } => {
                    let follow = of_kind(ThrongOrdersKind::Follow);
                    (ThrongOrders { distance: distance.into(), unit: unit_of(Some(unit)), ..follow }, None)
                }
                _ => (of_kind(ThrongOrdersKind::Unknown), None),
            };
            found.set(0, orders);
            let list: Vec<ThrongPos> =
                list.into_iter().flat_map(throng::Waypoints::iter).map(pos_of).collect();
            points.fill(list, count)
        })
    })
}
