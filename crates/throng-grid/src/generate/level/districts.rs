//! The regions and kinds of the districts, and the passages between them.

use crate::generate::draw::{brush, line, walkable};
use crate::generate::noise::{Noise, RANGE};
use crate::{Cell, Pos, SeededRng, Size, Terrain, Tiles};

/// The kind of a district.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DistrictKind {
    Field,
    Caves,
    Town,
    Halls,
}

impl DistrictKind {
    pub(super) const ALL: [Self; 4] = [Self::Field, Self::Caves, Self::Town, Self::Halls];
}

/// The owner of cells that belong to no district.
const ROCK: u16 = u16::MAX;

/// Lattice points (sites) with jitter, and the site that each cell belongs to.
pub(super) struct Districts {
    size: Size,
    columns: i32,
    rows: i32,
    sites: Vec<Pos>,
    kinds: Vec<DistrictKind>,
    /// The site of each cell, [`ROCK`] between districts and outside the outline.
    owner: Vec<u16>,
    /// Whether each cell lies inside the level's outline.
    outline: Vec<bool>,
    /// Shifts the cells of passages, so that they are not straight.
    wiggle: Noise,
}

impl Districts {
    pub(super) fn new(size: Size, side: i32, wild: u32, rng: &mut SeededRng) -> Self {
        let (width, height) = (size.width() as i32, size.height() as i32);
        // At most 250×250 sites, so that their numbers fit in 16 bits.
        let side = side.max(width.max(height) / 250 + 1);
        let (columns, rows) = ((width / side).max(1), (height / side).max(1));
        let mut sites = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let coordinate = |number: i32, count: i32, length: i32, jitter: i32| {
                    (length * (2 * number + 1) / (2 * count)) + length / count * jitter / 100
                };
                let (jx, jy) = (rng.between(-32, 32), rng.between(-32, 32));
                sites.push(Pos::new(
                    coordinate(column, columns, width, jx),
                    coordinate(row, rows, height, jy),
                ));
            }
        }
        let kinds = assign_kinds(sites.len(), wild, rng);
        let outline = outline(size, Noise::new(rng.next_u64()));
        let wiggle = Noise::new(rng.next_u64());
        let mut districts = Self { size, columns, rows, sites, kinds, owner: Vec::new(), outline, wiggle };
        districts.owner = districts.owners(rng);
        districts
    }

    pub(super) fn kinds(&self) -> &[DistrictKind] {
        &self.kinds
    }

    /// Returns the kind of a cell's district, `None` on rock.
    pub(super) fn kind_at(&self, cell: Cell) -> Option<DistrictKind> {
        self.kinds.get(self.owner[cell.index()] as usize).copied()
    }

    /// Returns true if a position lies inside the level's outline.
    pub(super) fn inside(&self, pos: Pos) -> bool {
        self.size.cell(pos).is_some_and(|cell| self.outline[cell.index()])
    }

    fn owners(&self, rng: &mut SeededRng) -> Vec<u16> {
        let side = self.size.width() as i32 / self.columns;
        let [right, down] = [0; 2].map(|_| Noise::new(rng.next_u64()).rough(self.size, side / 2));
        let thickness = Noise::new(rng.next_u64()).map(self.size, 40);
        let bent = |noise: i32| (noise - RANGE / 2) * side / 3 / (RANGE / 2);
        self.size
            .cells()
            .map(|cell| {
                let (at, pos) = (cell.index(), self.size.pos(cell));
                if !self.outline[at] {
                    return ROCK;
                }
                let (owner, lead) = self.nearest(Pos::new(pos.x + bent(right[at]), pos.y + bent(down[at])));
                // The rock between districts varies in thickness; where the noise is low, two districts touch.
                let rock = (thickness[at] - 260) * 18 / RANGE;
                if lead < rock { ROCK } else { owner }
            })
            .collect()
    }

    /// Returns the nearest site to a position and the difference of distance to the second nearest.
    fn nearest(&self, pos: Pos) -> (u16, i32) {
        let (width, height) = (self.size.width() as i32, self.size.height() as i32);
        let (column, row) = (pos.x * self.columns / width, pos.y * self.rows / height);
        let (mut best, mut second) = ((i32::MAX, 0), i32::MAX);
        for r in (row - 1).max(0)..=(row + 1).min(self.rows - 1) {
            for c in (column - 1).max(0)..=(column + 1).min(self.columns - 1) {
                let number = r * self.columns + c;
                let site = self.sites[number as usize];
                let (dx, dy) = (pos.x - site.x, pos.y - site.y);
                let squared = dx * dx + dy * dy;
                if squared < best.0 {
                    second = best.0;
                    best = (squared, number as u16);
                } else if squared < second {
                    second = squared;
                }
            }
        }
        (best.1, second.isqrt() - best.0.isqrt())
    }

    /// Carves passages from most districts to their right and lower neighbours.
    pub(super) fn passages(&self, tiles: &mut Tiles, rng: &mut SeededRng) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let here = row * self.columns + column;
                let right = (column + 1 < self.columns).then_some(here + 1);
                let below = (row + 1 < self.rows).then_some(here + self.columns);
                for there in [right, below].into_iter().flatten() {
                    let width = rng.pick(&[1, 2, 3, 3, 4, 5, 6, 8]);
                    if rng.chance(80) {
                        self.passage(tiles, here as usize, there as usize, width);
                    }
                }
            }
        }
    }

    /// Carves a passage from the border between two districts towards both sites, up to the first walkable cells.
    fn passage(&self, tiles: &mut Tiles, from: usize, to: usize, width: i32) {
        let path: Vec<Pos> = line(self.sites[from], self.sites[to]).collect();
        let owner = |pos: Pos| self.size.cell(pos).map_or(ROCK, |cell| self.owner[cell.index()]);
        let Some(last) = path.iter().rposition(|&pos| owner(pos) == from as u16) else { return };
        let open = |pos: Pos| walkable(tiles, pos);
        let start = (0..=last).rev().find(|&i| open(path[i])).unwrap_or(0);
        let end = (last + 1..path.len()).find(|&i| open(path[i])).unwrap_or(path.len() - 1);
        if path[start..=end].iter().any(|&pos| !self.inside(pos)) {
            return;
        }
        for &pos in &path[start..=end] {
            let shift = (self.wiggle.at(pos.x, pos.y, 12) - RANGE / 2) * 4 / RANGE;
            for pos in brush(Pos::new(pos.x + shift, pos.y + shift), width.max(2)) {
                if self.inside(pos) && !walkable(tiles, pos) {
                    tiles.set(pos, Terrain::Ground);
                }
            }
        }
    }
}

/// Returns the kinds of the districts in random order, `wild` percent of them fields and caves. Fixed proportions keep
/// several kinds present when there are few districts.
fn assign_kinds(count: usize, wild: u32, rng: &mut SeededRng) -> Vec<DistrictKind> {
    let wilds = (count as u32 * wild + 50) / 100;
    let mut kinds: Vec<DistrictKind> = (0..count as u32)
        .map(|number| match (number < wilds, number % 5) {
            (true, 0 | 2 | 3) => DistrictKind::Field,
            (true, _) => DistrictKind::Caves,
            (false, 0 | 2 | 3) => DistrictKind::Halls,
            (false, _) => DistrictKind::Town,
        })
        .collect();
    rng.shuffle(&mut kinds);
    kinds
}

/// Returns, per cell, whether it lies inside the level: a rounded square distorted by noise.
fn outline(size: Size, noise: Noise) -> Vec<bool> {
    let (width, height) = (size.width() as i32, size.height() as i32);
    let shortest = width.min(height);
    let margin = (shortest / 64).clamp(1, 8);
    let waves = noise.rough(size, (shortest / 4).max(8));
    let ripples = noise.map(size, (shortest / 20).max(4));
    let inside = |cell: Cell| {
        let (at, pos) = (cell.index(), size.pos(cell));
        let edge = pos.x.min(pos.y).min(width - 1 - pos.x).min(height - 1 - pos.y);
        // The distance from the centre, scaled to 1024 at the middle of each edge.
        let (u, v) = ((2 * pos.x - width) * 1024 / width, (2 * pos.y - height) * 1024 / height);
        let radius = (u * u + v * v).isqrt();
        let reach = 1040 + (waves[at] - RANGE / 2) * 9 / 10 + (ripples[at] - RANGE / 2) / 12;
        edge >= margin + margin * ripples[at] * 3 / RANGE && radius < reach
    };
    size.cells().map(inside).collect()
}
