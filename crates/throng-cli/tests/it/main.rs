//! Tests of the binary `throng`, driven as a user drives it.

mod fetch;
mod server;
