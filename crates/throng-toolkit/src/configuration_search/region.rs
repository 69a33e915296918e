//! The region of a configuration search: a set of cells, numbered from 0, and the legal moves between them.

use throng_crowd::Crossings;
use throng_grid::{Cell, Ground, Size};

/// Stands for no place, no member, no page.
pub(super) const NONE: u32 = u32::MAX;

/// Cells and the moves between them. The number of a cell in the region is its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    cells: Vec<Cell>,
    /// By cell of the map: its place, or [`NONE`].
    places: Vec<u32>,
    /// By place: where its neighbours begin in `neighbours`; one more entry at the end. Empty before [`Region::link`].
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// The size of the map and whether members may cross; `None` before the cells are gathered.
    crossings: Option<(Size, Crossings)>,
}

impl Region {
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the place of a cell, if it is in the region.
    #[inline]
    pub(super) fn place(&self, cell: Cell) -> Option<u32> {
        self.places.get(cell.index()).copied().filter(|&place| place != NONE)
    }

    #[inline]
    pub(super) fn neighbours(&self, place: u32) -> &[u32] {
        &self.neighbours[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }

    /// Returns the places beside a diagonal step whose members may not exchange them meanwhile. `None` for any other step,
    /// if members may cross, and if one of the places is outside the region.
    #[inline]
    pub(super) fn guarded(&self, from: u32, to: u32) -> Option<[u32; 2]> {
        let (size, crossings) = self.crossings?;
        let [side, opposite] = crossings.guarded(size, self.cells[from as usize], self.cells[to as usize])?;
        Some([self.place(side)?, self.place(opposite)?])
    }

    /// Sets the cells.
    pub(super) fn set(
        &mut self,
        ground: &Ground,
        crossings: Crossings,
        cells: impl IntoIterator<Item = Cell>,
    ) {
        self.clear(ground);
        self.crossings = Some((ground.size(), crossings));
        for cell in cells {
            self.add(cell);
        }
        self.link(ground);
    }

    /// Gathers at most `max_cells` open cells around a cell, breadth first. Returns true if these are all that can be
    /// reached.
    pub(super) fn gather(
        &mut self,
        ground: &Ground,
        crossings: Crossings,
        from: Cell,
        max_cells: usize,
        is_open: impl Fn(Cell) -> bool,
    ) -> bool {
        self.clear(ground);
        self.crossings = Some((ground.size(), crossings));
        self.add(from);
        let (mut done, mut is_whole) = (0, true);
        while done < self.cells.len() {
            for (_, to) in ground.neighbours(self.cells[done]) {
                if self.places[to.index()] == NONE && is_open(to) {
                    if self.cells.len() < max_cells {
                        self.add(to);
                    } else {
                        is_whole = false;
                    }
                }
            }
            done += 1;
        }
        self.link(ground);
        is_whole
    }

    fn clear(&mut self, ground: &Ground) {
        for cell in self.cells.drain(..) {
            if let Some(place) = self.places.get_mut(cell.index()) {
                *place = NONE;
            }
        }
        self.places.resize(ground.size().area(), NONE);
    }

    fn add(&mut self, cell: Cell) {
        self.places[cell.index()] = self.cells.len() as u32;
        self.cells.push(cell);
    }

    fn link(&mut self, ground: &Ground) {
        self.starts.clear();
        self.neighbours.clear();
        for &cell in &self.cells {
            self.starts.push(self.neighbours.len() as u32);
            let places = ground.neighbours(cell).map(|(_, to)| self.places[to.index()]);
            self.neighbours.extend(places.filter(|&place| place != NONE));
        }
        self.starts.push(self.neighbours.len() as u32);
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<u32>()
            * (self.cells.capacity()
                + self.places.capacity()
                + self.starts.capacity()
                + self.neighbours.capacity())
    }
}
