//! Edits of the map of a world.

use pyo3::prelude::*;
use throng::{Area, Classes, Pos, Terrain};

use super::World;
use crate::error::bad_value;

/// Returns the rectangle of two corners.
fn rect((left, top): (i32, i32), (right, bottom): (i32, i32)) -> Area {
    Area::rect(Pos::new(left, top), Pos::new(right, bottom))
}

#[pymethods]
impl World {
    /// Blocks the cells of a rectangle, both corners included, and returns how many were not blocked before. The next tick moves
    /// agents that stand on one to the nearest free cell.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> world.block((1, 0), (2, 0))
    /// 2
    fn block(&mut self, corner: (i32, i32), opposite: (i32, i32)) -> usize {
        self.world.block(rect(corner, opposite))
    }

    /// Reverts `block` and returns how many cells were blocked.
    fn unblock(&mut self, corner: (i32, i32), opposite: (i32, i32)) -> usize {
        self.world.unblock(rect(corner, opposite))
    }

    /// Blocks the cells of a disc and returns how many were not blocked before.
    fn block_disc(&mut self, centre: (i32, i32), radius: i32) -> usize {
        self.world.block(Area::disc(Pos::new(centre.0, centre.1), radius))
    }

    /// Unblocks the cells of a disc and returns how many were blocked.
    fn unblock_disc(&mut self, centre: (i32, i32), radius: i32) -> usize {
        self.world.unblock(Area::disc(Pos::new(centre.0, centre.1), radius))
    }

    /// Changes the terrain of a rectangle to a number as in `Map.terrain`, and returns how many cells had another one.
    fn set_terrain(&mut self, corner: (i32, i32), opposite: (i32, i32), terrain: usize) -> PyResult<usize> {
        let known = Terrain::ALL.get(terrain).copied();
        let terrain =
            known.ok_or_else(|| bad_value(format!("there is no terrain {terrain}: they are 0 to 6")))?;
        Ok(self.world.set_terrain(rect(corner, opposite), terrain))
    }

    /// Makes a rectangle a door that only agents of some passage classes may enter, one bit per class; all bits remove the
    /// door. Returns how many cells admitted other classes before.
    fn set_door(&mut self, corner: (i32, i32), opposite: (i32, i32), classes: u32) -> usize {
        self.world.set_door(rect(corner, opposite), Classes::from_bits(classes))
    }

    /// Makes a rectangle more expensive for agents of some passage classes: `extra` halves are added to the cost multiplier of
    /// the terrain. Returns how many cells had another value.
    fn set_cost(
        &mut self,
        corner: (i32, i32),
        opposite: (i32, i32),
        classes: u32,
        extra: u8,
    ) -> PyResult<usize> {
        let set = self.world.set_cost(rect(corner, opposite), Classes::from_bits(classes), extra);
        set.map_err(crate::error::refused)
    }
}
