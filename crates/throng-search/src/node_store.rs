//! Where a search keeps what it knows of each node.
//!
//! One-shot searches use an [`DenseStore`]: one slot for every node, "cleared" by raising a stamp. Searches that live
//! long and touch little use [`PagedStore`] storage: pages allocated on first touch. [`SparseStore`](crate::SparseStore) storage is
//! for one-shot searches of spaces far larger than what they touch.

use throng_grid::{Cell, Cost, Direction, Pos, Size};

/// No node: the parent of a source.
pub const NO_NODE: u32 = u32::MAX;

/// A heuristic value that has not been asked for yet.
pub(crate) const UNKNOWN: Cost = Cost::MAX;

/// What a search knows of one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Cost of the best way found to it; [`Cost::MAX`] when none.
    pub g: Cost,
    /// The heuristic's lower bound of what is left, once asked for.
    pub h: Cost,
    /// The node it was reached from; [`NO_NODE`] for a source.
    pub parent: u32,
    /// Tag byte in the lowest 8 bits, the closed flag in the ninth, the arena's stamp above.
    state: u32,
}

const CLOSED: u32 = 1 << 8;
const STAMP_SHIFT: u32 = 9;
const LAST_STAMP: u32 = u32::MAX >> STAMP_SHIFT;

impl Node {
    pub(crate) const UNSEEN: Self = Self { g: Cost::MAX, h: UNKNOWN, parent: NO_NODE, state: 0 };

    /// The tag that the edge into the node carried.
    #[inline]
    pub const fn tag(self) -> u8 {
        self.state as u8
    }

    /// Whether the node has been expanded, and not been reached more cheaply since.
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
    /// Forgets everything and makes room for nodes `0..nodes`.
    fn begin(&mut self, nodes: usize);

    /// What is known of a node, `None` when it has not been touched.
    fn get(&self, node: u32) -> Option<Node>;

    /// Changes what is known of a node; it is made anew if it has not been touched.
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R;
}

/// One slot for every node. Beginning anew is O(1): the stamp rises, and slots with an older one count as
/// untouched; when the stamps are used up, after eight million searches, the slots are cleared.
#[derive(Clone, Debug, Default)]
pub struct DenseStore {
    nodes: Vec<Node>,
    stamp: u32,
}

impl DenseStore {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}

impl NodeStore for DenseStore {
    fn begin(&mut self, nodes: usize) {
        if self.stamp == LAST_STAMP {
            self.nodes.fill(Node::UNSEEN);
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.nodes.len() < nodes {
            self.nodes.resize(nodes, Node::UNSEEN);
        }
    }

    #[inline]
    fn get(&self, node: u32) -> Option<Node> {
        let slot = self.nodes[node as usize];
        (slot.state >> STAMP_SHIFT == self.stamp).then_some(slot)
    }

    #[inline]
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R {
        let slot = &mut self.nodes[node as usize];
        if slot.state >> STAMP_SHIFT != self.stamp {
            *slot = Node { state: self.stamp << STAMP_SHIFT, ..Node::UNSEEN };
        }
        change(slot)
    }
}

/// Side of the square pages.
const PAGE_SIDE: u32 = 8;
const PAGE_CELLS: usize = (PAGE_SIDE * PAGE_SIDE) as usize;

/// One value a cell, in pages of 8×8 cells that are allocated on first touch.
#[derive(Clone, Debug)]
pub struct PagedCells<T> {
    size: Size,
    columns: u32,
    /// Which page holds a square of cells; [`NO_NODE`] when none does.
    table: Vec<u32>,
    values: Vec<T>,
    blank: T,
}

impl<T: Copy> PagedCells<T> {
    /// No pages yet; untouched cells hold `blank`.
    pub fn new(size: Size, blank: T) -> Self {
        let columns = size.width().div_ceil(PAGE_SIDE);
        let pages = columns * size.height().div_ceil(PAGE_SIDE);
        Self { size, columns, table: vec![NO_NODE; pages as usize], values: Vec::new(), blank }
    }

    #[inline]
    fn place(&self, cell: Cell) -> (usize, usize) {
        let pos = self.size.pos(cell);
        let (x, y) = (pos.x as u32, pos.y as u32);
        let page = y / PAGE_SIDE * self.columns + x / PAGE_SIDE;
        (page as usize, (y % PAGE_SIDE * PAGE_SIDE + x % PAGE_SIDE) as usize)
    }

    /// The value of a cell.
    #[inline]
    pub fn get(&self, cell: Cell) -> T {
        let (page, slot) = self.place(cell);
        match self.table[page] {
            NO_NODE => self.blank,
            start => self.values[start as usize * PAGE_CELLS + slot],
        }
    }

    /// The slot of a cell; its page is allocated if need be.
    #[inline]
    pub fn touch(&mut self, cell: Cell) -> &mut T {
        let (page, slot) = self.place(cell);
        if self.table[page] == NO_NODE {
            self.table[page] = (self.values.len() / PAGE_CELLS) as u32;
            if self.values.len() == self.values.capacity() {
                // Thousands live side by side: a quarter of slack, not as much again.
                self.values
                    .reserve_exact((self.values.len() / 4).next_multiple_of(PAGE_CELLS).max(PAGE_CELLS));
            }
            self.values.resize(self.values.len() + PAGE_CELLS, self.blank);
        }
        &mut self.values[self.table[page] as usize * PAGE_CELLS + slot]
    }

    /// The cells of the pages allocated so far and their values, page by page in row order.
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

    /// Forgets every value, and keeps the memory.
    pub fn clear(&mut self) {
        self.table.fill(NO_NODE);
        self.values.clear();
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>() + self.values.capacity() * size_of::<T>()
    }
}

/// Nodes in pages, for searches over the cells and moves of one grid that live long: five bytes each.
///
/// The heuristic's value is not kept but asked for again, and a parent is where the move came from that the tag tells:
/// the space must be a [`GridSpace`](crate::GridSpace).
#[derive(Clone, Debug)]
pub struct PagedStore {
    pages: PagedCells<Packed>,
    offsets: [i32; 8],
}

/// A node of [`PagedStore`] storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packed {
    /// The cost, in a form without alignment.
    g: [u8; 4],
    /// The direction moved in the lowest 3 bits; flags above.
    state: u8,
}

const PACKED_CLOSED: u8 = 1 << 3;
const PACKED_SOURCE: u8 = 1 << 4;

impl PagedStore {
    /// Storage for the cells of a grid.
    pub fn new(size: Size) -> Self {
        let width = size.width() as i32;
        let unseen = Packed { g: Cost::MAX.to_le_bytes(), state: 0 };
        let offsets = Direction::ALL.map(|direction| direction.dy() * width + direction.dx());
        Self { pages: PagedCells::new(size, unseen), offsets }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.pages.memory_bytes()
    }

    #[inline]
    fn unpack(offsets: [i32; 8], node: u32, packed: Packed) -> Node {
        let g = Cost::from_le_bytes(packed.g);
        if g == Cost::MAX {
            return Node::UNSEEN;
        }
        let back = -offsets[packed.state as usize & 7];
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
    fn an_arena_forgets_at_each_beginning_and_survives_the_last_stamp() {
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
        assert!(arena.stamp < 10, "the stamps began anew");
    }

    #[test]
    fn pages_are_made_on_touch_and_hold_every_cell_apart() {
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
