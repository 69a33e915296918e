//! After an edit or loading: brings guides, rows and fields of targets up to date, within the budget.

use throng_crowd::View;
use throng_grid::ProfileId;
use throng_search::{NO_PART, SectorGuide};

use super::super::prices;
use super::super::work_budget::WorkBudget;
use super::agent_guide::{AgentGuide, Heading};
use super::regions::Regions;
use super::rows::numbers_after;
use super::{Guidance, GuidedMap};

impl Guidance {
    /// Labels the changed sectors, then computes missing fields and compares rows, as far as the budget goes.
    pub(in super::super) fn follow_map(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        self.version_before = self.version;
        for (number, ground) in view.grid().grounds().iter().enumerate() {
            if number == self.maps.len() {
                self.maps.push(GuidedMap::new(SectorGuide::new(ground), ground, self.max_bytes));
            }
            let map = &mut self.maps[number];
            let profile = ProfileId(number as u8);
            let (parts_before, is_restored) = (map.rows.by_part.len(), map.is_restored);
            let change = map.guide.update(ground);
            map.is_restored = false;
            let changed = change.as_ref().map_or(&[][..], |change| &change.sectors);
            if is_restored || change.is_some() {
                self.targets.update(profile, (&mut map.guide, &map.congestion.before), ground, changed);
            }
            if let Some(change) = &change {
                self.version = self.version.wrapping_add(1);
                map.rows.renumber(change, &map.guide);
            }
            let after = change.as_ref().map(|change| numbers_after(change, parts_before));
            if is_restored || after.is_some() {
                map.regions = Regions::new(&map.guide, ground, self.max_bytes);
                map.rows.lay_out(&map.guide, &map.regions.centres);
                let parts = map.guide.parts() as u32;
                for (entry, _) in
                    self.agents.iter_mut().zip(0..).filter(|&(_, agent)| is_of(view, agent, profile))
                {
                    renumber(entry, after.as_deref(), parts);
                }
            }
            while map.guide.pending() > 0 {
                let cells = map.guide.next_cells();
                // The edges are collected with the last field.
                let edges = if map.guide.pending() == 1 {
                    prices::collect_edges(map.guide.parts(), map.guide.sectors())
                } else {
                    0
                };
                let price = prices::max_field(cells) + edges;
                if !self.prepaid.pay(budget, price) {
                    break;
                }
                let expansions = map.guide.compute_sector(ground);
                let spent = prices::field(cells, expansions) + edges;
                self.prepaid.refund(price.saturating_sub(spent));
                self.version = self.version.wrapping_add(1);
            }
            while map.guide.pending() == 0
                && map.rows.needs_comparison()
                && map.rows.compare_next(&map.guide, view.tick(), |price| self.prepaid.pay(budget, price))
            {
            }
        }
    }
}

fn is_of(view: &View<'_>, agent: u32, profile: ProfileId) -> bool {
    (agent as usize) < view.id_limit() && view.profile(throng_crowd::AgentRow(agent)) == profile
}

/// Lets an agent keep its waypoint, unless that is gone. `after` has the new numbers of parts after an edit; a loaded state may
/// name a part that does not exist.
fn renumber(entry: &mut AgentGuide, after: Option<&[u32]>, parts: u32) {
    if let Heading::Waypoint(part) = entry.heading {
        let number = after.map_or(part, |after| after.get(part as usize).copied().unwrap_or(NO_PART));
        entry.heading = if number < parts { Heading::Waypoint(number) } else { Heading::Nowhere };
    }
}
