//! Work that is paid for before it is done, in instalments where a tick's budget is small.
//!
//! One unit of work is a cell that a sweep settles. What costs more than a tick grants is paid over several ticks and
//! done when it is paid for; so no tick counts more than its budget, and any budget makes progress.

use throng_crowd::Work;
use throng_crowd::bytes::{Damaged, Reader, put};

/// What may be spent in a tick.
pub(super) struct Purse<'a, 'b> {
    pub(super) work: &'a mut Work<'b>,
    pub(super) left: u64,
}

impl Purse<'_, '_> {
    /// Units that may still be spent.
    pub(super) fn left(&self) -> u64 {
        self.left.min(self.work.left())
    }

    /// Has a part of what is left spent, rounded up.
    pub(super) fn part(&mut self, of: u64, whole: u64, spend: impl FnOnce(&mut Purse<'_, '_>)) {
        let left = self.left();
        let most = left / whole * of + (left % whole * of).div_ceil(whole);
        let mut part = Purse { work: &mut *self.work, left: most };
        spend(&mut part);
        let spent = most - part.left;
        self.left -= spent;
    }
}

/// Units paid for and not used yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Instalments(u64);

impl Instalments {
    /// Pays a price from what was paid before and from the purse; `false` when that does not suffice yet.
    pub(super) fn pay(&mut self, purse: &mut Purse<'_, '_>, price: u64) -> bool {
        if self.0 < price {
            let more = (price - self.0).min(purse.left());
            if more == 0 || !purse.work.round(more) {
                return false;
            }
            purse.work.spend(more);
            purse.left -= more;
            self.0 += more;
        }
        let paid = self.0 >= price;
        if paid {
            self.0 -= price;
        }
        paid
    }

    /// Takes back what was paid for in vain.
    pub(super) fn refund(&mut self, units: u64) {
        self.0 += units;
    }

    pub(super) fn save(self, bytes: &mut Vec<u8>) {
        put(bytes, self.0);
    }

    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Self(reader.number_to(1 << 40, "units paid for")?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Budget;

    #[test]
    fn what_costs_more_than_a_tick_grants_is_paid_over_several() {
        let (mut instalments, mut bought, mut spent) = (Instalments::default(), 0, 0);
        for _ in 0..100 {
            let mut work = Work::new(Budget::expansions(7));
            let mut purse = Purse { work: &mut work, left: 5 };
            while instalments.pay(&mut purse, 12) {
                bought += 1;
            }
            assert_eq!(purse.left, 0);
            spent += work.spent();
        }
        assert_eq!((spent, bought), (500, 500 / 12));
    }
}
