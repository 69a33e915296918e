//! What is known about one agent: where it is, where it goes, and whether it is there.

use throng_grid::Pos;

use crate::goals::arrival::Reported;
use crate::{AgentId, AgentRow, Settings, World, WorldError};

impl World {
    /// Returns the living agents, in the order of their rows.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let [a, b] = [world.spawn(AgentSpec::at(0, 0))?, world.spawn(AgentSpec::at(1, 0))?];
    /// assert_eq!(world.agents(), [a, b]);
    /// for &agent in world.agents() {
    ///     println!("{agent} at {}", world.position(agent)?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn agents(&self) -> &[AgentId] {
        &self.agents.living_ids
    }

    /// Returns the position of an agent: during a step the cell that it enters. [`World::motion`] returns both cells.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(3, 0))?;
    /// assert_eq!(world.position(agent)?, Pos::new(3, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn position(&self, agent: AgentId) -> Result<Pos, WorldError> {
        self.agents.row(agent).map(|row| self.pos(self.agents.at[row.index()]))
    }

    /// Returns the place that an agent was sent to, `None` if it has no goal.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture(".....#."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert_eq!(world.goal(agent)?, None);
    /// world.send(agent, Pos::new(6, 0))?; // behind a wall
    /// assert_eq!(world.goal(agent)?, Some(Pos::new(6, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn goal(&self, agent: AgentId) -> Result<Option<Pos>, WorldError> {
        self.agents.row(agent).map(|row| self.agents.goal[row.index()])
    }

    /// Returns the cell that an agent heads for: its goal or the reachable cell nearest to it, which other agents may
    /// share; near the goal, a cell of its own. `None` without a goal, or if no reachable cell is left.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture(".....#."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(6, 0))?; // behind a wall
    /// assert_eq!(world.target(agent)?, Some(Pos::new(4, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn target(&self, agent: AgentId) -> Result<Option<Pos>, WorldError> {
        let target = |row: AgentRow| self.agents.target[row.index()];
        self.agents.row(agent).map(|row| target(row).map(|cell| self.pos(cell)))
    }

    /// Returns true if an agent is in place: it stands on its own target, the step onto it is done, and it has not settled short of its goal.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// assert!(!world.has_arrived(agent)?);
    /// for _ in 0..4 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert!(world.has_arrived(agent)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn has_arrived(&self, agent: AgentId) -> Result<bool, WorldError> {
        self.agents.row(agent).map(|row| self.is_in_place(row))
    }

    /// Returns the number of steps on the map from an agent to its goal if it has settled short of it
    /// ([`Event::SettledShort`](crate::Event::SettledShort)) and has not gone on since, otherwise `None`.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.place_foreign(Pos::new(2, 0))?; // a cart blocks the corridor
    /// world.send(agent, Pos::new(5, 0))?;
    /// let mut events = Vec::new();
    /// while !matches!(events.last(), Some(Event::SettledShort { .. })) {
    ///     world.tick(Budget::Unlimited, &mut events);
    /// }
    /// assert_eq!(world.settled_short(agent)?, Some(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn settled_short(&self, agent: AgentId) -> Result<Option<u32>, WorldError> {
        let row = self.agents.row(agent)?;
        Ok(match self.agents.arrival[row.index()].reported {
            Reported::Short(distance) => Some(distance),
            Reported::No | Reported::InPlace => None,
        })
    }

    /// Returns the priority of an agent: [`World::set_priority`].
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert_eq!(world.priority(agent)?, 0);
    /// world.set_priority(agent, -5)?; // lets others pass
    /// assert_eq!(world.priority(agent)?, -5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn priority(&self, agent: AgentId) -> Result<i8, WorldError> {
        self.agents.row(agent).map(|row| self.agents.priority[row.index()])
    }

    /// Returns true if an agent holds its position: [`World::hold`].
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let sentry = world.spawn(AgentSpec::at(0, 0))?;
    /// assert!(!world.holds(sentry)?);
    /// world.hold(sentry, true)?;
    /// assert!(world.holds(sentry)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn holds(&self, agent: AgentId) -> Result<bool, WorldError> {
        self.agents.row(agent).map(|row| self.agents.holds[row.index()])
    }

    /// Returns the settings with which the world was created.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// let world = World::new(grid, planner, Settings::default().seed(7))?;
    /// assert_eq!(world.settings().seed, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Returns the value that the game gave an agent.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0).user(7))?; // for example an index into the game's own units
    /// assert_eq!(world.user(agent)?, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn user(&self, agent: AgentId) -> Result<u64, WorldError> {
        self.agents.row(agent).map(|row| self.agents.user[row.index()])
    }

    /// Returns the row of an agent, by which its planner knows it.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert_eq!(world.row(agent)?.index(), agent.index());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn row(&self, agent: AgentId) -> Result<AgentRow, WorldError> {
        self.agents.row(agent)
    }
}
