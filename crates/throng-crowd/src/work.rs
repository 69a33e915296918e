//! Work budgets: how much a planner may do per tick, and what runs its independent searches.
//!
//! Work is granted in rounds: a planner requests a round with its maximal cost and carries it out if it is granted.
//! Rounds are granted by a number of expansions, or by a check of the caller before each round. [`Budget`] says which
//! budget repeats a tick exactly.

/// How much work the planner may do in a tick.
///
/// **Repeating a tick.** Planners shorten their rounds to the remaining expansions ([`Work::left`]), so that a small
/// budget is used and not refused. The decisions of a planner are therefore a function of the budget:
/// - a tick under [`Budget::Expansions`] is repeated by the same number of expansions;
/// - a tick under [`Budget::Until`] is repeated by the same number of [`Budget::Rounds`] as were granted. Neither
///   shortens rounds: the clock decides when to stop, never what a round does;
/// - a tick under [`Budget::Unlimited`] is repeated by itself, and by the number of rounds it took.
#[non_exhaustive]
pub enum Budget<'a> {
    /// No limit.
    Unlimited,
    /// At most this many expansions.
    Expansions(u64),
    /// Rounds until the check returns true. It is called before each round.
    Until(&'a mut dyn FnMut() -> bool),
    /// At most this many rounds, as recorded.
    Rounds(u32),
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unlimited => f.write_str("Unlimited"),
            Self::Expansions(limit) => f.debug_tuple("Expansions").field(limit).finish(),
            Self::Until(_) => f.write_str("Until(…)"),
            Self::Rounds(rounds) => f.debug_tuple("Rounds").field(rounds).finish(),
        }
    }
}

impl Budget<'_> {
    /// Limits the number of expansions.
    pub const fn expansions(limit: u64) -> Self {
        Self::Expansions(limit)
    }
}

/// The work of one tick: what was granted and what was done.
#[derive(Debug)]
pub struct Work<'a> {
    budget: Budget<'a>,
    spent: u64,
    /// Units that the world has used of the budget.
    charged: u64,
    backwards: u64,
    rounds: u32,
    closed: bool,
}

impl<'a> Work<'a> {
    /// Starts a tick.
    pub const fn new(budget: Budget<'a>) -> Self {
        Self { budget, spent: 0, charged: 0, backwards: 0, rounds: 0, closed: false }
    }

    /// Requests a round that costs at most `max_cost` expansions and returns true if it is granted. After a refusal all
    /// further requests are refused.
    pub fn round(&mut self, max_cost: u64) -> bool {
        let used = self.used();
        let granted = !self.closed
            && match &mut self.budget {
                Budget::Unlimited => true,
                Budget::Expansions(limit) => used.saturating_add(max_cost) <= *limit,
                Budget::Until(stop) => !stop(),
                Budget::Rounds(rounds) => self.rounds < *rounds,
            };
        self.closed = !granted;
        self.rounds += u32::from(granted);
        granted
    }

    /// Returns the remaining expansions; [`u64::MAX`] unless the budget counts expansions.
    ///
    /// The content of a round may depend on it: see [`Budget`].
    pub fn left(&self) -> u64 {
        match self.budget {
            Budget::Expansions(limit) => limit.saturating_sub(self.used()),
            _ => u64::MAX,
        }
    }

    /// Returns true if no more work will be granted in this tick.
    pub fn is_over(&self) -> bool {
        self.closed || self.left() == 0
    }

    /// Takes units from the budget that are no expansions of the planner.
    pub(crate) fn charge(&mut self, units: u64) {
        self.charged += units;
    }

    fn used(&self) -> u64 {
        self.spent.saturating_add(self.charged)
    }

    /// Adds the cost of a granted round.
    pub fn spend(&mut self, expansions: u64) {
        self.spent += expansions;
    }

    /// Adds the cost of a granted round of a backward search from a target. These expansions are also counted
    /// separately.
    pub fn spend_backwards(&mut self, expansions: u64) {
        self.spend(expansions);
        self.backwards += expansions;
    }

    /// Returns the expansions so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Returns the expansions of backward searches so far.
    pub fn spent_backwards(&self) -> u64 {
        self.backwards
    }

    /// Returns the rounds granted so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }
}

/// Runs independent pieces of work, in parallel or one after the other.
pub trait Executor: Send + Sync {
    /// Calls `piece(0)` to `piece(count - 1)`, in any order, and returns when all are done.
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync));

    /// Returns how many pieces can run at once.
    fn width(&self) -> usize {
        1
    }
}

/// Runs one piece after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        for i in 0..count {
            piece(i);
        }
    }
}
