//! Snapshots and recordings, as bytes.

use throng::{Recording, World};

use super::{Game, WORLDS, change, look};
use crate::library::BYTES;
use crate::memory::pointers;
use crate::status::{Failure, ThrongStatus, call};
use crate::types::{ThrongBytes, ThrongCheck, ThrongWorld};

/// Takes a snapshot of a world, the state of its planner included. Read it with `throng_bytes_read` and free it with
/// `throng_bytes_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_snapshot(world: ThrongWorld, bytes: *mut ThrongBytes) -> ThrongStatus {
    call(|| {
        pointers! { bytes = place(bytes); }
        let snapshot = look(world, |world| Ok(world.snapshot()))?;
        bytes.set(0, BYTES.insert(snapshot)?);
        Ok(())
    })
}

/// Creates a world that continues from a snapshot. The bytes may come from anywhere: altered ones are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_restore(
    snapshot: *const u8,
    count: usize,
    world: *mut ThrongWorld,
) -> ThrongStatus {
    call(|| {
        pointers! { snapshot = input(snapshot, count); world = place(world); }
        let wrong =
            |error: throng::RestoreError| Failure::new(ThrongStatus::InvalidSnapshot, error.to_string());
        let made = throng::restore(&snapshot.to_vec()).map_err(wrong)?;
        world.set(0, WORLDS.insert(Game::new(made))?);
        Ok(())
    })
}

/// Starts a recording of all calls that change a world, and drops the current one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_start_recording(world: ThrongWorld) -> ThrongStatus {
    call(|| {
        change(world, |world| {
            world.start_recording();
            Ok(())
        })
    })
}

/// Returns what has been recorded since the last call, for files that are written while the game goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_drain_recording(
    world: ThrongWorld,
    bytes: *mut ThrongBytes,
) -> ThrongStatus {
    // SAFETY: the caller promises the same about the pointer.
    unsafe { take(world, bytes, World::drain_recording) }
}

/// Ends a recording and returns what was not drained.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_finish_recording(
    world: ThrongWorld,
    bytes: *mut ThrongBytes,
) -> ThrongStatus {
    // SAFETY: the caller promises the same about the pointer.
    unsafe { take(world, bytes, World::finish_recording) }
}

/// Writes a handle of the bytes that a function takes from a world.
///
/// # Safety
/// The pointer is as that of an exported function.
unsafe fn take(
    world: ThrongWorld,
    bytes: *mut ThrongBytes,
    take: fn(&mut World) -> Option<Vec<u8>>,
) -> ThrongStatus {
    call(|| {
        pointers! { bytes = place(bytes); }
        let missing = || Failure::new(ThrongStatus::NotRecording, "the world is not being recorded");
        let recording = change(world, |world| take(world).ok_or_else(missing))?;
        bytes.set(0, BYTES.insert(recording)?);
        Ok(())
    })
}

/// Checks a recording with an implementation of the rules of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_recording_check(
    recording: *const u8,
    count: usize,
    check: *mut ThrongCheck,
) -> ThrongStatus {
    call(|| {
        pointers! { recording = input(recording, count); check = place(check); }
        let wrong =
            |error: throng::RecordingError| Failure::new(ThrongStatus::InvalidRecording, error.to_string());
        let report = throng::check(&Recording::read(&recording.to_vec()).map_err(wrong)?);
        check.set(
            0,
            ThrongCheck {
                ticks: report.ticks,
                agent_steps: report.agent_steps,
                violations: report.violation_count,
            },
        );
        Ok(())
    })
}
