//! Files that browsers send and get: maps and recordings.

use std::sync::Arc;

use throng::grid::movingai::read_map;

use super::Session;
use crate::frame::Kind;
use crate::hub::{Client, Packet};
use crate::message::error;
use crate::rate;
use crate::replay::Replay;
use crate::setup::{OwnMap, Setup, check_area};

/// The largest recording that is kept, in bytes. A longer one is dropped, with a message.
const MAX_RECORDING: usize = 256 << 20;

impl Session {
    /// Takes a file: a recording is shown, a map is put under the present crowd.
    pub(super) fn upload(&mut self, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() > rate::MAX_UPLOAD {
            return Err("the file is too large".to_owned());
        }
        if bytes.starts_with(b"throng-r") {
            let replay = Replay::read("opened here".to_owned(), bytes).map_err(|error| error.to_string())?;
            self.replay = Some(replay);
            self.begin();
            return Ok(());
        }
        let tiles = read_map(bytes).map_err(|error| format!("this is no map: line {error}"))?;
        let tiles = check_area(tiles).map_err(|error| error.to_string())?;
        let own = OwnMap { name: "opened map".to_owned(), tiles: Arc::new(tiles) };
        let setup = Setup { map: "own".to_owned(), ..self.setup.clone() };
        // A crowd that does not fit is replaced by an empty map, which says what the map is like.
        let (scenes, setup) = if let Ok(scenes) = setup.build(Some(&own)) {
            (scenes, setup)
        } else {
            let setup = Setup { agents: 0, ..setup };
            (setup.build(Some(&own)).map_err(|error| error.to_string())?, setup)
        };
        (self.own, self.scenes, self.setup) = (Some(own), scenes, setup);
        (self.replay, self.failed) = (None, None);
        self.strokes.clear();
        self.begin();
        Ok(())
    }

    pub(super) fn record(&mut self, on: bool) {
        self.recorded = on.then(Vec::new);
        for scene in self.scenes.iter_mut().take(1) {
            if on {
                scene.world.start_recording();
            } else {
                scene.world.finish_recording();
            }
        }
        self.collect_recording();
        self.announce();
    }

    /// Takes what the first world has recorded.
    pub(super) fn collect_recording(&mut self) {
        let Some(recorded) = &mut self.recorded else { return };
        if let Some(bytes) = self.scenes.first_mut().and_then(|scene| scene.world.drain_recording()) {
            recorded.extend(bytes);
        }
        if recorded.len() > MAX_RECORDING {
            self.record(false);
            self.hub.broadcast_difference(&error("record", "the recording grew too large and was dropped"));
        }
    }

    /// Ends the recording and sends it to a browser.
    pub(super) fn save(&mut self, client: &Client) -> Result<(), String> {
        let mut bytes = vec![Kind::Recording as u8];
        bytes.extend(self.recorded.take().ok_or("nothing is being recorded")?);
        if let Some(rest) = self.scenes.first_mut().and_then(|scene| scene.world.finish_recording()) {
            bytes.extend(rest);
        }
        client.reply(Packet::Binary(bytes.into()));
        self.announce();
        Ok(())
    }
}
