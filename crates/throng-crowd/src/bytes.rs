//! Writing and reading plain little-endian values: what snapshots and recordings are made of.

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
        let data = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(data)
    }

    /// Whether everything has been read.
    pub const fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }
}
