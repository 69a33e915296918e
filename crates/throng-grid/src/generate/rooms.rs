//! Rooms and mazes: one lattice of chambers with walls of one cell between them. A random spanning tree of
//! openings connects the chambers by construction; some of the other walls are opened as well. In `rooms` an
//! opening is a door of one cell, in `maze` it takes the whole wall.

use super::{SeededRng, Values};
use crate::generate::draw::{Rect, fill};
use crate::{Size, Terrain, Tiles};

pub(super) fn rooms(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let lattice = Lattice::new(size, values.get("room") as u32);
    let mut open = lattice.tree_from_shuffled_walls(rng);
    open_more(&mut open, values.get("doors") as u32, rng);
    let mut tiles = lattice.chambers(size);
    for &(wall, _) in open.iter().filter(|(_, open)| *open) {
        let wall = lattice.rect(wall);
        let door = rng.between(0, wall.width() * wall.height() - 1);
        let pos = wall.places().nth(door as usize).expect("a place in the wall");
        tiles.set(pos, Terrain::Ground);
    }
    tiles
}

pub(super) fn maze(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let lattice = Lattice::new(size, values.get("corridor") as u32);
    let mut open = lattice.tree_from_a_walk(rng);
    open_more(&mut open, values.get("loops") as u32, rng);
    let mut tiles = lattice.chambers(size);
    for &(wall, _) in open.iter().filter(|(_, open)| *open) {
        fill(&mut tiles, lattice.rect(wall), Terrain::Ground);
    }
    tiles
}

/// Opens each closed wall with a chance in percent.
fn open_more(walls: &mut [(Wall, bool)], percent: u32, rng: &mut SeededRng) {
    for (_, open) in walls {
        *open |= rng.chance(percent);
    }
}

/// The wall on the right of a chamber, or the one below it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wall {
    chamber: usize,
    below: bool,
}

/// Columns and rows of chambers, a wall of one cell around each.
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

    /// Walls with all chambers open and all walls closed.
    fn chambers(&self, size: Size) -> Tiles {
        let mut tiles = Tiles::filled(size, Terrain::Wall);
        for &(y0, y1) in &self.rows {
            for &(x0, x1) in &self.columns {
                fill(&mut tiles, Rect::new(x0, y0, x1, y1), Terrain::Ground);
            }
        }
        tiles
    }

    /// The walls between two chambers, in the order of the chambers, the right one first.
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

    /// The chamber behind a wall, `None` behind the map's edge.
    fn other_side(&self, wall: Wall) -> Option<usize> {
        let columns = self.columns.len();
        let other = if wall.below {
            wall.chamber + columns
        } else {
            if wall.chamber % columns + 1 == columns {
                return None;
            }
            wall.chamber + 1
        };
        (other < self.count()).then_some(other)
    }

    /// The cells of a wall.
    fn rect(&self, wall: Wall) -> Rect {
        let (x0, x1) = self.columns[wall.chamber % self.columns.len()];
        let (y0, y1) = self.rows[wall.chamber / self.columns.len()];
        if wall.below { Rect::new(x0, y1, x1, y1 + 1) } else { Rect::new(x1, y0, x1 + 1, y1) }
    }

    /// Opens walls in random order wherever they still join two separate parts (Kruskal).
    fn tree_from_shuffled_walls(&self, rng: &mut SeededRng) -> Vec<(Wall, bool)> {
        let mut walls = self.walls();
        rng.shuffle(&mut walls);
        let mut parent: Vec<usize> = (0..self.count()).collect();
        for (wall, open) in &mut walls {
            let other = self.other_side(*wall).expect("a wall between two chambers");
            let (a, b) = (root(&mut parent, wall.chamber), root(&mut parent, other));
            *open = a != b;
            parent[a] = b;
        }
        walls
    }

    /// Opens the walls that a random walk with backtracking goes through: long winding corridors.
    fn tree_from_a_walk(&self, rng: &mut SeededRng) -> Vec<(Wall, bool)> {
        let columns = self.columns.len();
        let mut open = vec![false; 2 * self.count()];
        let mut seen = vec![false; self.count()];
        let mut stack = vec![rng.below(self.count() as u32) as usize];
        seen[stack[0]] = true;
        while let Some(&here) = stack.last() {
            let mut ways = [(here, 0); 4];
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
                    ways[count] = (to, 2 * chamber + usize::from(below));
                    count += 1;
                }
            }
            if count == 0 {
                stack.pop();
            } else {
                let (to, wall) = rng.pick(&ways[..count]);
                open[wall] = true;
                seen[to] = true;
                stack.push(to);
            }
        }
        let with_state = |(wall, _): (Wall, bool)| (wall, open[2 * wall.chamber + usize::from(wall.below)]);
        self.walls().into_iter().map(with_state).collect()
    }
}

fn root(parent: &mut [usize], mut chamber: usize) -> usize {
    while parent[chamber] != chamber {
        parent[chamber] = parent[parent[chamber]];
        chamber = parent[chamber];
    }
    chamber
}

/// Cuts a side into chambers with a wall before, between and after them; the last one takes the rest, so it
/// may be up to twice as long as the others.
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
    fn sides_are_cut_with_a_wall_between() {
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
