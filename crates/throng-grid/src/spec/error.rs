//! The errors of specifications: unknown names and keys, malformed and invalid values.

use super::nearest;

/// The reason why a specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The registry has no entry of this name.
    #[error("there is no {what} `{name}`{}", hint(.nearest.as_ref()))]
    UnknownName {
        /// What the registry holds, such as "generator".
        what: &'static str,
        /// The given name.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<String>,
    },
    /// The entry has no such parameter.
    #[error("`{of}` has no parameter `{name}`{}{}", hint(.nearest.as_ref()), keys(.known))]
    UnknownParameter {
        /// The entry's name.
        of: String,
        /// The given key.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<String>,
        /// The keys of the entry.
        known: Vec<String>,
    },
    /// A parameter is not written as `key=value`.
    #[error("`{text}` is not a parameter: write `{of}:key=value,key=value`")]
    Malformed {
        /// The entry's name.
        of: String,
        /// The given text.
        text: String,
    },
    /// A parameter occurs twice.
    #[error("parameter `{name}` of `{of}` is given twice")]
    Repeated {
        /// The entry's name.
        of: String,
        /// The key.
        name: String,
    },
    /// A value is invalid for its parameter.
    #[error("`{value}` is not a value of parameter `{name}` of `{of}`: expected {expected}")]
    BadValue {
        /// The entry's name.
        of: String,
        /// The key.
        name: String,
        /// The given text.
        value: String,
        /// The valid values.
        expected: String,
    },
}

impl SpecError {
    /// Returns the error for an unknown name, with the most similar of the known names.
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
