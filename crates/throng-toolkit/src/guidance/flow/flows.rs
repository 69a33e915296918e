//! The flow annotations of grounds with different profiles.

use throng_grid::Ground;

use super::Flow;

/// The flow annotations of a grid's grounds, made when they are needed.
#[derive(Clone, Debug)]
pub struct Flows {
    /// Whether flow annotations are used.
    on: bool,
    flows: Vec<Flow>,
}

impl Flows {
    /// Returns an empty list. If flow annotations are not used, it stays empty.
    pub const fn new(on: bool) -> Self {
        Self { on, flows: Vec::new() }
    }

    /// Brings the flow annotation of a ground up to date.
    pub fn prepare(&mut self, ground: &Ground) {
        if !self.on {
            return;
        }
        match self.flows.iter_mut().find(|flow| flow.profile() == ground.profile()) {
            Some(flow) => flow.follow(ground),
            None => self.flows.push(Flow::of(ground)),
        }
    }

    /// Returns the flow annotation of a ground, if it has been prepared.
    pub fn of(&self, ground: &Ground) -> Option<&Flow> {
        self.flows.iter().find(|flow| flow.profile() == ground.profile())
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.flows.iter().map(Flow::memory_bytes).sum()
    }
}
