//! The rounds of a configuration search and their attempts: the depth-first search over configurations.

use throng_grid::hash::splitmix64;

use super::generator::Source;
use super::region::NONE;
use super::{ConfigurationSearch, Member, Stage};

/// Units of work: per operation, per member of an expansion, and per member that chooses among candidates. Expansions of
/// breadth-first searches count 1. Measured with 300 members in a maze: about 0.05 µs per unit.
const OPERATION_PRICE: u64 = 8;
const MEMBER_PRICE_QUARTERS: u64 = 2;
const DECISION_PRICE: u64 = 14;
/// Most expansions of the first attempts of a round. More of them favour the attempt in which all members seek their goals;
/// most rounds need fewer than a hundred.
const FIRST_LIMIT: u64 = 512;
/// Factor by which the limit of the attempts in which all members seek their goals grows.
const GROWTH: u64 = 2;
/// Most attempts for one member each, before all members seek their goals again with a larger limit.
const MAX_ATTEMPTS: usize = 16;

impl ConfigurationSearch {
    /// Begins the first round. Returns false if a member is outside the region.
    pub(super) fn prepare(&mut self) -> bool {
        self.generator.begin(&self.region, self.members.len());
        self.plan.clear();
        self.root.clear();
        self.root.extend(self.starts.iter().map_while(|&at| self.region.place(at)));
        let is_complete = !self.root.is_empty() && self.root.len() == self.members.len();
        if is_complete {
            self.begin_round();
        }
        is_complete
    }

    /// Begins a round at the end of the plan.
    fn begin_round(&mut self) {
        (self.arrived, self.attempt, self.limit) = (self.count_arrived(&self.root), 0, FIRST_LIMIT);
        let (region, distances, root) = (&self.region, &mut self.distances, &self.root);
        self.under_way.clear();
        let under_way = (0..).zip(root).filter(|&(member, &place)| !distances.is_at_goal(member, place));
        self.under_way.extend(under_way.map(|(member, _)| member as u32));
        self.under_way.sort_by_cached_key(|&member| {
            let i = member as usize;
            (!self.members[i].is_required, distances.get(region, i, root[i]), member)
        });
        self.begin_attempt();
    }

    /// Begins an attempt from the end of the plan: all members seek their goals, or only one of those under way does while
    /// the others stay where they are unless they are pushed.
    fn begin_attempt(&mut self) {
        let only = self.attempt.checked_sub(1).map(|number| self.under_way[number]);
        for &member in &self.under_way {
            self.distances.pause(member as usize, only.is_some_and(|only| only != member));
        }
        let limit = if only.is_some() { FIRST_LIMIT } else { self.limit };
        self.attempt_end = self.expansions + limit;
        self.explored.begin(self.members.len());
        self.stack.clear();
        let (node, _) = self.explored.insert(&self.root, NONE);
        self.explored.set_priorities(node, |_| true);
        self.stack.push(node);
    }

    fn next_attempt(&mut self) {
        let required = self.under_way.iter().filter(|&&member| self.members[member as usize].is_required);
        let last = required.count().min(MAX_ATTEMPTS);
        self.attempt = if self.attempt == last { 0 } else { self.attempt + 1 };
        if self.attempt == 0 {
            self.limit = self.limit.saturating_mul(GROWTH);
        }
        self.begin_attempt();
    }

    /// Returns the number of required members that are at their goals.
    fn count_arrived(&self, places: &[u32]) -> usize {
        let is_at_goal = |&(i, (member, &place)): &(usize, (&Member, &u32))| {
            member.is_required && self.distances.is_at_goal(i, place)
        };
        self.members.iter().zip(places).enumerate().filter(is_at_goal).count()
    }

    /// Expands the configuration on top of the stack, or ends an attempt or a round. Returns the units of work.
    pub(super) fn expand(&mut self) -> u64 {
        let before = (self.distances.expanded, self.generator.decided);
        self.expansions += 1;
        match self.stack.last() {
            _ if self.arrived == self.required => self.stage = Stage::Found,
            // All configurations are explored.
            None => self.stage = Stage::Failed,
            Some(&node) if self.count_arrived(self.explored.places(node)) > self.arrived => {
                self.explored.trace(node, &mut self.plan);
                self.root.clear();
                self.root.extend_from_slice(self.explored.places(node));
                self.begin_round();
            }
            Some(_) if self.expansions > self.attempt_end => self.next_attempt(),
            Some(&node) => self.generate(node),
        }
        OPERATION_PRICE
            + self.members.len() as u64 * MEMBER_PRICE_QUARTERS / 4
            + (self.distances.expanded - before.0)
            + (self.generator.decided - before.1) * DECISION_PRICE
    }

    /// Generates the next successor of a node. A node that has no more leaves the stack.
    fn generate(&mut self, node: u32) {
        self.sort(node);
        let number = self.explored.next_constraint(node);
        if !self.explored.constraint(&self.region, node, &self.order, number, &mut self.constraint) {
            self.stack.pop();
            return;
        }
        let from = self.explored.places(node);
        let mut source = Source { region: &self.region, distances: &mut self.distances, from };
        // Attempts differ in their tie-breaks.
        let salt = splitmix64(self.seed ^ self.attempt_end << 40 ^ u64::from(node) << 20 ^ number);
        if self.generator.generate(&mut source, &self.order, &self.constraint, salt) {
            let places = &self.generator.next;
            let (next, is_new) = self.explored.insert(places, node);
            if is_new {
                self.explored.set_priorities(node, |member| self.distances.rests(member, places[member]));
            }
            if next != node {
                self.stack.push(next);
            }
        }
    }

    /// Sorts the members of a configuration: those that are not at their goal for longest first.
    fn sort(&mut self, node: u32) {
        let (places, priorities) = (self.explored.places(node), self.explored.priorities(node));
        let is_under_way = |&member: &u32| {
            let member = member as usize;
            priorities[member] > 0 || !self.distances.rests(member, places[member])
        };
        let members = 0..self.members.len() as u32;
        self.order.clear();
        self.order.extend(members.clone().filter(is_under_way));
        self.order.sort_unstable_by_key(|&member| (u16::MAX - priorities[member as usize], member));
        self.order.extend(members.filter(|member| !is_under_way(member)));
    }
}
