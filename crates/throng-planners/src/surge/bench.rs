//! Where corridor fields are made, piece by piece.
//!
//! First a shortest path, by jumping where the map allows it; then the corridor around its first stretch is laid, and a
//! sweep from the stretch's end finds the distances. Further stretches need no new path. All of it pauses when the work
//! granted is spent and goes on with the next grant.

use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader, put, put_fixed, put_touched};
use throng_grid::{Cell, Ground, Pos};
use throng_search::open_list::{Buckets, TwoQueues};
use throng_search::{BestFirst, DenseStore, GridSpace, Jps, OctileDistance, Policy, Status, f_range};

use super::field::{Field, Sweep};
use super::way::Way;

/// Units of work that an expansion of the jumping search counts, for it scans whole rows and columns: 0.7 to 1.3 µs were
/// measured on four game maps, finding the path's cells included, where an expansion of the sweep, which is one unit, took
/// 0.05 µs.
pub(super) const JUMP: u64 = 20;
/// Units of work that laying a corridor counts, and handing the field over: 4 µs and 3 µs.
pub(super) const LAY: u64 = 128;

/// Whose field is being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Job {
    pub(super) agent: AgentId,
    pub(super) from: Cell,
    pub(super) target: Cell,
    /// The fingerprint of the map it is made for.
    pub(super) ground: u64,
    /// The fingerprint of the map for which its way was looked for, and when.
    pub(super) origin: (u64, u64),
    /// Whether the way is known.
    pub(super) found: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Path,
    Lay,
    Sweep,
    Done,
    /// There is no path.
    Hopeless,
}

/// A place where one field is made at a time.
pub(super) struct Bench {
    pub(super) job: Option<Job>,
    stage: Stage,
    jump: Jps,
    plain: BestFirst<DenseStore, Buckets>,
    sweep: Sweep,
    path: Vec<Cell>,
    way: Way,
    /// Where each square of the field begins.
    squares: Vec<Pos>,
    field: Field,
    /// Units granted for this round.
    pub(super) granted: u64,
    /// Units of them that were used, or are kept for an expansion that needs more.
    pub(super) spent: u64,
    /// Units paid for and not used yet.
    credit: u64,
    /// Whether paths are found by jumping.
    jumps: bool,
    /// Whether the corridor is laid, and its sweep has begun.
    sweeps: bool,
    /// Loaded: units of work to do again once the map is at hand.
    redo: Option<u64>,
}

impl Bench {
    /// An idle bench with room for the paths of a map.
    pub(super) fn new(ground: &Ground) -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let mut jump = Jps::default();
        if can_jump(ground) {
            jump.begin(ground, Cell(0), Cell(0));
        }
        Self {
            job: None,
            stage: Stage::Done,
            jump,
            plain: BestFirst::new(DenseStore::default(), Buckets::default(), policy),
            sweep: BestFirst::new(DenseStore::default(), TwoQueues::default(), policy),
            path: Vec::new(),
            way: Way::default(),
            squares: Vec::new(),
            field: Field::default(),
            granted: 0,
            spent: 0,
            credit: 0,
            jumps: false,
            sweeps: false,
            redo: None,
        }
    }

    /// Takes up the next stretch of the way that a field follows, for who stands at a value. Answers whether there is
    /// such a stretch.
    pub(super) fn go_on(&mut self, ground: &Ground, job: Job, field: &Field, here: u16) -> bool {
        let found = field.lead_on(ground, here, &mut self.way);
        if found {
            (self.job, self.stage, self.credit, self.redo) = (Some(job), Stage::Lay, 0, None);
            self.sweeps = false;
        }
        found
    }

    /// Takes up a job.
    pub(super) fn begin(&mut self, ground: &Ground, job: Job) {
        (self.job, self.stage, self.credit, self.redo) = (Some(job), Stage::Path, 0, None);
        self.sweeps = false;
        self.jumps = can_jump(ground);
        if self.jumps {
            self.jump.begin(ground, job.from, job.target);
        } else {
            self.plain.set_f_range(f_range(ground));
            self.plain.begin(&GridSpace::new(ground));
            self.plain.add_source(job.from.0, 0, &mut OctileDistance::to_cell(ground, job.target));
        }
    }

    /// Goes on for the units granted.
    pub(super) fn advance(&mut self, ground: &Ground) {
        let Some(job) = self.job else { return };
        self.credit += self.granted;
        let paid = self.granted;
        if self.stage == Stage::Path {
            self.seek(ground, job);
        }
        if self.stage == Stage::Lay && self.credit >= LAY {
            self.credit -= LAY;
            self.field.lay(ground, &mut self.way, &mut self.squares);
            self.field.begin_sweep(ground, &mut self.sweep);
            (self.stage, self.sweeps) = (Stage::Sweep, true);
        }
        if self.stage == Stage::Sweep {
            let before = self.sweep.expansions();
            let status = self.field.sweep_on(ground, &self.squares, &mut self.sweep, self.credit);
            self.credit -= self.sweep.expansions() - before;
            if status != Status::Paused {
                self.stage = Stage::Done;
            }
        }
        // What is left of this grant goes back; what would not pay for one jump is kept.
        let done = matches!(self.stage, Stage::Done | Stage::Hopeless);
        let back = if done { self.credit.min(paid) } else { 0 };
        self.credit -= back;
        self.spent = paid - back;
    }

    /// After an edit: whether the job under way can go on, because nothing that it has looked at has changed.
    pub(super) fn outlives(&mut self, ground: &Ground) -> bool {
        let outlives = self.job.is_some_and(|job| job.found)
            && if self.sweeps { self.field.is_as_laid(ground) } else { self.way.is_whole(ground) };
        if let Some(job) = self.job.as_mut().filter(|_| outlives) {
            job.ground = ground.fingerprint();
        }
        outlives
    }

    fn seek(&mut self, ground: &Ground, job: Job) {
        let status = if self.jumps {
            let before = self.jump.expansions();
            let status = self.jump.resume(ground, job.target, self.credit / JUMP);
            self.credit -= (self.jump.expansions() - before) * JUMP;
            status
        } else {
            let before = self.plain.expansions();
            let mut heuristic = OctileDistance::to_cell(ground, job.target);
            let (mut space, is_goal) = (GridSpace::new(ground), |node| node == job.target.0);
            let status = self.plain.resume(&mut space, &mut heuristic, is_goal, self.credit, &mut ());
            self.credit -= self.plain.expansions() - before;
            status
        };
        match status {
            Status::Found(_) => {}
            Status::Paused => return,
            Status::Exhausted | Status::Incumbent(_) => return self.stage = Stage::Hopeless,
        }
        self.path.clear();
        if self.jumps {
            self.jump.trace(ground, job.target, &mut self.path);
        } else {
            self.plain.trace(&GridSpace::new(ground), job.target.0, &mut self.path);
        }
        self.stage = if self.way.take(ground, &self.path) { Stage::Lay } else { Stage::Hopeless };
        // Once it is found the way is saved, and outlives edits elsewhere.
        self.job = Some(Job { found: true, ..job });
    }

    /// Gives away what is finished: a field, or that there is none.
    pub(super) fn finished(&mut self) -> Option<(Job, Option<Field>)> {
        match self.stage {
            Stage::Path | Stage::Lay | Stage::Sweep => None,
            Stage::Done => self.job.take().map(|job| (job, Some(self.field.clone()))),
            Stage::Hopeless => self.job.take().map(|job| (job, None)),
        }
    }
}

impl Bench {
    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.path.capacity() * size_of::<Cell>() + self.squares.capacity() * size_of::<Pos>();
        let plain = self.plain.store().memory_bytes() + self.plain.memory_bytes();
        let sweep = self.sweep.store().memory_bytes() + self.sweep.memory_bytes();
        self.field.memory_bytes() + self.way.memory_bytes() + lists + self.jump.memory_bytes() + plain + sweep
    }

    /// Writes what the job under way has to be done again from.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.job.is_some()));
        if let Some(job) = self.job {
            for value in [job.agent.0, job.from.0, job.target.0] {
                put(bytes, u64::from(value));
            }
            put_fixed(bytes, job.ground);
            put_fixed(bytes, job.origin.0);
            put(bytes, job.origin.1);
            put(bytes, u64::from(job.found));
            if job.found {
                self.given().save(bytes);
                put(bytes, u64::from(self.sweeps));
                put_touched(bytes, self.field.tiles());
            }
            put(bytes, self.progress());
            put(bytes, self.credit);
        }
    }

    /// The way whose next stretch is made: once that is laid, the field has it.
    fn given(&self) -> &Way {
        if !self.sweeps || self.redo.is_some() { &self.way } else { self.field.way() }
    }

    /// Takes back what [`Bench::save`] wrote, on a map of so many cells.
    pub(super) fn load(&mut self, reader: &mut Reader<'_>, area: usize) -> Result<(), Damaged> {
        let what = "a field in the making";
        (self.job, self.redo, self.credit) = (None, None, 0);
        if !reader.flag(what)? {
            return Ok(());
        }
        let agent = AgentId(reader.number_to(u64::from(u32::MAX), what)? as u32);
        let mut cell =
            || reader.number_to((area as u64).saturating_sub(1), what).map(|cell| Cell(cell as u32));
        let (from, target) = (cell()?, cell()?);
        let ground = reader.fixed(what)?;
        let origin = (reader.fixed(what)?, reader.number_to(u64::MAX / 2, what)?);
        let found = reader.flag(what)?;
        if found {
            self.way = Way::load(reader, area)?;
            self.sweeps = reader.flag(what)?;
            self.field.put_tiles(reader.touched()?);
        }
        self.job = Some(Job { agent, from, target, ground, origin, found });
        self.redo = Some(reader.number_to(1 << 40, what)?);
        self.credit = reader.number_to(1 << 40, what)?;
        Ok(())
    }

    /// After loading: does again what was paid for before.
    pub(super) fn revive(&mut self, ground: &Ground) {
        if let (Some(job), Some(units)) = (self.job, self.redo.take()) {
            let credit = self.credit;
            if job.found {
                (self.stage, self.sweeps) = (Stage::Lay, false);
            } else {
                self.begin(ground, job);
            }
            (self.credit, self.granted) = (units, 0);
            self.advance(ground);
            (self.credit, self.spent) = (credit, 0);
        }
    }

    /// Units used on the job so far.
    fn progress(&self) -> u64 {
        if let Some(units) = self.redo {
            return units;
        }
        let path = match self.job {
            Some(Job { found: true, .. }) => 0,
            _ if self.jumps => self.jump.expansions() * JUMP,
            _ => self.plain.expansions(),
        };
        path + if self.stage == Stage::Sweep { LAY + self.sweep.expansions() } else { 0 }
    }
}

/// Whether the jumping search knows the rules of the map.
fn can_jump(ground: &Ground) -> bool {
    throng_search::search_info("jps").is_ok_and(|info| info.supports(ground).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::field::REACH;
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;
    use throng_grid::{Corners, Cost, Grid, MoveRules, Profile, Size, Terrain, Tiles};

    fn random(side: u32, seed: u64, rules: MoveRules, profile: Profile) -> Grid {
        let (size, mut random) = (Size::new(side, side).unwrap(), Pcg32::seed_from_u64(seed));
        let terrain = |_| match random.next_u32() % 20 {
            0..5 => Terrain::Wall,
            5..8 => Terrain::Swamp,
            8..10 => Terrain::Trees,
            _ => Terrain::Ground,
        };
        let tiles = Tiles::from_terrain(size, size.cells().map(terrain).collect()).unwrap();
        Grid::with_profile(tiles, rules, profile)
    }

    /// All rules, with and without terrain that costs more, on several maps.
    fn grounds(mut check: impl FnMut(&Ground, &mut Pcg32)) {
        let rules = Corners::ALL.map(MoveRules::eight_way).into_iter().chain([MoveRules::FOUR_WAY]);
        for rules in rules {
            for (seed, profile) in (0..12).flat_map(|seed| [(seed, Profile::WALKER), (seed, Profile::WC3)]) {
                let grid = random(40, seed, rules, profile);
                check(grid.ground(), &mut Pcg32::seed_from_u64(seed));
            }
        }
    }

    fn some_job(ground: &Ground, random: &mut Pcg32) -> Job {
        let free: Vec<Cell> = ground.free_cells().collect();
        let mut draw = || free[random.next_u32() as usize % free.len()];
        Job { agent: AgentId(0), from: draw(), target: draw(), ground: 0, origin: (0, 0), found: false }
    }

    /// Distances to a target on ways through some cells only, by trying until nothing gets better.
    fn slowly(ground: &Ground, target: Cell, inside: impl Fn(Cell) -> bool) -> Vec<Cost> {
        let mut left = vec![Cost::MAX; ground.size().area()];
        left[target.index()] = 0;
        loop {
            let mut better = false;
            for cell in ground.free_cells().filter(|&cell| inside(cell)) {
                for (direction, to) in ground.neighbours(cell).filter(|&(_, to)| inside(to)) {
                    let over = left[to.index()].saturating_add(ground.cost(cell, direction));
                    if over < left[cell.index()] {
                        (left[cell.index()], better) = (over, true);
                    }
                }
            }
            if !better {
                return left;
            }
        }
    }

    #[test]
    fn distances_are_those_of_a_slow_search_of_the_corridor() {
        let (mut compared, mut stretches) = (0, 0);
        grounds(|ground, random| {
            let job = some_job(ground, random);
            let mut bench = Bench::new(ground);
            bench.begin(ground, job);
            bench.granted = 1 << 30;
            bench.advance(ground);
            let path = bench.path.clone();
            let everywhere = slowly(ground, job.target, |_| true);
            let mut way = Way::default();
            while let Some((_, Some(field))) = bench.finished() {
                if way.stretch().is_empty() {
                    assert!(way.take(ground, &path));
                }
                let (end, beyond) = way.end().unwrap();
                let near = |cell: Cell| {
                    let at = ground.pos(cell);
                    let far = |on: Pos| (at.x - on.x).abs().max((at.y - on.y).abs());
                    way.stretch().iter().any(|&on| far(ground.pos(on)) <= REACH)
                };
                let exact = slowly(ground, end, near);
                for cell in ground.size().cells() {
                    let expected = exact[cell.index()].saturating_add(beyond);
                    let found = field.distance(ground.pos(cell));
                    assert_eq!(found.is_some(), expected != Cost::MAX, "{cell:?}");
                    assert!(
                        found.is_none_or(|found| Field::is(found, (expected >> f_range(ground).1) as i32))
                    );
                    compared += u32::from(found.is_some());
                }
                let true_on = |cell: &Cell| exact[cell.index()] + beyond == everywhere[cell.index()];
                assert!(way.stretch().iter().all(true_on), "on the path");
                // Who has got near the end is led on, until the target is in the stretch.
                let late = way.stretch().iter().filter_map(|&cell| field.distance(ground.pos(cell)));
                let Some(late) = late.into_iter().find(|&here| field.is_late(here)) else {
                    assert_eq!(end, job.target);
                    break;
                };
                stretches += 1;
                assert!(field.lead_on(ground, late, &mut way));
                assert!(bench.go_on(ground, Job { found: true, ..job }, &field, late));
                bench.granted = 1 << 30;
                bench.advance(ground);
            }
        });
        assert!(stretches > 20, "{stretches}");
        assert!(compared > 3_000, "{compared}");
    }

    #[test]
    fn slices_come_to_the_same_field_and_cost_what_they_use() {
        grounds(|ground, random| {
            let job = some_job(ground, random);
            let mut whole = Bench::new(ground);
            whole.begin(ground, job);
            whole.granted = 1 << 30;
            whole.advance(ground);
            let expected = whole.finished().unwrap().1;
            let (mut sliced, mut paid) = (Bench::new(ground), 0);
            sliced.begin(ground, job);
            let found = loop {
                sliced.granted = u64::from(random.next_u32() % 40);
                sliced.advance(ground);
                assert!(sliced.spent <= sliced.granted);
                paid += sliced.spent;
                if let Some((_, field)) = sliced.finished() {
                    break field;
                }
            };
            let all = |field: &Option<Field>| {
                let value = |cell| field.as_ref().map(|field| field.distance(ground.pos(cell)));
                ground.size().cells().map(value).collect::<Vec<_>>()
            };
            assert_eq!(all(&found), all(&expected));
            // Nothing is free; at most the part of one jump is paid in vain.
            assert!((whole.spent..whole.spent + JUMP).contains(&paid), "{paid} for {}", whole.spent);
        });
    }
}
