//! daRTAA*: RTAA* that goes to the open node whose estimate was raised least, and so leaves depressions of the heuristic.
//!
//! C. Hernández, J. A. Baier, *Avoiding and Escaping Depressions in Real-Time Heuristic Search*, JAIR 43, 2012. Learning is that
//! of RTAA*, with the `f*` of the node that would have been expanded next. Among open nodes raised by the same amount the agent
//! goes to the one with the smallest `f`. If the goal would be expanded next, the agent goes there.

use super::lookahead::{EXPANSIONS, LearningRule, LookaheadRules, LookaheadWalker, MOVES};
use super::{CAP, CappedWalks, REAL_TIME};
use crate::registry::SearchInfo;

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "da-rtaa",
    summary: "real-time adaptive A* that avoids depressions of the heuristic",
    idea: "Searches and learns like rtaa, but the agent goes to the open cell whose estimate was raised least, and among \
           those to the one with the smallest f. So it moves to the border of a region whose estimates are too low instead of \
           filling the region step by step.",
    reference: "C. Hernández, J. A. Baier: Avoiding and Escaping Depressions in Real-Time Heuristic Search. JAIR 43, 2012",
    parameters: &[EXPANSIONS, MOVES, CAP],
    build: |values| {
        let rules = LookaheadRules::new(values, LearningRule::Adaptive, true);
        CappedWalks::boxed(LookaheadWalker::new(rules), values.get("cap"))
    },
    ..REAL_TIME
};
