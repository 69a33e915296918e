//! `throng map info`: describes a map.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::Grid;
use throng::grid::regions::{Region, Regions};

use crate::output::{fields, print_either, thousands};
use crate::rules::{Rules, terrain_name};
use crate::source;

/// The arguments of `throng map info`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    map: String,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    rules: Rules,
}

/// The description of a map.
#[derive(Debug, Serialize)]
struct MapReport<'a> {
    map: &'a str,
    width: u32,
    height: u32,
    cells: usize,
    free_cells: usize,
    components: usize,
    /// Number of cells of the largest component.
    largest_component: u32,
    /// Number of cells per terrain; absent terrain is left out.
    terrain: BTreeMap<String, usize>,
    regions: RegionCounts,
    /// Hash of the map, its rules and its profile.
    fingerprint: String,
}

/// Number of cells per kind of narrow region.
#[derive(Debug, Serialize)]
struct RegionCounts {
    corridor_cells: usize,
    dead_ends: usize,
    dead_end_cells: usize,
    chokepoints: usize,
    articulation_cells: usize,
}

/// `throng map info`.
pub(super) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let report = MapReport::new(&arguments.map, &grid);
    print_either(json, &report, || report.text(arguments.rules))
}

impl<'a> MapReport<'a> {
    fn new(map: &'a str, grid: &Grid) -> Self {
        let (ground, size) = (grid.ground(), grid.size());
        let components = ground.components();
        let regions = Regions::of(ground);
        let mut terrain = BTreeMap::new();
        for &class in grid.tiles().terrain() {
            *terrain.entry(class).or_default() += 1;
        }
        Self {
            map,
            width: size.width(),
            height: size.height(),
            cells: size.area(),
            free_cells: ground.free_count(),
            components: components.count(),
            largest_component: components.sizes().iter().copied().max().unwrap_or(0),
            terrain: terrain.into_iter().map(|(class, count)| (terrain_name(class), count)).collect(),
            regions: RegionCounts {
                corridor_cells: regions.count(Region::Corridor),
                dead_ends: regions.count(Region::DeadEnd),
                dead_end_cells: regions.count(Region::InDeadEnd),
                chokepoints: regions.count(Region::Chokepoint),
                articulation_cells: regions.count(Region::Articulation),
            },
            fingerprint: format!("{:016x}", ground.fingerprint()),
        }
    }

    /// Returns the description as text.
    fn text(&self, rules: Rules) -> String {
        let number = |count: usize| thousands(count as u64);
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let free = self.free_cells;
        let largest = self.largest_component as usize;
        let mut terrain: Vec<_> = self.terrain.iter().collect();
        terrain.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
        let terrain: Vec<_> =
            terrain.iter().map(|&(name, &count)| format!("{name} {}", number(count))).collect();
        let narrow = &self.regions;
        let title = format!("{} ({rules})\n\n", self.map);
        title
            + &fields(&[
                ("size", format!("{}×{}, {} cells", self.width, self.height, number(self.cells))),
                ("free cells", format!("{} ({:.1} %)", number(free), percent(free, self.cells))),
                ("components", number(self.components)),
                (
                    "largest component",
                    format!("{} ({:.1} % of the free cells)", number(largest), percent(largest, free)),
                ),
                ("terrain", terrain.join(", ")),
                ("corridor cells", number(narrow.corridor_cells)),
                ("dead ends", number(narrow.dead_ends)),
                (
                    "dead-end cells",
                    format!("{} (they lead to dead ends only)", number(narrow.dead_end_cells)),
                ),
                ("chokepoints", number(narrow.chokepoints)),
                (
                    "articulation points",
                    format!("{} (blocking one splits its component)", number(narrow.articulation_cells)),
                ),
                ("fingerprint", self.fingerprint.clone()),
            ])
    }
}
