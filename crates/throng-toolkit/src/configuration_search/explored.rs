//! The configurations that a search has explored: a tree of nodes and a hash table.
//!
//! A node stores the place and the priority of each member, six bytes per member. The constraints of a node are not
//! stored: the one with number `k`, in breadth-first order of the constraint tree, is computed from `k`.

use throng_grid::hash::mix64;

use super::region::{NONE, Region};

/// The first length of the hash table.
const FIRST_TABLE: usize = 64;

/// A configuration that was explored.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// The number of constraints tried.
    tried: u64,
}

/// The explored configurations, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Explored {
    members: usize,
    nodes: Vec<Node>,
    places: Vec<u32>,
    /// Ticks since a member was at its goal, at most [`u16::MAX`].
    priorities: Vec<u16>,
    /// Numbers of nodes by hash; [`NONE`] in free slots. The length is a power of two.
    table: Vec<u32>,
}

impl Explored {
    /// Drops all configurations.
    pub(super) fn begin(&mut self, members: usize) {
        self.members = members;
        self.nodes.clear();
        self.places.clear();
        self.priorities.clear();
        self.table.clear();
        self.table.resize(FIRST_TABLE, NONE);
    }

    pub(super) fn places(&self, node: u32) -> &[u32] {
        &self.places[node as usize * self.members..][..self.members]
    }

    pub(super) fn priorities(&self, node: u32) -> &[u16] {
        &self.priorities[node as usize * self.members..][..self.members]
    }

    /// Counts a constraint of a node and returns its number.
    pub(super) fn next_constraint(&mut self, node: u32) -> u64 {
        let tried = &mut self.nodes[node as usize].tried;
        *tried += 1;
        *tried - 1
    }

    /// Returns the node of a configuration; a new one, with the second value true, if it was not explored.
    pub(super) fn insert(&mut self, places: &[u32], parent: u32) -> (u32, bool) {
        if self.nodes.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mut slot = self.slot(places);
        while self.table[slot] != NONE {
            if self.places(self.table[slot]) == places {
                return (self.table[slot], false);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        let node = self.nodes.len() as u32;
        self.table[slot] = node;
        self.nodes.push(Node { parent, tried: 0 });
        self.places.extend_from_slice(places);
        (node, true)
    }

    /// Sets the priorities of the last node, a successor of `parent`: 0 for members at their goal, otherwise one more
    /// than before.
    pub(super) fn set_priorities(&mut self, parent: u32, is_at_goal: impl Fn(usize) -> bool) {
        for member in 0..self.members {
            let before = self.priorities.get(parent as usize * self.members + member).copied();
            let priority = if is_at_goal(member) { 0 } else { before.unwrap_or(0).saturating_add(1) };
            self.priorities.push(priority);
        }
    }

    fn slot(&self, places: &[u32]) -> usize {
        let hash = places.iter().fold(0, |hash, &place| mix64(hash ^ u64::from(place)));
        hash as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        let length = 2 * self.table.len();
        self.table.clear();
        self.table.resize(length, NONE);
        for node in 0..self.nodes.len() as u32 {
            let mut slot = self.slot(self.places(node));
            while self.table[slot] != NONE {
                slot = (slot + 1) & (length - 1);
            }
            self.table[slot] = node;
        }
    }

    /// Appends the configurations after the first one on the path to a node to `plan`.
    pub(super) fn trace(&self, node: u32, plan: &mut Vec<u32>) {
        let start = plan.len();
        let mut at = node;
        let mut steps = 0;
        while self.nodes[at as usize].parent != NONE {
            steps += 1;
            at = self.nodes[at as usize].parent;
        }
        plan.resize(start + steps * self.members, 0);
        at = node;
        for step in plan[start..].chunks_exact_mut(self.members).rev() {
            step.copy_from_slice(self.places(at));
            at = self.nodes[at as usize].parent;
        }
    }

    /// Writes the constraint of a node with a number to `constraint`: the next places of the first members of the order.
    /// Returns false if there are fewer.
    ///
    /// The constraints of the first `n` members are those of the first `n - 1`, each with every place that the last of
    /// them can step to.
    pub(super) fn constraint(
        &self,
        region: &Region,
        node: u32,
        order: &[u32],
        mut number: u64,
        constraint: &mut Vec<(u32, u32)>,
    ) -> bool {
        constraint.clear();
        let places = self.places(node);
        let choices = |member: u32| region.neighbours(places[member as usize]).len() as u64 + 1;
        let (mut count, mut length) = (1_u64, 0);
        while number >= count {
            number -= count;
            let Some(&member) = order.get(length) else { return false };
            count = count.saturating_mul(choices(member));
            length += 1;
        }
        for &member in order[..length].iter().rev() {
            let at = places[member as usize];
            let choice = number % choices(member);
            number /= choices(member);
            constraint.push((member, region.neighbours(at).get(choice as usize).copied().unwrap_or(at)));
        }
        constraint.reverse();
        true
    }

    /// Returns the memory in use, in bytes.
    pub(super) fn used_bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.places.len() * size_of::<u32>()
            + self.priorities.len() * size_of::<u16>()
            + self.table.len() * size_of::<u32>()
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.places.capacity() * size_of::<u32>()
            + self.priorities.capacity() * size_of::<u16>()
            + self.table.capacity() * size_of::<u32>()
    }
}
