//! The price of each operation, in units of work. One unit is 50 nanoseconds.
//!
//! `cargo bench --bench surge_prices` measures the operations beside their prices. The constants were chosen on eight maps: open ground,
//! streets, rooms, random obstacles and mazes of 512x512 cells, thread CPU time on an AMD EPYC, the least of 20 repeats of each
//! operation, beside other load. The field of a target took 0.7 to 1.1 times its price, a row 0.8 to 1.0 times.

/// Returns what the choice of a heading counts against the planner's own limit, given the parts and sectors of the map: the distances to all parts of
/// nine sectors are looked up, which mostly waits for memory. Every agent chooses in the first tick after its order and again when it gets its
/// row, which otherwise would come on top of a full budget in the same ticks.
pub(super) const fn choice(parts: usize, sectors: usize) -> u64 {
    let sectors = if sectors == 0 { 1 } else { sectors };
    4 + (9 * parts / (2 * sectors)) as u64
}

/// Price of an expansion of the window search of local guidance.
pub(super) const WINDOW_EXPANSION: u64 = 2;

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

/// Returns the price of collecting the edges between waypoints after an edit: for each part a look at the fields of those in the
/// nine sectors around it.
pub(super) const fn collect_edges(parts: usize, sectors: usize) -> u64 {
    let parts = parts as u64;
    parts * (9 * parts / (sectors as u64 + 1) + 1) / 2
}

/// Returns the price of finding the parts and edges by which rows are repaired after an edit.
pub(super) const fn prepare_repair(edges: usize) -> u64 {
    64 + edges as u64 / 2
}

/// Returns the price of comparing a row with an edited map over this many edges, and of repairing it.
pub(super) const fn repair_row(edges: usize) -> u64 {
    8 + edges as u64 / 16
}
