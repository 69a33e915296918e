//! Node storage: cost, parent and state of each node of a search.
//!
//! One-shot searches use a [`DenseStore`]: one slot per node, invalidated in O(1) by raising a stamp. Long-lived
//! searches that reach few nodes use a [`PagedStore`], which allocates pages on first access. One-shot searches of
//! spaces far larger than what they reach use a [`SparseStore`](crate::SparseStore).

use throng_grid::{Cell, Cost, Direction, Pos, Size};

/// No node: the parent of a source.
pub const NO_NODE: u32 = u32::MAX;

/// A heuristic value that has not been computed yet.
pub(crate) const UNKNOWN: Cost = Cost::MAX;

/// The state of one node of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Cost of the best path found to it; [`Cost::MAX`] if there is none yet.
    pub g: Cost,
    /// The heuristic's lower bound of the remaining cost; [`Cost::MAX`] if not computed.
    pub h: Cost,
    /// The previous node on the best path; [`NO_NODE`] for a source.
    pub parent: u32,
    /// Bits 0 to 7: tag of the last edge. Bit 8: closed. Above: the stamp of a [`DenseStore`].
    state: u32,
}

const CLOSED: u32 = 1 << 8;
const STAMP_SHIFT: u32 = 9;
const LAST_STAMP: u32 = u32::MAX >> STAMP_SHIFT;

impl Node {
    pub(crate) const UNSEEN: Self = Self { g: Cost::MAX, h: UNKNOWN, parent: NO_NODE, state: 0 };

    /// Returns the tag of the last edge of the best path.
    #[inline]
    pub const fn tag(self) -> u8 {
        self.state as u8
    }

    /// Returns true if the node was expanded and no cheaper path to it was found since.
    #[inline]
    pub const fn is_closed(self) -> bool {
        self.state & CLOSED != 0
    }

    #[inline]
    pub(crate) const fn set_tag(&mut self, tag: u8) {
        self.state = self.state & !0xFF | tag as u32;
    }

    #[inline]
    pub(crate) const fn set_closed(&mut self, closed: bool) {
        self.state = if closed { self.state | CLOSED } else { self.state & !CLOSED };
    }
}

/// Storage for the nodes of one search at a time.
pub trait NodeStore {
    /// Drops all nodes and prepares for nodes `0..nodes`.
    fn begin(&mut self, nodes: usize);

    /// Returns the state of a node, `None` if the search has not reached it.
    fn get(&self, node: u32) -> Option<Node>;

    /// Changes the state of a node; creates it if the search has not reached it.
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R;
}

/// One slot per node. Starting a search is O(1): the stamp is raised, and slots with an older stamp are invalid. When
/// the stamps are used up, after eight million searches, all slots are cleared.
///
/// Unused slots are zero, which the allocator hands out without touching the memory: the first search on a large map pays for
/// the nodes that it reaches, not for the map.
#[derive(Clone, Debug, Default)]
pub struct DenseStore {
    nodes: Vec<Slot>,
    stamp: u32,
}

/// The fields of a [`Node`], in order. Integers, so that a vector of zeros is made without writing them.
type Slot = [u32; 4];

const fn packed(Node { g, h, parent, state }: Node) -> Slot {
    [g, h, parent, state]
}

const fn unpacked([g, h, parent, state]: Slot) -> Node {
    Node { g, h, parent, state }
}

impl DenseStore {
    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Slot>()
    }
}

impl NodeStore for DenseStore {
    fn begin(&mut self, nodes: usize) {
        if self.stamp == LAST_STAMP {
            self.nodes.fill([0; 4]);
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.nodes.len() < nodes {
            // No slot has this stamp, so nothing of the old ones is needed.
            self.nodes = vec![[0; 4]; nodes];
        }
    }

    #[inline]
    fn get(&self, node: u32) -> Option<Node> {
        let known = unpacked(self.nodes[node as usize]);
        (known.state >> STAMP_SHIFT == self.stamp).then_some(known)
    }

    #[inline]
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R {
        let slot = &mut self.nodes[node as usize];
        let mut known = unpacked(*slot);
        if known.state >> STAMP_SHIFT != self.stamp {
            known = Node { state: self.stamp << STAMP_SHIFT, ..Node::UNSEEN };
        }
        let result = change(&mut known);
        *slot = packed(known);
        result
    }
}

/// Side of the square pages, in cells.
const PAGE_SIDE: u32 = 8;
const PAGE_CELLS: usize = (PAGE_SIDE * PAGE_SIDE) as usize;

/// One value per cell, in pages of 8×8 cells that are allocated on first write.
#[derive(Debug)]
pub struct PagedCells<T> {
    size: Size,
    columns: u32,
    /// Number of the page of each square of cells; [`NO_NODE`] if it is not allocated.
    table: Vec<u32>,
    values: Vec<T>,
    /// The value of cells without a page.
    blank: T,
}

impl<T: Copy> Clone for PagedCells<T> {
    fn clone(&self) -> Self {
        let Self { size, columns, ref table, ref values, blank } = *self;
        Self { size, columns, table: table.clone(), values: with_capacity(values), blank }
    }
}

/// Returns a copy with the same capacity. What keeps a cap of its memory must decide the same as the original.
pub(crate) fn with_capacity<T: Copy>(values: &Vec<T>) -> Vec<T> {
    let mut copy = Vec::with_capacity(values.capacity());
    copy.extend_from_slice(values);
    copy
}

impl<T: Copy> PagedCells<T> {
    /// Returns an empty table; cells without a page have the value `blank`.
    pub fn new(size: Size, blank: T) -> Self {
        let columns = size.width().div_ceil(PAGE_SIDE);
        let pages = columns * size.height().div_ceil(PAGE_SIDE);
        Self { size, columns, table: vec![NO_NODE; pages as usize], values: Vec::new(), blank }
    }

    /// Returns the size of the map.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the square of a cell and the cell's place in its page.
    #[inline]
    fn place(&self, cell: Cell) -> (usize, usize) {
        let pos = self.size.pos(cell);
        let (x, y) = (pos.x as u32, pos.y as u32);
        let page = (y / PAGE_SIDE).wrapping_mul(self.columns).wrapping_add(x / PAGE_SIDE);
        (page as usize, (y % PAGE_SIDE * PAGE_SIDE + x % PAGE_SIDE) as usize)
    }

    /// Returns the value of a cell.
    #[inline]
    pub fn get(&self, cell: Cell) -> T {
        let (page, slot) = self.place(cell);
        match self.table[page] {
            NO_NODE => self.blank,
            start => self.values[(start as usize * PAGE_CELLS).wrapping_add(slot)],
        }
    }

    /// Returns the slot of a cell; allocates its page if necessary.
    #[inline]
    pub fn touch(&mut self, cell: Cell) -> &mut T {
        let (page, slot) = self.place(cell);
        if self.table[page] == NO_NODE {
            self.table[page] = (self.values.len() / PAGE_CELLS) as u32;
            if self.values.len() == self.values.capacity() {
                // Thousands of tables exist at once: grow by a quarter, instead of doubling.
                self.values
                    .reserve_exact((self.values.len() / 4).next_multiple_of(PAGE_CELLS).max(PAGE_CELLS));
            }
            self.values.resize(self.values.len() + PAGE_CELLS, self.blank);
        }
        &mut self.values[(self.table[page] as usize * PAGE_CELLS).wrapping_add(slot)]
    }

    /// Returns the cells of all allocated pages and their values, page by page in row order.
    pub fn touched(&self) -> impl Iterator<Item = (Cell, T)> + '_ {
        let pages = self.table.iter().enumerate().filter(|&(_, &start)| start != NO_NODE);
        pages.flat_map(move |(page, &start)| {
            let (column, row) = (page as u32 % self.columns, page as u32 / self.columns);
            let values = &self.values[start as usize * PAGE_CELLS..][..PAGE_CELLS];
            values.iter().enumerate().filter_map(move |(slot, &value)| {
                let (x, y) = (slot as u32 % PAGE_SIDE, slot as u32 / PAGE_SIDE);
                let pos = Pos::new((column * PAGE_SIDE + x) as i32, (row * PAGE_SIDE + y) as i32);
                self.size.cell(pos).map(|cell| (cell, value))
            })
        })
    }

    /// Drops all values and keeps the memory.
    pub fn clear(&mut self) {
        self.table.fill(NO_NODE);
        self.values.clear();
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>() + self.values.capacity() * size_of::<T>()
    }
}

/// Nodes in pages, five bytes each, for long-lived searches over the cells of one grid.
///
/// The heuristic value is not stored but computed again. The parent is not stored either: it follows from the tag,
/// which must be the number of the direction moved. So the space must be a [`GridSpace`](crate::GridSpace).
#[derive(Clone, Debug)]
pub struct PagedStore {
    pages: PagedCells<Packed>,
    offsets: [i32; 8],
}

/// A node of [`PagedStore`] storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packed {
    /// The cost as bytes, so that the struct needs no alignment.
    g: [u8; 4],
    /// Bits 0 to 2: direction of the last move. Above: flags.
    state: u8,
}

const PACKED_CLOSED: u8 = 1 << 3;
const PACKED_SOURCE: u8 = 1 << 4;

impl PagedStore {
    /// Returns storage for the cells of a grid.
    pub fn new(size: Size) -> Self {
        let width = size.width() as i32;
        let unseen = Packed { g: Cost::MAX.to_le_bytes(), state: 0 };
        let offsets = Direction::ALL.map(|direction| direction.dy() * width + direction.dx());
        Self { pages: PagedCells::new(size, unseen), offsets }
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.pages.memory_bytes()
    }

    #[inline]
    fn unpack(offsets: [i32; 8], node: u32, packed: Packed) -> Node {
        let g = Cost::from_le_bytes(packed.g);
        if g == Cost::MAX {
            return Node::UNSEEN;
        }
        let back = offsets[packed.state as usize & 7].wrapping_neg();
        let source = packed.state & PACKED_SOURCE != 0;
        let parent = if source { NO_NODE } else { node.wrapping_add_signed(back) };
        let closed = if packed.state & PACKED_CLOSED == 0 { 0 } else { CLOSED };
        Node { g, h: UNKNOWN, parent, state: u32::from(packed.state & 7) | closed }
    }
}

impl NodeStore for PagedStore {
    fn begin(&mut self, nodes: usize) {
        assert_eq!(nodes, self.pages.size.area(), "paged storage is for the cells of its own grid");
        self.pages.clear();
    }

    #[inline]
    fn get(&self, node: u32) -> Option<Node> {
        let known = Self::unpack(self.offsets, node, self.pages.get(Cell(node)));
        (known.g != Cost::MAX).then_some(known)
    }

    #[inline]
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R {
        let packed = self.pages.touch(Cell(node));
        let before = Self::unpack(self.offsets, node, *packed);
        let mut known = before;
        let result = change(&mut known);
        if known == before {
            return result;
        }
        packed.g = known.g.to_le_bytes();
        packed.state = known.tag() & 7;
        if known.is_closed() {
            packed.state |= PACKED_CLOSED;
        }
        if known.parent == NO_NODE {
            packed.state |= PACKED_SOURCE;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_store_is_empty_after_begin_even_when_stamps_wrap() {
        let mut arena = DenseStore { stamp: LAST_STAMP - 2, ..DenseStore::default() };
        for round in 0..6 {
            arena.begin(10);
            assert_eq!(arena.get(3), None, "round {round}");
            arena.update(3, |node| node.g = round);
            arena.update(3, |node| node.set_tag(200));
            arena.update(3, |node| node.set_closed(true));
            let node = arena.get(3).unwrap();
            assert_eq!((node.g, node.tag(), node.is_closed()), (round, 200, true));
            arena.update(3, |node| node.set_closed(false));
            assert_eq!(arena.get(3).unwrap().tag(), 200);
            assert_eq!(arena.get(4), None);
        }
        assert!(arena.stamp < 10, "the stamps started again");
    }

    #[test]
    fn pages_are_allocated_on_write_and_every_cell_has_its_own_value() {
        let size = Size::new(21, 13).unwrap();
        let mut pages = PagedCells::new(size, 0_u32);
        assert_eq!(pages.get(Cell(200)), 0);
        assert_eq!(pages.values.len(), 0, "reading allocates nothing");
        *pages.touch(Cell(0)) = 5;
        assert_eq!(pages.values.len(), PAGE_CELLS);
        for cell in size.cells() {
            *pages.touch(cell) = cell.0 + 1;
        }
        assert!(size.cells().all(|cell| pages.get(cell) == cell.0 + 1));
        let mut touched: Vec<_> = pages.touched().collect();
        touched.sort_unstable();
        assert_eq!(touched, size.cells().map(|cell| (cell, cell.0 + 1)).collect::<Vec<_>>());
        pages.clear();
        assert!(size.cells().all(|cell| pages.get(cell) == 0));
    }
}
