//! The tick, and what it reports.

use std::ffi::c_char;
use std::time::{Duration, Instant};

use throng::{Budget, Event, Pos, Rule, StuckReason, TickReport, Unit};

use super::{Game, WORLDS, look};
use crate::enums::{ThrongEventKind, ThrongRule, ThrongStuckReason, ThrongUnitKind};
use crate::memory::pointers;
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{THRONG_NO_ID, ThrongEvent, ThrongPos, ThrongTickReport, ThrongUnit, ThrongWorld};

/// Lets each agent begin at most one step. `budget` is a `ThrongBudget` and `amount` its number, 0 for `Unlimited`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_tick(
    world: ThrongWorld,
    budget: u32,
    amount: u64,
    report: *mut ThrongTickReport,
) -> ThrongStatus {
    call(|| {
        pointers! { report = place(report); }
        WORLDS.write(world, |game| {
            let done = tick(game, budget, amount)?;
            report.set(
                0,
                ThrongTickReport {
                    expansions: done.expansions,
                    backwards: done.backwards,
                    units: done.units,
                    rounds: done.rounds,
                    events: game.events.len() as u32,
                },
            );
            Ok(())
        })
    })
}

fn tick(game: &mut Game, budget: u32, amount: u64) -> Outcome<TickReport> {
    let start = Instant::now();
    let mut is_over = || start.elapsed() >= Duration::from_micros(amount);
    let budget = match budget {
        0 if amount == 0 => Budget::Unlimited,
        0 => return Err(Failure::invalid("an unlimited budget has the amount 0")),
        1 => Budget::Units(amount),
        2 => Budget::Expansions(amount),
        3 => match u32::try_from(amount) {
            Ok(rounds) => Budget::Rounds(rounds),
            Err(_) => return Err(Failure::invalid(format!("{amount} rounds are too many"))),
        },
        4 => Budget::Until(&mut is_over),
        _ => return Err(Failure::invalid(format!("{budget} is not a kind of budget"))),
    };
    game.events.clear();
    Ok(game.world.tick(budget, &mut game.events))
}

/// Writes the events of the last tick. `ThrongTickReport` has their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_events(
    world: ThrongWorld,
    events: *mut ThrongEvent,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { events = output(events, capacity); count = place(count); }
        WORLDS.read(world, |game| events.fill(game.events.iter().map(|event| event_of(*event)), count))
    })
}

/// Writes a text that the planner reported in the last tick: the `number` of an event of the kind `Notice`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_notice(
    world: ThrongWorld,
    number: u32,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        look(world, |world| {
            let missing = || Failure::invalid(format!("the last tick has no notice {number}"));
            text.fill_text(world.notices().get(number as usize).ok_or_else(missing)?, length)
        })
    })
}

/// The position for none.
pub(super) const NOWHERE: ThrongPos = ThrongPos { x: -1, y: -1 };

/// The unit for none.
pub(super) const NOBODY: ThrongUnit =
    ThrongUnit { id: THRONG_NO_ID, kind: ThrongUnitKind::None as u32, reserved: 0 };

pub(super) fn pos_of(pos: Pos) -> ThrongPos {
    ThrongPos { x: pos.x, y: pos.y }
}

pub(super) fn optional_pos(pos: Option<Pos>) -> ThrongPos {
    pos.map_or(NOWHERE, pos_of)
}

pub(super) fn unit_of(unit: Option<Unit>) -> ThrongUnit {
    match unit {
        None => NOBODY,
        Some(Unit::Agent(agent)) => {
            ThrongUnit { id: agent.to_bits(), kind: ThrongUnitKind::Agent as u32, reserved: 0 }
        }
        Some(Unit::Foreign(foreign)) => {
            ThrongUnit { id: foreign.to_bits(), kind: ThrongUnitKind::Foreign as u32, reserved: 0 }
        }
    }
}

pub(super) fn reason_of(reason: StuckReason) -> u32 {
    let reason = match reason {
        StuckReason::BehindArrived => ThrongStuckReason::BehindArrived,
        StuckReason::Crowded => ThrongStuckReason::Crowded,
        StuckReason::BehindForeign => ThrongStuckReason::BehindForeign,
        StuckReason::Wandering => ThrongStuckReason::Wandering,
        StuckReason::NoReachableCell => ThrongStuckReason::NoReachableCell,
        StuckReason::NoPathYet => ThrongStuckReason::NoPathYet,
        _ => ThrongStuckReason::Unknown,
    };
    reason as u32
}

fn rule_of(rule: Rule) -> u32 {
    let rule = match rule {
        Rule::Illegal => ThrongRule::Illegal,
        Rule::NotItsTurn => ThrongRule::NotItsTurn,
        Rule::SharedCell => ThrongRule::SharedCell,
        Rule::Swap => ThrongRule::Swap,
        Rule::Crossing => ThrongRule::Crossing,
        _ => ThrongRule::Unknown,
    };
    rule as u32
}

/// Returns an event as the header has it.
fn event_of(event: Event) -> ThrongEvent {
    use ThrongEventKind as Kind;
    let of = |kind: Kind, agent: u64| ThrongEvent {
        kind: kind as u32,
        number: 0,
        agent,
        from: NOWHERE,
        to: NOWHERE,
        unit: NOBODY,
    };
    match event {
        Event::Moved { agent, from, to, ticks } => ThrongEvent {
            number: ticks,
            from: pos_of(from),
            to: pos_of(to),
            ..of(Kind::Moved, agent.to_bits())
        },
        Event::Waited { agent, wanted, by } => {
            ThrongEvent { to: pos_of(wanted), unit: unit_of(by), ..of(Kind::Waited, agent.to_bits()) }
        }
        Event::Arrived { agent } => of(Kind::Arrived, agent.to_bits()),
        Event::Waypoint { agent, at } => {
            ThrongEvent { to: pos_of(at), ..of(Kind::Waypoint, agent.to_bits()) }
        }
        Event::WaypointSkipped { agent, at } => {
            ThrongEvent { to: pos_of(at), ..of(Kind::WaypointSkipped, agent.to_bits()) }
        }
        Event::FollowEnded { agent, unit } => {
            ThrongEvent { unit: unit_of(Some(unit)), ..of(Kind::FollowEnded, agent.to_bits()) }
        }
        Event::SettledShort { agent, distance } => {
            ThrongEvent { number: distance, ..of(Kind::SettledShort, agent.to_bits()) }
        }
        Event::GroupArrived { group, settled_short } => {
            ThrongEvent { number: settled_short, ..of(Kind::GroupArrived, group.to_bits()) }
        }
        Event::LeftGoal { agent } => of(Kind::LeftGoal, agent.to_bits()),
        Event::Pushed { agent, by } => {
            ThrongEvent { unit: unit_of(Some(Unit::Agent(by))), ..of(Kind::Pushed, agent.to_bits()) }
        }
        Event::Overruled { agent, wanted, rule } => ThrongEvent {
            number: rule_of(rule),
            to: optional_pos(wanted),
            ..of(Kind::Overruled, agent.to_bits())
        },
        Event::Discovered { agent, at } => {
            ThrongEvent { to: pos_of(at), ..of(Kind::Discovered, agent.to_bits()) }
        }
        Event::Notice { number } => ThrongEvent { number: number as u32, ..of(Kind::Notice, THRONG_NO_ID) },
        Event::Unreachable { agent, goal, instead } => {
            ThrongEvent { from: pos_of(goal), to: pos_of(instead), ..of(Kind::Unreachable, agent.to_bits()) }
        }
        Event::Displaced { agent, from, to } => {
            ThrongEvent { from: pos_of(from), to: pos_of(to), ..of(Kind::Displaced, agent.to_bits()) }
        }
        Event::Stuck { agent, reason, by } => {
            ThrongEvent { number: reason_of(reason), unit: unit_of(by), ..of(Kind::Stuck, agent.to_bits()) }
        }
        _ => of(Kind::Unknown, THRONG_NO_ID),
    }
}
