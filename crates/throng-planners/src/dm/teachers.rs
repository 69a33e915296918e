//! The crowd that a greedy follower learns its direction map from (section 3.6 of the thesis): forty agents patrol between
//! random cells of a checkerboard and turn the vectors of the cells around them too.

use throng_crowd::{AgentSpec, Budget, Crossings, Event, Settings, World};
use throng_grid::{Cell, Grid, Pos};
use throng_search::spec::MILLION;
use throng_toolkit::DirectionMap;

use crate::registry::planner;

/// The number of agents that a map is learned from.
const TEACHERS: usize = 40;
/// Most ticks per round trip, as a multiple of width plus height. Only a map that cannot be walked needs the limit.
const MAX_TICKS_PER_SIDE: u64 = 8;

/// Learns a map from patrolling agents, each of which makes this many round trips. The cells around a step learn at the
/// rate `surround`, in millionths.
pub(super) fn learned_map(grid: &Grid, loops: u64, surround: u64) -> DirectionMap {
    let blank = || DirectionMap::new(grid.size());
    let teacher = format!("dm:surround={}.{:06}", surround / MILLION, surround % MILLION);
    let Ok(teacher) = planner(&teacher, grid) else { return blank() };
    let Ok(mut world) = World::new(grid.clone(), teacher, Settings::default().crossings(Crossings::Allow))
    else {
        return blank();
    };
    let ends = patrol_places(grid);
    let mut left = Vec::new();
    for &(from, to) in &ends {
        // A cell that is taken or blocked gets no agent.
        let Ok(agent) = world.spawn(AgentSpec::at(from.x, from.y)) else { continue };
        if world.send(agent, to).is_ok() {
            left.push((agent, [to, from], 2 * loops));
        }
    }
    let sides = u64::from(grid.size().width()) + u64::from(grid.size().height());
    let (mut events, max_ticks) = (Vec::new(), loops.saturating_mul(sides * MAX_TICKS_PER_SIDE));
    while !left.is_empty() && world.ticks() < max_ticks {
        events.clear();
        world.tick(Budget::Unlimited, &mut events);
        for event in &events {
            let Event::Arrived { agent } = *event else { continue };
            let Some(place) = left.iter().position(|(known, ..)| *known == agent) else { continue };
            let (_, ends, legs) = &mut left[place];
            *legs -= 1;
            ends.swap(0, 1);
            let next = ends[0];
            if *legs == 0 || world.send(agent, next).is_err() {
                left.remove(place);
                // The agent exists, so this is not refused.
                let _gone = world.despawn(agent);
            }
        }
    }
    DirectionMap::of_world(&world).unwrap_or_else(blank)
}

/// Pairs of distinct cells of a checkerboard that can reach each other.
fn patrol_places(grid: &Grid) -> Vec<(Pos, Pos)> {
    let ground = grid.ground();
    let components = ground.components();
    let fits = |cell: &Cell| {
        let pos = ground.pos(*cell);
        (pos.x + pos.y) % 2 == 0 && components.label(ground, *cell) == components.largest()
    };
    let mut cells: Vec<Cell> = ground.free_cells().filter(fits).collect();
    // A fixed shuffle, so that learning is deterministic.
    let mix = |cell: Cell| {
        (u64::from(cell.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ u64::from(cell.0)
    };
    cells.sort_unstable_by_key(|&cell| (mix(cell).wrapping_mul(0xBF58_476D_1CE4_E5B9), cell));
    cells.truncate(2 * TEACHERS);
    cells.chunks_exact(2).map(|pair| (ground.pos(pair[0]), ground.pos(pair[1]))).collect()
}
