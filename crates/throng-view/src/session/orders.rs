//! What browsers ask for, carried out between two ticks. Edits go to both worlds.

use std::sync::Arc;
use std::time::Duration;

use throng::{Area, Pos};

use super::Session;
use crate::hub::Client;
use crate::message::{Brush, Order, error, json, pos};
use crate::path_query::PathQuery;
use crate::scene::Scene;
use crate::strokes::stroke;

/// Ticks per second at most.
const MAX_SPEED: u32 = 60;

impl Session {
    pub(super) fn carry_out(
        &mut self,
        client: &Arc<Client>,
        order: Order,
    ) -> Result<(), (&'static str, String)> {
        let is_live = self.replay.is_none();
        if self.is_broken() && order.needs_worlds() {
            return Err(("failed", "the crowd has failed: start it again".to_owned()));
        }
        match order {
            Order::Setup { setup, paused } => {
                self.restart(*setup).map_err(|error| ("setup", error.to_string()))?;
                self.playing = !paused;
            }
            Order::Close => {
                if self.replay.take().is_some() {
                    self.begin();
                    self.playing = false;
                }
            }
            Order::Play => self.set_playing(true),
            Order::Pause => self.set_playing(false),
            Order::Step => {
                self.set_playing(false);
                self.forward();
                self.announce();
            }
            Order::StepBack => self.backward(),
            Order::Speed { ticks } => {
                self.speed = ticks.clamp(1, MAX_SPEED);
                self.announce();
            }
            Order::Seek { tick } => self.seek(tick),
            Order::Inspect { side, agent } => {
                let report =
                    self.scenes.get(side).filter(|_| is_live).and_then(|scene| scene.report(side, agent));
                client.reply(report.map_or_else(
                    || error("agent", "there is no such agent any more"),
                    |report| json("agent", &report),
                ));
            }
            Order::Goals { side, agents } => {
                if let Some(scene) = self.scenes.get(side).filter(|_| is_live) {
                    let goals = scene.goals(&agents);
                    client.reply(json("goals", &serde_json::json!({ "side": side, "goals": goals })));
                }
            }
            Order::Layer { side, layer, agent } => self.send_layer(client, side, layer, agent),
            Order::Path { search, from, to } => {
                let Some(scene) = self.scenes.first() else { return Ok(()) };
                let now = scene.world.grid().ground().clone();
                let query = PathQuery { before: Arc::clone(&scene.before), now, search, ends: [from, to] };
                self.searches.start(query, Arc::clone(client));
            }
            Order::ReadResults => {
                self.results.read(self.events.clone());
                self.announce();
            }
            Order::Runs(query) => {
                let loaded = self.results.loaded().ok_or(("results", "there are no results".to_owned()))?;
                let list = loaded.list(&query).map_err(|reason| ("results", reason))?;
                client.reply(json("runs", &list));
            }
            Order::Repeat { run, version } => {
                self.repeat(run, version).map_err(|reason| ("repeat", reason))?;
            }
            Order::StopRepeat => self.repeats.stop(),
            Order::Measure => {
                let hash = |scene: &Scene| format!("{:016x}", scene.world.state_hash());
                let hashes: Vec<String> = self.scenes.iter().map(hash).collect();
                let median = |which: usize| {
                    let mut times: Vec<Duration> = self.framing.iter().map(|times| times[which]).collect();
                    times.sort_unstable();
                    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
                };
                let measured = serde_json::json!({
                    "tick": self.frame.tick,
                    "hashes": hashes,
                    "encode_us": median(0),
                    "frame_us": median(1),
                });
                client.reply(json("measured", &measured));
            }
            Order::Save => return self.save(client).map_err(|reason| ("record", reason)),
            _ if !is_live => {
                return Err(("replay", "a recording cannot be changed; start a crowd first".to_owned()));
            }
            Order::Record { on } => self.record(on),
            order => self.edit(order),
        }
        Ok(())
    }

    /// Carries out what changes worlds.
    fn edit(&mut self, order: Order) {
        if std::mem::take(&mut self.back) > 0 {
            self.resend();
            self.announce();
        }
        match order {
            Order::Paint { with, from, to, radius, more } => {
                self.strokes.begin(more);
                for area in stroke(pos(from), pos(to), radius) {
                    self.paint(area, with);
                }
                self.announce();
            }
            Order::Undo => self.undo(),
            Order::Send { agents, to, queue } => {
                self.each(|scene| scene.send(&agents, pos(to), queue));
            }
            Order::Halt { agents } => self.each(|scene| scene.halt(&agents)),
            Order::Remove { agents } => self.each(|scene| scene.remove(&agents)),
            Order::Spawn { at, radius } => self.spawn(pos(at), radius.clamp(0, 8)),
            Order::Unit { at } => self.toggle_unit(pos(at)),
            _ => return,
        }
        if !self.playing {
            self.show(Vec::new());
        }
    }

    /// Repeats a run of the list that a browser has.
    fn repeat(&mut self, run: usize, version: u32) -> Result<(), String> {
        let loaded = self.results.loaded().filter(|loaded| loaded.version == version);
        let loaded = loaded.ok_or("the results were read again: choose the run from the new list")?;
        self.repeats.start((&self.results, &loaded), run, self.events.clone())?;
        self.announce();
        Ok(())
    }

    /// Takes back the last stroke.
    fn undo(&mut self) {
        let Some(size) = self.size() else { return };
        for (first, last, value) in self.strokes.pop(size) {
            let area = Area::rect(size.pos(first), size.pos(last));
            let cells: Vec<u8> = area.cells(size).map(|cell| self.scenes[0].cell_value(cell)).collect();
            self.each(|scene| scene.restore(area, value));
            for (cell, before) in area.cells(size).zip(cells) {
                let value = self.scenes[0].cell_value(cell);
                if value != before {
                    self.edits.push((cell.0, value));
                }
            }
        }
        self.announce();
    }

    pub(super) fn each(&mut self, act: impl FnMut(&mut Scene)) {
        self.scenes.iter_mut().for_each(act);
    }

    fn paint(&mut self, area: Area, brush: Brush) {
        let Some(size) = self.size() else { return };
        let before: Vec<u8> = area.cells(size).map(|cell| self.scenes[0].cell_value(cell)).collect();
        self.each(|scene| scene.paint(area, brush.terrain()));
        for (cell, before) in area.cells(size).zip(before) {
            let value = self.scenes[0].cell_value(cell);
            if value != before {
                self.edits.push((cell.0, value));
                self.strokes.push(cell.0, before);
            }
        }
    }

    /// Adds agents to the free cells of a disc, at the same cells in all worlds.
    fn spawn(&mut self, center: Pos, radius: i32) {
        let Some(size) = self.size() else { return };
        let area = if radius == 0 { Area::from(center) } else { Area::disc(center, radius) };
        for cell in area.cells(size) {
            let at = size.pos(cell);
            if self.scenes.iter().all(|scene| scene.has_room(at)) && self.frame_agents() < 20_000 {
                // There is room in all of them.
                self.each(|scene| _ = scene.spawn(at));
            }
        }
    }

    /// Removes the foreign unit at a position from all worlds, or adds one to all of them. Agents of different planners are in
    /// different places, so a unit is added only where all worlds have room.
    fn toggle_unit(&mut self, at: Pos) {
        if self.scenes.first().is_some_and(|scene| scene.unit(at).is_some()) {
            self.each(|scene| {
                if let Some(unit) = scene.unit(at) {
                    // It was just found.
                    let _ = scene.world.remove_foreign(unit);
                }
            });
        } else if self.scenes.iter().all(|scene| scene.has_room(at)) {
            self.each(|scene| _ = scene.world.place_foreign(at));
        }
    }

    fn frame_agents(&self) -> usize {
        self.scenes.first().map_or(0, |scene| scene.world.agents().len())
    }
}
