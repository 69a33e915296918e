//! Map files: four header lines, then one line of characters per row of the map.

use super::lines::{Field, Line, Lines};
use super::{ParseError, ParseProblem};
use crate::{Size, Terrain, Tiles};

/// Parses a `.map` file.
///
/// `type octile`, `height` and `width` precede `map` in any order. Lines end with LF or CRLF; the line end of the last
/// line is optional. Blank lines may follow the last row.
///
/// # Errors
/// If header lines are missing, repeated or unknown, a size exceeds [`MAX_SIDE`](crate::MAX_SIDE) or
/// [`MAX_CELLS`](crate::MAX_CELLS), the rows do not match the size, or a character is unknown.
pub fn read_map(bytes: &[u8]) -> Result<Tiles, ParseError> {
    let mut lines = Lines::new(bytes);
    let size = read_header(&mut lines)?;
    // A small file may claim a huge map, so the length of the input bounds the reserved memory.
    let mut terrain = Vec::with_capacity(size.area().min(lines.bytes_left()));
    for row in 0..size.height() {
        let missing = ParseProblem::MissingRows { found: row, height: size.height() };
        let Some(line) = lines.next() else { return Err(lines.error_at_end(missing)) };
        if line.is_blank() && lines.next_content().is_none() {
            return Err(line.error(1, missing));
        }
        read_row(line, size.width(), &mut terrain)?;
    }
    if let Some(line) = lines.next_content() {
        let found = super::excerpt(line.text);
        return Err(line.error(1, ParseProblem::AfterLastRow { found, height: size.height() }));
    }
    Ok(Tiles::from_terrain(size, terrain).expect("every row has the map's width"))
}

/// Returns the content of a `.map` file; [`read_map`] returns the same tiles.
pub fn write_map(tiles: &Tiles) -> Vec<u8> {
    let size = tiles.size();
    let mut bytes =
        format!("type octile\nheight {}\nwidth {}\nmap\n", size.height(), size.width()).into_bytes();
    bytes.reserve(size.area() + size.height() as usize);
    for row in tiles.terrain().chunks_exact(size.width() as usize) {
        bytes.extend(row.iter().map(|terrain| terrain.to_char()));
        bytes.push(b'\n');
    }
    bytes
}

fn read_header(lines: &mut Lines) -> Result<Size, ParseError> {
    const EXPECTED: &str = "`type octile`, `height`, `width` or `map`";
    let (mut octile, mut height, mut width) = (None, None, None);
    for line in lines.by_ref() {
        let mut fields = line.fields();
        let keyword = fields.next().unwrap_or_default();
        match keyword.text {
            b"type" => set(&mut octile, "type", line, |line| {
                let kind = value(line, "octile")?;
                if kind.text == b"octile" { Ok(()) } else { Err(kind.unexpected("octile")) }
            })?,
            b"height" => set(&mut height, "height", line, |line| value(line, "a number of cells")?.side())?,
            b"width" => set(&mut width, "width", line, |line| value(line, "a number of cells")?.side())?,
            b"map" => {
                if let Some(more) = fields.next() {
                    return Err(more.unexpected("the end of the line"));
                }
                let missing = |name| keyword.error(ParseProblem::MissingHeader { name });
                octile.ok_or_else(|| missing("type"))?;
                let height = height.ok_or_else(|| missing("height"))?;
                let width = width.ok_or_else(|| missing("width"))?;
                return Size::new(width, height)
                    .ok_or_else(|| keyword.error(ParseProblem::TooManyCells { width, height }));
            }
            _ => return Err(line.error(1, ParseProblem::unexpected(line.text, EXPECTED))),
        }
    }
    Err(lines.error_at_end(ParseProblem::unexpected(b"", EXPECTED)))
}

/// Parses the value of a header line into a slot. A filled slot is an error.
fn set<T>(
    slot: &mut Option<T>,
    name: &'static str,
    line: Line,
    read: impl FnOnce(Line) -> Result<T, ParseError>,
) -> Result<(), ParseError> {
    if slot.is_some() {
        return Err(line.error(1, ParseProblem::RepeatedHeader { name }));
    }
    *slot = Some(read(line)?);
    Ok(())
}

/// Returns the only field after the keyword of a header line.
fn value<'a>(line: Line<'a>, expected: &'static str) -> Result<Field<'a>, ParseError> {
    let mut fields = line.fields().skip(1);
    let value = fields
        .next()
        .ok_or_else(|| line.error(line.text.len() + 1, ParseProblem::unexpected(b"", expected)))?;
    match fields.next() {
        Some(more) => Err(more.unexpected("the end of the line")),
        None => Ok(value),
    }
}

/// Reads a row. It looks up each cell twice, to check and to copy: two simple loops take a third of the time of one loop
/// with an early exit.
fn read_row(line: Line, width: u32, terrain: &mut Vec<Terrain>) -> Result<(), ParseError> {
    let row = &line.text[..line.text.len().min(width as usize)];
    if let Some(unknown) = row.iter().position(|&character| Terrain::from_char(character).is_none()) {
        // Quote the whole character if the file is UTF-8.
        let length = line.text[unknown..].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        let found = &line.text[unknown..unknown + length.map_or(1, char::len_utf8)];
        let problem = ParseProblem::unexpected(found, "one of . G S W T @ O");
        return Err(line.error(unknown + 1, problem));
    }
    if line.text.len() != width as usize {
        let problem = ParseProblem::RowLength { found: line.text.len(), width };
        return Err(line.error(row.len() + 1, problem));
    }
    terrain.extend(row.iter().map(|&character| Terrain::from_char(character).unwrap_or_default()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_tiles;

    fn error_of(text: &str) -> String {
        read_map(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn maps_are_written_back_unchanged() {
        let text = "type octile\nheight 2\nwidth 7\nmap\n.GSWT@O\nO@TWSG.\n";
        assert_eq!(write_map(&read_map(text.as_bytes()).unwrap()), text.as_bytes());
        for seed in 0..20 {
            let tiles = random_tiles(1 + seed * 3, 40 - seed, 30, u64::from(seed));
            assert_eq!(read_map(&write_map(&tiles)).unwrap(), tiles);
        }
    }

    #[test]
    fn line_ends_header_order_and_trailing_blank_lines_are_ignored() {
        let plain = read_map(b"type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n").unwrap();
        for other in [
            "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n.@.\r\n...\r\n",
            "type octile\nheight 2\nwidth 3\nmap\n.@.\n...",
            "type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n\n \r\n\n",
            "width 3\nheight\t2\ntype  octile \nmap\n.@.\n...\n",
        ] {
            assert_eq!(read_map(other.as_bytes()).as_ref(), Ok(&plain), "{other:?}");
        }
    }

    #[test]
    fn header_errors_name_line_and_column() {
        for (text, expect) in [
            ("", "1:1: found nothing, expected `type octile`, `height`, `width` or `map`"),
            ("type octile", "1:12: found nothing, expected `type octile`, `height`, `width` or `map`"),
            ("type quad\n", "1:6: found `quad`, expected octile"),
            ("type\n", "1:5: found nothing, expected octile"),
            (
                "type octile\n\nheight 2",
                "2:1: found nothing, expected `type octile`, `height`, `width` or `map`",
            ),
            ("type octile\nheight 2\nheight 2\n", "3:1: found a second `height` line, expected one"),
            ("type octile\nwidth 2\nmap\n", "3:1: found `map`, expected a `height` line before it"),
            ("height 2\nwidth 2\nmap\n", "3:1: found `map`, expected a `type` line before it"),
            ("height -2\n", "1:8: found `-2`, expected a whole number from 0 to 4294967295"),
            ("height +2\n", "1:8: found `+2`, expected a whole number from 0 to 4294967295"),
            ("height 4294967296\n", "1:8: found `4294967296`, expected a whole number from 0 to 4294967295"),
            ("height 2 3\n", "1:10: found `3`, expected the end of the line"),
            ("width 0\n", "1:7: found a side of 0 cells, expected 1 to 65535"),
            ("width 65536\n", "1:7: found a side of 65536 cells, expected 1 to 65535"),
            (
                "type octile\nheight 65535\nwidth 65535\nmap\n",
                "4:1: found a map of 65535x65535 cells, expected at most 16777216 in all",
            ),
        ] {
            assert_eq!(error_of(text), expect, "{text:?}");
        }
    }

    #[test]
    fn row_errors_name_line_and_column() {
        for (rows, expect) in [
            ("", "5:1: found 0 rows, expected 2"),
            ("...", "5:4: found 1 rows, expected 2"),
            ("...\n", "6:1: found 1 rows, expected 2"),
            ("...\n\n\n", "6:1: found 1 rows, expected 2"),
            ("...\n\n...\n", "6:1: found a row of 0 cells, expected 3"),
            ("...\n..\n", "6:3: found a row of 2 cells, expected 3"),
            ("...\n....\n", "6:4: found a row of 4 cells, expected 3"),
            ("...\n... \n", "6:4: found a row of 4 cells, expected 3"),
            (".é.\n...\n", "5:2: found `é`, expected one of . G S W T @ O"),
            ("..\r\r\n...\n", "5:3: found `\\r`, expected one of . G S W T @ O"),
            ("...\n...\n...\n", "7:1: found `...` after the last of 2 rows, expected the end of the file"),
            ("...\n...\n\n\nx", "9:1: found `x` after the last of 2 rows, expected the end of the file"),
        ] {
            assert_eq!(error_of(&format!("type octile\nheight 2\nwidth 3\nmap\n{rows}")), expect, "{rows:?}");
        }
    }
}
