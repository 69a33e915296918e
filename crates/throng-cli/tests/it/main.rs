//! Tests of the binary `throng`, driven as a user drives it.

mod cpd;
mod crowd;
mod demo;
mod explain;
mod fetch;
mod help;
mod kills;
mod lab;
mod list;
mod map;
mod path;
mod report;
mod run;
mod scenario;
mod server;
