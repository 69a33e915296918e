//! Independent searches split among the threads of an executor.

use throng_crowd::Executor;

/// Splits items among an executor's threads: `each` is called once for every item, with the scratch memory of the
/// piece it is in. The result does not depend on the number of threads as long as `each` depends on its item only.
pub fn run_parallel<T: Send, S: Send>(
    executor: &dyn Executor,
    items: &mut [T],
    scratch: &mut Vec<S>,
    fresh: impl Fn() -> S,
    each: impl Fn(&mut T, &mut S) + Sync,
) {
    let pieces = executor.width().min(items.len()).max(1);
    while scratch.len() < pieces {
        scratch.push(fresh());
    }
    if pieces == 1 {
        let scratch = &mut scratch[0];
        return items.iter_mut().for_each(|item| each(item, scratch));
    }
    let size = items.len().div_ceil(pieces);
    let lots: Vec<_> = items.chunks_mut(size).zip(scratch.iter_mut()).map(std::sync::Mutex::new).collect();
    executor.run(lots.len(), &|i| {
        let mut lot = lots[i].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (items, scratch) = &mut *lot;
        items.iter_mut().for_each(|item| each(item, scratch));
    });
}
