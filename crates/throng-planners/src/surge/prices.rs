//! The price of each operation, in units of work. One unit is 50 nanoseconds.
//!
//! `cargo bench --bench surge_prices` measures the operations beside their prices. The constants were chosen on eight maps: open ground,
//! streets, rooms, random obstacles and mazes of 512x512 cells, thread CPU time on an AMD EPYC, the least of 20 repeats of each
//! operation, beside other load. The field of a target took 0.7 to 1.1 times its price, a row 0.8 to 1.0 times.

/// Price of comparing a row with an edited map. An estimate.
pub(super) const COMPARE_ROW: u64 = 16;

/// What the choice of a heading counts against the planner's own limit. Every agent chooses in the first tick after its order and
/// again when it gets its row, which otherwise would come on top of a full budget in the same ticks.
pub(super) const CHOICE: u64 = 8;

/// Price of an expansion of the window search of local guidance.
pub(super) const WINDOW_EXPANSION: u64 = 3;

/// Returns the most that local fields with this many cells may cost. What is not used of it is taken back.
pub(super) const fn max_field(cells: u64) -> u64 {
    field(cells, cells)
}

/// Returns the price of local fields with this many cells after this many expansions.
pub(super) const fn field(cells: u64, expansions: u64) -> u64 {
    24 + cells / 128 + expansions / 4
}

/// Returns the price of a row.
pub(super) const fn row(parts: usize, edges: usize) -> u64 {
    (parts + edges) as u64 * 5 / 64 + 16
}

/// Returns the price of a row that is restricted to a window with this many parts and edges, each of which is looked up in the window.
pub(super) const fn window_row(parts: usize, edges: usize) -> u64 {
    row(parts, 3 * edges)
}
