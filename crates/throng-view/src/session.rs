//! The session: one thread that owns the worlds. It carries out what browsers ask for, ticks, and hands every tick to the hub.
//!
//! Requests take effect between two ticks, in the order of their arrival. With two planners, edits and orders go to both
//! worlds. Nothing that a browser does or fails to do makes the thread wait. A panic in a world, which is a bug of throng, ends
//! the crowd, not the session: the page reports it and can start a crowd again.

mod files;
mod frames;
mod orders;
mod status;

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use throng::Size;

use crate::catalog;
use crate::frame::{Edit, Frame, encode_layer};
use crate::hub::{Client, ClientId, Hub, Packet};
use crate::message::{Layer, Order, error};
use crate::path_query::Running;
use crate::replay::Replay;
use crate::results::{Repeated, Repeats, SharedResults};
use crate::scene::Scene;
use crate::setup::{MapSource, OwnMap, Setup, SetupError};
use crate::strokes::UndoStack;
use crate::upload::Upload;

/// Ticks per second at the start.
const SPEED: u32 = 10;

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

    fn size(&self) -> Option<Size> {
        self.scenes.first().map(|scene| scene.world.grid().size())
    }

    fn restart(&mut self, setup: Setup) -> Result<(), SetupError> {
        self.scenes = setup.build(self.own.as_ref())?;
        (self.setup, self.replay, self.failed) = (setup, None, None);
        self.strokes.clear();
        self.begin();
        Ok(())
    }

    fn send_layer(&self, client: &Client, side: usize, layer: Layer, agent: Option<u32>) {
        let Some(scene) = self.scenes.get(side).filter(|_| self.replay.is_none()) else { return };
        let marks = scene.marks(layer, agent);
        client.reply(Packet::Binary(encode_layer(side, layer as u8, &marks).into()));
    }
}

/// Returns the message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests;
