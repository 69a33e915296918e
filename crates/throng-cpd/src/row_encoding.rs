//! The encoding of a row: the first moves from one source to all targets, as runs of symbols.
//!
//! Several first moves can be optimal. A run extends as long as one symbol is valid for all its targets; taking the
//! longest run each time gives the minimum number of runs. The source itself and unreachable targets are never looked
//! up, so every symbol is valid for them (wildcards). Besides the eight moves there are two symbols whose move depends
//! on the target (A. Botea and others call such symbols redundant): move diagonally while both coordinates differ, or
//! along the longer side first. On three game maps they save three to four runs of five.

use throng_grid::{Direction, DirectionSet, Pos};

/// Symbols beyond those of the eight directions.
const DIAGONAL_FIRST: u32 = 8;
const STRAIGHT_FIRST: u32 = 9;
/// Number of symbols.
pub(crate) const SYMBOLS: u32 = 10;

/// Bits of a run for its symbol; the number of its first target is in the bits above.
pub(crate) const SYMBOL_BITS: u32 = 4;

const WILDCARD: u32 = (1 << SYMBOLS) - 1;

/// Returns the run that begins at a target with a symbol.
const fn run(start: u32, symbol: u32) -> u32 {
    start << SYMBOL_BITS | symbol
}

/// Returns the moves of the two target-dependent symbols.
#[inline]
fn moves_towards(from: Pos, to: Pos) -> [u32; 2] {
    // Indexed by the signs of the differences, in rows: above, level, below.
    const BY_SIGN: [u32; 9] = [7, 0, 1, 6, 0, 2, 5, 4, 3];
    // Both are on the map: nothing wraps.
    let (dx, dy) = (to.x.wrapping_sub(from.x), to.y.wrapping_sub(from.y));
    let (right, down) = (dx.signum() + 1, 3 * (dy.signum() + 1));
    let diagonal = BY_SIGN[(right + down) as usize];
    let straight = match dx.unsigned_abs().cmp(&dy.unsigned_abs()) {
        std::cmp::Ordering::Greater => BY_SIGN[(right + 3) as usize],
        std::cmp::Ordering::Less => BY_SIGN[(1 + down) as usize],
        std::cmp::Ordering::Equal => diagonal,
    };
    [diagonal, straight]
}

/// Returns the move of a symbol.
#[inline]
pub(crate) fn decode(symbol: u32, from: Pos, to: Pos) -> Direction {
    let number = match symbol {
        DIAGONAL_FIRST => moves_towards(from, to)[0],
        STRAIGHT_FIRST => moves_towards(from, to)[1],
        number => number,
    };
    Direction::from_number(number as u8)
}

/// Returns the symbols that are valid for a target.
#[inline]
fn valid_symbols(firsts: DirectionSet, from: Pos, to: Pos) -> u32 {
    if firsts == 0 {
        return WILDCARD;
    }
    let firsts = u32::from(firsts);
    let [diagonal, straight] = moves_towards(from, to);
    // Directions have numbers below 8.
    let has = |direction| firsts.wrapping_shr(direction) & 1;
    firsts | has(diagonal) << DIAGONAL_FIRST | has(straight) << STRAIGHT_FIRST
}

/// Appends the runs of a row. `firsts` returns the optimal first moves to each target from number `start` on, none for
/// wildcards. Of the symbols that are valid for a run the lowest is stored.
pub(crate) fn compress(
    from: Pos,
    start: u32,
    targets: &[Pos],
    mut firsts: impl FnMut(usize) -> DirectionSet,
    runs: &mut Vec<u32>,
) {
    let (mut valid, mut begin) = (WILDCARD, start);
    for (i, &to) in targets.iter().enumerate() {
        let here = valid_symbols(firsts(i), from, to);
        if valid & here == 0 {
            runs.push(run(begin, valid.trailing_zeros()));
            (valid, begin) = (here, start + i as u32);
        } else {
            valid &= here;
        }
    }
    runs.push(run(begin, valid.trailing_zeros()));
}
