//! Windowed hierarchical cooperative A*: agents plan a few ticks ahead in space and time, around each other's plans.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. Each agent searches cells at times up to a window, avoids what
//! others have reserved, and reserves its own way; what lies beyond the window is judged by the exact distance on the
//! map without agents, from a reverse resumable A* of its own. Every half window it plans again, agents in turn, so
//! that who comes first changes; those at their targets too, which is how they step aside and come back. Without a
//! window it is HCA*, with the distance on an empty map CA*: the whole way is planned once, and rests at its end.
//!
//! Where the paper is silent: who finds no way through the window takes the longest one; who finds none at all stays,
//! and whoever has reserved its cell loses its plan and plans again at once. So every agent has a place of its own
//! at the next tick, whatever happens, and the joint move is legal. Swaps are forbidden by a test of the opposite
//! edge, not by reserving cells twice, so that agents may follow each other and go round.

mod lookahead;
mod plans;

use throng_crowd::bytes::{Damaged, Reader};
use throng_crowd::{AgentId, Change, DistanceTables, Moves, Occupant, Planner, Sharing, View, Work};
use throng_grid::Cell;
use throng_search::spec::{Kind, Parameter, Values};
use throng_search::{ANY_CORNERS, EmptyMap, Heuristic};

use crate::registry::PlannerInfo;
use lookahead::{Lookahead, Way};
use plans::Plans;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "whca",
    summary: "WHCA*: agents plan a window of ticks ahead, around each other's reservations",
    idea: "Each agent searches cells at times, avoiding what others have reserved, up to a window; beyond it the \
           exact distance without agents counts. It plans again every half window, and so do agents at their \
           targets, which step aside and come back. Without a window, whole ways are planned once.",
    reference: "D. Silver: Cooperative Pathfinding. AIIDE 2005",
    parameters: &[
        Parameter {
            name: "window",
            summary: "ticks planned ahead; 0: all the way",
            kind: Kind::Integer { min: 0, max: 64, default: 8 },
        },
        Parameter {
            name: "heuristic",
            summary: "distances on the map without agents, or on an empty map",
            kind: Kind::Choice(&["rra", "empty"]),
        },
    ],
    needs: Sharing::Reservations,
    needs_control: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, _| Box::new(Whca::new(values)),
};

/// Bytes of distance tables kept at most.
const TABLES: usize = 512 << 20;
/// Expansions of an agent's distance table within its space-time search.
const GROWTH: u64 = 1 << 14;
/// Expansions of one space-time search.
const NODES: u64 = 1 << 14;
/// Ticks that an agent without a window stays when there is no way nearer to its target.
const PATIENCE: u32 = 16;

/// The planner.
#[derive(Debug)]
struct Whca {
    /// 0: all the way.
    window: u32,
    exact: bool,
    plans: Plans,
    tables: DistanceTables,
    /// The tick in which each agent last planned.
    planned: Vec<u64>,
    /// Those who plan in this tick, and those among them whose turn is now.
    order: Vec<AgentId>,
    turn: Vec<AgentId>,
    lookahead: Lookahead,
}

impl Whca {
    fn new(values: &Values) -> Self {
        Self {
            window: values.get("window") as u32,
            exact: values.choice("heuristic") == "rra",
            plans: Plans::default(),
            tables: DistanceTables::new(TABLES),
            planned: Vec::new(),
            order: Vec::new(),
            turn: Vec::new(),
            lookahead: Lookahead::default(),
        }
    }

    /// Drops the plans that cannot be followed, and sees who has to plan.
    fn begin(&mut self, view: &View<'_>) {
        self.plans.begin(view.agents(), view.numbers(), view.tick() - 1);
        self.planned.resize(view.numbers(), 0);
        for &agent in view.agents() {
            let waits = view.is_controlled(agent) && self.may_stay(view, agent);
            if !view.may_step(agent) && !waits {
                self.plans.cancel(agent);
                self.plans.fixed[agent.index()] = true;
            }
        }
        self.order.clear();
        for &agent in view.movers() {
            if !self.may_go_on(view, agent) {
                self.plans.cancel(agent);
                self.order.push(agent);
            }
        }
        // Who has no place yet comes first, within each group another one every time.
        let half = u64::from(self.window / 2).max(1);
        let without = self.order.len();
        if self.window > 0 {
            for &agent in view.movers() {
                if self.plans.left(agent) > 0 && self.is_due(view, agent, half) {
                    self.order.push(agent);
                }
            }
        }
        let (without, due) = self.order.split_at_mut(without);
        for group in [without, due] {
            let turns = (view.tick() / half) as usize % group.len().max(1);
            group.rotate_left(turns);
        }
    }

    /// Every half window, staggered by the agents' numbers; slow agents when they can.
    fn is_due(&self, view: &View<'_>, agent: AgentId, half: u64) -> bool {
        let used_up = view.speed(agent) > 1 && self.plans.left(agent) + half <= u64::from(self.window);
        (view.tick() + u64::from(agent.0)).is_multiple_of(half) || used_up
    }

    /// Whether an agent's plan has it stay for this tick.
    fn may_stay(&self, view: &View<'_>, agent: AgentId) -> bool {
        let (now, at) = (view.tick() - 1, Some(view.at(agent)));
        self.plans.cell(agent, now) == at && self.plans.cell(agent, now + 1) == at
    }

    /// Whether an agent's plan tells a step that it may make.
    fn may_go_on(&self, view: &View<'_>, agent: AgentId) -> bool {
        let (now, at) = (view.tick() - 1, view.at(agent));
        let Some(to) = self.plans.cell(agent, now + 1).filter(|_| self.plans.cell(agent, now) == Some(at))
        else {
            return false;
        };
        let held = match view.occupancy().at(to) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(other) => self.plans.fixed[other.index()],
        };
        to == at || (!held && view.ground(agent).legal_step(at, to).is_some())
    }

    /// Gives an agent a plan, at the cost of others' if it must.
    fn settle(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentId) {
        self.planned[agent.index()] = view.tick();
        let way = self.find(view, work, agent);
        let (left, found) = (self.plans.left(agent), self.lookahead.path.len().saturating_sub(1) as u64);
        match way {
            Way::Whole => self.plans.adopt(agent, self.lookahead.path.drain(..), self.window == 0),
            Way::Part if found > left => {
                self.plans.adopt(agent, self.lookahead.path.drain(..), false);
            }
            _ if left > 0 => {}
            Way::Part => self.stay(view, agent),
            Way::Unknown => self.improvise(view, agent),
        }
    }

    /// Searches an agent's way through space and time.
    fn find(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentId) -> Way {
        let growth = GROWTH.min(work.left() / 2);
        let limit = NODES.min(work.left() - growth);
        if limit == 0 || !work.round(limit + growth) {
            return Way::Unknown;
        }
        let table = if self.exact { self.tables.opened(view, agent) } else { None };
        let mut space = self.plans.space(view, agent, self.window);
        let way = if self.window > 0 {
            self.lookahead.find(&space, view.at(agent), table.map(|table| (table, growth)), limit)
        } else {
            let at = view.at(agent);
            space.depth = lookahead::horizon(&space, at, table.as_ref().and_then(|table| table.known(at)));
            self.lookahead.find_all_the_way(&space, at, table.map(|table| (table, growth)), limit)
        };
        work.spend(self.lookahead.spent);
        if self.exact {
            self.tables.weigh(agent);
        }
        way
    }

    /// Without work: a step towards the target where nobody minds, otherwise none.
    fn improvise(&mut self, view: &View<'_>, agent: AgentId) {
        let (at, pace) = (view.at(agent), view.speed(agent));
        let space = self.plans.space(view, agent, u32::from(pace));
        let mut left = EmptyMap::to_cell(space.ground, space.place);
        let free = space.ground.neighbours(at).map(|(_, to)| to).filter(|&to| space.may_step(at, to, 0));
        let best = free.map(|to| (left.lower(to.0), to)).min().filter(|best| best.0 < left.lower(at.0));
        match best {
            Some((_, to)) => {
                let way = std::iter::once(at).chain(std::iter::repeat_n(to, usize::from(pace)));
                self.plans.adopt(agent, way, false);
            }
            None => self.stay(view, agent),
        }
    }

    /// An agent stays for a window, or as long as nobody comes; who has reserved its cell for the next tick must
    /// plan again, and does so next.
    fn stay(&mut self, view: &View<'_>, agent: AgentId) {
        let (at, next) = (view.at(agent), view.tick());
        if let Some(other) = self.plans.timetable.at(at, next).filter(|&other| other != agent) {
            self.plans.cancel(other);
            self.turn.push(other);
        }
        let most = if self.window > 0 { self.window } else { PATIENCE };
        let space = self.plans.space(view, agent, most);
        let times = (1..=most).take_while(|&time| space.is_open(at, time)).count();
        self.plans.adopt(agent, std::iter::repeat_n(at, times + 1), false);
    }

    /// Says where everyone goes, and who is in the way of those who stay.
    fn write(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &agent in view.movers() {
            let at = view.at(agent);
            let to = self.plans.cell(agent, view.tick()).unwrap_or(at);
            if to != at {
                moves.go(agent, to);
            } else if let Some(wanted) = self.wanted(view, agent) {
                let taker = self.plans.timetable.at(wanted, view.tick());
                match (taker, view.occupancy().at(wanted)) {
                    (Some(other), _) | (None, Occupant::Agent(other)) => {
                        moves.wait(agent, wanted, Some(other));
                    }
                    (None, Occupant::Foreign) => moves.wait(agent, wanted, None),
                    (None, Occupant::Nobody) => {}
                }
            }
        }
    }

    /// The next cell of an agent's way without the others.
    fn wanted(&mut self, view: &View<'_>, agent: AgentId) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let target = view.target(agent).filter(|&target| target != at)?;
        let known = self.tables.current(view, agent).and_then(|table| table.next(at));
        let legal = known.filter(|&to| ground.legal_step(at, to).is_some());
        let mut left = EmptyMap::to_cell(ground, target);
        legal.or_else(|| ground.neighbours(at).map(|(_, to)| (left.lower(to.0), to)).min().map(|best| best.1))
    }
}

impl Planner for Whca {
    fn needs(&self) -> Sharing {
        Sharing::Reservations
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.begin(view);
        if self.exact {
            self.tables.reach(view, work, &self.order);
        }
        for i in 0..self.order.len() {
            let agent = self.order[i];
            if self.planned[agent.index()] == view.tick() {
                continue;
            }
            self.turn.push(agent);
            // Nobody loses its plan twice to the same agent in a tick, for who stays cannot be made to plan again.
            while let Some(agent) = self.turn.pop() {
                self.settle(view, work, agent);
            }
        }
        self.write(view, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.plans.cancel(agent);
        if change == Change::Despawned {
            self.tables.close(agent);
        }
    }

    fn intent(&self, agent: AgentId) -> Option<Cell> {
        self.plans.end(agent)
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.plans.save(bytes);
        self.tables.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        let mut reader = Reader::new(bytes);
        self.plans.load(&mut reader)?;
        self.tables.load(&mut reader)?;
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end")) }
    }

    fn bytes(&self) -> usize {
        self.tables.bytes() + self.plans.bytes() + self.lookahead.bytes()
    }
}
