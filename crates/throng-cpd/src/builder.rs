//! Building a database: a sweep a node, its row compressed at once.
//!
//! Rows do not depend on each other, so they are made side by side, as many at once as the caller has threads for, and
//! taken in order. After each batch the caller has a record of it: records in a file, one after the other behind the
//! first one, are what an interrupted build resumes from, and the last one may be cut short anywhere.

use std::sync::Mutex;

use throng_grid::{Ground, Pos};

use crate::database::Cpd;
use crate::file::{CpdFileError, CpdInfo, HEADER};
use crate::fingerprint::checksum;
use crate::node_order::NodeOrder;
use crate::row_encoding::compress;
use crate::row_table::RowTable;
use crate::source_search::{BorderedMap, SourceSearch};

/// Calls a function with the numbers below a count, in any order and side by side if it likes, and returns when all
/// calls are done.
pub type Parallel<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// One after the other.
pub fn sequential(count: usize, piece: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(piece);
}

/// Rows made in one piece, and pieces in a batch.
const PIECE: usize = 16;
const BATCH: usize = 16;

/// Bytes before the rows of a record: first row, number of rows, bytes that follow, checksum of all that.
const RECORD: usize = 20;

/// A database in the making.
#[derive(Debug)]
pub struct CpdBuilder {
    ground: Ground,
    order: NodeOrder,
    /// Where the nodes are, and their places in a sweep.
    positions: Vec<Pos>,
    places: Vec<u32>,
    info: CpdInfo,
    ends: Vec<u32>,
    packed: Vec<u8>,
    idle: Mutex<Vec<SourceSearch>>,
}

impl CpdBuilder {
    /// Begins a database of a ground as it is now.
    pub fn new(ground: &Ground) -> Self {
        let order = NodeOrder::of(ground);
        let bordered = BorderedMap::new(ground);
        let positions: Vec<Pos> = order.cells.iter().map(|&cell| ground.pos(cell)).collect();
        Self {
            places: positions.iter().map(|&pos| bordered.place(pos) as u32).collect(),
            positions,
            info: CpdInfo::of(ground, &order, 0),
            ground: ground.clone(),
            order,
            ends: Vec::new(),
            packed: Vec::new(),
            idle: Mutex::default(),
        }
    }

    /// What a file of records begins with.
    pub fn first_record(&self) -> Vec<u8> {
        self.info.header().to_vec()
    }

    /// Takes up what an interrupted build had recorded, as far as it is whole, and returns the length of that part:
    /// the records to come belong there.
    ///
    /// # Errors
    /// When the records are not those of a build for this ground.
    pub fn resume(&mut self, records: &[u8]) -> Result<usize, CpdFileError> {
        if CpdInfo::read(records)? != self.info {
            return Err(CpdFileError::OtherMap);
        }
        let mut at = HEADER;
        while let Some((rows, bytes, length)) = record(&records[at..], self.ends.len(), self.rows()) {
            let runs: u64 = rows.iter().map(|&runs| u64::from(runs)).sum();
            if runs * u64::from(self.info.run_bytes) != bytes.len() as u64 {
                break;
            }
            self.take(&rows, bytes);
            at += length;
        }
        Ok(at)
    }

    /// How many rows there will be.
    pub fn rows(&self) -> usize {
        self.order.cells.len()
    }

    /// How many are done.
    pub fn done(&self) -> usize {
        self.ends.len()
    }

    /// Makes the next rows, and returns the record of them; `None` when all are done.
    pub fn advance(&mut self, parallel: Parallel<'_>) -> Option<Vec<u8>> {
        let first = self.done();
        let rows = (self.rows() - first).min(PIECE * BATCH);
        if rows == 0 {
            return None;
        }
        let pieces: Vec<Mutex<(Vec<u32>, Vec<u32>)>> =
            (0..rows.div_ceil(PIECE)).map(|_| Mutex::default()).collect();
        parallel(pieces.len(), &|piece| {
            let begin = first + piece * PIECE;
            let made = self.piece(begin..(begin + PIECE).min(first + rows));
            *pieces[piece].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = made;
        });
        let (mut counts, mut packed) = (Vec::new(), Vec::new());
        for piece in pieces {
            let (rows, runs) = piece.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            counts.extend(rows);
            let bytes = usize::from(self.info.run_bytes);
            packed.extend(runs.into_iter().flat_map(|run| run.to_le_bytes().into_iter().take(bytes)));
        }
        self.take(&counts, &packed);
        Some(written(first, &counts, &packed))
    }

    /// The runs of some rows: how many each has, and all of them.
    fn piece(&self, nodes: std::ops::Range<usize>) -> (Vec<u32>, Vec<u32>) {
        let idle = || self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut sweep = idle().pop().unwrap_or_else(|| SourceSearch::new(&self.ground));
        let (mut counts, mut runs) = (Vec::new(), Vec::new());
        for node in nodes {
            let before = runs.len();
            sweep.from(self.places[node] as usize);
            let part = self.order.part(node as u32);
            let range = part.start as usize..part.end as usize;
            let places = &self.places[range.clone()];
            let firsts = |i: usize| sweep.take(places[i] as usize);
            compress(self.positions[node], part.start, &self.positions[range], firsts, &mut runs);
            counts.push((runs.len() - before) as u32);
        }
        idle().push(sweep);
        (counts, runs)
    }

    fn take(&mut self, rows: &[u32], bytes: &[u8]) {
        let mut end = self.ends.last().copied().unwrap_or(0);
        self.ends.extend(rows.iter().map(|runs| {
            end += runs;
            end
        }));
        self.packed.extend_from_slice(bytes);
    }

    /// The database.
    ///
    /// # Panics
    /// Before all rows are done.
    pub fn finish(self) -> Cpd {
        assert_eq!(self.ends.len(), self.order.cells.len(), "a database is asked for before it is built");
        let runs = RowTable::new(&self.order, &self.ends, &self.packed, self.info.run_bytes);
        Cpd::new(self.ground, self.order, runs)
    }
}

impl Cpd {
    /// Builds the database of a ground as it is now, in one go.
    pub fn build(ground: &Ground) -> Self {
        let mut build = CpdBuilder::new(ground);
        while build.advance(&sequential).is_some() {}
        build.finish()
    }
}

/// A batch of rows as a record.
fn written(first: usize, rows: &[u32], packed: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(RECORD + rows.len() * 4 + packed.len());
    record.extend_from_slice(&(first as u32).to_le_bytes());
    record.extend_from_slice(&(rows.len() as u32).to_le_bytes());
    record.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    record.extend_from_slice(&[0; 8]);
    record.extend(rows.iter().flat_map(|runs| runs.to_le_bytes()));
    record.extend_from_slice(packed);
    let sum = checksum(&record);
    record[12..20].copy_from_slice(&sum.to_le_bytes());
    record
}

/// The rows and runs of the record at the beginning of some bytes, and its length, if it is whole and the next one.
fn record(bytes: &[u8], next: usize, all: usize) -> Option<(Vec<u32>, &[u8], usize)> {
    let field =
        |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(|field| u32::from_le_bytes(field) as usize);
    let (first, rows, packed) = (field(0)?, field(4)?, field(8)?);
    if first != next || rows == 0 || rows > all - next {
        return None;
    }
    let length = RECORD + rows * 4 + packed;
    let mut whole = bytes.get(..length)?.to_vec();
    let sum: [u8; 8] = whole[12..20].try_into().ok()?;
    whole[12..20].fill(0);
    if checksum(&whole) != u64::from_le_bytes(sum) {
        return None;
    }
    let rows_end = RECORD + rows * 4;
    let counts = whole[RECORD..rows_end].chunks_exact(4);
    let counts = counts.map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]])).collect();
    Some((counts, &bytes[rows_end..length], length))
}
