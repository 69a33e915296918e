//! Seeded random numbers for generators and instances. Integer arithmetic only, so that a seed gives the same values
//! on every platform.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A seeded random number generator (`Pcg64Mcg`) with the distributions that generators need.
#[derive(Clone, Debug)]
pub struct SeededRng(Pcg64Mcg);

impl SeededRng {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Returns a uniform 64-bit number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `end`, 0 if `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number from `min` to `max`, both included; `min` if `max < min`.
    pub fn between(&mut self, min: i32, max: i32) -> i32 {
        min + self.below((max - min + 1).max(1) as u32) as i32
    }

    /// Returns true with a probability of `percent` / 100.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the choices, drawn uniformly.
    ///
    /// # Panics
    /// If `choices` is empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Shuffles the items uniformly (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cover_exactly_their_range() {
        let mut rng = SeededRng::new(1);
        let values: Vec<i32> = (0..1_000).map(|_| rng.between(-2, 3)).collect();
        assert_eq!((values.iter().min(), values.iter().max()), (Some(&-2), Some(&3)));
        assert_eq!((rng.below(0), rng.below(1), rng.between(5, 4)), (0, 0, 5));
        assert!((0..100).all(|_| rng.chance(100) && !rng.chance(0)));
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        SeededRng::new(2).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
