//! The price of each operation, in units of work. One unit is 50 nanoseconds.

/// Price of comparing a row with an edited map.
pub(super) const COMPARE_ROW: u64 = 16;

/// Price of an expansion of the window search of local guidance.
pub(super) const WINDOW_EXPANSION: u64 = 3;

/// Returns the price of a local field with this many cells.
pub(super) const fn field(cells: u64) -> u64 {
    cells / 8 + 16
}

/// Returns the price of a row.
pub(super) const fn row(parts: usize, edges: usize) -> u64 {
    (parts + edges) as u64 / 16 + 16
}
