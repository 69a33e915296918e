//! JSON that people can read too: a line a field, but lists in one line, since a path has hundreds of places.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// A document, with a line feed at its end.
pub(super) fn text(value: &impl Serialize) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Lines::default()))?;
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes)?)
}

/// Lists as serde's own compact format has them, everything else as its pretty one.
#[derive(Default)]
struct Lines(PrettyFormatter<'static>);

impl Formatter for Lines {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn lists_stay_in_one_line() {
        let value = json!({"a": [[1, 2], [3, 4]], "b": {}, "c": {"d": []}, "e": [{"f": 1}, {"f": 2}]});
        let text = super::text(&value).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let expected = "{\n  \"a\": [[1, 2], [3, 4]],\n  \"b\": {},\n  \"c\": {\n    \"d\": []\n  },\n  \
                        \"e\": [{\n    \"f\": 1\n  }, {\n    \"f\": 2\n  }]\n}\n";
        assert_eq!(text, expected);
    }
}
