//! LSS-LRTA*: A* with a bounded number of expansions, then estimates computed from the border of the searched region.
//!
//! S. Koenig, X. Sun, *Comparing Real-Time and Incremental Heuristic Search for Real-Time Situated Agents*, Autonomous Agents
//! and Multi-Agent Systems 18(3), 2009. Each expanded cell gets the largest estimate that the open cells justify
//! ([`BorderDistances`](super::BorderDistances)). That is at least what RTAA* learns and costs a second search over the
//! expanded cells. The goal is never expanded. Ties are broken as in RTAA*.

use super::lookahead::{EXPANSIONS, LearningRule, LookaheadRules, LookaheadWalker, MOVES};
use super::{CAP, CappedWalks, REAL_TIME};
use crate::registry::SearchInfo;

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "lss-lrta",
    summary: "LSS-LRTA*: short A* searches whose expanded cells learn from the border of the searched region",
    idea: "The agent runs A* for a number of expansions. Dijkstra's algorithm then computes the new estimate of each expanded \
           cell: the smallest sum of the cost to an open cell and that cell's estimate. The agent follows the path to the cell \
           that would be expanded next, and searches again.",
    reference: "S. Koenig, X. Sun: Comparing Real-Time and Incremental Heuristic Search for Real-Time Situated Agents. \
                Autonomous Agents and Multi-Agent Systems 18(3), 2009",
    parameters: &[EXPANSIONS, MOVES, CAP],
    build: |values| {
        let rules = LookaheadRules::new(values, LearningRule::Border, false);
        CappedWalks::boxed(LookaheadWalker::new(rules), values.get("cap"))
    },
    ..REAL_TIME
};
