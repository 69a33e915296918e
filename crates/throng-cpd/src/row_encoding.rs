//! A row of a database: for one source, the first move to every target, in runs.
//!
//! Of several first moves that are equally good any will do, so a run goes on as long as one symbol suits all its
//! targets; taking the longest run each time gives the fewest. What is never asked suits every symbol: the source
//! itself, and what no way leads to. Besides the eight moves there are two symbols that stand for a move which depends
//! on the target, "towards it" (A. Botea and others call such symbols redundant): diagonally as long as both
//! coordinates differ, or along the longer side first. On three game maps they save three to four runs of five.

use throng_grid::{Direction, DirectionSet, Pos};

/// Symbols beyond those of the eight directions.
const DIAGONAL_FIRST: u32 = 8;
const STRAIGHT_FIRST: u32 = 9;
/// How many symbols there are.
pub(crate) const SYMBOLS: u32 = 10;

/// Bits of a run that hold its symbol; the number of its first target is above them.
pub(crate) const SYMBOL_BITS: u32 = 4;

const ANY: u32 = (1 << SYMBOLS) - 1;

/// The run that begins at a target with a symbol.
const fn run(start: u32, symbol: u32) -> u32 {
    start << SYMBOL_BITS | symbol
}

/// The moves that the two symbols stand for.
#[inline]
fn towards(from: Pos, to: Pos) -> [u32; 2] {
    // By the signs of the differences, in rows: above, beside, below.
    const BY_SIGN: [u32; 9] = [7, 0, 1, 6, 0, 2, 5, 4, 3];
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (right, down) = (dx.signum() + 1, 3 * (dy.signum() + 1));
    let diagonal = BY_SIGN[(right + down) as usize];
    let straight = match dx.abs().cmp(&dy.abs()) {
        std::cmp::Ordering::Greater => BY_SIGN[(right + 3) as usize],
        std::cmp::Ordering::Less => BY_SIGN[(1 + down) as usize],
        std::cmp::Ordering::Equal => diagonal,
    };
    [diagonal, straight]
}

/// The move that a symbol stands for.
#[inline]
pub(crate) fn decoded(symbol: u32, from: Pos, to: Pos) -> Direction {
    let number = match symbol {
        DIAGONAL_FIRST => towards(from, to)[0],
        STRAIGHT_FIRST => towards(from, to)[1],
        number => number,
    };
    Direction::from_number(number as u8)
}

/// The symbols that suit a target.
#[inline]
fn suiting(firsts: DirectionSet, from: Pos, to: Pos) -> u32 {
    if firsts == 0 {
        return ANY;
    }
    let firsts = u32::from(firsts);
    let [diagonal, straight] = towards(from, to);
    firsts | (firsts >> diagonal & 1) << DIAGONAL_FIRST | (firsts >> straight & 1) << STRAIGHT_FIRST
}

/// Appends the runs of a row. `firsts` gives the first moves to each target from `start` on, none for what is never
/// asked; of the symbols that suit a run the lowest is kept.
pub(crate) fn compress(
    from: Pos,
    start: u32,
    targets: &[Pos],
    mut firsts: impl FnMut(usize) -> DirectionSet,
    runs: &mut Vec<u32>,
) {
    let (mut suits, mut begun) = (ANY, start);
    for (i, &to) in targets.iter().enumerate() {
        let here = suiting(firsts(i), from, to);
        if suits & here == 0 {
            runs.push(run(begun, suits.trailing_zeros()));
            (suits, begun) = (here, start + i as u32);
        } else {
            suits &= here;
        }
    }
    runs.push(run(begun, suits.trailing_zeros()));
}
