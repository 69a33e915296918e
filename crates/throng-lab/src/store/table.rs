//! Parquet files: a typed table with named columns of optional values, compressed with Snappy.
//!
//! The metadata holds the version of the columns and a checksum. A file is written under another name and renamed, so a
//! file under its own name is complete.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::{StoreError, io};
use crate::Value;
use crate::columns::{ColumnKind, SCHEMA_VERSION};
use crate::hash::checksum;

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
pub(crate) fn write(path: &Path, columns: &[TableColumn]) -> Result<(), StoreError> {
    let beside = path.with_extension("parquet.new");
    let file = File::create(&beside).map_err(io("write", &beside))?;
    let written = write_to(&file, columns).map_err(|error| match error {
        ParquetError::External(error) => format!("{error}"),
        error => error.to_string(),
    });
    if let Err(reason) = written {
        let _ = fs::remove_file(&beside);
        return Err(StoreError::Write { path: beside, reason });
    }
    file.sync_all().map_err(io("write", &beside))?;
    fs::rename(&beside, path).map_err(io("write", path))?;
    // The folder holds the new name, so it is synchronised too, where the system can open folders.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write_to(file: &File, columns: &[TableColumn]) -> Result<(), ParquetError> {
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

/// Reads a whole table.
pub(crate) fn read(path: &Path) -> Result<Vec<TableColumn>, StoreError> {
    // Some altered files make the decoder panic.
    let decoded = std::panic::catch_unwind(|| decode(path));
    let damaged = |reason: &str| StoreError::Damaged { path: path.to_owned(), reason: reason.to_owned() };
    let (columns, expected) = decoded.map_err(|_| damaged("it cannot be decoded"))??;
    if expected.is_some_and(|expected| expected != format!("{:016x}", sum_of(&columns))) {
        return Err(damaged("its values do not match their checksum"));
    }
    Ok(columns)
}

/// Returns the columns of a file, and the checksum in its metadata.
fn decode(path: &Path) -> Result<(Vec<TableColumn>, Option<String>), StoreError> {
    let file = File::open(path).map_err(io("read", path))?;
    let corrupt =
        |error: ParquetError| StoreError::Damaged { path: path.to_owned(), reason: error.to_string() };
    let reader = SerializedFileReader::new(file).map_err(corrupt)?;
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
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(corrupt)?;
        for (place, column) in columns.iter_mut().enumerate() {
            read_column(group.as_ref(), place, &mut column.values).map_err(corrupt)?;
        }
    }
    Ok((columns, expected))
}

fn read_column(
    group: &dyn RowGroupReader,
    place: usize,
    values: &mut Vec<Option<Value>>,
) -> Result<(), ParquetError> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
    let reader = group.get_column_reader(place)?;
    match reader {
        ColumnReader::ByteArrayColumnReader(_) => {
            let text = |raw: ByteArray| Value::Text(String::from_utf8_lossy(raw.data()).into_owned());
            read_values::<ByteArrayType>(reader, rows, text, values)
        }
        ColumnReader::Int64ColumnReader(_) => read_values::<Int64Type>(reader, rows, Value::Integer, values),
        ColumnReader::DoubleColumnReader(_) => read_values::<DoubleType>(reader, rows, Value::Float, values),
        ColumnReader::BoolColumnReader(_) => read_values::<BoolType>(reader, rows, Value::Flag, values),
        _ => Err(ParquetError::General("a column of another kind".to_owned())),
    }
}

fn read_values<T: DataType>(
    reader: ColumnReader,
    rows: usize,
    value: impl Fn(T::T) -> Value,
    values: &mut Vec<Option<Value>>,
) -> Result<(), ParquetError> {
    let mut reader = get_typed_column_reader::<T>(reader);
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    let (mut read, mut before) = (0, usize::MAX);
    while read < rows && read != before {
        before = read;
        read += reader.read_records(rows - read, Some(&mut levels), None, &mut present)?.0;
    }
    if levels.len() != rows {
        return Err(ParquetError::General(format!("a column of {} rows instead of {rows}", levels.len())));
    }
    let mut present = present.into_iter().map(value);
    values.extend(levels.iter().map(|&level| if level == 1 { present.next() } else { None }));
    Ok(())
}
