//! Lockstep with rollback: two peers play one game over a slow connection, and their worlds stay equal.
//!
//! Each peer commands one army. Its commands take effect in its own world in the next tick, and reach the other peer up
//! to eight ticks later, so each peer plays ahead without the other's commands. Every eight ticks these arrive: the peer
//! goes back to the last tick for which it knew all commands, and plays the ticks again with those of both. Then the
//! peers compare state hashes.
//!
//! `cargo run --release -p throng --example lockstep`

use std::error::Error;
use std::time::{Duration, Instant};

use throng::Input;
use throng::grid::SeededRng;
use throng::prelude::*;

/// The number of ticks between two exchanges of commands.
const TICKS_PER_EXCHANGE: u64 = 8;
const EXCHANGES: u64 = 50;
const AGENTS_PER_ARMY: usize = 150;
/// The work per tick. A budget in units gives the same result on both machines; a budget by clock would not.
const BUDGET: u64 = 20_000;

/// A command of a player, and the tick in which it takes effect.
#[derive(Clone, Copy)]
struct Command {
    tick: u64,
    input: Input,
}

/// One of the two machines.
struct Peer {
    number: usize,
    /// The world that the player sees, ahead of `confirmed`.
    world: World,
    /// The world after the last tick for which the commands of both peers are known.
    confirmed: World,
    /// The peer's own commands since then, in the order of their ticks.
    commands: Vec<Command>,
    player: SeededRng,
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = start()?;
    let mut peers = [Peer::new(0, &start), Peer::new(1, &start)];
    let (mut wrong_guesses, mut longest) = (0, Duration::ZERO);
    for exchange in 1..=EXCHANGES {
        for peer in &mut peers {
            peer.play_ahead()?;
        }
        // The messages cross on the wire.
        let [left, right] = &mut peers;
        let commands = [std::mem::take(&mut left.commands), std::mem::take(&mut right.commands)];
        for peer in &mut peers {
            let (guess, clock) = (peer.world.state_hash(), Instant::now());
            peer.confirm(&commands);
            longest = longest.max(clock.elapsed());
            wrong_guesses += u64::from(peer.world.state_hash() != guess);
        }
        let [left, right] = peers.each_ref().map(|peer| peer.world.state_hash());
        assert_eq!(left, right, "the peers differ after exchange {exchange}");
    }
    assert!(wrong_guesses > 0, "no guess was wrong: the example tests nothing");
    let world = &peers[0].world;
    println!(
        "{} agents, {} ticks: both peers are in state {:016x}",
        world.agents().len(),
        world.ticks(),
        world.state_hash()
    );
    println!("{wrong_guesses} of {} guesses were wrong and were corrected", 2 * EXCHANGES);
    println!("longest rollback, with eight ticks played again: {:.1} ms", longest.as_secs_f64() * 1e3);
    Ok(())
}

/// Returns the world with which both peers begin: an army on each bank of a river.
fn start() -> Result<World, Box<dyn Error>> {
    let grid = Grid::new(builtin("bridge")?, MoveRules::default());
    let planner = planner("surge", &grid)?;
    let mut world = World::new(grid, planner, Settings::default().seed(1))?;
    let (width, height) = (world.grid().size().width(), world.grid().size().height());
    let mut rng = SeededRng::new(3);
    for army in [0, 1] {
        let mut count = 0;
        while count < AGENTS_PER_ARMY {
            let x = (rng.below(width / 3) + army * (width - width / 3)) as i32;
            // Some cells are walls or occupied already.
            count += usize::from(
                world.spawn(AgentSpec::at(x, rng.below(height) as i32).user(army.into())).is_ok(),
            );
        }
    }
    Ok(world)
}

impl Peer {
    fn new(number: usize, start: &World) -> Self {
        let player = SeededRng::new(10 + number as u64);
        Self { number, world: start.clone(), confirmed: start.clone(), commands: Vec::new(), player }
    }

    /// Plays the ticks up to the next exchange with the peer's own commands only, so that the player never waits.
    fn play_ahead(&mut self) -> Result<(), Box<dyn Error>> {
        for _ in 0..TICKS_PER_EXCHANGE {
            for _ in 0..self.player.below(3) {
                let input = self.decide();
                self.world.apply(input)?;
                self.commands.push(Command { tick: self.world.ticks() + 1, input });
            }
            self.world.tick(Budget::units(BUDGET), &mut Vec::new());
        }
        Ok(())
    }

    /// Returns the player's next command: an agent of the army goes somewhere, or a cell is blocked or opened.
    fn decide(&mut self) -> Input {
        let size = self.world.grid().size();
        let place = Pos::new(self.player.below(size.width()) as i32, self.player.below(size.height()) as i32);
        match self.player.below(12) {
            0 => Input::Block(Area::Cell(place)),
            1 => Input::Unblock(Area::disc(place, 3)),
            _ => {
                let army = self.number as u64;
                let is_own = |agent: &AgentId| self.world.user(*agent) == Ok(army);
                let own: Vec<AgentId> = self.world.agents().iter().copied().filter(is_own).collect();
                Input::Send(own[self.player.below(own.len() as u32) as usize], place)
            }
        }
    }

    /// Goes back to the last confirmed tick and plays the ticks again with the commands of both peers.
    fn confirm(&mut self, commands: &[Vec<Command>; 2]) {
        // `clone_from` reuses the memory of the world that is thrown away.
        self.world.clone_from(&self.confirmed);
        for _ in 0..TICKS_PER_EXCHANGE {
            let tick = self.world.ticks() + 1;
            // The order of the peers decides between commands for one tick, on both machines alike.
            for command in commands.iter().flatten().filter(|command| command.tick == tick) {
                // A command that the other's commands have made impossible is refused on both machines.
                let _refused = self.world.apply(command.input);
            }
            self.world.tick(Budget::units(BUDGET), &mut Vec::new());
        }
        self.confirmed.clone_from(&self.world);
    }
}

#[test]
fn the_peers_stay_equal() {
    main().unwrap();
}
