//! Regions: blocks of sectors. The row of one part of a region, its centre, guides agents to all targets in the region while
//! their own rows are missing.
//!
//! Where the rows of all parts would exceed the memory, those of parts other than centres are restricted to a *window*, the region of the part and
//! the regions around it. Farther agents follow the row of the centre, which always covers the map. Inside the window the row of the part leads to
//! the target without leaving it. A part whose window does not connect it with its centre gets a whole row.
//!
//! A map of 512×512 cells has about a thousand parts, and up to five thousand among random obstacles and in mazes, but 64
//! regions. So all agents follow paths around walls after a few ticks, and the rows of their targets can follow later.

use throng_grid::{Ground, Pos};
use throng_search::{SectorGuide, SectorWindow};

/// The side of a region in sectors. Larger regions have fewer centres, and agents leave the path to their target earlier.
const SIDE: i32 = 4;
/// The least side of a region where rows are restricted to windows. Larger ones have longer rows for targets and fewer for centres.
const WINDOWED_SIDE: i32 = 8;
/// Rows of all parts may use the memory divided by this, and rows of all centres half as much. Otherwise rows are restricted to windows, and
/// regions are larger.
const MEMORY_SHARE: usize = 2;

/// The regions of one ground.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    /// By part: the centre of its region.
    pub(super) centres: Vec<u32>,
    /// The side of a region, in cells.
    side: i32,
    /// True if the rows of parts other than centres are restricted to the region of the part and those around it, because all rows together
    /// would exceed the memory.
    pub(super) are_rows_windowed: bool,
}

impl Regions {
    /// Finds the centre of each part's region: of the parts of the region in the same connected component, the one whose waypoint is
    /// nearest to the middle.
    pub(super) fn new(guide: &SectorGuide, ground: &Ground, max_bytes: usize) -> Self {
        let row = guide.parts() * size_of::<u32>();
        let are_rows_windowed = guide.parts() * row > max_bytes / MEMORY_SHARE;
        let mut side = SIDE;
        if are_rows_windowed {
            side = WINDOWED_SIDE;
            let sides = guide.sectors() * row / (max_bytes / MEMORY_SHARE / 2).max(1);
            while sides > (side * side) as usize {
                side *= 2;
            }
        }
        let side = side * guide.side();
        Self { centres: centres(guide, ground, side), side, are_rows_windowed }
    }

    /// Returns the window of the row of a part: its region and those around it.
    pub(super) fn window(&self, guide: &SectorGuide, part: u32) -> SectorWindow {
        let pos = guide.waypoint(part);
        let corner = Pos::new(pos.x / self.side * self.side, pos.y / self.side * self.side);
        let last = Pos::new(corner.x + self.side - 1, corner.y + self.side - 1);
        guide.window((corner, last), (self.side / guide.side()) as u16)
    }
}

fn centres(guide: &SectorGuide, ground: &Ground, side: i32) -> Vec<u32> {
    let mut parts: Vec<_> = (0..guide.parts() as u32)
        .map(|part| {
            let pos = guide.waypoint(part);
            let region = (pos.y / side, pos.x / side);
            let component = ground.cell(pos).and_then(|cell| ground.components().label(ground, cell));
            let middle = |at: i32| i64::from(at % side - side / 2).pow(2);
            (region, component, middle(pos.x) + middle(pos.y), part)
        })
        .collect();
    parts.sort_unstable();
    let mut centres = vec![0; parts.len()];
    for of_region in parts.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        for &(.., part) in of_region {
            centres[part as usize] = of_region[0].3;
        }
    }
    centres
}
