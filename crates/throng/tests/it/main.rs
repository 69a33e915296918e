//! Tests of the library that a game depends on.

mod conformance;
