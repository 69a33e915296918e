//! Making one walkable part of many: carve passages between the parts, fill what is left over.
//!
//! All parts grow into the blocked cells between them at the same speed; where two meet, the way back to both
//! is a candidate passage. The shortest candidates that join everything are carved (Kruskal's spanning tree),
//! so the work is near-linear however many parts there are.

use std::collections::VecDeque;

use super::draw::brush;
use crate::{Cell, Grid, MoveRules, Pos, Profile, Size, Terrain, Tiles};

/// Steps along rows and columns: a map connected by these is connected under every corner rule.
const STEPS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// Fills every walkable part but the largest; says how many cells stay walkable.
pub(crate) fn keep_largest(tiles: &mut Tiles, filling: Terrain) -> usize {
    let grid = Grid::new(tiles.clone(), MoveRules::FOUR_WAY);
    let (ground, components) = (grid.ground(), grid.ground().components());
    let largest = components.largest();
    for cell in ground.free_cells().filter(|&cell| components.label(ground, cell) != largest) {
        tiles.replace(cell, filling);
    }
    largest.map_or(0, |largest| components.sizes()[largest as usize] as usize)
}

/// Fills every walkable part of fewer than `least` cells.
pub(crate) fn fill_pockets(tiles: &mut Tiles, least: u32, filling: Terrain) {
    let grid = Grid::new(tiles.clone(), MoveRules::FOUR_WAY);
    let (ground, components) = (grid.ground(), grid.ground().components());
    for cell in ground.free_cells() {
        let label = components.label(ground, cell).expect("a free cell has a component");
        if components.sizes()[label as usize] < least {
            tiles.replace(cell, filling);
        }
    }
}

/// Carves the shortest passages that join all walkable parts. The outermost ring of the map stays as it is, so
/// parts that only it could join stay apart.
pub(crate) fn connect(tiles: &mut Tiles, width: i32) {
    let size = tiles.size();
    let mut growth = Growth::of(tiles);
    let mut candidates = growth.run(size);
    candidates.sort_unstable();
    let mut parent: Vec<u32> = (0..growth.parts).collect();
    for (_, a, b) in candidates {
        let (one, other) = (root(&mut parent, growth.label[a]), root(&mut parent, growth.label[b]));
        if one != other {
            parent[one.max(other) as usize] = one.min(other);
            growth.carve(tiles, a, width);
            growth.carve(tiles, b, width);
        }
    }
}

fn root(parent: &mut [u32], mut part: u32) -> u32 {
    while parent[part as usize] != part {
        let above = parent[parent[part as usize] as usize];
        parent[part as usize] = above;
        part = above;
    }
    part
}

/// Nobody has grown here yet.
const NOBODY: u32 = u32::MAX;

/// The parts, and how far each has grown.
struct Growth {
    parts: u32,
    label: Vec<u32>,
    /// Steps from the part, 0 inside it.
    distance: Vec<u32>,
    /// The number of the step that came here.
    came: Vec<u8>,
    queue: VecDeque<Cell>,
}

impl Growth {
    fn of(tiles: &Tiles) -> Self {
        let grid = Grid::new(tiles.clone(), MoveRules::FOUR_WAY);
        let (ground, components) = (grid.ground(), grid.ground().components());
        let area = tiles.size().area();
        let label = tiles.size().cells().map(|cell| components.label(ground, cell).unwrap_or(NOBODY));
        Self {
            parts: components.count() as u32,
            label: label.collect(),
            distance: vec![0; area],
            came: vec![0; area],
            queue: ground.free_cells().collect(),
        }
    }

    /// Grows until all inner cells are taken; returns where two parts meet, with the length of the passage.
    fn run(&mut self, size: Size) -> Vec<(u32, usize, usize)> {
        let mut meetings = Vec::new();
        while let Some(cell) = self.queue.pop_front() {
            let (here, pos) = (cell.index(), size.pos(cell));
            for (number, (dx, dy)) in STEPS.into_iter().enumerate() {
                let Some(to) = size.cell(Pos::new(pos.x + dx, pos.y + dy)) else { continue };
                let there = to.index();
                if self.label[there] == NOBODY {
                    if is_inner(size, to) {
                        self.label[there] = self.label[here];
                        self.distance[there] = self.distance[here] + 1;
                        self.came[there] = number as u8;
                        self.queue.push_back(to);
                    }
                } else if self.label[there] != self.label[here] {
                    meetings.push((self.distance[here] + self.distance[there], here, there));
                }
            }
        }
        meetings
    }

    /// Opens the way from a cell back to its part.
    fn carve(&self, tiles: &mut Tiles, mut at: usize, width: i32) {
        let size = tiles.size();
        while self.distance[at] > 0 {
            let pos = size.pos(Cell(at as u32));
            tiles.set(pos, Terrain::Ground);
            for pos in brush(pos, width) {
                let inner = size.cell(pos).is_some_and(|cell| is_inner(size, cell));
                if inner && tiles.at(pos).is_some_and(|terrain| !Profile::WALKER.enters(terrain)) {
                    tiles.set(pos, Terrain::Ground);
                }
            }
            let (dx, dy) = STEPS[self.came[at] as usize];
            at = size.cell(Pos::new(pos.x - dx, pos.y - dy)).expect("grown from inside the map").index();
        }
    }
}

/// Whether a cell is not on the outermost ring.
fn is_inner(size: Size, cell: Cell) -> bool {
    let pos = size.pos(cell);
    pos.x > 0 && pos.y > 0 && pos.x + 1 < size.width() as i32 && pos.y + 1 < size.height() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_tiles;

    fn parts(tiles: &Tiles) -> usize {
        Grid::new(tiles.clone(), MoveRules::FOUR_WAY).ground().components().count()
    }

    #[test]
    fn passages_join_everything_inside_the_border() {
        for seed in 0..60 {
            let mut tiles = random_tiles(20 + seed as u32, 15, 60, seed);
            let size = tiles.size();
            for cell in size.cells().filter(|&cell| !is_inner(size, cell)) {
                tiles.replace(cell, Terrain::Wall);
            }
            connect(&mut tiles, 1 + seed as i32 % 3);
            assert_eq!(parts(&tiles), 1, "seed {seed}");
        }
    }

    #[test]
    fn the_shortest_passages_are_taken() {
        let mut tiles = Tiles::picture(
            "#########
             #.#.###.#
             #.#.###.#
             #########",
        );
        connect(&mut tiles, 1);
        assert_eq!(
            tiles,
            Tiles::picture(
                "#########
                 #.......#
                 #.#.###.#
                 #########",
            )
        );
    }

    #[test]
    fn pockets_are_filled() {
        let mut tiles = Tiles::picture("..#...#.G.S");
        fill_pockets(&mut tiles, 3, Terrain::Water);
        assert_eq!(tiles, Tiles::picture("WW#...#.G.S"));
        assert_eq!(keep_largest(&mut tiles, Terrain::Wall), 4);
        assert_eq!(tiles, Tiles::picture("WW#####.G.S"));
        assert_eq!(keep_largest(&mut Tiles::picture("##"), Terrain::Wall), 0);
    }
}
