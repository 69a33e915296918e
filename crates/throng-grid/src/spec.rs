//! Names with parameters, as people write them: `wastar:weight=2`, `maze:corridor=2,loops=5`.
//!
//! A registry describes its entries and their parameters as data; this module turns a text into an entry and its
//! checked values. Unknown names and keys are errors that suggest the nearest known one.

use std::fmt;

/// Decimal values are counted in millionths.
pub const MILLION: u64 = 1_000_000;

/// A parameter of a registered search, generator, or whatever else has a name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

/// The values that a parameter takes, and the one it has when it is not given.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// When not given.
        default: u64,
    },
    /// A decimal number, in millionths.
    Decimal {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// When not given.
        default: u64,
    },
    /// One of several words; the first when not given.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// The value when not given, as people write it.
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

    /// A value of this kind: the number, the millionths, or the choice's place in the list.
    fn parse(self, text: &str) -> Option<u64> {
        match self {
            Self::Integer { min, max, .. } => text.parse().ok().filter(|value| (min..=max).contains(value)),
            Self::Decimal { min, max, .. } => parse_decimal(text).filter(|value| (min..=max).contains(value)),
            Self::Choice(options) => options.iter().position(|option| *option == text).map(|i| i as u64),
        }
    }

    /// What could have been written instead of a text that is no value of this kind.
    fn expected_instead_of(self, text: &str) -> String {
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

/// Parses up to six decimals exactly; `None` for anything else.
fn parse_decimal(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    if fraction.len() > 6 || !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty())
    {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    whole.checked_mul(MILLION)?.checked_add(fraction)
}

/// Millionths as people write them.
pub fn decimal_text(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / MILLION, millionths % MILLION);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Why a text names nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No entry has this name.
    #[error("there is no {what} `{name}`{}", hint(.nearest.as_ref()))]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// The entry has no such parameter.
    #[error("`{of}` has no parameter `{name}`{}{}", hint(.nearest.as_ref()), keys(.known))]
    UnknownParameter {
        /// The entry.
        of: String,
        /// The key given.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
        /// The keys it has.
        known: Vec<String>,
    },
    /// A parameter is not written as `key=value`.
    #[error("`{text}` is not a parameter: write `{of}:key=value,key=value`")]
    Malformed {
        /// The entry.
        of: String,
        /// What was written.
        text: String,
    },
    /// A parameter is given twice.
    #[error("parameter `{name}` of `{of}` is given twice")]
    Repeated {
        /// The entry.
        of: String,
        /// The key.
        name: String,
    },
    /// A value is not one of those that the parameter takes.
    #[error("`{value}` is not a value of parameter `{name}` of `{of}`: expected {expected}")]
    BadValue {
        /// The entry.
        of: String,
        /// The key.
        name: String,
        /// What was written.
        value: String,
        /// What could have been.
        expected: String,
    },
}

impl SpecError {
    /// There is no `what` of this name among those known.
    pub fn unknown<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::UnknownName { what, name: name.to_owned(), nearest: nearest(name, known) }
    }
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

fn keys(names: &[String]) -> String {
    if names.is_empty() { " (it has none)".to_owned() } else { format!(" (it has {})", names.join(", ")) }
}

/// The known name nearest to a misspelt one, if one is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let closest = known.into_iter().map(|known| (strsim::damerau_levenshtein(name, known), known)).min()?;
    (closest.0 <= 1 + closest.1.len() / 3).then(|| closest.1.to_owned())
}

/// A name and its parameters as written: `NAME` or `NAME:key=value,key=value`. A colon with nothing behind it stays
/// part of the name, which nothing has then.
pub fn split(text: &str) -> (&str, &str) {
    text.split_once(':').filter(|(_, parameters)| !parameters.is_empty()).unwrap_or((text, ""))
}

/// The checked values of an entry's parameters.
#[derive(Clone, Debug)]
pub struct Values {
    values: Vec<(Parameter, u64)>,
}

impl Values {
    /// Reads `key=value,key=value` for an entry; what is not given has its default.
    ///
    /// # Errors
    /// When a key is unknown or given twice, or a value is none of the parameter's.
    pub fn parse(of: &str, parameters: &[Parameter], text: &str) -> Result<Self, SpecError> {
        let mut values: Vec<_> =
            parameters.iter().map(|parameter| (*parameter, parameter.kind.default_value())).collect();
        let mut given = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(SpecError::Malformed { of: of.to_owned(), text: part.to_owned() });
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
                expected: kind.expected_instead_of(value),
            })?;
        }
        Ok(Self { values })
    }

    /// The number, the millionths, or the choice's place in its list.
    ///
    /// # Panics
    /// When the registry's entry has no such parameter: a bug of its constructor.
    pub fn get(&self, name: &str) -> u64 {
        let value = self.values.iter().find(|(parameter, _)| parameter.name == name);
        value.unwrap_or_else(|| panic!("the entry declares no parameter `{name}`")).1
    }

    /// The word chosen.
    ///
    /// # Panics
    /// When the registry's entry has no such choice: a bug of its constructor.
    pub fn choice(&self, name: &str) -> &'static str {
        let value = self.values.iter().find(|(parameter, _)| parameter.name == name);
        match value {
            Some((Parameter { kind: Kind::Choice(options), .. }, index)) => options[*index as usize],
            _ => panic!("the entry declares no choice `{name}`"),
        }
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
    fn values_are_those_given_or_the_defaults() {
        let values = parse("cut=1.25,refine=partial").unwrap();
        assert_eq!(values.get("size"), 12);
        assert_eq!(values.get("cut"), 1_250_000);
        assert_eq!(values.choice("refine"), "partial");
        assert_eq!(parse("").unwrap().choice("refine"), "full");
    }

    #[test]
    fn mistakes_are_refused_with_advice() {
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
        assert_eq!(vision.expected_instead_of("1.41421356"), "0 to 2, with at most six decimals");
        assert_eq!(vision.expected_instead_of("2.5"), "0 to 2");
        assert_eq!(parse_decimal("1.4142"), Some(1_414_200));
        assert_eq!(decimal_text(1_414_200), "1.4142");
        assert_eq!(decimal_text(3 * MILLION), "3");
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("asatr", ["astar", "wastar"]), Some("astar".to_owned()));
        assert_eq!(nearest("zzzzzz", ["astar", "wastar"]), None);
    }
}
