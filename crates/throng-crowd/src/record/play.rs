//! Playing a recording again, without its planner.
//!
//! The world is restored from the snapshot, the inputs are done again, and the recorded moves are proposed in the
//! planner's place. What only the planner knew (who waited for whom, what it expanded) is not played. Or the planner
//! itself does it all again ([`Recording::replan`]), granted what it was granted then.

use crate::planner::{NamedPlanner, Stationary};
use crate::world::tick::TickReport;
use crate::{Event, Recording, RestoreError, TickRecord, World, WorldError};

/// Why a recording cannot be played further.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
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
    /// Whether the world's planner moves the agents, or the recording.
    plans: bool,
}

impl Recording {
    /// Plays from the beginning.
    ///
    /// # Errors
    /// When the world cannot be restored.
    pub fn play(&self) -> Result<Playback<'_>, PlaybackError> {
        let world = World::from_parts(self.start.clone(), Box::new(Stationary))?;
        Ok(Playback { recording: self, world, next: 0, plans: false })
    }

    /// Has a planner do the run again, from the beginning: it gets back what it had saved, the same inputs and the same
    /// budgets, and each tick has to lead to the state that was recorded.
    ///
    /// # Errors
    /// When the world cannot be restored, or the run was made with another planner.
    pub fn replan(&self, planner: impl Into<NamedPlanner>) -> Result<Playback<'_>, PlaybackError> {
        let world = World::restore(self.snapshot(), planner)?;
        Ok(Playback { recording: self, world, next: 0, plans: true })
    }
}

impl Playback<'_> {
    /// The world as it was after the ticks played so far: positions, goals, map.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Does what was done before the next tick.
    pub(crate) fn prepare(&mut self) -> Result<(), PlaybackError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(()) };
        let number = self.world.ticks() + 1;
        for &input in &tick.inputs {
            self.world.apply(input).map_err(|error| PlaybackError::Input { tick: number, error })?;
        }
        Ok(())
    }

    /// Plays a tick; `false` when there is none left.
    ///
    /// # Errors
    /// When the recording does not follow the rules or leads elsewhere than it says.
    pub fn step(&mut self) -> Result<bool, PlaybackError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(false) };
        self.prepare()?;
        self.next += 1;
        let mut events = Vec::new();
        if self.plans {
            self.world.tick(tick.granted.budget(), &mut events);
        } else {
            self.follow(tick, &mut events)?;
        }
        let number = self.world.ticks();
        if self.world.state_hash() == tick.hash {
            Ok(true)
        } else {
            Err(PlaybackError::Differs { tick: number })
        }
    }

    /// Moves everyone as recorded.
    fn follow(&mut self, tick: &TickRecord, events: &mut Vec<Event>) -> Result<(), PlaybackError> {
        self.world.intake(events);
        let number = self.world.ticks();
        if tick.moves.len() != self.world.agents().len() {
            return Err(PlaybackError::Differs { tick: number });
        }
        for (i, &step) in tick.moves.iter().enumerate() {
            let agent = self.world.agents.living[i];
            let size = self.world.grid.size();
            if let Some(direction) = step {
                let to = size.cell(size.pos(self.world.agents.at[agent.index()]) + direction);
                let to = to.ok_or(PlaybackError::Differs { tick: number })?;
                self.world.moves.go(agent, to);
            }
        }
        self.world.carry_out(
            tick.granted,
            TickReport { expansions: 0, backwards: 0, rounds: tick.rounds },
            events,
        );
        Ok(())
    }
}
