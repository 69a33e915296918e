//! Scenes: small MAPF instances as ASCII pictures, for tests, examples and documents.
//!
//! `#` or `@` is a wall, `.` is ground, `a`..`z` are agents on ground and `A`..`Z` their goals. The terrain letters of
//! map files are therefore not available. [`draw`] makes pictures of the same kind, so that a failing test shows what
//! happened. Tests of all crates share the named scenes of [`all`].
//!
//! ```
//! use throng_grid::scene::{Scene, draw};
//! use throng_grid::{Grid, MoveRules, Pos};
//!
//! let scene = Scene::parse(
//!     "a.#A
//!      ....",
//! )
//! .unwrap();
//! assert_eq!((scene.agents[0].start, scene.agents[0].goal), (Pos::new(0, 0), Some(Pos::new(3, 0))));
//! let grid = Grid::new(scene.tiles, MoveRules::default());
//! let path = [(0, 0), (1, 1), (2, 1), (3, 0)].map(|(x, y)| grid.cell(Pos::new(x, y)).unwrap());
//! assert_eq!(draw(grid.ground(), [('a', Pos::new(0, 0))], &path), "a.#*\n.**.\n");
//! ```

mod canvas;

pub use canvas::draw;

use crate::movingai::{ParseError, ParseProblem};
use crate::{MAX_SIDE, Pos, Profile, Size, Terrain, Tiles};
use canvas::Canvas;

/// A map with agents and their goals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// Ground and walls.
    pub tiles: Tiles,
    /// The agents, ordered by name.
    pub agents: Vec<SceneAgent>,
}

/// An agent of a [`Scene`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SceneAgent {
    /// Its lowercase letter.
    pub name: char,
    /// The position of the lowercase letter.
    pub start: Pos,
    /// The position of the uppercase letter, `None` if there is none. Never equal to `start`, because a picture has one
    /// letter per cell.
    pub goal: Option<Pos>,
}

impl Scene {
    /// Parses a picture. Blank lines before and after it and whitespace around each row are ignored.
    ///
    /// # Errors
    /// If there is no row, rows differ in length, the grid limit is exceeded, a character is unknown, a letter occurs
    /// twice, or a goal has no agent.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let rows = rows(text)?;
        let (width, height) = (rows[0].text.len() as u32, rows.len() as u32);
        let Some(size) = Size::new(width, height) else {
            let found = width.max(height);
            let problem = if found > MAX_SIDE {
                ParseProblem::Side { found }
            } else {
                ParseProblem::TooManyCells { width, height }
            };
            return Err(rows[0].error(0, problem));
        };
        let mut letters = Letters::default();
        let mut terrain = Vec::with_capacity(size.area());
        for (y, row) in rows.iter().enumerate() {
            for (x, character) in row.text.char_indices() {
                terrain.push(match character {
                    '#' | '@' => Terrain::Wall,
                    '.' => Terrain::Ground,
                    letter if letter.is_ascii_alphabetic() => {
                        letters.insert(letter, row, Pos::new(x as i32, y as i32))?;
                        Terrain::Ground
                    }
                    other => {
                        let expected = "one of . # @ a..z A..Z";
                        let found = other.to_string();
                        return Err(row.error(x, ParseProblem::unexpected(found.as_bytes(), expected)));
                    }
                });
            }
            if row.text.len() != width as usize {
                let found = row.text.len();
                let column = found.min(width as usize);
                return Err(row.error(column, ParseProblem::RowLength { found, width }));
            }
        }
        let tiles = Tiles::from_terrain(size, terrain).expect("every row has the map's width");
        Ok(Self { tiles, agents: letters.agents()? })
    }

    /// Returns one of the named scenes, `None` if there is no scene of that name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = all().iter().find(|(known, _)| *known == name)?;
        Some(Self::parse(text).expect("the tests parse every named scene"))
    }

    /// Returns the agent with the given name.
    pub fn agent(&self, name: char) -> Option<SceneAgent> {
        self.agents.iter().copied().find(|agent| agent.name == name)
    }

    /// Draws the scene; [`Scene::parse`] reads the picture back.
    pub fn draw(&self) -> String {
        let size = self.tiles.size();
        let mut canvas = Canvas::new(size, |cell| Profile::WALKER.enters(self.tiles.terrain()[cell.index()]));
        for agent in &self.agents {
            canvas.label(agent.name, agent.start);
            if let Some(goal) = agent.goal {
                canvas.label(agent.name.to_ascii_uppercase(), goal);
            }
        }
        canvas.finish()
    }
}

/// Returns the named scenes: name and picture.
pub fn all() -> &'static [(&'static str, &'static str)] {
    macro_rules! scenes {
        ($($name:literal),* $(,)?) => {
            &[$(($name, include_str!(concat!("../scenes/", $name, ".txt")))),*]
        };
    }
    scenes![
        "bridge",
        "corridor_head_on",
        "crossing_streams",
        "dead_end",
        "diagonal_gap",
        "door",
        "open_room",
        "pillar_field",
        "spiral",
        "swap_without_room",
        "two_islands",
        "two_rooms_two_doors",
    ]
}

/// A row of a picture and its position in the text.
struct Row<'a> {
    line: u32,
    indent: usize,
    text: &'a str,
}

impl Row<'_> {
    fn error(&self, offset: usize, problem: ParseProblem) -> ParseError {
        ParseError::new(self.line, (self.indent + offset) as u32 + 1, problem)
    }
}

/// Returns the rows from the first to the last line that is not blank.
fn rows(text: &str) -> Result<Vec<Row<'_>>, ParseError> {
    let mut rows: Vec<Row> = (1..)
        .zip(text.lines())
        .map(|(line, raw)| {
            let text = raw.trim();
            Row { line, indent: raw.len() - raw.trim_start().len(), text }
        })
        .skip_while(|row| row.text.is_empty())
        .collect();
    rows.truncate(rows.iter().rposition(|row| !row.text.is_empty()).map_or(0, |last| last + 1));
    if rows.is_empty() {
        return Err(ParseError::new(1, 1, ParseProblem::unexpected(b"", "a row of the picture")));
    }
    Ok(rows)
}

/// The letters found so far, each with its position in the picture and its line and column in the text.
#[derive(Default)]
struct Letters {
    seen: Vec<(char, Pos, (u32, u32))>,
}

impl Letters {
    fn insert(&mut self, letter: char, row: &Row, pos: Pos) -> Result<(), ParseError> {
        if let Some(&(_, _, (line, column))) = self.seen.iter().find(|(known, ..)| *known == letter) {
            return Err(row.error(pos.x as usize, ParseProblem::RepeatedLetter { letter, line, column }));
        }
        self.seen.push((letter, pos, (row.line, (row.indent + pos.x as usize) as u32 + 1)));
        Ok(())
    }

    fn agents(self) -> Result<Vec<SceneAgent>, ParseError> {
        let position = |letter| self.seen.iter().find(|(known, ..)| *known == letter).map(|&(_, pos, _)| pos);
        for &(goal, _, (line, column)) in &self.seen {
            if goal.is_ascii_uppercase() && position(goal.to_ascii_lowercase()).is_none() {
                return Err(ParseError::new(line, column, ParseProblem::GoalWithoutAgent { goal }));
            }
        }
        let agent = |name: char| {
            Some(SceneAgent { name, start: position(name)?, goal: position(name.to_ascii_uppercase()) })
        };
        Ok(('a'..='z').filter_map(agent).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_ordered_by_name_and_have_their_goals() {
        let scene = Scene::parse("\n\n   b.@\n   Ba#  \n \n").unwrap();
        assert_eq!(scene.tiles, Tiles::picture("..#\n..#"));
        let agent = |name, start: (i32, i32), goal: Option<(i32, i32)>| SceneAgent {
            name,
            start: Pos::new(start.0, start.1),
            goal: goal.map(|(x, y)| Pos::new(x, y)),
        };
        assert_eq!(scene.agents, [agent('a', (1, 1), None), agent('b', (0, 0), Some((0, 1)))]);
        assert_eq!(scene.agent('b'), Some(scene.agents[1]));
        assert_eq!(scene.draw(), "b.#\nBa#\n");
    }

    #[test]
    fn parse_errors_name_line_and_column() {
        for (text, expect) in [
            ("", "1:1: found nothing, expected a row of the picture"),
            ("\n  \n", "1:1: found nothing, expected a row of the picture"),
            ("\n ..\n .\n", "3:3: found a row of 1 cells, expected 2"),
            ("..\n...", "2:3: found a row of 3 cells, expected 2"),
            ("..\n\n..", "2:1: found a row of 0 cells, expected 2"),
            ("..\n.~", "2:2: found `~`, expected one of . # @ a..z A..Z"),
            ("..\n. .", "2:2: found ` `, expected one of . # @ a..z A..Z"),
            (".é", "1:2: found `é`, expected one of . # @ a..z A..Z"),
            ("a.\n .a", "2:3: found a second `a`, expected only the one at 1:1"),
            (".B\na.", "1:2: found the goal `B`, expected an agent `b` too"),
        ] {
            assert_eq!(Scene::parse(text).unwrap_err().to_string(), expect, "{text:?}");
        }
        let wide = ".".repeat(70_000);
        assert_eq!(Scene::parse(&wide).unwrap_err().problem, ParseProblem::Side { found: 70_000 });
    }

    #[test]
    fn the_named_scenes_match_the_folder_and_parse() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
        files.sort();
        let names: Vec<String> = all().iter().map(|(name, _)| format!("{name}.txt")).collect();
        assert_eq!(names, files);
        for (name, text) in all() {
            let scene = Scene::named(name).unwrap();
            assert_eq!(scene.draw(), *text, "{name}");
            assert!(
                !scene.agents.is_empty() && scene.agents.iter().all(|agent| agent.goal.is_some()),
                "{name}"
            );
        }
        assert_eq!(Scene::named("no such scene"), None);
    }
}
