//! Maps, scenarios and scenes through the public interface.

use throng_grid::movingai::{Problem, Scenario, read_map, read_scenario, write_map, write_scenario};
use throng_grid::scene::{self, Scene, draw};
use throng_grid::{Grid, MoveRules};

#[test]
fn scenes_survive_a_round_trip_through_benchmark_files() {
    for (name, _) in scene::all() {
        let scene = Scene::named(name).unwrap();
        assert_eq!(read_map(&write_map(&scene.tiles)).as_ref(), Ok(&scene.tiles), "{name}");
        let problems = scene.agents.iter().enumerate().map(|(number, agent)| Problem {
            bucket: number as u32,
            map: format!("{name}.map"),
            size: scene.tiles.size(),
            start: agent.start,
            goal: agent.goal.unwrap(),
            length: 0.1 + number as f64,
            line: number as u32 + 2,
        });
        let scenario = Scenario { problems: problems.collect() };
        assert_eq!(read_scenario(write_scenario(&scenario).as_bytes()).as_ref(), Ok(&scenario), "{name}");
    }
}

/// All agents of the named scenes can reach their goals, except the first agent of two scenes; in `diagonal_gap` it
/// could if corner cutting were allowed.
#[test]
fn goals_of_scenes_are_reachable() {
    for (name, text) in scene::all() {
        let scene = Scene::named(name).unwrap();
        let grid = Grid::new(scene.tiles.clone(), MoveRules::default());
        let labels = scene.agents.iter().flat_map(|agent| {
            [(agent.name, agent.start), (agent.name.to_ascii_uppercase(), agent.goal.unwrap())]
        });
        assert_eq!(draw(grid.ground(), labels, &[]), *text);
        for agent in &scene.agents {
            let (start, goal) = (grid.cell(agent.start).unwrap(), grid.cell(agent.goal.unwrap()).unwrap());
            let unreachable = matches!((*name, agent.name), ("two_islands" | "diagonal_gap", 'a'));
            assert_eq!(grid.ground().reachable(start, goal), !unreachable, "{name}, {}\n{text}", agent.name);
        }
    }
}
