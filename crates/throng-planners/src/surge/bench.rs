//! Where corridor fields are made, piece by piece.
//!
//! First a shortest path, by jumping where the map allows it; then a sweep from the target over the cells around it.
//! Both are searches that pause when the work granted is spent and go on with the next grant.

use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader, put, put_fixed};
use throng_grid::{Cell, Ground, Pos};
use throng_search::frontier::Buckets;
use throng_search::{Arena, BestFirst, EmptyMap, GridSpace, Jps, Policy, Status, span};

use super::field::{Field, Sweep};

/// Units of work that an expansion of the jumping search counts, for it scans whole rows and columns: 0.5 to 1.3 µs were
/// measured on three game maps, and 0.1 to 0.4 µs for its part of laying the corridor, where an expansion of the sweep,
/// which is one unit, took 0.08 µs.
pub(super) const JUMP: u64 = 16;

/// Whose field is being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Job {
    pub(super) agent: AgentId,
    pub(super) from: Cell,
    pub(super) target: Cell,
    /// The fingerprint of the map it is made for.
    pub(super) ground: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Path,
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
    plain: BestFirst<Arena, Buckets>,
    sweep: Sweep,
    path: Vec<Cell>,
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
    /// Loaded: units of work to do again once the map is at hand.
    redo: Option<u64>,
}

impl Bench {
    /// An idle bench with room for the paths of a map.
    pub(super) fn new(ground: &Ground) -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let search = || BestFirst::new(Arena::default(), Buckets::default(), policy);
        let mut jump = Jps::default();
        if can_jump(ground) {
            jump.begin(ground, Cell(0), Cell(0));
        }
        Self {
            job: None,
            stage: Stage::Done,
            jump,
            plain: search(),
            sweep: search(),
            path: Vec::new(),
            squares: Vec::new(),
            field: Field::default(),
            granted: 0,
            spent: 0,
            credit: 0,
            jumps: false,
            redo: None,
        }
    }

    /// Takes up a job.
    pub(super) fn begin(&mut self, ground: &Ground, job: Job) {
        self.job = Some(job);
        self.stage = Stage::Path;
        self.credit = 0;
        self.redo = None;
        self.jumps = can_jump(ground);
        if self.jumps {
            self.jump.begin(ground, job.from, job.target);
        } else {
            self.plain.fit(span(ground));
            self.plain.begin(&GridSpace::new(ground));
            self.plain.add_source(job.from.0, 0, &mut EmptyMap::to_cell(ground, job.target));
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
        if self.stage == Stage::Sweep {
            let before = self.sweep.expansions();
            let status = self.field.go_on(ground, &self.squares, &mut self.sweep, self.credit);
            self.credit -= self.sweep.expansions() - before;
            if status != Status::Paused {
                self.stage = Stage::Done;
            }
        }
        // What is left of this grant goes back; what would not pay for one jump is kept.
        let back = if matches!(self.stage, Stage::Path | Stage::Sweep) { 0 } else { self.credit.min(paid) };
        self.credit -= back;
        self.spent = paid - back;
    }

    fn seek(&mut self, ground: &Ground, job: Job) {
        let status = if self.jumps {
            let before = self.jump.expansions();
            let status = self.jump.resume(ground, job.target, self.credit / JUMP);
            self.credit -= (self.jump.expansions() - before) * JUMP;
            status
        } else {
            let before = self.plain.expansions();
            let mut heuristic = EmptyMap::to_cell(ground, job.target);
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
        self.field.lay(ground, &self.path, &mut self.squares);
        self.field.begin_sweep(ground, job.target, &mut self.sweep);
        self.stage = Stage::Sweep;
    }

    /// Gives away what is finished: a field, or that there is none.
    pub(super) fn finished(&mut self) -> Option<(Job, Option<Field>)> {
        match self.stage {
            Stage::Path | Stage::Sweep => None,
            Stage::Done => self.job.take().map(|job| (job, Some(self.field.clone()))),
            Stage::Hopeless => self.job.take().map(|job| (job, None)),
        }
    }
}

impl Bench {
    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.path.capacity() * size_of::<Cell>() + self.squares.capacity() * size_of::<Pos>();
        let plain = [&self.plain, &self.sweep].map(|search| search.store().bytes() + search.bytes());
        self.field.bytes() + lists + self.jump.bytes() + plain.iter().sum::<usize>()
    }

    /// Writes what the job under way has to be done again from.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.job.is_some()));
        if let Some(job) = self.job {
            for value in [job.agent.0, job.from.0, job.target.0] {
                put(bytes, u64::from(value));
            }
            put_fixed(bytes, job.ground);
            put(bytes, self.progress());
            put(bytes, self.credit);
        }
    }

    /// Takes back what [`Bench::save`] wrote.
    pub(super) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        let what = "a field in the making";
        (self.job, self.redo, self.credit) = (None, None, 0);
        if !reader.flag(what)? {
            return Ok(());
        }
        let mut number = || reader.number_to(u64::from(u32::MAX), what);
        let (agent, from, target) =
            (AgentId(number()? as u32), Cell(number()? as u32), Cell(number()? as u32));
        self.job = Some(Job { agent, from, target, ground: reader.fixed(what)? });
        self.redo = Some(reader.number_to(1 << 40, what)?);
        self.credit = reader.number_to(1 << 40, what)?;
        Ok(())
    }

    /// After loading: does again what was paid for before.
    pub(super) fn revive(&mut self, ground: &Ground) {
        if let (Some(job), Some(units)) = (self.job, self.redo.take()) {
            let credit = self.credit;
            self.begin(ground, job);
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
        let path = if self.jumps { self.jump.expansions() * JUMP } else { self.plain.expansions() };
        path + if self.stage == Stage::Sweep { self.sweep.expansions() } else { 0 }
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
        Job { agent: AgentId(0), from: draw(), target: draw(), ground: ground.fingerprint() }
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
        let mut compared = 0;
        grounds(|ground, random| {
            let job = some_job(ground, random);
            let mut bench = Bench::new(ground);
            bench.begin(ground, job);
            bench.granted = 1 << 30;
            bench.advance(ground);
            let path = bench.path.clone();
            let Some((_, Some(field))) = bench.finished() else { return };
            let near = |cell: Cell| {
                let at = ground.pos(cell);
                path.iter()
                    .map(|&on| ground.pos(on))
                    .any(|on| (at.x - on.x).abs().max((at.y - on.y).abs()) <= REACH)
            };
            let exact = slowly(ground, job.target, near);
            let everywhere = slowly(ground, job.target, |_| true);
            for cell in ground.size().cells() {
                let expected = exact[cell.index()];
                let found = field.distance(ground.pos(cell));
                assert_eq!(found.is_some(), expected != Cost::MAX, "{cell:?}");
                assert!(found.is_none_or(|found| Field::is(found, (expected >> span(ground).1) as i32)));
                compared += u32::from(found.is_some());
            }
            assert!(path.iter().all(|cell| exact[cell.index()] == everywhere[cell.index()]), "on the path");
        });
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
