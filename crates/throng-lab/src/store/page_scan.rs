//! Checks a Parquet file before it is decoded. The decoder trusts the sizes and counts in the file: 21 kB can make it
//! reserve gigabytes. Here the metadata and the headers of all pages are walked, and whatever states more than the file
//! can hold is refused.
//!
//! Both are encoded in the compact protocol of Apache Thrift,
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>. The fields of a page header are
//! those of <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use throng_grid::limits::LimitError;

use crate::limits::{TABLE_EXPANSION, TABLE_METADATA};

/// The bytes at both ends of a Parquet file.
const MAGIC: &[u8; 4] = b"PAR1";

/// The nesting of the structures that are walked; Parquet's own has seven levels.
const MAX_DEPTH: u32 = 16;

/// Bytes that a small file may have above its share.
const SMALL: u64 = 1 << 16;

/// Why a file is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum ScanError {
    #[error("{0}")]
    Malformed(&'static str),
    #[error(transparent)]
    TooLarge(#[from] LimitError),
}

type Scanned<T> = Result<T, ScanError>;

/// Checks the metadata at the end of a file: no list states more elements than there are bytes.
pub(super) fn check_metadata(file: &[u8]) -> Scanned<()> {
    let rest = file.strip_suffix(MAGIC).filter(|_| file.starts_with(MAGIC));
    let rest = rest.ok_or(ScanError::Malformed("it is no Parquet file, or cut short"))?;
    let (rest, length) = rest.split_last_chunk::<4>().ok_or(ScanError::Malformed("it is cut short"))?;
    let length = u32::from_le_bytes(*length);
    TABLE_METADATA.check(length)?;
    let start = rest.len().checked_sub(length as usize);
    let start = start.ok_or(ScanError::Malformed("its metadata are longer than the file"))?;
    Thrift(&rest[start..]).skip_struct(0)
}

/// Checks the pages of a column chunk, and adds their uncompressed size to `uncompressed`. `rows` is the number of rows that
/// the chunk states.
pub(super) fn check_chunk(file: &[u8], chunk: (u64, u64), rows: u64, uncompressed: &mut u64) -> Scanned<()> {
    let range = usize::try_from(chunk.0).ok().zip(usize::try_from(chunk.1).ok());
    let bytes = range.and_then(|(start, length)| file.get(start..)?.get(..length));
    let mut rest = Thrift(bytes.ok_or(ScanError::Malformed("a column lies outside the file"))?);
    let mut values = 0_u64;
    while !rest.0.is_empty() {
        let page = Page::read(&mut rest)?;
        let body = rest.take(page.compressed as usize)?;
        let is_plausible =
            page.values <= rows.max(page.uncompressed) && page.uncompressed <= most(body.len());
        if !is_plausible {
            return Err(ScanError::Malformed("a page states more than it can hold"));
        }
        if page.is_data {
            values += page.values;
        } else if page.values > page.uncompressed {
            return Err(ScanError::Malformed("a dictionary states more values than it has bytes"));
        }
        *uncompressed += page.uncompressed;
        if *uncompressed > TABLE_EXPANSION.max * file.len() as u64 + SMALL {
            let value = *uncompressed / (file.len() as u64).max(1);
            return Err(LimitError { limit: TABLE_EXPANSION, value }.into());
        }
    }
    if values == rows {
        Ok(())
    } else {
        Err(ScanError::Malformed("a column has another number of values than rows"))
    }
}

/// Returns the largest size to which a number of compressed bytes can expand: Snappy copies 64 bytes with a command of three.
const fn most(compressed: usize) -> u64 {
    22 * compressed as u64 + 64
}

/// What a page header states.
#[derive(Clone, Copy, Default, Debug)]
struct Page {
    uncompressed: u64,
    compressed: u64,
    values: u64,
    /// True for a page of values, false for a dictionary.
    is_data: bool,
}

impl Page {
    fn read(thrift: &mut Thrift<'_>) -> Scanned<Self> {
        let (mut page, mut kind) = (Self::default(), None);
        let mut last = 0;
        while let Some((id, field)) = thrift.field(&mut last)? {
            match (id, field) {
                (1, I32) => kind = Some(thrift.count()?),
                (2, I32) => page.uncompressed = thrift.count()?,
                (3, I32) => page.compressed = thrift.count()?,
                // The header of a page of values or of a dictionary: first the number of values, then the encoding.
                (5 | 7, STRUCT) => {
                    let mut last = 0;
                    while let Some((inner, field)) = thrift.field(&mut last)? {
                        match (inner, field) {
                            (1, I32) => page.values = thrift.count()?,
                            (2, I32) => Self::check_encoding(thrift.count()?)?,
                            _ => thrift.skip(field, 1)?,
                        }
                    }
                }
                _ => thrift.skip(field, 0)?,
            }
        }
        page.is_data = match kind {
            Some(0) => true,
            Some(2) => false,
            _ => return Err(ScanError::Malformed("it has pages of a kind that throng does not write")),
        };
        Ok(page)
    }

    /// Refuses encodings in which few bytes are many values: those of differences. Throng writes plain values, runs and
    /// dictionaries.
    fn check_encoding(encoding: u64) -> Scanned<()> {
        match encoding {
            0 | 2 | 3 | 8 => Ok(()),
            _ => Err(ScanError::Malformed("it has an encoding that throng does not write")),
        }
    }
}

/// Types of fields.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// The bytes that have not been read.
struct Thrift<'a>(&'a [u8]);

impl<'a> Thrift<'a> {
    fn take(&mut self, count: usize) -> Scanned<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(ScanError::Malformed("it is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Scanned<u8> {
        Ok(self.take(1)?[0])
    }

    fn varint(&mut self) -> Scanned<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ScanError::Malformed("an integer is too long"))
    }

    /// Reads a number that must not be negative.
    fn count(&mut self) -> Scanned<u64> {
        let zigzag = self.varint()?;
        if zigzag & 1 == 1 || zigzag >> 1 > i32::MAX as u64 {
            return Err(ScanError::Malformed("a count is negative or too high"));
        }
        Ok(zigzag >> 1)
    }

    /// Reads the number and the type of the next field, none at the end of the structure.
    fn field(&mut self, last: &mut u64) -> Scanned<Option<(u64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        *last = match head >> 4 {
            0 => self.varint()? >> 1,
            more => *last + u64::from(more),
        };
        Ok(Some((*last, head & 15)))
    }

    fn skip_struct(&mut self, depth: u32) -> Scanned<()> {
        let mut last = 0;
        while let Some((_, kind)) = self.field(&mut last)? {
            self.skip(kind, depth)?;
        }
        Ok(())
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Scanned<()> {
        if depth == MAX_DEPTH {
            return Err(ScanError::Malformed("its structures are nested too deeply"));
        }
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.take(1).map(drop),
            I16 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.take(8).map(drop),
            BINARY => {
                let length = self.varint()?;
                self.take(usize::try_from(length).unwrap_or(usize::MAX)).map(drop)
            }
            LIST | SET => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                if count > self.0.len() as u64 {
                    return Err(ScanError::Malformed("a list states more elements than there are bytes"));
                }
                for _ in 0..count {
                    match head & 15 {
                        // In a list a flag takes a byte.
                        TRUE | FALSE => self.take(1).map(drop)?,
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
                Ok(())
            }
            STRUCT => self.skip_struct(depth + 1),
            _ => Err(ScanError::Malformed("it has a field of an unknown type")),
        }
    }
}
