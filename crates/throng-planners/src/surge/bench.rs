//! Where corridor fields are made, piece by piece.
//!
//! First a shortest path, by jumping where the map allows it; then a sweep from the target over the cells around it.
//! Both are searches that pause when the work granted is spent and go on with the next grant.

use throng_crowd::AgentId;
use throng_grid::{Cell, Ground};
use throng_search::frontier::Buckets;
use throng_search::{Arena, BestFirst, Blind, EmptyMap, GridSpace, Jps, Policy, Status, span};

use super::field::{Corridor, Field, Found};

/// Units of work that an expansion of the jumping search counts: it scans whole rows and columns.
pub(super) const JUMP: u64 = 8;

/// Whose field is being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Job {
    pub(super) agent: AgentId,
    pub(super) from: Cell,
    pub(super) target: Cell,
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
    sweep: BestFirst<Arena, Buckets>,
    path: Vec<Cell>,
    found: Found,
    field: Field,
    /// Units spent in this round.
    pub(super) spent: u64,
}

impl Bench {
    pub(super) fn new() -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let search = || BestFirst::new(Arena::default(), Buckets::default(), policy);
        Self {
            job: None,
            stage: Stage::Done,
            jump: Jps::default(),
            plain: search(),
            sweep: search(),
            path: Vec::new(),
            found: Found::default(),
            field: Field::default(),
            spent: 0,
        }
    }

    /// Takes up a job.
    pub(super) fn begin(&mut self, ground: &Ground, job: Job) {
        self.job = Some(job);
        self.stage = Stage::Path;
        if can_jump(ground) {
            self.jump.begin(ground, job.from, job.target);
        } else {
            self.plain.fit(span(ground));
            self.plain.begin(&GridSpace::new(ground));
            self.plain.add_source(job.from.0, 0, &mut EmptyMap::to_cell(ground, job.target));
        }
    }

    /// Goes on for at most so many units.
    pub(super) fn advance(&mut self, ground: &Ground, limit: u64) {
        self.spent = 0;
        let Some(job) = self.job else { return };
        if self.stage == Stage::Path {
            self.seek(ground, job, limit);
        }
        if self.stage == Stage::Sweep {
            let left = limit - self.spent;
            let before = self.sweep.expansions();
            let mut space = Corridor::new(ground, &self.field);
            let status = self.sweep.resume(&mut space, &mut Blind, |_| false, left, &mut self.found);
            self.spent += self.sweep.expansions() - before;
            if status != Status::Paused {
                self.field.keep(ground, &self.found, span(ground).1);
                self.stage = Stage::Done;
            }
        }
    }

    fn seek(&mut self, ground: &Ground, job: Job, limit: u64) {
        let status = if can_jump(ground) {
            let before = self.jump.expansions();
            let status = self.jump.resume(ground, job.target, limit / JUMP);
            self.spent += (self.jump.expansions() - before) * JUMP;
            status
        } else {
            let before = self.plain.expansions();
            let mut heuristic = EmptyMap::to_cell(ground, job.target);
            let (mut space, is_goal) = (GridSpace::new(ground), |node| node == job.target.0);
            let status = self.plain.resume(&mut space, &mut heuristic, is_goal, limit, &mut ());
            self.spent += self.plain.expansions() - before;
            status
        };
        match status {
            Status::Found(_) => {}
            Status::Paused => return,
            Status::Exhausted | Status::Incumbent(_) => return self.stage = Stage::Hopeless,
        }
        self.path.clear();
        if can_jump(ground) {
            self.jump.trace(ground, job.target, &mut self.path);
        } else {
            self.plain.trace(&GridSpace::new(ground), job.target.0, &mut self.path);
        }
        self.field.lay(ground, &self.path);
        self.found.0.clear();
        self.sweep.fit(span(ground));
        self.sweep.begin(&GridSpace::new(ground));
        self.sweep.add_source(job.target.0, 0, &mut Blind);
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

/// Whether the jumping search knows the rules of the map.
fn can_jump(ground: &Ground) -> bool {
    throng_search::search_info("jps").is_ok_and(|info| info.supports(ground).is_ok())
}
