#![doc = include_str!("../README.md")]

mod enums;
mod handles;
mod library;
mod map;
mod memory;
mod status;
mod types;
mod world;

pub use enums::*;
pub use library::*;
pub use map::*;
pub use status::ThrongStatus;
pub use types::*;
pub use world::*;
