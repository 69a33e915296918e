//! Writing and reading plain little-endian values: what snapshots and recordings are made of.

use throng_search::TouchedTiles;

/// The bytes are not what was written: cut short, altered, or of another kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("damaged data: {what}, at byte {at}")]
pub struct Damaged {
    /// What was expected there.
    pub what: &'static str,
    /// Where.
    pub at: usize,
}

/// Appends a number in as few bytes as it needs: seven bits a byte, lowest first.
pub fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a length and that many bytes.
pub fn put_bytes(bytes: &mut Vec<u8>, data: &[u8]) {
    put(bytes, data.len() as u64);
    bytes.extend_from_slice(data);
}

/// Appends a number in eight bytes, lowest first.
pub fn put_fixed(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

/// Appends a number that may be negative; small ones need few bytes.
pub fn put_signed(bytes: &mut Vec<u8>, value: i32) {
    let value = i64::from(value);
    put(bytes, (value << 1 ^ value >> 63) as u64);
}

/// Appends the encoding of a value with its length.
pub fn put_state<T: serde::Serialize + ?Sized>(bytes: &mut Vec<u8>, value: &T) {
    let mut encoded = Vec::new();
    crate::state::encode(value, &mut encoded);
    put_bytes(bytes, &encoded);
}

/// Appends which tiles a search has looked at and what they were like.
pub fn put_touched(bytes: &mut Vec<u8>, touched: &TouchedTiles) {
    put(bytes, touched.hash());
    put(bytes, touched.tiles().len() as u64);
    touched.tiles().iter().for_each(|&word| put(bytes, word));
}

/// A checksum of bytes that follow others with the checksum `before`; 0 at the beginning. It finds accidents: whoever
/// alters data on purpose can make it fit again.
pub fn checksum(before: u64, bytes: &[u8]) -> u64 {
    let start = crate::world::hash::number(before ^ bytes.len() as u64);
    bytes.chunks(8).fold(start, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        crate::world::hash::number(sum ^ u64::from_le_bytes(word))
    })
}

/// Reads what [`put`] and [`put_bytes`] wrote.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// From the beginning.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// An error at the place reached.
    pub const fn damaged(&self, what: &'static str) -> Damaged {
        Damaged { what, at: self.at }
    }

    /// The next number.
    ///
    /// # Errors
    /// When the bytes end, or the number has more than 64 bits.
    pub fn number(&mut self, what: &'static str) -> Result<u64, Damaged> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(self.damaged(what))?;
            let part = u64::from(byte & 0x7F);
            if part << shift >> shift != part {
                return Err(self.damaged(what));
            }
            value |= part << shift;
            self.at += 1;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.damaged(what))
    }

    /// The next number, at most `most`.
    ///
    /// # Errors
    /// When the bytes end or the number is larger.
    pub fn number_to(&mut self, most: u64, what: &'static str) -> Result<u64, Damaged> {
        let before = *self;
        let value = self.number(what)?;
        if value > most { Err(before.damaged(what)) } else { Ok(value) }
    }

    /// A length for things of at least one byte each: never more than there are bytes left.
    ///
    /// # Errors
    /// When the bytes end or cannot hold so many.
    pub fn length(&mut self, what: &'static str) -> Result<usize, Damaged> {
        let before = *self;
        let length = self.number(what)? as usize;
        if length > self.bytes.len() - self.at { Err(before.damaged(what)) } else { Ok(length) }
    }

    /// The next bytes, as [`put_bytes`] wrote them.
    ///
    /// # Errors
    /// When the bytes end.
    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], Damaged> {
        let length = self.length(what)?;
        self.raw(length, what)
    }

    /// The next bytes, so many.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn raw(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], Damaged> {
        let rest = &self.bytes[self.at..];
        let data = rest.get(..length).ok_or(self.damaged(what))?;
        self.at += length;
        Ok(data)
    }

    /// The next number, as [`put_fixed`] wrote it.
    ///
    /// # Errors
    /// When the bytes end.
    pub fn fixed(&mut self, what: &'static str) -> Result<u64, Damaged> {
        let bytes = self.raw(8, what)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    /// The next number, as [`put_signed`] wrote it.
    ///
    /// # Errors
    /// When the bytes end or the number does not fit.
    pub fn signed(&mut self, what: &'static str) -> Result<i32, Damaged> {
        let value = self.number_to(u64::from(u32::MAX), what)?;
        Ok((value >> 1) as i32 ^ -((value & 1) as i32))
    }

    /// Reads what [`put_state`] wrote, and checks it.
    ///
    /// # Errors
    /// When the bytes end, or are not the encoding of such a value, or it does not fit the world.
    pub fn state<T: serde::de::DeserializeOwned + crate::Validate>(
        &mut self,
        limits: &crate::Limits,
    ) -> Result<T, crate::StateError> {
        crate::state::decode(self.bytes("saved state")?, limits)
    }

    /// What [`put_touched`] wrote.
    ///
    /// # Errors
    /// When it is not there.
    pub fn touched(&mut self) -> Result<TouchedTiles, Damaged> {
        let hash = self.number("a hash of tiles")?;
        let tiles = (0..self.length("tiles")?).map(|_| self.number("tiles"));
        Ok(TouchedTiles::restored(tiles.collect::<Result<_, _>>()?, hash))
    }

    /// The next number, which says yes or no.
    ///
    /// # Errors
    /// When the bytes end or it is neither 0 nor 1.
    pub fn flag(&mut self, what: &'static str) -> Result<bool, Damaged> {
        Ok(self.number_to(1, what)? == 1)
    }

    /// How many bytes have been read.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Whether everything has been read.
    pub const fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }
}
