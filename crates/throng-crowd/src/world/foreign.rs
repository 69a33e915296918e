//! Foreign units: obstacles of one cell that the game moves.

use throng_grid::{Cell, Pos};

use crate::world::input::{ForeignId, Input, WorldError};
use crate::{Occupant, World};

impl World {
    /// Puts a foreign unit on the map. It occupies its cell, and only the game moves it.
    ///
    /// # Errors
    /// If the position is outside the map or occupied.
    pub fn place_foreign(&mut self, at: Pos) -> Result<ForeignId, WorldError> {
        let cell = self.unoccupied(at)?;
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign.push(Some(cell));
        let unit = ForeignId(self.foreign.len() as u32 - 1);
        self.units_hash ^= super::hash::foreign(unit, cell);
        self.record(Input::PlaceForeign(at));
        Ok(unit)
    }

    /// Moves a foreign unit by any distance.
    ///
    /// # Errors
    /// If there is no such unit, or the position is outside the map or occupied.
    pub fn move_foreign(&mut self, unit: ForeignId, to: Pos) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        if self.grid.cell(to) == Some(from) {
            return Ok(());
        }
        let cell = self.unoccupied(to)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign[unit.0 as usize] = Some(cell);
        self.units_hash ^= super::hash::foreign(unit, from) ^ super::hash::foreign(unit, cell);
        self.record(Input::MoveForeign(unit, to));
        Ok(())
    }

    /// Removes a foreign unit from the map.
    ///
    /// # Errors
    /// If there is no such unit.
    pub fn remove_foreign(&mut self, unit: ForeignId) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.foreign[unit.0 as usize] = None;
        self.units_hash ^= super::hash::foreign(unit, from);
        self.record(Input::RemoveForeign(unit));
        Ok(())
    }

    fn foreign_at(&self, unit: ForeignId) -> Result<Cell, WorldError> {
        self.foreign.get(unit.0 as usize).copied().flatten().ok_or(WorldError::NoSuchForeign(unit))
    }

    /// Returns the cell at a position if it is unoccupied.
    pub(super) fn unoccupied(&self, at: Pos) -> Result<Cell, WorldError> {
        let cell = self.grid.cell(at).ok_or(WorldError::Outside(at))?;
        if self.occupancy.is_free(cell) { Ok(cell) } else { Err(WorldError::Occupied(at)) }
    }
}
