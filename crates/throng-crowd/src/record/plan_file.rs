//! Plans as text, in the format that mapf-visualizer draws and the solvers around it (PIBT and its kin) write.
//!
//! After any lines `key=value`, the last of them `solution=`, each line is a tick: its number, a colon, and the place
//! of every agent as `(x,y),` with `(0,0)` in the upper left corner. Solvers that turn their agents write
//! `(x,y,X_PLUS),`; the orientation is read and dropped, for here agents have none.
//!
//! Format: <https://github.com/Kei18/mapf-visualizer>, "Input format of planning result".

use std::fmt::Write as _;

use throng_grid::{Grid, Pos, ProfileId};

use crate::check::map::CheckMap;
use crate::snapshot::MapParts;
use crate::{AgentId, Fault, PlaybackError, Recording, Violation, World};

/// Where every agent is at every tick.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanFile {
    /// The places of all agents, a tick each, beginning with where they start.
    pub ticks: Vec<Vec<Pos>>,
}

/// Why a recording has no plan file, or a text is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// Agents came or went, which the format cannot tell.
    #[error("tick {tick} has other agents than the first; a plan file needs the same ones throughout")]
    AgentsChange {
        /// When.
        tick: u64,
    },
    /// The recording cannot be played.
    #[error(transparent)]
    Play(#[from] PlaybackError),
    /// A line is not what it should be.
    #[error("line {line}, column {column}: expected {expected}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in bytes.
        column: usize,
        /// What should be there.
        expected: &'static str,
    },
    /// There is no tick at all.
    #[error("the plan has no tick: expected lines like 0:(5,16),(21,29),")]
    Empty,
}

impl PlanFile {
    /// The plan that a recording carries out.
    ///
    /// # Errors
    /// When the agents are not the same all the time, or the recording breaks the rules.
    pub fn of(recording: &Recording) -> Result<Self, PlanFileError> {
        let mut playback = recording.play()?;
        // Inputs before the first tick set the stage, so that the plan starts where they leave the agents.
        let mut stage = recording.play()?;
        stage.prepare()?;
        let crowd = stage.world().agents().to_vec();
        let places = |world: &World| crowd.iter().filter_map(|&agent| world.position(agent)).collect();
        let mut ticks = vec![places(stage.world())];
        while playback.step()? {
            let world = playback.world();
            if world.agents() != crowd {
                return Err(PlanFileError::AgentsChange { tick: world.ticks() });
            }
            ticks.push(places(world));
        }
        Ok(Self { ticks })
    }

    /// The plan as text.
    pub fn write(&self) -> String {
        let agents = self.ticks.first().map_or(0, Vec::len);
        let makespan = self.ticks.len().saturating_sub(1);
        let mut text = format!("agents={agents}\nmakespan={makespan}\nsolution=\n");
        for (tick, places) in self.ticks.iter().enumerate() {
            let _ = write!(text, "{tick}:");
            for place in places {
                let _ = write!(text, "({},{}),", place.x, place.y);
            }
            text.push('\n');
        }
        text
    }

    /// Reads a plan. Lines before the first tick are about the plan and not read; after it there are only ticks.
    ///
    /// # Errors
    /// When a line is not what it should be, ticks are not numbered from 0, or one has another number of agents.
    pub fn read(text: &str) -> Result<Self, PlanFileError> {
        let mut ticks: Vec<Vec<Pos>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end();
            let mut parser = Parser { line: number + 1, whole: line, rest: line };
            let about = ticks.is_empty() && line.contains('=');
            if line.is_empty() || about {
                continue;
            }
            if parser.number("the number of the tick")? != ticks.len() as u64 {
                parser.rest = line;
                return Err(parser.expected("the number of the next tick"));
            }
            parser.skip(":", "a colon")?;
            let mut places = Vec::new();
            while !parser.rest.is_empty() {
                places.push(parser.place()?);
            }
            if ticks.first().is_some_and(|first: &Vec<Pos>| first.len() != places.len()) {
                return Err(parser.expected("as many places as in the first tick"));
            }
            ticks.push(places);
        }
        if ticks.is_empty() { Err(PlanFileError::Empty) } else { Ok(Self { ticks }) }
    }

    /// Checks every tick on a map, with code that planners, referee and grid do not share: agents on free cells of
    /// their profile, legal steps, no shared cell, no swap.
    ///
    /// # Panics
    /// When the grid has no such profile.
    pub fn check(&self, grid: &Grid, profile: ProfileId) -> Vec<Violation> {
        let (map, profile) = (CheckMap::new(&MapParts::of(grid)), usize::from(profile.0));
        let mut violations = Vec::new();
        let mut held = std::collections::BTreeMap::new();
        let mut before: &[Pos] = &[];
        for (tick, places) in (0..).zip(&self.ticks) {
            let mut holds = std::collections::BTreeMap::new();
            for (i, &to) in places.iter().enumerate() {
                let from = before.get(i).copied().unwrap_or(to);
                let mut find = |fault| {
                    violations.push(Violation { tick, agent: Some(AgentId(i as u32)), fault });
                };
                let (a, b) = ((from.x, from.y), (to.x, to.y));
                let fine = if a == b { map.free(profile, b) } else { map.legal(profile, a, b) };
                if !fine {
                    find(Fault::IllegalStep { from, to });
                }
                if holds.insert(b, i).is_some() {
                    find(Fault::SharedCell);
                }
                if let Some(&other) = held.get(&b)
                    && other < i
                    && places[other] == from
                {
                    find(Fault::Swap(AgentId(other as u32)));
                }
            }
            (held, before) = (holds, places);
        }
        violations
    }
}

struct Parser<'a> {
    line: usize,
    whole: &'a str,
    rest: &'a str,
}

impl Parser<'_> {
    fn expected(&self, expected: &'static str) -> PlanFileError {
        PlanFileError::Syntax { line: self.line, column: self.whole.len() - self.rest.len() + 1, expected }
    }

    fn skip(&mut self, token: &str, expected: &'static str) -> Result<(), PlanFileError> {
        self.rest = self.rest.strip_prefix(token).ok_or_else(|| self.expected(expected))?;
        Ok(())
    }

    fn number(&mut self, expected: &'static str) -> Result<u64, PlanFileError> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().map_err(|_| self.expected(expected))?;
        self.rest = &self.rest[digits..];
        Ok(number)
    }

    /// A coordinate inside the largest map.
    fn coordinate(&mut self, expected: &'static str) -> Result<i32, PlanFileError> {
        let before = self.rest;
        let number = self.number(expected)?;
        if number > u64::from(throng_grid::MAX_SIDE) {
            self.rest = before;
            return Err(self.expected(expected));
        }
        Ok(number as i32)
    }

    /// `(x,y),` or `(x,y,X_PLUS),`.
    fn place(&mut self) -> Result<Pos, PlanFileError> {
        self.skip("(", "a parenthesis")?;
        let x = self.coordinate("a column")?;
        self.skip(",", "a comma")?;
        let y = self.coordinate("a row")?;
        for orientation in [",X_PLUS", ",X_MINUS", ",Y_PLUS", ",Y_MINUS"] {
            self.rest = self.rest.strip_prefix(orientation).unwrap_or(self.rest);
        }
        self.skip(")", "a parenthesis")?;
        self.skip(",", "a comma")?;
        Ok(Pos::new(x, y))
    }
}
