//! The models that are part of the program, one per sharing setting and kind of budget, and the fallbacks.
//!
//! A model with one planner says that a choice does not pay: then no features are computed.

use throng_crowd::Sharing;

/// Expansions per agent and tick below which a budget is small for the planner `auto`, which has models of its own for small
/// budgets.
pub const SMALL_BUDGET: u64 = 64;

/// The planners that plan without a model: the first that the world allows. The last one needs nothing.
pub(super) const FALLBACKS: [&str; 4] = ["surge", "whca:window=8", "bmaa-c", "bmaa"];

/// The file of a model.
macro_rules! model {
    ($name:literal) => {
        include_bytes!(concat!("../../models/", $name, ".model"))
    };
}

/// Returns the model files for an ample and for a small budget. `throng select train auto` makes them.
pub(super) const fn models(sharing: Sharing) -> [&'static [u8]; 2] {
    match sharing {
        Sharing::Nothing => [model!("nothing-ample"), model!("nothing-small")],
        Sharing::MoveRequests => [model!("moves-ample"), model!("moves-small")],
        Sharing::Reservations => [model!("reservations-ample"), model!("reservations-small")],
        Sharing::Everything => [model!("everything-ample"), model!("everything-small")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_select::Model;

    #[test]
    fn every_model_is_whole_and_all_together_are_small() {
        let mut bytes = 0;
        for sharing in [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything] {
            for file in models(sharing) {
                let model = Model::read(file).unwrap();
                assert!(!model.portfolio().is_empty() && model.margin() >= 0, "{}", model.note());
                bytes += file.len();
            }
        }
        assert!(bytes < 300_000, "{bytes} bytes");
    }
}
