//! A joint step of agents whose steps may last several ticks: each makes its part when the cell is free.
//!
//! A joint step is done when all members have entered their cells. A member enters a cell that another leaves in the same
//! joint step when that one has left it. So a rotation of slow members is impossible, as it is in the world.

use throng_crowd::{AgentRow, Occupant, View};
use throng_grid::Cell;
use throng_toolkit::PibtStep;

/// How far a joint step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// All members are in their cells.
    Done,
    /// The members go on, or wait for each other.
    Moving,
    /// A part cannot be made.
    Impossible,
}

/// Decides for the members of a joint step: each goes to its cell, stays there, or waits for another. Decides nothing if the
/// step is done or impossible.
pub(super) fn advance(view: &View<'_>, step: &mut PibtStep, parts: &[(AgentRow, Cell)]) -> Progress {
    if parts.iter().all(|&(member, to)| view.is_alive(member) && view.at(member) == to) {
        return Progress::Done;
    }
    let is_member = |other: AgentRow| parts.iter().any(|&(member, _)| member == other);
    let is_possible = |&(member, to): &(AgentRow, Cell)| {
        let is_open = match view.occupancy().at(to) {
            Occupant::Nobody => true,
            Occupant::Agent(other) => is_member(other) || view.standing(to).is_none(),
            Occupant::Foreign => false,
        };
        let is_kept = view.is_alive(member) && view.is_controlled(member);
        let at = if is_kept { view.at(member) } else { to };
        is_kept && (at == to || (is_open && view.ground(member).legal_step(at, to).is_some()))
    };
    let is_under_way = |&(member, _): &(AgentRow, Cell)| view.ready(member) > view.tick();
    if !parts.iter().all(is_possible) {
        return Progress::Impossible;
    }
    let mut goes_on = parts.iter().any(is_under_way);
    let mut decides = true;
    while std::mem::take(&mut decides) {
        for &(member, to) in parts {
            if step.next(member).is_none() && may_enter(view, step, member, to) {
                goes_on |= view.at(member) != to;
                decides = true;
                step.go(view, member, to);
            }
        }
    }
    if !goes_on {
        // The cells that were taken are those of members that stay.
        return Progress::Impossible;
    }
    for &(member, to) in parts {
        if step.next(member).is_none() {
            step.take(member, view.at(member));
            step.close(to, member);
        }
    }
    Progress::Moving
}

/// Returns true if a member can enter its cell in this tick, or stay there.
fn may_enter(view: &View<'_>, step: &PibtStep, member: AgentRow, to: Cell) -> bool {
    let at = view.at(member);
    let leaves = |other: AgentRow| step.next(other).is_some_and(|next| next != to);
    step.next_occupant(to).is_none()
        && step.crossing(view, at, to).is_none()
        && !step.is_too_slow(view, member, to)
        && view.occupancy().agent(to).is_none_or(|other| other == member || leaves(other))
}
