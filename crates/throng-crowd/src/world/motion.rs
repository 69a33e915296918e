//! Motion: where an agent is between two cells, for rendering.

use throng_grid::Pos;

use crate::{AgentId, World, WorldError};

/// The step that an agent made or went on with in the last tick. An agent that did neither is at rest: `from` equals `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Motion {
    /// The cell that the agent leaves.
    pub from: Pos,
    /// The cell that it enters, which is its [`World::position`].
    pub to: Pos,
    /// The tick in which the step began; the last tick if the agent is at rest.
    pub start: u64,
    /// The number of ticks that the step lasts; 1 if the agent is at rest.
    pub ticks: u32,
    /// The last tick of the world.
    pub now: u64,
}

impl Motion {
    /// Returns the fraction of the step that is done, from 0 to 1, at a fraction of the last tick: 0 is its beginning, 1 its
    /// end.
    pub fn fraction(&self, fraction_of_tick: f32) -> f32 {
        let before = (self.now - self.start) as f32;
        ((before + fraction_of_tick.clamp(0.0, 1.0)) / self.ticks as f32).clamp(0.0, 1.0)
    }

    /// Returns where the middle of the agent is, in cells, at a fraction of the last tick.
    pub fn at(&self, fraction_of_tick: f32) -> (f32, f32) {
        let done = self.fraction(fraction_of_tick);
        let between = |from: i32, to: i32| from as f32 + (to - from) as f32 * done;
        (between(self.from.x, self.to.x), between(self.from.y, self.to.y))
    }
}

impl World {
    /// Returns the step that an agent made or went on with in the last tick.
    ///
    /// A renderer that draws several frames per tick shows the last tick while the next one passes: it calls [`Motion::at`]
    /// with the fraction of a tick's time that has passed since [`World::tick`] returned. Then no sprite jumps, except
    /// those of agents that the game or an edit moved without a step.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0).speed(2))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// // A frame in the middle of the first of the two ticks that the step lasts.
    /// assert_eq!(world.motion(agent)?.at(0.5), (0.25, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn motion(&self, agent: AgentId) -> Result<Motion, WorldError> {
        let i = self.agents.row(agent)?.index();
        let (to, last) = (self.pos(self.agents.at[i]), self.agents.last_step[i]);
        if last.ticks == 0 || self.agents.ready[i] <= self.tick {
            return Ok(Motion { from: to, to, start: self.tick, ticks: 1, now: self.tick });
        }
        let start = self.agents.ready[i] - u64::from(last.ticks);
        Ok(Motion { from: self.pos(last.from), to, start, ticks: last.ticks, now: self.tick })
    }
}
