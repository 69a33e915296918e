//! The search from one source that computes the optimal first moves to all targets: the content of a row.
//!
//! Dijkstra's algorithm without a priority queue: there are few different step costs, and the entries pushed for one of
//! them are in the order of their distance. So one queue per step cost is enough, and the queue with the smallest head
//! is popped. First moves are propagated: a cell gets those of all its optimal predecessors.
//!
//! On uniform terrain, only canonical paths are pushed (N. R. Sturtevant, S. Rabin, *Canonical Orderings on Grids*,
//! IJCAI 2016), which reach most cells once. A cell then collects the first moves of its optimal predecessors from its
//! neighbours when it is popped, without branches.

use throng_grid::moves::{DIAGONAL, STRAIGHT};
use throng_grid::{Cost, Direction, DirectionSet, Ground};
use throng_search::CANONICAL;

/// The state of a cell: distance in the upper half, then the moves to expand, then the first moves.
type Known = u64;

/// Larger than any distance.
const FAR: u64 = Cost::MAX as u64;

const UNSEEN: Known = FAR << 32;

/// Buffers for searches over one ground.
#[derive(Debug)]
pub(crate) struct SourceSearch {
    /// Legal moves, terrain multipliers (empty on uniform ground) and cell states, with a border around the map, so
    /// that every cell has eight neighbours.
    legal: Vec<DirectionSet>,
    halves: Vec<u8>,
    known: Vec<Known>,
    offsets: [isize; 8],
    /// Costs of a straight and a diagonal step on uniform ground.
    costs: [u64; 2],
    queues: Vec<Queue>,
    /// The queue of each sum of two multipliers, for straight and diagonal steps.
    classes: Vec<u8>,
}

/// Indices with their distances in the upper half, in the order of the distances.
#[derive(Debug, Default)]
struct Queue {
    entries: Vec<u64>,
    head: usize,
}

impl Queue {
    /// Returns the first entry; larger than any entry if the queue is empty.
    #[inline]
    fn first(&self) -> u64 {
        self.entries.get(self.head).copied().unwrap_or(u64::MAX)
    }
}

/// Indices of cells in a map with a border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BorderedMap {
    stride: usize,
    indices: usize,
}

impl BorderedMap {
    pub(crate) fn new(ground: &Ground) -> Self {
        let stride = ground.size().width() as usize + 1;
        Self { stride, indices: stride * (ground.size().height() as usize + 2) + 1 }
    }

    /// Returns the index of a position.
    pub(crate) const fn index(self, pos: throng_grid::Pos) -> usize {
        (pos.y as usize + 1) * self.stride + pos.x as usize + 1
    }
}

impl SourceSearch {
    pub(crate) fn new(ground: &Ground) -> Self {
        let bordered = BorderedMap::new(ground);
        let stride = bordered.stride as isize;
        let (classes, queues) = classes(ground.halves());
        let weighted = !ground.halves().is_empty();
        let mut search = Self {
            legal: vec![0; bordered.indices],
            halves: vec![0; if weighted { bordered.indices } else { 0 }],
            known: vec![UNSEEN; bordered.indices],
            offsets: Direction::ALL.map(|d| d.dy() as isize * stride + d.dx() as isize),
            costs: ground.profile().min_step_costs().map(u64::from),
            queues: (0..queues).map(|_| Queue::default()).collect(),
            classes,
        };
        for cell in ground.free_cells() {
            let index = bordered.index(ground.pos(cell));
            search.legal[index] = ground.moves(cell);
            if weighted {
                search.halves[index] = ground.halves()[cell.index()];
            }
        }
        search
    }

    /// Searches from a source. [`SourceSearch::take`] must be called for every cell of its component before the next
    /// search.
    pub(crate) fn run(&mut self, source: usize) {
        for queue in &mut self.queues {
            queue.entries.clear();
            queue.head = 0;
        }
        self.known[source] = u64::from(self.legal[source]) << 8;
        // The neighbours start with their first moves; a cheaper path to one of them replaces them.
        for (number, &offset) in self.offsets.iter().enumerate() {
            if self.legal[source] >> number & 1 == 1 {
                self.known[source.wrapping_add_signed(offset)] = UNSEEN | 1 << number;
            }
        }
        if self.halves.is_empty() { self.uniform(source) } else { self.weighted(source) }
    }

    /// Returns the first moves to a cell and resets its state; empty if there is no path.
    #[inline]
    pub(crate) fn take(&mut self, index: usize) -> DirectionSet {
        let known = std::mem::replace(&mut self.known[index], UNSEEN);
        if known >> 32 == FAR { 0 } else { known as DirectionSet }
    }

    fn uniform(&mut self, source: usize) {
        let (legal, known, offsets, costs) = (&self.legal[..], &mut self.known[..], self.offsets, self.costs);
        let [straight, diagonal] = &mut self.queues[..] else { return };
        let mut at = source as u64;
        loop {
            let (here, distance) = (at as u32 as usize, at >> 32);
            let now = known[here];
            if now >> 32 == distance {
                known[here] = now | collected(legal, known, &offsets, costs, here, distance);
                let mut moves = (now >> 8) as u8;
                while moves != 0 {
                    let number = moves.trailing_zeros() as usize;
                    moves &= moves.wrapping_sub(1);
                    let to = here.wrapping_add_signed(offsets[number]);
                    // Distances have 32 bits.
                    let there = distance.wrapping_add(costs[number & 1]);
                    let before = known[to];
                    if there > before >> 32 {
                        continue;
                    }
                    let onward = u64::from(CANONICAL[number][legal[to] as usize]) << 8;
                    if there == before >> 32 {
                        known[to] = before | onward;
                    } else {
                        known[to] = there << 32 | onward | before & 0xFF;
                        let queue = if number & 1 == 0 { &mut *straight } else { &mut *diagonal };
                        queue.entries.push(there << 32 | to as u64);
                    }
                }
            }
            let (a, b) = (straight.first(), diagonal.first());
            let nearer = if a >> 32 <= b >> 32 { &mut *straight } else { &mut *diagonal };
            at = a.min(b);
            if at == u64::MAX {
                return;
            }
            at = nearer.first();
            nearer.head += 1;
        }
    }

    fn weighted(&mut self, source: usize) {
        let (legal, halves, known) = (&self.legal[..], &self.halves[..], &mut self.known[..]);
        let mut at = source as u64;
        loop {
            let (here, distance) = (at as u32 as usize, at >> 32);
            let now = known[here];
            if now >> 32 == distance {
                let mut moves = legal[here];
                while moves != 0 {
                    let number = moves.trailing_zeros() as usize;
                    moves &= moves.wrapping_sub(1);
                    let to = here.wrapping_add_signed(self.offsets[number]);
                    let sum = halves[here] + halves[to];
                    let step = if number & 1 == 0 { STRAIGHT / 4 } else { DIAGONAL / 4 };
                    let there = distance + u64::from(u32::from(sum) * step);
                    let before = known[to];
                    if there > before >> 32 {
                        continue;
                    }
                    let firsts = if here == source { 1 << number } else { now & 0xFF };
                    if there == before >> 32 {
                        known[to] = before | firsts;
                    } else {
                        known[to] = there << 32 | firsts;
                        let class = self.classes[2 * sum as usize + (number & 1)];
                        self.queues[class as usize].entries.push(there << 32 | to as u64);
                    }
                }
            }
            let nearest = self.queues.iter_mut().min_by_key(|queue| queue.first());
            let Some(queue) = nearest.filter(|queue| queue.first() != u64::MAX) else { return };
            at = queue.first();
            queue.head += 1;
        }
    }
}

/// Returns the first moves of all optimal predecessors of a cell.
#[inline]
fn collected(
    legal: &[DirectionSet],
    known: &[Known],
    offsets: &[isize; 8],
    costs: [u64; 2],
    here: usize,
    distance: u64,
) -> Known {
    let mut firsts = 0;
    for (number, &offset) in offsets.iter().enumerate() {
        let beside = known[here.wrapping_add_signed(offset)];
        let precedes = u64::from((beside >> 32).wrapping_add(costs[number & 1]) == distance);
        firsts |= beside & (precedes & u64::from(legal[here]) >> number).wrapping_neg();
    }
    firsts & 0xFF
}

/// Returns the queue of each sum of two multipliers, for straight and diagonal steps, and the number of queues; two on
/// uniform ground.
fn classes(halves: &[u8]) -> (Vec<u8>, u8) {
    let mut kinds = halves.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.retain(|&halves| halves > 0);
    if halves.is_empty() {
        return (Vec::new(), 2);
    }
    let max_sum = 2 * kinds.last().copied().unwrap_or(0);
    let (mut classes, mut count) = (vec![u8::MAX; 2 * (max_sum as usize + 1)], 0);
    for sum in kinds.iter().flat_map(|&a| kinds.iter().map(move |&b| a + b)) {
        if classes[2 * sum as usize] == u8::MAX {
            classes[2 * sum as usize..][..2].copy_from_slice(&[count, count + 1]);
            count += 2;
        }
    }
    (classes, count)
}
