//! The referee compared with a slow implementation of its rules, on random proposals.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_crowd::{AgentId, AgentRow, AgentSpec, Crossings, Event, Rule, Settings, World};
use throng_grid::{Cell, Pos, ProfileId};

use crate::support::{random_grid, script, tick};

/// An agent, its cell, the proposed cell, and the rule that the proposal breaks by itself.
type Proposal = (AgentRow, Cell, Cell, Option<Rule>);

/// Returns the overruled agents: those whose proposal breaks a rule by itself, then repeatedly those whose proposed
/// cell is held by an agent that stays, or is also proposed for an agent with a lower number.
fn oracle(proposals: &[Proposal]) -> Vec<(AgentRow, Rule)> {
    let mut stays: Vec<Option<Rule>> = proposals.iter().map(|proposal| proposal.3).collect();
    let goes = |stays: &[Option<Rule>], i: usize| proposals[i].1 != proposals[i].2 && stays[i].is_none();
    loop {
        let before = stays.clone();
        for (i, &(_, _, to, _)) in proposals.iter().enumerate() {
            let loses = proposals.iter().enumerate().any(|(j, other)| {
                let held = other.1 == to && !goes(&stays, j);
                let contested = other.2 == to && goes(&stays, j) && j < i;
                i != j && (held || contested)
            });
            if goes(&stays, i) && loses {
                stays[i] = Some(Rule::SharedCell);
            }
        }
        if stays == before {
            break;
        }
    }
    proposals.iter().zip(stays).filter_map(|(proposal, rule)| Some((proposal.0, rule?))).collect()
}

/// Spawns agents of random profiles and speeds, and foreign units.
fn spawn_crowd(world: &mut World, random: &mut Pcg64Mcg) {
    let (size, crowd) = (world.grid().size(), 4 + random.next_u32() % 200);
    for _ in 0..crowd {
        let (x, y) = (random.next_u32() % size.width(), random.next_u32() % size.height());
        let spec = AgentSpec::at(x as i32, y as i32).profile(ProfileId((random.next_u32() % 3) as u8));
        let spec = spec.speed([1, 1, 2, 4][random.next_u32() as usize % 4]);
        match random.next_u32() % 12 {
            0 => drop(world.place_foreign(spec.at)),
            _ => drop(world.spawn(spec)),
        }
    }
}

#[test]
fn the_referee_matches_the_slow_implementation() {
    let (mut overruled, mut moved) = (0, 0);
    for seed in 0..150 {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let grid = random_grid(&mut random);
        let shared: Arc<Mutex<Vec<Proposal>>> = Arc::default();
        let (sender, mut proposing) = (Arc::clone(&shared), Pcg64Mcg::seed_from_u64(!seed));
        let forbids = seed % 2 == 0;
        let crossings = if forbids { Crossings::Forbid } else { Crossings::Allow };
        let settings = Settings::default().crossings(crossings);
        // By agent: its cell, the cell that it left last, and the tick in which it may step again.
        let mut steps: BTreeMap<AgentRow, (Cell, Cell, u64)> = BTreeMap::new();
        let planner = script(move |view, moves| {
            for &agent in view.agents() {
                let at = view.at(agent);
                let step = steps.entry(agent).or_insert((at, at, 0));
                if step.0 != at {
                    *step = (at, step.0, view.tick() - 1 + u64::from(view.speed(agent).ticks()));
                }
            }
            let size = view.grid().size();
            let mut proposals = Vec::new();
            for &agent in view.agents() {
                let at = view.at(agent);
                let to = match proposing.next_u32() % 20 {
                    0..=14 => {
                        let pos = size.pos(at);
                        let (dx, dy) = (proposing.next_u32() % 3, proposing.next_u32() % 3);
                        size.cell(Pos::new(pos.x + dx as i32 - 1, pos.y + dy as i32 - 1)).unwrap_or(at)
                    }
                    15 => Cell(proposing.next_u32() % size.area() as u32),
                    16 => Cell(proposing.next_u32()),
                    _ => at,
                };
                moves.go(agent, to);
                proposals.push((agent, at, to, None));
            }
            for i in 0..proposals.len() {
                let (agent, at, to, _) = proposals[i];
                let swaps = |other: &Proposal| other.1 == to && other.2 == at;
                let is_slow = |agent: AgentRow| view.speed(agent).ticks() > 1;
                let stays_held = |other: &Proposal| {
                    let (_, left, ready) = steps[&other.0];
                    let has_tail = left == to && ready > view.tick() + 1;
                    other.0 != agent && (has_tail || (other.1 == to && other.2 != to && is_slow(other.0)))
                };
                let is_crossed = |other: &Proposal| {
                    let (there, left, ready) = steps[&other.0];
                    ready > view.tick() && view.grid().size().cross((at, to), (left, there))
                };
                let ground = view.ground(agent);
                proposals[i].3 = if at == to {
                    None
                } else if !view.movers().contains(&agent) {
                    Some(Rule::NotItsTurn)
                } else if !ground.neighbours(at).any(|(_, cell)| cell == to) {
                    Some(Rule::Illegal)
                } else if view.occupancy().at(to) == throng_crowd::Occupant::Foreign
                    || proposals.iter().any(stays_held)
                {
                    Some(Rule::SharedCell)
                } else if proposals.iter().any(swaps) {
                    Some(Rule::Swap)
                } else {
                    let crosses = |other: &Proposal| view.grid().size().cross((at, to), (other.1, other.2));
                    let crosses = proposals[..i].iter().any(crosses) || proposals.iter().any(is_crossed);
                    (forbids && crosses).then_some(Rule::Crossing)
                };
            }
            *sender.lock().unwrap() = proposals;
        });
        let mut world = World::new(grid, planner, settings).unwrap();
        spawn_crowd(&mut world, &mut random);
        let size = world.grid().size();
        for _ in 0..25 {
            let events = tick(&mut world);
            let proposals = shared.lock().unwrap();
            let verdicts: Vec<_> = events
                .iter()
                .filter_map(|event| match event {
                    Event::Overruled { agent, rule, .. } => Some((AgentRow(agent.row()), *rule)),
                    _ => None,
                })
                .collect();
            let expect = oracle(&proposals);
            assert_eq!(verdicts, expect, "seed {seed}, tick {}", world.ticks());
            for &(agent, at, to, _) in proposals.iter() {
                let stays = expect.iter().any(|&(other, _)| other == agent);
                let position = size.pos(if stays { at } else { to });
                let id = AgentId::from_bits(agent.0.into());
                assert_eq!(world.position(id), Ok(position), "seed {seed}, agent {id}");
                moved += usize::from(!stays && at != to);
            }
            overruled += verdicts.len();
        }
    }
    assert!(overruled > 10_000 && moved > 10_000, "{overruled} overruled, {moved} moved");
}
