//! Draws what searches expand on maps that have changed since their database was built, as figures 10 and 11 of E. Shi,
//! *Dynamic Pathfinding in Video Games*, do: in the open, and where a passage is closed.
//!
//! ```sh
//! cargo run --release -p throng-cpd --example pictures -- docs/images
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use throng_cpd::{Cpd, Perturbation, any_search};
use throng_grid::generate::generate;
use throng_grid::render::Picture;
use throng_grid::{Cell, Corners, Grid, MoveRules, Pos, Size};

/// Name, generator and what happens to the map.
const SCENES: [(&str, &str, Perturbation); 2] =
    [("open", "town", Perturbation::Exp1), ("closed", "maze:corridor=6,loops=20", Perturbation::Exp2)];

/// The ends of the way, or the free cells nearest to them.
const ENDS: [Pos; 2] = [Pos::new(6, 80), Pos::new(86, 14)];

const SEARCHES: [&str; 4] = ["astar", "cpd-search", "cpd-branching", "cpd-near"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("which directory?")?);
    for (scene, kind, perturbation) in SCENES {
        let tiles = generate(kind, Size::new(96, 96).ok_or("no size")?, 1)?;
        let mut grid = Grid::new(tiles, MoveRules::eight_way(Corners::Mixed));
        let cpd = Arc::new(Cpd::build(grid.ground()));
        let near = |pos: Pos| {
            let away = |cell: &Cell| {
                let at = grid.size().pos(*cell);
                (at.x - pos.x).pow(2) + (at.y - pos.y).pow(2)
            };
            grid.ground().free_cells().min_by_key(away)
        };
        let (from, to) = (near(ENDS[0]).ok_or("no free cell")?, near(ENDS[1]).ok_or("no free cell")?);
        let mut shortest = throng_search::search("astar")?;
        let perturbed = perturbation.apply(&mut grid, (from, to), &mut shortest)?.ok_or("no way")?;
        let after = perturbed.after.ok_or("no way is left")?;
        println!(
            "{scene}: {} discs, {:.3} times as far",
            perturbed.discs(),
            f64::from(after) / f64::from(perturbed.before)
        );
        for name in SEARCHES {
            let mut finder = any_search(name, Some(&cpd))?;
            let mut path = Vec::new();
            let answer = finder.find(grid.ground(), from, to, &mut path)?;
            let expanded: Vec<Cell> = finder.expanded().iter().map(|&cell| Cell(cell)).collect();
            let picture = Picture::of_grid(&grid).expanded(&expanded).path(&path).scale(4);
            std::fs::write(directory.join(format!("databases-{scene}-{name}.png")), picture.png()?)?;
            println!("  {name}: {} expansions", answer.expansions);
        }
    }
    Ok(())
}
