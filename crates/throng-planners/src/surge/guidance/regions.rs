//! Regions: blocks of sectors. The row of one part of a region, its centre, guides agents to all targets in the region while
//! their own rows are missing.
//!
//! A map of 512×512 cells has about a thousand parts, and up to five thousand among random obstacles and in mazes, but 64
//! regions. So all agents follow paths around walls after a few ticks, and the rows of their targets can follow later.

use throng_grid::Ground;
use throng_search::SectorGuide;

/// The side of a region in sectors. Larger regions have fewer centres, and agents leave the path to their target earlier.
const SIDE: i32 = 4;

/// Returns the centre of each part's region, by part: of the parts of the region in the same connected component, the one
/// whose waypoint is nearest to the middle.
pub(super) fn centres(guide: &SectorGuide, ground: &Ground) -> Vec<u32> {
    let side = SIDE * guide.side();
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
