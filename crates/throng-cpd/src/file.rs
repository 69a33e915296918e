//! A database as bytes, and what is checked before anything of them is used.
//!
//! All numbers are little endian. A file is
//!
//! | bytes | what |
//! |---|---|
//! | 64 | the header, see below |
//! | 4 a part | the first node of each connected part of the map |
//! | 4 a node | its cell, counted in rows |
//! | 4 a node | how many runs the rows up to this one have, all together |
//! | 3 or 4 a run | the number of its first target in the upper bits, its symbol in the lowest 4 |
//! | 8 | a checksum of everything before |
//!
//! and its header
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `throngpd` |
//! | 8 | 4 | version, 2 |
//! | 12 | 4 + 4 | width and height of the map |
//! | 20 | 4 | nodes |
//! | 24 | 1 | bytes a run, 3 up to 2²⁰ nodes, else 4 |
//! | 25 | 1 + 1 | corner rule (0 forbid, 1 allow, 2 mixed), 1 for four directions |
//! | 27 | 7 | what each terrain costs, in halves; 0 where nobody walks |
//! | 34 | 2 | 0 |
//! | 36 | 4 | connected parts |
//! | 40 | 8 | fingerprint of the map's legal moves and costs |
//! | 48 | 8 | runs; 0 while it is being built |
//! | 56 | 8 | a checksum of the header up to here |
//!
//! Rows are in the order of their nodes, and their runs in the order of their targets. Symbols 0 to 7 are directions, 8
//! and 9 are explained in `rows.rs`. The order of the nodes follows from the map, but reading it is faster.
//!
//! Files are not trusted: a checksum that fits proves nothing. Every run is checked, so that no question can leave the
//! arrays; and who follows moves checks each of them against the map and counts steps, so that a lie can cost a path
//! but no panic and no endless loop.

use throng_grid::{Corners, Ground, Profile, Size, Terrain};

use crate::database::Cpd;
use crate::fingerprint::{checksum, map_fingerprint};
use crate::node_order::NodeOrder;
use crate::row_encoding::{SYMBOL_BITS, SYMBOLS};
use crate::row_table::RowTable;

const MAGIC: &[u8; 8] = b"throngpd";
const VERSION: u32 = 2;
pub(crate) const HEADER: usize = 64;

/// Why bytes are no database of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CpdFileError {
    /// The first bytes are not those of a database.
    #[error("this is no path database")]
    NotADatabase,
    /// Of a version that this program does not read.
    #[error(
        "the path database has format version {found}, this program reads version {VERSION}: build the database again"
    )]
    Version {
        /// The version it has.
        found: u32,
    },
    /// Too short.
    #[error("the path database is cut short: {found} of {expected} bytes")]
    CutShort {
        /// Bytes that there should be.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The checksum does not fit.
    #[error("the path database is damaged: its checksum does not fit")]
    Checksum,
    /// It was built for another map, or other rules.
    #[error("the path database was built for another map, or for other terrain costs or moves")]
    OtherMap,
    /// The checksum fits, but something does not make sense.
    #[error("the path database is damaged: {what}")]
    Damaged {
        /// What.
        what: &'static str,
    },
}

/// What a file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpdInfo {
    /// Width and height of the map.
    pub size: Size,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of connected parts.
    pub parts: u32,
    /// Bytes a run.
    pub run_bytes: u8,
    /// The corner rule it was built under.
    pub corners: Corners,
    /// Whether only straight moves were legal.
    pub four_way: bool,
    /// What terrain costs.
    pub profile: Profile,
    /// Of the map's legal moves and costs.
    pub fingerprint: u64,
    /// Number of runs; 0 while it is being built.
    pub runs: u64,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut number = [0; N];
    number.copy_from_slice(&bytes[at..at + N]);
    number
}

impl CpdInfo {
    /// What a database of a ground says of itself.
    pub(crate) fn of(ground: &Ground, order: &NodeOrder, runs: u64) -> Self {
        let nodes = order.cells.len() as u32;
        Self {
            size: ground.size(),
            nodes,
            parts: order.parts.len() as u32 - 1,
            run_bytes: run_bytes(nodes),
            corners: ground.rules().corners,
            four_way: ground.rules().four_way,
            profile: ground.profile(),
            fingerprint: map_fingerprint(ground),
            runs,
        }
    }

    /// The header.
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
        header[36..40].copy_from_slice(&self.parts.to_le_bytes());
        header[40..48].copy_from_slice(&self.fingerprint.to_le_bytes());
        header[48..56].copy_from_slice(&self.runs.to_le_bytes());
        let sum = checksum(&header[..56]);
        header[56..].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// Reads a header and nothing else.
    ///
    /// # Errors
    /// When the bytes are not the beginning of a database.
    pub fn read(bytes: &[u8]) -> Result<Self, CpdFileError> {
        if bytes.get(..8).is_none_or(|magic| magic != MAGIC) {
            return Err(CpdFileError::NotADatabase);
        }
        let header = bytes
            .get(..HEADER)
            .ok_or(CpdFileError::CutShort { expected: HEADER as u64, found: bytes.len() as u64 })?;
        let version = u32::from_le_bytes(number(header, 8));
        if version != VERSION {
            return Err(CpdFileError::Version { found: version });
        }
        if u64::from_le_bytes(number(header, 56)) != checksum(&header[..56]) {
            return Err(CpdFileError::Checksum);
        }
        let damaged = |what| CpdFileError::Damaged { what };
        let (width, height) =
            (u32::from_le_bytes(number(header, 12)), u32::from_le_bytes(number(header, 16)));
        let size = Size::new(width, height).ok_or(damaged("no map has this size"))?;
        let nodes = u32::from_le_bytes(number(header, 20));
        let parts = u32::from_le_bytes(number(header, 36));
        if nodes as usize > size.area() || parts > nodes {
            return Err(damaged("more nodes than cells, or more parts than nodes"));
        }
        if header[24] != run_bytes(nodes) {
            return Err(damaged("the length of runs does not follow from the nodes"));
        }
        let corners = Corners::ALL.get(usize::from(header[25])).copied();
        Ok(Self {
            size,
            nodes,
            parts,
            run_bytes: header[24],
            corners: corners.ok_or(damaged("no corner rule has this number"))?,
            four_way: header[26] != 0,
            profile: Profile::from_halves(number(header, 27))
                .ok_or(damaged("no terrain costs are like these"))?,
            fingerprint: u64::from_le_bytes(number(header, 40)),
            runs: u64::from_le_bytes(number(header, 48)),
        })
    }

    /// The length of the whole file.
    pub fn length(&self) -> u64 {
        (HEADER as u64)
            .saturating_add(u64::from(self.parts) * 4 + u64::from(self.nodes) * 8)
            .saturating_add(self.runs.saturating_mul(u64::from(self.run_bytes)))
            .saturating_add(8)
    }

    /// Reads a header and checks the length and the checksum of the whole file.
    ///
    /// # Errors
    /// When it is no database, cut short or altered.
    pub fn check(bytes: &[u8]) -> Result<Self, CpdFileError> {
        let info = Self::read(bytes)?;
        let (expected, found) = (info.length(), bytes.len() as u64);
        if found < expected {
            return Err(CpdFileError::CutShort { expected, found });
        }
        if found > expected {
            return Err(CpdFileError::Damaged { what: "there are bytes after its end" });
        }
        let (body, sum) = bytes.split_at(bytes.len() - 8);
        if u64::from_le_bytes(number(sum, 0)) != checksum(body) {
            return Err(CpdFileError::Checksum);
        }
        Ok(info)
    }
}

/// Bytes a run, for a number of nodes.
pub(crate) const fn run_bytes(nodes: u32) -> u8 {
    if nodes <= 1 << (24 - SYMBOL_BITS) { 3 } else { 4 }
}

impl Cpd {
    /// The database as a file, for [`Cpd::open`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let runs = self.runs();
        let info = self.info();
        let mut bytes = Vec::with_capacity(info.length() as usize);
        bytes.extend_from_slice(&info.header());
        let NodeOrder { parts, cells, .. } = self.order();
        let ends = cells.iter().scan(0, |end, &cell| {
            *end += runs.row(cell).count;
            Some(*end)
        });
        let words = parts[..info.parts as usize].iter().copied().chain(cells.iter().map(|cell| cell.0));
        bytes.extend(words.chain(ends).flat_map(u32::to_le_bytes));
        let run = |run: &i32| run.to_le_bytes().into_iter().take(info.run_bytes.into());
        bytes.extend(runs.words().iter().flat_map(run));
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Opens a file for the map it was built for, as it was then.
    ///
    /// # Errors
    /// When the file is no database, cut short, altered, or that of another map.
    pub fn open(bytes: &[u8], ground: &Ground) -> Result<Self, CpdFileError> {
        let info = CpdInfo::check(bytes)?;
        if info.size != ground.size() || info.fingerprint != map_fingerprint(ground) {
            return Err(CpdFileError::OtherMap);
        }
        let (parts, nodes) = (info.parts as usize * 4, info.nodes as usize * 4);
        let (parts, rest) = bytes[HEADER..bytes.len() - 8].split_at(parts);
        let (cells, rest) = rest.split_at(nodes);
        let (ends, packed) = rest.split_at(nodes);
        let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let order = NodeOrder::read(ground, words(parts), words(cells))
            .ok_or(CpdFileError::Damaged { what: "its nodes are not the cells of the map" })?;
        let ends: Vec<u32> = words(ends);
        check_ends(&ends, info.runs)?;
        let runs = RowTable::new(&order, &ends, packed, info.run_bytes);
        check_runs(ground, &order, &ends, runs.words())?;
        Ok(Self::new(ground.clone(), order, runs))
    }
}

/// Rows follow each other, and have as many runs as the file.
fn check_ends(ends: &[u32], runs: u64) -> Result<(), CpdFileError> {
    if ends.last().map_or(0, |&last| u64::from(last)) != runs {
        return Err(CpdFileError::Damaged { what: "its rows do not have as many runs as it says" });
    }
    if ends.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(CpdFileError::Damaged { what: "a row ends before it begins" });
    }
    Ok(())
}

/// Every row has a run at the beginning of its part, runs are in order and end within it, and moves are legal.
fn check_runs(ground: &Ground, order: &NodeOrder, ends: &[u32], runs: &[i32]) -> Result<(), CpdFileError> {
    let mut start = 0;
    for part in order.parts.windows(2) {
        for node in part[0] as usize..part[1] as usize {
            let row = &runs[start..ends[node] as usize];
            start = ends[node] as usize;
            if !row_is_sound(ground.moves(order.cells[node]), row, part[0]..part[1]) {
                let what = "a row has runs that are out of order or moves that are not legal";
                return Err(CpdFileError::Damaged { what });
            }
        }
    }
    Ok(())
}

fn row_is_sound(moves: u8, row: &[i32], part: std::ops::Range<u32>) -> bool {
    // A symbol that is a move must be a legal one; a cell without moves is alone in its part and never asked.
    let legal = if moves == 0 { (1 << SYMBOLS) - 1 } else { u32::from(moves) | 0b11 << 8 };
    let (Some(&first), Some(&last)) = (row.first(), row.last()) else { return false };
    if moves == 0 && part.len() != 1 {
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
        && first >> SYMBOL_BITS == part.start as i32
        && last >> SYMBOL_BITS < part.end as i32
}

#[cfg(test)]
mod tests;
