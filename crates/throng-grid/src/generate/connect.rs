//! Making one walkable part of many: carve passages between the parts, fill what is left over.
//!
//! All parts grow into the blocked cells between them at the same speed; where two meet, the way back to both
//! is a candidate passage. The shortest candidates that join everything are carved (Kruskal's spanning tree),
//! so the work is near-linear however many parts there are.

use std::collections::VecDeque;

use super::draw::brush;
use crate::{Cell, Pos, Profile, Size, Terrain, Tiles};

/// Steps along rows and columns: a map connected by these is connected under every corner rule.
const STEPS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// Nobody's: a blocked cell.
const NOBODY: u32 = u32::MAX;

/// The walkable parts by straight steps: the part of each cell, and how many cells each part has.
///
/// Flooding terrain directly is several times faster than building a [`Grid`](crate::Grid) for its components,
/// and generators look at parts more than once.
struct Parts {
    label: Vec<u32>,
    sizes: Vec<u32>,
}

impl Parts {
    fn of(tiles: &Tiles) -> Self {
        let size = tiles.size();
        let (width, area) = (size.width() as usize, size.area());
        let free: Vec<bool> =
            tiles.terrain().iter().map(|&terrain| Profile::WALKER.enters(terrain)).collect();
        let (mut label, mut sizes) = (vec![NOBODY; area], Vec::new());
        let mut stack = Vec::new();
        for start in 0..area {
            if !free[start] || label[start] != NOBODY {
                continue;
            }
            let part = sizes.len() as u32;
            let mut count = 0;
            label[start] = part;
            stack.push(start as u32);
            while let Some(cell) = stack.pop() {
                count += 1;
                let (at, x) = (cell as usize, size.pos(Cell(cell)).x as usize);
                let mut visit = |there: usize| {
                    if free[there] && label[there] == NOBODY {
                        label[there] = part;
                        stack.push(there as u32);
                    }
                };
                if x > 0 {
                    visit(at - 1);
                }
                if x + 1 < width {
                    visit(at + 1);
                }
                if at >= width {
                    visit(at - width);
                }
                if at + width < area {
                    visit(at + width);
                }
            }
            sizes.push(count);
        }
        Self { label, sizes }
    }

    /// Fills the cells of every part that is not kept.
    fn fill_others(&self, tiles: &mut Tiles, filling: Terrain, keep: impl Fn(u32) -> bool) {
        for (number, &part) in self.label.iter().enumerate() {
            if part != NOBODY && !keep(part) {
                tiles.replace(Cell(number as u32), filling);
            }
        }
    }
}

/// Fills every walkable part but the largest, the first among equals; says how many cells stay walkable.
pub(crate) fn keep_largest(tiles: &mut Tiles, filling: Terrain) -> usize {
    let parts = Parts::of(tiles);
    let most = parts.sizes.iter().copied().max().unwrap_or(0);
    let largest = parts.sizes.iter().position(|&size| size == most);
    parts.fill_others(tiles, filling, |part| largest == Some(part as usize));
    most as usize
}

/// Fills every walkable part of fewer than `least` cells.
pub(crate) fn fill_pockets(tiles: &mut Tiles, least: u32, filling: Terrain) {
    let parts = Parts::of(tiles);
    parts.fill_others(tiles, filling, |part| parts.sizes[part as usize] >= least);
}

/// Carves the shortest passages that join all walkable parts. The outermost ring of the map stays as it is, so
/// parts that only it could join stay apart.
pub(crate) fn connect(tiles: &mut Tiles, width: i32) {
    let size = tiles.size();
    let mut growth = Growth::of(tiles);
    if growth.parts < 2 {
        return;
    }
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
        let Parts { label, sizes } = Parts::of(tiles);
        let area = tiles.size().area();
        let queue = tiles.size().cells().filter(|cell| label[cell.index()] != NOBODY).collect();
        Self { parts: sizes.len() as u32, label, distance: vec![0; area], came: vec![0; area], queue }
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
    use crate::{Grid, MoveRules};

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
