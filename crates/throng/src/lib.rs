#![doc = include_str!("../../../README.md")]

pub use throng_grid as grid;
pub use throng_search as search;
