//! Prices of steps: what a step counts beside its cost, so that paths lead around cells where agents lose time.
//!
//! They are directed: a step into a stream that comes the other way may have a price, and the step back none.

use std::sync::Arc;

use throng_grid::{Cell, Direction, Ground};

use super::{SectorGuide, Units};

/// The price of each step, in sixteenths of a straight step on the cheapest terrain. Copies share them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepPrices {
    /// By cell, then by the number of the direction; empty if no step has a price.
    by_cell: Arc<Vec<[u8; 8]>>,
}

impl StepPrices {
    /// The price of a straight step.
    pub const STRAIGHT: u32 = 16;

    /// Returns the prices of the steps from each cell, by direction.
    pub fn new(by_cell: Vec<[u8; 8]>) -> Self {
        let has_prices = by_cell.iter().any(|prices| *prices != [0; 8]);
        Self { by_cell: Arc::new(if has_prices { by_cell } else { Vec::new() }) }
    }

    /// Returns true if no step has a price.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.by_cell.is_empty()
    }

    /// Returns the prices of the steps from each cell, by direction; nothing if no step has one.
    pub fn by_cell(&self) -> &[[u8; 8]] {
        &self.by_cell
    }

    /// Returns true if the steps from each cell, by direction, have these prices.
    pub fn is_same(&self, by_cell: &[[u8; 8]]) -> bool {
        if self.is_empty() {
            by_cell.iter().all(|prices| *prices == [0; 8])
        } else {
            *self.by_cell == by_cell
        }
    }

    /// Returns the price of a step.
    #[inline]
    pub fn price(&self, from: Cell, direction: Direction) -> u32 {
        self.by_cell.get(from.index()).map_or(0, |prices| u32::from(prices[usize::from(direction.number())]))
    }

    /// Returns the price of a step in the unit of distances.
    #[inline]
    pub(super) fn distance(&self, from: Cell, direction: Direction, units: Units) -> u32 {
        self.price(from, direction) * units.straight() / Self::STRAIGHT
    }

    /// Returns the largest price in the unit of distances.
    pub(super) fn most(&self, units: Units) -> u32 {
        if self.is_empty() { 0 } else { u32::from(u8::MAX) * units.straight() / Self::STRAIGHT }
    }
}

impl SectorGuide {
    /// Returns the prices that all fields count.
    pub fn prices(&self) -> &StepPrices {
        &self.prices
    }

    /// Returns the price of a step in the unit of distances.
    #[inline]
    pub fn price(&self, from: Cell, direction: Direction) -> u32 {
        if self.prices.is_empty() { 0 } else { self.prices.distance(from, direction, self.units) }
    }

    /// Computes all fields and edges again with other prices. No field may be missing. Rows must be computed again. Returns the number of expansions.
    pub fn set_prices(&mut self, ground: &Ground, prices: StepPrices) -> u64 {
        self.prices = prices;
        let mut expansions = 0;
        for sector in 0..self.sectors() as u32 {
            self.drop_fields(&[sector]);
            expansions += self.fill_sector(ground, sector, true);
        }
        self.connect();
        expansions
    }

    /// Returns the number of cells of the map.
    pub fn cells(&self) -> usize {
        self.labels.len()
    }

    /// Returns the number of fields, and that of the cells that they have together.
    pub fn field_cells(&self) -> (u64, u64) {
        let cells = |sector: u32| {
            let (min, max) = self.rectangle(sector, self.side());
            ((max.x - min.x + 1) * (max.y - min.y + 1)) as u64 * self.sector_parts(sector).len() as u64
        };
        (self.parts() as u64, (0..self.sectors() as u32).map(cells).sum())
    }
}
