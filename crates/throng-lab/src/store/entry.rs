//! The entries of a journal as bytes: finished runs, each value with its column's name, so that a journal can be read after
//! columns were added; and notes of started runs, which begin with 0 values, as no finished run does.

use throng_crowd::bytes::{Damaged, Reader, put, put_bytes, put_fixed};

use crate::columns::{COLUMNS, index};
use crate::{RunRow, TickSample, Value};

/// A finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRun {
    /// Its row of the results.
    pub row: RunRow,
    /// One sample per tick; empty unless the experiment asks for series.
    pub series: Vec<TickSample>,
}

pub(super) fn encode(run: &StoredRun) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1_024);
    let values = || run.row.columns().filter_map(|(column, value)| Some((column.name, value?)));
    put(&mut bytes, values().count() as u64);
    for (name, value) in values() {
        put_bytes(&mut bytes, name.as_bytes());
        match value {
            Value::Text(text) => {
                put(&mut bytes, 0);
                put_bytes(&mut bytes, text.as_bytes());
            }
            Value::Integer(number) => {
                put(&mut bytes, 1);
                put_fixed(&mut bytes, *number as u64);
            }
            Value::Float(number) => {
                put(&mut bytes, 2);
                put_fixed(&mut bytes, number.to_bits());
            }
            Value::Flag(is) => {
                put(&mut bytes, 3);
                put(&mut bytes, u64::from(*is));
            }
        }
    }
    put(&mut bytes, run.series.len() as u64);
    for sample in &run.series {
        put(&mut bytes, sample.arrived);
        put(&mut bytes, sample.expansions);
        put_fixed(&mut bytes, sample.tick_us.to_bits());
    }
    bytes
}

/// An entry of a journal.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Entry {
    /// A run with this key was started.
    Begun(String),
    /// A run was finished.
    Finished(StoredRun),
}

/// Encodes the note that a run was started.
pub(super) fn encode_begun(run: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(32);
    put(&mut bytes, 0);
    put_bytes(&mut bytes, run.as_bytes());
    bytes
}

/// Reads what [`encode`] or [`encode_begun`] wrote.
pub(super) fn decode(bytes: &[u8]) -> Result<Entry, String> {
    let mut reader = Reader::new(bytes);
    let damaged = |error: Damaged| error.to_string();
    let count = reader.number("a count").map_err(damaged)?;
    if count == 0 {
        return Ok(Entry::Begun(text(reader.bytes("a run").map_err(damaged)?)));
    }
    let mut row = RunRow::new();
    for _ in 0..count {
        let name = text(reader.bytes("a name").map_err(damaged)?);
        let value = value(&mut reader).map_err(damaged)?;
        let place = index(&name).filter(|&place| COLUMNS[place].kind == value.kind());
        row.set_at(place.ok_or_else(|| format!("unknown column `{name}`"))?, Some(value));
    }
    let ticks = reader.length("a count of ticks").map_err(damaged)?;
    let series = (0..ticks).map(|_| sample(&mut reader)).collect::<Result<_, _>>().map_err(damaged)?;
    Ok(Entry::Finished(StoredRun { row, series }))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn value(reader: &mut Reader<'_>) -> Result<Value, Damaged> {
    Ok(match reader.number_to(3, "a kind")? {
        0 => Value::Text(text(reader.bytes("a text")?)),
        1 => Value::Integer(reader.fixed("an integer")? as i64),
        2 => Value::Float(f64::from_bits(reader.fixed("a float")?)),
        _ => Value::Flag(reader.flag("a flag")?),
    })
}

fn sample(reader: &mut Reader<'_>) -> Result<TickSample, Damaged> {
    Ok(TickSample {
        arrived: reader.number("arrived agents")?,
        expansions: reader.number("expansions")?,
        tick_us: f64::from_bits(reader.fixed("a time")?),
    })
}
