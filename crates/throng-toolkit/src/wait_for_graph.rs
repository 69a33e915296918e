//! Who waits for whom, and the circles in it: deadlocks.
//!
//! Each agent waits for at most one other, so the graph is a function, and colouring the ways through it finds every
//! circle in time linear in the number of agents.

use throng_crowd::AgentId;

const NOBODY: u32 = u32::MAX;

/// The graph of who waits for whom.
#[derive(Clone, Debug, Default)]
pub struct WaitForGraph {
    on: Vec<u32>,
    /// The walk in which each agent was met, from 1.
    walk: Vec<u32>,
    members: Vec<AgentId>,
    /// Where each circle begins in `members`, and its length.
    circles: Vec<(usize, usize)>,
    /// For each agent the lowest member of the circle that its waiting leads into, and over how many others.
    leads: Vec<(u32, u32)>,
    /// Scratch: the agents met in a walk.
    way: Vec<u32>,
}

impl WaitForGraph {
    /// Nobody waits; room for agents `0..numbers`.
    pub fn begin(&mut self, numbers: usize) {
        self.on.clear();
        self.on.resize(numbers, NOBODY);
    }

    /// One agent waits for another.
    pub fn wait(&mut self, agent: AgentId, on: AgentId) {
        self.on[agent.index()] = on.0;
    }

    /// Finds the circles: each begins with its lowest member and goes on with the one that it waits for; the circle
    /// with the lowest member comes first.
    pub fn circles(&mut self) -> impl Iterator<Item = &[AgentId]> {
        self.walk.clear();
        self.walk.resize(self.on.len(), 0);
        self.leads.clear();
        self.leads.resize(self.on.len(), (NOBODY, 0));
        self.members.clear();
        self.circles.clear();
        for start in 0..self.on.len() as u32 {
            let mut at = start;
            self.way.clear();
            while at != NOBODY && self.walk[at as usize] == 0 {
                self.walk[at as usize] = start + 1;
                self.way.push(at);
                at = self.on[at as usize];
            }
            if at == NOBODY {
                continue;
            }
            if self.walk[at as usize] == start + 1 {
                self.collect(at);
            }
            let (circle, mut steps) = self.leads[at as usize];
            while let Some(agent) = self.way.pop() {
                steps += 1;
                self.leads[agent as usize] = (circle, steps);
            }
        }
        self.circles.sort_unstable_by_key(|&(first, _)| self.members[first]);
        self.circles.iter().map(|&(first, length)| &self.members[first..first + length])
    }

    /// The lowest member of the circle that an agent's waiting leads into, and over how many steps: 0 for a member of
    /// it. As of the last [`WaitForGraph::circles`].
    pub fn leads_to(&self, agent: AgentId) -> Option<(AgentId, u32)> {
        let (circle, steps) = self.leads[agent.index()];
        (circle != NOBODY).then_some((AgentId(circle), steps))
    }

    /// Writes down the circle that an agent is in, and takes it off the way that led there.
    fn collect(&mut self, met: u32) {
        let first = self.members.len();
        let mut at = met;
        loop {
            self.members.push(AgentId(at));
            at = self.on[at as usize];
            if at == met {
                break;
            }
        }
        let circle = &mut self.members[first..];
        let lowest = (0..circle.len()).min_by_key(|&i| circle[i]).unwrap_or(0);
        circle.rotate_left(lowest);
        for agent in &*circle {
            self.leads[agent.index()] = (circle[0].0, 0);
        }
        self.way.truncate(self.way.len() - circle.len());
        self.circles.push((first, circle.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut waits = WaitForGraph::default();
        waits.begin(10);
        for &(agent, on) in edges {
            waits.wait(AgentId(agent), AgentId(on));
        }
        waits.circles().map(|circle| circle.iter().map(|agent| agent.0).collect()).collect()
    }

    #[test]
    fn circles_are_found_and_chains_are_none() {
        assert_eq!(circles(&[]), Vec::<Vec<u32>>::new());
        assert_eq!(circles(&[(0, 1), (1, 2), (2, 3)]), Vec::<Vec<u32>>::new());
        assert_eq!(circles(&[(3, 5), (5, 3)]), [[3, 5]]);
    }

    #[test]
    fn the_circle_with_the_lowest_member_comes_first_and_begins_with_it() {
        // 0 leads into the circle of 6 and 7 before the one of 2, 9, 4 is met.
        let edges = [(0, 7), (7, 6), (6, 7), (4, 2), (2, 9), (9, 4), (1, 4)];
        assert_eq!(circles(&edges), [vec![2, 9, 4], vec![6, 7]]);
    }

    #[test]
    fn who_waits_behind_a_circle_knows_which_and_how_far() {
        let mut waits = WaitForGraph::default();
        waits.begin(10);
        for (agent, on) in [(0, 5), (5, 7), (7, 6), (6, 7), (8, 5), (1, 2)] {
            waits.wait(AgentId(agent), AgentId(on));
        }
        assert_eq!(waits.circles().count(), 1);
        let leads = [0, 5, 6, 7, 8, 1, 2].map(|agent| waits.leads_to(AgentId(agent)));
        let circle = |steps| Some((AgentId(6), steps));
        assert_eq!(leads, [circle(2), circle(1), circle(0), circle(0), circle(2), None, None]);
    }
}
