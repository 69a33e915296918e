//! The caller's memory. A pointer is checked before anything else happens; entries are then copied one by one, without
//! references to the caller's memory, so that arrays may overlap.

use std::ffi::c_char;
use std::marker::PhantomData;

use crate::status::{Failure, Outcome, ThrongStatus};
use crate::types::Plain;

/// The longest text that is read without a length.
pub(crate) const MAX_TEXT: usize = 4_096;

/// Checks the pointers of an exported function, and binds each to its name. It is the only way in which exported functions
/// use the caller's memory, and only they may use it.
macro_rules! pointers {
    ($($name:ident = $check:ident($($argument:expr),+);)+) => {
        $(
            // SAFETY: the exported functions are `unsafe`, and their callers keep the contract that the crate states: a pointer is
            // null or valid for the number of entries that is passed with it until the function returns, and no other thread
            // writes there meanwhile.
            let $name = unsafe { $crate::memory::$check($($argument),+) }?;
        )+
    };
}
pub(crate) use pointers;

/// Entries that the caller gives.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a, T> {
    start: *const T,
    count: usize,
    memory: PhantomData<&'a T>,
}

/// Room for entries that the caller gets.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a, T> {
    /// Null if the caller does not want the entries.
    start: *mut T,
    capacity: usize,
    memory: PhantomData<&'a mut T>,
}

/// Checks an array that the caller gives. An empty one may be null.
///
/// # Safety
/// Unless the pointer is null, `count` entries can be read there during `'a`.
pub(crate) unsafe fn input<'a, T: Plain>(start: *const T, count: usize) -> Outcome<Input<'a, T>> {
    check(start, count)?;
    Ok(Input { start, count, memory: PhantomData })
}

/// Checks room for an array that the caller gets. It may be null if the capacity is 0.
///
/// # Safety
/// Unless the pointer is null, `capacity` entries can be written there during `'a`.
pub(crate) unsafe fn output<'a, T: Copy>(start: *mut T, capacity: usize) -> Outcome<Output<'a, T>> {
    check(start, capacity)?;
    Ok(Output { start, capacity, memory: PhantomData })
}

/// Checks room for an array that the caller may do without: null stands for no array, whatever the capacity.
///
/// # Safety
/// Unless the pointer is null, `capacity` entries can be written there during `'a`.
pub(crate) unsafe fn optional<'a, T: Copy>(start: *mut T, capacity: usize) -> Outcome<Output<'a, T>> {
    if start.is_null() {
        return Ok(Output { start, capacity: 0, memory: PhantomData });
    }
    // SAFETY: the caller promises the same.
    unsafe { output(start, capacity) }
}

/// Checks room for one value.
///
/// # Safety
/// Unless the pointer is null, a value can be written there during `'a`.
pub(crate) unsafe fn place<'a, T: Copy>(start: *mut T) -> Outcome<Output<'a, T>> {
    // SAFETY: the caller promises the same for one entry.
    unsafe { output(start, 1) }
}

/// Reads one value.
///
/// # Safety
/// Unless the pointer is null, a value can be read there.
pub(crate) unsafe fn value<T: Plain>(start: *const T) -> Outcome<T> {
    check(start, 1)?;
    // SAFETY: the pointer is neither null nor misaligned, the caller promises that a value can be read there, and `Plain`
    // that any bytes are one.
    Ok(unsafe { start.read() })
}

/// Reads a text that ends with a zero byte.
///
/// # Safety
/// Unless the pointer is null, bytes can be read there up to the first zero, or [`MAX_TEXT`] of them.
pub(crate) unsafe fn text(start: *const c_char) -> Outcome<String> {
    check(start, 1)?;
    let mut bytes = Vec::new();
    while bytes.len() < MAX_TEXT {
        let at = start.wrapping_add(bytes.len());
        // SAFETY: no byte before this one is zero and fewer than `MAX_TEXT` were read, so the caller promises that it can
        // be read.
        match unsafe { at.read() } as u8 {
            0 => {
                let invalid = |_| Failure::new(ThrongStatus::InvalidText, "the text is not UTF-8");
                return String::from_utf8(bytes).map_err(invalid);
            }
            byte => bytes.push(byte),
        }
    }
    let message = format!("the text has no end within {MAX_TEXT} bytes");
    Err(Failure::new(ThrongStatus::InvalidText, message))
}

/// Checks that a pointer can be one to this many values.
fn check<T>(start: *const T, count: usize) -> Outcome {
    if count == 0 {
        return Ok(());
    }
    if start.is_null() {
        return Err(Failure::new(ThrongStatus::NullPointer, "a pointer is null"));
    }
    if !start.is_aligned() {
        let message = format!("a pointer is not aligned to {} bytes", align_of::<T>());
        return Err(Failure::new(ThrongStatus::Misaligned, message));
    }
    let is_too_large =
        |size: &usize| *size > isize::MAX as usize || (start as usize).checked_add(*size).is_none();
    if count.checked_mul(size_of::<T>()).as_ref().is_none_or(is_too_large) {
        let message = format!("an array of {count} entries is larger than the address space");
        return Err(Failure::new(ThrongStatus::WrongSize, message));
    }
    Ok(())
}

impl<T: Plain> Input<'_, T> {
    /// Returns the number of entries.
    pub(crate) fn len(self) -> usize {
        self.count
    }

    /// Returns copies of the entries.
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = T> {
        (0..self.count).map(move |i| {
            // SAFETY: `i` is below the count for which `input` was promised and has checked the array, and `Plain` promises
            // that any bytes are a value.
            unsafe { self.start.wrapping_add(i).read() }
        })
    }

    /// Returns copies of the entries.
    pub(crate) fn to_vec(self) -> Vec<T> {
        self.iter().collect()
    }
}

impl<T: Copy> Output<'_, T> {
    /// Writes an entry. One beyond the capacity is left out.
    pub(crate) fn set(self, i: usize, value: T) {
        if i < self.capacity {
            // SAFETY: `i` is below the capacity for which `output` was promised and has checked the array.
            unsafe { self.start.wrapping_add(i).write(value) };
        }
    }

    /// Returns the number of entries that fit.
    pub(crate) fn capacity(self) -> usize {
        self.capacity
    }

    /// Writes as many entries as fit and the number of all to `count`. Fails if they do not fit.
    pub(crate) fn fill(self, entries: impl IntoIterator<Item = T>, count: Output<'_, usize>) -> Outcome {
        let mut total = 0;
        for (i, entry) in entries.into_iter().enumerate() {
            self.set(i, entry);
            total = i + 1;
        }
        count.set(0, total);
        self.has_room_for(total)
    }

    /// Fails if this many entries do not fit.
    pub(crate) fn has_room_for(self, count: usize) -> Outcome {
        if count <= self.capacity {
            return Ok(());
        }
        let message = format!("there are {count} entries, and the array has room for {}", self.capacity);
        Err(Failure::new(ThrongStatus::BufferTooSmall, message))
    }
}

impl Output<'_, c_char> {
    /// Writes a text and a zero byte, cut if it does not fit, and its length without the zero byte to `length`.
    pub(crate) fn fill_text(self, text: &str, length: Output<'_, usize>) -> Outcome {
        let end = text.len().min(self.capacity.saturating_sub(1));
        for (i, byte) in text.bytes().take(end).chain([0]).enumerate() {
            self.set(i, byte as c_char);
        }
        length.set(0, text.len());
        self.has_room_for(text.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ThrongStatus::{BufferTooSmall, InvalidText, Misaligned, NullPointer, WrongSize};

    fn status<T>(outcome: Outcome<T>) -> Option<ThrongStatus> {
        outcome.err().map(|failure| failure.status)
    }

    fn checked(start: *const u64, count: usize) -> Option<ThrongStatus> {
        // SAFETY: the tests pass arrays of this size, or pointers that are refused before they are used.
        status(unsafe { input(start, count) })
    }

    fn room<T: Copy>(array: &mut [T]) -> Output<'_, T> {
        // SAFETY: pointer and capacity are those of one array.
        unsafe { output(array.as_mut_ptr(), array.len()) }.unwrap()
    }

    #[test]
    fn pointers_are_checked() {
        let numbers = [1_u64, 2, 3];
        let null = std::ptr::null();
        assert_eq!([checked(numbers.as_ptr(), 3), checked(null, 0)], [None; 2]);
        assert_eq!(checked(null, 1), Some(NullPointer));
        assert_eq!(checked(numbers.as_ptr().wrapping_byte_add(1), 1), Some(Misaligned));
        for count in [usize::MAX, usize::MAX / 8, usize::MAX / 15] {
            assert_eq!(checked(numbers.as_ptr(), count), Some(WrongSize));
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let (mut numbers, mut count) = ([0_u32; 2], [0]);
        let filled = room(&mut numbers).fill([7, 8, 9], room(&mut count));
        assert_eq!((status(filled), numbers, count), (Some(BufferTooSmall), [7, 8], [3]));
    }

    #[test]
    fn texts_end_with_zero() {
        let mut long = vec![b'a'; MAX_TEXT];
        // SAFETY: each text has a zero byte or `MAX_TEXT` bytes.
        let read = |bytes: &[u8]| unsafe { text(bytes.as_ptr().cast()) };
        assert_eq!(read(b"surge\0").unwrap(), "surge");
        assert_eq!([status(read(&long)), status(read(b"\xff\0"))], [Some(InvalidText); 2]);
        long[MAX_TEXT - 1] = 0;
        assert_eq!(read(&long).unwrap().len(), MAX_TEXT - 1);
        let (mut letters, mut length) = ([1; 4], [0]);
        let filled = room::<c_char>(&mut letters).fill_text("four", room(&mut length));
        assert_eq!((status(filled), length), (Some(BufferTooSmall), [4]));
        assert_eq!(letters.map(|c| c as u8), *b"fou\0");
    }
}
