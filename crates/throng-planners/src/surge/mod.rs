//! Surge: everyone arrives, in real time, with no preparation.

mod bench;
mod field;
mod fields;
mod knot;

use throng_crowd::bytes::Damaged;
use throng_crowd::{AgentId, Candidates, Change, Guide, Inheritance, Moves, Occupant, Planner, Sharing, View, Work};
use throng_grid::Cell;
use throng_search::spec::{Kind, Parameter, Values};
use throng_search::{ANY_CORNERS, EmptyMap, Heuristic};

use crate::registry::PlannerInfo;
use field::farther;
use fields::Fields;
use knot::{Knot, MOST, Untangler};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "surge",
    summary: "surge: priority inheritance along corridor fields",
    idea: "x",
    reference: "throng",
    parameters: &[Parameter {
        name: "work",
        summary: "most work on fields in a tick",
        kind: Kind::Integer { min: 0, max: 100_000_000, default: 40_000 },
    }, Parameter { name: "swap", summary: "s", kind: Kind::Choice(&["on", "off"]) }],
    needs: Sharing::Everything,
    needs_control: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, _| Box::new(Surge::new(values)),
};

struct Surge {
    most: u64,
    swap: bool,
    fields: Fields,
    /// Ticks since each agent was last at its target.
    underway: Vec<u32>,
    order: Vec<AgentId>,
    step: Inheritance,
    asked: Vec<(u64, AgentId)>,
    /// The nearest that each agent has come, and when.
    headway: Vec<(u16, u64)>,
    /// Those it met last.
    met: Vec<[AgentId; MOST - 1]>,
    knots: Vec<Knot>,
    untangler: Untangler,
    pub(super) untied: (u64, u64),
}

/// Nobody met yet.
const NOBODY: AgentId = AgentId(u32::MAX);
/// Ticks without headway after which an agent is in a knot.
const PATIENCE: u64 = 24;

impl Surge {
    fn new(values: &Values) -> Self {
        Self {
            most: values.get("work") as u64,
            swap: values.choice("swap") == "on",
            fields: Fields::new(),
            underway: Vec::new(),
            order: Vec::new(),
            step: Inheritance::default(),
            asked: Vec::new(),
            headway: Vec::new(),
            met: Vec::new(),
            knots: Vec::new(),
            untangler: Untangler::new(),
            untied: (0, 0),
        }
    }

    fn rank(&mut self, view: &View<'_>) {
        self.underway.resize(view.numbers(), 0);
        self.asked.resize(view.numbers(), (0, AgentId(0)));
        for &agent in view.agents() {
            let i = agent.index();
            let idle = view.target(agent).is_none() || view.is_home(agent);
            self.underway[i] = if idle { 0 } else { self.underway[i] + 1 };
        }
        self.order.clear();
        self.order.extend_from_slice(view.movers());
        let underway = &self.underway;
        self.order.sort_by_cached_key(|&agent| {
            (std::cmp::Reverse(underway[agent.index()]), view.whim(agent, 0))
        });
    }
}

impl Surge {
    /// Finds agents that have made no headway for long, and plans for them and those they met.
    fn find_knots(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        self.headway.resize(view.numbers(), (u16::MAX, 0));
        self.met.resize(view.numbers(), [NOBODY; MOST - 1]);
        for &agent in view.movers() {
            if view.is_home(agent) || view.target(agent).is_none() {
                continue;
            }
            let Some(field) = self.fields.of(agent) else { continue };
            let Some(here) = field.distance(view.ground(agent).pos(view.at(agent))) else { continue };
            let (best, since) = self.headway[agent.index()];
            if best == u16::MAX || farther(here, best) < 0 {
                self.headway[agent.index()] = (here, view.tick());
            } else if view.tick() - since >= PATIENCE && !self.is_tied(agent) {
                self.headway[agent.index()].1 = view.tick();
                let mut members = vec![agent];
                for &other in &self.met[agent.index()] {
                    let near = |other: AgentId| {
                        let (one, two) = (view.ground(agent).pos(view.at(agent)), view.ground(agent).pos(view.at(other)));
                        (one.x - two.x).abs().max((one.y - two.y).abs()) <= 4
                    };
                    if other != NOBODY && !members.contains(&other) && view.may_step(other) && near(other) && !self.is_tied(other) {
                        members.push(other);
                    }
                }
                if members.len() > 1 && work.round(200_000) {
                    let knot = self.untangler.untangle(view, &members);
                    work.spend(self.untangler.spent);
                    self.untied.0 += 1;
                    if let Some(knot) = knot {
                        self.untied.1 += 1;
                        self.knots.push(knot);
                    }
                }
            }
        }
    }

    fn is_tied(&self, agent: AgentId) -> bool {
        self.knots.iter().any(|knot| knot.members.contains(&agent))
    }

    /// Has those in knots make their next joint step; a knot that cannot go on is dropped.
    fn follow_knots(&mut self, view: &View<'_>) {
        let mut knots = std::mem::take(&mut self.knots);
        knots.retain_mut(|knot| {
            let Some(next) = knot.next() else { return false };
            let fits = knot.members.iter().zip(next).all(|(&member, &to)| {
                let at = view.at(member);
                view.may_step(member)
                    && (to == at || view.ground(member).legal_step(at, to).is_some())
                    && match view.occupancy().at(to) {
                        Occupant::Nobody => true,
                        Occupant::Agent(other) => knot.members.contains(&other),
                        Occupant::Foreign => false,
                    }
            });
            if fits {
                for (&member, &to) in knot.members.iter().zip(next) {
                    self.step.take(member, to);
                }
                knot.done += 1;
            }
            fits
        });
        self.knots = knots;
    }
}

/// The cells an agent would like to be in, best first.
fn wishes(view: &View<'_>, fields: &Fields, agent: AgentId) -> Candidates {
    let (at, ground) = (view.at(agent), view.ground(agent));
    let mut keys = [(u64::MAX, Cell(0)); 9];
    let mut count = 0;
    let lot = view.lot(agent);
    let here = ground.pos(at);
    let target = view.target(agent);
    let field = fields.of(agent).filter(|_| target.is_some());
    let base = field.and_then(|field| field.distance(here));
    let mut plain = EmptyMap::to_cell(ground, target.unwrap_or(at));
    let shift = if ground.halves().is_empty() { 2 } else { 0 };
    let mut add = |cell: Cell, number: u32, value: i64| {
        let held = u64::from(cell != at && !view.occupancy().is_free(cell));
        let key = ((value + (1 << 40)) as u64) << 8 | held << 7 | (lot >> (number * 7)) & 127;
        let mut slot = count;
        while slot > 0 && keys[slot - 1].0 > key {
            keys[slot] = keys[slot - 1];
            slot -= 1;
        }
        keys[slot] = (key, cell);
        count += 1;
    };
    let mut value = |cell: Cell, pos| match (field, base) {
        (Some(field), Some(base)) => match field.distance(pos) {
            Some(there) => i64::from(farther(there, base)),
            None => i64::from(1 << 20) + i64::from(plain.lower(cell.0) >> shift),
        },
        _ => i64::from(plain.lower(cell.0) >> shift),
    };
    add(at, 8, value(at, here));
    for (direction, to) in ground.neighbours(at) {
        if view.occupancy().at(to) == Occupant::Foreign {
            continue;
        }
        let pos = throng_grid::Pos::new(here.x + direction.dx(), here.y + direction.dy());
        add(to, u32::from(direction.number()), value(to, pos));
    }
    let mut candidates = Candidates::default();
    keys[..count].iter().for_each(|key| candidates.push(key.1));
    candidates
}

/// Guides agents along their fields.
struct Along<'a>(&'a Fields, bool);

impl Guide for Along<'_> {
    fn wishes(&self, view: &View<'_>, agent: AgentId) -> Candidates {
        wishes(view, self.0, agent)
    }

    fn distance(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<i64> {
        let ground = view.ground(agent);
        let target = view.target(agent)?;
        match self.0.of(agent) {
            Some(field) => {
                let (here, base) = (field.distance(ground.pos(cell))?, field.distance(ground.pos(view.at(agent)))?);
                Some(i64::from(farther(here, base)))
            }
            None => Some(i64::from(EmptyMap::to_cell(ground, target).lower(cell.0))),
        }
    }

    fn swaps(&self) -> bool {
        self.1
    }
}

impl Planner for Surge {
    fn needs(&self) -> Sharing {
        Sharing::Everything
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.rank(view);
        self.fields.queue(view);
        self.fields.make(view, work, self.most);
        self.find_knots(view, work);
        self.step.begin(view);
        self.follow_knots(view);
        let met = &mut self.met;
        let (fields, asked, tick) = (&self.fields, &mut self.asked, view.tick());
        for &agent in &self.order {
            if self.step.next(agent).is_none() {
                self.step.decide(view, agent, &Along(fields, self.swap), |other, by| {
                    asked[other.index()] = (tick, by);
                    for (one, other) in [(other, by), (by, other)] {
                        if met[one.index()][0] != other {
                            met[one.index()][1] = met[one.index()][0];
                            met[one.index()][0] = other;
                        }
                    }
                });
            }
        }
        for &agent in view.movers() {
            let at = view.at(agent);
            let Some(to) = self.step.next(agent) else { continue };
            let asked = Some(self.asked[agent.index()]).filter(|asked| asked.0 == tick);
            let idle = view.target(agent).is_none() || view.is_home(agent);
            match asked {
                _ if to == at && idle => {}
                _ if to == at => {
                    let wanted = wishes(view, fields, agent).as_slice()[0];
                    if wanted != at {
                        let by = self.step.taker(wanted).or(view.occupancy().agent(wanted));
                        if let Some(by) = by {
                            moves.wait(agent, wanted, Some(by));
                        }
                    }
                }
                Some((_, by)) if idle => moves.push(agent, to, by),
                _ => moves.go(agent, to),
            }
        }
    }

    fn notice(&mut self, agent: AgentId, _: Change) {
        self.fields.drop(agent);
        if let Some(headway) = self.headway.get_mut(agent.index()) {
            *headway = (u16::MAX, 0);
        }
    }

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8]) -> Result<(), Damaged> {
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.fields.bytes() + self.step.bytes()
    }
}
