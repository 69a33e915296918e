//! Independent work split among the threads of an executor.

use throng_crowd::Executor;

/// Calls `each` once per item, on the threads of an executor. Every thread has its own scratch memory. The result does not
/// depend on the number of threads if `each` depends on its item only.
pub fn run_parallel<T: Send, S: Send>(
    executor: &dyn Executor,
    items: &mut [T],
    scratch: &mut Vec<S>,
    fresh: impl Fn() -> S,
    each: impl Fn(&mut T, &mut S) + Sync,
) {
    let threads = executor.width().min(items.len()).max(1);
    while scratch.len() < threads {
        scratch.push(fresh());
    }
    if threads == 1 {
        let scratch = &mut scratch[0];
        return items.iter_mut().for_each(|item| each(item, scratch));
    }
    let chunk_size = items.len().div_ceil(threads);
    let chunks: Vec<_> =
        items.chunks_mut(chunk_size).zip(scratch.iter_mut()).map(std::sync::Mutex::new).collect();
    executor.run(chunks.len(), &|i| {
        let mut chunk = chunks[i].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (items, scratch) = &mut *chunk;
        items.iter_mut().for_each(|item| each(item, scratch));
    });
}

/// Splits items among the threads of an executor: calls `each` with the index of the first item of a chunk, and the chunk. The
/// result does not depend on the number of threads if each item is treated apart. Allocates nothing on one thread.
pub fn run_chunks<T: Send>(executor: &dyn Executor, items: &mut [T], each: impl Fn(usize, &mut [T]) + Sync) {
    let threads = executor.width().min(items.len() / MIN_CHUNK);
    if threads <= 1 {
        return each(0, items);
    }
    let size = items.len().div_ceil(threads);
    let chunks: Vec<_> = items.chunks_mut(size).map(std::sync::Mutex::new).collect();
    executor.run(chunks.len(), &|i| {
        each(i * size, &mut chunks[i].lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    });
}

/// Fewer items are not worth another thread.
const MIN_CHUNK: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the pieces in reverse order.
    #[derive(Clone)]
    struct Reversed(usize);

    impl Executor for Reversed {
        fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
            (0..count).rev().for_each(piece);
        }

        fn width(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn every_item_is_in_one_chunk_whatever_the_number_of_threads() {
        for (count, threads) in [(0, 3), (1, 3), (1_023, 2), (1_024, 2), (2_000, 3), (5_001, 4)] {
            let mut items = vec![(0, 0); count];
            run_chunks(&Reversed(threads), &mut items, |first, chunk| {
                for (i, item) in chunk.iter_mut().enumerate() {
                    *item = (item.0 + 1, first + i);
                }
            });
            let expected: Vec<_> = (0..count).map(|i| (1, i)).collect();
            assert_eq!(items, expected, "{count} items on {threads} threads");
        }
    }
}
