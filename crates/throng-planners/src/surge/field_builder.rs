//! Field builder: computes corridor fields piece by piece.
//!
//! First a shortest path is searched, by jump point search where the map allows it. Then the corridor around its first
//! stretch is laid, and a sweep from the end of the stretch finds the distances. Further stretches need no new path. All
//! of it pauses when the granted work is spent and resumes with the next grant.

use serde::{Deserialize, Serialize, Serializer};
use throng_crowd::{AgentId, Limits, StateError, Validate};
use throng_grid::{Cell, Ground, Pos};
use throng_search::open_list::{Buckets, TwoQueues};
use throng_search::{
    BestFirst, DenseStore, GridSpace, Jps, OctileDistance, Policy, Status, TouchedTiles, f_range,
};
use throng_toolkit::TimeSliced;

use super::field::{Field, Sweep};
use super::path::PathAhead;

/// Price of one expansion of jump point search, which scans whole rows and columns, in units of work: 0.7 to 1.3 µs
/// measured on four game maps, extraction of the path included, where an expansion of the sweep, which is one unit, took
/// 0.05 µs.
pub(super) const JUMP_PRICE: u64 = 20;
/// Price of laying a corridor and delivering the field, in units of work: 4 µs and 3 µs measured.
pub(super) const LAY_PRICE: u64 = 128;

/// What a field is built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FieldRequest {
    pub(super) agent: AgentId,
    pub(super) from: Cell,
    pub(super) target: Cell,
    /// The fingerprint of the map for which the field is built.
    #[serde(with = "postcard::fixint::le")]
    pub(super) map: u64,
    pub(super) origin: PathOrigin,
}

/// On which map and when a path was searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct PathOrigin {
    /// The fingerprint of the map.
    #[serde(with = "postcard::fixint::le")]
    pub(super) map: u64,
    pub(super) tick: u64,
}

/// How far the field has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The path is being searched.
    Path,
    /// The path is known. The corridor is laid next.
    Lay,
    /// The distances are being computed.
    Sweep,
    Done,
    /// There is no path.
    Unreachable,
    /// The state was restored and must be recomputed, which was paid for: this many units.
    Restored {
        units: u64,
    },
}

/// Builds one field at a time.
#[derive(Deserialize)]
#[serde(from = "SavedBuilder")]
pub(super) struct FieldBuilder {
    /// The position among the builders, which orders them.
    pub(super) slot: u8,
    pub(super) request: FieldRequest,
    stage: Stage,
    /// True if the path is known: then it is saved, and the field survives edits elsewhere.
    path_known: bool,
    /// True once the corridor is laid and its sweep has begun.
    laid: bool,
    jps: Jps,
    astar: BestFirst<DenseStore, Buckets>,
    sweep: Sweep,
    found: Vec<Cell>,
    path: PathAhead,
    /// The first cell of each square of the field.
    squares: Vec<Pos>,
    field: Field,
    /// Units that were paid for and not used yet, because one expansion costs more.
    credit: u64,
    /// True if paths are searched by jump point search.
    jumps: bool,
}

/// A field that is being built, as it is saved.
#[derive(Serialize, Deserialize)]
struct SavedBuilder {
    slot: u8,
    request: FieldRequest,
    /// The path, if it is known.
    path: Option<SavedPath>,
    /// Units used so far.
    units: u64,
    credit: u64,
}

#[derive(Serialize, Deserialize)]
struct SavedPath {
    path: PathAhead,
    laid: bool,
    tiles: TouchedTiles,
}

impl TimeSliced for FieldBuilder {
    fn agent(&self) -> AgentId {
        self.request.agent
    }

    fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done | Stage::Unreachable)
    }
}

impl Default for FieldBuilder {
    fn default() -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let origin = PathOrigin::default();
        Self {
            slot: 0,
            request: FieldRequest { agent: AgentId(0), from: Cell(0), target: Cell(0), map: 0, origin },
            stage: Stage::Done,
            path_known: false,
            laid: false,
            jps: Jps::default(),
            astar: BestFirst::new(DenseStore::default(), Buckets::default(), policy),
            sweep: BestFirst::new(DenseStore::default(), TwoQueues::default(), policy),
            found: Vec::new(),
            path: PathAhead::default(),
            squares: Vec::new(),
            field: Field::default(),
            credit: 0,
            jumps: false,
        }
    }
}

impl FieldBuilder {
    /// Returns an idle builder with memory for the paths of a map.
    pub(super) fn with_memory(ground: &Ground) -> Self {
        let mut builder = Self::default();
        if can_jump(ground) {
            builder.jps.begin(ground, Cell(0), Cell(0));
        }
        builder
    }

    /// Starts the next stretch of the path that a field follows, for an agent at distance `here`. Returns false if there
    /// is no such stretch.
    pub(super) fn start_next_stretch(
        &mut self,
        ground: &Ground,
        request: FieldRequest,
        field: &Field,
        here: u16,
    ) -> bool {
        let found = field.next_stretch(ground, here, &mut self.path);
        if found {
            (self.request, self.stage, self.credit) = (request, Stage::Lay, 0);
            (self.path_known, self.laid) = (true, false);
        }
        found
    }

    /// Starts a field with the search of a path.
    pub(super) fn start(&mut self, ground: &Ground, request: FieldRequest) {
        (self.request, self.stage, self.credit) = (request, Stage::Path, 0);
        (self.path_known, self.laid) = (false, false);
        self.jumps = can_jump(ground);
        if self.jumps {
            self.jps.begin(ground, request.from, request.target);
        } else {
            self.astar.set_f_range(f_range(ground));
            self.astar.begin(&GridSpace::new(ground));
            self.astar.add_source(request.from.0, 0, &mut OctileDistance::to_cell(ground, request.target));
        }
    }

    /// Continues for the granted units and returns how many of them were used or kept for an expansion that costs more.
    pub(super) fn advance(&mut self, ground: &Ground, granted: u64) -> u64 {
        self.credit += granted;
        if self.stage == Stage::Path {
            self.search(ground);
        }
        if self.stage == Stage::Lay && self.credit >= LAY_PRICE {
            self.credit -= LAY_PRICE;
            self.field.lay(ground, &mut self.path, &mut self.squares);
            self.field.begin_sweep(ground, &mut self.sweep);
            (self.stage, self.laid) = (Stage::Sweep, true);
        }
        if self.stage == Stage::Sweep {
            let before = self.sweep.expansions();
            let status = self.field.sweep_on(ground, &self.squares, &mut self.sweep, self.credit);
            self.credit -= self.sweep.expansions() - before;
            if status != Status::Paused {
                self.stage = Stage::Done;
            }
        }
        let back = if self.is_done() { self.credit.min(granted) } else { 0 };
        self.credit -= back;
        granted - back
    }

    /// After an edit: returns true if the field can be continued, because nothing that it depends on has changed.
    pub(super) fn survives(&mut self, ground: &Ground) -> bool {
        let survives = self.path_known
            && if self.laid { self.field.is_current(ground) } else { self.path.is_intact(ground) };
        if survives {
            self.request.map = ground.fingerprint();
        }
        survives
    }

    fn search(&mut self, ground: &Ground) {
        let target = self.request.target;
        let status = if self.jumps {
            let before = self.jps.expansions();
            let status = self.jps.resume(ground, target, self.credit / JUMP_PRICE);
            self.credit -= (self.jps.expansions() - before) * JUMP_PRICE;
            status
        } else {
            let before = self.astar.expansions();
            let mut heuristic = OctileDistance::to_cell(ground, target);
            let (mut space, is_goal) = (GridSpace::new(ground), |node| node == target.0);
            let status = self.astar.resume(&mut space, &mut heuristic, is_goal, self.credit, &mut ());
            self.credit -= self.astar.expansions() - before;
            status
        };
        match status {
            Status::Found(_) => {}
            Status::Paused => return,
            Status::Exhausted | Status::Incumbent(_) => return self.stage = Stage::Unreachable,
        }
        self.found.clear();
        if self.jumps {
            self.jps.trace(ground, target, &mut self.found);
        } else {
            self.astar.trace(&GridSpace::new(ground), target.0, &mut self.found);
        }
        self.stage = if self.path.start(ground, &self.found) { Stage::Lay } else { Stage::Unreachable };
        self.path_known = true;
    }

    /// Returns a copy of the finished field; `None` if there is no path.
    pub(super) fn result(&self) -> Option<Field> {
        (self.stage == Stage::Done).then(|| self.field.clone())
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.found.capacity() * size_of::<Cell>() + self.squares.capacity() * size_of::<Pos>();
        let astar = self.astar.store().memory_bytes() + self.astar.memory_bytes();
        let sweep = self.sweep.store().memory_bytes() + self.sweep.memory_bytes();
        self.field.memory_bytes() + self.path.memory_bytes() + lists + self.jps.memory_bytes() + astar + sweep
    }

    /// After restoring: computes again what was paid for before.
    pub(super) fn recompute(&mut self, ground: &Ground) {
        if let Stage::Restored { units } = self.stage {
            let credit = self.credit;
            if self.path_known {
                (self.stage, self.laid) = (Stage::Lay, false);
            } else {
                self.start(ground, self.request);
            }
            self.credit = units;
            self.advance(ground, 0);
            self.credit = credit;
        }
    }

    /// Returns the units used for the field so far.
    fn units(&self) -> u64 {
        if let Stage::Restored { units } = self.stage {
            return units;
        }
        let search = match (self.path_known, self.jumps) {
            (true, _) => 0,
            (false, true) => self.jps.expansions() * JUMP_PRICE,
            (false, false) => self.astar.expansions(),
        };
        search + if self.stage == Stage::Sweep { LAY_PRICE + self.sweep.expansions() } else { 0 }
    }
}

impl Serialize for FieldBuilder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Once a stretch is laid, the field has its path.
        let restored = matches!(self.stage, Stage::Restored { .. });
        let path = if self.laid && !restored { self.field.path() } else { &self.path };
        let path = self.path_known.then(|| SavedPath {
            path: path.clone(),
            laid: self.laid,
            tiles: self.field.tiles().clone(),
        });
        let Self { slot, request, credit, .. } = *self;
        SavedBuilder { slot, request, path, units: self.units(), credit }.serialize(serializer)
    }
}

/// Restores a field that was being built. [`FieldBuilder::recompute`] continues it.
impl From<SavedBuilder> for FieldBuilder {
    fn from(saved: SavedBuilder) -> Self {
        let SavedBuilder { slot, request, path, units, credit } = saved;
        let (stage, path_known) = (Stage::Restored { units }, path.is_some());
        let mut builder = Self { slot, request, stage, path_known, credit, ..Self::default() };
        if let Some(SavedPath { path, laid, tiles }) = path {
            (builder.path, builder.laid) = (path, laid);
            builder.field.set_tiles(tiles);
        }
        builder
    }
}

impl Validate for PathOrigin {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { map: _, tick } = self;
        limits.past_tick(*tick)
    }
}

impl Validate for FieldRequest {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { agent, from, target, map: _, origin } = self;
        (*agent, [*from, *target]).validate(limits)?;
        origin.validate(limits)
    }
}

/// Validates what was loaded.
impl Validate for FieldBuilder {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { request, path, field, credit, .. } = self;
        request.validate(limits)?;
        path.validate(limits)?;
        field.tiles().validate(limits)?;
        let max_units = (JUMP_PRICE + 1) * limits.size.area() as u64 + LAY_PRICE;
        limits.at_most(self.units(), max_units, "the work on a field")?;
        limits.at_most(*credit, max_units, "the work paid for a field")
    }
}

/// Returns true if jump point search supports the rules of the map.
fn can_jump(ground: &Ground) -> bool {
    throng_search::search_info("jps").is_ok_and(|info| info.supports(ground).is_ok())
}

#[cfg(test)]
mod tests;
