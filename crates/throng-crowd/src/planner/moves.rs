//! What a planner proposes.

use throng_grid::Cell;

use crate::AgentRow;

/// The proposals of a planner for one tick, one per agent.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    proposals: Vec<Proposal>,
    /// Agents that discovered that a cell of their path is blocked, and the cell.
    pub(crate) discoveries: Vec<(AgentRow, Cell)>,
    /// What the planner reports about itself.
    pub(crate) notices: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    /// The proposed cell; `None` if the agent stays.
    pub(crate) to: Option<Cell>,
    /// The cell that the agent wanted and did not get, and the agent that holds or enters it.
    pub(crate) wanted: Option<(Cell, Option<AgentRow>)>,
    /// The agent for which it makes room.
    pub(crate) pushed_by: Option<AgentRow>,
}

impl Moves {
    pub(crate) fn clear(&mut self, id_limit: usize) {
        self.discoveries.clear();
        self.notices.clear();
        self.proposals.clear();
        self.proposals.resize(id_limit, Proposal { to: None, wanted: None, pushed_by: None });
    }

    pub(crate) fn proposal(&self, agent: AgentRow) -> Proposal {
        self.proposals[agent.index()]
    }

    /// Proposes that the agent steps to a neighbouring cell, or stays if that is its own cell.
    #[inline]
    pub fn go(&mut self, agent: AgentRow, to: Cell) {
        self.proposals[agent.index()].to = Some(to);
    }

    /// Reports that the agent stays although it wanted a cell, because a unit holds it, or another agent enters it or
    /// crosses the step. `by` is `None` for a foreign unit.
    #[inline]
    pub fn wait(&mut self, agent: AgentRow, wanted: Cell, by: Option<AgentRow>) {
        let proposal = &mut self.proposals[agent.index()];
        proposal.to = None;
        proposal.wanted = Some((wanted, by));
    }

    /// Proposes that the agent steps aside for another.
    #[inline]
    pub fn push(&mut self, agent: AgentRow, to: Cell, by: AgentRow) {
        let proposal = &mut self.proposals[agent.index()];
        proposal.to = Some(to);
        proposal.pushed_by = Some(by);
    }

    /// Replaces whatever was proposed for the agent by a step to a neighbouring cell, or to its own. For planners that
    /// change the proposals of another planner.
    #[inline]
    pub fn replace(&mut self, agent: AgentRow, to: Cell) {
        self.proposals[agent.index()] = Proposal { to: Some(to), wanted: None, pushed_by: None };
    }

    /// Reports that the agent has discovered that the step of its path into a cell is not possible.
    pub fn discover(&mut self, agent: AgentRow, cell: Cell) {
        self.discoveries.push((agent, cell));
    }

    /// Reports something about the planner itself, such as a choice and its reasons, as [`Event::Notice`](crate::Event::Notice).
    pub fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(text.into());
    }

    /// Returns the proposed cell of an agent.
    pub fn to(&self, agent: AgentRow) -> Option<Cell> {
        self.proposals[agent.index()].to
    }
}
