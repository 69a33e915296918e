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
