//! Time-sliced search: the scheduler of searches that may outlast a tick.
//!
//! A planner starts searches for its agents, advances them in rounds within the work that a tick grants, and takes the
//! results. Each round gives the same number of expansions to several searches, which run in parallel. When work is
//! scarce, fewer searches advance, in the order in which they were started. Searches that are not finished when the work
//! is used up stay in the queue and go on in the next tick, unless the planner drops them because their circumstances
//! have changed ([`PausedSearch`](crate::PausedSearch)). Slots of finished searches keep their memory for the next ones.
//!
//! ```text
//! queue.retain(is_current);
//! loop {
//!     start searches for waiting agents;
//!     let Some(grant) = SLICING.grant(work, work.left(), queue.len()) else { break };
//!     work.spend(queue.advance(executor, grant, advance_one));
//!     queue.deliver(take_result);
//! }
//! pause each search that is left;
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize, Serializer};
use throng_crowd::{AgentRow, Executor, Work};

use crate::run_parallel;

/// A search that runs in slices.
pub trait TimeSliced: Send {
    /// The agent that the search is for.
    fn agent(&self) -> AgentRow;

    /// Returns true if the search has a result, or knows that there is none.
    fn is_done(&self) -> bool;

    /// Drops what only a running search needs. Called when the search leaves the queue; its buffers stay for the next
    /// search.
    fn release(&mut self) {}

    /// Returns the cells expanded so far, in order; nothing if the search does not list them.
    fn expanded(&self) -> &[u32] {
        &[]
    }
}

/// How the searches of a queue share the work of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Slicing {
    /// The most searches that advance in one round.
    pub at_once: usize,
    /// The most expansions of one search in one round. Rounds are short, so that a clock that is read between rounds
    /// stops the planner in time.
    pub slice: u64,
    /// When work is scarce, fewer searches advance, so that each gets at least this many expansions.
    pub min_share: u64,
}

/// A round of work that was granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The number of searches that advance, from the front of the queue.
    pub count: usize,
    /// The most expansions of each.
    pub share: u64,
}

impl Slicing {
    /// Returns how many searches can advance in a round of at most `left` expansions. At least one, even if nothing is
    /// left.
    pub fn affordable(&self, left: u64) -> usize {
        (left / self.min_share).clamp(1, self.at_once as u64) as usize
    }

    /// Asks for a round of at most `left` expansions for a queue of `len` searches. Returns `None` if no search is
    /// running or no work is left. The caller reports what the round cost by [`Work::spend`].
    pub fn grant(&self, work: &mut Work<'_>, left: u64, len: usize) -> Option<Grant> {
        let count = self.affordable(left).min(len);
        let share = self.slice.min(left.checked_div(count as u64)?);
        (share > 0 && work.round(share * count as u64)).then_some(Grant { count, share })
    }
}

/// Searches in progress, in the order in which they were started.
///
/// `W` is the scratch memory of one thread, for searches that need it only while they advance. A queue is saved as the
/// list of the searches in progress.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Vec<S>", bound(deserialize = "S: Deserialize<'de>"))]
pub struct SearchQueue<S, W = ()> {
    /// The first `len` are in progress. The others are spare memory.
    slots: Vec<S>,
    len: usize,
    workers: Vec<W>,
}

impl<S, W> Default for SearchQueue<S, W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S, W> SearchQueue<S, W> {
    /// Returns an empty queue.
    pub const fn new() -> Self {
        Self { slots: Vec::new(), len: 0, workers: Vec::new() }
    }

    /// Returns the number of searches in progress.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if no search is in progress.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the searches in progress.
    pub fn searches(&self) -> &[S] {
        &self.slots[..self.len]
    }

    /// Returns the searches in progress.
    pub fn searches_mut(&mut self) -> &mut [S] {
        &mut self.slots[..self.len]
    }

    /// Returns every search, spare ones included, whose memory the queue holds.
    pub fn slots(&self) -> &[S] {
        &self.slots
    }

    /// Returns the scratch memory of the threads used so far.
    pub fn workers(&self) -> &[W] {
        &self.workers
    }
}

impl<S, W> From<Vec<S>> for SearchQueue<S, W> {
    fn from(searches: Vec<S>) -> Self {
        Self { len: searches.len(), slots: searches, workers: Vec::new() }
    }
}

impl<S: Serialize, W> Serialize for SearchQueue<S, W> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        self.searches().serialize(serializer)
    }
}

impl<S: TimeSliced, W: Default + Send> SearchQueue<S, W> {
    /// Returns true if a search for this agent is in progress.
    pub fn is_running(&self, agent: AgentRow) -> bool {
        self.searches().iter().any(|search| search.agent() == agent)
    }

    /// Appends a search. The caller sets it up: the slot holds a default value or an earlier search.
    pub fn start(&mut self) -> &mut S
    where
        S: Default,
    {
        self.start_at(self.len)
    }

    /// Inserts a search before the one at `position`, as [`SearchQueue::start`] does.
    pub fn start_at(&mut self, position: usize) -> &mut S
    where
        S: Default,
    {
        if self.len == self.slots.len() {
            self.slots.push(S::default());
        }
        self.slots[position..=self.len].rotate_right(1);
        self.len += 1;
        &mut self.slots[position]
    }

    /// Advances the first searches, in parallel, and returns their expansions. `advance` gets the limit of one search
    /// and returns what it used. It must not depend on anything that another search changes.
    pub fn advance(
        &mut self,
        executor: &dyn Executor,
        grant: Grant,
        advance: impl Fn(&mut S, &mut W, u64) -> u64 + Sync,
    ) -> u64 {
        let spent = AtomicU64::new(0);
        let each = |search: &mut S, worker: &mut W| {
            spent.fetch_add(advance(search, worker, grant.share), Ordering::Relaxed);
        };
        run_parallel(executor, &mut self.slots[..grant.count], &mut self.workers, W::default, each);
        spent.into_inner()
    }

    /// Passes each finished search to the caller and removes it.
    pub fn deliver(&mut self, mut take: impl FnMut(&mut S)) {
        self.retain(|search| {
            let done = search.is_done();
            if done {
                take(search);
            }
            !done
        });
    }

    /// Removes the searches that fail a test. The others keep their order.
    pub fn retain(&mut self, mut test: impl FnMut(&mut S) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if test(&mut self.slots[i]) {
                self.slots.swap(kept, i);
                kept += 1;
            } else {
                self.slots[i].release();
            }
        }
        self.len = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::{Budget, Sequential};

    /// A search that needs a number of expansions.
    #[derive(Clone, Debug, Default)]
    struct Countdown {
        agent: u32,
        left: u64,
        released: bool,
    }

    impl TimeSliced for Countdown {
        fn agent(&self) -> AgentRow {
            AgentRow(self.agent)
        }

        fn is_done(&self) -> bool {
            self.left == 0
        }

        fn release(&mut self) {
            self.released = true;
        }
    }

    const SLICING: Slicing = Slicing { at_once: 4, slice: 10, min_share: 5 };

    fn queue(lengths: &[u64]) -> SearchQueue<Countdown> {
        let mut queue = SearchQueue::new();
        for (agent, &left) in (0..).zip(lengths) {
            *queue.start() = Countdown { agent, left, released: false };
        }
        queue
    }

    /// Runs a queue for a tick of this many expansions and returns the agents in the order of delivery.
    fn tick(queue: &mut SearchQueue<Countdown>, budget: u64) -> (u64, Vec<u32>) {
        let (mut work, mut delivered) = (Work::new(Budget::Expansions(budget)), Vec::new());
        loop {
            let left = work.left();
            let Some(grant) = SLICING.grant(&mut work, left, queue.len()) else { break };
            let advance = |search: &mut Countdown, (): &mut (), limit: u64| {
                let used = search.left.min(limit);
                search.left -= used;
                used
            };
            work.spend(queue.advance(&Sequential, grant, advance));
            queue.deliver(|search| delivered.push(search.agent));
        }
        (work.spent(), delivered)
    }

    #[test]
    fn scarce_work_goes_to_the_searches_started_first() {
        let grant = |left, len| SLICING.grant(&mut Work::new(Budget::Unlimited), left, len);
        assert_eq!(grant(u64::MAX, 9), Some(Grant { count: 4, share: 10 }));
        assert_eq!(grant(u64::MAX, 2), Some(Grant { count: 2, share: 10 }));
        assert_eq!(grant(14, 4), Some(Grant { count: 2, share: 7 }));
        assert_eq!(grant(3, 4), Some(Grant { count: 1, share: 3 }));
        assert_eq!((grant(0, 4), grant(9, 0)), (None, None));
    }

    #[test]
    fn searches_pause_and_resume_in_order() {
        let mut queue = queue(&[30, 3, 25, 8, 1]);
        assert_eq!(tick(&mut queue, 31), (31, vec![1]));
        assert_eq!(queue.searches().iter().map(|search| search.agent).collect::<Vec<_>>(), [0, 2, 3, 4]);
        assert!(queue.is_running(AgentRow(2)) && !queue.is_running(AgentRow(1)));
        assert_eq!(tick(&mut queue, 1_000), (67 - 31, vec![3, 4, 0, 2]));
        assert!(queue.is_empty() && queue.slots().len() == 5, "slots keep their memory");
        assert!(queue.slots().iter().all(|search| search.released));
    }

    #[test]
    fn a_search_can_be_inserted_and_dropped() {
        let mut queue = queue(&[1, 2, 3]);
        queue.retain(|search| search.agent != 1);
        queue.start_at(1).agent = 7;
        assert_eq!(queue.searches().iter().map(|search| search.agent).collect::<Vec<_>>(), [0, 7, 2]);
    }
}
