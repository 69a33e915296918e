//! What FAR knows of one agent.

use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader, put, put_bytes};
use throng_grid::{Cell, Direction, Size};

/// What keeps an agent waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Blocker {
    /// Nothing: it moves, or has nowhere to go, or no path yet.
    #[default]
    Nothing,
    /// A unit that is not ours.
    Foreign,
    /// An agent that stands in a cell it needs, or will pass it.
    Agent(AgentId),
}

/// An agent on its way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Walker {
    /// Whether it is on the map, as far as known, and its reservations are in the table.
    pub(super) placed: bool,
    /// Where it stands before the coming tick.
    pub(super) at: Cell,
    /// Its path as numbers of directions; those before `next` have been walked.
    pub(super) path: Vec<u8>,
    pub(super) next: usize,
    /// Where the path leads; `None` without one.
    pub(super) to: Option<Cell>,
    /// How many of the coming moves it has reserved already.
    pub(super) reserved: usize,
    /// Until this tick it stays where it was asked to stand aside.
    pub(super) rest: u64,
    /// Where it stood before that: it is not sent back there.
    pub(super) before: Cell,
    /// How often it has been sent further without having rested.
    pub(super) asides: u32,
    /// How often it has stood aside on its way: each time it is slower to do so again.
    pub(super) yielded: u32,
    /// Ticks in a row in which it could not reserve.
    pub(super) waited: u32,
    pub(super) blocker: Blocker,
    /// Whether its next path keeps clear of those around it who never make way.
    pub(super) detour: bool,
}

impl Walker {
    /// Forgets the path, but not what has been reserved: that must be given back first.
    pub(super) fn forget_path(&mut self) {
        debug_assert_eq!(self.reserved, 0, "reserved moves are part of the path");
        self.path.clear();
        self.next = 0;
        self.to = None;
        self.waited = 0;
        self.blocker = Blocker::Nothing;
    }

    /// The moves that are left.
    pub(super) fn left(&self) -> &[u8] {
        &self.path[self.next..]
    }

    /// The cells that it will enter, in order; `offsets` are the grid's.
    pub(super) fn ahead(&self, offsets: [i32; 8]) -> impl Iterator<Item = Cell> + '_ {
        self.left().iter().scan(self.at, move |at, &number| {
            *at = step(*at, number, &offsets);
            Some(*at)
        })
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.placed) | u64::from(self.detour) << 1);
        put(bytes, u64::from(self.at.0));
        put_bytes(bytes, self.left());
        put(bytes, self.to.map_or(0, |cell| u64::from(cell.0) + 1));
        put(bytes, self.reserved as u64);
        put(bytes, self.rest);
        put(bytes, u64::from(self.before.0));
        put(bytes, u64::from(self.asides));
        put(bytes, u64::from(self.yielded));
        put(bytes, u64::from(self.waited));
        put(
            bytes,
            match self.blocker {
                Blocker::Nothing => 0,
                Blocker::Foreign => 1,
                Blocker::Agent(agent) => u64::from(agent.0) + 2,
            },
        );
    }

    /// Reads what [`Walker::save`] wrote, for a grid of that size and so many agents.
    pub(super) fn load(reader: &mut Reader<'_>, size: Size, agents: u64) -> Result<Self, Damaged> {
        let cells = size.area() as u64;
        let flags = reader.number_to(3, "an agent's flags")?;
        let at = Cell(reader.number_to(cells - 1, "an agent's cell")? as u32);
        let path = reader.bytes("an agent's path")?.to_vec();
        let mut pos = size.pos(at);
        for &number in &path {
            pos = pos + Direction::from_number(number);
            if number > 7 || !size.contains(pos) {
                return Err(reader.damaged("a path on the map"));
            }
        }
        let to = reader.number_to(cells, "the end of an agent's path")?;
        let reserved = reader.number_to(path.len() as u64, "reserved moves")? as usize;
        let rest = reader.number("a tick")?;
        let before = Cell(reader.number_to(cells - 1, "a cell left")? as u32);
        let asides = reader.number_to(u64::from(u32::MAX), "times sent further")? as u32;
        let yielded = reader.number_to(u64::from(u32::MAX), "times stood aside")? as u32;
        let waited = reader.number_to(u64::from(u32::MAX), "ticks waited")? as u32;
        let blocker = match reader.number_to(agents + 1, "who is waited for")? {
            0 => Blocker::Nothing,
            1 => Blocker::Foreign,
            number => Blocker::Agent(AgentId(number as u32 - 2)),
        };
        Ok(Self {
            placed: flags & 1 != 0,
            at,
            path,
            next: 0,
            to: to.checked_sub(1).map(|cell| Cell(cell as u32)),
            reserved,
            rest,
            before,
            asides,
            yielded,
            waited,
            blocker,
            detour: flags & 2 != 0,
        })
    }
}

/// The cell one step away; meaningful for steps that stay on the map.
#[inline]
pub(super) fn step(cell: Cell, number: u8, offsets: &[i32; 8]) -> Cell {
    Cell(cell.0.wrapping_add_signed(offsets[Direction::from_number(number) as usize]))
}
