//! Building a database: one search per source, whose row is compressed at once.
//!
//! Rows are independent, so batches of them are computed in parallel and appended in order. Each batch is returned as a
//! record. An interrupted build resumes from a file with the first record and the records of the batches; the last
//! record may be truncated anywhere.

use std::sync::{Mutex, OnceLock, PoisonError};

use throng_grid::{Ground, Pos};

use crate::database::Cpd;
use crate::file::{CpdFileError, CpdInfo, HEADER, u32_at, u64_at, words};
use crate::fingerprint::checksum;
use crate::node_order::NodeOrder;
use crate::row_encoding::compress;
use crate::row_table::RowTable;
use crate::source_search::{BorderedMap, SourceSearch};

/// Calls a function with every number below a count, in any order and possibly in parallel, and returns after the last
/// call.
pub type Parallel<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Calls a function with every number below a count, in order.
pub fn sequential(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(task);
}

/// Rows per task, and tasks per batch. Larger batches lose more work when a build is interrupted.
const TASK_ROWS: usize = 16;
const BATCH_TASKS: usize = 16;

/// Bytes before the rows of a record: first row, number of rows, number of bytes of runs, checksum.
const RECORD_HEADER: usize = 20;

/// A database under construction.
#[derive(Debug)]
pub struct CpdBuilder {
    ground: Ground,
    order: NodeOrder,
    /// The position of each node, and its index in a source search.
    positions: Vec<Pos>,
    indices: Vec<u32>,
    info: CpdInfo,
    ends: Vec<u32>,
    packed: Vec<u8>,
    spare: Mutex<Vec<SourceSearch>>,
}

impl CpdBuilder {
    /// Begins a database of the current state of a ground.
    pub fn new(ground: &Ground) -> Self {
        let order = NodeOrder::of(ground);
        let bordered = BorderedMap::new(ground);
        let positions: Vec<Pos> = order.cells.iter().map(|&cell| ground.pos(cell)).collect();
        Self {
            indices: positions.iter().map(|&pos| bordered.index(pos) as u32).collect(),
            positions,
            info: CpdInfo::of(ground, &order, 0),
            ground: ground.clone(),
            order,
            ends: Vec::new(),
            packed: Vec::new(),
            spare: Mutex::default(),
        }
    }

    /// Returns the first record of a file.
    pub fn first_record(&self) -> Vec<u8> {
        self.info.header().to_vec()
    }

    /// Resumes from the records of an interrupted build. Returns the length of the valid part; further records must be
    /// written there.
    ///
    /// # Errors
    ///
    /// If the records belong to a build for another ground.
    pub fn resume(&mut self, records: &[u8]) -> Result<usize, CpdFileError> {
        if CpdInfo::read(records)? != self.info {
            return Err(CpdFileError::OtherMap);
        }
        let mut at = HEADER;
        while let Some((rows, bytes, length)) = read_record(&records[at..], self.ends.len(), self.rows()) {
            let runs: u64 = rows.iter().map(|&runs| u64::from(runs)).sum();
            if runs * u64::from(self.info.run_bytes) != bytes.len() as u64 {
                break;
            }
            self.append(&rows, bytes);
            at += length;
        }
        Ok(at)
    }

    /// Returns the total number of rows.
    pub fn rows(&self) -> usize {
        self.order.cells.len()
    }

    /// Returns the number of finished rows.
    pub fn done(&self) -> usize {
        self.ends.len()
    }

    /// Computes the next batch of rows and returns its record; `None` if all rows are done.
    pub fn advance(&mut self, parallel: Parallel<'_>) -> Option<Vec<u8>> {
        let first = self.done();
        let rows = (self.rows() - first).min(TASK_ROWS * BATCH_TASKS);
        if rows == 0 {
            return None;
        }
        let tasks = vec![OnceLock::new(); rows.div_ceil(TASK_ROWS)];
        parallel(tasks.len(), &|task| {
            let begin = first + task * TASK_ROWS;
            tasks[task].get_or_init(|| self.compute_rows(begin..(begin + TASK_ROWS).min(first + rows)));
        });
        let (mut counts, mut packed) = (Vec::new(), Vec::new());
        for (rows, runs) in tasks.into_iter().filter_map(OnceLock::into_inner) {
            counts.extend(rows);
            let bytes = usize::from(self.info.run_bytes);
            packed.extend(runs.into_iter().flat_map(|run| run.to_le_bytes().into_iter().take(bytes)));
        }
        self.append(&counts, &packed);
        Some(write_record(first, &counts, &packed))
    }

    /// Returns the number of runs of each row in a range, and all their runs.
    fn compute_rows(&self, nodes: std::ops::Range<usize>) -> (Vec<u32>, Vec<u32>) {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = spare().pop().unwrap_or_else(|| SourceSearch::new(&self.ground));
        let (mut counts, mut runs) = (Vec::new(), Vec::new());
        for node in nodes {
            let before = runs.len();
            search.run(self.indices[node] as usize);
            let component = self.order.component(node as u32);
            let range = component.start as usize..component.end as usize;
            let indices = &self.indices[range.clone()];
            let firsts = |i: usize| search.take(indices[i] as usize);
            compress(self.positions[node], component.start, &self.positions[range], firsts, &mut runs);
            counts.push((runs.len() - before) as u32);
        }
        spare().push(search);
        (counts, runs)
    }

    fn append(&mut self, rows: &[u32], bytes: &[u8]) {
        let mut end = self.ends.last().copied().unwrap_or(0);
        self.ends.extend(rows.iter().map(|runs| {
            end += runs;
            end
        }));
        self.packed.extend_from_slice(bytes);
    }

    /// Returns the finished database.
    ///
    /// # Panics
    ///
    /// If rows are missing.
    pub fn finish(self) -> Cpd {
        assert_eq!(self.ends.len(), self.order.cells.len(), "the database is not finished");
        let runs = RowTable::new(&self.order, &self.ends, &self.packed, self.info.run_bytes);
        Cpd::new(self.ground, self.order, runs)
    }
}

impl Cpd {
    /// Builds the database of the current state of a ground.
    pub fn build(ground: &Ground) -> Self {
        let mut build = CpdBuilder::new(ground);
        while build.advance(&sequential).is_some() {}
        build.finish()
    }
}

/// Returns the record of a batch.
fn write_record(first: usize, rows: &[u32], packed: &[u8]) -> Vec<u8> {
    let header = [first as u32, rows.len() as u32, packed.len() as u32, 0, 0];
    let mut record: Vec<u8> = header.iter().chain(rows).flat_map(|word| word.to_le_bytes()).collect();
    record.extend_from_slice(packed);
    let sum = checksum(&record);
    record[12..20].copy_from_slice(&sum.to_le_bytes());
    record
}

/// Returns the row lengths, the runs and the length of the record at the start of some bytes; `None` unless it is
/// complete and begins with row `next`.
fn read_record(bytes: &[u8], next: usize, all: usize) -> Option<(Vec<u32>, &[u8], usize)> {
    let header = bytes.get(..RECORD_HEADER)?;
    let [first, rows, packed] = [0, 4, 8].map(|at| u32_at(header, at) as usize);
    if first != next || rows == 0 || rows > all - next {
        return None;
    }
    let length = RECORD_HEADER + rows * 4 + packed;
    let mut whole = bytes.get(..length)?.to_vec();
    whole[12..20].fill(0);
    if checksum(&whole) != u64_at(header, 12) {
        return None;
    }
    let rows_end = RECORD_HEADER + rows * 4;
    Some((words(&bytes[RECORD_HEADER..rows_end]).collect(), &bytes[rows_end..length], length))
}
