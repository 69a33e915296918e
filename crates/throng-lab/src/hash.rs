//! The hash of settings, maps and stored values: the finalizer of `SplitMix64`, chained over words of eight bytes.
//!
//! Seeds of problems, keys of runs and checksums of stored results depend on it, so it never changes. It finds accidental
//! damage, not deliberate changes.

/// Returns the hash of bytes that follow others with the hash `before`; 0 at the beginning.
pub(crate) fn checksum(before: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(finalize(before ^ bytes.len() as u64), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        finalize(hash ^ u64::from_le_bytes(word))
    })
}

/// The finalizer of `SplitMix64`.
const fn finalize(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
