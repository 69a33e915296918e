//! The rows of one ground: for each part with targets of agents, the distances of all waypoints to it.

use std::borrow::Cow;
use std::sync::Arc;

use throng_search::{
    GuideChange, NO_PART, RowRepair, RowState, Scratch, SectorGuide, SectorWindow, UNREACHED, WindowLayout,
};

use super::super::prices;

/// A row that was improved so long ago, in ticks, is improved at once again.
const CALM: u64 = 1_024;
/// A row waits twice as long before each improvement, up to 2 to this power ticks. Longer waits keep agents from turning back
/// and forth before a door that opens and closes.
pub(super) const MAX_WAITS: u8 = 10;

/// The distances of all waypoints to one part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Row {
    pub(super) distances: Vec<u32>,
    /// The window that it is restricted to.
    pub(super) window: Option<SectorWindow>,
    /// Where it has the parts of its window.
    pub(super) layout: WindowLayout,
    /// The tick from which on it is to be computed again, because an edit has changed distances; `None` if none has. It
    /// stays in use until then.
    pub(super) due: Option<u64>,
    /// The sectors whose changes make that necessary, in order.
    pub(super) unsettled: Vec<u32>,
    /// How often it was computed again for shorter paths.
    pub(super) improvements: u8,
    /// The tick in which that was decided last.
    pub(super) improved: u64,
}

impl Row {
    /// Returns the distance of a part's waypoint; [`UNREACHED`] if there is no path, or none inside the window.
    #[inline]
    pub(super) fn distance(&self, part: u32) -> u32 {
        if self.window.is_none() {
            return self.distances[part as usize];
        }
        self.layout.place(part).map_or(UNREACHED, |place| self.distances[place])
    }
}

/// The rows of one ground. Copies share each row until it changes.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// By part.
    pub(super) by_part: Vec<Option<Arc<Row>>>,
    /// The sectors that have changed since the rows were last compared with the guide.
    pub(super) changed: Vec<u32>,
    /// The part whose row is compared next.
    pub(super) next: u32,
    /// What rows are compared with, for the sectors that have changed.
    repair: Scratch<RowRepair>,
    bytes: usize,
}

impl Rows {
    pub(super) fn new(parts: usize) -> Self {
        Self::restored(vec![None; parts], Vec::new(), 0)
    }

    /// Returns rows that were saved.
    pub(super) fn restored(by_part: Vec<Option<Arc<Row>>>, changed: Vec<u32>, next: u32) -> Self {
        let bytes = by_part.iter().flatten().map(|row| size_of_val(row.distances.as_slice())).sum();
        Self { by_part, changed, next, repair: Scratch::default(), bytes }
    }

    /// Returns the row of a part.
    #[inline]
    pub(super) fn get(&self, part: u32) -> Option<&Row> {
        self.by_part.get(part as usize)?.as_deref()
    }

    /// Returns true if there is a row of a part that need not be computed again in this tick.
    #[inline]
    pub(super) fn is_current(&self, part: u32, tick: u64) -> bool {
        let is_current = |row: &Row| row.due.is_none_or(|due| due > tick);
        self.by_part.get(part as usize).is_some_and(|row| row.as_deref().is_some_and(is_current))
    }

    /// Computes the row of a part, in a window if one is given.
    pub(super) fn fill(
        &mut self,
        part: u32,
        window: Option<(SectorWindow, WindowLayout)>,
        guide: &mut SectorGuide,
    ) {
        let Some(place) = self.by_part.get_mut(part as usize) else { return };
        let row = Arc::make_mut(place.get_or_insert_default());
        self.bytes -= size_of_val(row.distances.as_slice());
        (row.window, row.layout) =
            window.map_or_else(Default::default, |(window, layout)| (Some(window), layout));
        if row.window.is_some() {
            guide.fill_window_row(part, &row.layout, &mut row.distances);
        } else {
            guide.fill_row(part, &mut row.distances);
        }
        self.bytes += size_of_val(row.distances.as_slice());
        row.due = None;
        row.unsettled.clear();
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

    /// Numbers parts as after an edit. Rows to parts that are new are dropped, and so are rows whose window the edit concerns.
    pub(super) fn renumber(&mut self, change: &GuideChange, guide: &SectorGuide) {
        let mut before = std::mem::take(&mut self.by_part);
        let mut changed = std::mem::take(&mut self.changed);
        changed.extend(&change.sectors);
        changed.sort_unstable();
        changed.dedup();
        let keep_numbers = |(&origin, number): (&u32, u32)| origin == number || origin == NO_PART;
        if change.origins.len() == before.len() && change.origins.iter().zip(0..).all(keep_numbers) {
            clear_new_parts(&mut before, change, guide);
            *self = Self::restored(before, changed, 0);
            return;
        }
        let row_of = |&origin: &u32| {
            let row = before.get_mut(origin as usize)?.take()?;
            if let Some(window) = &row.window {
                return (!guide.touches_window(window, &change.sectors)).then_some(row);
            }
            let row = Arc::unwrap_or_clone(row);
            let distance = |&origin: &u32| row.distances.get(origin as usize).copied().unwrap_or(UNREACHED);
            Some(Arc::new(Row { distances: change.origins.iter().map(distance).collect(), ..row }))
        };
        let rows = change.origins.iter().map(row_of).collect();
        *self = Self::restored(rows, changed, 0);
    }

    /// Returns true if a part has a row whose window does not connect it with the centre of its region.
    pub(super) fn needs_whole(&self, part: u32, centre: u32) -> bool {
        self.get(part).is_some_and(|row| row.window.is_some() && row.distance(centre) == UNREACHED)
    }

    /// Lets the row of a part be computed again.
    pub(super) fn expire(&mut self, part: u32) {
        if let Some(Some(row)) = self.by_part.get_mut(part as usize) {
            Arc::make_mut(row).due = Some(0);
        }
    }

    /// Finds the places of parts in windows, after parts were numbered or rows were loaded, given the centre of each part's
    /// region. A loaded row may not fit.
    pub(super) fn lay_out(&mut self, guide: &SectorGuide, centres: &[u32]) {
        for (place, &centre) in self.by_part.iter_mut().zip(centres) {
            let Some((row, window)) = place.as_mut().and_then(|row| row.window.map(|window| (row, window)))
            else {
                continue;
            };
            let row = Arc::make_mut(row);
            row.layout = guide.window_layout(&window);
            if row.layout.parts() != row.distances.len() {
                self.bytes -= size_of_val(row.distances.as_slice());
                *place = None;
            } else if row.distance(centre) == UNREACHED {
                row.due = Some(0);
            }
        }
    }

    /// Returns true if rows are still to be compared with the guide.
    pub(super) fn needs_comparison(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Compares the next row with the guide and repairs it where possible, if that is paid for. Returns false if it is not, or
    /// if all rows have been compared.
    pub(super) fn compare_next(
        &mut self,
        guide: &SectorGuide,
        tick: u64,
        mut pay: impl FnMut(u64) -> bool,
    ) -> bool {
        // A restricted row is exact or gone.
        let is_row =
            |part: &u32| self.by_part[*part as usize].as_ref().is_some_and(|row| row.window.is_none());
        let next = (self.next..self.by_part.len() as u32).find(is_row);
        let Some((part, Some(row))) = next.map(|part| (part, &mut self.by_part[part as usize])) else {
            self.changed.clear();
            (self.next, *self.repair) = (0, RowRepair::default());
            return false;
        };
        let mut sectors = Cow::Borrowed(&self.changed);
        if !row.unsettled.is_empty() {
            let all = sectors.to_mut();
            all.extend(&row.unsettled);
            all.sort_unstable();
            all.dedup();
        }
        if !self.repair.is_for(&sectors) {
            *self.repair = guide.row_repair(&sectors);
        }
        // Rows with the same changed sectors share the preparation. Copies and restored rows prepare again, at the same price.
        let edges = self.repair.edges();
        let is_prepared = self.next > 0 && row.unsettled.is_empty();
        let preparation = if is_prepared { 0 } else { prices::prepare_repair(edges) };
        if !pay(preparation + prices::repair_row(edges)) {
            return false;
        }
        let row = Arc::make_mut(row);
        row.unsettled = sectors.into_owned();
        self.next = part + 1;
        match self.repair.repair(part, &mut row.distances) {
            RowState::Exact => {
                row.due = None;
                row.unsettled.clear();
            }
            RowState::Improvable if row.due.is_some() => {}
            RowState::Improvable => {
                let is_calm = tick.saturating_sub(row.improved) > CALM;
                row.improvements = if is_calm { 0 } else { (row.improvements + 1).min(MAX_WAITS) };
                (row.due, row.improved) = (Some(tick + (1 << row.improvements) - 1), tick);
            }
            RowState::Broken => row.due = Some(tick),
        }
        true
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

/// Renumbers rows after an edit that has changed no numbers, as most edits do, without copying the rows.
fn clear_new_parts(rows: &mut [Option<Arc<Row>>], change: &GuideChange, guide: &SectorGuide) {
    let new: Vec<usize> = (0..change.origins.len()).filter(|&part| change.origins[part] == NO_PART).collect();
    for &part in &new {
        rows[part] = None;
    }
    for place in rows.iter_mut() {
        match place {
            Some(row) if row.window.is_none() => {
                let row = Arc::make_mut(row);
                for &part in &new {
                    row.distances[part] = UNREACHED;
                }
            }
            Some(row) if row.window.is_some_and(|window| guide.touches_window(&window, &change.sectors)) => {
                *place = None;
            }
            _ => {}
        }
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
