//! Rooms and mazes: a lattice of chambers separated by walls of one cell. A random spanning tree of openings connects
//! all chambers; a percentage of the remaining walls is opened as well. In `rooms` an opening is a door of one cell, in
//! `maze` the whole wall is removed.

use super::{SeededRng, Values};
use crate::generate::draw::{Rect, fill, paint};
use crate::union_find::UnionFind;
use crate::{Size, Terrain, Tiles};

pub(super) fn rooms(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let lattice = Lattice::new(size, values.get("room") as u32);
    let walls = lattice.spanning_tree_by_shuffling(rng);
    lattice.map(size, walls, values.get("doors") as u32, rng, |tiles, wall, rng| {
        let door = rng.between(0, wall.width() * wall.height() - 1);
        paint(tiles, wall.positions().nth(door as usize), Terrain::Ground);
    })
}

pub(super) fn maze(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let lattice = Lattice::new(size, values.get("corridor") as u32);
    let walls = lattice.spanning_tree_by_random_walk(rng);
    lattice.map(size, walls, values.get("loops") as u32, rng, |tiles, wall, _| {
        fill(tiles, wall, Terrain::Ground);
    })
}

/// The wall to the right of a chamber, or the one below it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wall {
    chamber: usize,
    below: bool,
}

/// The column and row ranges of the chambers, ends excluded.
struct Lattice {
    columns: Vec<(i32, i32)>,
    rows: Vec<(i32, i32)>,
}

impl Lattice {
    fn new(size: Size, side: u32) -> Self {
        Self { columns: cuts(size.width(), side), rows: cuts(size.height(), side) }
    }

    fn count(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// Returns the map of the chambers and openings. Each closed wall is opened too with a probability in percent. `open`
    /// draws the opening of a wall.
    fn map(
        &self,
        size: Size,
        mut walls: Vec<(Wall, bool)>,
        percent: u32,
        rng: &mut SeededRng,
        open: impl Fn(&mut Tiles, Rect, &mut SeededRng),
    ) -> Tiles {
        let mut tiles = Tiles::filled(size, Terrain::Wall);
        for &(y0, y1) in &self.rows {
            for &(x0, x1) in &self.columns {
                fill(&mut tiles, Rect::new(x0, y0, x1, y1), Terrain::Ground);
            }
        }
        for (_, is_open) in &mut walls {
            *is_open |= rng.chance(percent);
        }
        for (wall, _) in walls.into_iter().filter(|(_, is_open)| *is_open) {
            open(&mut tiles, self.rect(wall), rng);
        }
        tiles
    }

    /// Returns the walls between two chambers, all closed, in the order of the chambers, the right wall first.
    fn walls(&self) -> Vec<(Wall, bool)> {
        let mut walls = Vec::with_capacity(2 * self.count());
        for chamber in 0..self.count() {
            for below in [false, true] {
                let wall = Wall { chamber, below };
                if self.other_side(wall).is_some() {
                    walls.push((wall, false));
                }
            }
        }
        walls
    }

    /// Returns the chamber behind a wall, `None` at the map's edge.
    fn other_side(&self, wall: Wall) -> Option<usize> {
        let columns = self.columns.len();
        let other = wall.chamber + if wall.below { columns } else { 1 };
        let is_inner = if wall.below { other < self.count() } else { !other.is_multiple_of(columns) };
        is_inner.then_some(other)
    }

    /// Returns the cells of a wall.
    fn rect(&self, wall: Wall) -> Rect {
        let (x0, x1) = self.columns[wall.chamber % self.columns.len()];
        let (y0, y1) = self.rows[wall.chamber / self.columns.len()];
        if wall.below { Rect::new(x0, y1, x1, y1 + 1) } else { Rect::new(x1, y0, x1 + 1, y1) }
    }

    /// Returns the walls with a spanning tree opened: walls in random order that join two components (Kruskal).
    fn spanning_tree_by_shuffling(&self, rng: &mut SeededRng) -> Vec<(Wall, bool)> {
        let mut walls = self.walls();
        rng.shuffle(&mut walls);
        let mut connected = UnionFind::new(self.count());
        for (wall, open) in &mut walls {
            let other = self.other_side(*wall).expect("inner walls have two sides");
            *open = connected.union(wall.chamber, other);
        }
        walls
    }

    /// Returns the walls with a spanning tree opened: those that a random depth-first search crosses. Makes long
    /// winding corridors.
    fn spanning_tree_by_random_walk(&self, rng: &mut SeededRng) -> Vec<(Wall, bool)> {
        let columns = self.columns.len();
        let mut open = vec![false; 2 * self.count()];
        let mut seen = vec![false; self.count()];
        let mut stack = vec![rng.below(self.count() as u32) as usize];
        seen[stack[0]] = true;
        while let Some(&here) = stack.last() {
            let mut exits = [(here, 0); 4];
            let mut count = 0;
            let (left, up) = (!here.is_multiple_of(columns), here >= columns);
            let walls = [
                Some((here, false)),
                Some((here, true)),
                left.then(|| (here - 1, false)),
                up.then(|| (here - columns, true)),
            ];
            for (chamber, below) in walls.into_iter().flatten() {
                let Some(other) = self.other_side(Wall { chamber, below }) else { continue };
                let to = if chamber == here { other } else { chamber };
                if !seen[to] {
                    exits[count] = (to, 2 * chamber + usize::from(below));
                    count += 1;
                }
            }
            if count == 0 {
                stack.pop();
            } else {
                let (to, wall) = rng.pick(&exits[..count]);
                open[wall] = true;
                seen[to] = true;
                stack.push(to);
            }
        }
        let with_state = |(wall, _): (Wall, bool)| (wall, open[2 * wall.chamber + usize::from(wall.below)]);
        self.walls().into_iter().map(with_state).collect()
    }
}

/// Divides a side into ranges of chambers with a wall before, between and after them. The last chamber takes the
/// remainder and is up to twice as long as the others.
fn cuts(length: u32, chamber: u32) -> Vec<(i32, i32)> {
    let (end, chamber) = (length as i32 - 1, chamber as i32);
    let mut cuts = Vec::new();
    let mut start = 1;
    while end - start > 2 * chamber {
        cuts.push((start, start + chamber));
        start += chamber + 1;
    }
    cuts.push((start, end));
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::{Grid, MoveRules};

    #[test]
    fn a_side_is_divided_with_walls_between_chambers() {
        assert_eq!(cuts(3, 4), [(1, 2)]);
        assert_eq!(cuts(11, 4), [(1, 5), (6, 10)]);
        assert_eq!(cuts(13, 4), [(1, 5), (6, 12)]);
    }

    #[test]
    fn a_maze_without_loops_is_a_tree() {
        let size = Size::new(41, 31).unwrap();
        let maze = generate("maze:corridor=1,loops=0", size, 3).unwrap();
        let grid = Grid::new(maze, MoveRules::default());
        let ground = grid.ground();
        let steps: u32 = ground.free_cells().map(|cell| ground.moves(cell).count_ones()).sum();
        assert_eq!(steps as usize / 2, ground.free_count() - 1);
        assert_eq!(ground.components().count(), 1);
    }
}
