//! Window search: the best path of an agent for the next ticks, in space and time, around the plans of others.
//!
//! Dijkstra's algorithm on pairs of a cell and a tick. The cost of a step is what it loses against the shortest path to what the
//! agent heads for, plus what conflicts cost; so the search goes straight ahead while nothing is in the way. Waiting loses a
//! straight step. Costs are rounded to buckets; in a bucket the latest entry comes first, which prefers later ticks.
//!
//! The one loop of `throng-search` is not used: a search has a few dozen expansions, and its fixed costs would exceed them.

use throng_crowd::{AgentRow, View};
use throng_grid::{Cell, Pos, directions};
use throng_search::NO_DISTANCE;

use super::super::guidance::Guidance;
use super::{Claims, SLOTS};

/// Most expansions of a search. Agents in a jam need more than those that walk freely, which need one per tick.
pub(super) const MAX_EXPANSIONS: u64 = 64;

/// The cells that an agent can reach in a window, in each direction.
const REACH: i32 = SLOTS as i32 - 1;
const SIDE: i32 = 2 * REACH + 1;
const NODES: usize = (SIDE * SIDE) as usize * SLOTS;

/// Buckets per straight step.
const BUCKETS_PER_STEP: u32 = 8;
/// The number of buckets: no path is considered that loses eight straight steps.
const BUCKETS: usize = 64;
/// A single step may lose at most this many halves of a straight step: agents step aside, but not back.
const MAX_LOSS_HALVES: u32 = 3;

/// The best known path to a cell in a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The search that has reached it.
    stamp: u32,
    cost: u16,
    /// The node before it.
    parent: u16,
}

/// The memory of searches, reused from search to search.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowSearch {
    nodes: Vec<Node>,
    stamp: u32,
    buckets: Vec<Vec<u16>>,
}

/// The numbers of nodes around the agent's position.
#[derive(Clone, Copy)]
struct Window {
    corner: Pos,
}

impl Window {
    /// Returns the number of a node in the window. Nothing wraps there.
    fn number(self, pos: Pos, depth: usize) -> u16 {
        let (x, y) = (pos.x.wrapping_sub(self.corner.x), pos.y.wrapping_sub(self.corner.y));
        let square = y.wrapping_mul(SIDE).wrapping_add(x);
        (square as usize).wrapping_mul(SLOTS).wrapping_add(depth) as u16
    }

    /// Returns the position and the depth of a node.
    fn node(self, number: u16) -> (Pos, usize) {
        let square = i32::from(number) / SLOTS as i32;
        let (x, y) = (square % SIDE, square / SIDE);
        let pos = Pos::new(self.corner.x.wrapping_add(x), self.corner.y.wrapping_add(y));
        (pos, usize::from(number) % SLOTS)
    }
}

impl WindowSearch {
    /// Searches a path of `window` ticks for an agent and writes it to `cells`, the agent's cell first. It is shorter if it
    /// reaches what the agent heads for. Returns the number of its steps, 0 if there is none, and the number of expansions.
    #[expect(clippy::too_many_arguments, reason = "the state of the world and of the plans")]
    pub(super) fn run(
        &mut self,
        view: &View<'_>,
        guidance: &Guidance,
        agent: AgentRow,
        window: usize,
        claims: &Claims,
        has_plan: impl Fn(AgentRow) -> bool,
        cells: &mut [Cell; SLOTS],
    ) -> (usize, u64) {
        let (ground, at, now) = (view.ground(agent), view.at(agent), view.tick());
        let Some(field) = guidance.field(view, agent) else { return (0, 0) };
        let centre = ground.pos(at);
        if field.distance(centre) == NO_DISTANCE {
            return (0, 0);
        }
        let (guide, straight) = (guidance.guide(view, agent), guidance.straight_steps(view, agent, 1));
        let scale = Scale::new(straight);
        let frame = Window { corner: Pos::new(centre.x - REACH, centre.y - REACH) };
        self.begin();
        let start = frame.number(centre, 0);
        let mut full = self.reach(start, 0, start, scale);
        let (mut best, mut expansions) = ((start, 0), 0);
        while full != 0 && expansions < MAX_EXPANSIONS {
            let bucket = full.trailing_zeros() as usize;
            let Some(number) = self.buckets[bucket].pop() else {
                full &= full - 1;
                continue;
            };
            let cost = u32::from(self.nodes[usize::from(number)].cost);
            // A node that was reached by a cheaper path since was expanded in an earlier bucket.
            if scale.bucket(cost) != bucket {
                continue;
            }
            expansions += 1;
            let (pos, depth) = frame.node(number);
            let around = field.around(pos);
            if depth > best.1 || around[8] == 0 {
                best = (number, depth);
            }
            let Some(cell) = ground.cell(pos).filter(|_| depth < window && around[8] != 0) else { break };
            let coming = now + depth as u64 + 1;
            let claimed = |cell| claims.cost(cell, coming, straight);
            full |= self.reach(number + 1, cost + straight + claimed(cell), number, scale);
            for direction in directions(ground.moves(cell)) {
                let there = around[usize::from(direction.number())];
                let step = guide.distance_of(ground.cost(cell, direction)) + guide.price(cell, direction);
                // Distances have 16 bits, and a step has fewer than 20: nothing wraps.
                let loss = step.wrapping_add(u32::from(there)).saturating_sub(u32::from(around[8]));
                if there == NO_DISTANCE || loss.wrapping_mul(2) > straight.wrapping_mul(MAX_LOSS_HALVES) {
                    continue;
                }
                let to = ground.step(cell, direction);
                let mut conflicts = u32::from(claims.is_resting(to));
                // Where an agent without a plan is after the next tick is unknown.
                if depth == 0 {
                    conflicts += u32::from(
                        view.occupancy()
                            .agent(to)
                            .is_some_and(|other| !has_plan(other) && !claims.is_resting(to)),
                    );
                }
                let next = frame.number(pos + direction, depth + 1);
                let lost = loss.wrapping_add(straight.wrapping_mul(conflicts));
                full |= self.reach(next, cost + lost + claimed(to), number, scale);
            }
        }
        while full != 0 {
            self.buckets[full.trailing_zeros() as usize].clear();
            full &= full - 1;
        }
        let (mut number, steps) = best;
        for cell in cells[..=steps].iter_mut().rev() {
            *cell = ground.cell(frame.node(number).0).unwrap_or(at);
            number = self.nodes[usize::from(number)].parent;
        }
        (steps, expansions)
    }

    fn begin(&mut self) {
        self.nodes.resize(NODES, Node::default());
        self.buckets.resize_with(BUCKETS, || Vec::with_capacity(MAX_EXPANSIONS as usize));
        if self.stamp == u32::MAX {
            self.nodes.fill(Node::default());
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Records a path to a node if it is the best one so far. Returns the bit of the bucket that it was added to; 0 if it was not.
    #[inline]
    fn reach(&mut self, number: u16, cost: u32, parent: u16, scale: Scale) -> u64 {
        let (bucket, node) = (scale.bucket(cost), &mut self.nodes[usize::from(number)]);
        if bucket >= BUCKETS || (node.stamp == self.stamp && u32::from(node.cost) <= cost) {
            return 0;
        }
        *node = Node { stamp: self.stamp, cost: cost as u16, parent };
        self.buckets[bucket].push(number);
        1 << bucket
    }
}

/// Converts costs to buckets.
#[derive(Clone, Copy)]
struct Scale {
    /// Buckets per unit of cost, in units of 2 to the power of -32.
    factor: u64,
}

impl Scale {
    fn new(straight: u32) -> Self {
        Self { factor: (u64::from(BUCKETS_PER_STEP) << 32) / u64::from(straight) }
    }

    #[inline]
    fn bucket(self, cost: u32) -> usize {
        // The product is eight times the straight steps that the cost is worth, times 2 to the power of 32.
        (u64::from(cost).wrapping_mul(self.factor) >> 32) as usize
    }
}
