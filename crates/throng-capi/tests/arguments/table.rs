//! The exported functions, and what valid arguments of each are.

use throng_capi::*;

/// A parameter with a valid value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter {
    /// The world of the fixture.
    World,
    /// Another world.
    OtherWorld,
    /// The map of the fixture.
    Map,
    /// The bytes of the fixture.
    Bytes,
    /// An agent.
    Agent,
    /// A text.
    Text(&'static str),
    /// A structure or an array that the function reads, of these entries.
    Input(Entries),
    /// An array that the function fills, of entries of this size and alignment.
    Output(usize, usize, usize),
    /// The same, and it may be null.
    Optional(usize, usize, usize),
    /// The number of entries of the arrays before it.
    Count(usize),
    /// A number with values that are refused.
    Limited(u64, &'static [u64]),
    /// A number of which every value is accepted.
    Number(u64),
    /// A coordinate.
    Coordinate(i32),
}

/// Entries that a function reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entries {
    Agents,
    Orders,
    ForeignUnits,
    ForeignOrders,
    Specs,
    Positions,
    Edits,
    Terrain,
    MapFile,
    Snapshot,
    Recording,
    Settings,
    Profile,
}

/// Calls a function with its arguments as numbers.
type Call = Box<dyn Fn(&[u64]) -> ThrongStatus + Send + Sync>;

/// An exported function.
pub(crate) struct Symbol {
    pub(crate) name: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) call: Call,
    /// What the call returns with valid arguments.
    pub(crate) valid: ThrongStatus,
}

/// A type of parameters, made of a number.
trait Word {
    fn of(word: u64) -> Self;
}

macro_rules! words {
    ($($number:ty),+) => {
        $(impl Word for $number {
            fn of(word: u64) -> Self {
                word as Self
            }
        })+
    };
}

words!(u32, i32, u64, usize);

impl<T> Word for *const T {
    fn of(word: u64) -> Self {
        word as Self
    }
}

impl<T> Word for *mut T {
    fn of(word: u64) -> Self {
        word as Self
    }
}

/// The number of entries of arrays.
pub(crate) const ENTRIES: usize = 2;
/// The capacity of texts.
pub(crate) const LETTERS: usize = 200;

macro_rules! symbols {
    ($($name:ident($($parameter:expr),*);)+) => {
        vec![$(Symbol {
            name: stringify!($name),
            parameters: vec![$($parameter),*],
            call: Box::new(|words| {
                assert_eq!(words.len(), [$(stringify!($parameter)),*].len());
                let mut words = words.iter().copied();
                // SAFETY: the cases keep the contract of the crate: a pointer is null, misaligned or to a buffer of at least
                // the size that is passed with it, or of a size that cannot be.
                unsafe { $name($(next(&mut words, stringify!($parameter))),*) }
            }),
            valid: ThrongStatus::Ok,
        }),+]
    };
}

/// Returns the next argument.
fn next<T: Word>(words: &mut impl Iterator<Item = u64>, parameter: &str) -> T {
    T::of(words.next().unwrap_or_else(|| panic!("no argument for {parameter}")))
}

const MAX: u64 = u64::MAX;
const NOT_TRUTH: &[u64] = &[2, MAX];

fn place<T>() -> Parameter {
    Parameter::Output(size_of::<T>(), align_of::<T>(), 1)
}

fn output<T>() -> Parameter {
    Parameter::Output(size_of::<T>(), align_of::<T>(), ENTRIES)
}

/// Room for everything that there is.
fn room<T>() -> Parameter {
    Parameter::Output(size_of::<T>(), align_of::<T>(), LETTERS)
}

fn optional<T>() -> Parameter {
    Parameter::Optional(size_of::<T>(), align_of::<T>(), ENTRIES)
}

/// Returns all exported functions.
pub(crate) fn table() -> Vec<Symbol> {
    let mut all =
        [about_the_library(), about_worlds(), orders(), queries()].into_iter().flatten().collect::<Vec<_>>();
    for symbol in &mut all {
        if symbol.name == "throng_world_notice" {
            // The planner of the fixture has no notices.
            symbol.valid = ThrongStatus::InvalidArgument;
        }
    }
    all
}

fn about_the_library() -> Vec<Symbol> {
    use Entries::{MapFile, Profile, Recording, Terrain};
    use Parameter::{Bytes, Count, Input, Limited, Map, Number, Text};
    symbols! {
        throng_version(room::<u8>(), Count(LETTERS), place::<usize>());
        throng_abi_version(place::<u32>());
        throng_last_error(room::<u8>(), Count(LETTERS), place::<usize>());
        throng_status_name(Limited(8, &[15, 1000, MAX]), room::<u8>(), Count(LETTERS), place::<usize>());
        throng_planner_names(room::<u8>(), Count(LETTERS), place::<usize>());
        throng_bytes_read(Bytes, room::<u8>(), Count(LETTERS), place::<usize>());
        throng_bytes_free(Bytes);
        throng_map_create(
            Limited(4, &[0, 5, MAX]), Limited(3, &[0, 4, MAX]), Input(Terrain), Count(12), Limited(0, &[3, MAX]),
            Limited(0, NOT_TRUTH), place::<u64>()
        );
        throng_map_parse(
            Input(MapFile), Count(fixture_map().len()), Limited(1, &[3, MAX]), Limited(1, NOT_TRUTH), place::<u64>()
        );
        throng_map_builtin(Text("rooms"), Limited(2, &[3, MAX]), Limited(0, NOT_TRUTH), place::<u64>());
        throng_map_generate(
            Text("random"), Limited(20, &[0, MAX]), Limited(20, &[0, MAX]), Number(1), Limited(0, &[3, MAX]),
            Limited(0, NOT_TRUTH), place::<u64>()
        );
        throng_map_add_profile(Map, Input(Profile), place::<u32>());
        throng_map_size(Map, place::<u32>(), place::<u32>());
        throng_map_terrain(Map, room::<u8>(), Count(LETTERS), place::<usize>());
        throng_map_free(Map);
        throng_recording_check(Input(Recording), Count(0), place::<ThrongCheck>());
    }
}

/// A map file that is read.
pub(crate) fn fixture_map() -> &'static [u8] {
    b"type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n"
}

fn about_worlds() -> Vec<Symbol> {
    use Entries::{Edits, Settings, Snapshot};
    use Parameter::{Count, Input, Limited, Map, Number, OtherWorld, Text, World};
    symbols! {
        throng_settings_default(place::<ThrongSettings>());
        throng_world_create(Map, Text("surge"), Input(Settings), place::<u64>());
        throng_world_clone(World, place::<u64>());
        throng_world_copy_from(World, OtherWorld);
        throng_world_free(World);
        throng_world_set_threads(World, Limited(2, &[0, 1_025, MAX]));
        throng_world_tick(World, Limited(0, &[5, MAX]), Number(0), place::<ThrongTickReport>());
        throng_world_events(World, room::<ThrongEvent>(), Count(LETTERS), place::<usize>());
        throng_world_notice(World, Number(0), room::<u8>(), Count(LETTERS), place::<usize>());
        throng_world_edit(World, Input(Edits), Count(ENTRIES), optional::<u64>(), optional::<u32>());
        throng_world_snapshot(World, place::<u64>());
        throng_world_restore(Input(Snapshot), Count(0), place::<u64>());
        throng_world_start_recording(World);
        throng_world_drain_recording(World, place::<u64>());
        throng_world_finish_recording(World, place::<u64>());
    }
}

fn orders() -> Vec<Symbol> {
    use Entries::{Agents, ForeignOrders, ForeignUnits, Orders, Positions, Specs};
    use Parameter::{Agent, Coordinate, Count, Input, Limited, Number, World};
    let results = optional::<u32>;
    symbols! {
        throng_world_spawn(World, Input(Specs), Count(ENTRIES), output::<u64>(), results());
        throng_world_despawn(World, Input(Agents), Count(ENTRIES), results());
        throng_world_send(World, Input(Orders), Count(ENTRIES), optional::<ThrongDestination>(), results());
        throng_world_send_group(
            World, Input(Agents), Count(ENTRIES), Coordinate(3), Coordinate(3), place::<u64>(),
            optional::<ThrongDestination>()
        );
        throng_world_teleport(World, Input(Orders), Count(ENTRIES), results());
        throng_world_queue(World, Input(Orders), Count(ENTRIES), results());
        throng_world_halt(World, Input(Agents), Count(ENTRIES), results());
        throng_world_hold(World, Input(Agents), Count(ENTRIES), Limited(1, NOT_TRUTH), results());
        throng_world_control(World, Input(Agents), Count(ENTRIES), Limited(1, NOT_TRUTH), results());
        throng_world_set_priority(World, Input(Agents), Count(ENTRIES), Limited(3, &[128, 1 << 31]), results());
        throng_world_set_speed(
            World, Input(Agents), Count(ENTRIES), Limited(2, &[0, 65_536, MAX]), Limited(3, &[0, 65_536, MAX]), results()
        );
        throng_world_set_profile(World, Input(Agents), Count(ENTRIES), Limited(0, &[1, 256, MAX]), results());
        throng_world_patrol(World, Agent, Input(Positions), Count(ENTRIES));
        throng_world_extend_patrol(World, Agent, Coordinate(2), Coordinate(2));
        throng_world_follow(World, Agent, Limited(1, &[0, 3, MAX]), Number(1), Limited(2, &[65_536, MAX]));
        throng_world_place_foreign(World, Input(Positions), Count(ENTRIES), output::<u64>(), results());
        throng_world_move_foreign(World, Input(ForeignOrders), Count(ENTRIES), results());
        throng_world_remove_foreign(World, Input(ForeignUnits), Count(ENTRIES), results());
    }
}

fn queries() -> Vec<Symbol> {
    use Entries::Agents;
    use Parameter::{Agent, Coordinate, Count, Input, Limited, Optional, World};
    let results = optional::<u32>;
    let positions = || Optional(size_of::<ThrongPos>(), align_of::<ThrongPos>(), LETTERS);
    symbols! {
        throng_world_foreign_units(World, room::<u64>(), positions(), Count(LETTERS), place::<usize>());
        throng_world_info(World, place::<ThrongWorldInfo>());
        throng_world_state_hash(World, place::<u64>());
        throng_world_planner_name(World, room::<u8>(), Count(LETTERS), place::<usize>());
        throng_world_agents(World, room::<u64>(), positions(), Count(LETTERS), place::<usize>());
        throng_world_positions(World, Input(Agents), Count(ENTRIES), output::<ThrongPos>(), results());
        throng_world_motions(World, room::<ThrongMotion>(), Count(LETTERS), place::<usize>());
        throng_world_agent_infos(World, Input(Agents), Count(ENTRIES), output::<ThrongAgentInfo>(), results());
        throng_world_next_cells(World, Input(Agents), Count(ENTRIES), output::<ThrongNextCell>(), results());
        throng_world_path(World, Agent, room::<ThrongPathCell>(), Count(LETTERS), place::<usize>());
        throng_world_remaining(World, Agent, place::<ThrongRemaining>());
        throng_world_orders(World, Agent, place::<ThrongOrders>(), room::<ThrongPos>(), Count(LETTERS), place::<usize>());
        throng_world_terrain(World, room::<u8>(), Count(LETTERS), place::<usize>());
        throng_world_walkable(World, Limited(0, &[1, 256, MAX]), room::<u8>(), Count(LETTERS), place::<usize>());
        throng_world_agents_near(
            World, Coordinate(2), Coordinate(2), Limited(5, &[65_536, MAX]), room::<u64>(), Count(LETTERS),
            place::<usize>()
        );
        throng_world_occupant(World, Coordinate(0), Coordinate(0), place::<ThrongUnit>());
        throng_world_reachable(
            World, Limited(0, &[1, 256, MAX]), Coordinate(0), Coordinate(0), Coordinate(3), Coordinate(3), place::<u32>()
        );
        throng_world_line_of_sight(
            World, Limited(0, &[1, 256, MAX]), Coordinate(0), Coordinate(0), Coordinate(3), Coordinate(3), place::<u32>()
        );
    }
}
