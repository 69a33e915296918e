//! The script of a run of the task `churn`: draws orders, walls and moves of foreign units, and counts orders.

use throng::grid::SeededRng;
use throng::{AgentId, Area, Cell, Event, Pos, TickReport, World};
use throng_crowd::{ForeignId, WorldError};

use super::{ChurnMeasures, ChurnSettings};
use crate::ScenarioScript;
use crate::problem::largest_component;
use crate::task::{CrowdProblem, RunContext};

/// Ticks per second.
const SECOND: u64 = 10;

/// Cells of a wall.
const WALL_LENGTH: i32 = 5;

/// The number of walls that stand at a time.
const MAX_WALLS: usize = 10;

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

/// The script of a run.
pub(super) struct ChurnScript<'a> {
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
    pub(super) fn new(context: &'a RunContext, problem: &CrowdProblem, settings: &ChurnSettings) -> Self {
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

    pub(super) fn measures(&mut self, ticks: u64) -> ChurnMeasures {
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
