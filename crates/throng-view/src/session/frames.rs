//! What browsers see: the frame of the present tick, ticks back, recordings, and the whole state for those that have missed something.

use std::time::Instant;

use throng::Size;

use super::Session;
use crate::frame::{Frame, Note, encode_difference, encode_map, encode_state};
use crate::hub::Packet;
use crate::message::json;
use crate::scene::Scene;

/// Number of ticks that can be stepped back.
const HISTORY: usize = 240;

impl Session {
    pub(super) fn set_playing(&mut self, playing: bool) {
        if playing && self.replay.as_ref().is_some_and(|replay| replay.at == replay.last()) {
            self.seek(0);
        }
        self.playing = playing;
        if self.back > 0 && playing {
            self.back = 0;
            self.resend();
        }
        self.announce();
    }

    /// Shows the next tick.
    pub(crate) fn forward(&mut self) {
        if let Some(replay) = &mut self.replay {
            if replay.at == replay.last() {
                self.set_playing(false);
                return;
            }
            replay.at += 1;
            self.edits.extend_from_slice(replay.edits());
            self.show(Vec::new());
            return;
        }
        if self.back > 0 {
            self.back -= 1;
            self.resend();
            return;
        }
        let budget = self.setup.budget;
        self.each(|scene| scene.tick(budget));
        let notes = self.scenes.iter().map(Scene::notes).collect();
        self.show(notes);
        for (side, scene) in self.scenes.iter().enumerate() {
            for text in scene.notices() {
                self.hub.broadcast_difference(&json(
                    "notice",
                    &serde_json::json!({ "side": side, "text": text }),
                ));
            }
        }
        self.collect_recording();
    }

    /// Shows the tick before.
    pub(super) fn backward(&mut self) {
        self.playing = false;
        if let Some(replay) = &self.replay {
            self.seek(replay.at.saturating_sub(1));
        } else {
            self.back = (self.back + 1).min(self.history.len());
            self.resend();
        }
        self.announce();
    }

    pub(super) fn seek(&mut self, tick: usize) {
        let Some(replay) = &mut self.replay else { return };
        replay.at = tick.min(replay.last());
        self.edits.clear();
        self.frame = replay.frame();
        self.resend();
        self.announce();
    }

    /// Returns the present frame.
    fn present(&self, mut notes: Vec<Vec<Note>>) -> Frame {
        if let Some(replay) = &self.replay {
            return replay.frame();
        }
        notes.resize(self.scenes.len(), Vec::new());
        let sides = self.scenes.iter().zip(notes).map(|(scene, notes)| scene.side(notes)).collect();
        let tick = self.scenes.first().map_or(0, |scene| scene.world.ticks()) as u32;
        Frame { tick, sides }
    }

    /// Makes the present frame and sends its difference to the one before.
    pub(super) fn show(&mut self, notes: Vec<Vec<Note>>) {
        let start = Instant::now();
        let frame = self.present(notes);
        let edits = std::mem::take(&mut self.edits);
        let bytes = encode_difference(&self.frame, &frame, self.epoch, self.width(), &edits);
        let packet = Packet::Binary(bytes.into());
        let encoded = start.elapsed();
        self.hub.broadcast_difference(&packet);
        let before = std::mem::replace(&mut self.frame, frame);
        if self.replay.is_none() && before.tick != self.frame.tick {
            self.history.push_back(before);
            if self.history.len() > HISTORY {
                self.history.pop_front();
            }
        }
        self.state = None;
        self.framing.push_back([encoded, start.elapsed()]);
        if self.framing.len() > HISTORY {
            self.framing.pop_front();
        }
    }

    /// Sends changes of the map that were made since the last frame.
    pub(super) fn send_edits(&mut self) {
        if !self.edits.is_empty() && self.back == 0 {
            self.show(Vec::new());
        }
    }

    fn width(&self) -> u32 {
        self.shown_size().map_or(1, Size::width)
    }

    pub(super) fn shown_size(&self) -> Option<Size> {
        self.replay.as_ref().map(|replay| replay.size).or_else(|| self.size())
    }

    /// Returns the whole state: the map, and the frame that is shown.
    pub(super) fn state(&mut self) -> [Packet; 2] {
        if let Some(state) = &self.state {
            return state.clone();
        }
        let map = match &self.replay {
            Some(replay) => {
                let content = replay.map();
                encode_map(replay.size, |cell| content[cell.index()])
            }
            None => self.scenes.first().map_or_else(Vec::new, |scene| {
                encode_map(scene.world.grid().size(), |cell| scene.cell_value(cell))
            }),
        };
        let shown = match self.back {
            0 => &self.frame,
            back => &self.history[self.history.len() - back],
        };
        let state = [map, encode_state(shown, self.epoch)].map(|bytes| Packet::Binary(bytes.into()));
        self.state = Some(state.clone());
        state
    }

    /// Sends the whole state to all browsers.
    pub(super) fn resend(&mut self) {
        self.state = None;
        let state = self.state();
        self.hub.broadcast_state(&state);
    }

    /// Begins with the present worlds or recording.
    pub(super) fn begin(&mut self) {
        self.epoch += 1;
        (self.back, self.playing) = (0, true);
        self.edits.clear();
        self.history.clear();
        self.recorded = None;
        self.framing.clear();
        self.frame = self.present(Vec::new());
        self.resend();
        self.announce();
    }
}
