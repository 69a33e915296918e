//! The status: what the page shows besides the frames. It is sent when it has changed.

use serde::Serialize;

use super::Session;
use crate::hub::Packet;
use crate::message;
use crate::results::{ResultsStatus, RunFacts};
use crate::setup::Setup;

/// What the page shows besides the frames.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Status<'a> {
    setup: &'a Setup,
    epoch: u32,
    playing: bool,
    speed: u32,
    /// The planners as they name themselves.
    planners: Vec<&'a str>,
    size: [u32; 2],
    /// Name of the map that was uploaded or opened.
    own_map: Option<&'a str>,
    /// The recording that is shown.
    replay: Option<ReplayStatus<'a>>,
    /// Bytes recorded so far, `None` if nothing is recorded.
    recorded: Option<usize>,
    /// Number of ticks between the one that is shown and the present.
    back: usize,
    /// Number of strokes that can be taken back.
    undo: usize,
    results: ResultsStatus,
    /// Number of browsers that are connected.
    watchers: usize,
    /// The run that is being repeated.
    repeating: Option<&'a str>,
    /// Why the crowd cannot go on: a panic in it. It can be started again.
    failed: Option<&'a str>,
}

#[derive(Serialize)]
struct ReplayStatus<'a> {
    name: &'a str,
    ticks: usize,
    at: usize,
    cut: bool,
    run: Option<&'a RunFacts>,
}

impl Session {
    /// Has all browsers sent what has changed besides the frames, once before the next tick.
    pub(super) fn announce(&mut self) {
        self.announces = true;
    }

    pub(super) fn send_status(&mut self) {
        if std::mem::take(&mut self.announces) {
            self.hub.broadcast_difference(&self.status());
        }
    }

    pub(super) fn status(&self) -> Packet {
        let planners = match &self.replay {
            Some(replay) => vec![replay.planner.as_str()],
            None => self.scenes.iter().map(|scene| scene.world.planner_name()).collect(),
        };
        let size = self.shown_size().map_or([0, 0], |size| [size.width(), size.height()]);
        message::json(
            "status",
            &Status {
                setup: &self.setup,
                epoch: self.epoch,
                playing: self.playing,
                speed: self.speed,
                planners,
                size,
                own_map: self.own.as_ref().map(|own| own.name.as_str()),
                replay: self.replay.as_ref().map(|replay| ReplayStatus {
                    name: &replay.name,
                    ticks: replay.last(),
                    at: replay.at,
                    cut: replay.is_cut,
                    run: replay.run.as_ref(),
                }),
                recorded: self.recorded.as_ref().map(Vec::len),
                back: self.back,
                undo: if self.replay.is_some() { 0 } else { self.strokes.len() },
                results: self.results.status(),
                watchers: self.hub.len(),
                repeating: self.repeats.running(),
                failed: self.failed.as_deref().filter(|_| self.is_broken()),
            },
        )
    }
}
