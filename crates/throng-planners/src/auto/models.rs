//! The models that are part of the program, one per sharing setting and kind of budget, and the fallbacks.

use throng_crowd::Sharing;

/// Expansions per agent and tick below which a budget is small and has a model of its own.
pub(super) const SMALL_BUDGET: u64 = 64;

/// The planners that plan without a model: the first that the world allows. The last one needs nothing.
pub(super) const FALLBACKS: [&str; 4] = ["surge", "whca:window=8", "bmaa-c", "bmaa"];

/// Returns the model files for an ample and for a small budget; none where the program has no model.
pub(super) const fn models(sharing: Sharing) -> Option<[&'static [u8]; 2]> {
    match sharing {
        Sharing::Nothing | Sharing::MoveRequests | Sharing::Reservations | Sharing::Everything => None,
    }
}
