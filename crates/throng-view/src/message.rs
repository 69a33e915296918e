//! What browsers ask for, as JSON, and the JSON that they are sent. `docs/view.md` describes both.

use serde::{Deserialize, Serialize};
use throng::{Pos, Terrain};

use crate::hub::Packet;
use crate::results::Query;
use crate::setup::Setup;

/// A position as it is written in messages.
pub(crate) type At = [i32; 2];

/// Returns the position.
pub(crate) const fn pos([x, y]: At) -> Pos {
    Pos::new(x, y)
}

/// Returns the position as it is written.
pub(crate) const fn at(pos: Pos) -> At {
    [pos.x, pos.y]
}

/// Something that a browser asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Order {
    /// Start again with this crowd.
    Setup {
        setup: Box<Setup>,
        #[serde(default)]
        paused: bool,
    },
    /// Close the recording and show the crowd.
    Close,
    Play,
    Pause,
    /// One tick forward.
    Step,
    /// Show the tick before.
    StepBack,
    /// Sets the ticks per second.
    Speed {
        ticks: u32,
    },
    /// Show a tick of a recording, counted from its first.
    Seek {
        tick: usize,
    },
    /// Draws a stroke on the map.
    Paint {
        with: Brush,
        from: At,
        to: At,
        radius: i32,
        /// Whether it goes on with the stroke before, so that one [`Order::Undo`] takes back both.
        #[serde(default)]
        more: bool,
    },
    /// Takes back the last stroke.
    Undo,
    /// Sends agents to a goal, or after the goals that they have.
    Send {
        agents: Vec<u32>,
        to: At,
        #[serde(default)]
        queue: bool,
    },
    Halt {
        agents: Vec<u32>,
    },
    Remove {
        agents: Vec<u32>,
    },
    /// Adds agents to the free cells of a disc.
    Spawn {
        at: At,
        radius: i32,
    },
    /// Adds a foreign unit, or removes the one that is there.
    Unit {
        at: At,
    },
    /// Describe an agent.
    Inspect {
        side: usize,
        agent: u32,
    },
    /// Send the goals of agents.
    Goals {
        side: usize,
        agents: Vec<u32>,
    },
    /// Send the marks of a debug layer.
    Layer {
        side: usize,
        layer: Layer,
        agent: Option<u32>,
    },
    /// Begin or drop a recording.
    Record {
        on: bool,
    },
    /// End the recording and send it.
    Save,
    /// Send the state hashes of the worlds, to compare runs, and the median times of encoding and of a frame on their thread.
    Measure,
    /// Read the folders of results again.
    ReadResults,
    /// Send a page of the list of runs.
    Runs(Query),
    /// Repeat a run of the list and show it. The version is that of the list.
    Repeat {
        run: usize,
        version: u32,
    },
    /// End the repetition.
    StopRepeat,
    /// Find a path on the map as it is.
    Path {
        search: String,
        from: At,
        to: At,
    },
}

impl Order {
    /// Returns true if the order reads or changes the worlds.
    pub(crate) const fn needs_worlds(&self) -> bool {
        !matches!(
            self,
            Self::Setup { .. }
                | Self::Close
                | Self::Pause
                | Self::StepBack
                | Self::Speed { .. }
                | Self::Seek { .. }
                | Self::ReadResults
                | Self::Runs(_)
                | Self::Repeat { .. }
                | Self::StopRepeat
        )
    }
}

/// What a stroke leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Brush {
    Wall,
    /// Removes walls, and terrain that nobody may enter.
    Clear,
    Grass,
    Swamp,
    Water,
    Trees,
}

impl Brush {
    /// Returns the terrain, `None` for walls.
    pub(crate) const fn terrain(self) -> Option<Terrain> {
        match self {
            Self::Wall => None,
            Self::Clear => Some(Terrain::Ground),
            Self::Grass => Some(Terrain::Grass),
            Self::Swamp => Some(Terrain::Swamp),
            Self::Water => Some(Terrain::Water),
            Self::Trees => Some(Terrain::Trees),
        }
    }
}

/// The debug layers, in the order of their numbers in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub(crate) enum Layer {
    Searched,
    Sectors,
    Directions,
    Distances,
    Paths,
    Targets,
    Streets,
}

/// Reads what a browser asks for.
pub(crate) fn parse(text: &str) -> Result<Order, String> {
    serde_json::from_str(text).map_err(|error| format!("the request is malformed: {error}"))
}

/// Returns a JSON message; `is` names its kind.
pub(crate) fn json(is: &'static str, content: &impl Serialize) -> Packet {
    #[derive(Serialize)]
    struct Tagged<'a, T: Serialize> {
        is: &'static str,
        #[serde(flatten)]
        content: &'a T,
    }
    let text = serde_json::to_string(&Tagged { is, content });
    Packet::Text(text.expect("messages have text as keys").into())
}

/// Returns the message that something cannot be done. `about` names what was asked for.
pub(crate) fn error(about: &'static str, text: &str) -> Packet {
    json("error", &serde_json::json!({ "about": about, "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        let read = |text: &str| parse(text).map(|order| format!("{order:?}"));
        assert_eq!(read(r#"{"do":"play"}"#).unwrap(), "Play");
        let send = read(r#"{"do":"send","agents":[1,2],"to":[3,4]}"#).unwrap();
        assert_eq!(send, "Send { agents: [1, 2], to: [3, 4], queue: false }");
        assert!(read(r#"{"do":"setup","setup":{"agents":5}}"#).unwrap().contains("agents: 5"));
    }

    #[test]
    fn malformed_orders_are_refused() {
        let malformed = [
            "",
            "{",
            "[]",
            "null",
            "play",
            r#"{"do":"dance"}"#,
            r#"{"do":"speed"}"#,
            r#"{"do":"speed","ticks":-1}"#,
            r#"{"do":"speed","ticks":1e99}"#,
            r#"{"do":"send","agents":[-1],"to":[0,0]}"#,
            r#"{"do":"upload","bytes":[]}"#,
            r#"{"do":"send","agents":[1],"to":[0]}"#,
            r#"{"do":"setup","setup":{"colour":1}}"#,
            r#"{"do":"seek","tick":"1"}"#,
            r#"{"do":"runs","filter":1,"from":0}"#,
            r#"{"do":"runs","filter":"","from":-1}"#,
            r#"{"do":"repeat","run":1}"#,
            r#"{"do":"paint","with":"lava","from":[0,0],"to":[0,0],"radius":1}"#,
        ];
        for text in malformed {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err(), "nesting has a limit");
    }
}
