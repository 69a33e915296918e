//! Worlds: creation, copies and the loop of a game. The files beside this one have the orders, the queries and the rest.

mod edits;
mod foreign;
mod order_queries;
mod orders;
mod queries;
mod saves;
mod single;
mod terrain;
mod tick;

use std::ffi::c_char;

use throng::{Crossings, Event, Fog, Settings, Sharing, StepTime, World};

pub use edits::*;
pub use foreign::*;
pub use order_queries::*;
pub use orders::*;
pub use queries::*;
pub use saves::*;
pub use single::*;
pub use terrain::*;
pub use tick::*;

use crate::enums::{choose, truth};
use crate::handles::Table;
use crate::map::MAPS;
use crate::memory::{Input, Output, pointers};
use crate::status::{Failure, Outcome, ThrongStatus, call};
use crate::types::{Plain, ThrongMap, ThrongSettings, ThrongWorld};

/// The worlds that the caller holds.
static WORLDS: Table<Game> = Table::new("world", 2);

/// A world and what its last tick reported.
struct Game {
    world: World,
    events: Vec<Event>,
}

impl Game {
    const fn new(world: World) -> Self {
        Self { world, events: Vec::new() }
    }
}

/// Calls a function that reads a world.
fn look<R>(world: ThrongWorld, body: impl FnOnce(&World) -> Outcome<R>) -> Outcome<R> {
    WORLDS.read(world, |game| body(&game.world))
}

/// Calls a function that changes a world.
fn change<R>(world: ThrongWorld, body: impl FnOnce(&mut World) -> Outcome<R>) -> Outcome<R> {
    WORLDS.write(world, |game| body(&mut game.world))
}

/// Carries out one order per entry, and writes the status of each. One that fails does not keep the others from being
/// carried out. The outcome of a batch of one is that of its entry.
fn batch<T: Plain>(
    entries: Input<'_, T>,
    results: Output<'_, ThrongStatus>,
    mut order: impl FnMut(usize, T) -> Outcome,
) -> Outcome {
    let (mut first, mut refused) = (None, 0);
    for (i, entry) in entries.iter().enumerate() {
        let outcome = order(i, entry);
        results.set(i, outcome.as_ref().map_or_else(|failure| failure.status, |()| ThrongStatus::Ok));
        if let Err(failure) = outcome {
            refused += 1;
            first = first.or(Some((i, failure)));
        }
    }
    match first {
        None => Ok(()),
        Some((_, failure)) if entries.len() == 1 => Err(failure),
        Some((i, failure)) => {
            let message = format!(
                "{refused} of {} entries are refused, the first is number {i}: {failure}",
                entries.len()
            );
            Err(Failure::new(ThrongStatus::SomeRefused, message))
        }
    }
}

/// Fills in the usual settings, `struct_size` included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_settings_default(settings: *mut ThrongSettings) -> ThrongStatus {
    call(|| {
        pointers! { settings = place(settings); }
        let usual = Settings::default();
        let levels = [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything];
        let sharing = levels.iter().position(|level| *level == usual.sharing).unwrap_or_default() as u32;
        settings.set(
            0,
            ThrongSettings {
                struct_size: size_of::<ThrongSettings>() as u32,
                sharing,
                seed: usual.seed,
                stuck_after: usual.stuck_after,
                ..ThrongSettings::default()
            },
        );
        Ok(())
    })
}

/// Creates a world without agents on a copy of a map. `planner` is a name with parameters, such as `surge` or
/// `far:reserve=3`. Free it with `throng_world_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_create(
    map: ThrongMap,
    planner: *const c_char,
    settings: *const ThrongSettings,
    world: *mut ThrongWorld,
) -> ThrongStatus {
    call(|| {
        pointers! { planner = text(planner); settings = value(settings); world = place(world); }
        let settings = read_settings(settings)?;
        let grid = MAPS.read(map, |grid| Ok(grid.clone()))?;
        let wrong = |error: throng::grid::spec::SpecError| {
            Failure::new(ThrongStatus::InvalidPlanner, error.to_string())
        };
        let planner = throng::planner(&planner, &grid).map_err(wrong)?;
        let wrong = |error: throng::SetupError| Failure::new(ThrongStatus::InvalidSetup, error.to_string());
        let made = World::new(grid, planner, settings).map_err(wrong)?;
        world.set(0, WORLDS.insert(Game::new(made))?);
        Ok(())
    })
}

fn read_settings(given: ThrongSettings) -> Outcome<Settings> {
    if given.struct_size as usize != size_of::<ThrongSettings>() {
        let message = format!(
            "the settings have a size of {} bytes, not {}: call throng_settings_default first",
            given.struct_size,
            size_of::<ThrongSettings>()
        );
        return Err(Failure::new(ThrongStatus::WrongSize, message));
    }
    if given.reserved != 0 {
        return Err(Failure::invalid("the reserved field of the settings must be 0"));
    }
    let levels = [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything];
    let mut settings = Settings::default().seed(given.seed).stuck_after(given.stuck_after);
    settings.sharing = choose("level of sharing", &levels, given.sharing)?;
    settings.crossings = choose("rule of crossings", &Crossings::ALL, given.crossings)?;
    settings.step_time = choose("time of a step", &StepTime::ALL, given.step_time)?;
    let is_shared = truth("value of fog_shared", given.fog_shared)?;
    settings.fog = match u16::try_from(given.fog_radius) {
        Ok(0) if is_shared => return Err(Failure::invalid("fog_shared needs a fog_radius")),
        Ok(0) => None,
        Ok(radius) if is_shared => Some(Fog::radius(radius).shared()),
        Ok(radius) => Some(Fog::radius(radius)),
        Err(_) => return Err(Failure::invalid("agents see at most 65,535 cells far")),
    };
    Ok(settings)
}

/// Creates a copy that continues exactly as the world does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_clone(world: ThrongWorld, copy: *mut ThrongWorld) -> ThrongStatus {
    call(|| {
        pointers! { copy = place(copy); }
        let made = look(world, |world| Ok(world.clone()))?;
        copy.set(0, WORLDS.insert(Game::new(made))?);
        Ok(())
    })
}

/// Makes a world a copy of another one, and reuses its memory: the fast way back to a checkpoint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_copy_from(world: ThrongWorld, source: ThrongWorld) -> ThrongStatus {
    call(|| {
        if world == source {
            return look(world, |_| Err(Failure::invalid("a world cannot be copied from itself")));
        }
        look(source, |source| {
            WORLDS.write(world, |game| {
                game.events.clear();
                game.world.clone_from(source);
                Ok(())
            })
        })
    })
}

/// Frees a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_free(world: ThrongWorld) -> ThrongStatus {
    call(|| WORLDS.remove(world).map(drop))
}

/// Sets the number of threads that run the independent searches of a world. Results do not depend on it. A copy uses the
/// same threads; a world restored from a snapshot has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_set_threads(world: ThrongWorld, threads: u32) -> ThrongStatus {
    call(|| {
        change(world, |world| {
            if !(1..=1_024).contains(&threads) {
                return Err(Failure::invalid(format!("a world has from 1 to 1,024 threads, not {threads}")));
            }
            set_threads(world, threads as usize)
        })
    })
}

#[cfg(feature = "threads")]
fn set_threads(world: &mut World, threads: usize) -> Outcome {
    let failed =
        |error| Failure::new(ThrongStatus::Unsupported, format!("the system starts no threads: {error}"));
    world.set_executor(Box::new(throng::Pool::new(threads).map_err(failed)?));
    Ok(())
}

#[cfg(not(feature = "threads"))]
fn set_threads(_: &mut World, threads: usize) -> Outcome {
    match threads {
        1 => Ok(()),
        _ => Err(Failure::new(ThrongStatus::Unsupported, "the library was built without threads")),
    }
}
