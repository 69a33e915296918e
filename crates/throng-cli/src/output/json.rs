//! Readable JSON: one line per field, but lists on one line, because a path has hundreds of positions.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Returns the document with a trailing line feed.
pub(super) fn text(value: &impl Serialize) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, CompactLists::default()))?;
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes)?)
}

/// Formats lists as serde's compact formatter does, and everything else as its pretty formatter does.
#[derive(Default)]
struct CompactLists(PrettyFormatter<'static>);

impl Formatter for CompactLists {
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
    fn lists_stay_on_one_line() {
        let value = json!({"a": [[1, 2], [3, 4]], "b": {}, "c": {"d": []}, "e": [{"f": 1}, {"f": 2}]});
        let text = super::text(&value).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let expected = "{\n  \"a\": [[1, 2], [3, 4]],\n  \"b\": {},\n  \"c\": {\n    \"d\": []\n  },\n  \
                        \"e\": [{\n    \"f\": 1\n  }, {\n    \"f\": 2\n  }]\n}\n";
        assert_eq!(text, expected);
    }
}
