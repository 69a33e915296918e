//! The rows of one ground: for each part with targets of agents, the distances of all waypoints to it.

use throng_search::{GuideChange, NO_PART, SectorGuide, UNREACHED};

/// The distances of all waypoints to one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) distances: Vec<u32>,
    /// True if an edit has changed distances and the row must be computed again. It stays in use until then.
    pub(super) is_outdated: bool,
}

/// The rows of one ground.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// By part.
    pub(super) by_part: Vec<Option<Row>>,
    /// The sectors that have changed since the rows were last compared with the guide.
    pub(super) changed: Vec<u32>,
    /// The part whose row is compared next.
    pub(super) next: u32,
    bytes: usize,
}

impl Rows {
    pub(super) fn new(parts: usize) -> Self {
        Self { by_part: vec![None; parts], changed: Vec::new(), next: 0, bytes: 0 }
    }

    /// Returns rows that were saved.
    pub(super) fn restored(by_part: Vec<Option<Row>>, changed: Vec<u32>, next: u32) -> Self {
        let bytes = by_part.iter().flatten().map(|row| size_of_val(row.distances.as_slice())).sum();
        Self { by_part, changed, next, bytes }
    }

    /// Returns the distances of all waypoints to a part.
    #[inline]
    pub(super) fn get(&self, part: u32) -> Option<&[u32]> {
        self.by_part.get(part as usize)?.as_ref().map(|row| row.distances.as_slice())
    }

    /// Returns true if there is a row of a part, and no edit has changed its distances.
    #[inline]
    pub(super) fn is_current(&self, part: u32) -> bool {
        self.by_part.get(part as usize).is_some_and(|row| row.as_ref().is_some_and(|row| !row.is_outdated))
    }

    /// Computes the row of a part.
    pub(super) fn fill(&mut self, part: u32, guide: &mut SectorGuide) {
        let Some(place) = self.by_part.get_mut(part as usize) else { return };
        let mut distances = place.take().map(|row| row.distances).unwrap_or_default();
        self.bytes -= size_of_val(distances.as_slice());
        guide.fill_row(part, &mut distances);
        self.bytes += size_of_val(distances.as_slice());
        *place = Some(Row { distances, is_outdated: false });
    }

    /// Drops the rows of parts that are not to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        for (part, row) in self.by_part.iter_mut().enumerate() {
            if !keep(part as u32)
                && let Some(row) = row.take()
            {
                self.bytes -= size_of_val(row.distances.as_slice());
            }
        }
    }

    /// Numbers parts as after an edit. Rows to parts that are new are dropped.
    pub(super) fn renumber(&mut self, change: &GuideChange) {
        let mut before = std::mem::take(&mut self.by_part);
        let row_of = |&origin: &u32| {
            let row = before.get_mut(origin as usize)?.take()?;
            let distance = |&origin: &u32| row.distances.get(origin as usize).copied().unwrap_or(UNREACHED);
            Some(Row { distances: change.origins.iter().map(distance).collect(), ..row })
        };
        let rows = change.origins.iter().map(row_of).collect();
        let mut changed = std::mem::take(&mut self.changed);
        changed.extend(&change.sectors);
        changed.sort_unstable();
        changed.dedup();
        *self = Self::restored(rows, changed, 0);
    }

    /// Returns true if rows are still to be compared with the guide.
    pub(super) fn needs_comparison(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns the next row to be compared; `None` ends the comparison.
    pub(super) fn next_to_compare(&mut self) -> Option<u32> {
        let is_row = |part: &u32| self.by_part[*part as usize].as_ref().is_some_and(|row| !row.is_outdated);
        let next = (self.next..self.by_part.len() as u32).find(is_row);
        self.next = next.map_or(0, |part| part + 1);
        if next.is_none() {
            self.changed.clear();
        }
        next
    }

    /// Compares a row with the guide and repairs it where possible.
    pub(super) fn compare(&mut self, part: u32, guide: &SectorGuide) {
        if let Some(Some(row)) = self.by_part.get_mut(part as usize) {
            row.is_outdated = !guide.repair_row(part, &mut row.distances, &self.changed);
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

/// Returns the number of each part after an edit, given where the parts come from.
pub(super) fn numbers_after(change: &GuideChange, parts_before: usize) -> Vec<u32> {
    let mut after = vec![NO_PART; parts_before];
    for (number, &origin) in change.origins.iter().enumerate() {
        if let Some(place) = after.get_mut(origin as usize) {
            *place = number as u32;
        }
    }
    after
}
