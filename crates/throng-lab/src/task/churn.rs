//! A world that does not hold still: agents are sent elsewhere while they walk, walls appear and go, and walkers that the
//! planner does not move stroll about.
//!
//! Time is counted as in a game of ten ticks a second. Each second a share of the agents, drawn at random, gets a new
//! goal anywhere in the largest part of the map; each second a wall of five cells appears, and when ten stand the
//! oldest goes; each tick every foreign walker steps to a random free neighbour in half of the cases. All of it is drawn
//! from the problem's seed, so every planner meets the same orders and walls, and walkers that differ only where an
//! agent stands in their way.
//!
//! An order is fulfilled when its agent arrives before it gets another. An agent's first move is counted from its
//! order, or up to the order's end when there was none; an order to where the agent stands has none. Whose expansions a
//! tick's are is not known: they are shared out among the agents underway, and the share of an order that is taken back
//! before it is fulfilled counts as thrown away.

use throng::crowd::{ForeignId, WorldError};
use throng::grid::SeededRng;
use throng::{AgentId, Area, Cell, Event, Pos, TickReport, World};

use super::{Bench, Problem, Task, TaskError, agents, fill, setup};
use crate::problem::largest_part;
use crate::store::Record;
use crate::{Director, Row, Setup, Shortest, Stopped, direct};

/// Ticks a second.
const SECOND: u64 = 10;

/// Cells of a wall.
const WALL: i32 = 5;

/// Walls that stand at a time.
const WALLS: usize = 10;

/// The task.
#[derive(Debug)]
pub(super) struct Churn;

impl Task for Churn {
    fn name(&self) -> &'static str {
        "churn"
    }

    fn about(&self) -> &'static str {
        "agents are sent elsewhere while they walk, walls appear and go, foreign walkers stroll about"
    }

    fn run(&self, bench: &Bench, settings: &Row) -> Result<Option<Record>, TaskError> {
        let problem = bench.problem(settings)?;
        let mut game = Game::new(bench, &problem, settings);
        // Agents walk more ways than their first, so its length says nothing.
        let setup = Setup { shortest: Shortest::Unwanted, ..setup(bench, &problem, settings) };
        let outcome = direct(setup, &mut game)?;
        if outcome.result.stopped == Stopped::Watcher {
            return Ok(None);
        }
        let mut row = settings.clone();
        fill(&mut row, &outcome.result);
        game.fill(&mut row, outcome.result.ticks);
        Ok(Some(Record { row, series: outcome.series }))
    }
}

/// An order that an agent has.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// The last tick before it.
    since: u64,
    moved: bool,
    fulfilled: bool,
    /// Its share of the expansions so far.
    expansions: f64,
}

/// What happens beside the planner's doing, and what is counted.
struct Game<'a> {
    bench: &'a Bench,
    rng: SeededRng,
    walkers_rng: SeededRng,
    /// Where agents are sent.
    cells: Vec<Cell>,
    /// New goals a tick, in millionths.
    retasks: u64,
    /// Millionths of a new goal that are due.
    due: u64,
    walls: bool,
    standing: Vec<Area>,
    /// Walkers to be placed before the first tick.
    foreign: usize,
    walkers: Vec<(ForeignId, Pos)>,
    orders: Vec<Order>,
    given: u64,
    fulfilled: u64,
    discarded: f64,
    /// Orders with a first move, or without one until they ended, and their ticks.
    first_moves: (u64, u64),
}

impl<'a> Game<'a> {
    fn new(bench: &'a Bench, problem: &Problem, settings: &Row) -> Self {
        let percent = |name: &str| settings.number(name).unwrap_or(0.0);
        let agents = agents(&problem.instance);
        let retasks = agents as f64 * percent("retask_percent") / 100.0 / SECOND as f64;
        Self {
            bench,
            rng: SeededRng::new(problem.seed ^ 0x6f72_6465_7273),
            walkers_rng: SeededRng::new(problem.seed ^ 0x7761_6c6b),
            cells: largest_part(problem.grid.ground()),
            retasks: (retasks * 1e6) as u64,
            due: 0,
            walls: settings.flag("walls").unwrap_or(false),
            standing: Vec::new(),
            foreign: (agents as f64 * percent("foreign_percent") / 100.0).round() as usize,
            walkers: Vec::new(),
            orders: vec![Order::default(); agents],
            given: agents as u64,
            fulfilled: 0,
            discarded: 0.0,
            first_moves: (0, 0),
        }
    }

    fn place_walkers(&mut self, world: &mut World) {
        let mut cells = self.cells.clone();
        self.walkers_rng.shuffle(&mut cells);
        for cell in cells {
            if self.walkers.len() == self.foreign {
                break;
            }
            let pos = world.grid().size().pos(cell);
            // Where an agent stands no walker does.
            if let Ok(unit) = world.place_foreign(pos) {
                self.walkers.push((unit, pos));
            }
        }
    }

    fn stroll(&mut self, world: &mut World) {
        for (unit, at) in &mut self.walkers {
            let ground = world.grid().ground();
            let Some(cell) = ground.cell(*at).filter(|_| self.walkers_rng.chance(50)) else { continue };
            let (neighbours, count) = (ground.neighbours(cell), ground.neighbours(cell).count());
            let choice = self.walkers_rng.below(count as u32) as usize;
            let Some(to) = neighbours.map(|(_, to)| ground.pos(to)).nth(choice) else { continue };
            // Whoever finds the cell taken stays.
            if world.move_foreign(*unit, to).is_ok() {
                *at = to;
            }
        }
    }

    fn build(&mut self, world: &mut World) {
        if self.standing.len() == WALLS {
            world.unblock(self.standing.remove(0));
        }
        let corner = world.grid().size().pos(self.rng.pick(&self.cells));
        let along = if self.rng.chance(50) { (WALL, 1) } else { (1, WALL) };
        let area = Area::rect(corner, Pos::new(corner.x + along.0 - 1, corner.y + along.1 - 1));
        world.block(area);
        self.standing.push(area);
    }

    fn retask(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        let agent = self.rng.pick(world.agents());
        let goal = world.grid().size().pos(self.rng.pick(&self.cells));
        let since = world.ticks();
        let old = std::mem::replace(&mut self.orders[agent.index()], Order { since, ..Order::default() });
        self.end(old, since);
        self.given += 1;
        world.send(agent, goal)?;
        retasked.push(agent);
        Ok(())
    }

    /// An order that gives way to another or to the end of the run.
    fn end(&mut self, order: Order, tick: u64) {
        if !order.fulfilled {
            self.discarded += order.expansions;
            if !order.moved {
                self.first_move(tick - order.since);
            }
        }
    }

    fn first_move(&mut self, ticks: u64) {
        self.first_moves.0 += 1;
        self.first_moves.1 += ticks;
    }

    fn fill(&mut self, row: &mut Row, ticks: u64) {
        // Orders that nobody took back are not thrown away.
        let discarded = self.discarded;
        for order in std::mem::take(&mut self.orders) {
            self.end(order, ticks);
        }
        row.set("orders", self.given);
        row.set("orders_fulfilled", self.fulfilled);
        row.set(
            "completion_rate",
            if self.given == 0 { 1.0 } else { self.fulfilled as f64 / self.given as f64 },
        );
        row.set("expansions_discarded", discarded);
        let (count, sum) = self.first_moves;
        row.set_some("first_move_ticks_mean", (count > 0).then(|| sum as f64 / count as f64));
        row.set_some("shortest_mean", None::<f64>);
        row.set_some("travel_over_shortest", None::<f64>);
    }
}

impl Director for Game<'_> {
    fn before(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        if world.ticks() == 0 {
            self.place_walkers(world);
        }
        self.stroll(world);
        if self.walls && world.ticks().is_multiple_of(SECOND) {
            self.build(world);
        }
        self.due += self.retasks;
        while self.due >= 1_000_000 {
            self.due -= 1_000_000;
            self.retask(world, retasked)?;
        }
        Ok(())
    }

    fn after(&mut self, world: &World, report: TickReport, events: &[Event]) -> bool {
        for event in events {
            match *event {
                Event::Moved { agent, .. } if !self.orders[agent.index()].moved => {
                    self.orders[agent.index()].moved = true;
                    self.first_move(world.ticks() - self.orders[agent.index()].since);
                }
                Event::Arrived { agent } if !self.orders[agent.index()].fulfilled => {
                    self.orders[agent.index()].fulfilled = true;
                    self.fulfilled += 1;
                }
                _ => {}
            }
        }
        let underway = self.orders.iter_mut().filter(|order| !order.fulfilled);
        let count = underway.count();
        let share = report.expansions as f64 / count.max(1) as f64;
        self.orders.iter_mut().filter(|order| !order.fulfilled).for_each(|order| order.expansions += share);
        !self.bench.is_stopped()
    }

    fn ends_at_home(&self) -> bool {
        self.retasks == 0 && !self.walls
    }
}
