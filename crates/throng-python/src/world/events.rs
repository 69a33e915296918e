//! Events as a table: one row of nine 64-bit integers per event. The package turns it into an array with named fields.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use throng::{AgentId, Event, Pos, Rule, StuckReason, Unit};

use super::World;
use crate::array::agent_array;

/// The names of the kinds of events, by number.
pub(crate) const EVENT_KINDS: [&str; 17] = [
    "moved",
    "waited",
    "arrived",
    "waypoint",
    "waypoint-skipped",
    "follow-ended",
    "settled-short",
    "group-arrived",
    "left-goal",
    "pushed",
    "overruled",
    "discovered",
    "notice",
    "unreachable",
    "displaced",
    "stuck",
    "other",
];

/// The names of the reasons of the event `stuck`, by the number in its field `value`.
pub(crate) const STUCK_REASONS: [&str; 6] =
    ["behind-arrived", "crowded", "behind-foreign", "wandering", "no-reachable-cell", "no-path-yet"];

/// The names of the rules of the event `overruled`, by the number in its field `value`.
pub(crate) const MOVE_RULES: [&str; 5] = ["illegal", "not-its-turn", "shared-cell", "swap", "crossing"];

/// The number of columns.
const COLUMNS: usize = 9;

/// The value of a field that an event does not have.
const NONE: i64 = -1;

/// A row: kind, agent, other unit, whether that is foreign, first position, second position, value.
type Row = [i64; COLUMNS];

/// The fields of an event that its kind has.
#[derive(Clone, Copy, Default)]
struct Fields {
    agent: Option<AgentId>,
    other: Option<Unit>,
    at: Option<Pos>,
    to: Option<Pos>,
    value: Option<i64>,
}

impl Fields {
    fn of(agent: AgentId) -> Self {
        Self { agent: Some(agent), ..Self::default() }
    }

    fn row(self, kind: i64) -> Row {
        let (other, is_foreign) = match self.other {
            None => (NONE, 0),
            Some(Unit::Agent(agent)) => (agent.to_bits() as i64, 0),
            Some(Unit::Foreign(unit)) => (unit.to_bits() as i64, 1),
        };
        let [x, y] = self.at.map_or([NONE; 2], |pos| [pos.x.into(), pos.y.into()]);
        let [to_x, to_y] = self.to.map_or([NONE; 2], |pos| [pos.x.into(), pos.y.into()]);
        let agent = self.agent.map_or(NONE, |agent| agent.to_bits() as i64);
        [kind, agent, other, is_foreign, x, y, to_x, to_y, self.value.unwrap_or(NONE)]
    }
}

/// Returns the row of an event. The kinds have the order of [`EVENT_KINDS`].
fn row(event: &Event) -> Row {
    match *event {
        Event::Moved { agent, from, to, ticks } => {
            Fields { at: Some(from), to: Some(to), value: Some(ticks.into()), ..Fields::of(agent) }.row(0)
        }
        Event::Waited { agent, wanted, by } => {
            Fields { to: Some(wanted), other: by, ..Fields::of(agent) }.row(1)
        }
        Event::Arrived { agent } => Fields::of(agent).row(2),
        Event::Waypoint { agent, at } => Fields { at: Some(at), ..Fields::of(agent) }.row(3),
        Event::WaypointSkipped { agent, at } => Fields { at: Some(at), ..Fields::of(agent) }.row(4),
        Event::FollowEnded { agent, unit } => Fields { other: Some(unit), ..Fields::of(agent) }.row(5),
        Event::SettledShort { agent, distance } => {
            Fields { value: Some(distance.into()), ..Fields::of(agent) }.row(6)
        }
        // The group takes the place of the agent.
        Event::GroupArrived { group, settled_short } => {
            let mut row = Fields { value: Some(settled_short.into()), ..Fields::default() }.row(7);
            row[1] = group.to_bits() as i64;
            row
        }
        Event::LeftGoal { agent } => Fields::of(agent).row(8),
        Event::Pushed { agent, by } => Fields { other: Some(Unit::Agent(by)), ..Fields::of(agent) }.row(9),
        Event::Overruled { agent, wanted, rule } => {
            Fields { to: wanted, value: Some(rule_number(rule)), ..Fields::of(agent) }.row(10)
        }
        Event::Discovered { agent, at } => Fields { at: Some(at), ..Fields::of(agent) }.row(11),
        Event::Notice { number } => Fields { value: Some(number as i64), ..Fields::default() }.row(12),
        Event::Unreachable { agent, goal, instead } => {
            Fields { at: Some(goal), to: Some(instead), ..Fields::of(agent) }.row(13)
        }
        Event::Displaced { agent, from, to } => {
            Fields { at: Some(from), to: Some(to), ..Fields::of(agent) }.row(14)
        }
        Event::Stuck { agent, reason, by } => {
            Fields { other: by, value: Some(reason_number(reason)), ..Fields::of(agent) }.row(15)
        }
        _ => Fields::default().row(16),
    }
}

fn rule_number(rule: Rule) -> i64 {
    match rule {
        Rule::Illegal => 0,
        Rule::NotItsTurn => 1,
        Rule::SharedCell => 2,
        Rule::Swap => 3,
        Rule::Crossing => 4,
        _ => NONE,
    }
}

pub(super) fn reason_number(reason: StuckReason) -> i64 {
    match reason {
        StuckReason::BehindArrived => 0,
        StuckReason::Crowded => 1,
        StuckReason::BehindForeign => 2,
        StuckReason::Wandering => 3,
        StuckReason::NoReachableCell => 4,
        StuckReason::NoPathYet => 5,
        _ => NONE,
    }
}

#[pymethods]
impl World {
    /// Returns the events of the last call of `tick` as an array of shape `(n, 9)`: kind, agent, other unit, whether that is foreign,
    /// x and y before or of the place, x and y after or wanted, value; -1 where an event has no such field. `throng.events(world)`
    /// returns the same with named fields.
    fn event_table<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let values: Vec<i64> = self.events.iter().flat_map(row).collect();
        PyArray1::from_vec(py, values).reshape([self.events.len(), COLUMNS]).expect("nine numbers per event")
    }

    /// Returns the agents that arrived in the last call of `tick`.
    ///
    /// >>> world = throng.World(throng.Map.picture("..."))
    /// >>> agent = world.spawn(0, 0)
    /// >>> destination = world.send(agent, 1, 0)
    /// >>> report = world.tick()
    /// >>> world.arrivals().tolist()
    /// [0]
    fn arrivals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let arrived = self.events.iter().filter_map(|event| match event {
            Event::Arrived { agent } => Some(*agent),
            _ => None,
        });
        agent_array(py, &arrived.collect::<Vec<_>>())
    }
}
