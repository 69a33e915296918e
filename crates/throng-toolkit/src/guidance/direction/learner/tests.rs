//! A crowd that walks at random, and what its learner knows after each tick, compared with the rules of the thesis.

use super::*;
use crate::{Unknown, Vector};
use std::sync::Mutex;
use throng_crowd::{AgentSpec, Budget, Moves, Scripted, Settings, World};
use throng_grid::{Direction, MoveRules, Pos, Tiles};

const RATE: Rate = Rate::millionths(500_000);
const RADIUS: u32 = 3;

const MAP: &str = "..........
                   ....@@....
                   ..........
                   .@@@......
                   ......@@@.
                   ..........
                   ....@.....
                   ..........";

/// Lets six agents walk at random on [`MAP`], and calls a function after each observation of a learner.
fn walk(
    mut learner: DirectionLearner,
    ticks: usize,
    mut look: impl FnMut(&View<'_>, &DirectionLearner) + Clone + Send + Sync + 'static,
) {
    let planner = Scripted(move |view: &View<'_>, moves: &mut Moves| {
        learner.observe(view);
        look(view, &learner);
        for &agent in view.movers() {
            let random = view.random_per_tick(agent);
            let steps = || view.ground(agent).neighbours(view.at(agent)).map(|(_, to)| to);
            // Half of the agents stay, so that some know less than others.
            if let Some(to) = crate::random_item(steps, random >> 1).filter(|_| random.is_multiple_of(2)) {
                moves.go(agent, to);
            }
        }
    });
    let mut world = World::new(grid(), Box::new(planner), Settings::default()).unwrap();
    for (x, y) in [(0, 0), (9, 0), (0, 7), (9, 7), (5, 2), (4, 5)] {
        let agent = world.spawn(AgentSpec::at(x, y)).unwrap();
        world.send(agent, Pos::new(9 - x, 7 - y)).unwrap();
    }
    for _ in 0..ticks {
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
}

fn grid() -> Grid {
    Grid::new(Tiles::picture(MAP), MoveRules::default())
}

fn learner(learning: Learning) -> DirectionLearner {
    DirectionLearner::new(&grid(), learning)
}

fn plain() -> Learning {
    Learning::plain(StepPenalty::new(10_000_000, Unknown::Half), RATE)
}

/// Section 3.3 of the thesis, kept in whole maps: every move turns the global map; after its own move an agent replaces
/// what it knows within the radius by what the global map says; it plans with what it knows.
#[test]
fn copies_follow_the_rules_of_the_thesis() {
    let size = grid().size();
    let mut global = DirectionMap::new(size);
    let mut own = vec![DirectionMap::new(size); 6];
    let mut last: Vec<Option<Cell>> = vec![None; 6];
    // Cells in which a copy is outdated, and agents that know nothing although there are vectors.
    let counts = Arc::new(Mutex::new((0, 0)));
    let seen = Arc::clone(&counts);
    let look = move |view: &View<'_>, learner: &DirectionLearner| {
        let at: Vec<Cell> = view.agents().iter().map(|&agent| view.at(agent)).collect();
        let moved: Vec<usize> = (0..6).filter(|&i| last[i].is_some_and(|before| before != at[i])).collect();
        for &i in &moved {
            global.learn(last[i].unwrap(), at[i], RATE);
        }
        for &i in &moved {
            let center = size.pos(at[i]);
            for cell in size.cells() {
                let pos = size.pos(cell);
                if (pos.x - center.x).pow(2) + (pos.y - center.y).pow(2) <= (RADIUS * RADIUS) as i32 {
                    own[i].set(cell, global.vector(cell));
                }
            }
        }
        last = at.into_iter().map(Some).collect();
        assert_eq!(*learner.map(), global);
        let mut seen = seen.lock().unwrap();
        for &agent in view.agents() {
            let (penalties, own) = (learner.step_penalties(None, agent), &own[agent.index()]);
            for cell in size.cells() {
                assert_eq!(penalties.vector(cell), own.vector(cell), "tick {}, {agent:?}", view.tick());
                seen.0 += usize::from(own.vector(cell) != global.vector(cell));
            }
            seen.1 += usize::from(own.known().next().is_none() && global.known().next().is_some());
        }
    };
    walk(learner(Learning { local: Some(RADIUS), ..plain() }), 60, look);
    let (outdated, ignorant) = *counts.lock().unwrap();
    assert!(outdated > 100 && ignorant > 0, "{outdated} and {ignorant}: the walk tests nothing");
}

#[test]
fn copies_are_restored() {
    let learning = Learning { local: Some(RADIUS), ..plain() };
    let look = move |view: &View<'_>, saved: &DirectionLearner| {
        let mut restored = learner(learning);
        restored.restore(saved.saved()).unwrap();
        for (&agent, cell) in view.agents().iter().flat_map(|a| grid().size().cells().map(move |c| (a, c))) {
            let vector = |of: &DirectionLearner| of.step_penalties(None, agent).vector(cell);
            assert_eq!(vector(&restored), vector(saved));
        }
        assert!(learner(plain()).restore(saved.saved()).is_err(), "a learner without copies");
    };
    walk(learner(learning), 20, look);
}

/// With vectors in parts only, a cell has a vector exactly if it was in the parts when an agent passed it, and then the
/// vector of all its later passages.
#[test]
fn only_the_parts_have_vectors() {
    for parts in [Parts::Narrow { width: 1 }, Parts::Narrow { width: 2 }, Parts::Crowded { others: 2 }] {
        let mut last: Vec<Option<Cell>> = vec![None; 6];
        let mut expected = None;
        let counts = Arc::new(Mutex::new((0, 0)));
        let seen = Arc::clone(&counts);
        let look = move |view: &View<'_>, learner: &DirectionLearner| {
            let size = view.grid().size();
            let expected = expected.get_or_insert_with(|| DirectionMap::new(size));
            for &agent in view.agents() {
                let (at, before) = (view.at(agent), last[agent.index()]);
                let Some(before) = before.filter(|&before| before != at) else { continue };
                let direction = Direction::between(size.pos(before), size.pos(at)).unwrap();
                for cell in [before, at] {
                    let near = |&&other: &&AgentRow| {
                        let (a, b) = (size.pos(view.at(other)), size.pos(cell));
                        other != agent && (a.x - b.x).abs() <= 2 && (a.y - b.y).abs() <= 2
                    };
                    let is_in = match parts {
                        Parts::All => true,
                        Parts::Narrow { width } => passage_width(view, cell) <= width,
                        Parts::Crowded { others } => {
                            view.agents().iter().filter(near).count() >= others as usize
                        }
                    };
                    let mut seen = seen.lock().unwrap();
                    if is_in || expected.vector(cell).is_some() {
                        expected.turn(cell, direction, RATE);
                        seen.0 += 1;
                    } else {
                        seen.1 += 1;
                    }
                }
            }
            for &agent in view.agents() {
                last[agent.index()] = Some(view.at(agent));
            }
            assert_eq!(learner.map(), expected, "{parts:?}, tick {}", view.tick());
        };
        walk(learner(Learning { parts, ..plain() }), 60, look);
        let (stored, left_out) = *counts.lock().unwrap();
        assert!(stored > 10 && left_out > 10, "{parts:?}: {stored} and {left_out}: the walk tests nothing");
    }
}

/// Returns the smaller of the numbers of connected free cells in the row and the column of a cell.
fn passage_width(view: &View<'_>, cell: Cell) -> u32 {
    let (grid, pos) = (view.grid(), view.grid().size().pos(cell));
    let is_free = |x, y| grid.cell(Pos::new(x, y)).is_some_and(|cell| grid.ground().is_free(cell));
    let run =
        |dx: i32, dy: i32| (1..99).take_while(|i| is_free(pos.x + i * dx, pos.y + i * dy)).count() as u32;
    (1 + run(1, 0) + run(-1, 0)).min(1 + run(0, 1) + run(0, -1))
}

#[test]
fn cells_with_a_vector_go_on_learning() {
    let size = Size::new(10, 8).unwrap();
    let mut map = DirectionMap::new(size);
    for cell in size.cells() {
        map.set(cell, Some(Vector::ZERO));
    }
    let mut learner = learner(Learning { parts: Parts::Narrow { width: 1 }, ..plain() });
    assert!(learner.set_map(map));
    let turned = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&turned);
    let look = move |_: &View<'_>, learner: &DirectionLearner| {
        *seen.lock().unwrap() = learner.map().known().filter(|&(_, vector)| vector != Vector::ZERO).count();
    };
    walk(learner, 20, look);
    assert!(*turned.lock().unwrap() > 30, "{turned:?} cells");
}
