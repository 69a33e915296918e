//! The session: one thread that owns the worlds. It carries out what browsers ask for, ticks, and hands every tick to the hub.
//!
//! Requests take effect between two ticks, in the order of their arrival. With two planners, edits and orders go to both
//! worlds. Nothing that a browser does or fails to do makes the thread wait. A panic in a world, which is a bug of throng, ends
//! the crowd, not the session: the page reports it and can start a crowd again.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use serde::Serialize;
use throng::grid::movingai::read_map;
use throng::{Area, Pos, Size};

use crate::frame::{Edit, Frame, Kind, Note, encode_difference, encode_layer, encode_map, encode_state};
use crate::hub::{Client, ClientId, Hub, Packet};
use crate::message::{self, Brush, Layer, Order, error, json, pos};
use crate::path_query::{PathQuery, Running};
use crate::replay::Replay;
use crate::results::{Repeated, Repeats, ResultsStatus, RunFacts, SharedResults};
use crate::scene::Scene;
use crate::setup::{MapSource, OwnMap, Setup, SetupError, check_area};
use crate::strokes::{UndoStack, stroke};
use crate::upload::Upload;
use crate::{catalog, rate};

/// Ticks per second at most.
const MAX_SPEED: u32 = 60;

/// Ticks per second at the start.
const SPEED: u32 = 10;

/// Number of ticks that can be stepped back.
const HISTORY: usize = 240;

/// The largest recording that is kept, in bytes. A longer one is dropped, with a message.
const MAX_RECORDING: usize = 256 << 20;

/// What happens to a session.
#[derive(Debug)]
pub(crate) enum Event {
    /// A browser asks for something.
    Order(ClientId, Order),
    /// A browser sends a map or a recording.
    Upload(ClientId, Upload),
    /// A browser must be sent the whole state.
    Behind(ClientId),
    /// The results were read, or cannot be.
    ResultsRead,
    /// A run was repeated: its number, and the result.
    Repeated(u32, Repeated),
    Stop,
}

/// What a session shares with the rest of the server.
#[derive(Debug)]
pub(crate) struct Links {
    pub(crate) hub: Arc<Hub>,
    pub(crate) results: Arc<SharedResults>,
    /// Where threads that work for the session report.
    pub(crate) events: SyncSender<Event>,
}

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

pub(crate) struct Session {
    hub: Arc<Hub>,
    results: Arc<SharedResults>,
    repeats: Repeats,
    events: SyncSender<Event>,
    setup: Setup,
    own: Option<OwnMap>,
    scenes: Vec<Scene>,
    replay: Option<Replay>,
    /// Counts the crowds, so that a browser knows frames of the present one.
    epoch: u32,
    playing: bool,
    speed: u32,
    frame: Frame,
    /// Changes of the map that no frame contains yet.
    edits: Vec<Edit>,
    /// The last frames, the present one not among them.
    history: VecDeque<Frame>,
    /// Number of frames between the one that is shown and the present.
    back: usize,
    recorded: Option<Vec<u8>>,
    /// The last strokes.
    strokes: UndoStack,
    /// The whole state as it was last encoded, until it changes.
    state: Option<[Packet; 2]>,
    searches: Running,
    /// The message of the panic that ended the present crowd.
    failed: Option<String>,
    /// The status has changed since it was last sent.
    announces: bool,
    /// The times of the last frames: reading the worlds and encoding, and all that with the queues.
    framing: VecDeque<[Duration; 2]>,
}

/// Makes the crowd and starts the thread, which ends with [`Event::Stop`].
pub(crate) fn start(
    setup: Setup,
    source: &MapSource,
    links: Links,
    events: Receiver<Event>,
) -> Result<(), SetupError> {
    let mut session = Session::open(setup, source, links)?;
    let thread = std::thread::Builder::new().name("view-session".into());
    let spawned = thread.spawn(move || session.run(&events));
    spawned.map(drop).map_err(|error| SetupError::Field(format!("no thread could be started: {error}")))
}

impl Session {
    /// Makes the crowd, or reads the recording, and begins.
    pub(crate) fn open(setup: Setup, source: &MapSource, links: Links) -> Result<Self, SetupError> {
        let mut session = Self::new(setup, source.own(), links)?;
        if let MapSource::Recording(name, bytes) = source {
            session.replay = Some(Replay::read(name.clone(), bytes)?);
        }
        session.begin();
        Ok(session)
    }

    fn new(setup: Setup, own: Option<OwnMap>, links: Links) -> Result<Self, SetupError> {
        Ok(Self {
            hub: links.hub,
            results: links.results,
            repeats: Repeats::default(),
            events: links.events,
            scenes: setup.build(own.as_ref())?,
            setup,
            own,
            replay: None,
            epoch: 0,
            playing: true,
            speed: SPEED,
            frame: Frame::default(),
            edits: Vec::new(),
            history: VecDeque::new(),
            back: 0,
            recorded: None,
            strokes: UndoStack::default(),
            state: None,
            searches: Running::default(),
            failed: None,
            announces: false,
            framing: VecDeque::new(),
        })
    }

    fn run(&mut self, events: &Receiver<Event>) {
        let mut due = Instant::now();
        loop {
            let ticks = self.playing && !self.hub.is_empty();
            let wait = if ticks {
                due.saturating_duration_since(Instant::now())
            } else {
                Duration::from_millis(200)
            };
            match events.recv_timeout(wait) {
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(event) => {
                    self.guarded(|session| session.handle(event));
                    // Whatever has arrived meanwhile comes before the next tick.
                    while let Ok(event) = events.try_recv() {
                        if matches!(event, Event::Stop) {
                            return;
                        }
                        self.guarded(|session| session.handle(event));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.playing && !self.hub.is_empty() && Instant::now() >= due {
                self.guarded(Self::forward);
                let period = Duration::from_secs(1) / self.speed;
                // A tick that took longer than its period delays the next; nothing is caught up.
                due = (due + period).max(Instant::now());
            }
            self.guarded(Self::send_edits);
            self.send_status();
        }
    }

    /// Sends what has changed since the last tick.
    pub(crate) fn send_changes(&mut self) {
        self.send_edits();
        self.send_status();
    }

    /// Carries something out. After a panic the worlds may be in any state, so that nothing more is done with them.
    fn guarded(&mut self, act: impl FnOnce(&mut Self)) {
        // What a panic leaves behind is not used: see `is_broken`.
        let ended = catch_unwind(AssertUnwindSafe(|| act(self)));
        if let Err(panic) = ended {
            self.failed = Some(message_of(&*panic));
            (self.playing, self.recorded) = (false, None);
            self.edits.clear();
            self.announce();
        }
    }

    /// Returns true if the worlds that are shown cannot be used, because there was a panic in one.
    fn is_broken(&self) -> bool {
        self.failed.is_some() && self.replay.is_none()
    }

    pub(crate) fn handle(&mut self, event: Event) {
        match event {
            Event::Behind(id) => {
                if let Some(client) = self.hub.client(id) {
                    self.greet(&client);
                }
            }
            Event::Order(id, order) => {
                let Some(client) = self.hub.client(id) else { return };
                if let Err((about, text)) = self.carry_out(&client, order) {
                    client.reply(error(about, &text));
                }
            }
            Event::Upload(id, upload) => {
                let Some(client) = self.hub.client(id) else { return };
                if let Err(reason) = self.upload(upload.bytes()) {
                    client.reply(error("upload", &reason));
                }
            }
            Event::ResultsRead => self.announce(),
            Event::Repeated(number, ended) => match self.repeats.take(number, ended) {
                Ok(None) => self.announce(),
                Ok(Some(run)) => {
                    self.replay = Some(*run);
                    self.playing = true;
                    self.begin();
                    self.announce();
                }
                Err(reason) => {
                    self.hub.broadcast_difference(&error("repeat", &reason));
                    self.announce();
                }
            },
            Event::Stop => self.repeats.stop(),
        }
    }

    /// Sends a browser everything: when it is new, and when it has missed something.
    fn greet(&mut self, client: &Client) {
        self.send_edits();
        let [map, state] = self.state();
        client.push_state(&[catalog::message(), self.status(), map, state]);
    }

    fn carry_out(&mut self, client: &Arc<Client>, order: Order) -> Result<(), (&'static str, String)> {
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

    fn each(&mut self, act: impl FnMut(&mut Scene)) {
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

    fn size(&self) -> Option<Size> {
        self.scenes.first().map(|scene| scene.world.grid().size())
    }

    fn set_playing(&mut self, playing: bool) {
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
    fn backward(&mut self) {
        self.playing = false;
        if let Some(replay) = &self.replay {
            self.seek(replay.at.saturating_sub(1));
        } else {
            self.back = (self.back + 1).min(self.history.len());
            self.resend();
        }
        self.announce();
    }

    fn seek(&mut self, tick: usize) {
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
    fn show(&mut self, notes: Vec<Vec<Note>>) {
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
    fn send_edits(&mut self) {
        if !self.edits.is_empty() && self.back == 0 {
            self.show(Vec::new());
        }
    }

    fn width(&self) -> u32 {
        self.shown_size().map_or(1, Size::width)
    }

    fn shown_size(&self) -> Option<Size> {
        self.replay.as_ref().map(|replay| replay.size).or_else(|| self.size())
    }

    /// Returns the whole state: the map, and the frame that is shown.
    fn state(&mut self) -> [Packet; 2] {
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
    fn resend(&mut self) {
        self.state = None;
        let state = self.state();
        self.hub.broadcast_state(&state);
    }

    /// Begins with the present worlds or recording.
    fn begin(&mut self) {
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

    fn restart(&mut self, setup: Setup) -> Result<(), SetupError> {
        self.scenes = setup.build(self.own.as_ref())?;
        (self.setup, self.replay, self.failed) = (setup, None, None);
        self.strokes.clear();
        self.begin();
        Ok(())
    }

    /// Takes a file: a recording is shown, a map is put under the present crowd.
    fn upload(&mut self, bytes: &[u8]) -> Result<(), String> {
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

    fn record(&mut self, on: bool) {
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
    fn collect_recording(&mut self) {
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
    fn save(&mut self, client: &Client) -> Result<(), String> {
        let mut bytes = vec![Kind::Recording as u8];
        bytes.extend(self.recorded.take().ok_or("nothing is being recorded")?);
        if let Some(rest) = self.scenes.first_mut().and_then(|scene| scene.world.finish_recording()) {
            bytes.extend(rest);
        }
        client.reply(Packet::Binary(bytes.into()));
        self.announce();
        Ok(())
    }

    fn send_layer(&self, client: &Client, side: usize, layer: Layer, agent: Option<u32>) {
        let Some(scene) = self.scenes.get(side).filter(|_| self.replay.is_none()) else { return };
        let marks = scene.marks(layer, agent);
        client.reply(Packet::Binary(encode_layer(side, layer as u8, &marks).into()));
    }

    /// Has all browsers sent what has changed besides the frames, once before the next tick.
    fn announce(&mut self) {
        self.announces = true;
    }

    fn send_status(&mut self) {
        if std::mem::take(&mut self.announces) {
            self.hub.broadcast_difference(&self.status());
        }
    }

    fn status(&self) -> Packet {
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

/// Returns the message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests;
