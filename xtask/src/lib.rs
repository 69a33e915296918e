//! The documents outside the crates, so that their Rust examples are compiled and run with the documentation tests.

#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;

    #[doc = include_str!("../../docs/guide.md")]
    struct Guide;

    #[doc = include_str!("../../crates/throng-grid/README.md")]
    struct Grid;

    #[doc = include_str!("../../crates/throng-search/README.md")]
    struct Search;

    #[doc = include_str!("../../crates/throng-cpd/README.md")]
    struct Cpd;

    #[doc = include_str!("../../crates/throng-crowd/README.md")]
    struct Crowd;

    #[doc = include_str!("../../crates/throng-planners/README.md")]
    struct Planners;
}
