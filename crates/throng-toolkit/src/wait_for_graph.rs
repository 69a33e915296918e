//! Wait-for graph: which agent waits for which, and the cycles in it, which are deadlocks.
//!
//! Each agent waits for at most one other, so every node has at most one successor. Marking the nodes along each chain
//! finds every cycle in time linear in the number of agents.

use throng_crowd::AgentRow;

const NOBODY: u32 = u32::MAX;

/// A graph in which each agent waits for at most one other.
#[derive(Clone, Debug, Default)]
pub struct WaitForGraph {
    on: Vec<u32>,
    /// The number of the chain in which each agent was first visited, from 1.
    chain: Vec<u32>,
    members: Vec<AgentRow>,
    /// The start of each cycle in `members`, and its length.
    cycles: Vec<(usize, usize)>,
    /// Per agent: the lowest member of the cycle that its chain leads into, and the number of steps.
    leads: Vec<(u32, u32)>,
    /// Scratch: the agents of the present chain.
    path: Vec<u32>,
}

impl WaitForGraph {
    /// Removes all edges. Agents have the numbers below `id_limit`.
    pub fn begin(&mut self, id_limit: usize) {
        self.on.clear();
        self.on.resize(id_limit, NOBODY);
    }

    /// Adds an edge: one agent waits for another.
    pub fn wait(&mut self, agent: AgentRow, on: AgentRow) {
        self.on[agent.index()] = on.0;
    }

    /// Returns the cycles. Each begins with its lowest member and continues with the agent that it waits for. The cycle with
    /// the lowest member comes first.
    pub fn cycles(&mut self) -> impl Iterator<Item = &[AgentRow]> {
        self.chain.clear();
        self.chain.resize(self.on.len(), 0);
        self.leads.clear();
        self.leads.resize(self.on.len(), (NOBODY, 0));
        self.members.clear();
        self.cycles.clear();
        for start in 0..self.on.len() as u32 {
            let mut at = start;
            self.path.clear();
            while at != NOBODY && self.chain[at as usize] == 0 {
                self.chain[at as usize] = start + 1;
                self.path.push(at);
                at = self.on[at as usize];
            }
            if at == NOBODY {
                continue;
            }
            if self.chain[at as usize] == start + 1 {
                self.collect(at);
            }
            let (cycle, mut steps) = self.leads[at as usize];
            while let Some(agent) = self.path.pop() {
                steps += 1;
                self.leads[agent as usize] = (cycle, steps);
            }
        }
        self.cycles.sort_unstable_by_key(|&(first, _)| self.members[first]);
        self.cycles.iter().map(|&(first, length)| &self.members[first..first + length])
    }

    /// Returns the lowest member of the cycle that an agent's chain leads into, and the number of steps: 0 for a member.
    /// Refers to the last call of [`WaitForGraph::cycles`].
    pub fn leads_to(&self, agent: AgentRow) -> Option<(AgentRow, u32)> {
        let (cycle, steps) = self.leads[agent.index()];
        (cycle != NOBODY).then_some((AgentRow(cycle), steps))
    }

    /// Stores the cycle that an agent is in, and removes its members from the present chain.
    fn collect(&mut self, member: u32) {
        let first = self.members.len();
        let mut at = member;
        loop {
            self.members.push(AgentRow(at));
            at = self.on[at as usize];
            if at == member {
                break;
            }
        }
        let cycle = &mut self.members[first..];
        let lowest = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
        cycle.rotate_left(lowest);
        for agent in &*cycle {
            self.leads[agent.index()] = (cycle[0].0, 0);
        }
        self.path.truncate(self.path.len() - cycle.len());
        self.cycles.push((first, cycle.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut graph = WaitForGraph::default();
        graph.begin(10);
        for &(agent, on) in edges {
            graph.wait(AgentRow(agent), AgentRow(on));
        }
        graph.cycles().map(|cycle| cycle.iter().map(|agent| agent.0).collect()).collect()
    }

    #[test]
    fn cycles_are_found_and_chains_are_not_cycles() {
        assert_eq!(cycles(&[]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(&[(0, 1), (1, 2), (2, 3)]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(&[(3, 5), (5, 3)]), [[3, 5]]);
    }

    #[test]
    fn the_cycle_with_the_lowest_member_comes_first_and_begins_with_it() {
        // Agent 0 leads into the cycle of 6 and 7 before that of 2, 9 and 4 is found.
        let edges = [(0, 7), (7, 6), (6, 7), (4, 2), (2, 9), (9, 4), (1, 4)];
        assert_eq!(cycles(&edges), [vec![2, 9, 4], vec![6, 7]]);
    }

    #[test]
    fn an_agent_behind_a_cycle_knows_the_cycle_and_the_steps() {
        let mut graph = WaitForGraph::default();
        graph.begin(10);
        for (agent, on) in [(0, 5), (5, 7), (7, 6), (6, 7), (8, 5), (1, 2)] {
            graph.wait(AgentRow(agent), AgentRow(on));
        }
        assert_eq!(graph.cycles().count(), 1);
        let leads = [0, 5, 6, 7, 8, 1, 2].map(|agent| graph.leads_to(AgentRow(agent)));
        let cycle = |steps| Some((AgentRow(6), steps));
        assert_eq!(leads, [cycle(2), cycle(1), cycle(0), cycle(0), cycle(2), None, None]);
    }
}
