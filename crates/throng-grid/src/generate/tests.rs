//! Properties of every generator.

use super::*;
use crate::{Grid, MoveRules, Terrain};

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).unwrap()
}

/// Returns the number of free cells and the size of the largest component under straight steps.
fn free_and_largest(tiles: Tiles) -> (usize, usize) {
    let grid = Grid::new(tiles, MoveRules::FOUR_WAY);
    let largest = grid.ground().components().sizes().iter().max().copied().unwrap_or(0);
    (grid.ground().free_count(), largest as usize)
}

/// Returns the minimum, maximum and default value.
fn range(parameter: &Parameter) -> (u64, u64, u64) {
    let Kind::Integer { min, max, default } = parameter.kind else {
        panic!("{} is not a whole number", parameter.name)
    };
    (min, max, default)
}

#[test]
fn generator_and_parameter_names_are_unique_and_defaults_in_range() {
    for generator in GENERATORS {
        assert_eq!(GENERATORS.iter().filter(|other| other.name == generator.name).count(), 1);
        for parameter in generator.parameters {
            let same = generator.parameters.iter().filter(|other| other.name == parameter.name);
            assert_eq!(same.count(), 1);
            let (min, max, default) = range(parameter);
            assert!((min..=max).contains(&default) && min < max, "{}", parameter.name);
        }
    }
}

#[test]
fn every_size_is_generated_or_rejected() {
    let sides = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 23, 40];
    for generator in GENERATORS {
        for width in sides {
            for height in sides {
                let generated = generate(generator.name, size(width, height), 5);
                let fits = width.min(height) >= generator.min_side;
                assert_eq!(generated.is_ok(), fits, "{} {width}×{height}", generator.name);
                let Ok(tiles) = generated else { continue };
                let (free, largest) = free_and_largest(tiles);
                if generator.name != "random" {
                    assert!(largest > 0 && largest == free, "{} {width}×{height}", generator.name);
                }
            }
        }
    }
}

#[test]
fn the_extremes_of_every_parameter_give_connected_maps() {
    for generator in GENERATORS {
        for parameter in generator.parameters {
            let (min, max, _) = range(parameter);
            for value in [min, max] {
                let min_side = generator.min_side;
                for (width, height) in
                    [(16.max(min_side), 16.max(min_side)), (70, 41), (300, 9.max(min_side))]
                {
                    let text = format!("{}:{}={value}", generator.name, parameter.name);
                    let tiles = generate(&text, size(width, height), 11).unwrap();
                    let (free, largest) = free_and_largest(tiles);
                    let connected = free > 0 && free == largest;
                    assert!(generator.name == "random" || connected, "{text} {width}×{height}");
                }
            }
        }
    }
}

#[test]
fn a_seed_determines_the_map() {
    for generator in GENERATORS {
        let make = |seed| generate(generator.name, size(64, 64), seed).unwrap();
        assert_eq!(make(1), make(1));
        // A warehouse without missing blocks has no random choice.
        assert_eq!(make(1) == make(2), generator.name == "warehouse", "{}", generator.name);
    }
}

#[test]
fn random_walls_match_their_percentage() {
    let tiles = generate("random:walls=30", size(300, 300), 1).unwrap();
    let walls = tiles.terrain().iter().filter(|&&terrain| terrain == Terrain::Wall).count();
    assert!((26_000..28_000).contains(&walls), "{walls} of 90000");
}

#[test]
fn errors_name_the_mistake() {
    let message = |text: &str, side| generate(text, size(side, side), 0).unwrap_err().to_string();
    assert_eq!(message("cave", 9), "there is no generator `cave`: did you mean `caves`?");
    assert_eq!(
        message("caves:tunnels=1", 9),
        "`caves` has no parameter `tunnels`: did you mean `tunnel`? (it has walls, steps, tunnel)"
    );
    assert_eq!(
        message("random:walls=101", 9),
        "`101` is not a value of parameter `walls` of `random`: expected 0 to 100"
    );
    assert_eq!(message("maze", 2), "generator `maze` needs sides of at least 3 cells, not 2×2");
}
