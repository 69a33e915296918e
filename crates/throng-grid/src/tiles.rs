//! The terrain of a map, one class per cell: the result of map readers and generators, and the input of a
//! [`Grid`](crate::Grid).

use crate::{Cell, Pos, Size, Terrain};

/// The terrain of a map, one [`Terrain`] class per cell, in row order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiles {
    size: Size,
    terrain: Vec<Terrain>,
}

impl Tiles {
    /// Returns a map with one terrain class everywhere.
    pub fn filled(size: Size, terrain: Terrain) -> Self {
        Self { size, terrain: vec![terrain; size.area()] }
    }

    /// Returns the map with the terrain that a function returns for each cell. It is called in row order.
    pub fn from_fn(size: Size, terrain: impl FnMut(Cell) -> Terrain) -> Self {
        Self { size, terrain: size.cells().map(terrain).collect() }
    }

    /// Returns a map from terrain in row order, `None` if the length is not the size's area.
    pub fn from_terrain(size: Size, terrain: Vec<Terrain>) -> Option<Self> {
        (terrain.len() == size.area()).then_some(Self { size, terrain })
    }

    /// Parses rows of MovingAI characters, for tests and examples. `#` is a wall too. Whitespace around a row and empty
    /// rows are ignored.
    ///
    /// # Panics
    /// If there is no row, rows differ in length, or a character is unknown.
    pub fn picture(rows: &str) -> Self {
        let rows: Vec<&str> = rows.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        let width = rows.first().expect("the picture has no row").len();
        let size = Size::new(width as u32, rows.len() as u32).expect("the picture exceeds the grid limit");
        let terrain = rows.iter().enumerate().flat_map(|(y, row)| {
            assert_eq!(row.len(), width, "row {y} of the picture differs in length from the first");
            row.bytes().map(move |character| match character {
                b'#' => Terrain::Wall,
                _ => Terrain::from_char(character).unwrap_or_else(|| {
                    panic!("row {y} of the picture has the unknown character {:?}", character as char)
                }),
            })
        });
        Self { size, terrain: terrain.collect() }
    }

    /// Returns the width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the terrain of all cells, in row order.
    pub fn terrain(&self) -> &[Terrain] {
        &self.terrain
    }

    /// Returns the terrain at a position, `None` outside the map.
    pub fn at(&self, pos: Pos) -> Option<Terrain> {
        self.size.cell(pos).map(|cell| self.terrain[cell.index()])
    }

    /// Sets the terrain at a position. Positions outside the map are ignored.
    pub fn set(&mut self, pos: Pos, terrain: Terrain) {
        if let Some(cell) = self.size.cell(pos) {
            self.terrain[cell.index()] = terrain;
        }
    }

    /// Sets the terrain of a cell and returns the old one.
    pub(crate) fn replace(&mut self, cell: Cell, terrain: Terrain) -> Terrain {
        std::mem::replace(&mut self.terrain[cell.index()], terrain)
    }
}
