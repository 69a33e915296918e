//! Chokepoints: short straight cuts that separate two sides within a window. The module [`regions`](super) defines
//! them.
//!
//! Every short run between two blocked cells that belongs to a narrowest stretch is a candidate. A flood fill from one
//! side, confined to the window, stops when it reaches the other side; otherwise the run is a cut.

use crate::bits;
use crate::union_find::UnionFind;
use crate::{Cell, Ground, Pos};

/// The maximum number of cells of a cut.
pub const MAX_CUT: i32 = 4;

/// The radius, in cells, of the square window around a cut's middle. A larger window rejects more cuts that have a
/// detour, and costs more time per candidate.
pub const WINDOW_RADIUS: i32 = 8;

/// The minimum number of cells that each side of a cut reaches inside the window.
pub const MIN_SIDE_CELLS: u32 = 8;

/// Side of the window in cells.
const SPAN: usize = 2 * WINDOW_RADIUS as usize + 1;

/// A run of free cells in a row or a column, blocked at both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StraightRun {
    pub(super) first: Pos,
    pub(super) length: i32,
    /// True if the run lies in a column.
    pub(super) vertical: bool,
}

impl StraightRun {
    /// Returns the position `along` cells after the first one, `beside` columns or rows away from the run.
    fn at(self, along: i32, beside: i32) -> Pos {
        if self.vertical {
            Pos::new(self.first.x + beside, self.first.y + along)
        } else {
            Pos::new(self.first.x + along, self.first.y + beside)
        }
    }

    pub(super) fn positions(self) -> impl Iterator<Item = Pos> {
        (0..self.length).map(move |along| self.at(along, 0))
    }

    pub(super) fn middle(self) -> Pos {
        self.at(self.length / 2, 0)
    }

    /// Returns the positions beside the run: left or above for `-1`, right or below for `1`.
    pub(super) fn side(self, beside: i32) -> impl Iterator<Item = Pos> {
        (0..self.length).map(move |along| self.at(along, beside))
    }
}

/// Returns the runs of at most [`MAX_CUT`] cells of all rows or columns in order, and the index of each line's first
/// run.
fn runs(ground: &Ground, vertical: bool) -> (Vec<StraightRun>, Vec<usize>) {
    let lines = if vertical { ground.columns() } else { ground.rows() };
    let (mut runs, mut starts) = (Vec::new(), Vec::with_capacity(lines.height() as usize + 1));
    for line in 0..lines.height() {
        starts.push(runs.len());
        let short = bits::runs(lines.row(line)).filter(|(first, end)| end - first <= MAX_CUT);
        runs.extend(short.map(|(along, end)| {
            let first = if vertical { Pos::new(line as i32, along) } else { Pos::new(along, line as i32) };
            StraightRun { first, length: end - along, vertical }
        }));
    }
    starts.push(runs.len());
    (runs, starts)
}

/// Returns the runs whose stretch (adjacent runs of equal length) touches no shorter run.
fn narrowest(ground: &Ground, vertical: bool) -> Vec<StraightRun> {
    let (runs, starts) = runs(ground, vertical);
    let along = |run: StraightRun| if vertical { run.first.y } else { run.first.x };
    let mut stretches = UnionFind::new(runs.len());
    let mut touches_shorter = vec![false; runs.len()];
    let mut touching = Vec::new();
    for three in starts.windows(3) {
        let (mut a, mut b) = (three[0], three[1]);
        while a < three[1] && b < three[2] {
            let (ends_a, ends_b) = (along(runs[a]) + runs[a].length, along(runs[b]) + runs[b].length);
            if along(runs[a]) < ends_b && along(runs[b]) < ends_a {
                touching.push((a, b));
            }
            if ends_a < ends_b {
                a += 1;
            } else {
                b += 1;
            }
        }
    }
    for &(a, b) in touching.iter().filter(|&&(a, b)| runs[a].length == runs[b].length) {
        stretches.union(a, b);
    }
    for &(a, b) in touching.iter().filter(|&&(a, b)| runs[a].length != runs[b].length) {
        let longer = if runs[a].length > runs[b].length { a } else { b };
        touches_shorter[stretches.root(longer)] = true;
    }
    (0..runs.len()).filter(|&run| !touches_shorter[stretches.root(run)]).map(|run| runs[run]).collect()
}

/// Calls `found` for every chokepoint cell; possibly more than once per cell.
pub(super) fn mark(ground: &Ground, mut found: impl FnMut(Cell)) {
    let mut window = Window { stamp: 0, seen: [[0; SPAN]; SPAN], stack: Vec::with_capacity(SPAN * SPAN) };
    for run in [false, true].into_iter().flat_map(|vertical| narrowest(ground, vertical)) {
        if window.is_cut(ground, run) {
            run.positions().filter_map(|pos| ground.cell(pos)).for_each(&mut found);
        }
    }
}

/// Scratch memory of the flood fills in a window. A visited cell holds the stamp of its flood fill, so that nothing is
/// cleared between candidates.
struct Window {
    stamp: u32,
    seen: [[u32; SPAN]; SPAN],
    stack: Vec<(Cell, Pos)>,
}

impl Window {
    /// Returns true if the run separates its two sides inside the window.
    fn is_cut(&mut self, ground: &Ground, run: StraightRun) -> bool {
        // One stamp for the cells of the run, one for each side.
        if self.stamp >= u32::MAX - 3 {
            self.stamp = 0;
            self.seen = [[0; SPAN]; SPAN];
        }
        let (own, one, other) = (self.stamp + 1, self.stamp + 2, self.stamp + 3);
        self.stamp = other;
        let corner = Pos::new(run.middle().x - WINDOW_RADIUS, run.middle().y - WINDOW_RADIUS);
        for pos in run.positions() {
            *self.slot(corner, pos).expect("a run is shorter than the window") = own;
        }
        let goals = |pos: Pos| run.side(1).any(|goal| goal == pos);
        self.reach(ground, corner, run.side(-1), (own, one), goals)
            .is_some_and(|cells| cells >= MIN_SIDE_CELLS)
            && self
                .reach(ground, corner, run.side(1), (own, other), |_| false)
                .is_some_and(|cells| cells >= MIN_SIDE_CELLS)
    }

    fn slot(&mut self, corner: Pos, pos: Pos) -> Option<&mut u32> {
        self.seen.get_mut((pos.y - corner.y) as usize)?.get_mut((pos.x - corner.x) as usize)
    }

    /// Returns how many cells a flood fill reaches without leaving the window or entering cells stamped `own`, `None`
    /// if it reaches a goal.
    fn reach(
        &mut self,
        ground: &Ground,
        corner: Pos,
        from: impl Iterator<Item = Pos>,
        (own, stamp): (u32, u32),
        is_goal: impl Fn(Pos) -> bool,
    ) -> Option<u32> {
        self.stack.clear();
        let mut count = 0;
        for pos in from {
            let Some(cell) = ground.cell(pos).filter(|&cell| ground.is_free(cell)) else { continue };
            self.visit(corner, cell, pos, (own, stamp));
        }
        while let Some((cell, pos)) = self.stack.pop() {
            if is_goal(pos) {
                return None;
            }
            count += 1;
            for (direction, to) in ground.neighbours(cell) {
                self.visit(corner, to, pos + direction, (own, stamp));
            }
        }
        Some(count)
    }

    fn visit(&mut self, corner: Pos, cell: Cell, pos: Pos, (own, stamp): (u32, u32)) {
        if let Some(slot) = self.slot(corner, pos)
            && *slot != own
            && *slot != stamp
        {
            *slot = stamp;
            self.stack.push((cell, pos));
        }
    }
}
