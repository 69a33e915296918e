//! Scratch memory: what is reused from call to call, and says nothing about the state.

use std::ops::{Deref, DerefMut};

/// Scratch memory of a value that is copied. The copy begins with none.
#[derive(Debug, Default)]
pub struct Scratch<T>(T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> From<T> for Scratch<T> {
    fn from(scratch: T) -> Self {
        Self(scratch)
    }
}

impl<T> Deref for Scratch<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
