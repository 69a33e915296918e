//! Chokepoints: short straight cuts that separate two sides within a window.
//!
//! Every short run between two blocked cells that belongs to a narrowest stretch is a candidate; a search from
//! one side, confined to the window, either meets the other side, which ends it, or shows the cut.

use crate::{Cell, Ground, Pos};

/// The most cells of a cut.
pub const MAX_CUT: i32 = 4;

/// How far the window around a cut's middle reaches, in each direction.
pub const WINDOW_RADIUS: i32 = 8;

/// The fewest cells on each side of a cut, inside the window.
pub const MIN_SIDE_CELLS: u32 = 8;

const SPAN: usize = 2 * WINDOW_RADIUS as usize + 1;

/// A run of free cells in a row or a column, blocked at both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) first: Pos,
    pub(super) length: i32,
    pub(super) upright: bool,
}

impl Run {
    fn place(self, along: i32, beside: i32) -> Pos {
        if self.upright {
            Pos::new(self.first.x + beside, self.first.y + along)
        } else {
            Pos::new(self.first.x + along, self.first.y + beside)
        }
    }

    pub(super) fn places(self) -> impl Iterator<Item = Pos> {
        (0..self.length).map(move |along| self.place(along, 0))
    }

    pub(super) fn middle(self) -> Pos {
        self.place(self.length / 2, 0)
    }

    /// The places beside the run: `-1` on the left or above, `1` on the right or below.
    pub(super) fn side(self, beside: i32) -> impl Iterator<Item = Pos> {
        (0..self.length).map(move |along| self.place(along, beside))
    }
}

/// The short runs of all lines of one orientation, line by line, with the number of each line's first run.
fn runs(ground: &Ground, upright: bool) -> (Vec<Run>, Vec<usize>) {
    let lines = if upright { ground.columns() } else { ground.rows() };
    let (mut runs, mut starts) = (Vec::new(), Vec::with_capacity(lines.height() as usize + 1));
    for line in 0..lines.height() {
        starts.push(runs.len());
        runs.extend(short_runs(lines.row(line)).map(|(along, length)| {
            let first = if upright { Pos::new(line as i32, along) } else { Pos::new(along, line as i32) };
            Run { first, length, upright }
        }));
    }
    starts.push(runs.len());
    (runs, starts)
}

/// The runs of one orientation whose stretch (runs of equal length, one beside the other) touches no shorter run.
fn narrowest(ground: &Ground, upright: bool) -> Vec<Run> {
    let (runs, starts) = runs(ground, upright);
    let along = |run: Run| if upright { run.first.y } else { run.first.x };
    let mut parent: Vec<u32> = (0..runs.len() as u32).collect();
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
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b)] = a.min(b) as u32;
    }
    for &(a, b) in touching.iter().filter(|&&(a, b)| runs[a].length != runs[b].length) {
        let longer = if runs[a].length > runs[b].length { a } else { b };
        touches_shorter[root(&mut parent, longer)] = true;
    }
    (0..runs.len()).filter(|&run| !touches_shorter[root(&mut parent, run)]).map(|run| runs[run]).collect()
}

fn root(parent: &mut [u32], mut run: usize) -> usize {
    while parent[run] as usize != run {
        parent[run] = parent[parent[run] as usize];
        run = parent[run] as usize;
    }
    run
}

/// Start and length of the runs of at most [`MAX_CUT`] ones in a row of bits, which ends with a zero.
fn short_runs(words: &[u64]) -> impl Iterator<Item = (i32, i32)> + '_ {
    let mut start = None;
    let edges = words.iter().enumerate().flat_map(move |(number, &word)| {
        let before = if number == 0 { 0 } else { words[number - 1] >> 63 };
        let mut edges = word ^ (word << 1 | before);
        std::iter::from_fn(move || {
            (edges != 0).then(|| {
                let bit = edges.trailing_zeros();
                edges &= edges - 1;
                number as i32 * 64 + bit as i32
            })
        })
    });
    edges.filter_map(move |edge| match start.take() {
        None => {
            start = Some(edge);
            None
        }
        Some(first) => (edge - first <= MAX_CUT).then_some((first, edge - first)),
    })
}

/// Calls `found` for every chokepoint, for some more than once.
pub(super) fn mark(ground: &Ground, mut found: impl FnMut(Cell)) {
    let mut window = Window { stamp: 0, seen: [[0; SPAN]; SPAN], stack: Vec::with_capacity(SPAN * SPAN) };
    for run in [false, true].into_iter().flat_map(|upright| narrowest(ground, upright)) {
        if window.is_cut(ground, run) {
            run.places().filter_map(|pos| ground.cell(pos)).for_each(&mut found);
        }
    }
}

/// Scratch for one confined search. A cell is marked with a stamp of the search that came by, so that nothing
/// needs clearing.
struct Window {
    stamp: u32,
    seen: [[u32; SPAN]; SPAN],
    stack: Vec<(Cell, Pos)>,
}

impl Window {
    fn is_cut(&mut self, ground: &Ground, run: Run) -> bool {
        // One stamp for the run's own cells, one for each side.
        if self.stamp >= u32::MAX - 3 {
            self.stamp = 0;
            self.seen = [[0; SPAN]; SPAN];
        }
        let (own, one, other) = (self.stamp + 1, self.stamp + 2, self.stamp + 3);
        self.stamp = other;
        let corner = Pos::new(run.middle().x - WINDOW_RADIUS, run.middle().y - WINDOW_RADIUS);
        for pos in run.places() {
            *self.slot(corner, pos).expect("a cut is shorter than its window") = own;
        }
        // A side without any cell ends it at once; so does meeting the other side.
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

    /// How many cells are reached from some places without leaving the window or entering cells stamped `own`;
    /// `None` when one of them is a goal.
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
