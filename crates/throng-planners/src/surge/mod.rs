//! Surge: crowds come home in real time, without preparation.
//!
//! Priority inheritance brings crowds home when every agent knows its distances, and pays for it with a table of the
//! whole map for each. Surge gives an agent the distances around one shortest path, found by jump point search: a
//! corridor field, a hundredth of the table, made a stretch at a time within the tick's budget. Until its
//! field is there an agent goes by the distance on an empty map, so nobody stands still for want of a path; pushed out
//! of its corridor, or with the map changed in it, it queues for another. Who has been under way the longest decides
//! first; agents that meet where only one can pass back out and change places; and the few whom all this does not part
//! are planned for together (`knot.rs`).
//!
//! K. Okumura et al., *Priority Inheritance with Backtracking for Iterative Multi-Agent Path Finding*, Artificial
//! Intelligence 310, 2022; K. Okumura, *Engineering `LaCAM*`*, AAMAS 2024, for the change of places; D. Harabor and
//! A. Grastien, *Improving Jump Point Search*, ICAPS 2014. The corridor fields and the knots are ours.

mod bench;
mod changed;
mod field;
mod fields;
mod guide;
mod knot;
mod knots;
mod purse;
mod sight;
mod way;

use throng_crowd::bytes::Reader;
use throng_crowd::{
    AgentChange, AgentId, DebugLayer, DebugMark, Limits, Moves, Planner, Sharing, StateError, View, Work,
};
use throng_grid::Grid;
use throng_search::ANY_CORNERS;
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{DirectionLearner, Learning, PibtStep, Priorities, Rate, StepPenalty, Unknown};

use crate::registry::PlannerInfo;
use crate::{Resources, directions, inspect};
use fields::Fields;
use guide::Along;
use knots::Knots;
use purse::Purse;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "surge",
    summary: "surge: crowds come home without preparation, with bounded work from the first tick",
    idea: "Each agent knows the exact distances around one shortest path to its target, made piece by piece within \
           the tick's budget; until then it goes by the distance on an empty map. Who has been under way the \
           longest decides first, and whoever stands in its way makes room with its priority. Agents that meet in a \
           passage back out and change places, and the few who still block each other are planned for together.",
    reference: "throng; K. Okumura et al.: Priority Inheritance with Backtracking for Iterative Multi-Agent Path \
                Finding. Artificial Intelligence 310, 2022; D. Harabor, A. Grastien: Improving Jump Point Search. \
                ICAPS 2014",
    parameters: &[
        Parameter {
            name: "work",
            summary: "most work in a tick, in expansions, where the tick's budget grants more",
            kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 25_000 },
        },
        Parameter {
            name: "memory",
            summary: "most memory for distances, in MiB; beyond it those who are home give theirs back first",
            kind: Kind::Integer { min: 1, max: 65_536, default: 256 },
        },
        Parameter {
            name: "swap",
            summary: "whether agents that meet where only one can pass back out and change places",
            kind: Kind::Choice(&["on", "off"]),
        },
        Parameter {
            name: "knots",
            summary: "whether the few who still block each other are planned for together",
            kind: Kind::Choice(&["on", "off"]),
        },
        Parameter {
            name: "flow",
            summary: "what a step against the stream of those who passed before counts more, in straight steps; 0 for \
                      no streams",
            kind: Kind::Decimal { min: 0, max: MILLION - 1, default: 0 },
        },
    ],
    needs: Sharing::Everything,
    needs_control: false,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid, resources| Box::new(Surge::new(values, grid, resources)),
};

/// How streams are learned; what a step against one counts more is given in millionths of a straight step.
fn learning(step_penalty: u64) -> Learning {
    Learning::plain(StepPenalty::new(step_penalty, Unknown::Zero), Rate::millionths(MILLION / 2))
}

/// The planner.
struct Surge {
    /// Work in a tick, at most.
    most: u64,
    swap: bool,
    untie: bool,
    /// Cells of the map.
    area: usize,
    fields: Fields,
    priorities: Priorities,
    knots: Knots,
    /// Which way those who passed before went, where that counts.
    learner: Option<DirectionLearner>,
    step: PibtStep,
    /// Who made each agent decide, stamped by the tick.
    asked: Vec<(u64, AgentId)>,
    /// Who was made to decide by whom in this tick.
    meetings: Vec<(AgentId, AgentId)>,
}

impl Surge {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let flow = values.get("flow");
        let stream = (flow > 0).then(|| learning(flow));
        Self {
            most: values.get("work"),
            swap: values.choice("swap") == "on",
            untie: values.choice("knots") == "on",
            area: grid.size().area(),
            fields: Fields::new(grid, (values.get("memory") as usize) << 20),
            priorities: Priorities::default(),
            knots: Knots::new(),
            learner: directions::learner(stream, grid, resources),
            step: PibtStep::with_room(grid.size().area()),
            asked: Vec::new(),
            meetings: Vec::new(),
        }
    }

    /// Everyone decides: those in knots first, then by priority, then those who have nowhere to go.
    fn decide(&mut self, view: &View<'_>) {
        self.step.begin(view);
        self.knots.follow(view, &mut self.step);
        let guide = Along {
            fields: &self.fields,
            swap: self.swap,
            knots: &self.knots,
            learner: self.learner.as_ref(),
        };
        self.meetings.clear();
        let meetings = &mut self.meetings;
        let mut hear = |other: AgentId, by: AgentId| meetings.push((other, by));
        self.step.decide_all(view, self.priorities.line(), &guide, &mut hear);
        for &(other, by) in &self.meetings {
            self.asked[other.index()] = (view.tick(), by);
            self.knots.meet(other, by);
        }
    }

    /// Says where everyone goes, and who is in the way of those who stay.
    fn write(&self, view: &View<'_>, moves: &mut Moves) {
        let guide = Along { fields: &self.fields, swap: false, knots: &self.knots, learner: None };
        for &agent in view.movers() {
            let (tick, by) = self.asked[agent.index()];
            let by = (tick == view.tick()).then_some(by);
            self.step.tell(view, moves, agent, by, || guide.wanted(view, agent));
        }
    }
}

impl Planner for Surge {
    fn required_sharing(&self) -> Sharing {
        Sharing::Everything
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.asked.resize(view.id_limit(), (0, AgentId(0)));
        self.priorities.update(view);
        self.learner.iter_mut().for_each(|learner| learner.observe(view));
        self.fields.fit(view.id_limit());
        self.knots.fit(view);
        let mut purse = Purse { work, left: self.most };
        // Looking what an edit has spoiled comes first, and leaves something for those who need a way.
        purse.part(3, 4, |purse| self.fields.compare(view, purse));
        self.fields.queue(view);
        if self.untie {
            purse.part(1, 2, |purse| self.knots.untie(view, &self.fields, purse));
        }
        self.fields.make(view, &mut purse);
        self.knots.go_on(view, &mut purse);
        // Who comes first and cannot get on holds up those who could: it is their turn.
        for agent in self.knots.stuck.drain(..) {
            self.priorities.demote(agent);
        }
        self.decide(view);
        self.write(view, moves);
    }

    fn on_change(&mut self, agent: AgentId, change: AgentChange) {
        self.learner.iter_mut().for_each(|learner| learner.on_change(agent, change));
        if matches!(change, AgentChange::Retasked | AgentChange::Despawned) {
            self.fields.forget(agent);
        }
        self.knots.forget(agent);
    }

    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        let next = (0..self.asked.len() as u32).map(|agent| self.step.next(AgentId(agent)));
        inspect::paths(layer, next, emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.priorities.save(bytes);
        self.fields.save(bytes);
        self.knots.save(bytes);
        self.learner.iter().for_each(|learner| learner.save(bytes));
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        let mut reader = Reader::new(bytes);
        self.priorities.load(&mut reader)?;
        self.fields.load(&mut reader, self.area)?;
        self.knots.load(&mut reader, self.area)?;
        if let Some(learner) = &mut self.learner {
            learner.load(&mut reader)?;
        }
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end").into()) }
    }

    fn memory_bytes(&self) -> usize {
        self.fields.memory_bytes()
            + self.priorities.memory_bytes()
            + self.knots.memory_bytes()
            + self.step.memory_bytes()
            + self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes)
            + self.asked.capacity() * size_of::<(u64, AgentId)>()
    }
}
