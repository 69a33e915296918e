//! Planners that need no algorithm: one that moves nobody, and one made of a closure.

use super::Planner;
use crate::{Limits, MapKnowledge, Moves, Sharing, StateError, StepTime, View, Work};

/// A planner that moves no agent. The world uses it while the real planner is borrowed, and playback uses it
/// throughout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stationary;

impl Planner for Stationary {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(*self)
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// A planner made of a closure that proposes the moves. It has no state to save.
#[derive(Clone, Copy)]
pub struct Scripted<F>(pub F);

impl<F: FnMut(&View<'_>, &mut Moves) + Clone + Send + Sync + 'static> Planner for Scripted<F> {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, view: &View<'_>, _: &mut Work<'_>, moves: &mut Moves) {
        (self.0)(view, moves);
    }

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}
