//! The edges between waypoints, and rows: the distances of all waypoints to one part over these edges.

use std::cmp::Ordering;

use super::{NO_DISTANCE, SectorGuide};
use crate::distance_sweep::{SweepGraph, UNREACHED};

/// The edges that lead to each part: the part where an edge begins, and its length.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    /// By part: its first edge; and the number of edges.
    first: Vec<u32>,
    pub(super) list: Vec<(u32, u32)>,
}

/// What a row is worth after an edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RowState {
    /// Its distances are those of the guide.
    Exact,
    /// It leads to the target, but shorter paths have opened.
    Improvable,
    /// Paths that it counts on are gone.
    Broken,
}

impl SectorGuide {
    /// Collects the edges: a waypoint in the field of another.
    pub(super) fn connect(&mut self) {
        let mut edges = std::mem::take(&mut self.edges);
        edges.first.clear();
        edges.list.clear();
        for (number, part) in self.parts.iter().enumerate() {
            edges.first.push(edges.list.len() as u32);
            for other in self.around(part.waypoint) {
                let length = part.field.distance(self.parts[other as usize].waypoint);
                if length != NO_DISTANCE && other as usize != number {
                    edges.list.push((other, u32::from(length)));
                }
            }
        }
        edges.first.push(edges.list.len() as u32);
        self.edges = edges;
    }

    /// Computes the row of a part: the distance from each waypoint to that of the part; [`UNREACHED`] if there is no path.
    /// Returns the number of expansions. All fields must be there.
    pub fn fill_row(&mut self, part: u32, row: &mut Vec<u32>) -> u64 {
        row.resize(self.parts.len(), UNREACHED);
        let costs = (self.units.straight(), u32::from(NO_DISTANCE));
        self.rows.run(&self.edges, costs, (part, 0), row)
    }

    /// Repairs the row of a part after the given sectors have changed, as far as the new distances follow from those around
    /// them. Returns what the row is worth then. All fields must be there.
    pub fn repair_row(&self, part: u32, row: &mut [u32], changed: &[u32]) -> RowState {
        let new: Vec<u32> = changed.iter().flat_map(|&sector| self.sector_parts(sector)).collect();
        for &part in &new {
            row[part as usize] = UNREACHED;
        }
        row[part as usize] = 0;
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &new in new.iter().filter(|&&new| new != part) {
                let found = self.distance_over_neighbours(new, row);
                is_settled &= found == std::mem::replace(&mut row[new as usize], found);
            }
        }
        // Edges lead to waypoints beside a changed sector, and come from waypoints beside those.
        let near = self.changes.squares.with_neighbours(&self.changes.squares.with_neighbours(changed));
        let parts =
            near.into_iter().flat_map(|sector| self.sector_parts(sector)).filter(|&near| near != part);
        let states =
            parts.map(|near| match row[near as usize].cmp(&self.distance_over_neighbours(near, row)) {
                Ordering::Equal => RowState::Exact,
                Ordering::Greater => RowState::Improvable,
                Ordering::Less => RowState::Broken,
            });
        states.max().unwrap_or(RowState::Exact)
    }

    /// Returns the distance of a waypoint that follows from those of the waypoints around it.
    fn distance_over_neighbours(&self, part: u32, row: &[u32]) -> u32 {
        let waypoint = self.waypoint(part);
        let over = |other: u32| {
            let length = self.field(other).distance(waypoint);
            let is_edge = other != part && length != NO_DISTANCE;
            if is_edge { row[other as usize].saturating_add(u32::from(length)) } else { UNREACHED }
        };
        self.around(waypoint).map(over).min().unwrap_or(UNREACHED)
    }
}

impl SweepGraph for Edges {
    #[inline]
    fn expand(&self, node: u32, _: u32, distance: u32, mut relax: impl FnMut(u32, u32, u32)) {
        let (first, end) = (self.first[node as usize], self.first[node as usize + 1]);
        for &(from, length) in &self.list[first as usize..end as usize] {
            relax(from, distance + length, 0);
        }
    }
}
