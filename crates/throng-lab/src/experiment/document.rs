//! An experiment file as it is read: sections of keys with their values. Every error names its file, line and column.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use throng::grid::spec::{SpecError, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Key, KeyKind, keys};
use crate::Value;
use crate::limits::{EXPERIMENT_INSTANCES as INSTANCES, EXPERIMENT_VALUES as VALUES};
use crate::strict::{FileError, Place, Source};

/// The scales of every experiment.
pub const SCALES: [&str; 3] = ["smoke", "quick", "paper"];

/// The positions of keys and values: by key and value, a key itself with an empty value.
pub(super) type Places = BTreeMap<(&'static str, String), Place>;

/// Keys and their values; none where the file says `none`.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Section {
    pub(super) values: BTreeMap<&'static str, Vec<Option<Value>>>,
    pub(super) places: Places,
}

impl Section {
    /// Returns this section with the values of another one in place of its own.
    pub(super) fn overridden_by(&self, other: &Self) -> Self {
        let mut values = self.values.clone();
        values.extend(other.values.clone());
        let mut places = self.places.clone();
        places.extend(other.places.clone());
        Self { values, places }
    }

    fn first(&self, key: &str) -> Option<&Value> {
        self.values.get(key)?.first()?.as_ref()
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.first(key)?.text()
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.first(key) == Some(&Value::Flag(true))
    }

    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        self.first(key)?.integer()
    }
}

/// A value of a TOML file with its position.
type Item<'a> = Spanned<DeValue<'a>>;

/// The content of a file: keys for all scales, and a section per scale.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Document {
    pub(super) common: Section,
    /// In the order of the file.
    pub(super) scales: Vec<(String, Section)>,
}

/// Reads a file; `file` is its name in errors.
pub(super) fn read(file: &str, text: &str) -> Result<Document, FileError> {
    DocumentReader { source: Source::new(file, text), keys: keys() }.document()
}

struct DocumentReader {
    source: Arc<Source>,
    keys: Vec<&'static Key>,
}

impl DocumentReader {
    fn document(&self) -> Result<Document, FileError> {
        let table = DeTable::parse(&self.source.text)
            .map_err(|error| self.refuse(&error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let mut document = Document::default();
        let mut sections = Vec::new();
        for (key, value) in table.get_ref() {
            if let DeValue::Table(section) = value.get_ref() {
                self.check_scale(key.get_ref(), &key.span())?;
                sections.push((key.span().start, key.get_ref().to_string(), self.section(section)?));
            } else {
                self.entry(key.get_ref(), &key.span(), value, &mut document.common)?;
            }
        }
        sections.sort_by_key(|&(start, ..)| start);
        document.scales = sections.into_iter().map(|(_, name, section)| (name, section)).collect();
        Ok(document)
    }

    fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().copied().find(|key| key.name == name)
    }

    /// Refuses a section name that is a key, is malformed, or looks like a misspelt scale.
    fn check_scale(&self, name: &str, span: &Range<usize>) -> Result<(), FileError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.key(name).is_some() {
            return Err(self.refuse(span, format!("`{name}` is a key, not a section")));
        }
        if name.is_empty() || !name.chars().all(plain) {
            let reason = format!("the name of a scale has small letters, digits and - only, not `{name}`");
            return Err(self.refuse(span, reason));
        }
        match nearest(name, SCALES) {
            Some(scale) if scale != name => {
                Err(self.refuse(span, SpecError::unknown("scale", name, SCALES).to_string()))
            }
            _ => Ok(()),
        }
    }

    fn section(&self, table: &DeTable<'_>) -> Result<Section, FileError> {
        let mut section = Section::default();
        for (key, value) in table {
            self.entry(key.get_ref(), &key.span(), value, &mut section)?;
        }
        Ok(section)
    }

    fn entry(
        &self,
        name: &str,
        span: &Range<usize>,
        value: &Item<'_>,
        section: &mut Section,
    ) -> Result<(), FileError> {
        let Some(key) = self.key(name) else {
            let unknown = SpecError::unknown("key", name, self.keys.iter().map(|key| key.name));
            return Err(self.refuse(span, unknown.to_string()));
        };
        let values = match value.get_ref() {
            DeValue::Array(items) if key.column.is_some() => {
                if items.is_empty() {
                    return Err(
                        self.refuse(&value.span(), format!("`{name}` is empty: nothing would be run"))
                    );
                }
                VALUES.check(items.len()).map_err(|error| self.refuse(&value.span(), error.to_string()))?;
                items.iter().map(|item| self.placed(key, item, section)).collect::<Result<Vec<_>, _>>()?
            }
            DeValue::Integer(_) if matches!(key.kind, KeyKind::Instances) => self.instances(key, value)?,
            _ => vec![self.placed(key, value, section)?],
        };
        let mut seen = BTreeSet::new();
        if let Some(twice) = values.iter().find(|value| !seen.insert(format!("{value:?}"))) {
            let twice = twice.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
            return Err(self.refuse(&value.span(), format!("`{name}` has `{twice}` twice")));
        }
        section.values.insert(key.name, values);
        section.places.insert((key.name, String::new()), self.place(span));
        Ok(())
    }

    /// Reads a value and notes its position.
    fn placed(&self, key: &Key, value: &Item<'_>, section: &mut Section) -> Result<Option<Value>, FileError> {
        let read = self.value(key, value)?;
        if let Some(read) = &read {
            section.places.insert((key.name, read.to_string()), self.place(&value.span()));
        }
        Ok(read)
    }

    /// Reads a number of problems, which stands for the numbers from 0 up to it.
    fn instances(&self, key: &Key, value: &Item<'_>) -> Result<Vec<Option<Value>>, FileError> {
        match self.value(key, value)? {
            Some(Value::Integer(0)) => {
                Err(self.refuse(&value.span(), "`instances` is 0: nothing would be run".to_owned()))
            }
            Some(Value::Integer(count)) => {
                INSTANCES.check(count).map_err(|error| self.refuse(&value.span(), error.to_string()))?;
                Ok((0..count).map(|number| Some(number.into())).collect())
            }
            other => Ok(vec![other]),
        }
    }

    fn value(&self, key: &Key, value: &Item<'_>) -> Result<Option<Value>, FileError> {
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
            other => Err(format!("`{}` does not take a value of type {}", key.name, other.type_str())),
        };
        read.map_err(|reason| self.refuse(&value.span(), reason))
    }

    fn refuse(&self, span: &Range<usize>, reason: String) -> FileError {
        self.place(span).refuse(reason)
    }

    fn place(&self, span: &Range<usize>) -> Place {
        self.source.place(span.start)
    }
}
