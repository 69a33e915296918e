//! What lies over the terrain of a grid beside blocked cells: doors, which only some passage classes may enter, and cost
//! overlays, which make cells more expensive for some classes.
//!
//! Both are lists by cell that are empty until they are used, so a map without doors and overlays pays nothing for them.

use crate::{Cell, Classes, Profile};

/// Why a cost overlay is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverlayError {
    /// The value is too high.
    #[error("an overlay adds at most {max} halves to the cost of a cell, not {extra}", max = Profile::MAX_HALVES)]
    TooHigh {
        /// The value.
        extra: u8,
    },
    /// There are too many overlays.
    #[error(
        "a grid has cost overlays for at most {} different sets of classes: clear one before adding another",
        Layers::MAX_OVERLAYS
    )]
    TooMany,
}

/// The extra cost of each cell for a set of passage classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CostOverlay {
    /// The classes for which it counts.
    pub classes: Classes,
    /// Per cell, the halves added to its cost multiplier.
    pub extra: Vec<u8>,
}

/// The doors and cost overlays of a grid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layers {
    /// Per cell, the classes that may enter it; empty if every cell admits all classes.
    pub doors: Vec<Classes>,
    /// The overlays, in the order of their sets of classes. None is zero everywhere.
    pub overlays: Vec<CostOverlay>,
    /// True if the grid has or had an overlay. Costs may be up to [`Profile::MAX_HALVES`] from then on, which bounds that
    /// depend on the costliest terrain need to know.
    pub had_overlay: bool,
}

impl Layers {
    /// The maximum number of different sets of classes that have an overlay.
    pub const MAX_OVERLAYS: usize = 8;

    /// Returns true if the layers are those of a map with this number of cells.
    pub(crate) fn fit(&self, cells: usize) -> bool {
        let is_sorted = self.overlays.is_sorted_by(|a, b| a.classes < b.classes);
        let fits = |overlay: &CostOverlay| {
            let has_cost = overlay.extra.iter().any(|&extra| extra > 0);
            let is_low = overlay.extra.iter().all(|&extra| extra <= Profile::MAX_HALVES);
            overlay.extra.len() == cells && has_cost && is_low && overlay.classes != Classes::NONE
        };
        (self.doors.is_empty() || self.doors.len() == cells)
            && self.overlays.len() <= Self::MAX_OVERLAYS
            && is_sorted
            && self.overlays.iter().all(fits)
            && (self.had_overlay || self.overlays.is_empty())
    }

    /// Returns the classes that may enter a cell.
    #[inline]
    pub(crate) fn door(&self, cell: Cell) -> Classes {
        self.doors.get(cell.index()).copied().unwrap_or(Classes::ALL)
    }

    /// Returns the halves that all overlays together add to a cell for a class.
    #[inline]
    pub(crate) fn extra(&self, class: u8, cell: Cell) -> u8 {
        let of_class = self.overlays.iter().filter(|overlay| overlay.classes.contains(class));
        of_class.fold(0, |sum, overlay| overlay.extra[cell.index()].saturating_add(sum))
    }

    /// Sets the classes that may enter a cell. Returns true if they were others before.
    pub(crate) fn set_door(&mut self, cells: usize, cell: Cell, allowed: Classes) -> bool {
        if self.doors.is_empty() {
            if allowed == Classes::ALL {
                return false;
            }
            self.doors = vec![Classes::ALL; cells];
        }
        std::mem::replace(&mut self.doors[cell.index()], allowed) != allowed
    }

    /// Returns the index of the overlay for a set of classes, which is added if it is missing.
    pub(crate) fn overlay(&mut self, cells: usize, classes: Classes) -> Result<usize, OverlayError> {
        let place = self.overlays.partition_point(|overlay| overlay.classes < classes);
        if self.overlays.get(place).is_none_or(|overlay| overlay.classes != classes) {
            if self.overlays.len() == Self::MAX_OVERLAYS {
                return Err(OverlayError::TooMany);
            }
            self.overlays.insert(place, CostOverlay { classes, extra: vec![0; cells] });
        }
        Ok(place)
    }

    /// Removes the door and all costs from a cell.
    pub(crate) fn clear_cell(&mut self, cell: Cell) {
        if let Some(door) = self.doors.get_mut(cell.index()) {
            *door = Classes::ALL;
        }
        for overlay in &mut self.overlays {
            overlay.extra[cell.index()] = 0;
        }
    }

    /// Drops overlays that are zero everywhere, and the doors if there are none.
    pub(crate) fn trim(&mut self) {
        self.overlays.retain(|overlay| overlay.extra.iter().any(|&extra| extra > 0));
        if self.doors.iter().all(|&allowed| allowed == Classes::ALL) {
            self.doors = Vec::new();
        }
    }

    /// Copies the doors and overlays of a cell from another map of the same size.
    pub(crate) fn copy_cell(&mut self, cells: usize, from: &Self, cell: Cell) {
        self.set_door(cells, cell, from.door(cell));
        for overlay in &mut self.overlays {
            let same = from.overlays.iter().find(|other| other.classes == overlay.classes);
            overlay.extra[cell.index()] = same.map_or(0, |other| other.extra[cell.index()]);
        }
        for overlay in from.overlays.iter().filter(|overlay| overlay.extra[cell.index()] > 0) {
            let place = self.overlays.partition_point(|other| other.classes < overlay.classes);
            if self.overlays.get(place).is_none_or(|other| other.classes != overlay.classes) {
                let blank = CostOverlay { classes: overlay.classes, extra: vec![0; cells] };
                self.overlays.insert(place, blank);
            }
            self.overlays[place].extra[cell.index()] = overlay.extra[cell.index()];
        }
        self.had_overlay |= from.had_overlay;
    }
}
