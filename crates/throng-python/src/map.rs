//! Maps.

use std::sync::Arc;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use throng::grid::builtin::builtin;
use throng::grid::generate::generate;
use throng::grid::movingai::{read_map, write_map};
use throng::grid::render::{Colour, Picture};
use throng::grid::scene::Scene;
use throng::{Cell, Grid, MoveRules, Pos, ProfileId, Size, Terrain, Tiles};

use crate::array::{integers, position_array, positions};
use crate::error::{bad_value, write_file};
use crate::rules::{ProfileSpec, named};

/// A map: terrain, move rules and kinds of agents. It does not change; a world has its own copy, which can be edited.
///
/// >>> import throng
/// >>> rooms = throng.Map.picture('''
/// ...     ....#....
/// ...     .........
/// ...     ....#....
/// ... ''')
/// >>> rooms.shape
/// (3, 9)
/// >>> int(rooms.free().sum())
/// 25
#[pyclass(module = "throng", frozen)]
pub(crate) struct Map {
    pub(crate) grid: Arc<Grid>,
}

impl Map {
    pub(crate) fn of(tiles: Tiles) -> Self {
        Self { grid: Arc::new(Grid::new(tiles, MoveRules::default())) }
    }

    /// Returns the cell at a position.
    pub(crate) fn cell(&self, (x, y): (i32, i32)) -> PyResult<Cell> {
        let size = self.grid.size();
        let outside = || {
            bad_value(format!("({x}, {y}) is outside the map of {}×{} cells", size.width(), size.height()))
        };
        size.cell(Pos::new(x, y)).ok_or_else(outside)
    }

    /// Returns the size of a map with these sides.
    pub(crate) fn size(width: u32, height: u32) -> PyResult<Size> {
        Size::new(width, height).ok_or_else(|| bad_value(format!("a map cannot have {width}×{height} cells")))
    }

    /// Returns an array with one value per cell.
    pub(crate) fn per_cell<'py, T: Element>(
        &self,
        py: Python<'py>,
        values: Vec<T>,
    ) -> Bound<'py, PyArray2<T>> {
        let size = self.grid.size();
        let shape = [size.height() as usize, size.width() as usize];
        PyArray1::from_vec(py, values).reshape(shape).expect("one value per cell")
    }
}

#[pymethods]
impl Map {
    /// Returns the map of an ASCII picture: `.` is ground, `#` or `@` a wall; `G`, `S`, `W`, `T` and `O` as in map files.
    ///
    /// >>> throng.Map.picture("..#..")
    /// <throng.Map of 5×1 cells, 4 free>
    #[staticmethod]
    fn picture(rows: &str) -> PyResult<Self> {
        let rows: Vec<&str> = rows.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        let Some(width) = rows.first().map(|row| row.len()) else {
            return Err(bad_value("the picture has no row"));
        };
        let mut terrain = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            if row.len() != width {
                return Err(bad_value(format!("row {y} of the picture differs in length from the first")));
            }
            for character in row.bytes() {
                let class =
                    if character == b'#' { Some(Terrain::Wall) } else { Terrain::from_char(character) };
                let unknown =
                    || bad_value(format!("row {y} of the picture has an unknown character in {row:?}"));
                terrain.push(class.ok_or_else(unknown)?);
            }
        }
        let size = Self::size(width as u32, rows.len() as u32)?;
        Ok(Self::of(Tiles::from_terrain(size, terrain).expect("every row has the width of the map")))
    }

    /// Returns the map of a picture with agents: `a` to `z` are agents on ground, `A` to `Z` their goals. Returns the map, the
    /// starts, and the goals; an agent without a goal has its start as goal.
    ///
    /// >>> map, starts, goals = throng.Map.scene("a.B\nb.A")
    /// >>> starts.tolist(), goals.tolist()
    /// ([[0, 0], [0, 1]], [[2, 1], [2, 0]])
    #[staticmethod]
    fn scene<'py>(
        py: Python<'py>,
        rows: &str,
    ) -> PyResult<(Self, Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<i32>>)> {
        let scene = Scene::parse(rows).map_err(bad_value)?;
        let starts = position_array(py, scene.agents.iter().map(|agent| agent.start));
        let goals = position_array(py, scene.agents.iter().map(|agent| agent.goal.unwrap_or(agent.start)));
        Ok((Self::of(scene.tiles), starts, goals))
    }

    /// Returns one of the maps in `throng.builtin_maps()`.
    #[staticmethod]
    fn builtin(name: &str) -> PyResult<Self> {
        builtin(name).map(Self::of).map_err(bad_value)
    }

    /// Returns a generated map. The same seed gives the same map on every machine. `throng.generators()` lists the kinds.
    ///
    /// >>> throng.Map.generate("rooms", 48, 32, seed=7).shape
    /// (32, 48)
    #[staticmethod]
    #[pyo3(signature = (kind, width, height, seed=0))]
    fn generate(py: Python<'_>, kind: &str, width: u32, height: u32, seed: u64) -> PyResult<Self> {
        let size = Self::size(width, height)?;
        py.detach(|| generate(kind, size, seed).map(Self::of)).map_err(bad_value)
    }

    /// Reads a map file of the MovingAI format.
    #[staticmethod]
    fn load(py: Python<'_>, path: std::path::PathBuf) -> PyResult<Self> {
        let bytes = std::fs::read(&path)?;
        let name = path.display();
        py.detach(|| read_map(&bytes)).map(Self::of).map_err(|error| bad_value(format!("{name}:{error}")))
    }

    /// Reads the content of a map file of the MovingAI format.
    #[staticmethod]
    fn from_bytes(content: &[u8]) -> PyResult<Self> {
        read_map(content).map(Self::of).map_err(bad_value)
    }

    /// Returns the map of an array of shape `(height, width)`: of booleans, true where agents can walk; or of integers, the
    /// numbers of the terrain as in `terrain`.
    ///
    /// >>> import numpy as np
    /// >>> throng.Map.from_array(np.ones((2, 3), dtype=bool))
    /// <throng.Map of 3×2 cells, 6 free>
    #[staticmethod]
    fn from_array(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(free) = array.extract::<PyReadonlyArray2<'_, bool>>() {
            let free = free.as_array();
            let terrain = free.iter().map(|&free| if free { Terrain::Ground } else { Terrain::Wall });
            let size = Self::size(free.shape()[1] as u32, free.shape()[0] as u32)?;
            return Ok(Self::of(Tiles::from_terrain(size, terrain.collect()).expect("one value per cell")));
        }
        let numbers = integers(array)?;
        let numbers = numbers.as_array();
        let &[height, width] = numbers.shape() else {
            return Err(bad_value("a map has the shape (height, width)"));
        };
        let class = |&number: &i64| {
            let known = usize::try_from(number).ok().and_then(|number| Terrain::ALL.get(number));
            known.copied().ok_or_else(|| bad_value(format!("there is no terrain {number}: they are 0 to 6")))
        };
        let terrain = numbers.iter().map(class).collect::<PyResult<Vec<_>>>()?;
        let size = Self::size(width as u32, height as u32)?;
        Ok(Self::of(Tiles::from_terrain(size, terrain).expect("one value per cell")))
    }

    /// Returns the same terrain with other rules. `corners` says when a diagonal step past a wall is legal: `"forbid"`, `"allow"`
    /// or `"mixed"`; `four_way` forbids diagonal steps. `profiles` are the kinds of agents, numbered from 0: `"uniform"`, `"wc3"`,
    /// or seven cost multipliers in halves (0 forbids the terrain), or a pair of these and a passage class.
    ///
    /// >>> throng.Map.picture(".G.").with_rules(four_way=True, profiles=["uniform", [2, 4, 0, 0, 0, 0, 0]])
    /// <throng.Map of 3×1 cells, 3 free>
    #[pyo3(signature = (*, corners="forbid", four_way=false, profiles=None))]
    fn with_rules(
        &self,
        corners: &str,
        four_way: bool,
        profiles: Option<Vec<ProfileSpec>>,
    ) -> PyResult<Self> {
        let rules = MoveRules { corners: named(corners)?, four_way };
        let mut profiles =
            profiles.unwrap_or_else(|| vec![ProfileSpec::Name("uniform".to_owned())]).into_iter();
        let first = profiles.next().ok_or_else(|| bad_value("a map needs at least one profile"))?;
        if profiles.len() > 255 {
            return Err(bad_value("a map has at most 256 profiles"));
        }
        let mut grid = Grid::with_profile(self.grid.tiles().clone(), rules, first.profile()?);
        for profile in profiles {
            grid.add_profile(profile.profile()?);
        }
        Ok(Self { grid: Arc::new(grid) })
    }

    /// The width in cells.
    #[getter]
    fn width(&self) -> u32 {
        self.grid.size().width()
    }

    /// The height in cells.
    #[getter]
    fn height(&self) -> u32 {
        self.grid.size().height()
    }

    /// The shape of arrays with one value per cell: `(height, width)`.
    #[getter]
    fn shape(&self) -> (u32, u32) {
        (self.height(), self.width())
    }

    /// The rule for diagonal steps past walls.
    #[getter]
    fn corners(&self) -> &'static str {
        self.grid.rules().corners.name()
    }

    /// Whether diagonal steps are forbidden.
    #[getter]
    fn four_way(&self) -> bool {
        self.grid.rules().four_way
    }

    /// The number of profiles.
    #[getter]
    fn profiles(&self) -> usize {
        self.grid.grounds().len()
    }

    /// The terrain of each cell, an array of shape `(height, width)`: 0 ground, 1 grass, 2 swamp, 3 water, 4 trees, 5 wall, 6
    /// outside. It is read-only and shares the memory of the map.
    ///
    /// >>> throng.Map.picture(".#.").terrain.tolist()
    /// [[0, 5, 0]]
    #[getter]
    fn terrain<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray2<u8>> {
        let map = slf.get();
        let terrain = map.grid.tiles().terrain();
        let shape = [map.grid.size().height() as usize, map.grid.size().width() as usize];
        // SAFETY: `Terrain` is `repr(u8)`, so that the slice has one initialised byte per cell. The array keeps the map alive,
        // which is frozen and owns the grid in an `Arc` that is shared with nothing that changes it, so that the slice does not
        // move. The array is made read-only below, before Python can write through it.
        #[expect(unsafe_code, reason = "a view of the terrain without a copy")]
        let array = unsafe {
            let bytes = std::slice::from_raw_parts(terrain.as_ptr().cast::<u8>(), terrain.len());
            let view = numpy::ndarray::ArrayView2::from_shape(shape, bytes).expect("one byte per cell");
            PyArray2::borrow_from_array(&view, slf.clone().into_any())
        };
        array.readwrite().make_nonwriteable();
        array
    }

    /// Returns which cells an agent of a profile can enter, an array of booleans of shape `(height, width)`.
    #[pyo3(signature = (profile=0))]
    fn free<'py>(&self, py: Python<'py>, profile: u8) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let ground = self.grid.ground_of(ProfileId(profile));
        let ground = ground.ok_or_else(|| bad_value(format!("the map has no profile {profile}")))?;
        let free = self.grid.size().cells().map(|cell| ground.is_free(cell)).collect();
        Ok(self.per_cell(py, free))
    }

    /// Returns the connected component of each cell, an array of integers of shape `(height, width)`; -1 where agents cannot
    /// walk.
    ///
    /// >>> throng.Map.picture(".#.").components().tolist()
    /// [[0, -1, 1]]
    fn components<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let ground = self.grid.ground();
        let components = ground.components();
        let label = |cell| components.label(ground, cell).map_or(-1, |label| label as i32);
        self.per_cell(py, self.grid.size().cells().map(label).collect())
    }

    /// Returns the content of a map file of the MovingAI format.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &write_map(self.grid.tiles()))
    }

    /// Writes a map file of the MovingAI format.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        write_file(&path, &write_map(self.grid.tiles()))
    }

    /// Returns a picture as the bytes of a PNG file, with agents as discs and a path as a line. `scale` is the number of pixels
    /// per cell.
    #[pyo3(signature = (*, agents=None, path=None, scale=None))]
    fn png<'py>(
        &self,
        py: Python<'py>,
        agents: Option<&Bound<'py, PyAny>>,
        path: Option<&Bound<'py, PyAny>>,
        scale: Option<u32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let cells = |given: Option<&Bound<'py, PyAny>>| -> PyResult<Vec<Cell>> {
            let found = given.map(positions).transpose()?.unwrap_or_default();
            found.into_iter().map(|pos| self.cell((pos.x, pos.y))).collect()
        };
        let (agents, path) = (cells(agents)?, cells(path)?);
        let agents = agents.into_iter().enumerate().map(|(number, cell)| (cell, Colour::nth(number)));
        let mut picture = Picture::of_grid(&self.grid).agents(agents);
        if !path.is_empty() {
            picture = picture.path(&path);
        }
        if let Some(scale) = scale {
            picture = picture.scale(scale);
        }
        Ok(PyBytes::new(py, &picture.png().map_err(bad_value)?))
    }

    /// Draws the map in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py, None, None, None)
    }

    fn __repr__(&self) -> String {
        let (size, free) = (self.grid.size(), self.grid.ground().free_count());
        format!("<throng.Map of {}×{} cells, {free} free>", size.width(), size.height())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let profiles =
            |map: &Self| map.grid.grounds().iter().map(throng::Ground::profile).collect::<Vec<_>>();
        self.grid.tiles() == other.grid.tiles()
            && self.grid.rules() == other.grid.rules()
            && profiles(self) == profiles(other)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, map) = (slf.py(), slf.get());
        let profiles: Vec<([u8; Terrain::ALL.len()], u8)> = map
            .grid
            .grounds()
            .iter()
            .map(|ground| {
                (Terrain::ALL.map(|terrain| ground.profile().halves(terrain)), ground.profile().class())
            })
            .collect();
        let rebuild = py.import("throng")?.getattr("_rebuild_map")?;
        let arguments = (map.to_bytes(py), map.corners(), map.four_way(), profiles);
        Ok((rebuild, arguments).into_pyobject(py)?.into_any())
    }
}
