//! Apps without a window: each test ticks a crowd by the fixed steps of an app.

mod crowds;
mod debug;
mod equality;
mod events;
mod hierarchy;
mod inputs;
mod motion;
mod support;
