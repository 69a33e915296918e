//! The server as browsers and strangers meet it: over a socket.

mod browser;
mod crowds;
mod results;
mod soak_clients;
mod strangers;
