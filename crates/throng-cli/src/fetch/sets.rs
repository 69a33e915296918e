//! The map sets of <https://movingai.com/benchmarks> and their archives.

/// Base address of the sets.
pub(crate) const BASE: &str = "https://movingai.com/benchmarks";

/// One set of maps and scenario files.
#[derive(Debug)]
pub(super) struct MapSet {
    /// The set's name, which is also its folder in the data folder.
    pub(super) name: &'static str,
    /// The set's folder below [`BASE`], which is also the first part of the names of its archives.
    pub(super) folder: &'static str,
    /// Contents in one line.
    pub(super) summary: &'static str,
    /// The last parts of the names of the archives.
    archives: &'static [&'static str],
    /// Subfolder for the scenario files; empty if they are stored beside the maps.
    pub(super) scenarios: &'static str,
}

impl MapSet {
    /// Returns the names of the archives in the set's folder.
    pub(super) fn archives(&self) -> impl Iterator<Item = String> {
        self.archives.iter().map(|kind| format!("{}-{kind}.zip", self.folder))
    }
}

/// Returns a set with one archive of maps and one of scenario files, which are stored beside the maps.
const fn grids(name: &'static str, folder: &'static str, summary: &'static str) -> MapSet {
    MapSet { name, folder, summary, archives: &["map", "scen"], scenarios: "" }
}

/// All sets.
const SETS: &[MapSet] = &[
    grids("bg", "bgmaps", "Baldur's Gate II, original size"),
    grids("bg512", "bg512", "Baldur's Gate II, scaled to 512×512"),
    grids("dao", "dao", "Dragon Age: Origins"),
    grids("da2", "da2", "Dragon Age 2"),
    grids("wc3", "wc3maps512", "WarCraft III, 512×512"),
    grids("sc1", "sc1", "StarCraft"),
    grids("rooms", "room", "rooms of 8 to 64 cells, 512×512"),
    grids("mazes", "maze", "mazes with corridors of 1 to 32 cells, 512×512"),
    grids("random", "random", "10 to 40 percent random walls, 512×512"),
    grids("street", "street", "streets of real cities"),
    MapSet {
        archives: &["map", "scen-random", "scen-even"],
        // Each map has fifty scenario files, which would hide the maps.
        scenarios: "scen",
        ..grids("mapf", "mapf", "the multi-agent benchmark of Stern et al. 2019")
    },
];

/// Returns the names of all sets.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|set| set.name)
}

/// Returns the name and the summary of every set.
pub(crate) fn sets() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETS.iter().map(|set| (set.name, set.summary))
}

/// Returns the set with this name.
pub(super) fn find(name: &str) -> Option<&'static MapSet> {
    SETS.iter().find(|set| set.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_archives_are_unique() {
        // Archives of all sets are downloaded into one folder.
        let archives: Vec<_> = SETS.iter().flat_map(MapSet::archives).collect();
        assert_eq!(archives.iter().collect::<BTreeSet<_>>().len(), archives.len());
        assert_eq!(names().collect::<BTreeSet<_>>().len(), SETS.len());
    }
}
