//! Units that are not ours: they hold cells and move as the game says.

use throng_grid::{Cell, Pos};

use crate::world::input::{ForeignId, Input, WorldError};
use crate::{Occupant, World};

impl World {
    /// Puts a unit on the map that is not ours: it occupies its cell and moves as the game says.
    ///
    /// # Errors
    /// When the place is outside or occupied.
    pub fn place_foreign(&mut self, at: Pos) -> Result<ForeignId, WorldError> {
        let cell = self.room(at)?;
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign.push(Some(cell));
        let unit = ForeignId(self.foreign.len() as u32 - 1);
        self.hash ^= crate::world::hash::foreign(unit, cell);
        self.record(Input::PlaceForeign(at));
        Ok(unit)
    }

    /// Moves a foreign unit, any distance.
    ///
    /// # Errors
    /// When there is no such unit, or the place is outside or occupied.
    pub fn move_foreign(&mut self, unit: ForeignId, to: Pos) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        if self.grid.cell(to) == Some(from) {
            return Ok(());
        }
        let cell = self.room(to)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign[unit.0 as usize] = Some(cell);
        self.hash ^= crate::world::hash::foreign(unit, from) ^ crate::world::hash::foreign(unit, cell);
        self.record(Input::MoveForeign(unit, to));
        Ok(())
    }

    /// Takes a foreign unit off the map.
    ///
    /// # Errors
    /// When there is no such unit.
    pub fn remove_foreign(&mut self, unit: ForeignId) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.foreign[unit.0 as usize] = None;
        self.hash ^= crate::world::hash::foreign(unit, from);
        self.record(Input::RemoveForeign(unit));
        Ok(())
    }

    fn foreign_at(&self, unit: ForeignId) -> Result<Cell, WorldError> {
        self.foreign.get(unit.0 as usize).copied().flatten().ok_or(WorldError::NoSuchForeign(unit))
    }

    /// A cell inside the map that nobody holds.
    fn room(&self, at: Pos) -> Result<Cell, WorldError> {
        let cell = self.grid.cell(at).ok_or(WorldError::Outside(at))?;
        if self.occupancy.is_free(cell) { Ok(cell) } else { Err(WorldError::Occupied(at)) }
    }
}
