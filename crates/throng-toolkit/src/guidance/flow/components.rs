//! Strongly connected components of the annotated moves in a rectangle, and the edges that must be opened to merge them.
//!
//! Follows the single-array form of Tarjan's algorithm: D. J. Pearce, *A Space-Efficient Algorithm for Finding Strongly
//! Connected Components*, Information Processing Letters 116(1), 2016.

use throng_grid::{Cell, Direction, DirectionSet, Ground, directions};

use super::annotation::{AnnotatedMoves, DIAGONALS, STRAIGHTS};
use super::rect::CellRect;

/// The directions towards cells with higher numbers. They enumerate each edge once.
const FORWARDS: DirectionSet = 0b0011_1100;

/// Returns the directions with this horizontal or this vertical component; 0 matches nothing.
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

/// Computes components; the memory is reused between rectangles. Cells are numbered row by row within the rectangle.
#[derive(Clone, Debug, Default)]
pub(super) struct StrongComponents {
    /// Outgoing moves that stay inside the rectangle, by cell.
    moves: Vec<DirectionSet>,
    /// By cell: 0 before the visit. While its component is incomplete, the lowest visit number known to be reachable,
    /// from 1 upwards. Then the component number, from [`u32::MAX`] downwards.
    rank: Vec<u32>,
    /// Number of complete components.
    count: u32,
    /// Next visit number.
    next: u32,
    /// Stack of the depth-first search.
    path: Vec<Visit>,
    /// Stack of finished cells whose component is incomplete.
    incomplete: Vec<u32>,
    /// Union-find parents of the components.
    parents: Vec<u32>,
}

/// A cell on the stack of the depth-first search.
#[derive(Clone, Debug)]
struct Visit {
    cell: u32,
    /// Moves not followed yet.
    remaining: DirectionSet,
    /// True while no cell with a lower visit number is known to be reachable.
    is_root: bool,
}

impl StrongComponents {
    /// Writes the edges that a rectangle must open so that the ends of each of its legal edges can reach each other.
    /// Annotated moves in the surroundings count as connections.
    pub(super) fn open_edges(
        &mut self,
        ground: &Ground,
        annotated: &[AnnotatedMoves],
        (rect, surroundings): (CellRect, CellRect),
        opened: &mut Vec<(Cell, Direction)>,
    ) {
        opened.clear();
        self.find(ground, annotated, surroundings);
        self.parents.clear();
        self.parents.extend(0..self.count);
        if self.count <= 1 {
            return;
        }
        let (size, width) = (ground.size(), surroundings.width());
        let offsets = Direction::ALL.map(|direction| direction.dy() * width as i32 + direction.dx());
        let first = (rect.top - surroundings.top) as usize * width + (rect.left - surroundings.left) as usize;
        for shape in [STRAIGHTS, DIAGONALS] {
            for (y, row) in rect.rows(size).enumerate() {
                for (index, cell) in (first + y * width..).zip(row) {
                    for direction in directions(annotated[cell].legal & shape & FORWARDS) {
                        let to = (index as u32).wrapping_add_signed(offsets[direction as usize]);
                        if self.merge(index as u32, to) {
                            opened.push((Cell(cell as u32), direction));
                        }
                    }
                }
            }
        }
    }

    /// Merges the components of two cells. Returns true if they were different.
    fn merge(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (u32::MAX - self.rank[a as usize], u32::MAX - self.rank[b as usize]);
        if a == b {
            return false;
        }
        let (a, b) = (find(&mut self.parents, a), find(&mut self.parents, b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Computes the components of the annotated moves inside a rectangle.
    fn find(&mut self, ground: &Ground, annotated: &[AnnotatedMoves], rect: CellRect) {
        let (size, width) = (ground.size(), rect.width());
        self.moves.clear();
        for row in rect.rows(size) {
            let start = self.moves.len();
            self.moves.extend(annotated[row].iter().map(|annotated_moves| annotated_moves.out));
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
        for row in rect.rows(size) {
            for annotated_moves in &annotated[row] {
                if annotated_moves.legal != 0 && self.rank[start as usize] == 0 {
                    self.visit(start, offsets);
                }
                start += 1;
            }
        }
    }

    /// Pushes an unvisited cell.
    fn enter(&mut self, cell: u32) {
        self.rank[cell as usize] = self.next;
        self.next += 1;
        self.path.push(Visit { cell, remaining: self.moves[cell as usize], is_root: true });
    }

    /// Runs the depth-first search from a cell.
    fn visit(&mut self, start: u32, offsets: [i32; 8]) {
        self.enter(start);
        while let Some(visit) = self.path.last_mut() {
            let cell = visit.cell;
            if visit.remaining != 0 {
                let to = cell.wrapping_add_signed(offsets[visit.remaining.trailing_zeros() as usize]);
                let rank = self.rank[to as usize];
                if rank == 0 {
                    // The move stays in the set and is examined again after its end has been visited.
                    self.enter(to);
                    continue;
                }
                visit.remaining &= visit.remaining - 1;
                if rank < self.rank[cell as usize] {
                    self.rank[cell as usize] = rank;
                    visit.is_root = false;
                }
                continue;
            }
            if visit.is_root {
                self.complete(cell);
            } else {
                self.incomplete.push(cell);
            }
            self.path.pop();
        }
    }

    /// Completes the component of a root: the root and the incomplete cells visited after it.
    fn complete(&mut self, root: u32) {
        let (first, label) = (self.rank[root as usize], u32::MAX - self.count);
        while let Some(&cell) = self.incomplete.last().filter(|&&cell| self.rank[cell as usize] >= first) {
            self.incomplete.pop();
            self.rank[cell as usize] = label;
            self.next -= 1;
        }
        self.rank[root as usize] = label;
        self.next -= 1;
        self.count += 1;
    }
}

/// Returns the representative of a set and halves the path to it.
fn find(parents: &mut [u32], mut set: u32) -> u32 {
    while parents[set as usize] != set {
        parents[set as usize] = parents[parents[set as usize] as usize];
        set = parents[set as usize];
    }
    set
}
