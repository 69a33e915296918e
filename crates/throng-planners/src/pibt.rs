//! PIBT: priority inheritance with backtracking, along exact distances.
//!
//! K. Okumura, M. Machida, X. Défago, Y. Tamura, *Priority Inheritance with Backtracking for Iterative Multi-Agent
//! Path Finding*, Artificial Intelligence 310, 2022. One joint step at a time: who has been under way the longest takes
//! its best cell, and whoever stands there makes room with its priority (`throng-crowd/src/inheritance.rs`). The cells
//! are ordered by their exact distances to the target, from a reverse search a target. The change of places where only
//! one can pass is that of K. Okumura, *Engineering `LaCAM*`*, AAMAS 2024.
//!
//! Where we depart: moves are eight and staying; ties go to the cell that nobody holds, then by lot; tables grow as far
//! as they are asked for, within the tick's work, and where one does not know enough yet its agent goes by the distance
//! on an empty map. Given a path database of the map, distances are those of its ways, and nothing is searched.

use std::sync::Arc;

use throng_crowd::bytes::Reader;
use throng_crowd::{
    AgentId, DebugLayer, DebugMark, Limits, Moves, Occupant, Planner, Sharing, StateError, View, Work,
};
use throng_grid::{Cell, Cost};
use throng_search::spec::{Kind, Parameter, Values};
use throng_search::{ANY_CORNERS, Distance, FirstMoves, Heuristic, OctileDistance};
use throng_toolkit::{
    Candidates, DatabaseDistances, DistanceTables, PibtStep, PreferenceList, Preferences, Priorities,
};

use crate::inspect;
use crate::registry::PlannerInfo;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "pibt",
    summary: "PIBT: priority inheritance with backtracking, along exact distances",
    idea: "Who has been under way the longest decides first and takes the free neighbouring cell that is nearest to \
           its target; whoever stands there must make room, with the same priority, and where it cannot the next \
           best cell is tried. Distances are exact, from a reverse search a target.",
    reference: "K. Okumura, M. Machida, X. Défago, Y. Tamura: Priority Inheritance with Backtracking for Iterative \
                Multi-Agent Path Finding. Artificial Intelligence 310, 2022; K. Okumura: Engineering LaCAM*. AAMAS \
                2024",
    parameters: &[Parameter {
        name: "swap",
        summary: "whether agents that meet where only one can pass back out and change places",
        kind: Kind::Choice(&["off", "on"]),
    }],
    needs: Sharing::Everything,
    needs_control: false,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, _, resources| Box::new(Pibt::new(values, resources.first_moves.take())),
};

/// Bytes of distance tables kept at most.
const TABLES: usize = 512 << 20;
/// Expansions in one round to learn the distance of a cell beside an agent.
const GROWTH: u64 = 256;
/// A distance that is not known.
const UNKNOWN: Cost = Cost::MAX;

/// The distances around an agent: of its neighbours, by direction, and of its own cell.
type Around = [Cost; 9];

/// The planner.
struct Pibt {
    swap: bool,
    tables: DistanceTables,
    /// Instead of tables, where first moves are known.
    walked: DatabaseDistances,
    /// Who has to do with tables.
    others: Vec<AgentId>,
    priorities: Priorities,
    step: PibtStep,
    around: Vec<Around>,
    /// Who made each agent decide, stamped by the tick.
    asked: Vec<(u64, AgentId)>,
}

impl Pibt {
    fn new(values: &Values, first_moves: Option<Arc<dyn FirstMoves>>) -> Self {
        let mut walked = DatabaseDistances::new(TABLES);
        if let Some(moves) = first_moves {
            walked.set_moves(moves);
        }
        Self {
            swap: values.choice("swap") == "on",
            tables: DistanceTables::new(TABLES),
            walked,
            others: Vec::new(),
            priorities: Priorities::default(),
            step: PibtStep::default(),
            around: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Learns the distances around an agent, as far as work is granted.
    fn look_around(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentId) {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let around = &mut self.around[agent.index()];
        *around = [UNKNOWN; 9];
        let cells = ground.neighbours(at).map(|(direction, to)| (usize::from(direction.number()), to));
        let cells = cells.chain([(8, at)]);
        if self.walked.serves(view, agent) {
            return self.walked.distances(view, work, agent, cells, |slot, cost| around[slot] = cost);
        }
        let Some(table) = self.tables.current(view, agent) else { return };
        let mut grown = false;
        for (slot, cell) in cells {
            // A first look is free: most cells are known.
            let mut distance = table.distance(ground, cell, 0);
            while distance == Distance::Unknown {
                let limit = GROWTH.min(work.left());
                if limit == 0 || !work.round(limit) {
                    break;
                }
                let before = table.expansions();
                distance = table.distance(ground, cell, limit);
                work.spend_backwards(table.expansions() - before);
                grown = true;
            }
            if let Distance::Exact(cost) = distance {
                around[slot] = cost;
            }
        }
        if grown {
            self.tables.weigh(view, agent);
        }
    }

    /// Says where everyone goes, and who is in the way of those who stay.
    fn write(&self, view: &View<'_>, moves: &mut Moves) {
        let guide = Exact { around: &self.around, tables: &self.tables, walked: &self.walked, swap: false };
        for &agent in view.movers() {
            let (tick, by) = self.asked[agent.index()];
            let by = (tick == view.tick()).then_some(by);
            self.step.tell(view, moves, agent, by, || guide.wishes(view, agent).as_slice().first().copied());
        }
    }
}

/// Guides agents by their tables.
struct Exact<'a> {
    around: &'a [Around],
    tables: &'a DistanceTables,
    walked: &'a DatabaseDistances,
    swap: bool,
}

impl Preferences for Exact<'_> {
    fn wishes(&self, view: &View<'_>, agent: AgentId) -> Candidates {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let around = &self.around[agent.index()];
        // Exact distances are not compared with estimates: unless all are known, none is used.
        let exact =
            ground.neighbours(at).all(|(direction, _)| around[usize::from(direction.number())] != UNKNOWN)
                && around[8] != UNKNOWN;
        let mut plain = view.target(agent).map(|target| OctileDistance::to_cell(ground, target));
        let mut distance = |slot: usize, cell: Cell| match &mut plain {
            Some(_) if exact => around[slot],
            Some(plain) => plain.lower(cell.0),
            None => Cost::from(cell != at),
        };
        let mut wishes = PreferenceList::new(view, agent);
        wishes.add(at, 8, i64::from(distance(8, at)), false);
        for (direction, to) in ground.neighbours(at) {
            let occupant = view.occupancy().at(to);
            if occupant != Occupant::Foreign {
                let slot = usize::from(direction.number());
                wishes.add(to, slot as u32, i64::from(distance(slot, to)), occupant != Occupant::Nobody);
            }
        }
        wishes.sorted()
    }

    fn distance(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<i64> {
        let known = self.walked.known(view, agent, cell);
        known.or_else(|| self.tables.known(view, agent, cell)).map(i64::from)
    }

    fn swaps(&self, _: &View<'_>, _: AgentId) -> bool {
        self.swap
    }
}

impl Planner for Pibt {
    fn required_sharing(&self) -> Sharing {
        Sharing::Everything
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.around.resize(view.id_limit(), [UNKNOWN; 9]);
        self.asked.resize(view.id_limit(), (0, AgentId(0)));
        self.priorities.update(view);
        self.others.clear();
        let others = self.priorities.line().iter().filter(|&&agent| !self.walked.serves(view, agent));
        self.others.extend(others);
        self.tables.reach(view, work, &self.others);
        self.walked.trim(view.tick());
        for &agent in view.movers() {
            self.look_around(view, work, agent);
        }
        self.step.begin(view);
        let guide =
            Exact { around: &self.around, tables: &self.tables, walked: &self.walked, swap: self.swap };
        let asked = &mut self.asked;
        let mut hear = |other: AgentId, by: AgentId| asked[other.index()] = (view.tick(), by);
        self.step.decide_all(view, self.priorities.line(), &guide, &mut hear);
        self.write(view, moves);
    }

    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        let next = (0..self.asked.len() as u32).map(|agent| self.step.next(AgentId(agent)));
        inspect::paths(layer, next, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.priorities.save(bytes);
        self.tables.save(bytes);
        self.walked.save(bytes);
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        let mut reader = Reader::new(bytes);
        self.priorities.load(&mut reader)?;
        self.tables.load(&mut reader)?;
        self.walked.load(&mut reader)?;
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end").into()) }
    }

    fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
            + self.walked.memory_bytes()
            + self.others.capacity() * size_of::<AgentId>()
            + self.priorities.memory_bytes()
            + self.step.memory_bytes()
            + self.around.capacity() * size_of::<Around>()
            + self.asked.capacity() * size_of::<(u64, AgentId)>()
    }
}
