//! Alters bytes that the library has written. The bytes of the fuzzer are a list of alterations: a place, a kind, a value.

/// Returns a copy with alterations; the last `kept` bytes, a checksum, stay.
pub(crate) fn alter(whole: &[u8], mut data: &[u8], kept: usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    while let Some((&[low, high, kind, value], rest)) = data.split_first_chunk::<4>() {
        data = rest;
        let length = bytes.len().saturating_sub(kept);
        if length == 0 {
            break;
        }
        let place = (usize::from(low) | usize::from(high) << 8) % length;
        match kind % 6 {
            0 => bytes[place] = value,
            1 => bytes[place] = bytes[place].wrapping_add(value),
            2 => bytes[place] ^= 1 << (value % 8),
            // Another integer of variable length: a power of two, or one less.
            3 => replace_varint(&mut bytes, place, length, 1_u64 << (value % 64)),
            4 => replace_varint(&mut bytes, place, length, (1_u64 << (value % 64)) - 1),
            // Some bytes are removed, or repeated.
            _ => {
                let end = (place + usize::from(value % 16)).min(length);
                if value < 128 {
                    bytes.drain(place..end);
                } else {
                    let part = bytes[place..end].to_vec();
                    bytes.splice(place..place, part);
                }
            }
        }
    }
    bytes
}

fn replace_varint(bytes: &mut Vec<u8>, place: usize, length: usize, mut value: u64) {
    let end = (place..length).find(|&at| bytes[at] < 128).map_or(place + 1, |at| at + 1);
    let mut varint = Vec::new();
    while value >= 128 {
        varint.push(value as u8 | 128);
        value >>= 7;
    }
    varint.push(value as u8);
    bytes.splice(place..end, varint);
}
