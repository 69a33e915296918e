//! What the page says about one agent, and the debug layers.

use serde::Serialize;
use throng::{AgentId, Certainty, DebugLayer, DebugMark, Orders, StuckReason, Unit};

use crate::message::{At, Layer, at};
use crate::scene::Scene;

/// The largest number of marks of a layer that are sent.
const MAX_MARKS: usize = 1 << 20;

/// The longest path of an agent, in cells.
const MAX_PATH: usize = 2_048;

/// The largest number of units in a chain.
const MAX_CHAIN: usize = 24;

/// What is known about an agent.
#[derive(Debug, Serialize)]
pub(crate) struct AgentReport {
    side: usize,
    agent: u32,
    tick: u64,
    position: At,
    goal: Option<At>,
    target: Option<At>,
    arrived: bool,
    /// Goals that follow.
    queue: Vec<At>,
    /// The remaining path without the present cell: column, row, and how certain it is that the agent comes there from the
    /// cell before: 0 if it is planned, 1 if it follows the guide, 2 if the cells between are unknown.
    path: Vec<(i32, i32, u8)>,
    /// The unit for which the agent waits, the one for which that waits, and so on.
    chain: Vec<Link>,
    /// True if the chain leads back to an agent in it.
    cycle: bool,
    /// Why the agent is stuck, if it is.
    stuck: Option<&'static str>,
}

/// A unit in the way of another.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    /// The agent, `None` for a foreign unit.
    agent: Option<u32>,
    at: At,
    /// What it does itself.
    state: &'static str,
}

impl Scene {
    /// Describes an agent, `None` if there is none in that row.
    pub(crate) fn report(&self, side: usize, row: u32) -> Option<AgentReport> {
        let agent = self.agent(row)?;
        let world = &self.world;
        let path = world.path(agent, MAX_PATH).ok()?;
        let path = path.iter().map(|cell| (cell.at.x, cell.at.y, certainty(cell.certainty))).collect();
        let queue = match world.orders(agent).ok()? {
            Orders::Queue(waypoints) => waypoints.iter().map(at).collect(),
            _ => Vec::new(),
        };
        let (chain, cycle) = self.chain(agent);
        Some(AgentReport {
            side,
            agent: row,
            tick: world.ticks(),
            position: at(world.position(agent).ok()?),
            goal: world.goal(agent).ok()?.map(at),
            target: world.target(agent).ok()?.map(at),
            arrived: world.has_arrived(agent).ok()?,
            queue,
            path,
            chain,
            cycle,
            stuck: self.stuck[row as usize].map(reason),
        })
    }

    /// Returns the row of each agent that has a goal, with the goal.
    pub(crate) fn goals(&self, rows: &[u32]) -> Vec<(u32, i32, i32)> {
        let goal = |&row: &u32| {
            let goal = self.world.goal(self.agent(row)?).ok()??;
            Some((row, goal.x, goal.y))
        };
        rows.iter().filter_map(goal).collect()
    }

    /// Follows the wait-for graph. Returns true if the last one waits for one before it.
    fn chain(&self, first: AgentId) -> (Vec<Link>, bool) {
        let (mut chain, mut met, mut at_end) = (Vec::new(), vec![first], first);
        while chain.len() < MAX_CHAIN {
            let Some(wait) = self.waits[at_end.index()] else { break };
            match wait.by.or_else(|| self.world.occupant(wait.wanted)) {
                Some(Unit::Agent(next)) => {
                    let Ok(position) = self.world.position(next) else { break };
                    let state = self.activity(next);
                    chain.push(Link { agent: Some(next.row()), at: at(position), state });
                    if met.contains(&next) {
                        return (chain, true);
                    }
                    met.push(next);
                    at_end = next;
                }
                Some(Unit::Foreign(unit)) => {
                    let position = self.world.foreign_position(unit).unwrap_or(wait.wanted);
                    chain.push(Link { agent: None, at: at(position), state: "foreign unit" });
                    break;
                }
                None => break,
            }
        }
        (chain, false)
    }

    fn activity(&self, agent: AgentId) -> &'static str {
        if self.world.has_arrived(agent) == Ok(true) {
            "arrived"
        } else if self.waits[agent.index()].is_some() {
            "waits"
        } else if self.world.target(agent).ok().flatten().is_none() {
            "no goal"
        } else {
            "moved on"
        }
    }

    /// Returns the marks of a debug layer: the cell and what is there.
    pub(crate) fn marks(&self, layer: Layer, row: Option<u32>) -> Vec<(u32, u32)> {
        let agent = row.and_then(|row| self.agent(row));
        let mut marks = Vec::new();
        if layer == Layer::Targets {
            let size = self.world.grid().size();
            let target =
                |&agent: &AgentId| self.world.target(agent).ok().flatten().and_then(|pos| size.cell(pos));
            let targets =
                self.world.agents().iter().filter_map(|agent| Some((target(agent)?.0, agent.row())));
            marks.extend(targets);
            return marks;
        }
        let debug = match (layer, agent) {
            (Layer::Searched, _) => DebugLayer::SearchedCells,
            (Layer::Sectors, _) => DebugLayer::Sectors,
            (Layer::Directions, _) => DebugLayer::DirectionVectors,
            (Layer::Streets, _) => DebugLayer::OneWayStreets,
            (Layer::Distances, Some(agent)) => DebugLayer::DistanceField(agent),
            (Layer::Distances, None) => return marks,
            (Layer::Paths | Layer::Targets, _) => DebugLayer::Paths,
        };
        let emitted = self.world.inspect(debug, &mut |mark| {
            let mark = match mark {
                // The searches of the others are left out once an agent is chosen.
                DebugMark::Searched { agent: of, .. } if agent.is_some_and(|agent| agent != of) => return,
                DebugMark::Path { agent, cell } | DebugMark::Searched { agent, cell } => {
                    (cell.0, agent.row())
                }
                DebugMark::Distance { cell, distance } => (cell.0, distance),
                DebugMark::Sector { cell, sector } => (cell.0, sector),
                DebugMark::Street { cell, moves } => (cell.0, u32::from(moves)),
                DebugMark::Direction { cell, x, y } => {
                    (cell.0, u32::from(x as u16) | u32::from(y as u16) << 16)
                }
                _ => return,
            };
            if marks.len() < MAX_MARKS {
                marks.push(mark);
            }
        });
        // Only an agent that does not exist is an error, and this one does.
        debug_assert!(emitted.is_ok());
        marks
    }
}

/// Returns the number of a certainty in messages.
fn certainty(certainty: Certainty) -> u8 {
    match certainty {
        Certainty::Planned => 0,
        Certainty::Guide => 1,
        Certainty::Unknown => 2,
    }
}

fn reason(reason: StuckReason) -> &'static str {
    match reason {
        StuckReason::BehindArrived => "agents that have arrived are in the way",
        StuckReason::Crowded => "more agents want to pass than fit",
        StuckReason::BehindForeign => "a unit that the planner does not control is in the way",
        StuckReason::Wandering => "moves without getting on",
        StuckReason::NoReachableCell => "no free cell can be reached",
        StuckReason::NoPathYet => "the planner has found no path yet",
        _ => "unknown",
    }
}
