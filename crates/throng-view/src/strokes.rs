//! Strokes of the brush: the areas that a line from one position to another covers, and what was there before.

use std::collections::{BTreeMap, VecDeque};

use throng::{Area, Cell, Pos, Size};

/// The largest radius of a brush.
const MAX_RADIUS: i32 = 16;

/// The largest number of stamps of a stroke.
const MAX_STAMPS: i32 = 512;

/// The largest number of strokes that can be taken back.
const MAX_UNDO: usize = 64;

/// The largest number of cells of all strokes that can be taken back.
const MAX_UNDO_CELLS: usize = 1 << 21;

/// The cells that the last strokes have changed, with their values before.
#[derive(Debug, Default)]
pub(crate) struct UndoStack {
    strokes: VecDeque<BTreeMap<u32, u8>>,
    cells: usize,
}

impl UndoStack {
    /// Begins a stroke, unless the last one goes on.
    pub(crate) fn begin(&mut self, goes_on: bool) {
        if goes_on && !self.strokes.is_empty() {
            return;
        }
        if self.strokes.back().is_none_or(|last| !last.is_empty()) {
            self.strokes.push_back(BTreeMap::new());
        }
        while self.strokes.len() > MAX_UNDO {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        self.cells -= self.strokes.pop_front().map_or(0, |stroke| stroke.len());
    }

    /// Adds a cell to the last stroke. Its first value counts.
    pub(crate) fn push(&mut self, cell: u32, before: u8) {
        let Some(last) = self.strokes.back_mut() else { return };
        let count = last.len();
        last.entry(cell).or_insert(before);
        self.cells += last.len() - count;
        while self.cells > MAX_UNDO_CELLS && self.strokes.len() > 1 {
            self.drop_first();
        }
    }

    /// Removes the last stroke that has changed anything. Returns runs of equal values within rows: first and last cell, and
    /// the value.
    pub(crate) fn pop(&mut self, size: Size) -> Vec<(Cell, Cell, u8)> {
        let stroke = loop {
            match self.strokes.pop_back() {
                Some(stroke) if stroke.is_empty() => {}
                Some(stroke) => break stroke,
                None => return Vec::new(),
            }
        };
        self.cells -= stroke.len();
        let mut runs: Vec<(Cell, Cell, u8)> = Vec::new();
        for (cell, value) in stroke {
            match runs.last_mut() {
                Some((_, last, of)) if *of == value && last.0 + 1 == cell && cell % size.width() != 0 => {
                    *last = Cell(cell);
                }
                _ => runs.push((Cell(cell), Cell(cell), value)),
            }
        }
        runs
    }

    /// Returns the number of strokes that have changed something.
    pub(crate) fn len(&self) -> usize {
        self.strokes.iter().filter(|stroke| !stroke.is_empty()).count()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Returns discs along a line, close enough to each other to leave no gap.
pub(crate) fn stroke(from: Pos, to: Pos, radius: i32) -> impl Iterator<Item = Area> {
    let radius = radius.clamp(0, MAX_RADIUS);
    let clamp = |value: i32| value.clamp(-1, throng::grid::MAX_SIDE as i32);
    let (from, to) = (Pos::new(clamp(from.x), clamp(from.y)), Pos::new(clamp(to.x), clamp(to.y)));
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.abs().max(dy.abs());
    let stamps = (length / (radius / 2).max(1)).clamp(length.min(1), MAX_STAMPS);
    (0..=stamps).map(move |stamp| {
        let along = |start: i32, change: i32| {
            start
                + if stamps == 0 {
                    0
                } else {
                    (i64::from(change) * i64::from(stamp) / i64::from(stamps)) as i32
                }
        };
        let at = Pos::new(along(from.x, dx), along(from.y, dy));
        if radius == 0 { Area::from(at) } else { Area::disc(at, radius) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_taken_back_in_rows() {
        let size = Size::new(10, 10).unwrap();
        let mut stack = UndoStack::default();
        stack.begin(false);
        for (cell, before) in [(12, 0), (13, 0), (12, 128), (14, 3), (19, 0), (20, 0)] {
            stack.push(cell, before);
        }
        stack.begin(true);
        stack.push(21, 0);
        stack.begin(false);
        stack.begin(false);
        assert_eq!(stack.len(), 1);
        let cell = |first, last, value| (Cell(first), Cell(last), value);
        assert_eq!(stack.pop(size), [cell(12, 13, 0), cell(14, 14, 3), cell(19, 19, 0), cell(20, 21, 0)]);
        assert_eq!((stack.pop(size).len(), stack.len(), stack.cells), (0, 0, 0));
    }

    #[test]
    fn the_stack_is_bounded() {
        let mut stack = UndoStack::default();
        for stroke in 0..200 {
            stack.begin(false);
            (0..50_000).for_each(|cell| stack.push(cell + stroke, 0));
        }
        assert!(stack.len() < MAX_UNDO && stack.cells <= MAX_UNDO_CELLS);
    }

    #[test]
    fn a_stroke_is_connected_and_bounded() {
        let size = Size::new(100, 100).unwrap();
        for (to, radius) in
            [(Pos::new(60, 20), 0), (Pos::new(60, 20), 1), (Pos::new(5, 90), 6), (Pos::new(5, 5), 3)]
        {
            let cells: std::collections::BTreeSet<_> =
                stroke(Pos::new(5, 5), to, radius).flat_map(|area| area.cells(size)).collect();
            for (x, y) in (0..=20).map(|part| (5 + (to.x - 5) * part / 20, 5 + (to.y - 5) * part / 20)) {
                let near = |&(dx, dy): &(i32, i32)| {
                    size.cell(Pos::new(x + dx, y + dy)).is_some_and(|cell| cells.contains(&cell))
                };
                assert!(
                    (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).any(|step| near(&step)),
                    "{x},{y}"
                );
            }
        }
        let far = Pos::new(i32::MAX, i32::MIN);
        assert!(stroke(Pos::new(i32::MIN, i32::MAX), far, i32::MAX).count() <= 513);
    }
}
