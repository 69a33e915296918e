//! Bevy's compute threads as the executor of a world (feature `multi_threaded`).

use std::sync::atomic::{AtomicUsize, Ordering};

use bevy_tasks::ComputeTaskPool;
use throng::Executor;

/// Runs the independent searches of a tick on Bevy's `ComputeTaskPool`:
/// `crowd.world_mut().set_executor(Box::new(ComputeTasks))`. Results do not depend on the number of threads.
///
/// Searches run one after the other while the app has no such pool; `TaskPoolPlugin` makes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComputeTasks;

impl Executor for ComputeTasks {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let take_pieces = || {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count);
            std::iter::from_fn(take).for_each(piece);
        };
        let Some(pool) = ComputeTaskPool::try_get() else { return take_pieces() };
        pool.scope(|scope| {
            for _ in 0..self.width().min(count) {
                scope.spawn(async { take_pieces() });
            }
        });
    }

    fn width(&self) -> usize {
        ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num().max(1))
    }
}
