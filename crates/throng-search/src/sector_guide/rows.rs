//! The edges between waypoints, and rows: the distances of all waypoints to one part over these edges.
//!
//! A row of a large map may be restricted to a *window*, a rectangle of sectors: then it has the parts in the window and the paths
//! that stay among them.

use std::cmp::Ordering;
use std::sync::Arc;

use throng_grid::Pos;

use super::{NO_DISTANCE, SectorGuide};
use crate::distance_sweep::{SweepGraph, UNREACHED};

/// The edges that lead to each part: the part where an edge begins, and its length.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    /// By part: its first edge; and the number of edges.
    first: Vec<u32>,
    pub(super) list: Vec<(u32, u32)>,
}

/// A rectangle of sectors: the columns and rows of its first and last sector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectorWindow {
    /// The column and row of the first sector.
    pub first: (u16, u16),
    /// The column and row of the last sector.
    pub last: (u16, u16),
}

/// Where a restricted row has the distance of each part in its window.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WindowLayout {
    /// By row of sectors: the first part, the one after the last, and the place of the first part in the row.
    spans: Vec<(u32, u32, u32)>,
}

impl WindowLayout {
    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.spans.last().map_or(0, |&(first, end, place)| (place + end - first) as usize)
    }

    /// Returns the place of a part in the row; `None` if it is outside the window.
    #[inline]
    pub fn place(&self, part: u32) -> Option<usize> {
        let after = self.spans.partition_point(|&(first, ..)| first <= part);
        let &(first, end, place) = self.spans.get(after.checked_sub(1)?)?;
        (part < end).then_some((place + part - first) as usize)
    }
}

/// The edges inside a window, by the places of parts.
struct WindowEdges<'a> {
    edges: &'a Edges,
    layout: &'a WindowLayout,
    /// By place: the part.
    parts: Vec<u32>,
}

impl SweepGraph for WindowEdges<'_> {
    #[inline]
    fn expand(&self, node: u32, _: u32, distance: u32, mut relax: impl FnMut(u32, u32, u32)) {
        self.edges.expand(self.parts[node as usize], 0, 0, |from, length, _| {
            if let Some(place) = self.layout.place(from) {
                relax(place as u32, distance + length, 0);
            }
        });
    }
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
        let mut shared = std::mem::take(&mut self.edges);
        if Arc::get_mut(&mut shared).is_none() {
            shared = Arc::default();
        }
        let edges = Arc::make_mut(&mut shared);
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
        self.edges = shared;
    }

    /// Computes the row of a part: the distance from each waypoint to that of the part; [`UNREACHED`] if there is no path.
    /// Returns the number of expansions. All fields must be there.
    pub fn fill_row(&mut self, part: u32, row: &mut Vec<u32>) -> u64 {
        row.resize(self.parts.len(), UNREACHED);
        let costs = (self.units.straight(), u32::from(NO_DISTANCE));
        self.rows.run(&*self.edges, costs, (part, 0), row)
    }

    /// Returns the column and row of a position's sector.
    #[inline]
    fn column_and_row(&self, pos: Pos) -> (u16, u16) {
        ((pos.x / self.side()) as u16, (pos.y / self.side()) as u16)
    }

    /// Returns the window of the sectors between two positions, with a margin in sectors, cut off at the edge of the map.
    pub fn window(&self, (min, max): (Pos, Pos), margin: u16) -> SectorWindow {
        let (first, last) = (self.column_and_row(min), self.column_and_row(max));
        let most = self.column_and_row(self.changes.squares.last());
        SectorWindow {
            first: (first.0.saturating_sub(margin), first.1.saturating_sub(margin)),
            last: (last.0.saturating_add(margin).min(most.0), last.1.saturating_add(margin).min(most.1)),
        }
    }

    /// Returns true if a window is one of this map.
    pub fn has_window(&self, window: &SectorWindow) -> bool {
        let most = self.column_and_row(self.changes.squares.last());
        (window.first.0..=most.0).contains(&window.last.0)
            && (window.first.1..=most.1).contains(&window.last.1)
    }

    /// Returns true if a window contains the sector of a position.
    #[inline]
    pub fn is_in_window(&self, window: &SectorWindow, pos: Pos) -> bool {
        let (column, row) = self.column_and_row(pos);
        (window.first.0..=window.last.0).contains(&column) && (window.first.1..=window.last.1).contains(&row)
    }

    /// Returns true if a window contains the sector of a position or one beside it: the field of a waypoint in the window may cover the position.
    #[inline]
    pub fn is_near_window(&self, window: &SectorWindow, pos: Pos) -> bool {
        let (column, row) = self.column_and_row(pos);
        let range = |first: u16, last: u16| first.saturating_sub(1)..=last.saturating_add(1);
        range(window.first.0, window.last.0).contains(&column)
            && range(window.first.1, window.last.1).contains(&row)
    }

    /// Returns true if a window contains one of the given sectors or one beside them.
    pub fn touches_window(&self, window: &SectorWindow, sectors: &[u32]) -> bool {
        let is_inside = |sector: &u32| self.is_in_window(window, self.changes.squares.corners(*sector).0);
        self.changes.squares.with_neighbours(sectors).iter().any(is_inside)
    }

    /// Returns where a row that is restricted to a window has each part.
    pub fn window_layout(&self, window: &SectorWindow) -> WindowLayout {
        let columns = u32::from(self.column_and_row(self.changes.squares.last()).0) + 1;
        let mut layout = WindowLayout::default();
        let mut place = 0;
        for row in window.first.1..=window.last.1 {
            let sector = |column: u16| u32::from(row) * columns + u32::from(column);
            let (first, end) = (
                self.sector_parts(sector(window.first.0)).start,
                self.sector_parts(sector(window.last.0)).end,
            );
            layout.spans.push((first, end, place));
            place += end - first;
        }
        layout
    }

    /// Returns the number of edges that lead to the parts of a window.
    pub fn window_edges(&self, layout: &WindowLayout) -> usize {
        let first = |part: u32| self.edges.first.get(part as usize).copied().unwrap_or(0) as usize;
        layout.spans.iter().map(|&(begin, end, _)| first(end) - first(begin)).sum()
    }

    /// Computes a row as [`SectorGuide::fill_row`] over paths inside a window, which contains the part. All fields must be there.
    pub fn fill_window_row(&mut self, part: u32, layout: &WindowLayout, row: &mut Vec<u32>) -> u64 {
        row.clear();
        row.resize(layout.parts(), UNREACHED);
        let Some(place) = layout.place(part) else { return 0 };
        let parts = layout.spans.iter().flat_map(|&(first, end, _)| first..end).collect();
        let graph = WindowEdges { edges: &self.edges, layout, parts };
        let costs = (self.units.straight(), u32::from(NO_DISTANCE));
        self.rows.run(&graph, costs, (place as u32, 0), row)
    }

    /// Prepares the repair of rows after the given sectors have changed, in order. All fields must be there.
    pub fn row_repair(&self, changed: &[u32]) -> RowRepair {
        let squares = &self.changes.squares;
        let mut repair = RowRepair { sectors: changed.to_vec(), ..RowRepair::default() };
        // Edges lead to waypoints beside a changed sector, and come from waypoints beside those.
        for sector in squares.with_neighbours(&squares.with_neighbours(changed)) {
            let is_new = changed.binary_search(&sector).is_ok();
            for part in self.sector_parts(sector) {
                let waypoint = self.waypoint(part);
                let first = repair.edges.len() as u32;
                for other in self.around(waypoint).filter(|&other| other != part) {
                    let length = self.field(other).distance(waypoint);
                    if length != NO_DISTANCE {
                        repair.edges.push((other, u32::from(length)));
                    }
                }
                repair.near.push((part, first, repair.edges.len() as u32));
                if is_new {
                    repair.new.push(repair.near.len() - 1);
                }
            }
        }
        repair
    }
}

/// The parts in and around changed sectors and the edges that lead on from them: what rows are compared with and repaired by.
#[derive(Clone, Debug, Default)]
pub struct RowRepair {
    sectors: Vec<u32>,
    /// Each part, and where its edges begin and end.
    near: Vec<(u32, u32, u32)>,
    /// The places in `near` of the parts of changed sectors.
    new: Vec<usize>,
    /// The part to which an edge leads, and its length.
    edges: Vec<(u32, u32)>,
}

impl RowRepair {
    /// Returns true if it is for these sectors. It must be that of the present state of the guide.
    pub fn is_for(&self, changed: &[u32]) -> bool {
        self.sectors == changed
    }

    /// Returns the number of edges, to which the time of a repair is proportional.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Repairs the row of a part, as far as the new distances follow from those around the changed sectors. Returns what the row
    /// is worth then.
    pub fn repair(&self, part: u32, row: &mut [u32]) -> RowState {
        for &place in &self.new {
            row[self.near[place].0 as usize] = UNREACHED;
        }
        row[part as usize] = 0;
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &place in self.new.iter().filter(|&&place| self.near[place].0 != part) {
                let found = self.over_neighbours(place, row);
                is_settled &= found == std::mem::replace(&mut row[self.near[place].0 as usize], found);
            }
        }
        let places = (0..self.near.len()).filter(|&place| self.near[place].0 != part);
        let states = places.map(|place| {
            match row[self.near[place].0 as usize].cmp(&self.over_neighbours(place, row)) {
                Ordering::Equal => RowState::Exact,
                Ordering::Greater => RowState::Improvable,
                Ordering::Less => RowState::Broken,
            }
        });
        states.max().unwrap_or(RowState::Exact)
    }

    /// Returns the distance of a waypoint that follows from those of the waypoints around it.
    fn over_neighbours(&self, place: usize, row: &[u32]) -> u32 {
        let (_, first, end) = self.near[place];
        let edges = &self.edges[first as usize..end as usize];
        let over = |&(to, length): &(u32, u32)| row[to as usize].saturating_add(length);
        edges.iter().map(over).min().unwrap_or(UNREACHED)
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
