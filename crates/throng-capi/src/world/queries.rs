//! Queries. Those that read one world may run on several threads at the same time.

use std::ffi::c_char;

use throng::{AgentId, AgentState, Certainty, Pos, World, WorldError};

use super::orders::profile;
use super::tick::{NOBODY, NOWHERE, optional_pos, pos_of, reason_of, unit_of};
use super::{batch, look};
use crate::enums::{ThrongCertainty, ThrongState};
use crate::memory::pointers;
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{
    THRONG_NO_ID, ThrongAgent, ThrongAgentInfo, ThrongMotion, ThrongNextCell, ThrongPathCell, ThrongPos,
    ThrongRemaining, ThrongUnit, ThrongWorld, ThrongWorldInfo,
};

/// Writes the counts of a world, and the size of its map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_info(world: ThrongWorld, info: *mut ThrongWorldInfo) -> ThrongStatus {
    call(|| {
        pointers! { info = place(info); }
        look(world, |world| {
            let (totals, size) = (world.totals(), world.grid().size());
            info.set(
                0,
                ThrongWorldInfo {
                    ticks: world.ticks(),
                    expansions: totals.expansions,
                    failed_moves: totals.failed_moves,
                    overruled: totals.overruled,
                    crossings: totals.crossings,
                    agents: world.agents().len() as u32,
                    foreign_units: world.foreign_units().count() as u32,
                    width: size.width(),
                    height: size.height(),
                },
            );
            Ok(())
        })
    })
}

/// Writes a hash of the state of a world. It is equal on every machine after the same calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_state_hash(world: ThrongWorld, hash: *mut u64) -> ThrongStatus {
    call(|| {
        pointers! { hash = place(hash); }
        look(world, |world| {
            hash.set(0, world.state_hash());
            Ok(())
        })
    })
}

/// Writes the name of the planner of a world, with its parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_planner_name(
    world: ThrongWorld,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        look(world, |world| text.fill_text(world.planner_name(), length))
    })
}

/// Writes the ids and positions of all living agents, in the order of their rows. Both arrays have room for `capacity`;
/// `positions` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_agents(
    world: ThrongWorld,
    agents: *mut ThrongAgent,
    positions: *mut ThrongPos,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! {
            agents = output(agents, capacity);
            positions = optional(positions, capacity);
            count = place(count);
        }
        look(world, |world| {
            if positions.capacity() > 0 {
                for (i, &agent) in world.agents().iter().enumerate().take(capacity) {
                    positions.set(i, pos_of(world.position(agent)?));
                }
            }
            agents.fill(world.agents().iter().map(|agent| agent.to_bits()), count)
        })
    })
}

/// Writes the positions of agents to `positions`, which has room for `count`; (-1, -1) for one that does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_positions(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    positions: *mut ThrongPos,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            agents = input(agents, count);
            positions = output(positions, count);
            results = optional(results, count);
        }
        look(world, |world| {
            batch(agents, results, |i, id| {
                positions.set(i, NOWHERE);
                positions.set(i, pos_of(world.position(AgentId::from_bits(id))?));
                Ok(())
            })
        })
    })
}

/// Writes the step of every living agent, in the order of their rows, for rendering.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_motions(
    world: ThrongWorld,
    motions: *mut ThrongMotion,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { motions = output(motions, capacity); count = place(count); }
        look(world, |world| {
            for (i, &agent) in world.agents().iter().enumerate().take(capacity) {
                let motion = world.motion(agent)?;
                motions.set(
                    i,
                    ThrongMotion {
                        agent: agent.to_bits(),
                        from: pos_of(motion.from),
                        to: pos_of(motion.to),
                        start: motion.start,
                        ticks: motion.ticks,
                        reserved: 0,
                    },
                );
            }
            count.set(0, world.agents().len());
            motions.has_room_for(world.agents().len())
        })
    })
}

/// Writes all about each of some agents to `infos`, which has room for `count`. The entry of one that does not exist has
/// the state `Unknown`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_agent_infos(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    infos: *mut ThrongAgentInfo,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            agents = input(agents, count);
            infos = output(infos, count);
            results = optional(results, count);
        }
        look(world, |world| {
            batch(agents, results, |i, id| {
                infos.set(i, NO_AGENT);
                infos.set(i, info_of(world, AgentId::from_bits(id))?);
                Ok(())
            })
        })
    })
}

/// The entry of an agent that does not exist.
const NO_AGENT: ThrongAgentInfo = ThrongAgentInfo {
    at: NOWHERE,
    goal: NOWHERE,
    target: NOWHERE,
    wanted: NOWHERE,
    state: ThrongState::Unknown as u32,
    number: 0,
    unit: NOBODY,
    profile: 0,
    steps: 0,
    ticks: 0,
    priority: 0,
    group: THRONG_NO_ID,
    user: 0,
};

fn info_of(world: &World, agent: AgentId) -> Result<ThrongAgentInfo, WorldError> {
    let speed = world.speed(agent)?;
    let about = ThrongAgentInfo {
        at: pos_of(world.position(agent)?),
        goal: optional_pos(world.goal(agent)?),
        target: optional_pos(world.target(agent)?),
        profile: world.profile(agent)?.0.into(),
        steps: speed.steps().into(),
        ticks: speed.ticks().into(),
        priority: world.priority(agent)?.into(),
        group: world.group(agent)?.map_or(THRONG_NO_ID, throng::GroupId::to_bits),
        user: world.user(agent)?,
        ..NO_AGENT
    };
    let state = |state: ThrongState| ThrongAgentInfo { state: state as u32, ..about };
    Ok(match world.state(agent)? {
        AgentState::Idle => state(ThrongState::Idle),
        AgentState::Uncontrolled => state(ThrongState::Uncontrolled),
        AgentState::Moving => state(ThrongState::Moving),
        AgentState::Waiting { wanted, by } => {
            ThrongAgentInfo { wanted: optional_pos(wanted), unit: unit_of(by), ..state(ThrongState::Waiting) }
        }
        AgentState::Stuck { reason, by } => {
            ThrongAgentInfo { number: reason_of(reason), unit: unit_of(by), ..state(ThrongState::Stuck) }
        }
        AgentState::InPlace => state(ThrongState::InPlace),
        AgentState::SettledShort { distance } => {
            ThrongAgentInfo { number: distance, ..state(ThrongState::SettledShort) }
        }
        _ => about,
    })
}

/// Writes the cell that each of some agents enters next to `cells`, which has room for `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_next_cells(
    world: ThrongWorld,
    agents: *const ThrongAgent,
    count: usize,
    cells: *mut ThrongNextCell,
    results: *mut ThrongStatus,
) -> ThrongStatus {
    call(|| {
        pointers! {
            agents = input(agents, count);
            cells = output(cells, count);
            results = optional(results, count);
        }
        look(world, |world| {
            batch(agents, results, |i, id| {
                cells.set(i, ThrongNextCell { at: NOWHERE, is_known: 0 });
                let next = world.next_cell(AgentId::from_bits(id))?;
                cells.set(i, ThrongNextCell { at: optional_pos(next), is_known: next.is_some().into() });
                Ok(())
            })
        })
    })
}

/// Writes the remaining path of an agent, without the cell where it stands. A path of more cells than `capacity` is cut,
/// which is not an error. A path has at most 4,096 cells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_path(
    world: ThrongWorld,
    agent: ThrongAgent,
    cells: *mut ThrongPathCell,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { cells = output(cells, capacity); count = place(count); }
        look(world, |world| {
            let path = world.path(AgentId::from_bits(agent), capacity)?;
            let cell = |cell: throng::PathCell| ThrongPathCell {
                at: pos_of(cell.at),
                certainty: certainty_of(cell.certainty),
            };
            cells.fill(path.into_iter().map(cell), count)
        })
    })
}

fn certainty_of(certainty: Certainty) -> u32 {
    let certainty = match certainty {
        Certainty::Planned => ThrongCertainty::Planned,
        Certainty::Guide => ThrongCertainty::Guide,
        Certainty::Unknown => ThrongCertainty::Unknown,
    };
    certainty as u32
}

/// Writes how far and how long an agent has to go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_remaining(
    world: ThrongWorld,
    agent: ThrongAgent,
    remaining: *mut ThrongRemaining,
) -> ThrongStatus {
    call(|| {
        pointers! { remaining = place(remaining); }
        look(world, |world| {
            let found = world.remaining(AgentId::from_bits(agent))?;
            let found = found.map(|found| ThrongRemaining {
                ticks: found.ticks,
                cost: found.cost,
                certainty: certainty_of(found.certainty),
                has_target: 1,
                reserved: 0,
            });
            remaining.set(0, found.unwrap_or_default());
            Ok(())
        })
    })
}

/// Writes the ids of the agents up to a distance from a position, the nearest first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_agents_near(
    world: ThrongWorld,
    x: i32,
    y: i32,
    radius: u32,
    agents: *mut ThrongAgent,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { agents = output(agents, capacity); count = place(count); }
        let wrong = |_| Failure::invalid(format!("a radius is at most 65,535 cells, not {radius}"));
        let radius = u16::try_from(radius).map_err(wrong)?;
        look(world, |world| {
            agents.fill(world.agents_near(Pos::new(x, y), radius).into_iter().map(AgentId::to_bits), count)
        })
    })
}

/// Writes the unit that holds a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_occupant(
    world: ThrongWorld,
    x: i32,
    y: i32,
    unit: *mut ThrongUnit,
) -> ThrongStatus {
    call(|| {
        pointers! { unit = place(unit); }
        look(world, |world| {
            unit.set(0, unit_of(world.occupant(Pos::new(x, y))));
            Ok(())
        })
    })
}

/// Writes 1 if an agent of a profile can walk from a position to another one, units left aside, otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_reachable(
    world: ThrongWorld,
    profile: u32,
    from_x: i32,
    from_y: i32,
    to_x: i32,
    to_y: i32,
    is_reachable: *mut u32,
) -> ThrongStatus {
    call(|| {
        pointers! { is_reachable = place(is_reachable); }
        let ends = [Pos::new(from_x, from_y), Pos::new(to_x, to_y)];
        ask(world, profile, ends, World::reachable).map(|found| is_reachable.set(0, found))
    })
}

/// Writes 1 if the straight line between two cells crosses only cells where an agent of a profile can stand, otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_line_of_sight(
    world: ThrongWorld,
    profile: u32,
    from_x: i32,
    from_y: i32,
    to_x: i32,
    to_y: i32,
    is_visible: *mut u32,
) -> ThrongStatus {
    call(|| {
        pointers! { is_visible = place(is_visible); }
        let ends = [Pos::new(from_x, from_y), Pos::new(to_x, to_y)];
        ask(world, profile, ends, World::line_of_sight).map(|found| is_visible.set(0, found))
    })
}

fn ask(
    world: ThrongWorld,
    number: u32,
    [from, to]: [Pos; 2],
    query: fn(&World, throng::ProfileId, Pos, Pos) -> Result<bool, WorldError>,
) -> Outcome<u32> {
    look(world, |world| Ok(query(world, profile(number)?, from, to)?.into()))
}
