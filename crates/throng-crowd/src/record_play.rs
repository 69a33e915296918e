//! Playing a recording again, without its planner.
//!
//! The world is restored from the snapshot, the inputs are done again, and the recorded moves are proposed in the
//! planner's place. What only the planner knew (who waited for whom, what it expanded) is not played.

use crate::planner::Nobody;
use crate::tick::TickReport;
use crate::{Recording, RestoreError, World, WorldError};

/// Why a recording cannot be played further.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// Its beginning cannot be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// Something was recorded that cannot be done.
    #[error("before tick {tick}: {error}")]
    Input {
        /// The tick that it was done before.
        tick: u64,
        /// Why it cannot be done.
        error: WorldError,
    },
    /// The state is not the one that was recorded.
    #[error("tick {tick} leads to another state than was recorded")]
    Differs {
        /// The tick.
        tick: u64,
    },
}

/// A recording that is being played.
#[derive(Debug)]
pub struct Playback<'a> {
    recording: &'a Recording,
    world: World,
    next: usize,
}

impl Recording {
    /// Plays from the beginning.
    ///
    /// # Errors
    /// When the world cannot be restored.
    pub fn play(&self) -> Result<Playback<'_>, PlayError> {
        let world = World::from_parts(self.start.clone(), Box::new(Nobody))?;
        Ok(Playback { recording: self, world, next: 0 })
    }
}

impl Playback<'_> {
    /// The world as it was after the ticks played so far: positions, goals, map.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Does what was done before the next tick.
    pub(crate) fn prepare(&mut self) -> Result<(), PlayError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(()) };
        let number = self.world.ticks() + 1;
        for &input in &tick.inputs {
            self.world.apply(input).map_err(|error| PlayError::Input { tick: number, error })?;
        }
        Ok(())
    }

    /// Plays a tick; `false` when there is none left.
    ///
    /// # Errors
    /// When the recording does not follow the rules or leads elsewhere than it says.
    pub fn step(&mut self) -> Result<bool, PlayError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(false) };
        self.prepare()?;
        self.next += 1;
        let mut events = Vec::new();
        self.world.intake(&mut events);
        let number = self.world.ticks();
        if tick.moves.len() != self.world.agents().len() {
            return Err(PlayError::Differs { tick: number });
        }
        for (i, &step) in tick.moves.iter().enumerate() {
            let agent = self.world.agents.living[i];
            let size = self.world.grid.size();
            if let Some(direction) = step {
                let to = size.cell(size.pos(self.world.agents.at[agent.index()]) + direction);
                let to = to.ok_or(PlayError::Differs { tick: number })?;
                self.world.moves.go(agent, to);
            }
        }
        self.world.carry_out(TickReport { expansions: 0, rounds: tick.rounds }, &mut events);
        if self.world.state_hash() == tick.hash { Ok(true) } else { Err(PlayError::Differs { tick: number }) }
    }
}
