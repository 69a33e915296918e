//! What holds for every generator.

use super::*;
use crate::{Grid, MoveRules, Terrain};

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).unwrap()
}

/// Free cells, and those of the largest part, by straight steps only.
fn free_and_largest(tiles: Tiles) -> (usize, usize) {
    let grid = Grid::new(tiles, MoveRules::FOUR_WAY);
    let largest = grid.ground().components().sizes().iter().max().copied().unwrap_or(0);
    (grid.ground().free_count(), largest as usize)
}

#[test]
fn the_table_is_in_order() {
    for generator in GENERATORS {
        assert_eq!(GENERATORS.iter().filter(|other| other.name == generator.name).count(), 1);
        for parameter in generator.parameters {
            let same = generator.parameters.iter().filter(|other| other.name == parameter.name);
            assert_eq!(same.count(), 1);
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert!(parameter.min < parameter.max);
        }
    }
}

#[test]
fn every_size_from_one_cell_on_is_made_or_refused() {
    let sides = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 23, 40];
    for generator in GENERATORS {
        for width in sides {
            for height in sides {
                let made = generate(generator.name, size(width, height), 5, &[]);
                let fits = width.min(height) >= generator.least_side;
                assert_eq!(made.is_ok(), fits, "{} {width}×{height}", generator.name);
                let Ok(tiles) = made else { continue };
                let (free, largest) = free_and_largest(tiles);
                if generator.name != "random" {
                    assert!(largest > 0 && largest == free, "{} {width}×{height}", generator.name);
                }
            }
        }
    }
}

#[test]
fn every_extreme_of_every_parameter_works() {
    for generator in GENERATORS {
        for parameter in generator.parameters {
            for value in [parameter.min, parameter.max] {
                let least = generator.least_side;
                for (width, height) in [(16.max(least), 16.max(least)), (70, 41), (300, 9.max(least))] {
                    let given = [(parameter.name, value)];
                    let tiles = generate(generator.name, size(width, height), 11, &given).unwrap();
                    let (free, largest) = free_and_largest(tiles);
                    let what = format!("{} {} {value} {width}×{height}", generator.name, parameter.name);
                    assert!(generator.name == "random" || (free > 0 && free == largest), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_seed_is_a_map() {
    for generator in GENERATORS {
        let make = |seed| generate(generator.name, size(64, 64), seed, &[]).unwrap();
        assert_eq!(make(1), make(1));
        // A complete warehouse has nothing to choose.
        assert_eq!(make(1) == make(2), generator.name == "warehouse", "{}", generator.name);
    }
}

#[test]
fn walls_come_at_their_percentage() {
    let tiles = generate("random", size(300, 300), 1, &[("walls", 30)]).unwrap();
    let walls = tiles.terrain().iter().filter(|&&terrain| terrain == Terrain::Wall).count();
    assert!((26_000..28_000).contains(&walls), "{walls} of 90000");
}

#[test]
fn mistakes_are_named() {
    let message = |kind: &str, side, parameters: &[(&str, u32)]| {
        generate(kind, size(side, side), 0, parameters).unwrap_err().to_string()
    };
    assert_eq!(message("cave", 9, &[]), "unknown generator `cave`; the nearest is `caves`");
    assert_eq!(
        message("caves", 9, &[("tunnels", 1)]),
        "generator `caves` has no parameter `tunnels`; the nearest is `tunnel`"
    );
    assert_eq!(
        message("random", 9, &[("walls", 101)]),
        "`walls` of generator `random` is 101, but must lie between 0 and 100"
    );
    assert_eq!(message("maze", 2, &[]), "generator `maze` needs sides of at least 3 cells, not 2×2");
}
