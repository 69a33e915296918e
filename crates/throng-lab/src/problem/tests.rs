use super::*;
use throng::grid::builtin::builtin;
use throng::{Grid, MoveRules, Tiles};

fn check(ground: &Ground, kind: ProblemType, agents: usize, seed: u64) -> Instance {
    let instance = Instance::generate(ground, kind, agents, seed).unwrap();
    let distinct = |cells: &[Cell]| {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        cells.len()
    };
    assert_eq!(distinct(&instance.starts), agents, "{kind:?}");
    assert_eq!(distinct(&instance.goals), agents, "{kind:?}");
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        assert!(ground.reachable(start, goal), "{kind:?}");
        assert_ne!(start, goal, "{kind:?}, {agents} agents, seed {seed}");
    }
    instance
}

#[test]
fn every_type_gives_distinct_connected_starts_and_goals() {
    for map in ["arena", "rooms", "town"] {
        let grid = Grid::new(builtin(map).unwrap(), MoveRules::default());
        for kind in ProblemType::ALL {
            for (agents, seed) in [(0, 1), (1, 1), (2, 7), (60, 3), (300, 5)] {
                let instance = check(grid.ground(), kind, agents, seed);
                assert_eq!(instance, check(grid.ground(), kind, agents, seed), "the seed decides");
            }
        }
    }
}

/// On a map that the crowd fills the regions overlap, and every agent still has a start and a goal.
#[test]
fn a_full_map_still_has_every_type() {
    let grid = Grid::new(Tiles::picture("....\n....\n..#."), MoveRules::default());
    for kind in ProblemType::ALL {
        for agents in [2, 5, 11] {
            for seed in 0..30 {
                check(grid.ground(), kind, agents, seed);
            }
        }
        assert_eq!(
            Instance::generate(grid.ground(), kind, 12, 1),
            Err(ProblemError::TooManyAgents { agents: 12, cells: 11 })
        );
    }
}

#[test]
fn starts_and_goals_lie_where_the_type_says() {
    let grid = Grid::new(builtin("patrol-empty").unwrap(), MoveRules::default());
    let ground = grid.ground();
    let middle = |cells: &[Cell]| {
        let far = |&cell: &Cell| {
            let pos = ground.pos(cell);
            f64::from((pos.x - 32).pow(2) + (pos.y - 32).pow(2)).sqrt()
        };
        cells.iter().map(far).sum::<f64>() / cells.len() as f64
    };
    let out = check(ground, ProblemType::InsideOut, 100, 1);
    assert!(middle(&out.starts) < 15.0 && middle(&out.goals) > 28.0);
    let inwards = check(ground, ProblemType::OutsideIn, 100, 1);
    assert!(middle(&inwards.starts) > 28.0 && middle(&inwards.goals) < 15.0);
    let cross = check(ground, ProblemType::CrossSides, 100, 1);
    for (&start, &goal) in cross.starts.iter().zip(&cross.goals) {
        let (start, goal) = (ground.pos(start), ground.pos(goal));
        assert!((start.x - goal.x).abs().max((start.y - goal.y).abs()) >= 64 * 70 / 100 - 2);
    }
}

#[test]
fn scenario_problems_become_agents_in_order() {
    let grid = Grid::new(Tiles::picture("....\n...#"), MoveRules::default());
    let read = |lines: &[&str]| {
        let text = format!("version 1\n{}\n", lines.join("\n"));
        throng::grid::movingai::read_scenario(text.as_bytes()).unwrap()
    };
    let good = ["0\tx.map\t4\t2\t0\t0\t3\t0\t3.0", "0\tx.map\t4\t2\t1\t0\t0\t1\t1.41421356"];
    let instance = Instance::from_scenario(grid.ground(), &read(&good), 2).unwrap();
    assert_eq!(instance, Instance { starts: vec![Cell(0), Cell(1)], goals: vec![Cell(3), Cell(4)] });
    let refused = |line: &str| {
        let error = Instance::from_scenario(grid.ground(), &read(&[good[0], line]), 2).unwrap_err();
        error.to_string()
    };
    assert_eq!(refused("0\tx.map\t4\t2\t0\t0\t2\t0\t2.0"), "3:1: an earlier line starts at 0,0 too");
    assert_eq!(refused("0\tx.map\t4\t2\t1\t0\t3\t0\t2.0"), "3:1: an earlier line goes to 3,0 too");
    assert!(refused("0\tx.map\t4\t2\t1\t0\t3\t1\t0").starts_with("3:1: "), "a goal in a wall");
    assert_eq!(
        Instance::from_scenario(grid.ground(), &read(&good), 3),
        Err(ProblemError::TooFewLines { agents: 3, lines: 2 })
    );
}
