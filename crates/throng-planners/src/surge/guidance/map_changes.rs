//! After an edit or loading: brings guides, rows and fields of targets up to date, within the budget.

use throng_crowd::View;
use throng_grid::ProfileId;
use throng_search::{NO_PART, SectorGuide};

use super::super::prices;
use super::super::work_budget::WorkBudget;
use super::agent_guide::{AgentGuide, Heading};
use super::rows::numbers_after;
use super::{Guidance, GuidedMap};

impl Guidance {
    /// Labels the changed sectors, then computes missing fields and compares rows, as far as the budget goes.
    pub(in super::super) fn follow_map(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        for (number, ground) in view.grid().grounds().iter().enumerate() {
            if number == self.maps.len() {
                self.maps.push(GuidedMap::new(SectorGuide::new(ground)));
            }
            let map = &mut self.maps[number];
            let profile = ProfileId(number as u8);
            let (parts_before, is_restored) = (map.rows.by_part.len(), map.is_restored);
            let change = map.guide.update(ground);
            map.is_restored = false;
            let changed = change.as_ref().map_or(&[][..], |change| &change.sectors);
            if is_restored {
                let parts = map.guide.parts() as u32;
                let is_lost = |heading| matches!(heading, Heading::Waypoint(part) if part >= parts);
                for entry in self.agents.iter_mut().filter(|entry| change.is_none() && is_lost(entry.heading))
                {
                    entry.heading = Heading::Nowhere;
                }
            }
            if is_restored || change.is_some() {
                self.targets.update(profile, &mut map.guide, ground, changed);
            }
            if let Some(change) = &change {
                self.version = self.version.wrapping_add(1);
                map.rows.renumber(change);
                let after = numbers_after(change, parts_before);
                let agents = self.agents.iter_mut().zip(0..);
                for (entry, _) in agents.filter(|&(_, agent)| is_of(view, agent, profile)) {
                    renumber(entry, &after);
                }
            }
            while map.guide.pending() > 0 && self.prepaid.pay(budget, prices::field(map.guide.next_cells())) {
                map.guide.compute_sector(ground);
                self.version = self.version.wrapping_add(1);
            }
            while map.guide.pending() == 0
                && map.rows.needs_comparison()
                && self.prepaid.pay(budget, prices::COMPARE_ROW)
                && let Some(part) = map.rows.next_to_compare()
            {
                map.rows.compare(part, &map.guide, view.tick());
            }
        }
    }
}

fn is_of(view: &View<'_>, agent: u32, profile: ProfileId) -> bool {
    (agent as usize) < view.id_limit() && view.profile(throng_crowd::AgentId(agent)) == profile
}

/// Lets an agent keep its waypoint after parts were numbered again, unless the waypoint is gone.
fn renumber(entry: &mut AgentGuide, after: &[u32]) {
    if let Heading::Waypoint(part) = entry.heading {
        entry.heading = match after.get(part as usize) {
            Some(&number) if number != NO_PART => Heading::Waypoint(number),
            _ => Heading::Nowhere,
        };
    }
}
