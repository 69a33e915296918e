//! How soon agents follow a path after an order.

use throng_crowd::{AgentSpec, Budget, Settings, Stationary, Work, World};
use throng_grid::{Area, MoveRules, SeededRng, Size, Terrain, Tiles, generate};

use super::*;

/// The work that a tick of `surge` has for rows if there is much to do: three quarters of its default.
const WORK: u64 = 18_750;

/// Sends 2,000 agents on a generated map at once. Returns for each agent the number of ticks after which it follows a path, and the
/// guidance then.
fn ticks_until_path(generator: &str, max_bytes: usize) -> (Vec<u64>, Guidance) {
    let tiles = generate::generate(generator, Size::new(512, 512).unwrap(), 7).unwrap();
    let grid = Grid::new(tiles, MoveRules::default());
    let mut guidance = Guidance::new(&grid, max_bytes);
    let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
    let (mut rng, mut agents) = (SeededRng::new(3), Vec::new());
    let component = world.grid().ground().components().largest();
    while agents.len() < 2_000 {
        let ground = world.grid().ground();
        let [start, goal] = [0; 2].map(|_| Cell(rng.below(512 * 512)));
        let is_fit = |cell| component.is_some() && ground.components().label(ground, cell) == component;
        let (at, goal) = (ground.pos(start), ground.pos(goal));
        if is_fit(start)
            && ground.cell(goal).is_some_and(is_fit)
            && let Ok(agent) = world.spawn(AgentSpec::at(at.x, at.y))
            && world.send(agent, goal).is_ok()
        {
            agents.push(agent);
        }
    }
    world.tick(Budget::Unlimited, &mut Vec::new());
    let mut found = vec![None; agents.len()];
    for tick in 1..=200 {
        let view = world.view();
        let mut work = Work::new(Budget::expansions(WORK));
        let mut budget = WorkBudget { work: &mut work, left: u64::MAX };
        guidance.follow_map(&view, &mut budget);
        guidance.request_all(&view);
        guidance.build(&view, &mut budget);
        guidance.choose_all(&view);
        for (agent, found) in agents.iter().zip(&mut found) {
            let entry = &guidance.agents[agent.index()];
            if found.is_none() && (entry.path != Path::Unknown || entry.heading == Heading::Target) {
                *found = Some(tick);
            }
        }
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
    (found.into_iter().map(|tick| tick.unwrap_or(u64::MAX)).collect(), guidance)
}

#[test]
fn two_thousand_agents_follow_a_path_soon_on_every_kind_of_map() {
    for generator in ["random", "rooms", "maze", "caves"] {
        for max_bytes in [1 << 28, 1 << 20] {
            let (mut ticks, _) = ticks_until_path(generator, max_bytes);
            ticks.sort_unstable();
            let (median, last) = (ticks[ticks.len() / 2], ticks[ticks.len() - 1]);
            assert!(
                median <= 10 && last <= 40,
                "{generator}: {median} in the median, {last} for the last agent"
            );
        }
    }
}

/// Where the rows of all parts exceed the memory, agents far from their targets follow rows of centres, and rows of targets have the parts
/// around them only.
#[test]
fn rows_are_restricted_where_they_exceed_the_memory() {
    let bytes = |guidance: &Guidance| guidance.maps[0].rows.memory_bytes();
    let count = |guidance: &Guidance, is_whole: bool| {
        let rows = guidance.maps[0].rows.by_part.iter().flatten();
        rows.filter(|row| row.window.is_none() == is_whole).count()
    };
    let (_, whole) = ticks_until_path("town", 1 << 28);
    let (_, restricted) = ticks_until_path("town", 1 << 20);
    assert!(count(&whole, true) > 500 && count(&whole, false) == 0);
    let regions = 16;
    assert!((regions..2 * regions).contains(&count(&restricted, true)), "{}", count(&restricted, true));
    assert!(count(&restricted, false) > 200, "{}", count(&restricted, false));
    assert!(2 * bytes(&restricted) < bytes(&whole), "{} of {}", bytes(&restricted), bytes(&whole));
}

/// After an edit every row is compared with the new fields at a price, which a copy in the middle of it pays as well.
#[test]
fn the_comparison_of_rows_is_paid_for() {
    let tiles = Tiles::filled(Size::new(128, 128).unwrap(), Terrain::Ground);
    let mut grid = Grid::new(tiles, MoveRules::default());
    let mut map = Guidance::new(&grid, 1 << 28).maps.remove(0);
    let parts = map.guide.parts() as u32;
    (0..parts).for_each(|part| map.rows.fill(part, None, &mut map.guide));
    grid.block(Area::rect(Pos::new(70, 60), Pos::new(70, 75)));
    let change = map.guide.update(grid.ground()).unwrap();
    map.rows.renumber(&change, &map.guide);
    let new: Vec<u32> =
        (0..parts).filter(|&part| change.origins[part as usize] == throng_search::NO_PART).collect();
    assert!(!new.is_empty() && new.len() < 9);
    for row in map.rows.by_part.iter().flatten() {
        let reached = (0..parts).filter(|&part| row.distance(part) != UNREACHED);
        assert!(reached.eq((0..parts).filter(|part| !new.contains(part))));
    }
    map.guide.complete(grid.ground());
    let (mut rows, mut copy, mut compared) = (map.rows.clone(), None::<Rows>, 0);
    let mut prices = [Vec::new(), Vec::new()];
    while rows.compare_next(&map.guide, 1, |price| {
        prices[0].push(price);
        true
    }) {
        if let Some(copy) = &mut copy {
            copy.compare_next(&map.guide, 1, |price| {
                prices[1].push(price);
                true
            });
        }
        compared += 1;
        if compared == 10 {
            assert!(!rows.clone().compare_next(&map.guide, 1, |_| false), "it is not paid for");
            copy = Some(rows.clone());
        }
    }
    assert_eq!(compared, parts as usize - new.len());
    assert_eq!((prices[0].len(), &prices[0][10..]), (compared, &prices[1][..]));
    assert!(prices[0][0] > prices[0][1] && prices[0][1] > prices::repair_row(0), "{prices:?}");
    assert!(!rows.needs_comparison());
    for part in (0..parts).filter(|part| !new.contains(part)) {
        let mut distances = Vec::new();
        map.guide.fill_row(part, &mut distances);
        let row = rows.get(part).unwrap();
        assert!(row.due.is_some() || row.distances == distances, "the row of part {part}");
    }
}
