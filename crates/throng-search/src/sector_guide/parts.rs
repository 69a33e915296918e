//! The connected parts of sectors and their waypoints.

use throng_grid::{Cell, Ground, Pos, directions};

use super::{Part, SectorGuide};

/// The label of a cell that is not free.
const NO_LABEL: u16 = u16::MAX;

impl SectorGuide {
    /// Labels the given sectors again and numbers all parts. Parts of other sectors keep their fields.
    pub(super) fn relabel(&mut self, ground: &Ground, sectors: &[u32]) {
        self.labels.resize(ground.size().area(), NO_LABEL);
        let mut known = std::mem::take(&mut self.parts).into_iter();
        let counts = self.part_counts();
        let (mut parts, mut sizes) = (Vec::with_capacity(known.len()), Vec::new());
        let mut cells = Vec::new();
        for sector in 0..self.changes.squares.count() as u32 {
            let before = parts.len();
            let kept = known.by_ref().take(usize::from(counts.get(sector as usize).copied().unwrap_or(0)));
            if sectors.binary_search(&sector).is_ok() {
                kept.for_each(drop);
                self.label(ground, sector, &mut cells, &mut parts);
            } else {
                parts.extend(kept);
            }
            sizes.push(parts.len() - before);
        }
        self.numbers.assign(sizes.into_iter());
        self.parts = parts;
    }

    /// Labels the cells of a sector and adds its parts.
    fn label(&mut self, ground: &Ground, sector: u32, cells: &mut Vec<Pos>, parts: &mut Vec<Part>) {
        let (min, max) = self.changes.squares.corners(sector);
        let width = ground.size().width() as i32;
        let index = |pos: Pos| (pos.y * width + pos.x) as usize;
        for y in min.y..=max.y {
            self.labels[index(Pos::new(min.x, y))..=index(Pos::new(max.x, y))].fill(NO_LABEL);
        }
        let mut number = 0;
        for start in (min.y..=max.y).flat_map(|y| (min.x..=max.x).map(move |x| Pos::new(x, y))) {
            if self.labels[index(start)] != NO_LABEL || !ground.rows().get(start) {
                continue;
            }
            cells.clear();
            cells.push(start);
            self.labels[index(start)] = number;
            let (mut done, mut sum) = (0, Pos::new(0, 0));
            while let Some(&pos) = cells.get(done) {
                done += 1;
                (sum.x, sum.y) = (sum.x + pos.x, sum.y + pos.y);
                for direction in directions(ground.moves(Cell(index(pos) as u32))) {
                    let next = pos + direction;
                    let is_inside = (min.x..=max.x).contains(&next.x) && (min.y..=max.y).contains(&next.y);
                    if is_inside && self.labels[index(next)] == NO_LABEL {
                        self.labels[index(next)] = number;
                        cells.push(next);
                    }
                }
            }
            parts.push(Part { waypoint: nearest_to_centre(cells, sum), ..Part::default() });
            number += 1;
        }
    }
}

/// Returns the cell of a part that is nearest to the mean of its cells, given their sum; the first of several.
fn nearest_to_centre(cells: &[Pos], sum: Pos) -> Pos {
    let count = cells.len() as i32;
    let distance = |pos: &Pos| {
        let (dx, dy) = (i64::from(pos.x * count - sum.x), i64::from(pos.y * count - sum.y));
        (dx * dx + dy * dy, pos.y, pos.x)
    };
    cells.iter().copied().min_by_key(distance).unwrap_or(sum)
}
