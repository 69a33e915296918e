//! What throng promises for every tick, checked from outside with nothing but positions and events.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use throng::prelude::*;

/// What is known about the units from the ticks so far.
#[derive(Default)]
pub(crate) struct Invariants {
    /// Positions before the tick.
    before: BTreeMap<AgentId, Pos>,
    /// The first tick in which a unit may step again.
    ready: BTreeMap<AgentId, u64>,
    /// The cell that a unit is leaving, and the last tick in which it keeps others out.
    tails: BTreeMap<AgentId, (Pos, u64)>,
    steps: u64,
    arrivals: u64,
    longest_step: u32,
}

impl Invariants {
    /// Notes where the units are.
    pub(crate) fn before_tick(&mut self, world: &World) -> Result<(), Box<dyn Error>> {
        for &gone in self.before.keys() {
            if !world.agents().contains(&gone) {
                // Ids are never used again.
                assert!(world.position(gone).is_err(), "the dead unit {gone} has a position");
            }
        }
        self.before.clear();
        for &agent in world.agents() {
            self.before.insert(agent, world.position(agent)?);
        }
        self.tails.retain(|agent, _| self.before.contains_key(agent));
        Ok(())
    }

    /// Checks a tick.
    pub(crate) fn after_tick(&mut self, world: &World, events: &[Event]) -> Result<(), Box<dyn Error>> {
        let mut expected = self.before.clone();
        let mut steps = BTreeSet::new();
        for event in events {
            match *event {
                Event::Moved { agent, from, to, ticks, .. } => {
                    assert_eq!(expected.insert(agent, to), Some(from), "unit {agent} steps from elsewhere");
                    self.step(world, agent, (from, to), ticks)?;
                    steps.insert((from, to));
                }
                Event::Displaced { agent, to, .. } => {
                    expected.insert(agent, to);
                    self.tails.remove(&agent);
                }
                Event::Arrived { agent } => {
                    assert!(world.has_arrived(agent)?, "unit {agent} reports an arrival elsewhere");
                    self.arrivals += 1;
                }
                Event::Overruled { agent, .. } => panic!("the referee overruled unit {agent}"),
                _ => {}
            }
        }
        assert!(steps.iter().all(|&(from, to)| !steps.contains(&(to, from))), "two units swapped cells");
        self.check_positions(world, &expected)
    }

    /// Checks a step: legal for the unit, and not before the last one has ended.
    fn step(
        &mut self,
        world: &World,
        agent: AgentId,
        (from, to): (Pos, Pos),
        ticks: u32,
    ) -> Result<(), Box<dyn Error>> {
        let ground = world.grid().ground_of(world.profile(agent)?).ok_or("no such profile")?;
        let cells = ground.cell(from).zip(ground.cell(to)).ok_or("a step leaves the map")?;
        assert!(
            ground.legal_step(cells.0, cells.1).is_some(),
            "unit {agent} cannot step from {from} to {to}"
        );
        let now = world.ticks();
        let ready = self.ready.insert(agent, now + u64::from(ticks));
        assert!(ready.is_none_or(|ready| ready <= now), "unit {agent} steps before its last step has ended");
        self.tails.insert(agent, (from, now + u64::from(ticks) - 1));
        self.longest_step = self.longest_step.max(ticks);
        self.steps += 1;
        Ok(())
    }

    /// Checks that nobody moved without an event and that every cell has one unit, also a cell that a slow unit is leaving.
    fn check_positions(
        &self,
        world: &World,
        expected: &BTreeMap<AgentId, Pos>,
    ) -> Result<(), Box<dyn Error>> {
        let mut cells = BTreeMap::new();
        for (&agent, &pos) in expected {
            assert_eq!(world.position(agent), Ok(pos), "unit {agent} moved without an event");
            assert_eq!(world.occupant(pos), Some(Unit::Agent(agent)), "the map does not know unit {agent}");
            assert_eq!(cells.insert(pos, agent), None, "two units in {pos}");
        }
        for (&agent, &(tail, last)) in &self.tails {
            let other = cells.get(&tail).filter(|&&other| other != agent && world.ticks() < last);
            assert_eq!(other, None, "a unit entered {tail} before unit {agent} was across");
        }
        for unit in world.foreign_units() {
            let at = world.foreign_position(unit)?;
            assert!(!cells.contains_key(&at), "a unit drove into a cart");
        }
        Ok(())
    }
}

impl fmt::Display for Invariants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, arrivals, longest_step, .. } = self;
        write!(f, "{steps} steps of up to {longest_step} ticks and {arrivals} arrivals, as promised")
    }
}
