//! Playback of a recording, without its planner or with it.
//!
//! [`Recording::play`] restores the world from the snapshot, repeats the inputs and proposes the recorded moves in
//! place of the planner; waits and expansions, which only the planner knew, are missing. [`Recording::replan`] lets the
//! planner make all decisions again under the recorded budgets.

use std::fmt::Display;

use throng_grid::Grid;

use crate::planner::{NamedPlanner, Stationary};
use crate::world::tick::TickReport;
use crate::{Event, Recording, RestoreError, TickRecord, World, WorldError};

/// Why a recording cannot be played on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// The snapshot at its beginning cannot be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The world refuses a recorded input.
    #[error("before tick {tick}: {error}")]
    Input {
        /// The tick after the input.
        tick: u64,
        /// Why it is refused.
        error: WorldError,
    },
    /// The state differs from the recorded one.
    #[error("the state after tick {tick} differs from the recorded one")]
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
    /// True if the planner of the world decides, false if the recording does.
    replans: bool,
}

impl Recording {
    /// Plays the recorded moves from the beginning.
    ///
    /// # Errors
    /// If the world cannot be restored.
    pub fn play(&self) -> Result<Playback<'_>, PlaybackError> {
        let planner = NamedPlanner::new(self.planner_name(), Box::new(Stationary));
        let world = self.start.world(self.start.grid().map_err(RestoreError::from)?.into(), planner)?;
        Ok(Playback { recording: self, world, next: 0, replans: false })
    }

    /// Lets a planner decide again from the beginning, with its saved state, the recorded inputs and the recorded
    /// budgets. Each tick must lead to the recorded state.
    ///
    /// # Errors
    /// If the world cannot be restored, or the planner cannot be made or is another one; see [`World::restore`].
    pub fn replan<P: Into<NamedPlanner>, E: Display>(
        &self,
        planner: impl FnOnce(&str, &Grid) -> Result<P, E>,
    ) -> Result<Playback<'_>, PlaybackError> {
        let world = World::restore(self.snapshot(), planner)?;
        Ok(Playback { recording: self, world, next: 0, replans: true })
    }
}

impl Playback<'_> {
    /// Returns the world after the ticks played so far.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Applies the inputs before the next tick.
    pub(crate) fn prepare(&mut self) -> Result<(), PlaybackError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(()) };
        let number = self.world.ticks() + 1;
        for &input in &tick.inputs {
            self.world.apply(input).map_err(|error| PlaybackError::Input { tick: number, error })?;
        }
        Ok(())
    }

    /// Plays a tick; returns false if there is none left.
    ///
    /// # Errors
    /// If the world refuses an input, or the state differs from the recorded one.
    pub fn step(&mut self) -> Result<bool, PlaybackError> {
        let Some(tick) = self.recording.ticks.get(self.next) else { return Ok(false) };
        self.prepare()?;
        self.next += 1;
        let mut events = Vec::new();
        if self.replans {
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

    /// Moves the agents as recorded.
    fn follow(&mut self, tick: &TickRecord, events: &mut Vec<Event>) -> Result<(), PlaybackError> {
        self.world.begin_tick(Some(tick.granted), events);
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
        self.world.end_tick(
            tick.granted,
            TickReport { expansions: 0, backwards: 0, units: 0, rounds: tick.rounds },
            events,
        );
        Ok(())
    }
}
