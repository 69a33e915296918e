//! Edits of the map between two ticks: walls, terrain, doors, cost overlays.

use std::sync::Arc;

use throng_grid::{Area, Classes, Terrain};

use crate::{Input, World, WorldError};

impl World {
    /// Blocks cells and returns how many were not blocked before. The next tick moves an agent that stands on one to
    /// the nearest free cell and emits an [`Event::Displaced`](crate::Event::Displaced). If there is none, the agent
    /// stays inside the wall until a cell is unblocked.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(2, 0))?;
    /// assert_eq!(world.block(Area::rect(Pos::new(1, 0), Pos::new(2, 0))), 2);
    /// let mut events = Vec::new();
    /// world.tick(Budget::Unlimited, &mut events);
    /// let (from, to) = (Pos::new(2, 0), Pos::new(3, 0));
    /// assert!(events.contains(&Event::Displaced { agent, from, to }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Block(area));
        Arc::make_mut(&mut self.grid).block(area)
    }

    /// Reverts [`World::block`] and returns how many cells were blocked.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let gate = Pos::new(2, 0);
    /// world.block(gate);
    /// assert_eq!(world.unblock(gate), 1);
    /// assert_eq!(world.unblock(gate), 0); // it was open
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Unblock(area));
        Arc::make_mut(&mut self.grid).unblock(area)
    }

    /// Changes terrain and returns how many cells had another terrain.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let flood = Area::disc(Pos::new(2, 0), 1);
    /// assert_eq!(world.set_terrain(flood, Terrain::Water), 3);
    /// assert!(world.spawn(AgentSpec::at(2, 0)).is_err(), "walkers cannot enter water");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        let area = area.into();
        self.record(Input::SetTerrain(area, terrain));
        Arc::make_mut(&mut self.grid).set_terrain(area, terrain)
    }

    /// Makes cells a door that only agents of some passage classes may enter
    /// ([`Profile::class`](throng_grid::Profile::class)), and returns how many cells admitted other classes before. For all
    /// others it is like [`World::block`]: the next tick moves them off it. [`Classes::ALL`] removes the door.
    ///
    /// ```
    /// use throng::prelude::*;
    ///
    /// let mut grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// let red = grid.add_profile(Profile::WALKER.with_class(1).ok_or("classes are 0 to 31")?);
    /// let planner = planner("surge", &grid)?;
    /// let mut world = World::new(grid, planner, Settings::default())?;
    ///
    /// let gate = Pos::new(2, 0);
    /// world.set_door(gate, Classes::only(1));
    /// assert!(world.spawn(AgentSpec::at(2, 0)).is_err());
    /// assert!(world.spawn(AgentSpec::at(2, 0).profile(red)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_door(&mut self, area: impl Into<Area>, allowed: Classes) -> usize {
        let area = area.into();
        self.record(Input::SetDoor(area, allowed));
        Arc::make_mut(&mut self.grid).set_door(area, allowed)
    }

    /// Makes cells more expensive for agents of some passage classes, such as cells in danger or in a traffic jam: `extra`
    /// halves are added to the cost multiplier of the terrain until the next call for the same classes; 0 takes it back.
    /// Returns how many cells had another value. See [`Grid::set_cost`](throng_grid::Grid::set_cost).
    ///
    /// Agents take another route if it is cheaper now. Nothing is forbidden, and steps take no longer. Agents that know only what
    /// they have seen learn of it when they see the cells.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let map = ".....
    /// #     .....
    /// #     .....";
    /// # let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 1))?;
    /// world.set_cost(Area::disc(Pos::new(2, 1), 1), Classes::ALL, 6)?; // danger: four times the cost
    /// world.send(agent, Pos::new(4, 1))?;
    /// for _ in 0..6 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert!(world.has_arrived(agent)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `extra` is too high, or too many sets of classes have an overlay.
    pub fn set_cost(
        &mut self,
        area: impl Into<Area>,
        classes: Classes,
        extra: u8,
    ) -> Result<usize, WorldError> {
        let area = area.into();
        let count = Arc::make_mut(&mut self.grid).set_cost(area, classes, extra)?;
        if self.grid.layers().had_overlay
            && let Some(knowledge) = &mut self.knowledge
        {
            Arc::make_mut(knowledge).expect_overlays();
        }
        self.record(Input::SetCost(area, classes, extra));
        Ok(count)
    }
}
