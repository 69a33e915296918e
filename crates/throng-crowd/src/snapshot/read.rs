//! Reading a snapshot; `write.rs` wrote the same things in the same order.

use throng_grid::{Cell, MoveRules, Profile, ProfileId, Size, Terrain};

use super::{CORNERS, MapParts, Parts, RestoreError};
use crate::bytes::{Damaged, Reader};
use crate::goals::assignment::MOST_SHIFTS;
use crate::world::agents::{Agents, Progress, Roaming};
use crate::{AgentId, AgentSpec, Settings, Sharing, Totals};

/// Counters beyond this were never counted: no world gets so old.
const MANY: u64 = 1 << 60;

impl Parts {
    /// Reads a snapshot and checks that all its places and numbers exist.
    pub(crate) fn read(snapshot: &[u8]) -> Result<Self, RestoreError> {
        let mut reader = super::open(snapshot)?;
        let reader = &mut reader;
        let planner_name = text(reader)?;
        let map = grid(reader)?;
        let settings = settings(reader)?;
        let tick = reader.number_to(MANY, "the tick")?;
        let seen = reader.number_to(map.revision, "the revision seen")?;
        let (agents, stalled) = agents(reader, &map)?;
        let count = reader.length("the number of foreign units")?;
        let foreign = (0..count).map(|_| place(reader, map.size)).collect::<Result<_, _>>()?;
        let count = reader.length("the number of answers owed")?;
        let pending = (0..count).map(|_| agent(reader, agents.at.len())).collect::<Result<_, _>>()?;
        let mut total = || reader.number_to(MANY, "a total");
        let (expansions, failed_moves, overruled, crossings) = (total()?, total()?, total()?, total()?);
        let totals = Totals { expansions, failed_moves, overruled, crossings };
        let state_hash = reader.fixed("the state's hash")?;
        let planner = reader.bytes("the planner's state")?.to_vec();
        let _checksum = reader.fixed("the checksum")?;
        if !reader.is_done() {
            return Err(reader.damaged("the end").into());
        }
        let parts = Self {
            planner_name,
            map,
            settings,
            tick,
            seen,
            agents,
            stalled,
            foreign,
            pending,
            totals,
            state_hash,
            planner,
        };
        Ok(parts)
    }
}

pub(super) fn text(reader: &mut Reader<'_>) -> Result<String, Damaged> {
    let bytes = reader.bytes("the planner's name")?;
    String::from_utf8(bytes.to_vec()).map_err(|_| reader.damaged("the planner's name"))
}

fn settings(reader: &mut Reader<'_>) -> Result<Settings, Damaged> {
    let sharing = match reader.number_to(3, "how much agents share")? {
        0 => Sharing::Nothing,
        1 => Sharing::MoveRequests,
        2 => Sharing::Reservations,
        _ => Sharing::Everything,
    };
    let seed = reader.fixed("the seed")?;
    let stuck_after = reader.number_to(u64::from(u32::MAX), "the ticks until stuck")? as u32;
    Ok(Settings { sharing, seed, stuck_after })
}

fn grid(reader: &mut Reader<'_>) -> Result<MapParts, Damaged> {
    let width = reader.number_to(u64::from(throng_grid::MAX_SIDE), "the width")? as u32;
    let height = reader.number_to(u64::from(throng_grid::MAX_SIDE), "the height")? as u32;
    let size = Size::new(width, height).ok_or(reader.damaged("a size within the limits"))?;
    let corners = CORNERS[reader.number_to(2, "the corner rule")? as usize];
    let rules = MoveRules { corners, four_way: reader.flag("the directions")? };
    let mut profiles: Vec<Profile> = Vec::new();
    for _ in 0..reader.number_to(256, "the number of profiles")? {
        let mut halves = [0; Terrain::ALL.len()];
        halves.copy_from_slice(reader.raw(Terrain::ALL.len(), "a profile")?);
        let profile = Profile::from_halves(halves).filter(|profile| !profiles.contains(profile));
        profiles.push(profile.ok_or(reader.damaged("a profile"))?);
    }
    if profiles.is_empty() {
        return Err(reader.damaged("the number of profiles"));
    }
    let halves = reader.raw(size.area().div_ceil(2), "the map's cells")?;
    let halves = halves.iter().flat_map(|&byte| [byte & 15, byte >> 4]).take(size.area());
    let (mut terrain, mut blocked) = (Vec::with_capacity(size.area()), Vec::with_capacity(size.area()));
    for half in halves {
        let kind = Terrain::ALL.get(usize::from(half & 7));
        terrain.push(*kind.ok_or(reader.damaged("the map's cells"))?);
        blocked.push(half & 8 != 0);
    }
    let revision = reader.number_to(MANY, "the map's revision")?;
    let revisions = (0..size.tile_count()).map(|_| reader.number_to(revision, "a tile's revision"));
    let tile_revisions = revisions.collect::<Result<_, _>>()?;
    Ok(MapParts { size, rules, profiles, terrain, blocked, revision, tile_revisions })
}

fn cell(reader: &mut Reader<'_>, size: Size) -> Result<Cell, Damaged> {
    Ok(Cell(reader.number_to(size.area() as u64 - 1, "a cell")? as u32))
}

/// A cell, or none.
fn place(reader: &mut Reader<'_>, size: Size) -> Result<Option<Cell>, Damaged> {
    let number = reader.number_to(size.area() as u64, "a cell")? as u32;
    Ok(number.checked_sub(1).map(Cell))
}

fn agent(reader: &mut Reader<'_>, count: usize) -> Result<AgentId, Damaged> {
    let number = reader.number("an agent")?;
    if number < count as u64 { Ok(AgentId(number as u32)) } else { Err(reader.damaged("an agent")) }
}

fn agents(reader: &mut Reader<'_>, map: &MapParts) -> Result<(Agents, Vec<u32>), Damaged> {
    let (mut agents, mut stalled) = (Agents::default(), Vec::new());
    for i in 0..reader.length("the number of agents")? {
        let flags = reader.number_to(63, "an agent's flags")?;
        let flag = |bit: u64| flags >> bit & 1 == 1;
        let at = cell(reader, map.size)?;
        let goal = place(reader, map.size)?.map(|goal| map.size.pos(goal));
        let target = place(reader, map.size)?;
        let ready = reader.number_to(MANY, "when an agent may step")?;
        let [profile, speed] = *reader.raw(2, "a profile and a speed")? else {
            return Err(reader.damaged("a profile and a speed"));
        };
        if usize::from(profile) >= map.profiles.len() || speed == 0 {
            return Err(reader.damaged("a profile and a speed"));
        }
        let user = reader.number("the game's own value")?;
        let spec = AgentSpec { at: map.size.pos(at), profile: ProfileId(profile), speed, user };
        let _id = agents.push(spec, at);
        (agents.goal[i], agents.target[i], agents.ready[i]) = (goal, target, ready);
        agents.controlled[i] = flag(1);
        agents.home[i] = flag(2);
        agents.cut_off[i] = flag(3);
        agents.claimed[i] = flag(4);
        agents.settled[i] = flag(5);
        agents.alive[i] = flag(0);
        if !flag(0) {
            agents.living.pop();
        }
        if target.is_some() && goal.is_none() || target.is_none() && flag(4) {
            return Err(reader.damaged("a goal for a target"));
        }
        stalled.push(reader.number_to(u64::from(u32::MAX), "how long an agent has waited")? as u32);
        agents.progress[i] = Progress {
            nearest: reader.number_to(u64::from(u32::MAX), "how near an agent has come")? as u32,
            since: reader.number_to(u64::from(u32::MAX), "how long ago that was")? as u32,
            shifts: reader.number_to(u64::from(MOST_SHIFTS), "how often it changed its cell")? as u8,
            unrest: reader.number_to(u64::from(u32::MAX), "how long it was not home")? as u32,
        };
        agents.roaming[i] = Roaming {
            anchor: place(reader, map.size)?,
            ticks: reader.number_to(u64::from(u32::MAX), "how long it has been about")? as u32,
            behind: reader
                .number_to(u64::from(u32::MAX), "whom it waited for")?
                .checked_sub(1)
                .map(|by| AgentId(by as u32)),
        };
    }
    Ok((agents, stalled))
}
