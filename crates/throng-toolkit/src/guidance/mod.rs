//! Guidance that agents share: flow annotations (one-way streets) and direction maps.

pub(crate) mod direction;
pub(crate) mod flow;
