//! An experiment's file as it is read: tables of keys with their values, and every refusal with its place.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use throng::grid::spec::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ExperimentError;
use super::keys::{KEYS, Key, KeyKind};
use crate::Value;

/// The scales that every experiment has.
pub const SCALES: [&str; 3] = ["smoke", "quick", "paper"];

/// Where in a file something stands, to be named in refusals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    file: String,
    line: usize,
    column: usize,
}

impl Place {
    /// The refusal of what stands there.
    pub(super) fn refuse(&self, reason: String) -> ExperimentError {
        let Self { file, line, column } = self.clone();
        ExperimentError::At { file, line, column, reason }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Where keys and their values stand: by key and value, a key itself with no value.
pub(super) type Places = BTreeMap<(&'static str, String), Place>;

/// Keys and their values; `None` where `none` was written.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sheet {
    pub(super) values: BTreeMap<&'static str, Vec<Option<Value>>>,
    pub(super) places: Places,
}

impl Sheet {
    /// This sheet, overruled by another.
    pub(super) fn overruled(&self, by: &Self) -> Self {
        let mut values = self.values.clone();
        values.extend(by.values.clone());
        let mut places = self.places.clone();
        places.extend(by.places.clone());
        Self { values, places }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)?.first()? {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        matches!(self.values.get(key).and_then(|values| values.first()), Some(Some(Value::Flag(true))))
    }

    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        match self.values.get(key)?.first()? {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }
}

/// More instances of a setting than anybody runs.
const MOST_INSTANCES: i64 = 100_000;

/// What a file says for all scales, and what each of its sections says.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Document {
    pub(super) common: Sheet,
    /// In the order of the file.
    pub(super) scales: Vec<(String, Sheet)>,
}

/// Reads a file; `file` is its name in refusals.
pub(super) fn read(file: &str, text: &str) -> Result<Document, ExperimentError> {
    Reader { file, text }.document()
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn document(&self) -> Result<Document, ExperimentError> {
        let table = DeTable::parse(self.text)
            .map_err(|error| self.refuse(&error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let mut document = Document::default();
        let mut sections = Vec::new();
        for (key, value) in table.get_ref() {
            if let DeValue::Table(section) = value.get_ref() {
                self.check_scale(key.get_ref(), &key.span())?;
                sections.push((key.span().start, key.get_ref().to_string(), self.sheet(section)?));
            } else {
                self.entry(key.get_ref(), &key.span(), value, &mut document.common)?;
            }
        }
        sections.sort_by_key(|&(start, ..)| start);
        document.scales = sections.into_iter().map(|(_, name, sheet)| (name, sheet)).collect();
        Ok(document)
    }

    /// A section is one of the known scales or clearly another.
    fn check_scale(&self, name: &str, span: &Range<usize>) -> Result<(), ExperimentError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if KEYS.iter().any(|key| key.name == name) {
            return Err(self.refuse(span, format!("`{name}` is a key and has no section")));
        }
        if name.is_empty() || !name.chars().all(plain) {
            return Err(
                self.refuse(span, format!("a scale is named by small letters, digits and -, not `{name}`"))
            );
        }
        match nearest(name, SCALES) {
            Some(scale) if scale != name => {
                Err(self.refuse(span, format!("there is no scale `{name}`: did you mean `{scale}`?")))
            }
            _ => Ok(()),
        }
    }

    fn sheet(&self, table: &DeTable<'_>) -> Result<Sheet, ExperimentError> {
        let mut sheet = Sheet::default();
        for (key, value) in table {
            self.entry(key.get_ref(), &key.span(), value, &mut sheet)?;
        }
        Ok(sheet)
    }

    fn entry(
        &self,
        name: &str,
        span: &Range<usize>,
        value: &Spanned<DeValue<'_>>,
        sheet: &mut Sheet,
    ) -> Result<(), ExperimentError> {
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            let hint = nearest(name, KEYS.iter().map(|key| key.name));
            let hint = hint.map_or_else(String::new, |known| format!(": did you mean `{known}`?"));
            return Err(self.refuse(span, format!("there is no key `{name}`{hint}")));
        };
        let values = match value.get_ref() {
            DeValue::Array(items) if key.column.is_some() => {
                if items.is_empty() {
                    return Err(
                        self.refuse(&value.span(), format!("`{name}` is empty: nothing would be run"))
                    );
                }
                items.iter().map(|item| self.placed(key, item, sheet)).collect::<Result<Vec<_>, _>>()?
            }
            DeValue::Integer(_) if matches!(key.kind, KeyKind::Instances) => self.instances(key, value)?,
            _ => vec![self.placed(key, value, sheet)?],
        };
        if let Some(i) = (1..values.len()).find(|&i| values[..i].contains(&values[i])) {
            let twice = values[i].as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
            return Err(self.refuse(&value.span(), format!("`{name}` has `{twice}` twice")));
        }
        sheet.values.insert(key.name, values);
        sheet.places.insert((key.name, String::new()), self.place(span));
        Ok(())
    }

    /// A value, and where it stands.
    fn placed(
        &self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
        sheet: &mut Sheet,
    ) -> Result<Option<Value>, ExperimentError> {
        let read = self.value(key, value)?;
        if let Some(read) = &read {
            sheet.places.insert((key.name, read.to_string()), self.place(&value.span()));
        }
        Ok(read)
    }

    /// A count stands for the numbers below it.
    fn instances(
        &self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Option<Value>>, ExperimentError> {
        match self.value(key, value)? {
            Some(Value::Integer(0)) => {
                Err(self.refuse(&value.span(), "`instances` is 0: nothing would be run".to_owned()))
            }
            Some(Value::Integer(count)) if count > MOST_INSTANCES => {
                Err(self.refuse(&value.span(), format!("`instances` is more than {MOST_INSTANCES}")))
            }
            Some(Value::Integer(count)) => {
                Ok((0..count).map(|number| Some(Value::Integer(number))).collect())
            }
            other => Ok(vec![other]),
        }
    }

    fn value(&self, key: &Key, value: &Spanned<DeValue<'_>>) -> Result<Option<Value>, ExperimentError> {
        let read = match value.get_ref() {
            DeValue::String(text) => key.word(text),
            DeValue::Integer(number) => {
                let digits = i64::from_str_radix(&number.as_str().replace('_', ""), number.radix());
                digits.map_err(|error| error.to_string()).and_then(|number| key.integer(number)).map(Some)
            }
            DeValue::Float(number) => {
                let number = number.as_str().replace('_', "").parse::<f64>();
                number.map_err(|error| error.to_string()).and_then(|number| key.number(number)).map(Some)
            }
            DeValue::Boolean(is) => key.flag(*is).map(Some),
            other => Err(format!("`{}` takes no {}", key.name, other.type_str())),
        };
        read.map_err(|reason| self.refuse(&value.span(), reason))
    }

    fn refuse(&self, span: &Range<usize>, reason: String) -> ExperimentError {
        self.place(span).refuse(reason)
    }

    fn place(&self, span: &Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        Place { file: self.file.to_owned(), line, column }
    }
}
