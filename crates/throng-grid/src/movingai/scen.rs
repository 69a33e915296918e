//! Scenario files: a version line, then one problem per line with the length of its shortest path.

use std::fmt::Write;

use super::lines::{Field, Line, Lines};
use super::{ParseError, ParseProblem};
use crate::{Ground, Pos, Size};

/// The problems of a scenario file, in file order.
///
/// Some published files contain problems that cannot be solved on their map: problems of the Dragon Age set without a
/// path, listed with length 0, and problems of the older WarCraft III edition with a start or goal on a blocked cell.
/// [`Scenario::usable`] filters them out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scenario {
    /// The problems, in file order.
    pub problems: Vec<Problem>,
}

/// One line of a scenario file: a query and the length of its shortest path.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The group of problems of similar length.
    pub bucket: u32,
    /// The file name of the map: the last component of the path in the file.
    pub map: String,
    /// The size of the map according to the file.
    pub size: Size,
    /// The start; inside `size`.
    pub start: Pos,
    /// The goal; inside `size`.
    pub goal: Pos,
    /// The length of a shortest path according to the file; a diagonal step counts √2.
    pub length: f64,
    /// The line number in the file, from 1.
    pub line: u32,
}

/// The reason why a problem cannot be used on a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The map's size differs from the problem's.
    #[error("the problem is for a map of another size")]
    OtherSize,
    /// The start cell is not free.
    #[error("the start is blocked")]
    StartBlocked,
    /// The goal cell is not free.
    #[error("the goal is blocked")]
    GoalBlocked,
    /// Start and goal are free, but in different components.
    #[error("no path leads from start to goal")]
    NoPath,
}

impl Problem {
    /// Returns the reason why the problem cannot be used on this map, `None` if it can be used.
    ///
    /// The listed length is not checked: it holds for one set of movement rules and costs only.
    pub fn flaw(&self, ground: &Ground) -> Option<Flaw> {
        if ground.size() != self.size {
            return Some(Flaw::OtherSize);
        }
        let free = |pos| ground.cell(pos).filter(|&cell| ground.is_free(cell));
        match (free(self.start), free(self.goal)) {
            (None, _) => Some(Flaw::StartBlocked),
            (_, None) => Some(Flaw::GoalBlocked),
            (Some(start), Some(goal)) => (!ground.reachable(start, goal)).then_some(Flaw::NoPath),
        }
    }
}

impl Scenario {
    /// Returns the problems that can be used on this map.
    pub fn usable(&self, ground: &Ground) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.flaw(ground).is_none())
    }
}

/// Parses a `.scen` file.
///
/// The first line is `version 1` or `version 1.x`. Fields are separated by tabs or, in lines without a tab, by blanks.
/// Lines end with LF or CRLF; the line end of the last line is optional. Blank lines may follow the last problem.
///
/// # Errors
/// If the first line is different, a line does not have nine fields, a number is negative, not finite or too large, a
/// size exceeds the grid limit, or a start or goal lies outside the size on its line.
pub fn read_scenario(bytes: &[u8]) -> Result<Scenario, ParseError> {
    let mut lines = Lines::new(bytes);
    read_version(lines.next().expect("an empty text has one line"))?;
    let mut problems = Vec::new();
    while let Some(line) = lines.next() {
        if line.is_blank() {
            if lines.next_content().is_some() {
                return Err(line.error(1, ParseProblem::FieldCount { found: 0 }));
            }
            break;
        }
        problems.push(read_problem(line)?);
    }
    Ok(Scenario { problems })
}

/// Returns the content of a `.scen` file, separated by tabs. [`read_scenario`] returns the same problems with their new
/// line numbers, if no map name contains a tab, a line end or a slash, or starts or ends with a blank.
pub fn write_scenario(scenario: &Scenario) -> String {
    let mut text = "version 1\n".to_owned();
    for problem in &scenario.problems {
        let Problem { bucket, map, size, start, goal, length, line: _ } = problem;
        writeln!(
            text,
            "{bucket}\t{map}\t{}\t{}\t{}\t{}\t{}\t{}\t{length:?}",
            size.width(),
            size.height(),
            start.x,
            start.y,
            goal.x,
            goal.y,
        )
        .expect("writing to a string cannot fail");
    }
    text
}

fn read_version(line: Line) -> Result<(), ParseError> {
    let fields: Vec<&[u8]> = line.fields().map(|field| field.text).collect();
    match fields[..] {
        [b"version", b"1"] => Ok(()),
        [b"version", [b'1', b'.', minor @ ..]]
            if !minor.is_empty() && minor.iter().all(u8::is_ascii_digit) =>
        {
            Ok(())
        }
        _ => Err(line.error(1, ParseProblem::unexpected(line.text, "`version 1` or `version 1.x`"))),
    }
}

fn read_problem(line: Line) -> Result<Problem, ParseError> {
    let fields: Vec<Field> = line.fields().collect();
    let &[bucket, map, width, height, start_x, start_y, goal_x, goal_y, length] = &fields[..] else {
        let problem = ParseProblem::FieldCount { found: fields.len() };
        return Err(match fields.get(9) {
            Some(tenth) => tenth.error(problem),
            None => line.error(line.text.len() + 1, problem),
        });
    };
    let size = read_size(width, height)?;
    Ok(Problem {
        bucket: bucket.whole_number()?,
        map: file_name(map)?,
        size,
        start: Pos::new(coordinate(start_x, size.width())?, coordinate(start_y, size.height())?),
        goal: Pos::new(coordinate(goal_x, size.width())?, coordinate(goal_y, size.height())?),
        length: length.length()?,
        line: line.number,
    })
}

fn read_size(width: Field, height: Field) -> Result<Size, ParseError> {
    let (columns, rows) = (width.side()?, height.side()?);
    Size::new(columns, rows)
        .ok_or_else(|| height.error(ParseProblem::TooManyCells { width: columns, height: rows }))
}

fn coordinate(field: Field, side: u32) -> Result<i32, ParseError> {
    let found = field.whole_number()?;
    if found < side { Ok(found as i32) } else { Err(field.error(ParseProblem::OutsideMap { found, side })) }
}

/// Returns the last component of a path with either separator.
fn file_name(field: Field) -> Result<String, ParseError> {
    let name = field.str()?.rsplit(['/', '\\']).next().unwrap_or_default().trim_matches(' ');
    if name.is_empty() { Err(field.unexpected("a map's file name")) } else { Ok(name.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MoveRules, Tiles};

    const LINE: &str = "3\tmaps/dao/den.map\t5\t4\t0\t1\t4\t3\t6.24264069";

    #[test]
    fn separators_line_ends_and_directories_are_ignored() {
        let plain = read_scenario(format!("version 1\n{LINE}\n").as_bytes()).unwrap();
        let problem = &plain.problems[0];
        assert_eq!((problem.bucket, problem.map.as_str(), problem.line), (3, "den.map", 2));
        assert_eq!((problem.size.width(), problem.size.height()), (5, 4));
        assert_eq!((problem.start, problem.goal), (Pos::new(0, 1), Pos::new(4, 3)));
        assert!((problem.length - 6.242_640_69).abs() < 1e-12);
        for other in [
            format!("version 1.0\n{}", LINE.replace('\t', " ")),
            format!("version 1.1\r\n{}\r\n\r\n \n", LINE.replace('/', "\\")),
            format!("version\t1\n{}   \n", LINE.replace('\t', "   ")),
        ] {
            assert_eq!(read_scenario(other.as_bytes()).as_ref(), Ok(&plain), "{other:?}");
        }
        assert_eq!(read_scenario(write_scenario(&plain).as_bytes()).unwrap(), plain);
        assert_eq!(read_scenario(b"version 1").unwrap(), Scenario::default());
    }

    #[test]
    fn map_names_may_contain_blanks_in_tab_separated_lines() {
        let text = format!("version 1\n{}", LINE.replace("/den", "/ the den"));
        let scenario = read_scenario(text.as_bytes()).unwrap();
        assert_eq!(scenario.problems[0].map, "the den.map");
        assert_eq!(read_scenario(write_scenario(&scenario).as_bytes()).unwrap(), scenario);
    }

    #[test]
    fn other_versions_are_rejected() {
        for first in
            ["", "version", "version 2", "version 1.", "version 1.x", "version 10", "version 1 1", LINE]
        {
            let error = read_scenario(format!("{first}\n{LINE}").as_bytes()).unwrap_err();
            assert_eq!((error.line, error.column), (1, 1));
            assert!(error.to_string().ends_with("expected `version 1` or `version 1.x`"), "{error}");
        }
    }

    #[test]
    fn problem_errors_name_line_and_column() {
        let number = "expected a whole number from 0 to 4294967295";
        for (line, expect) in [
            ("0 m 5 4 0 1 4 3", "2:16: found 8 fields, expected 9: bucket".to_owned()),
            ("0 m 5 4 0 1 4 3 6 7 8", "2:19: found 11 fields, expected 9".to_owned()),
            ("\n0 m 5 4 0 1 4 3 6", "2:1: found 0 fields, expected 9".to_owned()),
            ("0\tm\t5\t4\t\t1\t4\t3\t6", format!("2:9: found nothing, {number}")),
            ("-1 m 5 4 0 1 4 3 6", format!("2:1: found `-1`, {number}")),
            ("4294967296 m 5 4 0 1 4 3 6", format!("2:1: found `4294967296`, {number}")),
            ("0 a/ 5 4 0 1 4 3 6", "2:3: found `a/`, expected a map's file name".to_owned()),
            ("0 m 0 4 0 1 4 3 6", "2:5: found a side of 0 cells, expected 1 to 65535".to_owned()),
            ("0 m 9999 9999 0 1 4 3 6", "2:10: found a map of 9999x9999 cells, expected at most".to_owned()),
            ("0 m 5 4 5 1 4 3 6", "2:9: found the coordinate 5, expected less than 5".to_owned()),
            ("0 m 5 4 0 1 4 4 6", "2:15: found the coordinate 4, expected less than 4".to_owned()),
            ("0 m 5 4 0 1.5 4 3 6", format!("2:11: found `1.5`, {number}")),
            ("0 m 5 4 0 1 4 3 -6", "2:17: found `-6`, expected a finite length".to_owned()),
            ("0 m 5 4 0 1 4 3 nan", "2:17: found `nan`, expected a finite length".to_owned()),
            ("0 m 5 4 0 1 4 3 inf", "2:17: found `inf`, expected a finite length".to_owned()),
            ("0 m 5 4 0 1 4 3 1e999", "2:17: found `1e999`, expected a finite length".to_owned()),
        ] {
            let error = read_scenario(format!("version 1\n{line}").as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&expect), "{line:?}: {error}");
        }
    }

    #[test]
    fn flaws_are_distinguished() {
        let grid = Grid::new(Tiles::picture("..#.\n..#."), MoveRules::default());
        let text = "version 1\n0 m 4 2 0 0 1 1 1.4\n0 m 4 3 0 0 1 1 1.4\n0 m 4 2 2 0 2 1 1\n\
                    0 m 4 2 0 0 2 1 1\n0 m 4 2 0 0 3 1 0\n";
        let scenario = read_scenario(text.as_bytes()).unwrap();
        let flaw = |problem: &Problem| Some((problem.line, problem.flaw(grid.ground())?));
        let flaws: Vec<_> = scenario.problems.iter().filter_map(flaw).collect();
        assert_eq!(
            flaws,
            [(3, Flaw::OtherSize), (4, Flaw::StartBlocked), (5, Flaw::GoalBlocked), (6, Flaw::NoPath)]
        );
        assert_eq!(scenario.usable(grid.ground()).map(|problem| problem.line).collect::<Vec<_>>(), [2]);
    }
}
