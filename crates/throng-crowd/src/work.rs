//! Work budgets: how much a planner may do per tick, and what runs its independent searches.
//!
//! Work is granted in rounds: a planner requests a round with its maximal cost and carries it out if it is granted.
//! Rounds are granted by a number of units or expansions, or by a check of the caller before each round. [`Budget`] says which
//! budget repeats a tick exactly.
//!
//! One unit of work stands for [`UNIT_NANOSECONDS`]. Planners count expansions, and an expansion takes longer in one planner than in
//! another, so each planner states its price in units ([`Planner::expansion_price`](crate::Planner::expansion_price)).

/// The time that one unit of work stands for, in nanoseconds. Prices were measured on the machines that the documents name; on
/// another machine a unit takes another time, but the same for every planner.
pub const UNIT_NANOSECONDS: u64 = 50;

/// How much work the planner may do in a tick.
///
/// **Repeating a tick.** Planners shorten their rounds to the remaining expansions ([`Work::left`]), so that a small
/// budget is used and not refused. The decisions of a planner are therefore a function of the budget:
/// - a tick under [`Budget::Units`] or [`Budget::Expansions`] is repeated by the same number;
/// - a tick under [`Budget::Until`] is repeated by the same number of [`Budget::Rounds`] as were granted. Neither
///   shortens rounds: the clock decides when to stop, never what a round does;
/// - a tick under [`Budget::Unlimited`] is repeated by itself. A planner may have a limit of its own then.
#[non_exhaustive]
pub enum Budget<'a> {
    /// No limit.
    Unlimited,
    /// At most this many units of work, at the price of the planner: the same time for every planner.
    Units(u64),
    /// At most this many expansions, whatever one costs. Experiments of the literature limit planners like this.
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
            Self::Units(limit) => f.debug_tuple("Units").field(limit).finish(),
            Self::Expansions(limit) => f.debug_tuple("Expansions").field(limit).finish(),
            Self::Until(_) => f.write_str("Until(…)"),
            Self::Rounds(rounds) => f.debug_tuple("Rounds").field(rounds).finish(),
        }
    }
}

impl Budget<'_> {
    /// Limits the units of work.
    pub const fn units(limit: u64) -> Self {
        Self::Units(limit)
    }

    /// Limits the number of expansions.
    pub const fn expansions(limit: u64) -> Self {
        Self::Expansions(limit)
    }
}

/// The work of one tick: what was granted and what was done.
#[derive(Debug)]
pub struct Work<'a> {
    budget: Budget<'a>,
    /// Expansions.
    spent: u64,
    /// Units of the expansions.
    units: u64,
    /// Units per expansion.
    price: u64,
    /// Units that the world has used of the budget.
    charged: u64,
    backwards: u64,
    rounds: u32,
    closed: bool,
}

impl<'a> Work<'a> {
    /// Starts a tick. An expansion costs one unit unless [`Work::set_price`] says otherwise.
    pub const fn new(budget: Budget<'a>) -> Self {
        Self { budget, spent: 0, units: 0, price: 1, charged: 0, backwards: 0, rounds: 0, closed: false }
    }

    /// Sets the units that an expansion costs from now on; at least one.
    pub fn set_price(&mut self, units: u64) {
        self.price = units.max(1);
    }

    /// Requests a round that costs at most `max_cost` expansions and returns true if it is granted. After a refusal all
    /// further requests are refused.
    pub fn round(&mut self, max_cost: u64) -> bool {
        let granted = !self.closed
            && match &mut self.budget {
                Budget::Unlimited => true,
                Budget::Units(limit) => {
                    self.units
                        .saturating_add(self.charged)
                        .saturating_add(max_cost.saturating_mul(self.price))
                        <= *limit
                }
                Budget::Expansions(limit) => {
                    self.spent.saturating_add(self.charged).saturating_add(max_cost) <= *limit
                }
                Budget::Until(stop) => !stop(),
                Budget::Rounds(rounds) => self.rounds < *rounds,
            };
        self.closed = !granted;
        self.rounds += u32::from(granted);
        granted
    }

    /// Returns the remaining expansions; [`u64::MAX`] unless the budget counts units or expansions.
    ///
    /// The content of a round may depend on it: see [`Budget`].
    pub fn left(&self) -> u64 {
        match self.budget {
            Budget::Units(limit) => {
                limit.saturating_sub(self.units.saturating_add(self.charged)) / self.price
            }
            Budget::Expansions(limit) => limit.saturating_sub(self.spent.saturating_add(self.charged)),
            _ => u64::MAX,
        }
    }

    /// Returns true if the caller sets no limit, so that a limit of the planner's own applies.
    pub fn is_unlimited(&self) -> bool {
        matches!(self.budget, Budget::Unlimited)
    }

    /// Returns true if the budget counts units or expansions, so that [`Work::left`] is known.
    pub fn is_counted(&self) -> bool {
        matches!(self.budget, Budget::Units(_) | Budget::Expansions(_))
    }

    /// Returns true if no more work will be granted in this tick.
    pub fn is_over(&self) -> bool {
        self.closed || self.left() == 0
    }

    /// Takes units from the budget that are no expansions of the planner.
    pub(crate) fn charge(&mut self, units: u64) {
        self.charged += units;
    }

    /// Adds the cost of a granted round.
    pub fn spend(&mut self, expansions: u64) {
        self.spent += expansions;
        self.units += expansions * self.price;
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

    /// Returns the units used so far, those of the world among them.
    pub fn units(&self) -> u64 {
        self.units.saturating_add(self.charged)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expansion_costs_its_price_in_units() {
        let mut work = Work::new(Budget::units(100));
        work.charge(10);
        work.set_price(4);
        assert_eq!(work.left(), 22);
        assert!(work.round(20), "80 of 90 units");
        work.spend(15);
        assert_eq!((work.spent(), work.units(), work.left()), (15, 70, 7));
        assert!(!work.round(8), "32 of 30 units");

        let mut work = Work::new(Budget::expansions(100));
        work.set_price(4);
        assert!(work.round(100), "a budget of expansions knows no prices");
        work.spend(100);
        assert_eq!((work.spent(), work.units(), work.left()), (100, 400, 0));
    }
}
