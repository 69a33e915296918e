//! A skirmish: four squads of the red army cross a river and storm a fortress that four squads of the blue army hold.
//!
//! 400 units have three kinds of terrain, three speeds, gates that only one army may pass, carts that the game moves, and
//! enemies that kill them; new ones come. The game gives orders to squads and to single units, and reacts to events. In
//! every tick `invariants.rs` checks what throng promises, and at the end the recording is checked by throng's own checker.
//!
//! `cargo run --release -p throng --example skirmish`

mod army;
mod field;
mod invariants;

use std::error::Error;
use std::time::{Duration, Instant};

use throng::grid::SeededRng;
use throng::prelude::*;
use throng::{Recording, check};

use army::{Army, Squad};
use field::{BRIDGE, CARTS, CENTRE, FORD, danger, south_gate, west_gate};
use invariants::Invariants;

const TICKS: u64 = 700;
/// The work per tick: one millisecond.
const BUDGET: u64 = 20_000;
/// In this tick the red army breaks the gate.
const GATE_BREAKS: u64 = 260;

fn main() -> Result<(), Box<dyn Error>> {
    let mut game = Game::new()?;
    game.world.start_recording();
    for _ in 0..TICKS {
        game.tick()?;
    }
    game.report();
    let recording = Recording::read(&game.world.finish_recording().ok_or("nothing was recorded")?)?;
    let report = check(&recording);
    assert!(report.is_clean(), "{:?}", report.violations);
    println!("the checker found no fault in {} decisions", report.agent_steps);
    Ok(())
}

struct Game {
    world: World,
    squads: Vec<Squad>,
    carts: Vec<ForeignId>,
    rng: SeededRng,
    invariants: Invariants,
    longest: Duration,
    killed: usize,
}

impl Game {
    fn new() -> Result<Self, Box<dyn Error>> {
        let (grid, profiles) = field::map()?;
        let planner = planner("surge", &grid)?;
        let settings = Settings::default().step_time(StepTime::Cost).seed(1);
        let mut world = World::new(grid, planner, settings)?;
        // Only the blue army may pass the gates.
        world.set_door(west_gate(), Classes::only(Army::Blue.class()));
        world.set_door(south_gate(), Classes::only(Army::Blue.class()));
        let mut rng = SeededRng::new(8);
        let carts = CARTS.map(|at| world.place_foreign(at)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let squads = army::muster(&mut world, profiles, &mut rng)?;
        let mut game = Self {
            world,
            squads,
            carts,
            rng,
            invariants: Invariants::default(),
            longest: Duration::ZERO,
            killed: 0,
        };
        game.first_orders()?;
        Ok(game)
    }

    /// The red army goes for the bridge and the ford; the blue army holds the gate, patrols and escorts a cart.
    fn first_orders(&mut self) -> Result<(), Box<dyn Error>> {
        for (squad, place) in [(0, BRIDGE), (1, BRIDGE), (2, FORD), (3, FORD)] {
            self.squads[squad].send(&mut self.world, place)?;
        }
        let [.., gate, riders, reserve, boats] = &self.squads[..] else {
            return Err("squads are missing".into());
        };
        for &unit in &gate.units {
            // Nobody pushes these away from the gate.
            self.world.hold(unit, true)?;
        }
        for &unit in &riders.units {
            self.world.patrol(unit, &[Pos::new(70, 18), Pos::new(70, 54), Pos::new(86, 36)])?;
        }
        for (number, &unit) in reserve.units.iter().enumerate() {
            match number {
                0..10 => self.world.follow(unit, Unit::Foreign(self.carts[0]), 3)?,
                _ => _ = self.world.send(unit, CENTRE)?,
            }
        }
        for &unit in &boats.units {
            self.world.patrol(unit, &[Pos::new(53, 22), Pos::new(54, 48)])?;
        }
        self.squads[4].send(&mut self.world, Pos::new(84, 36))
    }

    fn tick(&mut self) -> Result<(), Box<dyn Error>> {
        let tick = self.world.ticks() + 1;
        match tick {
            // Archers: the red army avoids the middle of the field where it can.
            100 => _ = self.world.set_cost(danger(), Classes::only(Army::Red.class()), 8)?,
            300 => _ = self.world.set_cost(danger(), Classes::ALL, 0)?,
            GATE_BREAKS => _ = self.world.set_door(west_gate(), Classes::ALL),
            _ => {}
        }
        self.move_carts(tick)?;
        if tick.is_multiple_of(40) {
            army::reinforce(&mut self.world, &mut self.squads[3], &mut self.rng)?;
        }
        let mut events = Vec::new();
        self.invariants.before_tick(&self.world)?;
        let clock = Instant::now();
        self.world.tick(Budget::units(BUDGET), &mut events);
        self.longest = self.longest.max(clock.elapsed());
        self.invariants.after_tick(&self.world, &events)?;
        for event in events {
            if let Event::GroupArrived { group, .. } = event
                && let Some(squad) = self.squads.iter_mut().find(|squad| squad.group == Some(group))
            {
                squad.arrived += 1;
                squad.group = None;
            }
        }
        self.command(tick)?;
        self.fight()
    }

    /// Sends red squads without an order to the gate, and into the fortress once the gate is broken.
    fn command(&mut self, tick: u64) -> Result<(), Box<dyn Error>> {
        let idle = |squad: &&mut Squad| squad.army == Army::Red && squad.group.is_none();
        for squad in self.squads.iter_mut().filter(idle) {
            let place = if tick < GATE_BREAKS { Pos::new(74, 36) } else { CENTRE };
            if squad.goal != Some(place) {
                squad.send(&mut self.world, place)?;
            }
        }
        Ok(())
    }

    /// Moves the carts along the road. A cart waits for units in its way; at the end of the road it drives back.
    fn move_carts(&mut self, tick: u64) -> Result<(), Box<dyn Error>> {
        if !tick.is_multiple_of(3) {
            return Ok(());
        }
        for cart in &mut self.carts {
            let at = self.world.foreign_position(*cart)?;
            if at.x + 1 < field::WIDTH {
                // It is refused while another unit stands there.
                let _ = self.world.move_foreign(*cart, Pos::new(at.x + 1, at.y));
            } else {
                self.world.remove_foreign(*cart)?;
                let start = (62..field::WIDTH).map(|x| Pos::new(x, at.y));
                *cart = start
                    .map(|at| self.world.place_foreign(at))
                    .find_map(Result::ok)
                    .ok_or("the road is full")?;
            }
        }
        Ok(())
    }

    /// Units beside an enemy kill it now and then.
    fn fight(&mut self) -> Result<(), Box<dyn Error>> {
        for unit in self.world.agents().to_vec() {
            let Ok(at) = self.world.position(unit) else { continue };
            let beside = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| Pos::new(at.x + dx, at.y + dy)));
            let enemy = beside.filter_map(|pos| self.world.occupant(pos)).find_map(|other| match other {
                Unit::Agent(other) => (self.world.user(other) != self.world.user(unit)).then_some(other),
                Unit::Foreign(_) => None,
            });
            if let Some(enemy) = enemy
                && self.rng.below(30) == 0
            {
                self.world.despawn(enemy)?;
                for squad in &mut self.squads {
                    squad.units.retain(|&other| other != enemy);
                }
                self.killed += 1;
            }
        }
        Ok(())
    }

    fn report(&self) {
        println!("army   squad            units  orders fulfilled");
        for squad in &self.squads {
            println!(
                "{:<6} {:<15} {:>6}  {:>16}",
                squad.army.name(),
                squad.name,
                squad.units.len(),
                squad.arrived
            );
        }
        println!(
            "{} killed in {TICKS} ticks; longest tick {:.1} ms",
            self.killed,
            self.longest.as_secs_f64() * 1e3
        );
        println!("{}", self.invariants);
        assert!(self.killed > 20, "only {} units met an enemy", self.killed);
        let red: usize =
            self.squads.iter().filter(|squad| squad.army == Army::Red).map(|squad| squad.arrived).sum();
        assert!(red >= 4, "the red squads fulfilled only {red} orders");
    }
}

#[test]
fn the_skirmish_keeps_every_promise() {
    main().unwrap();
}
