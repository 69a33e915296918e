//! Objects to call functions with, and valid arguments for them.

use std::sync::OnceLock;

use throng_capi::*;

use crate::buffer::Buffer;
use crate::table::{ENTRIES, Entries, Parameter, fixture_map};

/// A map, two worlds and bytes. The first world has agents, foreign units and a recording.
pub(crate) struct Fixture {
    pub(crate) map: u64,
    pub(crate) world: u64,
    other: u64,
    bytes: u64,
    agents: Vec<u64>,
    foreign: Vec<u64>,
    /// An agent that was removed.
    pub(crate) removed: u64,
}

/// The arguments of one call.
pub(crate) struct Arguments {
    pub(crate) all: Vec<Argument>,
}

/// One argument.
pub(crate) struct Argument {
    pub(crate) word: u64,
    /// The memory to which it points.
    pub(crate) buffer: Option<Buffer>,
}

impl Arguments {
    pub(crate) fn words(&self) -> Vec<u64> {
        self.all.iter().map(|argument| argument.word).collect()
    }

    /// Frees the memory of the arguments.
    pub(crate) fn release(&mut self) {
        self.all.clear();
    }
}

/// Fails unless a call succeeds.
fn require(status: ThrongStatus) {
    assert_eq!(status, ThrongStatus::Ok, "{}", last_error());
}

pub(crate) fn last_error() -> String {
    let (mut text, mut length) = (vec![0_u8; 500], 0);
    // SAFETY: pointer and capacity are those of one vector.
    let status = unsafe { throng_last_error(text.as_mut_ptr().cast(), text.len(), &raw mut length) };
    assert_eq!(status, ThrongStatus::Ok);
    String::from_utf8_lossy(&text[..length]).into_owned()
}

/// Returns what a function writes to one place.
fn made<T: Default>(call: impl FnOnce(*mut T) -> ThrongStatus) -> T {
    let mut value = T::default();
    require(call(&raw mut value));
    value
}

/// Creates a world with a planner on a map.
pub(crate) fn create_world(map: u64) -> u64 {
    // SAFETY: the pointers are those of a variable, a literal that ends with zero, and a structure.
    let settings = made(|settings| unsafe { throng_settings_default(settings) });
    // SAFETY: as above.
    made(|world| unsafe { throng_world_create(map, c"surge".as_ptr(), &raw const settings, world) })
}

/// Copies bytes of the library and frees them.
fn take(bytes: u64) -> Vec<u8> {
    let mut size = 0;
    // SAFETY: a capacity of 0 needs no buffer.
    let status = unsafe { throng_bytes_read(bytes, std::ptr::null_mut(), 0, &raw mut size) };
    assert_eq!(status, ThrongStatus::BufferTooSmall);
    let mut copy = vec![0; size];
    // SAFETY: pointer and capacity are those of one vector.
    require(unsafe { throng_bytes_read(bytes, copy.as_mut_ptr(), copy.len(), &raw mut size) });
    // SAFETY: there is no pointer.
    require(unsafe { throng_bytes_free(bytes) });
    copy
}

/// Returns bytes that fit into the arrays of the cases: the recording of a tick that has not begun.
fn small_bytes() -> u64 {
    // SAFETY: the pointers are those of an array of this size and of the handle.
    let map = made(|map| unsafe { throng_map_create(1, 1, [0_u8].as_ptr(), 1, 0, 0, map) });
    let world = create_world(map);
    // SAFETY: there is no pointer.
    require(unsafe { throng_world_start_recording(world) });
    // SAFETY: there is no pointer but that of the handle.
    let begin = made(|bytes| unsafe { throng_world_drain_recording(world, bytes) });
    // SAFETY: there is no pointer.
    require(unsafe { throng_bytes_free(begin) });
    // SAFETY: as above.
    let bytes = made(|bytes| unsafe { throng_world_drain_recording(world, bytes) });
    // SAFETY: there is no pointer.
    require(unsafe { throng_world_free(world) });
    // SAFETY: there is no pointer.
    require(unsafe { throng_map_free(map) });
    bytes
}

/// A snapshot and a recording, which are made once.
fn saved() -> &'static [Vec<u8>; 2] {
    static SAVED: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    SAVED.get_or_init(|| {
        let fixture = Fixture::new();
        // SAFETY: there is no pointer but that of the handle.
        let snapshot = take(made(|bytes| unsafe { throng_world_snapshot(fixture.world, bytes) }));
        for _ in 0..5 {
            fixture.tick();
        }
        // SAFETY: as above.
        let recording = take(made(|bytes| unsafe { throng_world_finish_recording(fixture.world, bytes) }));
        [snapshot, recording]
    })
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let terrain = [0_u8; 96];
        // SAFETY: the pointers are those of an array of this size and of the handle.
        let map = made(|map| unsafe { throng_map_create(12, 8, terrain.as_ptr(), 96, 0, 0, map) });
        let (world, other) = (create_world(map), create_world(map));
        let specs: Vec<ThrongAgentSpec> = (0..5).map(|x| agent_at(x, 0)).collect();
        let mut agents = vec![0; 5];
        let results = std::ptr::null_mut();
        // SAFETY: both arrays have five entries.
        require(unsafe { throng_world_spawn(world, specs.as_ptr(), 5, agents.as_mut_ptr(), results) });
        let removed = agents.remove(2);
        // SAFETY: the pointer is that of one id.
        require(unsafe { throng_world_despawn(world, &raw const removed, 1, results) });
        let points = [ThrongPos { x: 5, y: 5 }, ThrongPos { x: 1, y: 5 }];
        // SAFETY: the array has two entries.
        require(unsafe { throng_world_patrol(world, agents[0], points.as_ptr(), 2) });
        let (places, mut foreign) = ([ThrongPos { x: 9, y: 7 }, ThrongPos { x: 8, y: 7 }], vec![0; 2]);
        // SAFETY: both arrays have two entries.
        require(unsafe {
            throng_world_place_foreign(world, places.as_ptr(), 2, foreign.as_mut_ptr(), results)
        });
        // SAFETY: there is no pointer.
        require(unsafe { throng_world_start_recording(world) });
        let bytes = small_bytes();
        Self { map, world, other, bytes, agents, foreign, removed }
    }

    pub(crate) fn tick(&self) -> ThrongStatus {
        let mut report = ThrongTickReport::default();
        // SAFETY: the pointer is that of a structure.
        unsafe { throng_world_tick(self.world, 1, 10_000, &raw mut report) }
    }

    /// Returns the state hash of the world, 0 if it was freed.
    pub(crate) fn state_hash(&self) -> u64 {
        let mut hash = 0;
        // SAFETY: the pointer is that of a variable.
        let _ = unsafe { throng_world_state_hash(self.world, &raw mut hash) };
        hash
    }

    /// Passes a capacity beyond the array.
    pub(crate) fn overflow(&self) {
        let (agents, mut count) = (Buffer::zeroed(2 * 8), 0);
        let start = agents.address() as *mut u64;
        // SAFETY: it is not, and a sanitizer has to say so: the array has room for two of four agents.
        let _ = unsafe { throng_world_agents(self.world, start, std::ptr::null_mut(), 4, &raw mut count) };
    }

    /// Returns valid arguments.
    pub(crate) fn arguments(&self, parameters: &[Parameter]) -> Arguments {
        let mut input_size = 0;
        let argument = |parameter: &Parameter| {
            let plain = |word| Argument { word, buffer: None };
            let memory = |buffer: Buffer| Argument { word: buffer.address(), buffer: Some(buffer) };
            match *parameter {
                Parameter::World => plain(self.world),
                Parameter::OtherWorld => plain(self.other),
                Parameter::Map => plain(self.map),
                Parameter::Bytes => plain(self.bytes),
                Parameter::Agent => plain(self.agents[0]),
                Parameter::Text(text) => memory(Buffer::copy_of(format!("{text}\0").as_bytes())),
                Parameter::Input(entries) => {
                    let buffer = self.entries(entries);
                    input_size = buffer.size();
                    memory(buffer)
                }
                Parameter::Output(size, _, count) | Parameter::Optional(size, _, count) => {
                    memory(Buffer::zeroed(size * count))
                }
                Parameter::Count(0) => plain(input_size as u64),
                Parameter::Count(count) => plain(count as u64),
                Parameter::Limited(word, _) | Parameter::Number(word) => plain(word),
                Parameter::Coordinate(number) => plain(number as u64),
            }
        };
        Arguments { all: parameters.iter().map(argument).collect() }
    }

    /// Returns valid entries of a kind.
    fn entries(&self, entries: Entries) -> Buffer {
        let order = |unit: &u64, x| ThrongOrder { unit: *unit, to: ThrongPos { x, y: 6 } };
        let foreign_orders: Vec<ThrongOrder> =
            self.foreign.iter().zip(3..).map(|(id, x)| order(id, x)).collect();
        let edit = |kind, x| ThrongEdit {
            kind,
            a: ThrongPos { x, y: 2 },
            b: ThrongPos { x: x + 1, y: 3 },
            ..ThrongEdit::default()
        };
        match entries {
            Entries::Agents => Buffer::of(&self.agents[..ENTRIES]),
            Entries::Orders => Buffer::of(&[order(&self.agents[0], 3), order(&self.agents[1], 4)]),
            Entries::ForeignUnits => Buffer::of(&self.foreign),
            Entries::ForeignOrders => Buffer::of(&foreign_orders),
            Entries::Specs => Buffer::of(&[agent_at(3, 3), agent_at(4, 3)]),
            Entries::Positions => Buffer::of(&[ThrongPos { x: 6, y: 6 }, ThrongPos { x: 7, y: 6 }]),
            Entries::Edits => Buffer::of(&[edit(0, 2), edit(2, 5)]),
            Entries::Terrain => Buffer::of(&[0_u8; 12]),
            Entries::MapFile => Buffer::copy_of(fixture_map()),
            Entries::Snapshot => Buffer::copy_of(&saved()[0]),
            Entries::Recording => Buffer::copy_of(&saved()[1]),
            // SAFETY: the pointer is that of a structure.
            Entries::Settings => Buffer::of(&[made(|settings| unsafe { throng_settings_default(settings) })]),
            Entries::Profile => {
                Buffer::of(&[ThrongProfile { halves: [2, 2, 4, 0, 0, 0, 0], passage_class: 1 }])
            }
        }
    }
}

fn agent_at(x: i32, y: i32) -> ThrongAgentSpec {
    ThrongAgentSpec { at: ThrongPos { x, y }, ..ThrongAgentSpec::default() }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // A case may have freed them.
        // SAFETY: there are no pointers.
        let _ = unsafe { throng_world_free(self.world) };
        // SAFETY: as above.
        let _ = unsafe { throng_world_free(self.other) };
        // SAFETY: as above.
        let _ = unsafe { throng_map_free(self.map) };
        // SAFETY: as above.
        let _ = unsafe { throng_bytes_free(self.bytes) };
    }
}
