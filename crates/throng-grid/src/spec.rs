//! Specifications: names with parameters, such as `wastar:weight=2` or `maze:corridor=2,loops=5`.
//!
//! A registry (of searches, planners, generators) describes its entries and their parameters as data. This module
//! parses a text into an entry's name and validated parameter values. Errors about unknown names and keys suggest the
//! most similar known one.

mod error;

pub use error::SpecError;

use std::fmt;

/// The unit of decimal values: they are stored in millionths.
pub const MILLION: u64 = 1_000_000;

/// A parameter of a registry entry.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its valid values.
    pub kind: Kind,
}

impl Parameter {
    /// Returns a parameter that is `off` unless it is set to `on`.
    pub const fn switch(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, kind: Kind::Choice(&["off", "on"]) }
    }
}

/// The valid values of a parameter, and its default.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An integer.
    Integer {
        /// Smallest valid value.
        min: u64,
        /// Largest valid value.
        max: u64,
        /// Default value.
        default: u64,
    },
    /// A decimal number, in millionths.
    Decimal {
        /// Smallest valid value.
        min: u64,
        /// Largest valid value.
        max: u64,
        /// Default value.
        default: u64,
    },
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// Returns the default value as text.
    pub fn default_text(self) -> String {
        match self {
            Self::Integer { default, .. } => default.to_string(),
            Self::Decimal { default, .. } => decimal_text(default),
            Self::Choice(options) => options[0].to_owned(),
        }
    }

    fn default_value(self) -> u64 {
        match self {
            Self::Integer { default, .. } | Self::Decimal { default, .. } => default,
            Self::Choice(_) => 0,
        }
    }

    /// Parses a value: the integer, the millionths, or the index of the choice. Returns `None` if it is invalid.
    fn parse(self, text: &str) -> Option<u64> {
        match self {
            Self::Integer { min, max, .. } => text.parse().ok().filter(|value| (min..=max).contains(value)),
            Self::Decimal { min, max, .. } => parse_decimal(text).filter(|value| (min..=max).contains(value)),
            Self::Choice(options) => options.iter().position(|option| *option == text).map(|i| i as u64),
        }
    }

    /// Describes the valid values for an error about an invalid text.
    fn expected(self, text: &str) -> String {
        let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match self {
            Self::Decimal { .. } if decimals > 6 && numeric => format!("{self}, with at most six decimals"),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max, .. } => write!(f, "{min} to {max}"),
            Self::Decimal { min, max, .. } => write!(f, "{} to {}", decimal_text(*min), decimal_text(*max)),
            Self::Choice(options) => f.write_str(&options.join("|")),
        }
    }
}

/// Parses a decimal number with up to six decimals into millionths; `None` for any other text.
fn parse_decimal(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if fraction.len() > 6
        || !is_digits(whole)
        || !is_digits(fraction)
        || (whole.is_empty() && fraction.is_empty())
    {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    whole.checked_mul(MILLION)?.checked_add(fraction)
}

/// Formats millionths as a decimal number without trailing zeros.
pub fn decimal_text(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / MILLION, millionths % MILLION);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the known name with the smallest edit distance to a misspelt one, `None` if none is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let closest = known.into_iter().map(|known| (strsim::damerau_levenshtein(name, known), known)).min()?;
    (closest.0 <= 1 + closest.1.len() / 3).then(|| closest.1.to_owned())
}

/// Splits `NAME` or `NAME:key=value,key=value` into the name and the text of the parameters. A trailing colon without
/// parameters stays part of the name, so that the name is unknown.
pub fn split(text: &str) -> (&str, &str) {
    text.split_once(':').filter(|(_, parameters)| !parameters.is_empty()).unwrap_or((text, ""))
}

/// The validated values of an entry's parameters.
#[derive(Clone, Debug)]
pub struct Values {
    values: Vec<(Parameter, u64)>,
}

impl Values {
    /// Parses `key=value,key=value` for the entry named `of`. Parameters that are not given have their default values.
    ///
    /// # Errors
    /// If a key is unknown or occurs twice, or a value is invalid.
    pub fn parse(of: &str, parameters: &[Parameter], text: &str) -> Result<Self, SpecError> {
        let mut values: Vec<_> =
            parameters.iter().map(|parameter| (*parameter, parameter.kind.default_value())).collect();
        let mut given = Vec::new();
        for assignment in text.split(',').filter(|_| !text.is_empty()) {
            let Some((name, value)) = assignment.split_once('=') else {
                return Err(SpecError::Malformed { of: of.to_owned(), text: assignment.to_owned() });
            };
            let names = || parameters.iter().map(|parameter| parameter.name);
            let Some(index) = names().position(|known| known == name) else {
                return Err(SpecError::UnknownParameter {
                    of: of.to_owned(),
                    name: name.to_owned(),
                    nearest: nearest(name, names()),
                    known: names().map(str::to_owned).collect(),
                });
            };
            if given.contains(&index) {
                return Err(SpecError::Repeated { of: of.to_owned(), name: name.to_owned() });
            }
            given.push(index);
            let kind = parameters[index].kind;
            values[index].1 = kind.parse(value).ok_or_else(|| SpecError::BadValue {
                of: of.to_owned(),
                name: name.to_owned(),
                value: value.to_owned(),
                expected: kind.expected(value),
            })?;
        }
        Ok(Self { values })
    }

    /// Returns the integer, the millionths, or the index of the choice.
    ///
    /// # Panics
    /// If the entry has no such parameter: a bug in the entry's constructor.
    pub fn get(&self, name: &str) -> u64 {
        let value = self.values.iter().find(|(parameter, _)| parameter.name == name);
        value.unwrap_or_else(|| panic!("the entry declares no parameter `{name}`")).1
    }

    /// Returns the chosen word.
    ///
    /// # Panics
    /// If the entry has no such choice: a bug in the entry's constructor.
    pub fn choice(&self, name: &str) -> &'static str {
        let value = self.values.iter().find(|(parameter, _)| parameter.name == name);
        match value {
            Some((Parameter { kind: Kind::Choice(options), .. }, index)) => options[*index as usize],
            _ => panic!("the entry declares no choice `{name}`"),
        }
    }

    /// Returns true if the chosen word is `on`.
    ///
    /// # Panics
    /// If the entry has no such choice: a bug in the entry's constructor.
    pub fn is_on(&self, name: &str) -> bool {
        self.choice(name) == "on"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "size", summary: "", kind: Kind::Integer { min: 2, max: 64, default: 12 } },
        Parameter {
            name: "cut",
            summary: "",
            kind: Kind::Decimal { min: 0, max: 2 * MILLION, default: 600_000 },
        },
        Parameter { name: "refine", summary: "", kind: Kind::Choice(&["full", "partial"]) },
    ];

    fn parse(text: &str) -> Result<Values, SpecError> {
        Values::parse("sector", PARAMETERS, text)
    }

    #[test]
    fn values_are_parsed_or_default() {
        let values = parse("cut=1.25,refine=partial").unwrap();
        assert_eq!(values.get("size"), 12);
        assert_eq!(values.get("cut"), 1_250_000);
        assert_eq!(values.choice("refine"), "partial");
        assert_eq!(parse("").unwrap().choice("refine"), "full");
    }

    #[test]
    fn invalid_specifications_are_rejected_with_a_suggestion() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            message("siez=3"),
            "`sector` has no parameter `siez`: did you mean `size`? (it has size, cut, refine)"
        );
        assert_eq!(
            message("size=65"),
            "`65` is not a value of parameter `size` of `sector`: expected 2 to 64"
        );
        assert_eq!(message("cut=-1"), "`-1` is not a value of parameter `cut` of `sector`: expected 0 to 2");
        assert_eq!(
            message("refine=half"),
            "`half` is not a value of parameter `refine` of `sector`: expected full|partial"
        );
        assert_eq!(message("size"), "`size` is not a parameter: write `sector:key=value,key=value`");
        assert_eq!(message("size=3,size=4"), "parameter `size` of `sector` is given twice");
        assert!(parse("size=3,").is_err());
        for bad in ["", ".", "1.2345678", "1e3", "nan", "99999999999999999999", "1.5.2", " 1"] {
            assert_eq!(parse_decimal(bad), None, "{bad:?}");
        }
        let vision = Kind::Decimal { min: 0, max: 2 * MILLION, default: 0 };
        assert_eq!(vision.expected("1.41421356"), "0 to 2, with at most six decimals");
        assert_eq!(vision.expected("2.5"), "0 to 2");
        assert_eq!(parse_decimal("1.4142"), Some(1_414_200));
        assert_eq!(decimal_text(1_414_200), "1.4142");
        assert_eq!(decimal_text(3 * MILLION), "3");
    }

    #[test]
    fn only_similar_names_are_suggested() {
        assert_eq!(nearest("asatr", ["astar", "wastar"]), Some("astar".to_owned()));
        assert_eq!(nearest("zzzzzz", ["astar", "wastar"]), None);
    }
}
