//! Memory of exactly the size that a call is allowed to use, so that a sanitizer sees every byte beyond it.

use std::alloc::{Layout, alloc_zeroed, dealloc};

/// The alignment of every buffer: at least that of all structures.
const ALIGNMENT: usize = 8;

/// A block of memory of its own.
#[derive(Debug)]
pub(crate) struct Buffer {
    start: *mut u8,
    layout: Layout,
}

impl Buffer {
    /// Allocates zeros.
    pub(crate) fn zeroed(size: usize) -> Self {
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).unwrap();
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        assert!(!start.is_null(), "out of memory");
        Self { start, layout }
    }

    /// Allocates a copy of bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Self {
        let buffer = Self::zeroed(bytes.len());
        // SAFETY: the buffer has at least this size, and it is new.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.start, bytes.len()) };
        buffer
    }

    /// Allocates a copy of values.
    pub(crate) fn of<T: Copy>(values: &[T]) -> Self {
        let buffer = Self::zeroed(size_of_val(values));
        // SAFETY: the buffer has this size and is aligned for every structure, and it is new.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), buffer.start.cast(), values.len()) };
        buffer
    }

    pub(crate) fn address(&self) -> u64 {
        self.start as u64
    }

    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Returns what is in it.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the memory has this size and lives as long as the buffer. It was zeroed, and what was copied into it has no
        // padding: the structures of the C ABI have none.
        unsafe { std::slice::from_raw_parts(self.start, self.layout.size()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout and is freed once.
        unsafe { dealloc(self.start, self.layout) };
    }
}
