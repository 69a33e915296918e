//! The space of a joint search: the cells of a few agents at once, packed into the number of a node.

use throng_grid::{Cell, Cost, Size};
use throng_search::{Expansion, Heuristic, Space, Successor};

/// The bits of the number of a node.
const NODE_BITS: u32 = 24;
/// Weight of the heuristic: any path is wanted soon, not the shortest.
const WEIGHT: Cost = 12;
/// Stands for no cell.
pub(super) const NONE: u8 = u8::MAX;

/// How the number of a node is composed of the members' cells.
#[derive(Clone, Copy)]
pub(super) struct Packing(u32);

impl Packing {
    pub(super) fn of(members: usize) -> Self {
        Self((NODE_BITS / members.max(1) as u32).min(8))
    }

    /// Returns the number of cells that it can tell apart.
    pub(super) fn cells(self) -> usize {
        1 << self.0
    }

    #[inline]
    pub(super) fn put(self, member: usize, place: usize) -> u32 {
        (place as u32) << (self.0 * member as u32)
    }

    /// Returns the index of a member's cell.
    #[inline]
    pub(super) fn place(self, node: u32, member: usize) -> usize {
        (node >> (self.0 * member as u32)) as usize & (self.cells() - 1)
    }
}

/// Joint moves. A member that is not at its goal or leaves it costs 1.
#[derive(Clone, Copy)]
pub(super) struct JointSpace<'a> {
    next: &'a [[u8; 9]],
    steps_left: &'a [Vec<Cost>],
    /// The cell of each index and the size of the map, `None` if members may cross.
    guarded: Option<(&'a [Cell], Size)>,
    pub(super) packing: Packing,
}

impl<'a> JointSpace<'a> {
    /// Returns the joint moves along `next`, the neighbours by index. `steps_left` has the distances by member and index.
    pub(super) fn new(next: &'a [[u8; 9]], steps_left: &'a [Vec<Cost>]) -> Self {
        Self { next, steps_left, guarded: None, packing: Packing::of(steps_left.len()) }
    }

    /// Forbids members to cross. `cells` has the cell of each index.
    pub(super) fn without_crossings(self, cells: &'a [Cell], size: Size) -> Self {
        Self { guarded: Some((cells, size)), ..self }
    }

    /// Returns true if two members would cross, and that is forbidden.
    #[inline]
    fn cross(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        self.guarded.is_some_and(|(cells, size)| {
            let step = |(from, to): (usize, usize)| (cells[from], cells[to]);
            size.cross(step(one), step(other))
        })
    }

    /// Returns the steps that a member has left at a node.
    #[inline]
    fn left(&self, node: u32, member: usize) -> Cost {
        self.steps_left[member][self.packing.place(node, member)]
    }

    /// Returns true if all members are at their goals.
    pub(super) fn is_goal(&self, node: u32) -> bool {
        (0..self.steps_left.len()).all(|member| self.left(node, member) == 0)
    }

    fn step(&self, at: Expansion, member: usize, so_far: (u32, Cost), propose: &mut impl FnMut(Successor)) {
        let (chosen, cost) = so_far;
        if member == self.steps_left.len() {
            return propose(Successor { node: chosen, g: at.known.g + cost, parent: at.node, tag: 0 });
        }
        let from = self.packing.place(at.node, member);
        for &to in self.next[from].iter().filter(|&&to| to != NONE) {
            let to = usize::from(to);
            let conflict = (0..member).any(|other| {
                let (was, is) = (self.packing.place(at.node, other), self.packing.place(chosen, other));
                is == to || (is == from && was == to) || self.cross((from, to), (was, is))
            });
            if !conflict && self.steps_left[member][to] != Cost::MAX {
                let rests = to == from && self.steps_left[member][to] == 0;
                self.step(
                    at,
                    member + 1,
                    (chosen | self.packing.put(member, to), cost + Cost::from(!rests)),
                    propose,
                );
            }
        }
    }
}

impl Space for JointSpace<'_> {
    fn nodes(&self) -> usize {
        1 << (self.packing.0 * self.steps_left.len() as u32)
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        self.step(at, 0, (0, 0), &mut propose);
    }
}

/// The sum of the steps that the members have left, weighted.
pub(super) struct StepsLeft<'a>(pub(super) JointSpace<'a>);

impl Heuristic for StepsLeft<'_> {
    fn lower(&mut self, node: u32) -> Cost {
        let left = (0..self.0.steps_left.len()).map(|member| self.0.left(node, member));
        left.fold(0, Cost::saturating_add).saturating_mul(WEIGHT)
    }
}
