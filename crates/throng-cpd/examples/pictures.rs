//! Draws the nodes that searches expand on changed maps, like figures 5, 10 and 11 of E. Shi, *Dynamic Pathfinding in
//! Video Games*: on an open map, and where a passage is closed.
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

/// Name, generator and perturbation of each scene.
const SCENES: [(&str, &str, Perturbation); 2] =
    [("open", "town", Perturbation::Exp1), ("closed", "maze:corridor=6,loops=20", Perturbation::Exp2)];

/// The ends of the path; the nearest free cells are used.
const ENDS: [Pos; 2] = [Pos::new(6, 80), Pos::new(86, 14)];

/// The searches, and the names of their pictures. The report's are `cpd-search`, `cpd-focal` and `cpd-published`.
const SEARCHES: [(&str, &str); 6] = [
    ("astar", "astar"),
    ("cpd-search", "cpd-search"),
    ("cpd-focal", "cpd-focal:pull=all"),
    ("cpd-published", "cpd-branching:same=cell,look=off,walks=full"),
    ("cpd-branching", "cpd-branching"),
    ("cpd-near", "cpd-near"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("missing argument: the output directory")?);
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
        let perturbed = perturbation.apply(&mut grid, (from, to), &mut shortest)?.ok_or("no path")?;
        let after = perturbed.after.ok_or("no path is left")?;
        println!(
            "{scene}: {} discs, {:.3} times the cost",
            perturbed.discs(),
            f64::from(after) / f64::from(perturbed.before)
        );
        for (name, text) in SEARCHES {
            let mut search = any_search(text, Some(&cpd))?;
            let mut path = Vec::new();
            let answer = search.find(grid.ground(), from, to, &mut path)?;
            let expanded: Vec<Cell> = search.expanded().iter().map(|&cell| Cell(cell)).collect();
            let picture = Picture::of_grid(&grid).expanded(&expanded).path(&path).scale(4);
            std::fs::write(directory.join(format!("databases-{scene}-{name}.png")), picture.png()?)?;
            println!("  {text}: {} expansions", answer.expansions);
        }
    }
    Ok(())
}
