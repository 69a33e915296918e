//! Orders in batches. `results` may be null; otherwise it has room for one status per entry. An entry that is refused does
//! not keep the others from being carried out.

use throng::{AgentId, AgentSpec, Destination, Pos, ProfileId, Speed};

use super::tick::{NOWHERE, pos_of};
use super::{batch, change};
use crate::enums::{ThrongDestinationKind, truth};
use crate::memory::pointers;
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{
    THRONG_NO_ID, ThrongAgent, ThrongAgentSpec, ThrongDestination, ThrongGroup, ThrongOrder, ThrongPos,
    ThrongWorld,
};

pub(super) fn at(pos: ThrongPos) -> Pos {
    Pos::new(pos.x, pos.y)
}

/// Puts agents on the map, and writes the id of each to `agents`, which has room for `count`; `THRONG_NO_ID` for one that
/// is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_spawn(
    world: ThrongWorld,
    specs: *const ThrongAgentSpec,
    count: usize,
    agents: *mut ThrongAgent,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            specs = input(specs, count);
            agents = output(agents, count);
            results = optional(results, count);
        }
        change(world, |world| {
            batch(specs, results, |i, spec| {
                agents.set(i, THRONG_NO_ID);
                agents.set(i, world.spawn(read_spec(spec)?)?.to_bits());
                Ok(())
            })
        })
    })
}

fn read_spec(given: ThrongAgentSpec) -> Outcome<AgentSpec> {
    if given.reserved != 0 {
        return Err(Failure::invalid("the reserved field of an agent must be 0"));
    }
    let speed = match (given.steps, given.ticks) {
        (0, 0) => Speed::NORMAL,
        (steps, ticks) => speed(steps, ticks)?,
    };
    let spec = AgentSpec::at(given.at.x, given.at.y).at_speed(speed).user(given.user);
    Ok(spec.profile(profile(given.profile)?))
}

fn speed(steps: u32, ticks: u32) -> Outcome<Speed> {
    let parts = u16::try_from(steps).ok().zip(u16::try_from(ticks).ok());
    let wrong = || {
        Failure::invalid(format!("{steps} steps in {ticks} ticks is not a speed: both are from 1 to 65,535"))
    };
    parts.and_then(|(steps, ticks)| Speed::new(steps, ticks)).ok_or_else(wrong)
}

pub(super) fn profile(number: u32) -> Outcome<ProfileId> {
    let missing = |_| Failure::new(ThrongStatus::NoSuchProfile, format!("the map has no profile {number}"));
    u8::try_from(number).map(ProfileId).map_err(missing)
}

/// Removes agents from the map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_despawn(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        change(world, |world| batch(agents, results, |_, id| Ok(world.despawn(AgentId::from_bits(id))?)))
    })
}

/// Sends agents to goals, replacing the goals and the orders that they had. Where each will go is written to `destinations`,
/// unless that is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_send(
    world: ThrongWorld,
    orders: *const ThrongOrder,
    count: usize,
    destinations: *mut ThrongDestination,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            orders = input(orders, count);
            destinations = optional(destinations, count);
            results = optional(results, count);
        }
        change(world, |world| {
            batch(orders, results, |i, order| {
                destinations.set(i, destination(ThrongDestinationKind::Refused, NOWHERE));
                let found = world.send(AgentId::from_bits(order.unit), at(order.to))?;
                destinations.set(i, destination_of(found));
                Ok(())
            })
        })
    })
}

const fn destination(kind: ThrongDestinationKind, at: ThrongPos) -> ThrongDestination {
    ThrongDestination { kind: kind as u32, at }
}

fn destination_of(found: Destination) -> ThrongDestination {
    use ThrongDestinationKind as Kind;
    match found {
        Destination::Goal => destination(Kind::Goal, NOWHERE),
        Destination::Unreachable(at) => destination(Kind::Unreachable, pos_of(at)),
        Destination::Taken(at) => destination(Kind::Taken, pos_of(at)),
        Destination::Nowhere => destination(Kind::Nowhere, NOWHERE),
        _ => destination(Kind::Unknown, NOWHERE),
    }
}

/// Sends agents to a goal as a group, whose arrival one event reports, and writes its id. If an agent does not exist or the
/// goal is outside the map, no agent is sent. Where each will go is written to `destinations`, unless that is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_send_group(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    x: i32,
    y: i32,
    group: *mut ThrongGroup,
    destinations: *mut ThrongDestination,
) -> ThrongStatus {
    call(|| {
        pointers! {
            agents = input(agents, count);
            group = place(group);
            destinations = optional(destinations, count);
        }
        change(world, |world| {
            let agents: Vec<AgentId> = agents.iter().map(AgentId::from_bits).collect();
            let (id, found) = world.send_group(&agents, Pos::new(x, y))?;
            group.set(0, id.to_bits());
            found.into_iter().enumerate().for_each(|(i, found)| destinations.set(i, destination_of(found)));
            Ok(())
        })
    })
}

/// Moves agents to free positions at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_teleport(
    world: ThrongWorld,
    orders: *const ThrongOrder,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { orders = input(orders, count); results = optional(results, count); }
        change(world, |world| {
            batch(orders, results, |_, order| {
                Ok(world.teleport(AgentId::from_bits(order.unit), at(order.to))?)
            })
        })
    })
}

/// Adds a waypoint after the goal of each agent and the waypoints that it has already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_queue(
    world: ThrongWorld,
    orders: *const ThrongOrder,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { orders = input(orders, count); results = optional(results, count); }
        change(world, |world| {
            batch(orders, results, |_, order| Ok(world.queue(AgentId::from_bits(order.unit), at(order.to))?))
        })
    })
}

/// Takes the goals and the orders from agents.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_halt(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        change(world, |world| batch(agents, results, |_, id| Ok(world.halt(AgentId::from_bits(id))?)))
    })
}

/// Sets whether agents hold their position while they rest: 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_hold(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    holds: u32,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        let holds = truth("value of holds", holds)?;
        change(world, |world| batch(agents, results, |_, id| Ok(world.hold(AgentId::from_bits(id), holds)?)))
    })
}

/// Sets whether the planner controls agents: 1 or 0. One that it does not control is an obstacle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_control(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    controlled: u32,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        let controlled = truth("value of controlled", controlled)?;
        change(world, |world| {
            batch(agents, results, |_, id| Ok(world.control(AgentId::from_bits(id), controlled)?))
        })
    })
}

/// Sets the priority of agents, from -128 to 127; 0 is the usual one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_set_priority(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    priority: i32,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        let wrong = |_| Failure::invalid(format!("a priority is from -128 to 127, not {priority}"));
        let priority = i8::try_from(priority).map_err(wrong)?;
        change(world, |world| {
            batch(agents, results, |_, id| Ok(world.set_priority(AgentId::from_bits(id), priority)?))
        })
    })
}

/// Sets the speed of agents: `steps` steps in `ticks` ticks, both from 1 to 65,535.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_set_speed(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    steps: u32,
    ticks: u32,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        let speed = speed(steps, ticks)?;
        change(world, |world| {
            batch(agents, results, |_, id| Ok(world.set_speed(AgentId::from_bits(id), speed)?))
        })
    })
}

/// Sets the profile of agents.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_set_profile(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    profile: u32,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = input(agents, count); results = optional(results, count); }
        let number = self::profile(profile)?;
        change(world, |world| {
            batch(agents, results, |_, id| Ok(world.set_profile(AgentId::from_bits(id), number)?))
        })
    })
}
