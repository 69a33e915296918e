//! A recording that is shown: all its ticks, so that any can be sought at once.

use std::sync::Arc;

use throng::{Pos, Recording};

use crate::frame::{Agents, Edit, Frame, Side, Stats};
use crate::results::RunFacts;
use crate::setup::SetupError;

/// The largest number of agents over all ticks that are kept: five bytes each.
const MAX_STATES: usize = 40_000_000;

/// A recording in a form for seeking.
#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) name: String,
    pub(crate) planner: String,
    pub(crate) size: throng::Size,
    /// The map before the first tick.
    map: Vec<u8>,
    ticks: Vec<Tick>,
    /// True if the recording has more ticks than are kept.
    pub(crate) is_cut: bool,
    /// The tick that is shown.
    pub(crate) at: usize,
    /// The stored run that it repeats.
    pub(crate) run: Option<RunFacts>,
}

/// The state after a tick.
#[derive(Debug, Default)]
struct Tick {
    number: u32,
    agents: Agents,
    units: Vec<u32>,
    /// Changes of the map before the tick.
    edits: Vec<Edit>,
}

impl Replay {
    /// Plays a recording and keeps every tick.
    pub(crate) fn read(name: String, bytes: &[u8]) -> Result<Self, SetupError> {
        let recording = Recording::read(bytes)?;
        recording.within_limits().map_err(|error| SetupError::Field(error.to_string()))?;
        let planner = recording.planner_name().to_owned();
        let mut playback = recording.play()?;
        let size = playback.world().grid().size();
        if size.area() > 1 << 22 {
            return Err(SetupError::Field(format!(
                "a map of {}×{} cells cannot be shown",
                size.width(),
                size.height()
            )));
        }
        let map = content(playback.world());
        let (mut current, mut revision) = (map.clone(), playback.world().grid().revision());
        let mut ticks = vec![tick(playback.world(), &Tick::default())];
        let (mut kept, mut is_cut) = (ticks[0].agents.len(), false);
        while playback.step()? {
            let world = playback.world();
            let mut next = tick(world, &ticks[ticks.len() - 1]);
            if world.grid().revision() != revision {
                revision = world.grid().revision();
                let after = content(world);
                let changed = (0..).zip(current.iter().zip(&after)).filter(|(_, (old, new))| old != new);
                next.edits = changed.map(|(cell, (_, &new))| (cell, new)).collect();
                current = after;
            }
            kept += next.agents.len();
            if kept > MAX_STATES {
                is_cut = true;
                break;
            }
            ticks.push(next);
        }
        Ok(Self { name, planner, size, map, ticks, is_cut, at: 0, run: None })
    }

    /// Returns the number of the last tick, counted from the beginning of the recording.
    pub(crate) fn last(&self) -> usize {
        self.ticks.len() - 1
    }

    /// Returns the tick that is shown.
    pub(crate) fn frame(&self) -> Frame {
        let tick = &self.ticks[self.at];
        let agents = tick.agents.clone();
        let stats = Stats {
            arrived: agents.count(Agents::ARRIVED),
            waiting: agents.count(Agents::WAITING),
            ..Stats::default()
        };
        Frame {
            tick: tick.number,
            sides: vec![Side { stats, agents, units: tick.units.clone(), notes: Vec::new() }],
        }
    }

    /// Returns the changes of the map before the tick that is shown.
    pub(crate) fn edits(&self) -> &[Edit] {
        &self.ticks[self.at].edits
    }

    /// Returns the map as it is in the tick that is shown.
    pub(crate) fn map(&self) -> Vec<u8> {
        let mut map = self.map.clone();
        for &(cell, value) in self.ticks[..=self.at].iter().flat_map(|tick| &tick.edits) {
            map[cell as usize] = value;
        }
        map
    }
}

fn content(world: &throng::World) -> Vec<u8> {
    let grid = world.grid();
    let value = |cell: throng::Cell| {
        grid.tiles().terrain()[cell.index()] as u8 | u8::from(grid.blocked()[cell.index()]) << 7
    };
    grid.size().cells().map(value).collect()
}

/// Returns the state after a tick. A recording has no waits: an agent that stayed on its way counts as waiting.
fn tick(world: &throng::World, before: &Tick) -> Tick {
    let size = world.grid().size();
    let cell = |pos: Pos| size.cell(pos).map_or(0, |cell| cell.0);
    let (before, mut agents) = (&before.agents, Agents::default());
    let rows = world.agents().iter().map(|agent| agent.row());
    let is_same = rows.clone().eq(before.rows.iter().copied());
    agents.rows = if is_same { Arc::clone(&before.rows) } else { rows.collect() };
    for (i, &agent) in world.agents().iter().enumerate() {
        let at = world.position(agent).map_or(0, cell);
        let stayed = before.rows.get(i) == Some(&agent.row()) && before.cells.get(i) == Some(&at);
        agents.cells.push(at);
        agents.states.push(if world.has_arrived(agent) == Ok(true) {
            Agents::ARRIVED
        } else if world.target(agent).ok().flatten().is_none() {
            Agents::IDLE
        } else if stayed {
            Agents::WAITING
        } else {
            Agents::MOVING
        });
    }
    let units =
        world.foreign_units().filter_map(|unit| world.foreign_position(unit).ok()).map(cell).collect();
    Tick { number: world.ticks() as u32, agents, units, edits: Vec::new() }
}
