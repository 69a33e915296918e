//! Tests of the binary `throng`, called as a user calls it.

mod advise;
mod compare;
mod cpd;
mod demo;
mod evil;
mod explain;
mod faults;
mod fetch;
mod fetch_server;
mod help;
mod lab;
mod lab_interrupted;
mod lab_report;
mod list;
mod map;
mod path;
mod path_scenario;
mod replay;
mod run;
mod select;
mod support;
mod view;
