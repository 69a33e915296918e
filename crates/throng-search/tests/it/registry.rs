//! The registry is complete and consistent, and its errors are helpful.

use throng_grid::{Cell, Corners, Grid, MoveRules, Profile, Tiles};
use throng_search::{SEARCHES, Unsupported, search};

#[test]
fn every_search_is_listed_once_and_can_be_created_by_name() {
    for (i, info) in SEARCHES.iter().enumerate() {
        assert!(SEARCHES[..i].iter().all(|earlier| earlier.name != info.name), "{} twice", info.name);
        assert_eq!(search(info.name).unwrap().info().name, info.name);
        assert!(!info.summary.is_empty() && !info.idea.is_empty() && !info.reference.is_empty());
        for parameter in info.parameters {
            let text = format!("{}:{}={}", info.name, parameter.name, parameter.kind.default_text());
            assert!(search(&text).is_ok(), "{text}");
        }
    }
}

/// Each source file that describes a search is in the registry.
#[test]
fn every_described_search_is_registered() {
    fn described(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let count = |path: std::path::PathBuf| {
            if path.is_dir() {
                return described(&path);
            }
            usize::from(std::fs::read_to_string(path).unwrap().contains("const INFO: SearchInfo"))
        };
        entries.map(count).sum()
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(described(&folder), SEARCHES.len());
}

#[test]
fn unknown_names_and_values_are_refused_with_advice() {
    let message = |text: &str| search(text).unwrap_err().to_string();
    assert_eq!(message("asatr"), "there is no search `asatr`: did you mean `astar`?");
    assert_eq!(
        message("wastar:wieght=2"),
        "`wastar` has no parameter `wieght`: did you mean `weight`? (it has weight)"
    );
    assert_eq!(
        message("wastar:weight=0.5"),
        "`0.5` is not a value of parameter `weight` of `wastar`: expected 1 to 100"
    );
    assert_eq!(message("jps:"), "there is no search `jps:`: did you mean `jps`?");
    assert_eq!(message("jps:fast=1"), "`jps` has no parameter `fast` (it has none)");
}

#[test]
fn unsupported_grounds_are_refused() {
    let tiles = Tiles::picture("..\n..");
    let mut jps = search("jps").unwrap();
    let mut path = Vec::new();
    let mut find =
        |grid: &Grid| jps.find(grid.ground(), Cell(0), Cell(3), &mut path).map(|result| result.cost);
    let mixed = Grid::new(tiles.clone(), MoveRules::eight_way(Corners::Mixed));
    let refused = Unsupported::Corners { search: "jps", corners: Corners::Mixed };
    assert_eq!(refused.to_string(), "`jps` does not support the corner rule `mixed`");
    assert_eq!(find(&mixed), Err(refused));
    let four = Grid::new(tiles.clone(), MoveRules::FOUR_WAY);
    assert_eq!(find(&four), Err(Unsupported::FourWay { search: "jps" }));
    let weighted = Grid::with_profile(tiles.clone(), MoveRules::default(), Profile::WC3);
    assert_eq!(find(&weighted), Err(Unsupported::Terrain { search: "jps" }));
    assert_eq!(find(&Grid::new(tiles, MoveRules::default())), Ok(Some(2308)));
}
