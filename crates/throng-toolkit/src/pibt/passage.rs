//! Passages: whether agents that meet in a passage one cell wide have to swap their cells, and whether they can.
//!
//! K. Okumura, *Engineering `LaCAM*`: Towards Real-Time, Large-Scale, and Near-Optimal Multi-Agent Pathfinding*, AAMAS 2024.

use throng_crowd::{AgentRow, View};
use throng_grid::{Cell, Ground};

use super::step::{Candidates, Preferences};

/// Maximum length of the part of a passage that is examined, in cells.
const MAX_PASSAGE: usize = 48;

/// Returns true if an agent under way may have to swap: its best cell is in a passage, or an agent beside it wants to enter its
/// cell. A quick test, false for most agents.
pub fn may_swap(view: &View<'_>, agent: AgentRow, candidates: &Candidates) -> bool {
    let (at, Some(&best)) = (view.at(agent), candidates.as_slice().first()) else { return false };
    let beside = |(_, cell): (_, Cell)| view.standing(cell);
    best != at
        && (exits(view, view.ground(agent), best, at).0 <= 1
            || view.ground(agent).neighbours(at).filter_map(beside).any(|other| comes_to(view, other, agent)))
}

/// Returns true if the target of `other` is the cell of `agent`, or if it moves by other rules.
pub(super) fn comes_to(view: &View<'_>, other: AgentRow, agent: AgentRow) -> bool {
    view.target(other) == Some(view.at(agent)) || view.profile(other) != view.profile(agent)
}

/// Returns the number of exits of `cell` other than `back`, at most two, and the first of them. A dead end that is occupied
/// by an agent at its target is no exit.
pub(super) fn exits(view: &View<'_>, ground: &Ground, cell: Cell, back: Cell) -> (usize, Cell) {
    let dead_end = |to: Cell| {
        ground.moves(to).is_power_of_two() && view.standing(to).is_some_and(|other| view.is_at_target(other))
    };
    let mut exits = ground.neighbours(cell).map(|(_, to)| to).filter(|&to| to != back && !dead_end(to));
    let first = exits.next();
    (usize::from(first.is_some()) + usize::from(exits.next().is_some()), first.unwrap_or(cell))
}

/// Tests whether two agents that block each other in a passage must swap, and whether they can.
pub(super) struct Passage<'a, P> {
    pub(super) view: &'a View<'a>,
    pub(super) preferences: &'a P,
}

impl<P: Preferences> Passage<'_, P> {
    /// Returns true if `one` is known to be nearer to the agent's target than `other`.
    fn is_nearer(&self, agent: AgentRow, one: Cell, other: Cell) -> bool {
        let distance = |cell| self.preferences.distance(self.view, agent, cell);
        matches!((distance(one), distance(other)), (Some(one), Some(other)) if one < other)
    }

    /// Returns true if `pusher` in `from` and `puller` in `to` must swap: they move towards each other, and the passage
    /// ahead of `pusher` has no junction where it could pass.
    pub(super) fn must_swap(&self, pusher: AgentRow, puller: AgentRow, from: Cell, to: Cell) -> bool {
        let ground = self.view.ground(pusher);
        // Most agents meet next to a junction. This test avoids the expensive distances there.
        if self.view.target(pusher) != Some(from) && exits(self.view, ground, to, from).0 > 1 {
            return false;
        }
        let (mut behind, mut ahead) = (from, to);
        for _ in 0..MAX_PASSAGE {
            if !self.is_nearer(pusher, ahead, behind) {
                break;
            }
            match exits(self.view, ground, ahead, behind) {
                (0, _) => break,
                (1, next) => (behind, ahead) = (ahead, next),
                _ => return false,
            }
        }
        let pusher_arrives = self.view.target(pusher) == Some(behind);
        self.is_nearer(puller, behind, ahead) && (pusher_arrives || self.is_nearer(pusher, ahead, behind))
    }

    /// Returns true if backing out from `to`, away from `from`, leads to a junction.
    pub(super) fn can_swap(&self, ground: &Ground, from: Cell, to: Cell) -> bool {
        let (mut behind, mut ahead) = (from, to);
        for _ in 0..MAX_PASSAGE {
            match exits(self.view, ground, ahead, behind) {
                (0, _) => return false,
                (1, next) => (behind, ahead) = (ahead, next),
                _ => return true,
            }
            if ahead == from {
                return false;
            }
        }
        false
    }
}
