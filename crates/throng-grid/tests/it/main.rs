//! Integration tests, in one binary so that they link once.

mod formats;
mod mutations;
mod real_maps;
