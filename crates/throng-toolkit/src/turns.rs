//! The order in which agents act in turn: by the priorities that the game gave them, the highest first.

use throng_crowd::{AgentRow, View};

/// Calls a function for each agent of a list, those of the highest priority first ([`View::priority`]). Agents of one priority
/// come in the order of the list, beginning at index `first` modulo its length and going round.
pub fn in_turn(view: &View<'_>, agents: &[AgentRow], first: usize, mut act: impl FnMut(AgentRow)) {
    let start = first % agents.len().max(1);
    let in_order = || agents[start..].iter().chain(&agents[..start]).copied();
    if !view.has_priorities() {
        return in_order().for_each(act);
    }
    let mut last = None;
    let below = |last: Option<i8>| {
        let priorities = agents.iter().map(|&agent| view.priority(agent));
        priorities.filter(|&priority| last.is_none_or(|last| priority < last)).max()
    };
    while let Some(priority) = below(last) {
        in_order().filter(|&agent| view.priority(agent) == priority).for_each(&mut act);
        last = Some(priority);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::{AgentSpec, Settings, Stationary, World};
    use throng_grid::{Grid, MoveRules, Tiles};

    #[test]
    fn agents_act_by_priority_and_within_one_in_rotation() {
        let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
        let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
        let ids: Vec<_> = (0..6).map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap()).collect();
        let order = |world: &World, first| {
            let (view, mut order) = (world.view(), Vec::new());
            in_turn(&view, view.agents(), first, |agent| order.push(agent.0));
            order
        };
        assert_eq!(order(&world, 8), [2, 3, 4, 5, 0, 1]);
        for (agent, priority) in [(4, 1), (1, 1), (3, -1)] {
            world.set_priority(ids[agent], priority).unwrap();
        }
        assert_eq!(order(&world, 0), [1, 4, 0, 2, 5, 3]);
        assert_eq!(order(&world, 2), [4, 1, 2, 5, 0, 3]);
        in_turn(&world.view(), &[], 3, |_| unreachable!());
    }
}
