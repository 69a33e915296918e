//! A pool of threads for the engine's independent searches (feature `threads`).

use rayon::prelude::*;
use throng_crowd::Executor;

/// A pool of a number of threads, for [`World::set_executor`](crate::World::set_executor). Results do not depend on it.
#[derive(Debug)]
pub struct Pool {
    threads: rayon::ThreadPool,
}

impl Pool {
    /// A pool of so many threads, at least one.
    ///
    /// # Errors
    /// When the system gives no more threads.
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
