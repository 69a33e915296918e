//! The window search is compared with a search of all paths, and the claims with a recount.

use throng_crowd::{AgentSpec, Budget, Settings, Stationary, Work, World};
use throng_grid::{Grid, MoveRules, Pos, SeededRng, Size, Terrain, Tiles};
use throng_search::NO_DISTANCE;

use super::*;

/// A world of random walls with agents that have random goals.
fn random_world(rng: &mut SeededRng, agents: usize) -> World {
    let size = Size::new(14, 14).unwrap();
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    for _ in 0..30 {
        tiles.set(Pos::new(rng.below(14) as i32, rng.below(14) as i32), Terrain::Wall);
    }
    let grid = Grid::new(tiles, MoveRules::default());
    let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
    for _ in 0..agents {
        let [x, y, goal_x, goal_y] = [0; 4].map(|_| rng.below(14) as i32);
        if let Ok(agent) = world.spawn(AgentSpec::at(x, y)) {
            // A goal that cannot be reached is refused, and the agent rests.
            let _ = world.send(agent, Pos::new(goal_x, goal_y));
        }
    }
    world.tick(Budget::Unlimited, &mut Vec::new());
    world
}

/// Guidance in which every agent has chosen what it heads for.
fn guidance(view: &View<'_>) -> Guidance {
    let mut guidance = Guidance::new(view.grid(), 1 << 24);
    let mut work = Work::new(Budget::Unlimited);
    let mut budget = WorkBudget { work: &mut work, left: u64::MAX };
    guidance.follow_map(view, &mut budget);
    guidance.request_all(view);
    guidance.build(view, &mut budget);
    guidance.choose_all(view);
    guidance
}

/// The situation in which the paths of an agent are compared.
struct Slow<'a> {
    view: View<'a>,
    guidance: &'a Guidance,
    claims: &'a Claims,
    agent: AgentRow,
    window: u64,
}

impl Slow<'_> {
    fn distance(&self, cell: Cell) -> u16 {
        let field = self.guidance.field(&self.view, self.agent).unwrap();
        field.distance(self.view.ground(self.agent).pos(cell))
    }

    /// Returns the cost of a step that starts `depth` ticks from now; `None` if it is not allowed.
    fn step(&self, from: Cell, to: Cell, depth: u64) -> Option<u32> {
        let (ground, straight) =
            (self.view.ground(self.agent), self.guidance.straight_steps(&self.view, self.agent, 1));
        let count = self.claims.count(to, self.view.tick() + depth + 1);
        let claimed = straight * count / if self.claims.has_mostly_arrived { 1 } else { 4 };
        if from == to {
            return Some(straight + claimed);
        }
        let direction = ground.legal_step(from, to)?;
        let length = self.guidance.guide(&self.view, self.agent).distance_of(ground.cost(from, direction));
        let (here, there) = (self.distance(from), self.distance(to));
        let loss = (length + u32::from(there)).saturating_sub(u32::from(here));
        if there == NO_DISTANCE || loss > straight + straight / 2 {
            return None;
        }
        let is_held = depth == 0 && self.view.occupancy().agent(to).is_some();
        let is_in_the_way = self.claims.is_resting(to) || is_held;
        Some(loss + claimed + straight * u32::from(is_in_the_way))
    }

    /// Returns the cost of the best path from a cell.
    fn best(&self, from: Cell, depth: u64) -> u32 {
        if depth == self.window || self.distance(from) == 0 {
            return 0;
        }
        let ground = self.view.ground(self.agent);
        let next = ground.neighbours(from).map(|(_, to)| to).chain([from]);
        let over = |to: Cell| Some(self.step(from, to, depth)? + self.best(to, depth + 1));
        next.filter_map(over).min().unwrap_or(u32::MAX)
    }
}

#[test]
fn a_plan_costs_as_little_as_the_best_of_all_paths() {
    let (mut rng, mut search, mut compared) = (SeededRng::new(11), WindowSearch::default(), 0);
    for _ in 0..60 {
        let world = random_world(&mut rng, 30);
        let view = world.view();
        let guidance = guidance(&view);
        let mut local = LocalGuidance::new(14 * 14, 3);
        local.plans.resize(view.id_limit(), Plan::default());
        local.follow(&view, false);
        for cell in (0..14 * 14).map(Cell) {
            for tick in 0..SLOTS as u64 {
                (0..rng.below(8).saturating_sub(5)).for_each(|_| local.claims.add(cell, tick));
            }
        }
        for &agent in view.movers() {
            let slow = Slow { view, guidance: &guidance, claims: &local.claims, agent, window: 3 };
            if guidance.field(&view, agent).is_none() || local.claims.is_resting(view.at(agent)) {
                continue;
            }
            let mut cells = [Cell(0); SLOTS];
            let (steps, expansions) =
                search.run(&view, &guidance, agent, 3, &local.claims, |_| false, &mut cells);
            if expansions == MAX_EXPANSIONS {
                continue;
            }
            let path = cells[..=steps].windows(2).zip(0..);
            let cost: u32 = path.map(|(step, depth)| slow.step(step[0], step[1], depth).unwrap()).sum();
            let (best, straight) = (slow.best(view.at(agent), 0), guidance.straight_steps(&view, agent, 1));
            assert!(
                steps > 0 && cost >= best && cost <= best + straight / 8,
                "{steps} steps, cost {cost} instead of {best}, a step costs {straight}"
            );
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared} plans were compared");
}

#[test]
fn claims_are_those_of_the_plans_also_after_saving() {
    let (mut rng, mut planned) = (SeededRng::new(5), 0);
    for _ in 0..20 {
        let mut world = random_world(&mut rng, 25);
        let mut local = LocalGuidance::new(14 * 14, 4);
        for _ in 0..12 {
            let view = world.view();
            let guidance = guidance(&view);
            let mut work = Work::new(Budget::expansions(3_000));
            local.update(&view, &guidance, &mut WorkBudget { work: &mut work, left: u64::MAX });
            if rng.below(4) == 0 {
                local.forget(AgentRow(rng.below(view.id_limit() as u32)));
            }
            let mut saved = Vec::new();
            throng_crowd::state::encode(&local, &mut saved);
            let limits = Limits::new(world.grid(), view.id_limit(), world.ticks());
            let mut loaded = LocalGuidance::new(14 * 14, 4);
            loaded.restore(throng_crowd::state::decode(&saved, &limits).unwrap());
            assert_eq!(local.claims.counts, loaded.claims.counts);
            planned += local.plans.iter().filter(|plan| plan.steps > 0).count();
            // Some agents are kept from their plans.
            for &agent in view.agents().to_vec().iter().filter(|_| rng.below(3) > 0) {
                let next = local.next_cell(&world.view(), agent).map(|cell| world.grid().ground().pos(cell));
                if let Some(next) = next {
                    let _ = world.teleport(u64::from(agent.0).into(), next);
                }
            }
            world.tick(Budget::Unlimited, &mut Vec::new());
        }
    }
    assert!(planned > 1_000, "{planned} plans");
}
