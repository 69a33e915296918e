//! scratch
use std::sync::Arc;
use throng_cpd::{Cpd, search};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Size, Terrain, Tiles};

#[test]
fn look() {
    for corners in [Corners::Mixed, Corners::Forbid] {
    let size = Size::new(60, 24).unwrap();
    let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::eight_way(corners));
    let cpd = Arc::new(Cpd::build(grid.ground()));
    grid.block(Area::disc(Pos::new(44, 11), 4));
    let (from, to) = (grid.cell(Pos::new(2, 10)).unwrap(), grid.cell(Pos::new(57, 13)).unwrap());
    for name in ["cpd-search", "cpd-nosp", "cpd-focal", "cpd-branching", "cpd-branching:same=cell"] {
        let mut finder = search(name, Some(Arc::clone(&cpd))).unwrap();
        let mut path = Vec::new();
        let answer = finder.find(grid.ground(), from, to, &mut path).unwrap();
        println!("{name} {answer:?} {}", path.len());
        for y in 0..24 {
            let row: String = (0..60)
                .map(|x| {
                    let cell = grid.cell(Pos::new(x, y)).unwrap();
                    let at = finder.expanded().iter().position(|&n| n == cell.0);
                    match at {
                        Some(i) => char::from_digit((i % 36) as u32, 36).unwrap(),
                        None if !grid.ground().is_free(cell) => '#',
                        None if path.contains(&cell) => '*',
                        _ => '.',
                    }
                })
                .collect();
            println!("{row}");
        }
    }
    }
}
