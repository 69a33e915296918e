//! Plan files: plans as text, in the format of mapf-visualizer and of solvers such as PIBT.
//!
//! After lines `key=value`, the last of them `solution=`, each line is a tick: its number, a colon, and the position of
//! each agent as `(x,y),` with `(0,0)` in the upper left corner. Solvers whose agents have an orientation write
//! `(x,y,X_PLUS),`; the orientation is ignored.
//!
//! Format: <https://github.com/Kei18/mapf-visualizer>, "Input format of planning result".

use std::fmt::Write as _;

use throng_grid::{Grid, Pos, ProfileId};

use crate::check::map::CheckMap;
use crate::snapshot::map_state::MapState;
use crate::{AgentId, Fault, PlaybackError, Recording, Violation, World};

/// The position of every agent in every tick.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanFile {
    /// The positions of all agents per tick, beginning with their starts.
    pub ticks: Vec<Vec<Pos>>,
}

/// Why a recording cannot be written as a plan file, or a text is not one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// Agents were spawned or despawned, which the format does not allow.
    #[error("tick {tick} has other agents than the first; a plan file needs the same agents in all ticks")]
    AgentsChange {
        /// The tick.
        tick: u64,
    },
    /// The recording cannot be played.
    #[error(transparent)]
    Play(#[from] PlaybackError),
    /// A line does not follow the format.
    #[error("line {line}, column {column}: expected {expected}")]
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// The column in bytes, counted from 1.
        column: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// There is no tick.
    #[error("the plan has no tick: expected lines like 0:(5,16),(21,29),")]
    Empty,
}

impl PlanFile {
    /// Returns the plan of a recording.
    ///
    /// # Errors
    /// If the agents are not the same in all ticks, or the recording cannot be played.
    pub fn of(recording: &Recording) -> Result<Self, PlanFileError> {
        let mut playback = recording.play()?;
        // The plan starts after the inputs before the first tick.
        let mut start = recording.play()?;
        start.prepare()?;
        let crowd = start.world().agents().to_vec();
        let positions =
            |world: &World| crowd.iter().filter_map(|&agent| world.position(agent).ok()).collect();
        let mut ticks = vec![positions(start.world())];
        while playback.step()? {
            let world = playback.world();
            if world.agents() != crowd {
                return Err(PlanFileError::AgentsChange { tick: world.ticks() });
            }
            ticks.push(positions(world));
        }
        Ok(Self { ticks })
    }

    /// Returns the plan as text.
    pub fn write(&self) -> String {
        let agents = self.ticks.first().map_or(0, Vec::len);
        let makespan = self.ticks.len().saturating_sub(1);
        let mut text = format!("agents={agents}\nmakespan={makespan}\nsolution=\n");
        for (tick, positions) in self.ticks.iter().enumerate() {
            let _ = write!(text, "{tick}:");
            for position in positions {
                let _ = write!(text, "({},{}),", position.x, position.y);
            }
            text.push('\n');
        }
        text
    }

    /// Reads a plan. Lines with `=` before the first tick are ignored; after it, all lines must be ticks.
    ///
    /// # Errors
    /// If a line does not follow the format, ticks are not numbered from 0, or the number of agents changes.
    pub fn read(text: &str) -> Result<Self, PlanFileError> {
        let mut ticks: Vec<Vec<Pos>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end();
            let mut parser = Parser { line: number + 1, whole: line, rest: line };
            let is_header = ticks.is_empty() && line.contains('=');
            if line.is_empty() || is_header {
                continue;
            }
            if parser.number("the number of the tick")? != ticks.len() as u64 {
                parser.rest = line;
                return Err(parser.expected("the number of the next tick"));
            }
            parser.skip(":", "a colon")?;
            let mut positions = Vec::new();
            while !parser.rest.is_empty() {
                positions.push(parser.position()?);
            }
            if ticks.first().is_some_and(|first: &Vec<Pos>| first.len() != positions.len()) {
                return Err(parser.expected("as many positions as in the first tick"));
            }
            ticks.push(positions);
        }
        if ticks.is_empty() { Err(PlanFileError::Empty) } else { Ok(Self { ticks }) }
    }

    /// Checks every tick on a map: agents on free cells of their profile, legal steps, no vertex conflict, no swap
    /// conflict. Planners, referee and grid do not share this code.
    ///
    /// # Panics
    /// If the grid has no such profile.
    pub fn check(&self, grid: &Grid, profile: ProfileId) -> Vec<Violation> {
        let (map, profile) = (CheckMap::new(&MapState::of(grid)), usize::from(profile.0));
        let mut violations = Vec::new();
        let mut occupied_before = std::collections::BTreeMap::new();
        let mut before: &[Pos] = &[];
        for (tick, positions) in (0..).zip(&self.ticks) {
            let mut occupied = std::collections::BTreeMap::new();
            for (i, &to) in positions.iter().enumerate() {
                let from = before.get(i).copied().unwrap_or(to);
                let mut report = |fault| {
                    violations.push(Violation { tick, agent: Some(AgentId::new(i as u32, 0)), fault });
                };
                let (a, b) = ((from.x, from.y), (to.x, to.y));
                let legal = if a == b { map.free(profile, b) } else { map.legal(profile, a, b) };
                if !legal {
                    report(Fault::IllegalStep { from, to });
                }
                if occupied.insert(b, i).is_some() {
                    report(Fault::SharedCell);
                }
                if let Some(&other) = occupied_before.get(&b)
                    && other < i
                    && positions[other] == from
                {
                    report(Fault::Swap(AgentId::new(other as u32, 0)));
                }
            }
            (occupied_before, before) = (occupied, positions);
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

    /// Reads a coordinate inside the largest map.
    fn coordinate(&mut self, expected: &'static str) -> Result<i32, PlanFileError> {
        let before = self.rest;
        let number = self.number(expected)?;
        if number > u64::from(throng_grid::MAX_SIDE) {
            self.rest = before;
            return Err(self.expected(expected));
        }
        Ok(number as i32)
    }

    /// Reads `(x,y),` or `(x,y,X_PLUS),`.
    fn position(&mut self) -> Result<Pos, PlanFileError> {
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
