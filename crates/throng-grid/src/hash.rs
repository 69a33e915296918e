//! 64-bit mixing functions for fingerprints, state hashes and reproducible random values.
//!
//! Reference: G. L. Steele Jr., D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
//! The functions are part of stored data (state hashes, fingerprints): their results never change.

/// Returns the next output of `SplitMix64` for a state: the golden-ratio increment, then [`mix64`].
#[inline]
pub const fn splitmix64(state: u64) -> u64 {
    mix64(state.wrapping_add(0x9E37_79B9_7F4A_7C15))
}

/// Returns the `SplitMix64` finalizer of a number: a bijection in which each input bit affects each output bit.
#[inline]
pub const fn mix64(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the reference implementation for the seed 1234567.
    #[test]
    fn outputs_match_the_reference_implementation() {
        const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;
        let outputs =
            [0, 1, 2].map(|i: u64| splitmix64(1_234_567_u64.wrapping_add(i.wrapping_mul(INCREMENT))));
        assert_eq!(
            outputs,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
