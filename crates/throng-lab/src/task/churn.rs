//! The task `churn`: agents get new goals while they walk, walls appear and disappear, and foreign units wander about.
//!
//! Ten ticks are a second. Each second a share of the agents, drawn at random, gets a new goal in the largest connected
//! component of the map, and a wall of five cells appears; when ten walls stand, the oldest disappears. Each tick every
//! foreign unit steps to a random free neighbour with probability one half. Everything is drawn from the problem's seed,
//! so all planners meet the same orders and walls; foreign units differ only where an agent stands in their way.
//!
//! An order is fulfilled if its agent arrives before it gets another order. The first move of an order is counted from the
//! order, or until the order's end if the agent never moved; an order to the agent's own cell has none. Planners do not
//! report expansions per agent: those of a tick are split evenly among the agents that have not arrived, and the share of
//! an order that is withdrawn before it is fulfilled counts as discarded.

use throng::grid::SeededRng;
use throng::{AgentId, Area, Cell, Event, Pos, TickReport, World};
use throng_crowd::{ForeignId, WorldError};

use super::crowd_run::{self, CrowdSettings, setup};
use super::{CrowdProblem, Refusal, RunContext, Task, TaskError};
use crate::columns::{Column, RowPart, columns};
use crate::experiment::{Key, KeyKind, PROBLEM_KEYS};
use crate::maps::Maps;
use crate::problem::largest_component;
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow, ScenarioScript, Setup, Shortest, Stopped, run_script};

/// Ticks per second.
const SECOND: u64 = 10;

/// Cells of a wall.
const WALL_LENGTH: i32 = 5;

/// The number of walls that stand at a time.
const MAX_WALLS: usize = 10;

/// How much longer a run takes than one of the task `crowd`, roughly: agents do not stay at their goals.
const COST_FACTOR: f64 = 3.0;

columns! { Setting:
    /// The settings of the task `churn`.
    struct ChurnSettings {
        /// share of the agents that get a new goal per second, in percent
        retask_percent: Option<f64>,
        /// number of foreign units, in percent of the agents
        foreign_percent: Option<f64>,
        /// whether walls appear and disappear
        walls: Option<bool>,
    }
}

columns! { Measure:
    /// The measures of the task `churn`.
    struct ChurnMeasures {
        /// number of orders, the first ones included
        orders: u64,
        /// number of orders whose agent arrived
        orders_fulfilled: u64,
        /// `orders_fulfilled` over `orders`
        order_rate: f64,
        /// mean number of ticks from an order to the agent's first move
        first_move_ticks_mean: Option<f64>,
        /// estimated number of expansions for orders that were withdrawn
        expansions_discarded: f64,
    }
}

const KEYS: &[Key] = &[
    Key::axis(
        "retask_percent",
        "retask_percent",
        KeyKind::Number(1_000.0),
        "share of the agents that get a new goal per second, in percent",
    ),
    Key::axis(
        "foreign_percent",
        "foreign_percent",
        KeyKind::Number(1_000.0),
        "number of foreign units, in percent of the agents",
    ),
    Key::axis("walls", "walls", KeyKind::Flag, "whether walls appear and disappear"),
];

/// The task `churn`.
#[derive(Debug)]
pub(super) struct Churn;

impl Task for Churn {
    fn name(&self) -> &'static str {
        "churn"
    }

    fn about(&self) -> &'static str {
        "agents get new goals while they walk, walls appear and disappear, foreign units wander about"
    }

    fn keys(&self) -> &'static [&'static [Key]] {
        &[PROBLEM_KEYS, crowd_run::AGENTS, KEYS, crowd_run::LIMITS_AND_PLANNERS]
    }

    fn columns(&self) -> &'static [&'static [Column]] {
        &[
            CrowdSettings::COLUMNS,
            ChurnSettings::COLUMNS,
            CrowdMeasures::COLUMNS,
            ChurnMeasures::COLUMNS,
            CrowdTimings::COLUMNS,
        ]
    }

    fn solver_column(&self) -> &'static str {
        "planner"
    }

    fn completion_column(&self) -> &'static str {
        "order_rate"
    }

    fn moves_agents(&self) -> bool {
        true
    }

    fn seed_columns(&self) -> &'static [(&'static str, &'static str)] {
        crowd_run::SEED_COLUMNS
    }

    fn content_hash(&self, settings: &RunRow, maps: &Maps) -> Result<u64, Refusal> {
        crowd_run::content_hash(settings, maps, true)
    }

    fn check(&self, settings: &RunRow, maps: &Maps) -> Result<(), Refusal> {
        crowd_run::check_room(settings, maps)
    }

    fn estimated_seconds(&self, settings: &RunRow) -> f64 {
        crowd_run::estimated_seconds(settings, COST_FACTOR)
    }

    fn run(&self, context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
        let problem = context.problem(settings)?;
        let mut script = ChurnScript::new(context, &problem, &ChurnSettings::load(settings));
        // Agents walk to more goals than their first, so the length of the first path is no reference.
        let setup = Setup { shortest: Shortest::Unwanted, ..setup(context, &problem, settings) };
        let output = run_script(setup, &mut script)?;
        if output.result.stopped == Stopped::Interrupted {
            return Ok(None);
        }
        let mut row = settings.clone();
        output.result.store(&mut row);
        row.set_some("shortest_mean", None::<f64>);
        row.set_some("travel_over_shortest", None::<f64>);
        script.measures(output.result.ticks).store(&mut row);
        Ok(Some(StoredRun { row, series: output.series }))
    }

    fn solver_seconds(&self, row: &RunRow) -> f64 {
        crowd_run::solver_seconds(row)
    }
}

/// The current order of an agent.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// The last tick before the order.
    since: u64,
    moved: bool,
    fulfilled: bool,
    /// Its share of the expansions so far.
    expansions: f64,
}

/// The script of a run: draws orders, walls and moves of foreign units, and counts orders.
struct ChurnScript<'a> {
    context: &'a RunContext,
    rng: SeededRng,
    foreign_rng: SeededRng,
    /// The cells that goals are drawn from.
    cells: Vec<Cell>,
    /// New goals per tick, in millionths.
    retasks_per_tick: u64,
    /// Millionths of a new goal that are due.
    due: u64,
    walls: bool,
    standing_walls: Vec<Area>,
    /// The number of foreign units to place before the first tick.
    foreign_count: usize,
    foreign_units: Vec<(ForeignId, Pos)>,
    /// The current order of each agent.
    orders: Vec<Order>,
    order_count: u64,
    fulfilled: u64,
    discarded: f64,
    /// The number of first moves, and the sum of their ticks.
    first_moves: (u64, u64),
}

impl<'a> ChurnScript<'a> {
    fn new(context: &'a RunContext, problem: &CrowdProblem, settings: &ChurnSettings) -> Self {
        let agents = problem.instance.starts.len();
        let share = |percent: Option<f64>| agents as f64 * percent.unwrap_or(0.0) / 100.0;
        Self {
            context,
            rng: SeededRng::new(problem.seed ^ 0x6f72_6465_7273),
            foreign_rng: SeededRng::new(problem.seed ^ 0x7761_6c6b),
            cells: largest_component(problem.grid.ground()),
            retasks_per_tick: (share(settings.retask_percent) / SECOND as f64 * 1e6) as u64,
            due: 0,
            walls: settings.walls.unwrap_or(false),
            standing_walls: Vec::new(),
            foreign_count: share(settings.foreign_percent).round() as usize,
            foreign_units: Vec::new(),
            orders: vec![Order::default(); agents],
            order_count: agents as u64,
            fulfilled: 0,
            discarded: 0.0,
            first_moves: (0, 0),
        }
    }

    fn place_foreign_units(&mut self, world: &mut World) {
        let mut cells = self.cells.clone();
        self.foreign_rng.shuffle(&mut cells);
        for cell in cells {
            if self.foreign_units.len() == self.foreign_count {
                break;
            }
            let pos = world.grid().size().pos(cell);
            // The world refuses a cell that an agent occupies.
            if let Ok(unit) = world.place_foreign(pos) {
                self.foreign_units.push((unit, pos));
            }
        }
    }

    fn move_foreign_units(&mut self, world: &mut World) {
        for (unit, at) in &mut self.foreign_units {
            let ground = world.grid().ground();
            let Some(cell) = ground.cell(*at).filter(|_| self.foreign_rng.chance(50)) else { continue };
            let (neighbours, count) = (ground.neighbours(cell), ground.neighbours(cell).count());
            let choice = self.foreign_rng.below(count as u32) as usize;
            let Some(to) = neighbours.map(|(_, to)| ground.pos(to)).nth(choice) else { continue };
            // The unit stays if the world refuses the move because the cell is occupied.
            if world.move_foreign(*unit, to).is_ok() {
                *at = to;
            }
        }
    }

    fn build_wall(&mut self, world: &mut World) {
        if self.standing_walls.len() == MAX_WALLS {
            world.unblock(self.standing_walls.remove(0));
        }
        let corner = world.grid().size().pos(self.rng.pick(&self.cells));
        let extent = if self.rng.chance(50) { (WALL_LENGTH, 1) } else { (1, WALL_LENGTH) };
        let area = Area::rect(corner, Pos::new(corner.x + extent.0 - 1, corner.y + extent.1 - 1));
        world.block(area);
        self.standing_walls.push(area);
    }

    fn retask(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        let agent = self.rng.pick(world.agents());
        let goal = world.grid().size().pos(self.rng.pick(&self.cells));
        let since = world.ticks();
        let old = std::mem::replace(&mut self.orders[agent.index()], Order { since, ..Order::default() });
        self.end_order(old, since);
        self.order_count += 1;
        world.send(agent, goal)?;
        retasked.push(agent);
        Ok(())
    }

    /// Counts an order that ends because of another order or the end of the run.
    fn end_order(&mut self, order: Order, tick: u64) {
        if !order.fulfilled {
            self.discarded += order.expansions;
            if !order.moved {
                self.count_first_move(tick - order.since);
            }
        }
    }

    fn count_first_move(&mut self, ticks: u64) {
        self.first_moves.0 += 1;
        self.first_moves.1 += ticks;
    }

    fn measures(&mut self, ticks: u64) -> ChurnMeasures {
        // Orders that the end of the run cuts off were not withdrawn.
        let expansions_discarded = self.discarded;
        for order in std::mem::take(&mut self.orders) {
            self.end_order(order, ticks);
        }
        let (orders, orders_fulfilled) = (self.order_count, self.fulfilled);
        let (first_moves, sum) = self.first_moves;
        ChurnMeasures {
            orders,
            orders_fulfilled,
            order_rate: if orders == 0 { 1.0 } else { orders_fulfilled as f64 / orders as f64 },
            first_move_ticks_mean: (first_moves > 0).then(|| sum as f64 / first_moves as f64),
            expansions_discarded,
        }
    }
}

impl ScenarioScript for ChurnScript<'_> {
    fn before_tick(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        if world.ticks() == 0 {
            self.place_foreign_units(world);
        }
        self.move_foreign_units(world);
        if self.walls && world.ticks().is_multiple_of(SECOND) {
            self.build_wall(world);
        }
        self.due += self.retasks_per_tick;
        while self.due >= 1_000_000 {
            self.due -= 1_000_000;
            self.retask(world, retasked)?;
        }
        Ok(())
    }

    fn after_tick(&mut self, world: &World, report: TickReport, events: &[Event]) -> bool {
        for event in events {
            match *event {
                Event::Moved { agent, .. } if !self.orders[agent.index()].moved => {
                    self.orders[agent.index()].moved = true;
                    self.count_first_move(world.ticks() - self.orders[agent.index()].since);
                }
                Event::Arrived { agent } if !self.orders[agent.index()].fulfilled => {
                    self.orders[agent.index()].fulfilled = true;
                    self.fulfilled += 1;
                }
                _ => {}
            }
        }
        let underway = self.orders.iter().filter(|order| !order.fulfilled).count();
        let share = report.expansions as f64 / underway.max(1) as f64;
        self.orders.iter_mut().filter(|order| !order.fulfilled).for_each(|order| order.expansions += share);
        !self.context.is_stopped()
    }

    fn ends_when_all_arrived(&self) -> bool {
        self.retasks_per_tick == 0 && !self.walls
    }
}
