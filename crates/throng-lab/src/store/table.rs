//! Parquet files: a typed table with named columns of optional values, compressed with Snappy.
//!
//! The metadata holds the version of the columns and a checksum. A file is written under another name and renamed, so a
//! file under its own name is complete. A file that is read is not trusted: [`super::page_scan`] checks it before it is
//! decoded, and it is decoded on a thread of its own, because the decoder panics at some files.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::page_scan::{ScanError, check_chunk, check_metadata};
use super::{ReadLimits, StoreError};
use crate::Value;
use crate::columns::{ColumnKind, SCHEMA_VERSION};
use crate::files::{self, Files, StoredFile};
use crate::hash::checksum;
use crate::limits::{TABLE_FILE, TABLE_TEXT_PER_BYTE, TABLE_VALUES_PER_BYTE};

/// The metadata key of the version of the columns.
const VERSION_KEY: &str = "throng.schema";

/// The metadata key of the checksum of all values.
const CHECKSUM_KEY: &str = "throng.checksum";

/// A column of a file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    pub(crate) values: Vec<Option<Value>>,
}

/// Writes a table completely or not at all.
pub(crate) fn write(files: &Files, path: &Path, columns: &[TableColumn]) -> Result<(), StoreError> {
    let mut replacement = files.replacement(path)?;
    write_to(replacement.file(), columns).map_err(|error| {
        let reason = match error {
            ParquetError::External(error) => error.to_string(),
            error => error.to_string(),
        };
        StoreError::Write { path: replacement.file().path().to_owned(), reason }
    })?;
    Ok(replacement.commit()?)
}

fn write_to(file: &mut StoredFile, columns: &[TableColumn]) -> Result<(), ParquetError> {
    let version = KeyValue::new(VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string());
    let sum = KeyValue::new(CHECKSUM_KEY.to_owned(), format!("{:016x}", sum_of(columns)));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("throng ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![version, sum]))
        .build();
    let fields = columns.iter().map(field).collect::<Result<Vec<TypePtr>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("throng").with_fields(fields).build()?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(mut chunk) = group.next_column()? {
            write_column(&mut chunk, column)?;
            chunk.close()?;
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

/// Returns a checksum of names and values: Parquet itself does not notice every altered bit.
fn sum_of(columns: &[TableColumn]) -> u64 {
    let mut sum = 0;
    for column in columns {
        sum = checksum(sum, column.name.as_bytes());
        for value in &column.values {
            sum = match value {
                None => checksum(sum, &[]),
                Some(Value::Text(text)) => checksum(sum, text.as_bytes()),
                Some(Value::Integer(number)) => checksum(sum, &number.to_le_bytes()),
                Some(Value::Float(number)) => checksum(sum, &number.to_bits().to_le_bytes()),
                Some(Value::Flag(is)) => checksum(sum, &[u8::from(*is)]),
            };
        }
    }
    sum
}

fn field(column: &TableColumn) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Integer => (Physical::INT64, None),
        ColumnKind::Float => (Physical::DOUBLE, None),
        ColumnKind::Flag => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(&column.name, physical);
    Ok(Arc::new(builder.with_logical_type(logical).with_repetition(Repetition::OPTIONAL).build()?))
}

fn write_column(chunk: &mut SerializedColumnWriter<'_>, column: &TableColumn) -> Result<(), ParquetError> {
    match column.kind {
        ColumnKind::Text => {
            write_values::<ByteArrayType>(chunk, &column.values, |value| value.text().map(ByteArray::from))
        }
        ColumnKind::Integer => write_values::<Int64Type>(chunk, &column.values, Value::integer),
        ColumnKind::Float => write_values::<DoubleType>(chunk, &column.values, Value::float),
        ColumnKind::Flag => write_values::<BoolType>(chunk, &column.values, Value::flag),
    }
}

fn write_values<T: DataType>(
    chunk: &mut SerializedColumnWriter<'_>,
    values: &[Option<Value>],
    raw: impl Fn(&Value) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = values.iter().map(|value| value.as_ref().and_then(&raw)).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    chunk.typed::<T>().write_batch(&present, Some(&levels), None)?;
    Ok(())
}

/// The name of the thread that decodes a table. A program can keep the messages of its panics from the terminal: they are
/// returned as an error.
pub const DECODER_THREAD: &str = "table decoder";

/// Reads a whole table.
pub(crate) fn read(path: &Path) -> Result<Vec<TableColumn>, StoreError> {
    read_within(path, ReadLimits::NONE)
}

/// Reads a whole table, unless it is too large.
pub(super) fn read_within(path: &Path, limits: ReadLimits) -> Result<Vec<TableColumn>, StoreError> {
    if let Ok(metadata) = path.metadata() {
        limits.check_size(path, metadata.len())?;
    }
    let damaged = |reason: String| StoreError::Damaged { path: path.to_owned(), reason };
    let file = Bytes::from(files::read(path, TABLE_FILE)?);
    check_metadata(&file).map_err(|error| damaged(error.to_string()))?;
    let decoded = std::thread::scope(|scope| {
        let decoder = std::thread::Builder::new().name(DECODER_THREAD.to_owned());
        let decoder = decoder.spawn_scoped(scope, || decode(path, &file, limits)).ok()?;
        decoder.join().ok()
    });
    let (columns, expected) = decoded.ok_or_else(|| damaged("it cannot be decoded".to_owned()))??;
    if expected.is_some_and(|expected| expected != format!("{:016x}", sum_of(&columns))) {
        return Err(damaged("its values do not match their checksum".to_owned()));
    }
    Ok(columns)
}

/// Returns the columns of a file, and the checksum in its metadata.
fn decode(
    path: &Path,
    file: &Bytes,
    limits: ReadLimits,
) -> Result<(Vec<TableColumn>, Option<String>), StoreError> {
    let damaged = |reason: String| StoreError::Damaged { path: path.to_owned(), reason };
    let corrupt = |error: ParquetError| damaged(error.to_string());
    let mut text_left = TABLE_TEXT_PER_BYTE.max.saturating_mul(file.len() as u64).saturating_add(SMALL);
    let reader = SerializedFileReader::new(file.clone()).map_err(corrupt)?;
    let metadata = reader.metadata().file_metadata();
    let value_of = |key: &str| {
        let pairs = metadata.key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone())
    };
    let expected = value_of(CHECKSUM_KEY);
    match value_of(VERSION_KEY) {
        Some(version) if version == SCHEMA_VERSION.to_string() => {}
        Some(version) => return Err(StoreError::Version { path: path.to_owned(), version }),
        None => return Err(StoreError::NotResults(path.to_owned())),
    }
    let sum = |size: fn(&RowGroupMetaData) -> i64| {
        let sizes = reader.metadata().row_groups().iter().map(size);
        sizes.fold(0_u64, |sum, size| sum.saturating_add(u64::try_from(size).unwrap_or(u64::MAX)))
    };
    limits.check_rows(path, sum(RowGroupMetaData::num_rows))?;
    limits.check_size(path, sum(RowGroupMetaData::total_byte_size))?;
    let mut columns: Vec<TableColumn> = Vec::new();
    for field in metadata.schema_descr().columns() {
        let name = field.name().to_owned();
        let kind = match field.physical_type() {
            Physical::BYTE_ARRAY => ColumnKind::Text,
            Physical::INT64 => ColumnKind::Integer,
            Physical::DOUBLE => ColumnKind::Float,
            Physical::BOOLEAN => ColumnKind::Flag,
            _ => return Err(StoreError::NotResults(path.to_owned())),
        };
        columns.push(TableColumn { name, kind, values: Vec::new() });
    }
    check_groups(reader.metadata(), file).map_err(|error| damaged(error.to_string()))?;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(corrupt)?;
        for (place, column) in columns.iter_mut().enumerate() {
            read_column(group.as_ref(), place, &mut column.values, &mut text_left).map_err(corrupt)?;
        }
    }
    Ok((columns, expected))
}

/// A number of values, or of bytes of text, that a small table may have above its share.
const SMALL: u64 = 1 << 16;

/// Checks the stated numbers of rows, and the pages of all columns.
fn check_groups(metadata: &ParquetMetaData, file: &[u8]) -> Result<(), ScanError> {
    let (mut values, mut uncompressed) = (0_u64, 0);
    for group in metadata.row_groups() {
        let rows = u64::try_from(group.num_rows())
            .map_err(|_| ScanError::Malformed("a number of rows is negative"))?;
        values = values.saturating_add(rows.saturating_mul(group.num_columns() as u64));
        if values > TABLE_VALUES_PER_BYTE.max * file.len() as u64 + SMALL {
            TABLE_VALUES_PER_BYTE.check(values / (file.len() as u64).max(1))?;
        }
        for column in group.columns() {
            let offsets = [
                Some(column.data_page_offset()),
                column.dictionary_page_offset(),
                Some(column.compressed_size()),
            ];
            if offsets.iter().flatten().any(|&offset| offset < 0) {
                return Err(ScanError::Malformed("an offset is negative"));
            }
            check_chunk(file, column.byte_range(), rows, &mut uncompressed)?;
        }
    }
    Ok(())
}

fn read_column(
    group: &dyn RowGroupReader,
    place: usize,
    values: &mut Vec<Option<Value>>,
    text_left: &mut u64,
) -> Result<(), ParquetError> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
    let reader = group.get_column_reader(place)?;
    match reader {
        ColumnReader::ByteArrayColumnReader(_) => {
            let text = |raw: ByteArray| {
                *text_left = text_left.checked_sub(raw.len() as u64)?;
                Some(Value::Text(String::from_utf8_lossy(raw.data()).into_owned()))
            };
            read_values::<ByteArrayType>(reader, rows, text, values)
        }
        ColumnReader::Int64ColumnReader(_) => {
            read_values::<Int64Type>(reader, rows, |number| Some(Value::Integer(number)), values)
        }
        ColumnReader::DoubleColumnReader(_) => {
            read_values::<DoubleType>(reader, rows, |number| Some(Value::Float(number)), values)
        }
        ColumnReader::BoolColumnReader(_) => {
            read_values::<BoolType>(reader, rows, |is| Some(Value::Flag(is)), values)
        }
        _ => Err(ParquetError::General("a column of another kind".to_owned())),
    }
}

/// The number of rows that are decoded at once.
const BATCH: usize = 4_096;

/// Reads a column. `value` returns none when the texts of the table exceed their limit.
fn read_values<T: DataType>(
    reader: ColumnReader,
    rows: usize,
    mut value: impl FnMut(T::T) -> Option<Value>,
    values: &mut Vec<Option<Value>>,
) -> Result<(), ParquetError> {
    let mut reader = get_typed_column_reader::<T>(reader);
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    let (mut read, mut before) = (0, usize::MAX);
    values.try_reserve(rows).map_err(|error| ParquetError::External(error.into()))?;
    while read < rows && read != before {
        before = read;
        levels.clear();
        present.clear();
        let batch = (rows - read).min(BATCH);
        read += reader.read_records(batch, Some(&mut levels), None, &mut present)?.0;
        let mut present = present.drain(..);
        for &level in &levels {
            let raw = if level == 1 { present.next() } else { None };
            let read = raw.map(|raw| value(raw).ok_or(TABLE_TEXT_PER_BYTE)).transpose();
            let value = read
                .map_err(|limit| ParquetError::General(format!("it exceeds the limit `{}`", limit.name)))?;
            values.push(value);
        }
    }
    if read != rows {
        return Err(ParquetError::General(format!("a column of {read} rows instead of {rows}")));
    }
    Ok(())
}
