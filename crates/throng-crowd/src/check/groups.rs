//! Groups in the checker: which agents follow the order of each, and when it has arrived.

use std::collections::BTreeMap;

use super::{Checker, Fault};
use crate::GroupId;
use crate::goals::arrival::ReportedKind;

impl Checker {
    /// Compares the recorded arrivals of groups with those that happened, after those of agents.
    pub(super) fn groups(&mut self, recorded: &[(GroupId, u32)]) {
        let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for &number in &self.living {
            if let Some(group) = self.agents[number as usize].group {
                groups.entry(group).or_default().push(number);
            }
        }
        for (group, members) in groups {
            let record = recorded.iter().find(|(recorded, _)| recorded.to_bits() == group);
            let count = |kind: ReportedKind| {
                members.iter().filter(|&&number| self.agents[number as usize].arrived == kind).count()
            };
            let (short, away) = (count(ReportedKind::Short), count(ReportedKind::No));
            // Whether a member without a cell still waits for its review depends on the budget.
            let lost =
                members.iter().filter(|&&number| self.agents[number as usize].target.is_none()).count();
            let is_right = match record {
                Some(&(_, settled_short)) => away == lost && settled_short as usize == short + lost,
                None => away > 0,
            };
            if !is_right {
                self.report_fault(None, Fault::GroupArrival(GroupId::from_bits(group)));
            }
            if record.is_some() {
                for &number in &members {
                    self.agents[number as usize].group = None;
                }
            }
        }
        for &(group, _) in recorded {
            if group.to_bits() >= self.next_group {
                self.report_fault(None, Fault::GroupArrival(group));
            }
        }
    }
}
