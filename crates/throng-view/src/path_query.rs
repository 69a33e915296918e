//! Path mode: one search on the map as it is, with the cells in the order in which they were expanded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::Serialize;
use throng::{Cell, Ground, Pos, any_search};

use crate::hub::{Client, Packet};
use crate::message::{At, at, error, json};

/// The largest number of expanded cells that are sent.
const MAX_EXPANDED: usize = 300_000;

/// The largest number of searches at a time.
const MAX_RUNNING: usize = 2;

/// The result of a search, and how it got there.
#[derive(Debug, Serialize)]
struct PathReport<'a> {
    search: &'a str,
    from: At,
    to: At,
    /// Length of the path in steps of length one; `None` if there is no path.
    length: Option<f64>,
    /// A proven lower bound of the length.
    bound: Option<f64>,
    expansions: u64,
    /// The cells of the path.
    path: Vec<u32>,
    /// Expanded cells in order; empty for a search whose nodes are not cells.
    expanded: &'a [u32],
    microseconds: u64,
    caveat: Option<&'a str>,
}

/// Counts the searches that run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<AtomicUsize>);

impl Running {
    /// Searches on a thread of its own and sends the result to a browser.
    pub(crate) fn start(&self, ground: Ground, search: String, [from, to]: [Pos; 2], client: Arc<Client>) {
        if self.0.fetch_add(1, Ordering::Relaxed) >= MAX_RUNNING {
            self.0.fetch_sub(1, Ordering::Relaxed);
            client.reply(error("path", "other searches are still running"));
            return;
        }
        let (running, asker) = (Arc::clone(&self.0), Arc::clone(&client));
        let spawned = std::thread::Builder::new().name("view-path".into()).spawn(move || {
            let answer = find(&ground, &search, from, to).unwrap_or_else(|reason| error("path", &reason));
            running.fetch_sub(1, Ordering::Relaxed);
            client.reply(answer);
        });
        if spawned.is_err() {
            self.0.fetch_sub(1, Ordering::Relaxed);
            asker.reply(error("path", "no thread could be started"));
        }
    }
}

fn find(ground: &Ground, name: &str, from: Pos, to: Pos) -> Result<Packet, String> {
    let free = |pos: Pos| ground.cell(pos).filter(|&cell| ground.is_free(cell));
    let (Some(start), Some(goal)) = (free(from), free(to)) else {
        return Err("start and goal must be free cells of the map".to_owned());
    };
    let mut search = any_search(name, None).map_err(|error| error.to_string())?;
    search.prepare(ground).map_err(|error| error.to_string())?;
    let mut path: Vec<Cell> = Vec::new();
    let begin = Instant::now();
    let result = search.find(ground, start, goal, &mut path).map_err(|error| error.to_string())?;
    let microseconds = begin.elapsed().as_micros() as u64;
    let length = |cost: throng::Cost| f64::from(cost) / f64::from(throng::grid::moves::STRAIGHT);
    let expanded = search.expanded();
    Ok(json(
        "path",
        &PathReport {
            search: name,
            from: at(from),
            to: at(to),
            length: result.cost.map(length),
            bound: result.cost.map(|_| length(result.lower_bound)),
            expansions: result.expansions,
            path: path.iter().map(|cell| cell.0).collect(),
            expanded: &expanded[..expanded.len().min(MAX_EXPANDED)],
            microseconds,
            caveat: search.caveat(),
        },
    ))
}
