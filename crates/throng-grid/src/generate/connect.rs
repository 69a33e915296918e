//! Connecting the components of a generated map: carve passages between them, fill small ones.
//!
//! All components grow into the blocked cells between them by one breadth-first search. Where two meet, the paths back
//! to both form a candidate passage. The shortest candidates that join all components are carved (Kruskal's minimum
//! spanning tree), so the time is near-linear for any number of components.

use std::collections::VecDeque;

use super::draw::{Rect, brush, walkable};
use crate::union_find::UnionFind;
use crate::{Cell, Direction, Profile, Size, Terrain, Tiles};

/// The four straight steps. A map connected by them is connected under every corner rule.
const STEPS: [Direction; 4] = [Direction::North, Direction::East, Direction::South, Direction::West];

/// The label of a cell that belongs to no component.
const UNLABELLED: u32 = u32::MAX;

/// The connected components of walkable cells under straight steps.
///
/// Labelling the terrain is several times faster than building a [`Grid`](crate::Grid) for its components, and a
/// generator needs the components more than once.
struct Labels {
    /// The component of each cell, [`UNLABELLED`] if the cell is not walkable.
    label: Vec<u32>,
    /// The number of cells of each component.
    sizes: Vec<u32>,
}

impl Labels {
    fn of(tiles: &Tiles) -> Self {
        let (width, area) = (tiles.size().width() as usize, tiles.size().area());
        let free: Vec<bool> =
            tiles.terrain().iter().map(|&terrain| Profile::WALKER.enters(terrain)).collect();
        let mut sets = UnionFind::new(area);
        for cell in (0..area).filter(|&cell| free[cell]) {
            if cell % width > 0 && free[cell - 1] {
                sets.union(cell - 1, cell);
            }
            if cell >= width && free[cell - width] {
                sets.union(cell - width, cell);
            }
        }
        let (mut label, mut sizes) = (vec![UNLABELLED; area], Vec::new());
        for cell in (0..area).filter(|&cell| free[cell]) {
            label[cell] = sets.label(cell, &label, &mut sizes);
            sizes[label[cell] as usize] += 1;
        }
        Self { label, sizes }
    }

    /// Fills the cells of every component that `keep` rejects.
    fn fill_others(&self, tiles: &mut Tiles, keep: impl Fn(u32) -> bool) {
        for (cell, &component) in self.label.iter().enumerate() {
            if component != UNLABELLED && !keep(component) {
                tiles.replace(Cell(cell as u32), Terrain::Wall);
            }
        }
    }
}

/// Makes the walkable cells connected: fills components of fewer than `min_cells` cells, carves passages of the given
/// width between the others, and fills those that stay separate. Without a component, the middle of the map is freed.
pub(super) fn join_components(tiles: &mut Tiles, min_cells: u32, width: i32) {
    fill_small(tiles, min_cells);
    connect(tiles, width);
    if !keep_largest(tiles) {
        tiles.set(Rect::of(tiles.size()).middle(), Terrain::Ground);
    }
}

/// Fills every component except the largest, the first among equals. Returns false if there is none.
fn keep_largest(tiles: &mut Tiles) -> bool {
    let labels = Labels::of(tiles);
    let max = labels.sizes.iter().max();
    let largest = labels.sizes.iter().position(|size| Some(size) == max);
    labels.fill_others(tiles, |component| largest == Some(component as usize));
    largest.is_some()
}

/// Fills every component of fewer than `min_cells` cells.
pub(super) fn fill_small(tiles: &mut Tiles, min_cells: u32) {
    let labels = Labels::of(tiles);
    labels.fill_others(tiles, |component| labels.sizes[component as usize] >= min_cells);
}

/// Carves the shortest passages of the given width that join all components. The outermost ring of the map does not
/// change, so components that only a passage through it could join stay separate.
fn connect(tiles: &mut Tiles, width: i32) {
    let mut growth = Growth::of(tiles);
    if growth.components < 2 {
        return;
    }
    let mut candidates = growth.run(tiles.size());
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
    /// The step that reached each cell.
    reached_by: Vec<Direction>,
    queue: VecDeque<Cell>,
}

impl Growth {
    fn of(tiles: &Tiles) -> Self {
        let Labels { label, sizes } = Labels::of(tiles);
        let area = tiles.size().area();
        let queue = tiles.size().cells().filter(|cell| label[cell.index()] != UNLABELLED).collect();
        let (distance, reached_by) = (vec![0; area], vec![Direction::North; area]);
        Self { components: sizes.len(), label, distance, reached_by, queue }
    }

    /// Grows until all inner cells are labelled. Returns the pairs of adjacent cells of two components, with the length
    /// of the passage through them.
    fn run(&mut self, size: Size) -> Vec<(u32, usize, usize)> {
        let (inner, mut candidates) = (Rect::of(size).inset(1), Vec::new());
        while let Some(cell) = self.queue.pop_front() {
            let (here, pos) = (cell.index(), size.pos(cell));
            for step in STEPS {
                let Some(to) = size.cell(pos + step) else { continue };
                let there = to.index();
                if self.label[there] == UNLABELLED {
                    if inner.contains(pos + step) {
                        self.label[there] = self.label[here];
                        self.distance[there] = self.distance[here] + 1;
                        self.reached_by[there] = step;
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
        let (size, inner) = (tiles.size(), Rect::of(tiles.size()).inset(1));
        while self.distance[at] > 0 {
            let pos = size.pos(Cell(at as u32));
            tiles.set(pos, Terrain::Ground);
            for pos in brush(pos, width).filter(|&pos| inner.contains(pos)) {
                if !walkable(tiles, pos) {
                    tiles.set(pos, Terrain::Ground);
                }
            }
            let before = pos + self.reached_by[at].opposite();
            at = size.cell(before).expect("growth starts inside the map").index();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::draw::paint;
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
            paint(&mut tiles, Rect::of(size).outline(), Terrain::Wall);
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
        fill_small(&mut tiles, 3);
        assert_eq!(tiles, Tiles::picture("###...#.G.S"));
        assert!(keep_largest(&mut tiles));
        assert_eq!(tiles, Tiles::picture("#######.G.S"));
        assert!(!keep_largest(&mut Tiles::picture("##")));
    }
}
