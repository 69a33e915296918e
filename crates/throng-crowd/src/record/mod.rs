//! Recording a run: the first snapshot, then for every tick what was done before it, how much work was granted,
//! everyone's move, whose target changed, who arrived, and the state's hash.
//!
//! A recording is written tick by tick, so it can be drained into a file while the run goes on. Each tick carries a
//! checksum of everything up to it; the end is marked. So a recording that was cut short or altered is found out, and
//! how much of it is whole is known. [`Recording`](crate::Recording) reads it.

mod input;
pub mod plan_file;
pub(crate) mod play;
pub(crate) mod read;

use throng_grid::{Cell, Direction};

use crate::bytes::{checksum, put, put_bytes, put_fixed};
use crate::record::input::put_input;
use crate::{AgentId, Budget, Event, Input, World};

pub(crate) const MAGIC: &[u8; 8] = b"throng-r";
pub(crate) const VERSION: u64 = 2;
/// The half byte of an agent that stays; the others are the directions' numbers.
pub(crate) const STAYS: u8 = 8;

/// One tick of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TickRecord {
    /// What was done to the world before the tick, in order.
    pub inputs: Vec<Input>,
    /// What the planner was granted: with the same, it does the same again.
    pub granted: GrantedBudget,
    /// The rounds of work that it took of that.
    pub rounds: u32,
    /// How each living agent moved, in the order of their numbers; `None` when it stayed.
    pub moves: Vec<Option<Direction>>,
    /// Whose target was chosen before or in the tick, in the order of their numbers: what it is after the tick.
    pub targets: Vec<TargetRecord>,
    /// Who was reported to have arrived, in the order of their numbers.
    pub arrived: Vec<AgentId>,
    /// The state's hash after the tick.
    pub hash: u64,
}

/// What a tick was granted, in a form that can be granted again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GrantedBudget {
    /// [`Budget::Unlimited`].
    #[default]
    Unlimited,
    /// [`Budget::Expansions`].
    Expansions(u64),
    /// [`Budget::Rounds`], or as many as a check of the caller's ([`Budget::Until`]) let through.
    Rounds(u32),
}

impl GrantedBudget {
    /// The same again.
    pub const fn budget(self) -> Budget<'static> {
        match self {
            Self::Unlimited => Budget::Unlimited,
            Self::Expansions(limit) => Budget::Expansions(limit),
            Self::Rounds(rounds) => Budget::Rounds(rounds),
        }
    }

    /// What a budget grants; `None` when that is known only after the tick.
    pub(crate) const fn of(budget: &Budget<'_>) -> Option<Self> {
        match budget {
            Budget::Unlimited => Some(Self::Unlimited),
            Budget::Expansions(limit) => Some(Self::Expansions(*limit)),
            Budget::Rounds(rounds) => Some(Self::Rounds(*rounds)),
            Budget::Until(_) => None,
        }
    }
}

/// Where an agent heads for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetRecord {
    /// Who.
    pub agent: AgentId,
    /// The cell, if any.
    pub target: Option<Cell>,
    /// Whether the cell is its own: it may arrive there, and nobody else.
    pub claimed: bool,
}

/// Writes the ticks of a recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Written and not drained yet.
    bytes: Vec<u8>,
    /// The checksum so far.
    sum: u64,
    ticks: u64,
    /// The tick that is going on.
    tick: TickRecord,
    /// Whose targets were chosen since the last tick.
    retargeted: Vec<AgentId>,
    scratch: Vec<u8>,
}

impl Recorder {
    /// Begins with a snapshot.
    pub(crate) fn new(snapshot: &[u8]) -> Self {
        let mut bytes = MAGIC.to_vec();
        put(&mut bytes, VERSION);
        put_bytes(&mut bytes, snapshot);
        let sum = checksum(0, &bytes);
        put_fixed(&mut bytes, sum);
        Self {
            bytes,
            sum,
            ticks: 0,
            tick: TickRecord::default(),
            retargeted: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Appends a tick: its length, its content, and the checksum of all so far.
    pub(crate) fn append(&mut self, tick: &TickRecord) {
        self.scratch.clear();
        put_tick(&mut self.scratch, tick);
        put_bytes(&mut self.bytes, &self.scratch);
        self.sum = checksum(self.sum, &self.scratch);
        put_fixed(&mut self.bytes, self.sum);
        self.ticks += 1;
    }

    /// Marks the end: a tick without content, and the number of ticks.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.scratch.clear();
        put(&mut self.scratch, self.ticks);
        self.bytes.extend_from_slice(&self.scratch);
        put_fixed(&mut self.bytes, checksum(self.sum, &self.scratch));
        self.bytes
    }
}

fn put_tick(bytes: &mut Vec<u8>, tick: &TickRecord) {
    put(bytes, tick.inputs.len() as u64);
    for &input in &tick.inputs {
        put_input(bytes, input);
    }
    let (kind, limit) = match tick.granted {
        GrantedBudget::Unlimited => (0, 0),
        GrantedBudget::Expansions(limit) => (1, limit),
        GrantedBudget::Rounds(rounds) => (2, u64::from(rounds)),
    };
    bytes.push(kind);
    put(bytes, limit);
    put(bytes, u64::from(tick.rounds));
    put(bytes, tick.moves.len() as u64);
    let half = |step: &Option<Direction>| step.map_or(STAYS, Direction::number);
    bytes.extend(tick.moves.chunks(2).map(|pair| half(&pair[0]) | pair.get(1).map_or(STAYS, half) << 4));
    put(bytes, tick.targets.len() as u64);
    for chosen in &tick.targets {
        put(bytes, u64::from(chosen.agent.0));
        let target = chosen.target.map_or(0, |cell| u64::from(cell.0) + 1);
        put(bytes, target << 1 | u64::from(chosen.claimed));
    }
    put(bytes, tick.arrived.len() as u64);
    for agent in &tick.arrived {
        put(bytes, u64::from(agent.0));
    }
    put_fixed(bytes, tick.hash);
}

impl World {
    /// Records everything from now on. A recording that was going on is dropped.
    pub fn start_recording(&mut self) {
        self.recorder = Some(Box::new(Recorder::new(&self.snapshot())));
    }

    /// What has been recorded since this was last asked, for files that are written while the run goes on; `None` when
    /// nothing is being recorded.
    pub fn drain_recording(&mut self) -> Option<Vec<u8>> {
        self.recorder.as_mut().map(|recorder| std::mem::take(&mut recorder.bytes))
    }

    /// Ends the recording after the last whole tick and gives what was not drained; `None` when nothing is being
    /// recorded.
    pub fn finish_recording(&mut self) -> Option<Vec<u8>> {
        self.recorder.take().map(|recorder| recorder.finish())
    }

    /// Something was done to the world.
    pub(crate) fn record(&mut self, input: Input) {
        if let Some(recorder) = &mut self.recorder {
            recorder.tick.inputs.push(input);
        }
    }

    /// An agent's target was chosen.
    pub(crate) fn record_target(&mut self, agent: AgentId) {
        if let Some(recorder) = &mut self.recorder {
            recorder.retargeted.push(agent);
        }
    }

    /// The referee has spoken, and nobody has moved yet.
    pub(crate) fn record_moves(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        let size = self.grid.size();
        let step = |&agent: &AgentId| {
            let (from, to) = (self.agents.at[agent.index()], self.referee.next(agent));
            Direction::between(size.pos(from), size.pos(to))
        };
        recorder.tick.moves.clear();
        recorder.tick.moves.extend(self.agents.living.iter().map(step));
    }

    /// The tick is over.
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
            claimed: self.agents.claimed[agent.index()],
        }));
        tick.arrived.clear();
        tick.arrived.extend(events.iter().filter_map(|event| match event {
            Event::Arrived { agent } => Some(*agent),
            _ => None,
        }));
        tick.hash = self.state_hash();
        recorder.append(&tick);
        tick.inputs.clear();
        recorder.tick = tick;
        self.recorder = Some(recorder);
    }
}
