//! RTAA*, Real-Time Adaptive A*: an A* search that stops after a number of expansions and then raises the estimates of the
//! closed nodes.
//!
//! S. Koenig, M. Likhachev, *Real-Time Adaptive A\**, AAMAS 2006. Let `f*` be the smallest `f` in the open list when the search
//! stops. Every closed node `n` is at least `f* - g(n)` away from the goal, and this becomes its estimate. The agent follows
//! the path to the node that would have been expanded next. Nodes with the same `f` are ordered by largest `g`, then first in
//! first out, as in the paper on BMAA*.

use super::lookahead::{EXPANSIONS, LearningRule, LookaheadRules, LookaheadWalker, MOVES};
use super::{CAP, CappedWalks, REAL_TIME};
use crate::registry::SearchInfo;

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "rtaa",
    summary: "real-time adaptive A*: short A* searches that raise the estimates of what they expand",
    idea: "The agent runs A* for a number of expansions, raises the estimate of each expanded cell n to f* - g(n), where f* is \
           that of the cell that would be expanded next, follows the path to that cell, and searches again. The path is what \
           the agent has walked.",
    reference: "S. Koenig, M. Likhachev: Real-Time Adaptive A*. AAMAS 2006",
    parameters: &[EXPANSIONS, MOVES, CAP],
    build: |values| {
        let rules = LookaheadRules::new(values, LearningRule::Adaptive, false);
        CappedWalks::boxed(LookaheadWalker::new(rules), values.get("cap"))
    },
    ..REAL_TIME
};
