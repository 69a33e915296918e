//! A thread pool for the engine's independent searches (feature `threads`).

use std::sync::atomic::{AtomicUsize, Ordering};

use throng_crowd::Executor;

/// A thread pool for [`World::set_executor`](crate::World::set_executor). Results do not depend on the number of threads.
///
/// The thread that ticks the world works too: its caches hold what the pieces need.
#[derive(Debug)]
pub struct Pool {
    /// One thread less than the pool has; `None` if that is none.
    helpers: Option<rayon::ThreadPool>,
}

impl Pool {
    /// Creates a pool of `threads` threads, at least one.
    ///
    /// # Errors
    /// Returns an error if the system cannot start the threads.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let build = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self { helpers: (threads > 1).then(|| build(threads - 1)).transpose()? })
    }
}

impl Executor for Pool {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let take_pieces = || {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count);
            std::iter::from_fn(take).for_each(piece);
        };
        let Some(helpers) = &self.helpers else { return take_pieces() };
        helpers.in_place_scope(|scope| {
            for _ in 1..self.width().min(count) {
                scope.spawn(|_| take_pieces());
            }
            take_pieces();
        });
    }

    fn width(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }
}
