//! How much a planner may do in a tick, and where.
//!
//! Work is granted in rounds: a planner asks for one, says what it may cost, and does it or not. Whether a round is
//! granted depends on a number of expansions, or on a check of the caller's, asked between rounds.
//! What repeats a tick is written at [`Budget`].

/// How much work a tick may do.
///
/// **What repeats a tick.** Planners cut their rounds to what is left ([`Work::left`]), so that a small number of
/// expansions is used up and not refused. So what a planner does is a function of the budget:
/// - a tick by [`Budget::Expansions`] is repeated by the same number of expansions;
/// - a tick by [`Budget::Until`] is repeated by as many [`Budget::Rounds`] as were granted, for neither cuts rounds:
///   the clock decides when to stop, and never what a round does;
/// - a tick by [`Budget::Unlimited`] is repeated by itself, and by as many rounds as it took.
#[non_exhaustive]
pub enum Budget<'a> {
    /// As much as the planner likes.
    Unlimited,
    /// At most this many expansions.
    Expansions(u64),
    /// Rounds are granted until the check says stop; asked before each.
    Until(&'a mut dyn FnMut() -> bool),
    /// Exactly this many rounds, as recorded.
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
    /// At most this many expansions.
    pub const fn expansions(limit: u64) -> Self {
        Self::Expansions(limit)
    }
}

/// The work of one tick.
#[derive(Debug)]
pub struct Work<'a> {
    budget: Budget<'a>,
    spent: u64,
    reverse: u64,
    rounds: u32,
    closed: bool,
}

impl<'a> Work<'a> {
    /// Nothing done yet.
    pub const fn new(budget: Budget<'a>) -> Self {
        Self { budget, spent: 0, reverse: 0, rounds: 0, closed: false }
    }

    /// Asks for a round that costs at most `most` expansions. Once one is refused, all further ones are.
    pub fn round(&mut self, most: u64) -> bool {
        let granted = !self.closed
            && match &mut self.budget {
                Budget::Unlimited => true,
                Budget::Expansions(limit) => self.spent.saturating_add(most) <= *limit,
                Budget::Until(stop) => !stop(),
                Budget::Rounds(rounds) => self.rounds < *rounds,
            };
        self.closed = !granted;
        self.rounds += u32::from(granted);
        granted
    }

    /// Expansions that a single round may still cost; no bound unless the budget counts expansions.
    ///
    /// What a round does may depend on it: see [`Budget`] for what repeats a tick.
    pub fn left(&self) -> u64 {
        match self.budget {
            Budget::Expansions(limit) => limit.saturating_sub(self.spent),
            _ => u64::MAX,
        }
    }

    /// Whether there is no more work to be had in this tick.
    pub fn is_over(&self) -> bool {
        self.closed || self.left() == 0
    }

    /// Says what a granted round did cost.
    pub fn spend(&mut self, expansions: u64) {
        self.spent += expansions;
    }

    /// The same of searches backwards from a target, which only make distances known: they are counted apart too.
    pub fn spend_backwards(&mut self, expansions: u64) {
        self.spend(expansions);
        self.reverse += expansions;
    }

    /// Expansions so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Those among them that searched backwards from a target.
    pub fn spent_backwards(&self) -> u64 {
        self.reverse
    }

    /// Rounds granted so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }
}

/// Runs pieces of work that do not depend on each other, side by side or not.
pub trait Executor: Send + Sync {
    /// Calls `piece(0)` to `piece(count - 1)`, in any order, and returns when all are done.
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync));

    /// How many pieces can run at once.
    fn width(&self) -> usize {
        1
    }
}

/// One piece after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        for i in 0..count {
            piece(i);
        }
    }
}
