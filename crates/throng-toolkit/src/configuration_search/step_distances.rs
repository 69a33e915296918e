//! Distances in steps from each member's goal, by breadth-first searches that are continued on demand.
//!
//! A member at its goal needs the distances around it, a member far away those of most of the region. Values are stored
//! in pages of consecutive places, so that the memory is proportional to the cells that were reached.

use std::collections::VecDeque;

use super::region::{NONE, Region};

/// Places per page.
const PAGE: usize = 64;

/// The breadth-first search of one member.
#[derive(Clone, Debug, Default)]
struct Wave {
    /// By page: its number among the pages, or [`NONE`].
    pages: Vec<u32>,
    frontier: VecDeque<u32>,
    has_goal: bool,
    /// True if the member has no goal for now.
    is_paused: bool,
}

/// The distances of all members.
#[derive(Clone, Debug, Default)]
pub(super) struct StepDistances {
    waves: Vec<Wave>,
    members: usize,
    values: Vec<u32>,
    /// The number of places expanded so far.
    pub(super) expanded: u64,
}

impl StepDistances {
    /// Drops all members.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        (self.members, self.expanded) = (0, 0);
    }

    /// Adds a member, whose goal is any of some places. Without a place it has no goal.
    pub(super) fn add(&mut self, region: &Region, goal: impl IntoIterator<Item = u32>) {
        let member = self.members;
        self.members += 1;
        if self.waves.len() < self.members {
            self.waves.push(Wave::default());
        }
        let wave = &mut self.waves[member];
        wave.pages.clear();
        wave.pages.resize(region.len().div_ceil(PAGE), NONE);
        wave.frontier.clear();
        (wave.has_goal, wave.is_paused) = (false, false);
        for place in goal {
            self.waves[member].has_goal = true;
            self.reach(member, place, 0);
        }
    }

    /// Lets a member have no goal for now, or have its goal again.
    pub(super) fn pause(&mut self, member: usize, is_paused: bool) {
        self.waves[member].is_paused = is_paused;
    }

    /// Returns true if a member has a goal now.
    #[inline]
    pub(super) fn has_goal(&self, member: usize) -> bool {
        self.waves[member].has_goal && !self.waves[member].is_paused
    }

    /// Returns true if a member is at its goal, or has none now.
    #[inline]
    pub(super) fn rests(&self, member: usize, place: u32) -> bool {
        !self.has_goal(member) || self.known(member, place) == Some(0)
    }

    /// Returns true if a member is at its goal, or never has one.
    #[inline]
    pub(super) fn is_at_goal(&self, member: usize, place: u32) -> bool {
        !self.waves[member].has_goal || self.known(member, place) == Some(0)
    }

    /// Returns the distance of a place, if the search of the member has reached it.
    #[inline]
    fn known(&self, member: usize, place: u32) -> Option<u32> {
        let page = self.waves[member].pages[place as usize / PAGE];
        if page == NONE {
            return None;
        }
        let value = self.values[page as usize * PAGE + place as usize % PAGE];
        (value != NONE).then_some(value)
    }

    fn reach(&mut self, member: usize, place: u32, distance: u32) {
        let page = &mut self.waves[member].pages[place as usize / PAGE];
        if *page == NONE {
            *page = (self.values.len() / PAGE) as u32;
            self.values.resize(self.values.len() + PAGE, NONE);
        }
        let value = &mut self.values[*page as usize * PAGE + place as usize % PAGE];
        if *value == NONE {
            *value = distance;
            self.waves[member].frontier.push_back(place);
        }
    }

    /// Continues the search of a member for at most `limit` expansions, until it has reached a place. Returns true if it
    /// has, or if it cannot.
    pub(super) fn search(&mut self, region: &Region, member: usize, place: u32, limit: u64) -> bool {
        for _ in 0..limit {
            if self.known(member, place).is_some() {
                return true;
            }
            let Some(at) = self.waves[member].frontier.pop_front() else { return true };
            let next = self.known(member, at).unwrap_or(0) + 1;
            for &to in region.neighbours(at) {
                self.reach(member, to, next);
            }
            self.expanded += 1;
        }
        self.known(member, place).is_some()
    }

    /// Returns the distance of a place; [`NONE`] if no goal of the member can be reached from it.
    #[inline]
    pub(super) fn get(&mut self, region: &Region, member: usize, place: u32) -> u32 {
        if let Some(distance) = self.known(member, place) {
            return distance;
        }
        self.search(region, member, place, u64::MAX);
        self.known(member, place).unwrap_or(NONE)
    }

    /// Returns the memory in use, in bytes.
    pub(super) fn used_bytes(&self) -> usize {
        self.values.len() * size_of::<u32>()
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let waves = self.waves.iter().map(|wave| wave.pages.capacity() + wave.frontier.capacity());
        size_of::<u32>() * (self.values.capacity() + waves.sum::<usize>())
    }
}
