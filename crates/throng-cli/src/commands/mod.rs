//! One module a command: its arguments, and what it prints.

pub(crate) mod cpd;
pub(crate) mod crowd;
pub(crate) mod demo;
pub(crate) mod dynamic;
pub(crate) mod explain;
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod map;
pub(crate) mod maps;
mod outcome;
pub(crate) mod path;
mod patrol;
pub(crate) mod replay;
mod scenario;
