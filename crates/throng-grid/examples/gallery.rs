//! Draws every built-in map, plain and with its chokepoints tinted:
//! `cargo run --release -p throng-grid --example gallery --features render -- DIRECTORY`.

use std::path::PathBuf;
use std::time::Instant;

use throng_grid::builtin::BUILTINS;
use throng_grid::regions::{Region, Regions};
use throng_grid::render::Picture;
use throng_grid::{Cell, Grid, MoveRules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("usage: gallery DIRECTORY")?);
    for builtin in BUILTINS {
        let start = Instant::now();
        let tiles = builtin.tiles();
        let generation = start.elapsed();
        let grid = Grid::new(tiles, MoveRules::default());

        let start = Instant::now();
        let regions = Regions::of(grid.ground());
        let analysis = start.elapsed();
        let chokepoints: Vec<Cell> =
            grid.size().cells().filter(|&cell| regions.is(cell, Region::Chokepoint)).collect();

        let start = Instant::now();
        let picture = Picture::of_grid(&grid);
        std::fs::write(directory.join(format!("maps-{}.png", builtin.name)), picture.png()?)?;
        let drawing = start.elapsed();
        let tinted = picture.expanded(&chokepoints).png()?;
        std::fs::write(directory.join(format!("maps-{}-chokepoints.png", builtin.name)), tinted)?;

        println!(
            "{:16} generated in {generation:.1?}, regions in {analysis:.1?}, drawn in {drawing:.1?}",
            builtin.name
        );
        println!("{:16} {} free cells, {} in chokepoints", "", grid.ground().free_count(), chokepoints.len());
    }
    Ok(())
}
