//! The limits on what browsers may send and ask for.

use throng_lab::limits::Limit;

use crate::connection::MAX_CLIENTS;
use crate::http::MAX_HEAD;
use crate::rate::{MAX_ORDER, MAX_UPLOAD};
use crate::setup::{MAX_AGENTS, MAX_AREA};
use crate::upload::MAX_WAITING_BYTES;

/// The limits of the live page.
pub const LIMITS: &[Limit] = &[
    Limit {
        name: "page-request",
        max: MAX_HEAD as u64,
        unit: "bytes",
        what: "the head of a request",
        reason: "browsers send below 2 kB",
    },
    Limit {
        name: "page-order",
        max: MAX_ORDER as u64,
        unit: "bytes",
        what: "a message",
        reason: "an order to 20,000 agents",
    },
    Limit {
        name: "page-upload",
        max: MAX_UPLOAD as u64,
        unit: "bytes",
        what: "a map or recording that is uploaded",
        reason: "twice the largest map",
    },
    Limit {
        name: "page-waiting",
        max: MAX_WAITING_BYTES as u64,
        unit: "bytes",
        what: "uploads that wait to be read, of all browsers",
        reason: "two of the largest",
    },
    Limit {
        name: "page-clients",
        max: MAX_CLIENTS as u64,
        unit: "browsers",
        what: "a page",
        reason: "each has two threads and a queue of 2 MB",
    },
    Limit {
        name: "page-agents",
        max: MAX_AGENTS as u64,
        unit: "agents",
        what: "a crowd on the page",
        reason: "a tick of them is sent in time",
    },
    Limit {
        name: "page-cells",
        max: MAX_AREA as u64,
        unit: "cells",
        what: "a map on the page",
        reason: "2048×2048, which a browser draws",
    },
];
