//! Expendable cells: cells whose neighbours can reach each other without them.
//!
//! G. Sharon, N. R. Sturtevant, A. Felner, *Online Detection of Dead States in Real-Time Agent-Centered Search*,
//! Symposium on Combinatorial Search 2013. Without such a cell the others are as connected as before. Whether neighbours are
//! connected is read from a table of 256 sets of neighbours, one table per corner rule. Two neighbours on both sides of a
//! wall are adjacent only where corners may be cut.

use throng_grid::{Corners, DirectionSet, Ground};

/// For each set of neighbours, whether it is connected: if corners may not be cut, and if they may.
static CONNECTED: [[bool; 256]; 2] = [connected(false), connected(true)];

const fn connected(cut_corners: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut set = 1;
    while set < 256 {
        let ring = set as u8;
        let mut reached = ring & ring.wrapping_neg();
        let mut before = 0;
        while reached != before {
            before = reached;
            let mut beside = reached.rotate_left(1) | reached.rotate_right(1);
            if cut_corners {
                // A diagonal move between two straight neighbours passes their common, blocked neighbour.
                let straight = reached & 0b0101_0101;
                beside |= straight.rotate_left(2) | straight.rotate_right(2);
            }
            reached |= beside & ring;
        }
        table[set] = reached == ring;
        set += 1;
    }
    table
}

/// Returns true if the neighbours of a cell in these directions can reach each other by moves among them.
#[inline]
pub fn is_connected(ground: &Ground, neighbours: DirectionSet) -> bool {
    // With four directions no two neighbours are adjacent. With mixed corners the table is on the safe side.
    if ground.rules().four_way {
        return neighbours.is_power_of_two();
    }
    CONNECTED[usize::from(ground.rules().corners == Corners::Allow)][usize::from(neighbours)]
}
