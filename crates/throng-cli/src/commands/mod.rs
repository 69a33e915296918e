//! The commands: one module per command, with its arguments and what it prints.

pub(crate) mod advise;
pub(crate) mod compare;
pub(crate) mod cpd;
mod crowd;
pub(crate) mod demo;
pub(crate) mod dynamic;
pub(crate) mod explain;
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod map;
pub(crate) mod maps;
pub(crate) mod path;
pub(crate) mod replay;
pub(crate) mod run;
mod run_result;
pub(crate) mod select;
pub(crate) mod view;
