//! A rectangle of terrain: what map files and generators make, and what a [`Grid`](crate::Grid) is built from.

use crate::{Cell, Pos, Size, Terrain};

/// A rectangle of terrain, in row order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiles {
    size: Size,
    terrain: Vec<Terrain>,
}

impl Tiles {
    /// All of one terrain.
    pub fn filled(size: Size, terrain: Terrain) -> Self {
        Self { size, terrain: vec![terrain; size.area()] }
    }

    /// From terrain in row order; `None` when the length is not the size's area.
    pub fn from_terrain(size: Size, terrain: Vec<Terrain>) -> Option<Self> {
        (terrain.len() == size.area()).then_some(Self { size, terrain })
    }

    /// From lines of MovingAI characters, for tests and examples; `#` is a wall too. Blanks around a line are dropped.
    ///
    /// # Panics
    /// When the picture is empty, ragged, or has an unknown character.
    pub fn picture(rows: &str) -> Self {
        let rows: Vec<&str> = rows.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        let width = rows.first().expect("a picture needs a row").len();
        let size = Size::new(width as u32, rows.len() as u32).expect("a picture within the grid limit");
        let terrain = rows.iter().enumerate().flat_map(|(y, row)| {
            assert_eq!(row.len(), width, "row {y} of the picture is as long as the first");
            row.bytes().map(move |character| match character {
                b'#' => Terrain::Wall,
                _ => Terrain::from_char(character).unwrap_or_else(|| {
                    panic!("row {y} of the picture has the unknown character {:?}", character as char)
                }),
            })
        });
        Self { size, terrain: terrain.collect() }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The terrain in row order.
    pub fn terrain(&self) -> &[Terrain] {
        &self.terrain
    }

    /// The terrain at a place, `None` outside.
    pub fn at(&self, pos: Pos) -> Option<Terrain> {
        self.size.cell(pos).map(|cell| self.terrain[cell.index()])
    }

    /// Changes the terrain at a place; places outside are left alone.
    pub fn set(&mut self, pos: Pos, terrain: Terrain) {
        if let Some(cell) = self.size.cell(pos) {
            self.terrain[cell.index()] = terrain;
        }
    }

    /// Changes a cell and says what it was.
    pub(crate) fn replace(&mut self, cell: Cell, terrain: Terrain) -> Terrain {
        std::mem::replace(&mut self.terrain[cell.index()], terrain)
    }
}
