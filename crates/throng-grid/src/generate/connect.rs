//! Connecting the components of a generated map: carve passages between them, fill small ones.
//!
//! All components grow into the blocked cells between them by one breadth-first search. Where two meet, the paths back
//! to both form a candidate passage. The shortest candidates that join all components are carved (Kruskal's minimum
//! spanning tree), so the time is near-linear for any number of components.

use std::collections::VecDeque;

use super::draw::brush;
use crate::union_find::UnionFind;
use crate::{Cell, Pos, Profile, Size, Terrain, Tiles};

/// The four straight steps. A map connected by them is connected under every corner rule.
const STEPS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// The label of a cell that belongs to no component.
const UNLABELLED: u32 = u32::MAX;

/// The connected components of walkable cells under straight steps.
///
/// A flood fill of the terrain is several times faster than building a [`Grid`](crate::Grid) for its components, and a
/// generator needs the components more than once.
struct Labels {
    /// The component of each cell, [`UNLABELLED`] if the cell is not walkable.
    label: Vec<u32>,
    /// The number of cells of each component.
    sizes: Vec<u32>,
}

impl Labels {
    fn of(tiles: &Tiles) -> Self {
        let size = tiles.size();
        let (width, area) = (size.width() as usize, size.area());
        let free: Vec<bool> =
            tiles.terrain().iter().map(|&terrain| Profile::WALKER.enters(terrain)).collect();
        let (mut label, mut sizes) = (vec![UNLABELLED; area], Vec::new());
        let mut stack = Vec::new();
        for start in 0..area {
            if !free[start] || label[start] != UNLABELLED {
                continue;
            }
            let component = sizes.len() as u32;
            let mut count = 0;
            label[start] = component;
            stack.push(start as u32);
            while let Some(cell) = stack.pop() {
                count += 1;
                let (at, x) = (cell as usize, size.pos(Cell(cell)).x as usize);
                let mut visit = |to: usize| {
                    if free[to] && label[to] == UNLABELLED {
                        label[to] = component;
                        stack.push(to as u32);
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

    /// Fills the cells of every component that `keep` rejects.
    fn fill_others(&self, tiles: &mut Tiles, filling: Terrain, keep: impl Fn(u32) -> bool) {
        for (cell, &component) in self.label.iter().enumerate() {
            if component != UNLABELLED && !keep(component) {
                tiles.replace(Cell(cell as u32), filling);
            }
        }
    }
}

/// Fills every component except the largest, the first among equals. Returns the number of cells that stay walkable.
pub(crate) fn keep_largest(tiles: &mut Tiles, filling: Terrain) -> usize {
    let labels = Labels::of(tiles);
    let max = labels.sizes.iter().copied().max().unwrap_or(0);
    let largest = labels.sizes.iter().position(|&size| size == max);
    labels.fill_others(tiles, filling, |component| largest == Some(component as usize));
    max as usize
}

/// Fills every component of fewer than `min_cells` cells.
pub(crate) fn fill_small(tiles: &mut Tiles, min_cells: u32, filling: Terrain) {
    let labels = Labels::of(tiles);
    labels.fill_others(tiles, filling, |component| labels.sizes[component as usize] >= min_cells);
}

/// Carves the shortest passages of the given width that join all components. The outermost ring of the map does not
/// change, so components that only a passage through it could join stay separate.
pub(crate) fn connect(tiles: &mut Tiles, width: i32) {
    let size = tiles.size();
    let mut growth = Growth::of(tiles);
    if growth.components < 2 {
        return;
    }
    let mut candidates = growth.run(size);
    candidates.sort_unstable();
    let mut joined = UnionFind::new(growth.components);
    for (_, a, b) in candidates {
        if joined.union(growth.label[a] as usize, growth.label[b] as usize) {
            growth.carve(tiles, a, width);
            growth.carve(tiles, b, width);
        }
    }
}

/// The components during their growth into the cells between them.
struct Growth {
    /// Number of components.
    components: usize,
    /// The component that reached each cell, [`UNLABELLED`] before.
    label: Vec<u32>,
    /// Steps from the component, 0 inside it.
    distance: Vec<u32>,
    /// Index in [`STEPS`] of the step that reached each cell.
    reached_by: Vec<u8>,
    queue: VecDeque<Cell>,
}

impl Growth {
    fn of(tiles: &Tiles) -> Self {
        let Labels { label, sizes } = Labels::of(tiles);
        let area = tiles.size().area();
        let queue = tiles.size().cells().filter(|cell| label[cell.index()] != UNLABELLED).collect();
        Self { components: sizes.len(), label, distance: vec![0; area], reached_by: vec![0; area], queue }
    }

    /// Grows until all inner cells are labelled. Returns the pairs of adjacent cells of two components, with the length
    /// of the passage through them.
    fn run(&mut self, size: Size) -> Vec<(u32, usize, usize)> {
        let mut candidates = Vec::new();
        while let Some(cell) = self.queue.pop_front() {
            let (here, pos) = (cell.index(), size.pos(cell));
            for (number, (dx, dy)) in STEPS.into_iter().enumerate() {
                let Some(to) = size.cell(Pos::new(pos.x + dx, pos.y + dy)) else { continue };
                let there = to.index();
                if self.label[there] == UNLABELLED {
                    if is_inner(size, to) {
                        self.label[there] = self.label[here];
                        self.distance[there] = self.distance[here] + 1;
                        self.reached_by[there] = number as u8;
                        self.queue.push_back(to);
                    }
                } else if self.label[there] != self.label[here] {
                    candidates.push((self.distance[here] + self.distance[there], here, there));
                }
            }
        }
        candidates
    }

    /// Carves the path from a cell back to its component.
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
            let (dx, dy) = STEPS[self.reached_by[at] as usize];
            at = size.cell(Pos::new(pos.x - dx, pos.y - dy)).expect("growth starts inside the map").index();
        }
    }
}

/// Returns true if a cell is not on the outermost ring.
fn is_inner(size: Size, cell: Cell) -> bool {
    let pos = size.pos(cell);
    pos.x > 0 && pos.y > 0 && pos.x + 1 < size.width() as i32 && pos.y + 1 < size.height() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_tiles;
    use crate::{Grid, MoveRules};

    fn component_count(tiles: &Tiles) -> usize {
        Grid::new(tiles.clone(), MoveRules::FOUR_WAY).ground().components().count()
    }

    #[test]
    fn passages_join_all_components_inside_the_border() {
        for seed in 0..60 {
            let mut tiles = random_tiles(20 + seed as u32, 15, 60, seed);
            let size = tiles.size();
            for cell in size.cells().filter(|&cell| !is_inner(size, cell)) {
                tiles.replace(cell, Terrain::Wall);
            }
            connect(&mut tiles, 1 + seed as i32 % 3);
            assert_eq!(component_count(&tiles), 1, "seed {seed}");
        }
    }

    #[test]
    fn the_shortest_passages_are_carved() {
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
    fn small_components_are_filled() {
        let mut tiles = Tiles::picture("..#...#.G.S");
        fill_small(&mut tiles, 3, Terrain::Water);
        assert_eq!(tiles, Tiles::picture("WW#...#.G.S"));
        assert_eq!(keep_largest(&mut tiles, Terrain::Wall), 4);
        assert_eq!(tiles, Tiles::picture("WW#####.G.S"));
        assert_eq!(keep_largest(&mut Tiles::picture("##"), Terrain::Wall), 0);
    }
}
