//! Strongly connected components of the streets in a part of the map, and the edges to open so that they become one.
//!
//! The one-array form of Tarjan's algorithm: D. J. Pearce, *A Space-Efficient Algorithm for Finding Strongly Connected
//! Components*, Information Processing Letters 116(1), 2016.

use throng_grid::{Cell, Direction, DirectionSet, Ground, directions};

use super::part::Part;
use super::streets::{DIAGONALS, Lanes, STRAIGHTS};

/// Half of the directions, so that each edge comes once: from the end with the lower number.
const FORWARDS: DirectionSet = 0b0011_1100;

const fn leading(x: i32, y: i32) -> DirectionSet {
    let (mut set, mut number) = (0, 0);
    while number < 8 {
        let direction = Direction::ALL[number];
        if (x != 0 && direction.dx() == x) || (y != 0 && direction.dy() == y) {
            set |= direction.bit();
        }
        number += 1;
    }
    set
}

/// Scratch memory for one part after the other. Cells are numbered within the part, row by row.
#[derive(Debug, Default)]
pub(super) struct Strong {
    moves: Vec<DirectionSet>,
    /// While a component is open: the earliest cell that is known to be reachable, numbered upwards from 1.
    /// Afterwards: the component, numbered downwards from [`u32::MAX`].
    rank: Vec<u32>,
    count: u32,
    next: u32,
    way: Vec<Visit>,
    open: Vec<u32>,
    joined: Vec<u32>,
}

/// A cell on the way down, the moves not tried yet, and whether nothing earlier has been reached.
#[derive(Debug)]
struct Visit {
    cell: u32,
    left: DirectionSet,
    root: bool,
}

impl Strong {
    /// Writes the edges that a part of the map has to open so that the ends of each of its edges are connected, as far
    /// as the streets of its surroundings do not see to it.
    pub(super) fn open_edges(
        &mut self,
        ground: &Ground,
        plain: &[Lanes],
        (part, surroundings): (Part, Part),
        opened: &mut Vec<(Cell, Direction)>,
    ) {
        opened.clear();
        self.find(ground, plain, surroundings);
        self.joined.clear();
        self.joined.extend(0..self.count);
        if self.count <= 1 {
            return;
        }
        let (size, width) = (ground.size(), surroundings.width());
        let offsets = Direction::ALL.map(|direction| direction.dy() * width as i32 + direction.dx());
        let skipped =
            (part.top - surroundings.top) as usize * width + (part.left - surroundings.left) as usize;
        for kind in [STRAIGHTS, DIAGONALS] {
            for (y, row) in part.rows(size).enumerate() {
                for (place, cell) in (skipped + y * width..).zip(row) {
                    for direction in directions(plain[cell].legal & kind & FORWARDS) {
                        let to = (place as u32).wrapping_add_signed(offsets[direction as usize]);
                        if self.join(place as u32, to) {
                            opened.push((Cell(cell as u32), direction));
                        }
                    }
                }
            }
        }
    }

    /// Joins the components of two cells and says whether they were different ones.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (u32::MAX - self.rank[a as usize], u32::MAX - self.rank[b as usize]);
        if a == b {
            return false;
        }
        let (a, b) = (find(&mut self.joined, a), find(&mut self.joined, b));
        self.joined[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Finds the components of the streets that do not leave a part.
    fn find(&mut self, ground: &Ground, plain: &[Lanes], part: Part) {
        let (size, width) = (ground.size(), part.width());
        self.moves.clear();
        for row in part.rows(size) {
            let start = self.moves.len();
            self.moves.extend(plain[row].iter().map(|lanes| lanes.out));
            self.moves[start] &= !leading(-1, 0);
            self.moves[start + width - 1] &= !leading(1, 0);
        }
        let last = self.moves.len() - width;
        self.moves[..width].iter_mut().for_each(|moves| *moves &= !leading(0, -1));
        self.moves[last..].iter_mut().for_each(|moves| *moves &= !leading(0, 1));
        self.rank.clear();
        self.rank.resize(self.moves.len(), 0);
        (self.count, self.next) = (0, 1);
        let offsets = Direction::ALL.map(|direction| direction.dy() * width as i32 + direction.dx());
        let mut start = 0;
        for row in part.rows(size) {
            for lanes in &plain[row] {
                if lanes.legal != 0 && self.rank[start as usize] == 0 {
                    self.visit(start, offsets);
                }
                start += 1;
            }
        }
    }

    fn enter(&mut self, cell: u32) {
        self.rank[cell as usize] = self.next;
        self.next += 1;
        self.way.push(Visit { cell, left: self.moves[cell as usize], root: true });
    }

    fn visit(&mut self, start: u32, offsets: [i32; 8]) {
        self.enter(start);
        while let Some(visit) = self.way.last_mut() {
            let cell = visit.cell;
            if visit.left != 0 {
                let to = cell.wrapping_add_signed(offsets[visit.left.trailing_zeros() as usize]);
                let rank = self.rank[to as usize];
                if rank == 0 {
                    // The move stays in the set: it is looked at again when its end has been visited.
                    self.enter(to);
                    continue;
                }
                visit.left &= visit.left - 1;
                if rank < self.rank[cell as usize] {
                    self.rank[cell as usize] = rank;
                    visit.root = false;
                }
                continue;
            }
            if visit.root {
                self.close(cell);
            } else {
                self.open.push(cell);
            }
            self.way.pop();
        }
    }

    /// A component is complete: its first cell, and all that were left open since.
    fn close(&mut self, root: u32) {
        let (first, label) = (self.rank[root as usize], u32::MAX - self.count);
        while let Some(&cell) = self.open.last().filter(|&&cell| self.rank[cell as usize] >= first) {
            self.open.pop();
            self.rank[cell as usize] = label;
            self.next -= 1;
        }
        self.rank[root as usize] = label;
        self.next -= 1;
        self.count += 1;
    }
}

/// The representative of a set, its path halved on the way.
fn find(joined: &mut [u32], mut set: u32) -> u32 {
    while joined[set as usize] != set {
        joined[set as usize] = joined[joined[set as usize] as usize];
        set = joined[set as usize];
    }
    set
}
