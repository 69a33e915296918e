//! The documents outside the crates, so that their Rust examples are compiled and run with the documentation tests.

#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;

    #[doc = include_str!("../../docs/guide.md")]
    struct Guide;
}
