//! Foreign units: obstacles of one cell that the game moves.

use throng_grid::{Cell, Pos};

use crate::world::ids::{ForeignId, Found, Rows};
use crate::world::input::{Input, WorldError};
use crate::{Occupant, Unit, World};

/// The foreign units of a world, by row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ForeignUnits {
    pub(crate) rows: Rows,
    /// The cell of each unit; that of the last unit for a row without one.
    pub(crate) at: Vec<Cell>,
}

impl ForeignUnits {
    /// Adds a unit in the lowest free row.
    fn push(&mut self, at: Cell) -> ForeignId {
        let (row, generation) = self.rows.take();
        if row as usize == self.at.len() {
            self.at.push(at);
        }
        self.at[row as usize] = at;
        ForeignId::new(row, generation)
    }

    /// Returns the id of the unit in a row.
    pub(crate) fn id(&self, row: u32) -> ForeignId {
        ForeignId::new(row, self.rows.generation(row))
    }

    /// Returns the cell of a unit.
    pub(crate) fn at(&self, unit: ForeignId) -> Result<Cell, WorldError> {
        match self.rows.find(unit.row(), unit.generation()) {
            Found::Present => Ok(self.at[unit.index()]),
            Found::Removed => Err(WorldError::RemovedForeign(unit)),
            Found::Never => Err(WorldError::NoSuchForeign(unit)),
        }
    }

    /// Returns the units and their cells, in the order of their rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ForeignId, Cell)> {
        let taken = (0..).zip(&self.at).filter(|&(row, _)| self.rows.is_taken(row));
        taken.map(|(row, &at)| (self.id(row), at))
    }
}

impl World {
    /// Puts a foreign unit on the map. It occupies its cell, and only the game moves it.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let cart = world.place_foreign(Pos::new(2, 0))?;
    /// assert_eq!(world.occupant(Pos::new(2, 0)), Some(Unit::Foreign(cart)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the position is outside the map or occupied.
    pub fn place_foreign(&mut self, at: Pos) -> Result<ForeignId, WorldError> {
        let cell = self.unoccupied(at)?;
        let unit = self.foreign.push(cell);
        self.occupancy.set_foreign(cell, unit.row());
        self.units_hash ^= super::hash::foreign(unit, cell);
        self.record(Input::PlaceForeign(at));
        Ok(unit)
    }

    /// Moves a foreign unit by any distance.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let cart = world.place_foreign(Pos::new(2, 0))?;
    /// world.move_foreign(cart, Pos::new(3, 0))?;
    /// assert_eq!(world.foreign_position(cart)?, Pos::new(3, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such unit, or the position is outside the map or occupied.
    pub fn move_foreign(&mut self, unit: ForeignId, to: Pos) -> Result<(), WorldError> {
        let from = self.foreign.at(unit)?;
        if self.grid.cell(to) == Some(from) {
            return Ok(());
        }
        let cell = self.unoccupied(to)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.occupancy.set_foreign(cell, unit.row());
        self.foreign.at[unit.index()] = cell;
        self.units_hash ^= super::hash::foreign(unit, from) ^ super::hash::foreign(unit, cell);
        self.record(Input::MoveForeign(unit, to));
        Ok(())
    }

    /// Removes a foreign unit from the map.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let cart = world.place_foreign(Pos::new(2, 0))?;
    /// world.remove_foreign(cart)?;
    /// assert_eq!(world.occupant(Pos::new(2, 0)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such unit.
    pub fn remove_foreign(&mut self, unit: ForeignId) -> Result<(), WorldError> {
        let from = self.foreign.at(unit)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.foreign.rows.free(unit.row());
        self.units_hash ^= super::hash::foreign(unit, from);
        self.record(Input::RemoveForeign(unit));
        Ok(())
    }

    /// Returns the position of a foreign unit.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let cart = world.place_foreign(Pos::new(2, 0))?;
    /// assert_eq!(world.foreign_position(cart)?, Pos::new(2, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such unit.
    pub fn foreign_position(&self, unit: ForeignId) -> Result<Pos, WorldError> {
        self.foreign.at(unit).map(|at| self.pos(at))
    }

    /// Returns the foreign units, in the order of their rows.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let carts = [world.place_foreign(Pos::new(2, 0))?, world.place_foreign(Pos::new(4, 0))?];
    /// assert!(world.foreign_units().eq(carts));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn foreign_units(&self) -> impl Iterator<Item = ForeignId> {
        self.foreign.iter().map(|(unit, _)| unit)
    }

    /// Returns the unit in a cell of the map.
    pub(crate) fn unit_at(&self, cell: Cell) -> Option<Unit> {
        match self.occupancy.at(cell) {
            Occupant::Nobody => None,
            Occupant::Agent(agent) => Some(Unit::Agent(self.agents.id(agent))),
            Occupant::Foreign => {
                self.occupancy.foreign_row(cell).map(|row| Unit::Foreign(self.foreign.id(row)))
            }
        }
    }

    /// Returns the cell at a position if it is unoccupied.
    pub(super) fn unoccupied(&self, at: Pos) -> Result<Cell, WorldError> {
        let cell = self.grid.cell(at).ok_or(WorldError::Outside(at))?;
        if self.occupancy.is_free(cell) { Ok(cell) } else { Err(WorldError::Occupied(at)) }
    }
}
