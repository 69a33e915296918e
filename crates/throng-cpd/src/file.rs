//! The file format of databases, and the checks when a file is opened.
//!
//! All numbers are little endian. A file consists of
//!
//! | bytes | content |
//! |---|---|
//! | 64 | the header, see below |
//! | 4 per component | the first node of each connected component of the map |
//! | 4 per node | its cell, in row order |
//! | 4 per node | the number of runs of all rows up to this one |
//! | 3 or 4 per run | the number of its first target in the upper bits, its symbol in the lowest 4 |
//! | 8 | XXH3 checksum of everything before |
//!
//! The header:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `throngpd` |
//! | 8 | 4 | format version, 2 |
//! | 12 | 4 + 4 | width and height of the map |
//! | 20 | 4 | nodes |
//! | 24 | 1 | bytes per run, 3 up to 2²⁰ nodes, else 4 |
//! | 25 | 1 + 1 | corner rule (0 forbid, 1 allow, 2 mixed), 1 for four directions |
//! | 27 | 7 | cost of each terrain, in halves; 0 if it cannot be entered |
//! | 34 | 2 | 0 |
//! | 36 | 4 | connected components |
//! | 40 | 8 | fingerprint of the map's legal moves and costs |
//! | 48 | 8 | runs; 0 during construction |
//! | 56 | 8 | XXH3 checksum of the header up to here |
//!
//! Rows are in the order of their nodes, and runs in the order of their targets. Symbols 0 to 7 are directions; 8 and 9
//! are explained in `row_encoding.rs`. The order of the nodes follows from the map, but reading it is faster than
//! computing it.
//!
//! Files are not trusted: a matching checksum proves nothing. Opening a file checks every run, so that no lookup leaves
//! the arrays. Code that follows moves checks each against the map and counts steps, so that a corrupt file can cost a
//! path, but causes neither a panic nor an endless loop.

use throng_grid::{Cell, Corners, Ground, Profile, Size, Terrain};

use crate::database::Cpd;
use crate::fingerprint::{checksum, map_fingerprint};
use crate::node_order::NodeOrder;
use crate::row_encoding::{SYMBOL_BITS, SYMBOLS};
use crate::row_table::RowTable;

const MAGIC: &[u8; 8] = b"throngpd";
const VERSION: u32 = 2;
pub(crate) const HEADER: usize = 64;

/// Why bytes are not a database for a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CpdFileError {
    /// The first bytes are not those of a database.
    #[error("the file is not a path database")]
    NotADatabase,
    /// A format version that this program does not read.
    #[error(
        "the path database has format version {found}, this program reads version {VERSION}: build the database again"
    )]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// The file is too short.
    #[error("the path database is truncated: {found} of {expected} bytes")]
    Truncated {
        /// Expected length in bytes.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// The checksum does not match.
    #[error("the path database is damaged: its checksum does not match")]
    Checksum,
    /// The database was built for another map or other rules.
    #[error("the path database was built for another map, or for other terrain costs or moves")]
    OtherMap,
    /// The checksum matches, but the content is inconsistent.
    #[error("the path database is damaged: {what}")]
    Damaged {
        /// The inconsistency.
        what: &'static str,
    },
}

/// The header data of a database file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpdInfo {
    /// Width and height of the map.
    pub size: Size,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of connected components.
    pub components: u32,
    /// Bytes per run.
    pub run_bytes: u8,
    /// The corner rule of the map.
    pub corners: Corners,
    /// Whether only straight moves are legal.
    pub four_way: bool,
    /// Costs of terrain.
    pub profile: Profile,
    /// Fingerprint of the map's legal moves and costs.
    pub fingerprint: u64,
    /// Number of runs; 0 during construction.
    pub runs: u64,
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes_at(bytes, at))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes_at(bytes, at))
}

/// Returns the numbers of four bytes each.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word))
}

impl CpdInfo {
    /// Returns the header data for a ground.
    pub(crate) fn of(ground: &Ground, order: &NodeOrder, runs: u64) -> Self {
        let nodes = order.cells.len() as u32;
        Self {
            size: ground.size(),
            nodes,
            components: order.components.len() as u32 - 1,
            run_bytes: run_bytes(nodes),
            corners: ground.rules().corners,
            four_way: ground.rules().four_way,
            profile: ground.profile(),
            fingerprint: map_fingerprint(ground),
            runs,
        }
    }

    /// Returns the header.
    pub(crate) fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&self.size.width().to_le_bytes());
        header[16..20].copy_from_slice(&self.size.height().to_le_bytes());
        header[20..24].copy_from_slice(&self.nodes.to_le_bytes());
        header[24] = self.run_bytes;
        header[25] = self.corners as u8;
        header[26] = u8::from(self.four_way);
        header[27..34].copy_from_slice(&Terrain::ALL.map(|terrain| self.profile.halves(terrain)));
        header[36..40].copy_from_slice(&self.components.to_le_bytes());
        header[40..48].copy_from_slice(&self.fingerprint.to_le_bytes());
        header[48..56].copy_from_slice(&self.runs.to_le_bytes());
        let sum = checksum(&header[..56]);
        header[56..].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// Reads only a header.
    ///
    /// # Errors
    ///
    /// If the bytes do not begin with a valid header.
    pub fn read(bytes: &[u8]) -> Result<Self, CpdFileError> {
        if bytes.get(..8).is_none_or(|magic| magic != MAGIC) {
            return Err(CpdFileError::NotADatabase);
        }
        let header = bytes
            .get(..HEADER)
            .ok_or(CpdFileError::Truncated { expected: HEADER as u64, found: bytes.len() as u64 })?;
        let version = u32_at(header, 8);
        if version != VERSION {
            return Err(CpdFileError::Version { found: version });
        }
        if u64_at(header, 56) != checksum(&header[..56]) {
            return Err(CpdFileError::Checksum);
        }
        let damaged = |what| CpdFileError::Damaged { what };
        let (width, height) = (u32_at(header, 12), u32_at(header, 16));
        let size = Size::new(width, height).ok_or(damaged("the map's size is invalid"))?;
        let nodes = u32_at(header, 20);
        let components = u32_at(header, 36);
        if nodes as usize > size.area() || components > nodes {
            return Err(damaged("it has more nodes than cells, or more components than nodes"));
        }
        if header[24] != run_bytes(nodes) {
            return Err(damaged("the number of bytes per run does not match the number of nodes"));
        }
        let corners = Corners::ALL.get(usize::from(header[25])).copied();
        Ok(Self {
            size,
            nodes,
            components,
            run_bytes: header[24],
            corners: corners.ok_or(damaged("the corner rule is invalid"))?,
            four_way: header[26] != 0,
            profile: Profile::from_halves(bytes_at(header, 27))
                .ok_or(damaged("the terrain costs are invalid"))?,
            fingerprint: u64_at(header, 40),
            runs: u64_at(header, 48),
        })
    }

    /// Returns the length of the whole file.
    pub fn length(&self) -> u64 {
        (HEADER as u64)
            .saturating_add(u64::from(self.components) * 4 + u64::from(self.nodes) * 8)
            .saturating_add(self.runs.saturating_mul(u64::from(self.run_bytes)))
            .saturating_add(8)
    }

    /// Reads a header and checks length and checksum of the whole file.
    ///
    /// # Errors
    ///
    /// If it is not a database, truncated or altered.
    pub fn check(bytes: &[u8]) -> Result<Self, CpdFileError> {
        let info = Self::read(bytes)?;
        let (expected, found) = (info.length(), bytes.len() as u64);
        if found < expected {
            return Err(CpdFileError::Truncated { expected, found });
        }
        if found > expected {
            return Err(CpdFileError::Damaged { what: "there are bytes after its end" });
        }
        let (body, sum) = bytes.split_at(bytes.len() - 8);
        if u64_at(sum, 0) != checksum(body) {
            return Err(CpdFileError::Checksum);
        }
        Ok(info)
    }
}

/// Returns the bytes per run for a number of nodes.
pub(crate) const fn run_bytes(nodes: u32) -> u8 {
    if nodes <= 1 << (24 - SYMBOL_BITS) { 3 } else { 4 }
}

impl Cpd {
    /// Returns the database as a file for [`Cpd::open`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let runs = self.runs();
        let info = self.info();
        let mut bytes = Vec::with_capacity(info.length() as usize);
        bytes.extend_from_slice(&info.header());
        let NodeOrder { components, cells, .. } = self.order();
        let ends = cells.iter().scan(0, |end, &cell| {
            *end += runs.row(cell).count;
            Some(*end)
        });
        let words =
            components[..info.components as usize].iter().copied().chain(cells.iter().map(|cell| cell.0));
        bytes.extend(words.chain(ends).flat_map(u32::to_le_bytes));
        let run = |run: &i32| run.to_le_bytes().into_iter().take(info.run_bytes.into());
        bytes.extend(runs.words().iter().flat_map(run));
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Opens a file for the map that it was built for, in its state at that time.
    ///
    /// # Errors
    ///
    /// If the file is not a database, truncated, altered, or belongs to another map.
    pub fn open(bytes: &[u8], ground: &Ground) -> Result<Self, CpdFileError> {
        let info = CpdInfo::check(bytes)?;
        if info.size != ground.size() || info.fingerprint != map_fingerprint(ground) {
            return Err(CpdFileError::OtherMap);
        }
        let (components, nodes) = (info.components as usize * 4, info.nodes as usize * 4);
        let (components, rest) = bytes[HEADER..bytes.len() - 8].split_at(components);
        let (cells, rest) = rest.split_at(nodes);
        let (ends, packed) = rest.split_at(nodes);
        let order = NodeOrder::read(ground, words(components).collect(), words(cells).map(Cell).collect())
            .ok_or(CpdFileError::Damaged { what: "its nodes are not the cells of the map" })?;
        let ends: Vec<u32> = words(ends).collect();
        check_ends(&ends, info.runs)?;
        let runs = RowTable::new(&order, &ends, packed, info.run_bytes);
        check_runs(ground, &order, &ends, runs.words())?;
        Ok(Self::new(ground.clone(), order, runs))
    }
}

/// Checks that row ends do not decrease and that the last one is the number of runs.
fn check_ends(ends: &[u32], runs: u64) -> Result<(), CpdFileError> {
    if ends.last().map_or(0, |&last| u64::from(last)) != runs {
        return Err(CpdFileError::Damaged {
            what: "the number of runs in its rows does not match the header",
        });
    }
    if ends.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(CpdFileError::Damaged { what: "a row ends before it begins" });
    }
    Ok(())
}

/// Checks that every row begins with a run at the start of its component, that runs are in order and end within the
/// component, and that moves are legal.
fn check_runs(ground: &Ground, order: &NodeOrder, ends: &[u32], runs: &[i32]) -> Result<(), CpdFileError> {
    let mut start = 0;
    for component in order.components.windows(2) {
        for node in component[0] as usize..component[1] as usize {
            let row = &runs[start..ends[node] as usize];
            start = ends[node] as usize;
            if !row_is_sound(ground.moves(order.cells[node]), row, component[0]..component[1]) {
                let what = "a row has runs out of order or illegal moves";
                return Err(CpdFileError::Damaged { what });
            }
        }
    }
    Ok(())
}

fn row_is_sound(moves: u8, row: &[i32], component: std::ops::Range<u32>) -> bool {
    // A symbol for a move must be a legal move. A cell without moves is alone in its component, and its row is never
    // read.
    let legal = if moves == 0 { (1 << SYMBOLS) - 1 } else { u32::from(moves) | 0b11 << 8 };
    let (Some(&first), Some(&last)) = (row.first(), row.last()) else { return false };
    if moves == 0 && component.len() != 1 {
        return false;
    }
    let (mut symbols, mut in_order, mut before) = (0, true, -1);
    for &run in row {
        symbols |= 1_u32 << (run & ((1 << SYMBOL_BITS) - 1));
        in_order &= run >> SYMBOL_BITS > before;
        before = run >> SYMBOL_BITS;
    }
    in_order
        && symbols & !legal == 0
        && first >> SYMBOL_BITS == component.start as i32
        && last >> SYMBOL_BITS < component.end as i32
}

#[cfg(test)]
mod tests;
