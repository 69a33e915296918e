//! Integration tests, in one binary to link once.

mod formats;
mod mutations;
mod real_maps;
