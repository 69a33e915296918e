//! Path mode: one search on the map as it is, with the cells in the order in which they were expanded, its bounds, and what
//! the agent of a real-time search learned and did.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use throng::{Cell, Cost, Cpd, CpdBuilder, Ground, WalkTrace, any_search};
use throng_cpd::{search_infos, sequential};

use crate::hub::{Client, Packet};
use crate::message::{At, error, json, pos};

/// The largest number of expanded cells that are sent, and of learned and visited ones.
const MAX_EXPANDED: usize = 300_000;

/// The largest number of searches at a time.
const MAX_RUNNING: usize = 2;

/// How long a path database may take to build.
const DATABASE_TIME: Duration = Duration::from_mins(1);

/// What a browser asks for.
#[derive(Debug)]
pub(crate) struct PathQuery {
    /// The map before all strokes, which path databases know.
    pub(crate) before: Arc<Ground>,
    pub(crate) now: Ground,
    /// The search with its parameters.
    pub(crate) search: String,
    /// Start and goal.
    pub(crate) ends: [At; 2],
}

/// The result of a search, and how it got there. Costs are in units of which a straight step has [`PathReport::step`].
#[derive(Debug, Serialize)]
struct PathReport<'a> {
    search: &'a str,
    from: At,
    to: At,
    step: Cost,
    /// Cost of the path; `None` if there is no path.
    cost: Option<Cost>,
    /// A proven lower bound of the cost.
    bound: Option<Cost>,
    expansions: u64,
    /// The cells of the path.
    path: Vec<u32>,
    /// Expanded cells in order; empty for a search whose nodes are not cells.
    expanded: &'a [u32],
    /// Lower bound and cost of the best known path at each expansion, `null` for none; empty without bounds.
    lower: Vec<Cost>,
    upper: Vec<Option<Cost>>,
    /// What a real-time search did.
    walk: Option<WalkReport>,
    microseconds: u64,
    caveat: Option<&'a str>,
    /// Whether the search follows a path database of the map before all strokes, and whether the map has changed since.
    database: Option<bool>,
}

/// The turns of a real-time search: the numbers of cells that were expanded, raised and visited up to the end of each.
#[derive(Debug, Serialize)]
struct WalkReport {
    turns: Vec<[u32; 3]>,
    raised: Vec<(u32, Cost)>,
    visited: Vec<u32>,
    /// Whether later turns are left out.
    cut: bool,
}

/// The last path database, and the fingerprint of its map.
type Database = Arc<Mutex<Option<(u64, Arc<Cpd>)>>>;

/// Counts the searches that run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running {
    count: Arc<AtomicUsize>,
    database: Database,
}

impl Running {
    /// Searches on a thread of its own and sends the result to a browser.
    pub(crate) fn start(&self, query: PathQuery, client: Arc<Client>) {
        if self.count.fetch_add(1, Ordering::Relaxed) >= MAX_RUNNING {
            self.count.fetch_sub(1, Ordering::Relaxed);
            client.reply(error("path", "other searches are still running"));
            return;
        }
        let (running, asker) = (self.clone(), Arc::clone(&client));
        let spawned = std::thread::Builder::new().name("view-path".into()).spawn(move || {
            let found = std::panic::catch_unwind(|| find(&query, &running.database));
            let found = found.unwrap_or_else(|_| Err("the search failed: a bug of throng".to_owned()));
            running.count.fetch_sub(1, Ordering::Relaxed);
            client.reply(found.unwrap_or_else(|reason| error("path", &reason)));
        });
        if spawned.is_err() {
            self.count.fetch_sub(1, Ordering::Relaxed);
            asker.reply(error("path", "no thread could be started"));
        }
    }
}

/// Returns the path database of a map; the last one is kept.
fn database(ground: &Ground, kept: &Database) -> Result<Arc<Cpd>, String> {
    let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |(of, _): &&(u64, Arc<Cpd>)| *of == ground.fingerprint();
    if let Some((_, known)) = lock().as_ref().filter(is_same) {
        return Ok(Arc::clone(known));
    }
    let (mut builder, begun) = (CpdBuilder::new(ground), Instant::now());
    while builder.advance(&sequential).is_some() {
        if begun.elapsed() > DATABASE_TIME {
            return Err(
                "the path database of this map takes more than a minute: choose a smaller map".to_owned()
            );
        }
    }
    let built = Arc::new(builder.finish());
    *lock() = Some((ground.fingerprint(), Arc::clone(&built)));
    Ok(built)
}

fn find(query: &PathQuery, kept: &Database) -> Result<Packet, String> {
    let PathQuery { before, now: ground, search: name, ends: [from, to] } = query;
    let free = |at: At| ground.cell(pos(at)).filter(|&cell| ground.is_free(cell));
    let (Some(start), Some(goal)) = (free(*from), free(*to)) else {
        return Err("start and goal must be free cells of the map".to_owned());
    };
    let plain = throng::grid::spec::split(name).0;
    let uses_database = search_infos().any(|info| info.name == plain);
    let cpd = if uses_database { Some(database(before, kept)?) } else { None };
    let mut search = any_search(name, cpd.as_ref()).map_err(|error| error.to_string())?;
    search.set_tracing(true);
    search.prepare(ground).map_err(|error| error.to_string())?;
    let mut path: Vec<Cell> = Vec::new();
    let begin = Instant::now();
    let result = search.find(ground, start, goal, &mut path).map_err(|error| error.to_string())?;
    let microseconds = begin.elapsed().as_micros() as u64;
    let expanded = &search.expanded()[..search.expanded().len().min(MAX_EXPANDED)];
    let trace = search.trace();
    let bounds = &trace.bounds[..trace.bounds.len().min(expanded.len())];
    Ok(json(
        "path",
        &PathReport {
            search: name,
            from: *from,
            to: *to,
            step: throng::grid::moves::STRAIGHT,
            cost: result.cost,
            bound: result.cost.map(|_| result.lower_bound),
            expansions: result.expansions,
            path: path.iter().map(|cell| cell.0).collect(),
            expanded,
            lower: bounds.iter().map(|bounds| bounds.lower).collect(),
            upper: bounds.iter().map(|bounds| Some(bounds.upper).filter(|&cost| cost != Cost::MAX)).collect(),
            walk: trace.walk.map(walk),
            microseconds,
            caveat: search.caveat(),
            database: uses_database.then(|| before.fingerprint() != ground.fingerprint()),
        },
    ))
}

/// Returns the turns of a walk, as many as are sent.
fn walk(trace: &WalkTrace) -> WalkReport {
    let all = trace.turns().iter().map(|turn| [turn.expanded, turn.raised, turn.visited]);
    let turns: Vec<[u32; 3]> =
        all.take_while(|turn| turn.iter().all(|&count| count as usize <= MAX_EXPANDED)).collect();
    let [_, raised, visited] = turns.last().copied().unwrap_or([0, 0, 1]).map(|count| count as usize);
    WalkReport {
        raised: trace.raised()[..raised].iter().map(|&(cell, increment)| (cell.0, increment)).collect(),
        visited: trace.visited()[..visited].iter().map(|cell| cell.0).collect(),
        cut: trace.is_cut() || turns.len() < trace.turns().len(),
        turns,
    }
}
