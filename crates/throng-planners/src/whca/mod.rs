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
//! edge, not by reserving cells twice, so that agents may follow each other and go round. Before a target that somebody
//! holds who will not leave, waiting is cheaper than walking about. An agent without an order has no plan for ever, not
//! even without a window, and steps aside for whoever needs its cell.
//!
//! Distances to a target are kept for a while and shared, so that agents who go to and fro search them once. With
//! `tables=target`, who gets a target searches them again, as each agent of the paper does; with `tables=plan`, whoever
//! plans does, which is how M. R. Jansen describes it (*Multi-Agent Pathfinding with Direction Maps*, 2008, section 2.5).
//!
//! Where the budget ends before a search does, its agent goes as far as it has come, and goes by exact distances from
//! then on, CA* too: their searches are kept across ticks, so that no work is done in vain. A tick without enough work
//! for tables and plans is followed by one in which the plans come first.

mod lookahead;
mod order;
mod plans;
mod steps;

use throng_crowd::bytes::{Reader, put};
use throng_crowd::{
    AgentChange, AgentId, DebugLayer, DebugMark, Limits, Moves, Planner, Sharing, StateError, View, Work,
};
use throng_search::ANY_CORNERS;
use throng_search::spec::{Kind, Parameter, Values};
use throng_toolkit::DistanceTables;

use crate::inspect;
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
        Parameter {
            name: "tables",
            summary: "distances to a target are kept for whoever goes there, or searched anew by who gets it as its target, \
                      or for each plan",
            kind: Kind::Choice(&["kept", "target", "plan"]),
        },
    ],
    needs: Sharing::Reservations,
    needs_control: true,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, _, _| Box::new(Whca::new(values)),
};

/// Bytes of distance tables kept at most.
const TABLES: usize = 512 << 20;
/// Expansions of an agent's distance table within its space-time search.
const GROWTH: u64 = 1 << 14;
/// Expansions of one space-time search.
const NODES: u64 = 1 << 14;

/// When an agent's distance table is begun anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Anew {
    Never,
    EachTarget,
    EachPlan,
}

/// The planner.
#[derive(Debug)]
struct Whca {
    /// 0: all the way.
    window: u32,
    exact: bool,
    anew: Anew,
    plans: Plans,
    tables: DistanceTables,
    /// Agents whose table is to be begun anew before they plan.
    outdated: Vec<bool>,
    /// The tick in which each agent last planned.
    planned: Vec<u64>,
    /// Those who plan in this tick, and those among them whose turn is now.
    order: Vec<AgentId>,
    turn: Vec<AgentId>,
    /// Agents whose search was cut off by the budget. Where agents do without exact distances, these do not.
    cut_off: Vec<bool>,
    /// Those who need exact distances in this tick.
    reaching: Vec<AgentId>,
    /// Whether plans come before tables in the next tick, because there was not enough work for both in the last.
    plans_first: bool,
    lookahead: Lookahead,
}

impl Whca {
    fn new(values: &Values) -> Self {
        Self {
            window: values.get("window") as u32,
            exact: values.choice("heuristic") == "rra",
            anew: match values.choice("tables") {
                "target" => Anew::EachTarget,
                "plan" => Anew::EachPlan,
                _ => Anew::Never,
            },
            plans: Plans::default(),
            tables: DistanceTables::new(TABLES),
            outdated: Vec::new(),
            planned: Vec::new(),
            order: Vec::new(),
            turn: Vec::new(),
            cut_off: Vec::new(),
            reaching: Vec::new(),
            plans_first: false,
            lookahead: Lookahead::default(),
        }
    }

    /// Grows the tables of those who plan.
    fn reach(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        let (exact, cut_off) = (self.exact, &self.cut_off);
        self.reaching.clear();
        self.reaching.extend(self.order.iter().filter(|agent| exact || cut_off[agent.index()]));
        self.tables.reach(view, work, &self.reaching);
    }

    /// Has everyone plan whose turn it is.
    fn settle_all(&mut self, view: &View<'_>, work: &mut Work<'_>) {
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
    }

    /// Gives an agent a plan, at the cost of others' if it must.
    fn settle(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentId) {
        self.planned[agent.index()] = view.tick();
        let way = self.find(view, work, agent);
        // Once it was of use: a search that takes several ticks is not begun again in each.
        self.outdated[agent.index()] |= self.anew == Anew::EachPlan && way == Way::Whole;
        let (left, found) = (self.plans.left(agent), self.lookahead.path.len().saturating_sub(1) as u64);
        match way {
            Way::Whole => {
                let rests = self.window_of(view, agent) == 0;
                self.plans.adopt(agent, self.lookahead.path.drain(..), rests);
            }
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
        let (window, exact) = (self.window_of(view, agent), self.exact || self.cut_off[agent.index()]);
        let table = if exact { self.tables.opened(view, agent) } else { None };
        let mut space = self.plans.space(view, agent, window);
        let way = if window > 0 {
            self.lookahead.find(&space, view.at(agent), table.map(|table| (table, growth)), limit)
        } else {
            let at = view.at(agent);
            space.depth = lookahead::horizon(&space, at, table.as_ref().and_then(|table| table.known(at)));
            self.lookahead.find_all_the_way(&space, at, table.map(|table| (table, growth)), limit)
        };
        work.spend(self.lookahead.spent);
        work.spend_backwards(self.lookahead.backwards);
        if exact {
            self.tables.weigh(view, agent);
        }
        self.cut_off[agent.index()] |= self.lookahead.paused && limit < NODES;
        way
    }
}

impl Planner for Whca {
    fn required_sharing(&self) -> Sharing {
        Sharing::Reservations
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.begin(view);
        for &agent in &self.order {
            if std::mem::take(&mut self.outdated[agent.index()]) {
                self.tables.forget(view, agent);
            }
        }
        if self.plans_first {
            self.settle_all(view, work);
            self.reach(view, work);
        } else {
            self.reach(view, work);
            self.settle_all(view, work);
        }
        self.plans_first = work.is_over() && !self.plans_first;
        self.write(view, moves);
    }

    fn on_change(&mut self, agent: AgentId, _: AgentChange) {
        self.plans.cancel(agent);
        if let Some(outdated) = self.outdated.get_mut(agent.index()) {
            *outdated = self.anew != Anew::Never;
        }
        if let Some(cut_off) = self.cut_off.get_mut(agent.index()) {
            *cut_off = false;
        }
    }

    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        inspect::paths(layer, self.plans.ahead(), emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.plans.save(bytes);
        self.tables.save(bytes);
        put(bytes, u64::from(self.plans_first));
        put(bytes, self.cut_off.len() as u64);
        self.cut_off.iter().for_each(|&cut_off| put(bytes, u64::from(cut_off)));
        self.outdated.iter().for_each(|&outdated| put(bytes, u64::from(outdated)));
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        let mut reader = Reader::new(bytes);
        self.plans.load(&mut reader)?;
        self.tables.load(&mut reader)?;
        self.plans_first = reader.flag("whether plans come first")?;
        let agents = reader.length("the number of agents")?;
        let mut cut_off = || reader.flag("whether an agent was cut off");
        self.cut_off = (0..agents).map(|_| cut_off()).collect::<Result<_, _>>()?;
        let mut outdated = || reader.flag("whether a table is to be begun anew");
        self.outdated = (0..agents).map(|_| outdated()).collect::<Result<_, _>>()?;
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end").into()) }
    }

    fn memory_bytes(&self) -> usize {
        let lists = self.order.capacity() + self.turn.capacity() + self.reaching.capacity();
        let rows =
            self.planned.capacity() * size_of::<u64>() + self.cut_off.capacity() + self.outdated.capacity();
        self.tables.memory_bytes()
            + self.plans.memory_bytes()
            + self.lookahead.memory_bytes()
            + rows
            + lists * size_of::<AgentId>()
    }
}
