//! Work that is paid before it is done: a piece that costs more than a tick grants is paid in several ticks.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate, Work};

/// The part of a tick's expansions that may be spent on choosing; the rest is the inner planner's.
const SHARE: u64 = 4;

/// The largest price of a piece of work, in expansions.
pub(super) const MAX_PRICE: u64 = 8_192;

/// Expansions that were paid and not used yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Credit {
    paid: u64,
    /// What may still be paid in this tick.
    #[serde(skip)]
    allowance: u64,
}

impl Credit {
    /// Starts a tick.
    pub(super) fn begin(&mut self, work: &Work<'_>) {
        self.allowance = work.left() / SHARE;
    }

    /// Pays towards a piece of work from the tick's budget. Returns true if all of its price is paid; then the work may be
    /// done and the credit is used up.
    pub(super) fn pay(&mut self, work: &mut Work<'_>, price: u64) -> bool {
        let missing = price.min(MAX_PRICE).saturating_sub(self.paid);
        let paid = missing.min(self.allowance);
        if paid > 0 {
            if !work.round(paid) {
                return false;
            }
            work.spend(paid);
            self.allowance -= paid;
            self.paid += paid;
        }
        let is_paid = paid == missing;
        if is_paid {
            self.paid = 0;
        }
        is_paid
    }
}

impl Validate for Credit {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { paid, allowance: _ } = *self;
        limits.at_most(paid, MAX_PRICE, "the paid work")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Budget;

    #[test]
    fn a_piece_is_paid_in_several_ticks_and_budgets_are_kept() {
        let (mut credit, mut ticks) = (Credit::default(), 0);
        loop {
            let mut work = Work::new(Budget::expansions(400));
            credit.begin(&work);
            ticks += 1;
            let is_paid = credit.pay(&mut work, 256);
            assert!(!is_paid || !credit.pay(&mut work, 256), "a quarter of the budget is spent");
            assert!(work.spent() <= 100);
            if is_paid {
                break;
            }
        }
        assert_eq!(ticks, 3);
        let mut unlimited = Work::new(Budget::Unlimited);
        credit.begin(&unlimited);
        assert!(credit.pay(&mut unlimited, MAX_PRICE) && unlimited.spent() <= MAX_PRICE);
        let mut little = Work::new(Budget::expansions(3));
        credit.begin(&little);
        assert!(!credit.pay(&mut little, 256) && little.spent() == 0, "a quarter of 3 is nothing");
    }
}
