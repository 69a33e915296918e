//! Parts: the pieces of sectors that have a waypoint, each with the small pieces beside it that it hosts.
//!
//! A field costs the same for a pocket of three cells as for a whole sector. So a small piece has no waypoint of its own if another
//! one serves as well: it is hosted by a piece beside it, whose field covers it. The waypoints must stay as connected as
//! the pieces. Without the small piece, those beside it are joined by paths through it, inside each other's fields, if
//! their sectors are the same or neighbours in pairs. And none of them may be hosted in turn: of two that could be, the
//! smaller one is. Whether a piece is hosted depends on the sectors up to two away, so an edit concerns no others.

use throng_grid::{Ground, Pos};

use std::sync::Arc;

use super::pieces::{NO_LABEL, Piece};
use super::{Part, SectorGuide};
use crate::square_grid::sorted;

impl SectorGuide {
    /// Labels the given sectors again and numbers all parts. Parts of other sectors keep their fields. Returns the sectors whose
    /// parts may be others than before.
    pub(super) fn relabel(&mut self, ground: &Ground, sectors: Vec<u32>) -> Vec<u32> {
        let count = self.changes.squares.count();
        Arc::make_mut(&mut self.labels).resize(ground.size().area(), NO_LABEL);
        Arc::make_mut(&mut self.pieces).resize_with(count, Vec::new);
        if self.shapes.len() != count {
            self.shapes = vec![0; count];
        }
        // Labels follow from moves: costs do not change them.
        let mut relabelled = Vec::new();
        for &sector in &sectors {
            let shape = self.shape(ground, sector);
            if std::mem::replace(&mut self.shapes[sector as usize], shape) != shape {
                let pieces = self.label(ground, sector);
                Arc::make_mut(&mut self.pieces)[sector as usize] = pieces;
                relabelled.push(sector);
            }
        }
        let mut changed = self.choose_hosts(relabelled);
        changed.extend(sectors);
        let changed = sorted(changed);
        self.number_parts(&changed);
        changed
    }

    /// Returns a hash of the free cells of a sector and their moves; never 0.
    fn shape(&self, ground: &Ground, sector: u32) -> u64 {
        let (min, max) = self.changes.squares.corners(sector);
        let (width, columns) = (ground.size().width() as usize, (max.x - min.x + 1) as usize);
        let mut hash = 1_u64;
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        for y in min.y..=max.y {
            let first = y as usize * width + min.x as usize;
            let moves = &ground.all_moves()[first..first + columns];
            let (words, rest) = moves.as_chunks();
            for &word in words {
                add(u64::from_le_bytes(word));
            }
            for &moves in rest {
                add(u64::from(moves));
            }
            add(ground.rows().bits(min.x, y) & u64::MAX >> (64 - columns));
        }
        hash | 1
    }

    /// Decides which pieces in and around the given sectors are hosted. Returns these sectors and those where others are
    /// hosted than before.
    fn choose_hosts(&mut self, mut changed: Vec<u32>) -> Vec<u32> {
        let near = self.changes.squares.with_neighbours(&changed);
        let mut beside = Vec::new();
        for &sector in &near {
            for label in 0..self.pieces[sector as usize].len() {
                let is_candidate = self.is_candidate(&self.pieces[sector as usize][label], &mut beside);
                Arc::make_mut(&mut self.pieces)[sector as usize][label].is_candidate = is_candidate;
            }
        }
        for sector in self.changes.squares.with_neighbours(&near) {
            for label in 0..self.pieces[sector as usize].len() {
                let host = self.host((sector, label as u16), &mut beside);
                let piece = &mut Arc::make_mut(&mut self.pieces)[sector as usize][label];
                let before = std::mem::replace(&mut piece.host, host);
                if before.is_some() != host.is_some() {
                    changed.push(sector);
                }
            }
        }
        sorted(changed)
    }

    /// Finds the pieces beside a small one: sector and label, in order.
    fn find_beside(&self, piece: &Piece, beside: &mut Vec<(u32, u16)>) {
        let width = self.changes.squares.last().x + 1;
        let labels = |&pos: &Pos| (self.sector(pos), self.labels[(pos.y * width + pos.x) as usize]);
        beside.clear();
        beside.extend(piece.exits.iter().map(labels));
        beside.sort_unstable();
        beside.dedup();
    }

    fn is_candidate(&self, piece: &Piece, beside: &mut Vec<(u32, u16)>) -> bool {
        if piece.exits.is_empty() {
            return false;
        }
        self.find_beside(piece, beside);
        let corners = || beside.iter().map(|&(sector, _)| self.changes.squares.corners(sector).0);
        let span = |values: &dyn Fn(Pos) -> i32| {
            corners().map(values).max().unwrap_or(0) - corners().map(values).min().unwrap_or(0)
        };
        span(&|corner| corner.x) <= self.side() && span(&|corner| corner.y) <= self.side()
    }

    /// Returns the piece that hosts another: the largest of those beside it, and the first of these. `None` if the piece is
    /// not hosted.
    fn host(&self, at: (u32, u16), beside: &mut Vec<(u32, u16)>) -> Option<(u32, u16)> {
        let piece = |(sector, label): (u32, u16)| &self.pieces[sector as usize][usize::from(label)];
        if !piece(at).is_candidate {
            return None;
        }
        self.find_beside(piece(at), beside);
        let comes_first = |&other: &(u32, u16)| {
            piece(other).is_candidate && (piece(other).size, other) < (piece(at).size, at)
        };
        if beside.iter().any(comes_first) {
            return None;
        }
        beside.iter().copied().max_by_key(|&other| (piece(other).size, std::cmp::Reverse(other)))
    }

    /// Numbers the parts. Those of sectors that have not changed keep their fields.
    fn number_parts(&mut self, changed: &[u32]) {
        let mut known = std::mem::take(&mut self.parts).into_iter();
        let counts = self.part_counts();
        let (mut parts, mut sizes) = (Vec::with_capacity(known.len()), Vec::new());
        for (sector, pieces) in (0..).zip(&*self.pieces) {
            let before = parts.len();
            let kept = known.by_ref().take(usize::from(counts.get(sector as usize).copied().unwrap_or(0)));
            if changed.binary_search(&sector).is_ok() {
                kept.for_each(drop);
                let own = pieces.iter().filter(|piece| piece.host.is_none());
                parts.extend(own.map(|piece| Part { waypoint: piece.waypoint, ..Part::default() }));
            } else {
                parts.extend(kept);
            }
            sizes.push(parts.len() - before);
        }
        self.numbers.assign(sizes.into_iter());
        self.parts = parts;
        self.assign_pieces();
    }

    /// Finds the part of every piece.
    fn assign_pieces(&mut self) {
        self.first_piece.clear();
        self.part_of_piece.clear();
        let mut next = 0;
        for pieces in &*self.pieces {
            self.first_piece.push(self.part_of_piece.len() as u32);
            for piece in pieces {
                self.part_of_piece.push(next);
                next += u32::from(piece.host.is_none());
            }
        }
        for (number, piece) in self.pieces.iter().flatten().enumerate() {
            if let Some((sector, label)) = piece.host {
                let host = self.first_piece[sector as usize] + u32::from(label);
                self.part_of_piece[number] = self.part_of_piece[host as usize];
            }
        }
    }

    /// Returns, by sector, a hash of its cells and of which pieces are hosted.
    pub(super) fn sector_hashes(&self) -> Vec<u64> {
        let hosted = |pieces: &Vec<Piece>| {
            pieces.iter().fold(1_u64, |hash, piece| {
                (hash.rotate_left(1) ^ u64::from(piece.host.is_some())).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            })
        };
        self.changes.hashes().iter().zip(&*self.pieces).map(|(hash, pieces)| hash ^ hosted(pieces)).collect()
    }
}
