//! The live page: a server on one address that runs a crowd, sends every tick to the browsers that watch, and carries out
//! what they ask for.
//!
//! ```text
//! browser ──JSON──▶ connection ──Request──▶ session: owns the worlds, ticks, encodes ──Packet──▶ hub ──▶ connections ──▶ browsers
//! ```
//!
//! One thread owns the worlds (`session.rs`). Each connection has a thread that reads and one that writes; they share nothing
//! with the simulation but a bounded queue of requests and a bounded queue of packets. A tick is encoded once, as the
//! difference to the tick before. A browser that reads too slowly loses its queue and is sent the whole state when it has
//! caught up, so that the simulation never waits for a browser. Searches of path mode, reports and repeated runs have threads of
//! their own.
//!
//! The server is synchronous: it has few connections that live long, two threads each, and no need of an asynchronous
//! runtime. `docs/view.md` has the measurements and describes the messages.

mod assets;
mod catalog;
mod connection;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod http;
mod hub;
mod inspect;
pub mod limits;
mod message;
mod path_query;
mod rate;
mod replay;
mod results;
mod scene;
mod server;
mod session;
mod setup;
mod strokes;
mod upload;

pub use results::ResultFolders;
pub use server::{Options, Server, ServerError, Stopper};
pub use setup::{MapSource, Setup, SetupError};
