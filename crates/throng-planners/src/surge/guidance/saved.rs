//! Guidance as it is saved. Fields follow from the map and are computed again after loading.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::state::le_bytes;
use throng_crowd::{AgentRow, Limits, StateError, Validate};
use throng_search::{SavedGuide, SectorWindow, WindowLayout};

use super::super::work_budget::Prepaid;
use super::agent_guide::AgentGuide;
use super::congestion::{Congestion, SavedCongestion};
use super::rows::{MAX_WAITS, Row, Rows};
use super::target_fields::TargetFields;
use super::{Guidance, SectorGuide};

/// The state of the guidance.
#[derive(Clone, Serialize, Deserialize)]
pub(in super::super) struct SavedGuidance {
    maps: Vec<SavedMap>,
    agents: Vec<AgentGuide>,
    waiting_for_region: VecDeque<AgentRow>,
    waiting_for_row: VecDeque<AgentRow>,
    waiting_for_field: VecDeque<AgentRow>,
    targets: TargetFields,
    prepaid: Prepaid,
    next_dropped: usize,
}

/// The guide of one ground and its rows.
#[derive(Clone, Serialize, Deserialize)]
struct SavedMap {
    /// By sector: a hash of its cells and of which pieces are hosted.
    #[serde(with = "le_bytes")]
    hashes: Vec<u64>,
    /// By sector: the number of its parts.
    #[serde(with = "le_bytes")]
    parts: Vec<u16>,
    /// The sectors whose fields are missing.
    pending: Vec<u32>,
    rows: Vec<SavedRow>,
    /// The sectors that have changed since the rows were last compared.
    changed: Vec<u32>,
    next: u32,
    congestion: SavedCongestion,
}

#[derive(Clone, Serialize, Deserialize)]
struct SavedRow {
    part: u32,
    /// The columns and rows of the first and last sector of its window.
    window: Option<[u16; 4]>,
    due: Option<u64>,
    unsettled: Vec<u32>,
    improvements: u8,
    improved: u64,
    #[serde(with = "le_bytes")]
    distances: Vec<u32>,
}

impl Guidance {
    /// Returns what must be saved.
    pub(in super::super) fn saved(&self) -> SavedGuidance {
        let map = |map: &super::GuidedMap| {
            let SavedGuide { hashes, parts, pending } = map.guide.saved();
            let rows = map.rows.by_part.iter().zip(0..);
            let rows = rows.filter_map(|(row, part)| {
                let Row { distances, window, layout: _, due, unsettled, improvements, improved } =
                    Row::clone(row.as_ref()?);
                let window = window.map(|SectorWindow { first, last }| [first.0, first.1, last.0, last.1]);
                Some(SavedRow { part, window, due, unsettled, improvements, improved, distances })
            });
            let (changed, next) = (map.rows.changed.clone(), map.rows.next);
            let congestion = map.congestion.saved(&map.guide);
            SavedMap { hashes, parts, pending, rows: rows.collect(), changed, next, congestion }
        };
        SavedGuidance {
            maps: self.maps.iter().map(map).collect(),
            agents: self.agents.clone(),
            waiting_for_region: self.waiting_for_region.clone(),
            waiting_for_row: self.waiting_for_row.clone(),
            waiting_for_field: self.waiting_for_field.clone(),
            targets: self.targets.clone(),
            prepaid: self.prepaid,
            next_dropped: self.next_dropped,
        }
    }

    /// Continues with a state that was validated.
    pub(in super::super) fn restore(&mut self, saved: SavedGuidance) {
        let SavedGuidance {
            maps,
            agents,
            waiting_for_region,
            waiting_for_row,
            waiting_for_field,
            targets,
            prepaid,
            next_dropped,
        } = saved;
        self.maps.truncate(maps.len());
        for (map, saved) in self.maps.iter_mut().zip(maps) {
            let SavedMap { hashes, parts, pending, rows, changed, next, congestion } = saved;
            let mut by_part = vec![None; parts.iter().map(|&parts| usize::from(parts)).sum()];
            for SavedRow { part, window, due, unsettled, improvements, improved, distances } in rows {
                let window = window.map(sector_window);
                // Found by the next update of the guide.
                let layout = WindowLayout::default();
                let row = Row { distances, window, layout, due, unsettled, improvements, improved };
                by_part[part as usize] = Some(Arc::new(row));
            }
            map.rows = Rows::restored(by_part, changed, next);
            let (congestion, prices) = Congestion::restored(congestion, map.guide.cells());
            map.congestion = congestion;
            map.guide.restore(SavedGuide { hashes, parts, pending }, prices);
            map.is_restored = true;
        }
        (self.agents, self.targets, self.prepaid) = (agents, targets, prepaid);
        (self.waiting_for_row, self.waiting_for_field) = (waiting_for_row, waiting_for_field);
        self.waiting_for_region = waiting_for_region;
        self.next_dropped = next_dropped;
    }

    /// Checks that a saved state is one of guides like these.
    pub(in super::super) fn check(&self, saved: &SavedGuidance) -> Result<(), StateError> {
        let fits = |(map, saved): (&super::GuidedMap, &SavedMap)| saved.fits(&map.guide);
        let is_fitting = saved.maps.len() <= self.maps.len() && self.maps.iter().zip(&saved.maps).all(fits);
        if is_fitting { Ok(()) } else { Err(StateError::invalid("the sectors are those of another map")) }
    }
}

fn sector_window([left, top, right, bottom]: [u16; 4]) -> SectorWindow {
    SectorWindow { first: (left, top), last: (right, bottom) }
}

impl SavedMap {
    fn fits(&self, guide: &SectorGuide) -> bool {
        let has_window =
            |row: &SavedRow| row.window.is_none_or(|window| guide.has_window(&sector_window(window)));
        self.hashes.len() == guide.sectors()
            && self.parts.len() == guide.sectors()
            && self.rows.iter().all(has_window)
    }
}

impl Validate for SavedMap {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { hashes, parts, pending, rows, changed, next, congestion } = self;
        congestion.validate(limits)?;
        let sectors = hashes.len() as u32;
        limits.at_most_cells(u64::from(sectors), "the number of sectors")?;
        limits.require(parts.len() == hashes.len(), "every sector has a number of parts")?;
        let count: u64 = parts.iter().map(|&parts| u64::from(parts)).sum();
        limits.at_most_cells(count, "the number of parts")?;
        for list in rows.iter().map(|row| &row.unsettled).chain([pending, changed]) {
            let is_list = list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|&last| last < sectors);
            limits.require(is_list, "the sectors are not in order")?;
        }
        limits.require(rows.is_sorted_by(|a, b| a.part < b.part), "a part has two rows")?;
        for SavedRow { part, window, due, unsettled: _, improvements, improved, distances } in rows {
            limits.coming_tick(due.unwrap_or(0), 1 << MAX_WAITS)?;
            limits.at_most(*improvements, u64::from(MAX_WAITS), "the number of improvements")?;
            limits.past_tick(*improved)?;
            let length = distances.len() as u64;
            let fits = u64::from(*part) < count && length <= count && (window.is_some() || length == count);
            limits.require(fits, "a row is one of another map")?;
        }
        limits.at_most(*next, count, "the next row")
    }
}

impl Validate for SavedGuidance {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self {
            maps,
            agents,
            waiting_for_region,
            waiting_for_row,
            waiting_for_field,
            targets,
            prepaid,
            next_dropped: _,
        } = self;
        limits.at_most(maps.len() as u64, limits.profiles as u64, "the number of profiles")?;
        maps.iter().try_for_each(|map| map.validate(limits))?;
        limits.per_agent(agents)?;
        for agent in waiting_for_row.iter().chain(waiting_for_field).chain(waiting_for_region) {
            limits.require(agent.index() < agents.len(), "an agent waits that does not exist")?;
        }
        targets.validate(limits)?;
        targets.check_users(limits, agents.iter().filter_map(|entry| entry.target_field))?;
        prepaid.validate(limits)
    }
}
