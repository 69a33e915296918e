//! A choice among a few items by a random value.

/// Returns the item that a random value selects; `None` if there are no items. `items` is called twice.
pub fn random_item<I: Iterator>(items: impl Fn() -> I, random: u64) -> Option<I::Item> {
    let count = items().count() as u64;
    items().nth(random.checked_rem(count)? as usize)
}
