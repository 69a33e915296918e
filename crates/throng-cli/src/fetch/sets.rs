//! The map sets of <https://movingai.com/benchmarks> and their archives.

/// Base address of the sets.
pub(crate) const BASE: &str = "https://movingai.com/benchmarks";

/// One set of maps and scenario files.
#[derive(Debug)]
pub(super) struct MapSet {
    /// The set's name, which is also its folder in the data folder.
    pub(super) name: &'static str,
    /// Contents in one line.
    pub(super) summary: &'static str,
    /// The set's folder below [`BASE`].
    pub(super) folder: &'static str,
    /// The archives in that folder.
    pub(super) archives: &'static [&'static str],
    /// Subfolder for the scenario files; empty if they are stored beside the maps.
    pub(super) scenarios: &'static str,
}

/// Returns a set whose scenario files are stored beside the maps.
const fn grids(
    name: &'static str,
    folder: &'static str,
    archives: &'static [&'static str],
    summary: &'static str,
) -> MapSet {
    MapSet { name, summary, folder, archives, scenarios: "" }
}

/// All sets.
const SETS: &[MapSet] = &[
    grids("bg", "bgmaps", &["bgmaps-map.zip", "bgmaps-scen.zip"], "Baldur's Gate II, original size"),
    grids("bg512", "bg512", &["bg512-map.zip", "bg512-scen.zip"], "Baldur's Gate II, scaled to 512×512"),
    grids("dao", "dao", &["dao-map.zip", "dao-scen.zip"], "Dragon Age: Origins"),
    grids("da2", "da2", &["da2-map.zip", "da2-scen.zip"], "Dragon Age 2"),
    grids("wc3", "wc3maps512", &["wc3maps512-map.zip", "wc3maps512-scen.zip"], "WarCraft III, 512×512"),
    grids("sc1", "sc1", &["sc1-map.zip", "sc1-scen.zip"], "StarCraft"),
    grids("rooms", "room", &["room-map.zip", "room-scen.zip"], "rooms of 8 to 64 cells, 512×512"),
    grids(
        "mazes",
        "maze",
        &["maze-map.zip", "maze-scen.zip"],
        "mazes with corridors of 1 to 32 cells, 512×512",
    ),
    grids(
        "random",
        "random",
        &["random-map.zip", "random-scen.zip"],
        "10 to 40 percent random walls, 512×512",
    ),
    grids("street", "street", &["street-map.zip", "street-scen.zip"], "streets of real cities"),
    MapSet {
        name: "mapf",
        summary: "the multi-agent benchmark of Stern et al. 2019",
        folder: "mapf",
        archives: &["mapf-map.zip", "mapf-scen-random.zip", "mapf-scen-even.zip"],
        // Each map has fifty scenario files, which would hide the maps.
        scenarios: "scen",
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
        let archives: Vec<_> = SETS.iter().flat_map(|set| set.archives).collect();
        assert_eq!(archives.iter().collect::<BTreeSet<_>>().len(), archives.len());
        assert_eq!(names().collect::<BTreeSet<_>>().len(), SETS.len());
    }
}
