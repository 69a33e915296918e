//! Sector guide: distances to any target from anywhere, from local fields around the waypoints of sectors and distances
//! between the waypoints.
//!
//! The map is cut into square sectors. Each connected part of a sector has a *waypoint*, the cell nearest to its centre,
//! and a [`LocalField`]: the exact distances to the waypoint in the sector and the eight around it. Waypoints in each
//! other's fields are joined by an edge, and a *row* holds the distances of all waypoints to one part over these edges. The
//! distance of a cell is estimated by the best waypoint: `min over w of field(w, cell) + row(w)`. An agent heads for the waypoint `w`
//! that is best in its cell, and chooses again when it enters another sector. Small pieces of a sector belong to the part of a
//! piece beside them (`parts.rs`).
//!
//! The estimate falls with every step down the field of the best waypoint. At a waypoint itself its successor in the row
//! is as good, so agents never stop there, and by the triangle inequality the best waypoint is one far ahead. So there
//! is no local minimum, and paths are near to shortest ones: agents do not pass through waypoints but round the walls between
//! here and there.
//!
//! Fields depend on the map alone and are shared by all agents. An edit concerns the sectors that it changes and those
//! around them. Flow-field tiles of published games share fields per sector and exit in the same spirit (E. Emerson,
//! *Crowd Pathfinding and Steering Using Flow Field Tiles*, Game AI Pro, 2013); fields that overlap, a distance per
//! waypoint and the choice by their sum are ours.

mod local_field;
mod parts;
mod pieces;
mod row_sweep;
mod rows;
mod step_prices;

use std::sync::Arc;

use throng_grid::{Cell, Cost, Ground, Pos};

use local_field::{FieldSweep, Units};
pub use local_field::{LocalField, NO_DISTANCE};
use pieces::{Piece, SectorBits};
use rows::Edges;
pub use rows::{RowRepair, RowState, SectorWindow, WindowLayout};
pub use step_prices::StepPrices;

use crate::distance_sweep::{DistanceSweep, UNREACHED};
use crate::scratch::Scratch;
use crate::square_grid::{NodeNumbers, SquareChanges, sorted};

/// The least side of a sector. A power of two. Smaller sectors have better paths and longer rows: with 8, paths are 1.005 instead of 1.010 times
/// the shortest on StarCraft maps, and rows four times as long.
const MIN_SIDE: u32 = 16;
/// Larger maps have larger sectors: at most this many. On a map of 2048×2048 cells sectors of 32 cells instead of 16 would have a quarter of the
/// parts, and fields of targets that cost four times as much, of which every agent needs one.
const MAX_SECTORS: usize = 65_536;
/// No part: the origin of a part that is new.
pub const NO_PART: u32 = u32::MAX;

/// The guide for one ground. Copies share what follows from the map until one of them is updated.
#[derive(Clone, Debug)]
pub struct SectorGuide {
    changes: SquareChanges,
    units: Units,
    /// The number of each cell's piece within its sector; `u16::MAX` for cells that are not free.
    labels: Arc<Vec<u16>>,
    /// By sector: its connected pieces.
    pieces: Arc<Vec<Vec<Piece>>>,
    /// By sector: the hash of the moves for which it was labelled.
    shapes: Vec<u64>,
    /// By sector: the number of its first piece.
    first_piece: Vec<u32>,
    /// By piece: its part.
    part_of_piece: Vec<u32>,
    numbers: NodeNumbers,
    parts: Vec<Part>,
    /// The sectors whose fields are missing, in order.
    pending: Vec<u32>,
    edges: Arc<Edges>,
    fields: Scratch<FieldSweep>,
    rows: Scratch<DistanceSweep>,
    bits: Scratch<SectorBits>,
    restored: Option<SavedGuide>,
    /// What all fields count beside the costs of steps.
    prices: StepPrices,
}

/// A connected piece of a sector with a waypoint, and the small pieces that it hosts.
#[derive(Clone, Debug, Default)]
struct Part {
    waypoint: Pos,
    /// The distances to the waypoint; empty if they are missing.
    field: LocalField,
}

/// What an edit has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuideChange {
    /// By part: its number before; [`NO_PART`] if the part is new.
    pub origins: Vec<u32>,
    /// The sectors that changed, in order.
    pub sectors: Vec<u32>,
}

/// What must be saved of a guide. Fields follow from the map.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedGuide {
    /// By sector: a hash of its cells and of which pieces are hosted.
    pub hashes: Vec<u64>,
    /// By sector: the number of its parts.
    pub parts: Vec<u16>,
    /// The sectors whose fields are missing.
    pub pending: Vec<u32>,
}

impl SectorGuide {
    /// Returns a guide for a ground whose fields are all missing: [`SectorGuide::compute_sector`] computes them.
    pub fn new(ground: &Ground) -> Self {
        let mut side = MIN_SIDE;
        while ground.size().width().div_ceil(side) as usize * ground.size().height().div_ceil(side) as usize
            > MAX_SECTORS
        {
            side *= 2;
        }
        let mut guide = Self {
            changes: SquareChanges::new(side),
            units: Units::new(ground, side),
            labels: Arc::default(),
            pieces: Arc::default(),
            shapes: Vec::new(),
            first_piece: Vec::new(),
            part_of_piece: Vec::new(),
            numbers: NodeNumbers::default(),
            parts: Vec::new(),
            pending: Vec::new(),
            edges: Arc::default(),
            fields: Scratch::default(),
            rows: Scratch::default(),
            bits: Scratch::default(),
            restored: None,
            prices: StepPrices::default(),
        };
        guide.update(ground);
        guide
    }

    /// Updates the parts to the current state of the ground, after an edit or loading. The fields in and around the sectors
    /// that changed are missing then. Returns what has changed; `None` if nothing has.
    pub fn update(&mut self, ground: &Ground) -> Option<GuideChange> {
        let restored = self.restored.take();
        if !self.changes.refresh(ground) && restored.is_none() {
            return None;
        }
        let before = restored.as_ref().map_or_else(|| self.part_counts(), |saved| saved.parts.clone());
        // The first cost overlay changes the unit. It also changes the kind of the ground, and with it all sectors.
        self.units = Units::new(ground, self.changes.squares.side() as u32);
        let stale = std::mem::take(&mut self.changes.stale);
        let mut changed = self.relabel(ground, stale);
        self.drop_fields(&self.changes.squares.with_neighbours(&changed));
        if let Some(saved) = restored {
            // What changed since the state was saved. Everything else is as it was then, whatever this guide was made for.
            let (hashes, parts) = (self.sector_hashes(), self.part_counts());
            let is_same =
                |i: usize| saved.hashes.get(i) == Some(&hashes[i]) && saved.parts.get(i) == Some(&parts[i]);
            changed = (0..hashes.len()).filter(|&i| !is_same(i)).map(|i| i as u32).collect();
            self.pending = saved.pending;
        }
        self.pending.extend(self.changes.squares.with_neighbours(&changed));
        self.pending = sorted(std::mem::take(&mut self.pending));
        self.drop_fields(&self.pending.clone());
        for sector in 0..self.changes.squares.count() as u32 {
            if self.pending.binary_search(&sector).is_err() {
                self.fill_sector(ground, sector, false);
            }
        }
        if self.pending.is_empty() {
            self.connect();
        }
        (!changed.is_empty())
            .then(|| GuideChange { origins: self.origins(&before, &changed), sectors: changed })
    }

    /// Returns the number before of each part, given how many parts each sector had.
    fn origins(&self, before: &[u16], changed: &[u32]) -> Vec<u32> {
        let (mut origins, mut first) = (Vec::with_capacity(self.parts.len()), 0);
        for (sector, count) in self.part_counts().into_iter().enumerate() {
            let before = before.get(sector).copied().unwrap_or(0);
            let is_same = before == count && changed.binary_search(&(sector as u32)).is_err();
            origins.extend((0..u32::from(count)).map(|part| if is_same { first + part } else { NO_PART }));
            first += u32::from(before);
        }
        origins
    }

    /// Returns true if the guide is that of the current state of the ground: an update would change nothing.
    pub fn is_current(&self, ground: &Ground) -> bool {
        self.restored.is_none() && self.changes.is_current(ground)
    }

    /// Returns the number of sectors whose fields are missing.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Returns the number of cells that the fields of the next missing sector have together; 0 if none is missing.
    pub fn next_cells(&self) -> u64 {
        let Some(&sector) = self.pending.first() else { return 0 };
        let (min, max) = self.rectangle(sector, self.side());
        let parts = self.sector_parts(sector);
        ((max.x - min.x + 1) * (max.y - min.y + 1)) as u64 * parts.len() as u64
    }

    /// Computes the missing fields of one sector, and the edges with the last one. Returns the number of expansions.
    pub fn compute_sector(&mut self, ground: &Ground) -> u64 {
        let Some(&sector) = self.pending.first() else { return 0 };
        self.pending.remove(0);
        let expansions = self.fill_sector(ground, sector, true);
        if self.pending.is_empty() {
            self.connect();
        }
        expansions
    }

    /// Computes all missing fields.
    pub fn complete(&mut self, ground: &Ground) {
        for sector in std::mem::take(&mut self.pending) {
            self.fill_sector(ground, sector, false);
        }
        self.connect();
    }

    /// Computes the missing fields of a sector. Returns the number of expansions; 0 if they are not to be counted, which takes
    /// less time.
    fn fill_sector(&mut self, ground: &Ground, sector: u32, is_counted: bool) -> u64 {
        let (rectangle, parts) = (self.rectangle(sector, self.side()), self.sector_parts(sector));
        let (mut expansions, mut has_begun) = (0, false);
        let parts = &mut self.parts[parts.start as usize..parts.end as usize];
        let steps = (ground, &self.prices);
        for part in parts.iter_mut().filter(|part| part.field.is_empty()) {
            if !std::mem::replace(&mut has_begun, true) {
                self.fields.begin(ground, rectangle);
            }
            if is_counted {
                expansions += self.fields.fill(steps, self.units, part.waypoint, &mut part.field);
            } else {
                self.fields.fill_uncounted(steps, self.units, part.waypoint, &mut part.field);
            }
        }
        expansions
    }

    fn drop_fields(&mut self, sectors: &[u32]) {
        for &sector in sectors {
            for part in self.sector_parts(sector) {
                self.parts[part as usize].field.clear();
            }
        }
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.edges.list.len()
    }

    /// Returns the part of a free cell.
    #[inline]
    pub fn part(&self, pos: Pos, cell: Cell) -> u32 {
        let first = self.first_piece[self.sector(pos) as usize];
        self.part_of_piece[first as usize + usize::from(self.labels[cell.index()])]
    }

    /// Returns the sector of a position.
    #[inline]
    pub fn sector(&self, pos: Pos) -> u32 {
        self.changes.squares.of(pos)
    }

    /// Returns the side of the sectors.
    pub fn side(&self) -> i32 {
        self.changes.squares.side()
    }

    /// Returns the waypoint of a part.
    pub fn waypoint(&self, part: u32) -> Pos {
        self.parts[part as usize].waypoint
    }

    /// Returns the distances to the waypoint of a part. Empty if they are missing.
    #[inline]
    pub fn field(&self, part: u32) -> &LocalField {
        &self.parts[part as usize].field
    }

    /// Returns the waypoint that is best in a position, and the estimated distance over it. `rest` returns the distance of a part's
    /// waypoint to the target; [`UNREACHED`] if there is no path. `None` if no field covers the position.
    #[inline]
    pub fn best_waypoint(&self, pos: Pos, rest: impl Fn(u32) -> u32) -> Option<(u32, u32)> {
        let mut best = None;
        // All distances are looked up before any is judged, so that the reads of scattered memory overlap.
        let mut parts = self.around(pos);
        let mut near = [(0, 0); 16];
        loop {
            let mut count = 0;
            for (place, part) in near.iter_mut().zip(&mut parts) {
                *place = (part, u32::from(self.field(part).distance(pos)));
                count += 1;
            }
            for &(part, distance) in &near[..count] {
                // At a waypoint another one is as good.
                if distance == u32::from(NO_DISTANCE) || distance == 0 {
                    continue;
                }
                let total = rest(part).saturating_add(distance);
                // Of two waypoints on one path, the farther.
                let key = (total, u32::MAX - distance);
                if total != UNREACHED && best.is_none_or(|(known, _)| key < known) {
                    best = Some((key, part));
                }
            }
            if count < near.len() {
                break;
            }
        }
        best.map(|((total, _), part)| (part, total))
    }

    /// Returns the parts whose fields may cover a position, in the order of their numbers.
    #[inline]
    fn around(&self, pos: Pos) -> impl Iterator<Item = u32> + '_ {
        // Parts are numbered sector by sector, so those of three sectors in a row follow each other.
        self.changes.squares.rows_around(pos).flat_map(|(first, last)| {
            let end =
                self.numbers.first.get(last as usize + 1).map_or(self.parts.len() as u32, |&first| first);
            self.numbers.first[first as usize]..end
        })
    }

    /// Returns the parts of a sector.
    fn sector_parts(&self, sector: u32) -> std::ops::Range<u32> {
        let end = self
            .numbers
            .first
            .get(sector as usize + 1)
            .map_or(self.numbers.square.len() as u32, |&first| first);
        self.numbers.first.get(sector as usize).map_or(0..0, |&first| first..end)
    }

    fn part_counts(&self) -> Vec<u16> {
        (0..self.numbers.first.len() as u32).map(|sector| self.sector_parts(sector).len() as u16).collect()
    }

    /// Returns the corners of a sector with a margin, cut off at the edge of the map.
    fn rectangle(&self, sector: u32, margin: i32) -> (Pos, Pos) {
        let (min, max) = self.changes.squares.corners(sector);
        let last = self.changes.squares.last();
        let least = Pos::new((min.x - margin).max(0), (min.y - margin).max(0));
        (least, Pos::new((max.x + margin).min(last.x), (max.y + margin).min(last.y)))
    }

    /// Returns the corners of the rectangle of a target's own field: its sector and half a sector around, and the whole sector
    /// of the waypoint of its part, which the field must lead on from.
    #[inline]
    fn target_rectangle(&self, target: Pos, part: u32) -> (Pos, Pos) {
        let (min, max) = self.rectangle(self.sector(target), self.side() / 2);
        let (first, last) = self.changes.squares.corners(self.sector(self.waypoint(part)));
        let least = Pos::new(min.x.min(first.x), min.y.min(first.y));
        (least, Pos::new(max.x.max(last.x), max.y.max(last.y)))
    }

    /// Returns true if a position lies in the rectangle of a target's own field. `part` is the target's part.
    #[inline]
    pub fn is_near(&self, pos: Pos, target: Pos, part: u32) -> bool {
        let (min, max) = self.target_rectangle(target, part);
        (min.x..=max.x).contains(&pos.x) && (min.y..=max.y).contains(&pos.y)
    }

    /// Returns the number of cells of a target's own field. `part` is the target's part.
    pub fn target_cells(&self, target: Pos, part: u32) -> u64 {
        let (min, max) = self.target_rectangle(target, part);
        ((max.x - min.x + 1) * (max.y - min.y + 1)) as u64
    }

    /// Returns the sectors that a target's own field depends on.
    pub fn target_sectors(&self, target: Pos) -> Vec<u32> {
        self.changes.squares.with_neighbours(&[self.sector(target)])
    }

    /// Computes the distances to a target in its sector and around. Returns the number of expansions.
    pub fn fill_target(&mut self, ground: &Ground, target: Cell, field: &mut LocalField) -> u64 {
        self.fill_priced_target(ground, target, &self.prices.clone(), field)
    }

    /// Computes the distances to a target like [`SectorGuide::fill_target`], with other prices.
    pub fn fill_priced_target(
        &mut self,
        ground: &Ground,
        target: Cell,
        prices: &StepPrices,
        field: &mut LocalField,
    ) -> u64 {
        let pos = ground.pos(target);
        let rectangle = self.target_rectangle(pos, self.part(pos, target));
        self.fields.begin(ground, rectangle);
        self.fields.fill((ground, prices), self.units, pos, field)
    }

    /// Converts a cost to the unit of distances.
    #[inline]
    pub fn distance_of(&self, cost: Cost) -> u32 {
        self.units.of(cost)
    }

    /// Converts a distance to a cost.
    pub fn cost_of(&self, distance: u32) -> Cost {
        self.units.cost(distance)
    }

    /// Returns what must be saved.
    pub fn saved(&self) -> SavedGuide {
        self.restored.clone().unwrap_or_else(|| SavedGuide {
            hashes: self.sector_hashes(),
            parts: self.part_counts(),
            pending: self.pending.clone(),
        })
    }

    /// Continues with what was saved and with the prices of that time, from the next [`SectorGuide::update`] on, which must follow.
    pub fn restore(&mut self, saved: SavedGuide, prices: StepPrices) {
        self.restored = Some(saved);
        if self.prices != prices {
            self.prices = prices;
            self.parts.iter_mut().for_each(|part| part.field.clear());
        }
    }

    /// Returns the guide as it is after an update to a ground, without what was to be restored and without prices.
    #[must_use]
    pub fn updated(mut self, ground: &Ground) -> Self {
        if !self.prices.is_empty() {
            return Self::new(ground);
        }
        self.restored = None;
        self.update(ground);
        self
    }

    /// Returns the number of sectors.
    pub fn sectors(&self) -> usize {
        self.changes.squares.count()
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.parts.iter().map(|part| size_of::<Part>() + part.field.memory_bytes()).sum::<usize>()
            + self.labels.capacity() * size_of::<u16>()
            + self.edges.list.capacity() * size_of::<(u32, u32)>()
            + self.fields.memory_bytes()
            + self.rows.memory_bytes()
            + self.changes.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
