//! Inputs as bytes.

use throng_grid::{Area, Pos, ProfileId, Terrain};

use crate::bytes::{Damaged, Reader, put, put_signed};
use crate::{AgentId, AgentSpec, ForeignId, Input};

/// Appends an input.
pub(crate) fn put_input(bytes: &mut Vec<u8>, input: Input) {
    let number = match input {
        Input::Spawn(_) => 0,
        Input::Despawn(_) => 1,
        Input::Teleport(..) => 2,
        Input::Send(..) => 3,
        Input::Halt(_) => 4,
        Input::Control(..) => 5,
        Input::Block(_) => 6,
        Input::Unblock(_) => 7,
        Input::SetTerrain(..) => 8,
        Input::PlaceForeign(_) => 9,
        Input::MoveForeign(..) => 10,
        Input::RemoveForeign(_) => 11,
    };
    bytes.push(number);
    match input {
        Input::Spawn(spec) => {
            put_pos(bytes, spec.at);
            bytes.extend([spec.profile.0, spec.speed]);
            put(bytes, spec.user);
        }
        Input::Despawn(AgentId(agent)) | Input::Halt(AgentId(agent)) => put(bytes, u64::from(agent)),
        Input::Teleport(AgentId(unit), pos)
        | Input::Send(AgentId(unit), pos)
        | Input::MoveForeign(ForeignId(unit), pos) => {
            put(bytes, u64::from(unit));
            put_pos(bytes, pos);
        }
        Input::Control(agent, ours) => {
            put(bytes, u64::from(agent.0));
            put(bytes, u64::from(ours));
        }
        Input::Block(area) | Input::Unblock(area) => put_area(bytes, area),
        Input::SetTerrain(area, terrain) => {
            put_area(bytes, area);
            bytes.push(terrain as u8);
        }
        Input::PlaceForeign(at) => put_pos(bytes, at),
        Input::RemoveForeign(unit) => put(bytes, u64::from(unit.0)),
    }
}

/// Reads what [`put_input`] wrote.
pub(crate) fn read_input(reader: &mut Reader<'_>) -> Result<Input, Damaged> {
    Ok(match reader.number("an input")? {
        0 => Input::Spawn(spec(reader)?),
        1 => Input::Despawn(agent(reader)?),
        2 => Input::Teleport(agent(reader)?, pos(reader)?),
        3 => Input::Send(agent(reader)?, pos(reader)?),
        4 => Input::Halt(agent(reader)?),
        5 => Input::Control(agent(reader)?, reader.flag("who controls an agent")?),
        6 => Input::Block(area(reader)?),
        7 => Input::Unblock(area(reader)?),
        8 => Input::SetTerrain(area(reader)?, terrain(reader)?),
        9 => Input::PlaceForeign(pos(reader)?),
        10 => Input::MoveForeign(foreign(reader)?, pos(reader)?),
        11 => Input::RemoveForeign(foreign(reader)?),
        _ => return Err(reader.damaged("an input")),
    })
}

fn put_pos(bytes: &mut Vec<u8>, pos: Pos) {
    put_signed(bytes, pos.x);
    put_signed(bytes, pos.y);
}

fn pos(reader: &mut Reader<'_>) -> Result<Pos, Damaged> {
    Ok(Pos::new(reader.signed("a column")?, reader.signed("a row")?))
}

fn put_area(bytes: &mut Vec<u8>, area: Area) {
    let (number, first, second) = match area {
        Area::Cell(at) => (0, at, None),
        Area::Rect { min, max } => (1, min, Some(max)),
        Area::Disc { center, radius } => (2, center, Some(Pos::new(radius, 0))),
        // A kind of area that is not known here has to be added before it can be recorded.
        _ => unreachable!("every kind of area is recorded"),
    };
    bytes.push(number);
    put_pos(bytes, first);
    if let Some(second) = second {
        put_pos(bytes, second);
    }
}

fn area(reader: &mut Reader<'_>) -> Result<Area, Damaged> {
    Ok(match reader.number("an area")? {
        0 => Area::Cell(pos(reader)?),
        1 => Area::Rect { min: pos(reader)?, max: pos(reader)? },
        2 => Area::Disc { center: pos(reader)?, radius: pos(reader)?.x },
        _ => return Err(reader.damaged("an area")),
    })
}

fn terrain(reader: &mut Reader<'_>) -> Result<Terrain, Damaged> {
    let number = reader.number_to(Terrain::ALL.len() as u64 - 1, "a terrain")?;
    Ok(Terrain::ALL[number as usize])
}

fn spec(reader: &mut Reader<'_>) -> Result<AgentSpec, Damaged> {
    let at = pos(reader)?;
    let [profile, speed] = *reader.raw(2, "a profile and a speed")? else {
        return Err(reader.damaged("a profile and a speed"));
    };
    let user = reader.number("the game's own value")?;
    Ok(AgentSpec { at, profile: ProfileId(profile), speed, user })
}

fn agent(reader: &mut Reader<'_>) -> Result<AgentId, Damaged> {
    Ok(AgentId(reader.number_to(u64::from(u32::MAX), "an agent")? as u32))
}

fn foreign(reader: &mut Reader<'_>) -> Result<ForeignId, Damaged> {
    Ok(ForeignId(reader.number_to(u64::from(u32::MAX), "a foreign unit")? as u32))
}
