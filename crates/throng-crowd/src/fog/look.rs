//! When agents look around, and what follows from it for their targets.
//!
//! An agent looks around where it is spawned, after each step and relocation, and after an edit of the map. When its map
//! changes, its target is reviewed on the new map; when a shared map changes, all targets are.

use std::sync::Arc;

use throng_grid::{Ground, Pos};

use super::Sight;
use crate::{AgentId, AgentRow, Event, World, WorldError};

impl World {
    /// Returns the map as an agent knows it. Without fog that is the whole map.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("......."), MoveRules::default());
    /// let planner = planner("lra", &grid)?;
    /// let mut world = World::new(grid, planner, Settings::default().fog(Fog::radius(2)))?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.block(Pos::new(6, 0)); // out of sight
    /// let known = world.known_ground(agent)?;
    /// assert!(known.cell(Pos::new(6, 0)).is_some_and(|cell| known.is_free(cell)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn known_ground(&self, agent: AgentId) -> Result<&Ground, WorldError> {
        self.agents.row(agent).map(|row| self.view_ground(row))
    }

    /// Returns true if an agent has seen a position of the map, or any agent if they share a map. Without fog the whole
    /// map is known.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("......."), MoveRules::default());
    /// let planner = planner("lra", &grid)?;
    /// let mut world = World::new(grid, planner, Settings::default().fog(Fog::radius(2)))?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert!(world.has_seen(agent, Pos::new(2, 0))?);
    /// assert!(!world.has_seen(agent, Pos::new(3, 0))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn has_seen(&self, agent: AgentId, pos: Pos) -> Result<bool, WorldError> {
        let row = self.agents.row(agent)?;
        let knows = |knowledge: &super::Knowledge| knowledge.has_seen(row, pos);
        Ok(self.knowledge.as_deref().map_or(self.grid.size().contains(pos), knows))
    }

    /// Returns how far an agent sees.
    pub(crate) fn sight(&self, agent: AgentRow) -> Sight {
        Sight::new(self.grid.size(), self.agents.at[agent.index()], self.settings.fog)
    }

    /// Makes the cells around an agent known to it.
    pub(crate) fn look_around(&mut self, agent: AgentRow) {
        if let Some(knowledge) = &mut self.knowledge {
            let (profile, at) = (self.agents.profile[agent.index()], self.agents.at[agent.index()]);
            Arc::make_mut(knowledge).look(&self.grid, agent, profile, at, self.tick);
        }
    }

    /// Returns true if no agent would learn anything by looking around.
    pub(crate) fn agents_know_what_they_see(&mut self) -> bool {
        let revision = |world: &Self| world.knowledge.as_ref().map(|knowledge| knowledge.revision());
        let before = revision(self);
        self.look_after_edits();
        revision(self) == before
    }

    /// Drops the map of an agent that was removed.
    pub(crate) fn forget_map(&mut self, agent: AgentRow) {
        if let Some(knowledge) = &mut self.knowledge {
            Arc::make_mut(knowledge).forget(agent);
        }
    }

    /// After the moves of a tick: the agents that moved look around, and targets are reviewed.
    pub(crate) fn look_after_moves(&mut self, events: &[Event]) {
        if self.knowledge.is_none() {
            return;
        }
        for event in events {
            if let Event::Moved { agent, .. } = *event {
                self.look_around(AgentRow(agent.row()));
            }
        }
        self.review_known_targets();
    }

    /// After an edit of the map: all agents look around.
    pub(crate) fn look_after_edits(&mut self) {
        if self.knowledge.is_some() {
            for i in 0..self.agents.living.len() {
                self.look_around(self.agents.living[i]);
            }
        }
    }

    /// Has the target of an agent reviewed because it was displaced.
    pub(crate) fn review_after_displacement(&mut self, agent: AgentRow) {
        if let Some(knowledge) = &mut self.knowledge {
            Arc::make_mut(knowledge).due.push(agent);
        }
    }

    /// Reviews the targets of the agents whose map or position has changed, in the order of rows.
    pub(crate) fn review_known_targets(&mut self) {
        let Some(knowledge) = self.knowledge.as_mut().map(Arc::make_mut) else { return };
        let mut due = std::mem::take(&mut knowledge.due);
        if std::mem::take(&mut knowledge.all_due) {
            due.clear();
            due.extend_from_slice(&self.agents.living);
        }
        due.sort_unstable();
        due.dedup();
        for &agent in &due {
            if self.agents.is_alive(agent) {
                self.review_target(agent);
            }
        }
        due.clear();
        if let Some(knowledge) = self.knowledge.as_mut().map(Arc::make_mut) {
            knowledge.due = due;
        }
    }
}
