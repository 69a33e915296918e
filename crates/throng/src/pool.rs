//! A thread pool for the engine's independent searches (feature `threads`).

use rayon::prelude::*;
use throng_crowd::Executor;

/// A thread pool for [`World::set_executor`](crate::World::set_executor). Results do not depend on the number of threads.
#[derive(Debug)]
pub struct Pool {
    threads: rayon::ThreadPool,
}

impl Pool {
    /// Creates a pool of `threads` threads, at least one.
    ///
    /// # Errors
    /// Returns an error if the system cannot start the threads.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build()?;
        Ok(Self { threads })
    }
}

impl Executor for Pool {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        self.threads.install(|| (0..count).into_par_iter().for_each(piece));
    }

    fn width(&self) -> usize {
        self.threads.current_num_threads()
    }
}
