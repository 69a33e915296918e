//! Computes checksums again, so that altered bytes behind them are read.

use twox_hash::XxHash3_64;

/// Replaces the last eight bytes by the XXH3 checksum of those before.
pub(crate) fn last_eight(bytes: &[u8]) -> Vec<u8> {
    let Some((body, _)) = bytes.split_last_chunk::<8>() else { return bytes.to_vec() };
    [body, &XxHash3_64::oneshot(body).to_le_bytes()].concat()
}

/// Seals a path database: its header, then the whole.
pub(crate) fn database(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() > 64 {
        let sum = XxHash3_64::oneshot(&bytes[..56]);
        bytes[56..64].copy_from_slice(&sum.to_le_bytes());
    }
    last_eight(&bytes)
}

/// Seals a recording: the snapshot in it, its beginning, and each tick. Bytes that do not look like a recording stay.
pub(crate) fn recording(bytes: &[u8]) -> Vec<u8> {
    sealed_recording(bytes).unwrap_or_else(|| bytes.to_vec())
}

fn sealed_recording(bytes: &[u8]) -> Option<Vec<u8>> {
    let (_, rest) = varint(bytes.get(8..)?)?;
    let (length, rest) = varint(rest)?;
    let begin = bytes.len() - rest.len();
    let (snapshot, mut rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let mut sealed = bytes[..begin].to_vec();
    sealed.extend(throng_crowd::snapshot::reseal(snapshot).ok()?);
    // The length may have changed with the state hash.
    if sealed.len() - begin != snapshot.len() {
        return None;
    }
    let mut sum = XxHash3_64::oneshot_with_seed(0, &sealed);
    sealed.extend(sum.to_le_bytes());
    rest = rest.get(8..)?;
    while let Some((length, after)) = varint(rest) {
        let head = rest.len() - after.len();
        let count =
            if length == 0 { after.len() - varint(after)?.1.len() } else { usize::try_from(length).ok()? };
        let Some((content, after)) = after.split_at_checked(count) else { break };
        sealed.extend(&rest[..head]);
        sealed.extend(content);
        sum = XxHash3_64::oneshot_with_seed(sum, content);
        sealed.extend(sum.to_le_bytes());
        rest = after.get(8..).unwrap_or_default();
    }
    Some(sealed)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 127).checked_shl(7 * at as u32)?;
        if byte < 128 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

/// A journal with two entries: a started run and a finished one without values.
pub(crate) fn empty_journal() -> Vec<u8> {
    let mut bytes = b"THJ\n".to_vec();
    bytes.extend(throng_lab::columns::SCHEMA_VERSION.to_le_bytes());
    for entry in [&b"\x00\x04abcd"[..], &b"\x01\x01\x06agents\x01\x0a\x00"[..], &b"\x01\x00\x00"[..]] {
        bytes.extend((entry.len() as u32).to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(entry);
    }
    journal(&bytes)
}

/// Seals the entries of a journal.
pub(crate) fn journal(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let Some(body) = bytes.get(at + 12..).and_then(|rest| rest.get(..length)) else { break };
        let sum = journal_sum(body);
        bytes[at + 4..at + 12].copy_from_slice(&sum.to_le_bytes());
        at += 12 + length;
    }
    bytes
}

/// The checksum of the laboratory: the finalizer of `SplitMix64`, chained over words of eight bytes.
fn journal_sum(bytes: &[u8]) -> u64 {
    let finalize = |mut z: u64| {
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    bytes.chunks(8).fold(finalize(bytes.len() as u64), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        finalize(hash ^ u64::from_le_bytes(word))
    })
}
