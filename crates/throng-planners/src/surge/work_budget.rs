//! The work of a tick, and work that is paid for over several ticks.
//!
//! One unit of work is 50 nanoseconds (`prices.rs`). An operation that costs more than a tick
//! grants is paid for over several ticks and done when it is paid for. So no tick counts more work than its budget, and
//! any budget makes progress.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate, Work};

/// The units that may be spent in a tick.
pub(super) struct WorkBudget<'a, 'b> {
    pub(super) work: &'a mut Work<'b>,
    pub(super) left: u64,
}

impl<'a, 'b> WorkBudget<'a, 'b> {
    /// Returns what a tick may spend: what its budget counts, otherwise `own` units, the limit of the planner. A clock ends
    /// the tick before or after that, see [`WorkBudget::lift_own_limit`].
    pub(super) fn new(work: &'a mut Work<'b>, own: u64) -> Self {
        let left = if work.is_counted() { u64::MAX } else { own };
        Self { work, left }
    }

    /// Counts work that is not paid for against the planner's own limit.
    pub(super) fn deduct(&mut self, units: u64) {
        if self.work.is_unlimited() {
            self.left = self.left.saturating_sub(units);
        }
    }

    /// Lets the rest of the tick use all that the caller grants: the planner's own limit applies only where the caller sets none.
    pub(super) fn lift_own_limit(&mut self) {
        if !self.work.is_unlimited() {
            self.left = u64::MAX;
        }
    }

    /// Returns the units that may still be spent.
    pub(super) fn left(&self) -> u64 {
        self.left.min(self.work.left())
    }

    /// Lets `spend` use at most the fraction `of / whole` of what is left, rounded up.
    pub(super) fn part(&mut self, of: u64, whole: u64, spend: impl FnOnce(&mut WorkBudget<'_, '_>)) {
        let left = self.left();
        let share = left / whole * of + (left % whole * of).div_ceil(whole);
        let mut part = WorkBudget { work: &mut *self.work, left: share };
        spend(&mut part);
        let spent = share - part.left;
        self.left -= spent;
    }
}

/// Units that were paid for and not used yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Prepaid(u64);

/// No operation costs more units than this.
const MAX_PRICE: u64 = 1 << 40;

impl Prepaid {
    /// Pays a price from the units at hand and from the budget. Returns false if they do not suffice yet.
    pub(super) fn pay(&mut self, budget: &mut WorkBudget<'_, '_>, price: u64) -> bool {
        if self.0 < price {
            let more = (price - self.0).min(budget.left());
            if more == 0 || !budget.work.round(more) {
                return false;
            }
            budget.work.spend(more);
            budget.left -= more;
            self.0 += more;
        }
        let paid = self.0 >= price;
        if paid {
            self.0 -= price;
        }
        paid
    }

    /// Takes back units that were paid for and not used.
    pub(super) fn refund(&mut self, units: u64) {
        self.0 += units;
    }
}

impl Validate for Prepaid {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        limits.at_most(self.0, MAX_PRICE, "the units paid for")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Budget;

    #[test]
    fn the_own_limit_applies_only_without_a_budget() {
        let left = |budget: Budget<'_>| {
            let mut work = Work::new(budget);
            let mut budget = WorkBudget::new(&mut work, 100);
            budget.deduct(30);
            let before = budget.left();
            budget.lift_own_limit();
            (before, budget.left())
        };
        assert_eq!(left(Budget::Unlimited), (70, 70));
        assert_eq!(left(Budget::expansions(500)), (500, 500));
        assert_eq!(left(Budget::Until(&mut || false)), (100, u64::MAX));
        assert_eq!(left(Budget::Rounds(7)), (100, u64::MAX));
    }

    #[test]
    fn an_expensive_operation_is_paid_for_over_several_ticks() {
        let (mut prepaid, mut bought, mut spent) = (Prepaid::default(), 0, 0);
        for _ in 0..100 {
            let mut work = Work::new(Budget::expansions(7));
            let mut budget = WorkBudget { work: &mut work, left: 5 };
            while prepaid.pay(&mut budget, 12) {
                bought += 1;
            }
            assert_eq!(budget.left, 0);
            spent += work.spent();
        }
        assert_eq!((spent, bought), (500, 500 / 12));
    }
}
