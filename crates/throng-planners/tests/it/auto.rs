//! The planner `auto`: what it picks, when it reviews the choice, and what it does with models that it cannot use. Most
//! models of these tests are made by hand, so that the choice is known; the last tests use those of the program.

use std::sync::Arc;

use throng_crowd::{Budget, Event, NamedPlanner, Settings, Sharing, World};
use throng_grid::{Grid, MoveRules, builtin};
use throng_planners::{Resources, planner, planner_with, restore};
use throng_select::{FEATURES, Forest, Model, Node};

use crate::support::{given, populate, random_pairs};

/// Returns a forest that predicts the same utility for everything, in 1/10,000.
fn constant(utility: i32) -> Forest {
    Forest { base: utility * 100, error: 0, trees: Vec::new() }
}

/// Returns a forest that predicts `many` if there are more than `limit` agents, else `few`.
fn by_agents(limit: i32, few: i32, many: i32) -> Forest {
    let feature = FEATURES.iter().position(|feature| feature.name == "agents").unwrap() as u16;
    let leaf = |utility: i32| Node::Leaf { value: utility * 100 };
    let root = Node::Split { feature, threshold: limit, left: 1, mean: (few + many) * 50 };
    Forest { base: 0, error: 0, trees: vec![vec![root, leaf(few), leaf(many)]] }
}

/// Returns the file of a model with a margin of 1 point.
fn model(planners: &[(&str, Forest)]) -> Vec<u8> {
    let planners = planners.iter().map(|(spec, forest)| ((*spec).to_owned(), forest.clone()));
    Model::new(planners.collect(), "made by hand").unwrap().with_margin(100).write()
}

/// `pibt` by default, `surge` for more than twenty agents.
fn surge_for_many() -> Vec<u8> {
    model(&[("pibt", constant(5_000)), ("surge", by_agents(20, 4_000, 9_000))])
}

fn auto(spec: &str, grid: &Grid, model: &[u8]) -> NamedPlanner {
    let resources = Resources { model: Some(Arc::from(model)), ..Resources::default() };
    planner_with(spec, grid, resources).unwrap()
}

fn arena() -> Grid {
    Grid::new(builtin::builtin("arena").unwrap(), MoveRules::default())
}

fn world(spec: &str, model: &[u8], agents: usize) -> World {
    let grid = arena();
    let pairs = random_pairs(&grid, agents, 5);
    let planner = auto(spec, &grid, model);
    let mut world = World::new(grid, planner, Settings::default().seed(7)).unwrap();
    populate(&mut world, &pairs);
    world
}

/// Runs ticks and returns all notices with their ticks.
fn notices(world: &mut World, ticks: u64, budget: Option<u64>) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for _ in 0..ticks {
        let mut events = Vec::new();
        let report = world.tick(budget.map_or(Budget::Unlimited, Budget::expansions), &mut events);
        assert!(budget.is_none_or(|budget| report.expansions <= budget), "{report:?}");
        for event in events {
            if let Event::Notice { number } = event {
                found.push((world.ticks(), world.notices()[number].clone()));
            }
        }
    }
    found
}

#[test]
fn the_planner_with_the_largest_prediction_is_picked_and_the_reason_said() {
    let found = notices(&mut world("auto", &surge_for_many(), 30), 50, None);
    assert_eq!(found.len(), 1, "{found:?}");
    let (tick, text) = &found[0];
    assert_eq!(*tick, 1, "a small map is analysed in the first tick");
    for part in ["auto: picks surge", "90.0 %", "pibt 50.0 %", "agents = 30"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_gain_within_the_margin_is_not_taken() {
    for (utility, picked) in [(5_100, "pibt"), (5_101, "surge")] {
        let model = model(&[("pibt", constant(5_000)), ("surge", constant(utility))]);
        let found = notices(&mut world("auto", &model, 30), 2, None);
        assert!(found[0].1.contains(&format!("auto: picks {picked}:")), "{found:?}");
    }
}

#[test]
fn the_choice_is_reviewed_when_enough_orders_have_changed() {
    let mut world = world("auto", &surge_for_many(), 10);
    let first = notices(&mut world, 50, None);
    assert!(first.len() == 1 && first[0].1.contains("picks pibt"), "{first:?}");
    let free: Vec<_> = random_pairs(world.grid(), 80, 9)
        .into_iter()
        .filter(|(at, _)| world.agents().iter().all(|&agent| world.position(agent) != Ok(*at)))
        .take(40)
        .collect();
    populate(&mut world, &free);
    let then = notices(&mut world, 200, None);
    assert!(!then.is_empty() && then[0].1.contains("picks surge"), "{then:?}");
    assert_eq!(then[0].0, first[0].0 + 64, "not earlier than 64 ticks after the last review");
}

#[test]
fn a_planner_that_took_over_stays_unless_another_gains_twice_the_margin() {
    // With few agents `pibt` is better by 1.5 points: more than the margin, less than twice of it.
    let model = model(&[("pibt", constant(5_000)), ("surge", by_agents(20, 4_850, 9_000))]);
    let mut world = world("auto", &model, 30);
    let first = notices(&mut world, 1, None);
    assert!(first[0].1.contains("picks surge"), "{first:?}");
    for agent in world.agents().to_vec().into_iter().skip(10) {
        world.despawn(agent).unwrap();
    }
    let then = notices(&mut world, 100, None);
    assert!(!then.is_empty() && then.iter().all(|(_, text)| text.contains("keeps surge")), "{then:?}");
}

#[test]
fn planners_that_need_more_than_is_granted_are_not_picked() {
    let model = model(&[
        ("surge", constant(9_000)),
        ("far", constant(8_000)),
        ("bmaa", constant(3_000)),
        ("bmaa-c", constant(6_000)),
        ("lra", constant(5_000)),
    ]);
    let cases = [("everything", "surge"), ("reservations", "far"), ("moves", "bmaa-c"), ("nothing", "lra")];
    for (sharing, picked) in cases {
        let found = notices(&mut world(&format!("auto:sharing={sharing}"), &model, 30), 1, None);
        assert!(found[0].1.contains(&format!("auto: picks {picked}:")), "{sharing}: {found:?}");
    }
    let grid = arena();
    let settings = Settings::default().sharing(Sharing::Nothing);
    assert!(World::new(grid.clone(), auto("auto", &grid, &model), settings).is_err());
    assert!(World::new(grid.clone(), auto("auto:sharing=nothing", &grid, &model), settings).is_ok());
}

/// `whca` needs every agent under its control.
#[test]
fn a_planner_that_loses_control_is_replaced_at_once() {
    let model = model(&[("whca:window=8", constant(9_000)), ("pibt", constant(5_000))]);
    let mut world = world("auto", &model, 30);
    assert!(notices(&mut world, 1, None)[0].1.contains("picks whca"));
    let agent = world.agents()[3];
    world.control(agent, false).unwrap();
    notices(&mut world, 100, None);
    let mut state = Vec::new();
    world.planner().save(&mut state);
    assert!(!String::from_utf8_lossy(&state).contains("whca"), "another planner plans");
}

#[test]
fn budgets_are_kept_while_features_are_computed() {
    let mut world = world("auto", &surge_for_many(), 100);
    let found = notices(&mut world, 300, Some(2_000));
    assert!(!found.is_empty() && found[0].1.contains("picks surge"), "{found:?}");
    assert!(found[0].0 > 10, "a quarter of the budget pays for the features: {found:?}");
}

#[test]
fn models_that_cannot_be_used_are_refused_and_a_fallback_plans() {
    let good = surge_for_many();
    let mut flipped = good.clone();
    flipped[40] ^= 1;
    let cases: [(&[u8], &str); 6] = [
        (&[], "not a model file"),
        (b"not a model", "not a model file"),
        (&good[..good.len() / 2], "damaged"),
        (&flipped, "damaged"),
        (&model(&[("nosuch", constant(1))]), "another portfolio"),
        (&model(&[("auto", constant(1))]), "another portfolio"),
    ];
    for (file, reason) in cases {
        let mut world = world("auto", file, 30);
        let found = notices(&mut world, 300, None);
        assert_eq!(found.len(), 1, "{found:?}");
        let text = &found[0].1;
        assert!(text.contains("refused") && text.contains(reason) && text.contains("surge plans"), "{text}");
        let arrived = world
            .agents()
            .iter()
            .filter(|&&agent| world.position(agent).ok() == world.goal(agent).unwrap())
            .count();
        assert!(arrived >= 29, "{arrived} of 30 have arrived");
    }
}

/// Saved in every tick: while the features are computed, when the choice is made, and after a switch.
#[test]
fn a_restored_world_continues_identically() {
    let file = surge_for_many();
    let mut world = world("auto", &file, 30);
    for _ in 0..60 {
        let mut again = World::restore(&world.snapshot(), given(auto("auto", world.grid(), &file))).unwrap();
        assert_eq!(again.snapshot(), world.snapshot());
        let expected = notices(&mut world, 1, Some(2_000));
        assert_eq!(notices(&mut again, 1, Some(2_000)), expected);
        assert_eq!(again.snapshot(), world.snapshot(), "tick {}", world.ticks());
    }
    let other = model(&[("pibt", constant(5_000)), ("surge", constant(6_000))]);
    let error = World::restore(&world.snapshot(), given(auto("auto", world.grid(), &other))).unwrap_err();
    assert!(error.to_string().contains("another model"), "{error}");
}

const SHARINGS: [&str; 4] = ["nothing", "moves", "reservations", "everything"];

/// Returns a world of `auto` with the models of the program.
fn trained_world(sharing: &str, rules: MoveRules, agents: usize) -> World {
    let grid = Grid::new(builtin::builtin("rooms").unwrap(), rules);
    let pairs = random_pairs(&grid, agents, 5);
    let planner = planner(&format!("auto:sharing={sharing}"), &grid).unwrap();
    let mut world = World::new(grid, planner, Settings::default().seed(7)).unwrap();
    populate(&mut world, &pairs);
    world
}

/// Every sharing setting has models for both kinds of budgets, and says what it picks.
#[test]
fn the_models_of_the_program_pick_and_say_so() {
    for sharing in SHARINGS {
        for budget in [None, Some(1_500)] {
            for rules in [MoveRules::default(), MoveRules { four_way: true, ..MoveRules::default() }] {
                let found = notices(&mut trained_world(sharing, rules, 60), 400, budget);
                let first = found.first().map(|(_, text)| text.as_str());
                assert!(
                    first.is_some_and(
                        |text| text.starts_with("auto: picks") || text.starts_with("auto: keeps")
                    ),
                    "{sharing}, {budget:?}: {found:?}"
                );
                assert!(found.iter().all(|(_, text)| !text.contains("refused")), "{found:?}");
            }
        }
    }
}

/// A budget that becomes small has its own model, also where it leaves no choice.
#[test]
fn a_choice_is_reviewed_when_the_budget_becomes_small() {
    let mut world = trained_world("nothing", MoveRules::default(), 60);
    let first = notices(&mut world, 100, None);
    let then = notices(&mut world, 300, Some(1_500));
    assert!(!first.is_empty() && !then.is_empty(), "{first:?}, {then:?}");
}

#[test]
fn a_world_with_the_models_of_the_program_is_restored_and_another_model_refused() {
    for sharing in SHARINGS {
        let mut world = trained_world(sharing, MoveRules::default(), 40);
        let spec = format!("auto:sharing={sharing}");
        for _ in 0..12 {
            notices(&mut world, 5, Some(4_000));
            let mut again = restore(&world.snapshot()).unwrap();
            notices(&mut again, 5, Some(4_000));
            notices(&mut world, 5, Some(4_000));
            assert_eq!(again.snapshot(), world.snapshot(), "{sharing}, tick {}", world.ticks());
        }
        let other = auto(&spec, world.grid(), &surge_for_many());
        let error = World::restore(&world.snapshot(), given(other)).unwrap_err();
        assert!(error.to_string().contains("another model"), "{error}");
    }
}
