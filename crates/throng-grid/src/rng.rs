//! Random choices for generators: whole numbers only, so that a seed gives the same map on every platform.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A seeded source of small random choices.
#[derive(Clone, Debug)]
pub struct SeededRng(Pcg64Mcg);

impl SeededRng {
    /// The rng of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Any number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// A number from `least` to `most`, both included; `least` when they are the wrong way round.
    pub fn between(&mut self, least: i32, most: i32) -> i32 {
        least + self.below((most - least + 1).max(1) as u32) as i32
    }

    /// True in `percent` cases of a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of several, each as likely as the others.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Any order, each as likely as the others.
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
    fn choices_stay_in_their_ranges_and_reach_the_ends() {
        let mut rng = SeededRng::new(1);
        let rolls: Vec<i32> = (0..1_000).map(|_| rng.between(-2, 3)).collect();
        assert_eq!((rolls.iter().min(), rolls.iter().max()), (Some(&-2), Some(&3)));
        assert_eq!((rng.below(0), rng.below(1), rng.between(5, 4)), (0, 0, 5));
        assert!((0..100).all(|_| rng.chance(100) && !rng.chance(0)));
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        SeededRng::new(2).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
