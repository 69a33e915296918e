//! Recording a run: a snapshot, then for each tick the inputs before it, the granted budget, all moves, changed
//! targets, arrivals, and the state hash.
//!
//! A recording is written tick by tick, so a file can be written while the run goes on. Each tick carries a checksum of
//! everything up to it, and the end is marked. So a recording that was cut short or altered is detected, and its intact
//! ticks can still be read. [`Recording`](crate::Recording) reads it.

pub mod plan_file;
pub(crate) mod play;
pub(crate) mod read;

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Direction};

use crate::snapshot::checksum;
use crate::state::encode;
use crate::{AgentRow, Budget, Event, GroupId, Input, World};

pub(crate) const MAGIC: &[u8; 8] = b"throng-r";
pub(crate) const VERSION: u64 = 6;

/// One tick of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TickRecord {
    /// The inputs since the last tick, in order.
    pub inputs: Vec<Input>,
    /// The budget of the planner. With the same budget it makes the same decisions again.
    pub granted: GrantedBudget,
    /// The rounds of work that the planner used.
    pub rounds: u32,
    /// The step of each living agent, in the order of rows; `None` if it stayed.
    #[serde(with = "packed_moves")]
    pub moves: Vec<Option<Direction>>,
    /// The targets after the tick of all agents whose target was chosen since the last tick, in the order of rows.
    pub targets: Vec<TargetRecord>,
    /// The agents that were reported to have arrived, in the order of rows.
    pub arrived: Vec<AgentRow>,
    /// The agents that were reported to have settled short, in the order of rows.
    pub settled_short: Vec<AgentRow>,
    /// The groups that were reported to have arrived, with the number of members that have settled short.
    pub groups: Vec<(GroupId, u32)>,
    /// The state hash after the tick.
    #[serde(with = "postcard::fixint::le")]
    pub hash: u64,
}

/// The budget of a recorded tick, in a form that can be granted again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GrantedBudget {
    /// [`Budget::Unlimited`].
    #[default]
    Unlimited,
    /// [`Budget::Expansions`].
    Expansions(u64),
    /// [`Budget::Rounds`], or the number of rounds that a [`Budget::Until`] granted.
    Rounds(u32),
    /// [`Budget::Units`].
    Units(u64),
}

impl GrantedBudget {
    /// Returns the same budget again.
    pub const fn budget(self) -> Budget<'static> {
        match self {
            Self::Unlimited => Budget::Unlimited,
            Self::Expansions(limit) => Budget::Expansions(limit),
            Self::Rounds(rounds) => Budget::Rounds(rounds),
            Self::Units(limit) => Budget::Units(limit),
        }
    }

    /// Returns what a budget grants, `None` if that is known only after the tick.
    pub(crate) const fn of(budget: &Budget<'_>) -> Option<Self> {
        match budget {
            Budget::Unlimited => Some(Self::Unlimited),
            Budget::Expansions(limit) => Some(Self::Expansions(*limit)),
            Budget::Rounds(rounds) => Some(Self::Rounds(*rounds)),
            Budget::Units(limit) => Some(Self::Units(*limit)),
            Budget::Until(_) => None,
        }
    }
}

/// The target of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(AgentRow, u64)", into = "(AgentRow, u64)")]
pub struct TargetRecord {
    /// The agent.
    pub agent: AgentRow,
    /// The cell that it heads for, if any.
    pub target: Option<Cell>,
    /// True if the cell belongs to this agent alone, so that it can arrive there.
    pub claimed: bool,
    /// True if the cell is not one of the final cells of the agents with this goal.
    pub short: bool,
}

/// Cell and claim are saved as one number, because they are a large part of a recording.
impl From<TargetRecord> for (AgentRow, u64) {
    fn from(TargetRecord { agent, target, claimed, short }: TargetRecord) -> Self {
        let cell = target.map_or(0, |cell| u64::from(cell.0) + 1);
        (agent, cell << 2 | u64::from(short) << 1 | u64::from(claimed))
    }
}

impl From<(AgentRow, u64)> for TargetRecord {
    fn from((agent, number): (AgentRow, u64)) -> Self {
        let target = (number >> 2).checked_sub(1).map(|cell| Cell(cell as u32));
        Self { agent, target, claimed: number & 1 == 1, short: number & 2 == 2 }
    }
}

/// Moves as half bytes: the number of a direction, or [`packed_moves::STAYS`]. A last half byte that is not used is
/// [`packed_moves::UNUSED`].
mod packed_moves {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use throng_grid::Direction;

    const STAYS: u8 = 8;
    const UNUSED: u8 = 15;

    pub(super) fn serialize<S: Serializer>(
        moves: &[Option<Direction>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let half = |step: &Option<Direction>| step.map_or(STAYS, Direction::number);
        let pairs = moves.chunks(2).map(|pair| half(&pair[0]) | pair.get(1).map_or(UNUSED, half) << 4);
        serializer.serialize_bytes(&pairs.collect::<Vec<u8>>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<Direction>>, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        let unused = usize::from(bytes.last().is_some_and(|byte| byte >> 4 == UNUSED));
        let halves = bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).take(2 * bytes.len() - unused);
        let step = |half: u8| match half {
            0..STAYS => Ok(Some(Direction::from_number(half))),
            STAYS => Ok(None),
            _ => Err(D::Error::custom("a move is not a direction")),
        };
        halves.map(step).collect()
    }
}

/// Writes a recording.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    /// Bytes that have not been drained yet.
    bytes: Vec<u8>,
    /// The checksum of everything so far.
    sum: u64,
    ticks: u64,
    /// The current tick.
    tick: TickRecord,
    /// Agents whose target was chosen since the last tick.
    retargeted: Vec<AgentRow>,
    scratch: Vec<u8>,
}

impl Recorder {
    /// Starts a recording with a snapshot.
    pub(crate) fn new(snapshot: &[u8]) -> Self {
        let mut bytes = MAGIC.to_vec();
        encode(&VERSION, &mut bytes);
        encode(&snapshot.len(), &mut bytes);
        bytes.extend_from_slice(snapshot);
        let mut recorder = Self {
            sum: checksum(0, &bytes),
            bytes,
            ticks: 0,
            tick: TickRecord::default(),
            retargeted: Vec::new(),
            scratch: Vec::new(),
        };
        recorder.put_sum();
        recorder
    }

    /// Appends a tick: its length, its content, and the checksum of everything so far.
    pub(crate) fn append(&mut self, tick: &TickRecord) {
        self.scratch.clear();
        encode(tick, &mut self.scratch);
        encode(&self.scratch.len(), &mut self.bytes);
        self.put_scratch();
        self.ticks += 1;
    }

    /// Marks the end: a tick of length 0, and the number of ticks.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.scratch.clear();
        encode(&self.ticks, &mut self.scratch);
        self.put_scratch();
        self.bytes
    }

    fn put_scratch(&mut self) {
        self.sum = checksum(self.sum, &self.scratch);
        self.bytes.extend_from_slice(&self.scratch);
        self.put_sum();
    }

    fn put_sum(&mut self) {
        self.bytes.extend_from_slice(&self.sum.to_le_bytes());
    }
}

impl World {
    /// Starts a recording and drops the current one, if any.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// use throng::{Recording, check};
    ///
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.start_recording();
    /// world.send(agent, Pos::new(4, 0))?;
    /// for _ in 0..5 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// let bytes = world.finish_recording().ok_or("a recording was started")?;
    /// assert!(check(&Recording::read(&bytes)?).is_clean());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_recording(&mut self) {
        self.recorder = Some(Box::new(Recorder::new(&self.snapshot())));
    }

    /// Returns what has been recorded since the last call, for files that are written while the run goes on; `None`
    /// without a recording.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let mut file = Vec::new();
    /// world.start_recording();
    /// for _ in 0..3 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    ///     file.extend(world.drain_recording().unwrap_or_default());
    /// }
    /// file.extend(world.finish_recording().unwrap_or_default());
    /// assert_eq!(throng::Recording::read(&file)?.ticks.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain_recording(&mut self) -> Option<Vec<u8>> {
        self.recorder.as_mut().map(|recorder| std::mem::take(&mut recorder.bytes))
    }

    /// Ends the recording after the last whole tick and returns what was not drained; `None` without a recording.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// assert_eq!(world.finish_recording(), None);
    /// world.start_recording();
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert!(world.finish_recording().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish_recording(&mut self) -> Option<Vec<u8>> {
        self.recorder.take().map(|recorder| recorder.finish())
    }

    /// Records an input.
    pub(crate) fn record(&mut self, input: Input) {
        if let Some(recorder) = &mut self.recorder {
            recorder.tick.inputs.push(input);
        }
    }

    /// Records that the target of an agent was chosen.
    pub(crate) fn record_target(&mut self, agent: AgentRow) {
        if let Some(recorder) = &mut self.recorder {
            recorder.retargeted.push(agent);
        }
    }

    /// Records the moves that the referee allowed, before they are committed.
    pub(crate) fn record_moves(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        let size = self.grid.size();
        let step = |&agent: &AgentRow| {
            let (from, to) = (self.agents.at[agent.index()], self.referee.next(agent));
            Direction::between(size.pos(from), size.pos(to))
        };
        recorder.tick.moves.clear();
        recorder.tick.moves.extend(self.agents.living.iter().map(step));
    }

    /// Records the end of a tick.
    pub(crate) fn record_tick(&mut self, granted: GrantedBudget, rounds: u32, events: &[Event]) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let mut tick = std::mem::take(&mut recorder.tick);
        (tick.granted, tick.rounds) = (granted, rounds);
        recorder.retargeted.sort_unstable();
        recorder.retargeted.dedup();
        tick.targets.clear();
        let retargeted = recorder.retargeted.drain(..).filter(|&agent| self.agents.is_alive(agent));
        tick.targets.extend(retargeted.map(|agent| TargetRecord {
            agent,
            target: self.agents.target[agent.index()],
            claimed: self.agents.arrival[agent.index()].stage.has_claim(),
            short: self.agents.arrival[agent.index()].short,
        }));
        tick.arrived.clear();
        tick.arrived.extend(events.iter().filter_map(|event| match event {
            Event::Arrived { agent } => Some(AgentRow(agent.row())),
            _ => None,
        }));
        tick.groups.clear();
        tick.groups.extend(events.iter().filter_map(|event| match *event {
            Event::GroupArrived { group, settled_short } => Some((group, settled_short)),
            _ => None,
        }));
        tick.settled_short.clear();
        tick.settled_short.extend(events.iter().filter_map(|event| match event {
            Event::SettledShort { agent, .. } => Some(AgentRow(agent.row())),
            _ => None,
        }));
        tick.hash = self.state_hash();
        recorder.append(&tick);
        tick.inputs.clear();
        recorder.tick = tick;
        self.recorder = Some(recorder);
    }
}
