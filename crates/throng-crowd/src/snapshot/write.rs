//! Writing a snapshot; `read.rs` reads the same things in the same order.

use throng_grid::{Cell, Grid, Terrain};

use super::{MAGIC, VERSION};
use crate::World;
use crate::bytes::{checksum, put, put_bytes, put_fixed};
use crate::world::agents::Agents;

pub(super) fn snapshot(world: &World) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    put(&mut bytes, VERSION);
    put_bytes(&mut bytes, world.planner_name.as_bytes());
    put_grid(&mut bytes, &world.grid);

    let settings = world.settings;
    put(&mut bytes, settings.sharing as u64);
    put_fixed(&mut bytes, settings.seed);
    put(&mut bytes, u64::from(settings.stuck_after));

    put(&mut bytes, world.tick);
    put(&mut bytes, world.seen);
    put_agents(&mut bytes, &world.agents, world.grid(), &world.stalled);
    put(&mut bytes, world.foreign.len() as u64);
    for &unit in &world.foreign {
        put_place(&mut bytes, unit);
    }
    put(&mut bytes, world.pending.len() as u64);
    for agent in &world.pending {
        put(&mut bytes, u64::from(agent.0));
    }
    let totals = world.totals();
    for count in [totals.expansions, totals.failed_moves, totals.overruled, totals.crossings] {
        put(&mut bytes, count);
    }
    put_fixed(&mut bytes, world.state_hash());

    let mut planner = Vec::new();
    world.planner.save(&mut planner);
    put_bytes(&mut bytes, &planner);
    let sum = checksum(0, &bytes);
    put_fixed(&mut bytes, sum);
    bytes
}

/// A cell, or none.
fn put_place(bytes: &mut Vec<u8>, cell: Option<Cell>) {
    put(bytes, cell.map_or(0, |cell| u64::from(cell.0) + 1));
}

fn put_grid(bytes: &mut Vec<u8>, grid: &Grid) {
    let (size, rules) = (grid.size(), grid.rules());
    put(bytes, u64::from(size.width()));
    put(bytes, u64::from(size.height()));
    put(bytes, rules.corners as u64);
    put(bytes, u64::from(rules.four_way));
    put(bytes, grid.grounds().len() as u64);
    for ground in grid.grounds() {
        bytes.extend(Terrain::ALL.map(|terrain| ground.profile().halves(terrain)));
    }
    // Half a byte a cell: three bits of terrain, and whether it is blocked.
    let half = |cell: Cell| grid.tiles().terrain()[cell.index()] as u8 | u8::from(grid.is_blocked(cell)) << 3;
    let mut halves = size.cells().map(half);
    while let Some(low) = halves.next() {
        bytes.push(low | halves.next().unwrap_or(0) << 4);
    }
    put(bytes, grid.revision());
    for &revision in grid.tile_revisions() {
        put(bytes, revision);
    }
}

fn put_agents(bytes: &mut Vec<u8>, agents: &Agents, grid: &Grid, stalled: &[u32]) {
    put(bytes, agents.at.len() as u64);
    for (i, &stalled) in stalled.iter().enumerate() {
        let flags = [
            agents.alive[i],
            agents.controlled[i],
            agents.home[i],
            agents.cut_off[i],
            agents.claimed[i],
            agents.settled[i],
        ];
        bytes.push(flags.iter().rev().fold(0, |byte, &flag| byte << 1 | u8::from(flag)));
        put(bytes, u64::from(agents.at[i].0));
        put_place(bytes, agents.goal[i].and_then(|goal| grid.cell(goal)));
        put_place(bytes, agents.target[i]);
        put(bytes, agents.ready[i]);
        bytes.extend([agents.profile[i].0, agents.speed[i]]);
        put(bytes, agents.user[i]);
        put(bytes, u64::from(stalled));
        let progress = agents.progress[i];
        put(bytes, u64::from(progress.nearest));
        put(bytes, u64::from(progress.since));
        bytes.push(progress.shifts);
        put(bytes, u64::from(progress.unrest));
        let roaming = agents.roaming[i];
        put_place(bytes, roaming.anchor);
        put(bytes, u64::from(roaming.ticks));
        put(bytes, roaming.behind.map_or(0, |agent| u64::from(agent.0) + 1));
    }
}
