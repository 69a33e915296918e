//! "Did you mean …": the known name nearest to a mistyped one.

/// The known name with the fewest edits (insertions, deletions, replacements, swaps of neighbours), the first
/// among equals; empty when nothing is known.
pub(crate) fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> &'static str {
    known.into_iter().min_by_key(|candidate| strsim::osa_distance(name, candidate)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_nearest_name_is_found() {
        assert_eq!(super::nearest("maez", ["rooms", "maze", "caves"]), "maze");
        assert_eq!(super::nearest("x", []), "");
    }
}
