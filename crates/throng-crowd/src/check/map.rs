//! The checker's own map: legal steps, reachable cells, nearest cells and the map's part of the state hash, each
//! computed in the simplest way from its definition.

use throng_grid::{Area, Corners, MoveRules, Terrain};

use crate::snapshot::map_state::{MapState, ProfileState};

/// Column and row.
pub(crate) type Position = (i32, i32);

/// The label of a cell that is not free.
const NO_LABEL: u32 = u32::MAX;

/// The map of the checker.
#[derive(Clone, Debug)]
pub(crate) struct CheckMap {
    width: i32,
    height: i32,
    rules: MoveRules,
    profiles: Vec<ProfileState>,
    cells: Vec<CheckedCell>,
    /// The cost overlays: sets of passage classes, one bit per class, and the halves that each adds per cell.
    overlays: Vec<(u32, Vec<u8>)>,
    /// The connected component of each cell, one list per profile; empty after an edit until it is computed again.
    labels: Vec<Vec<u32>>,
    /// The map's part of the state hash, per profile.
    hashes: Vec<u64>,
    /// True if an edit changed the passable cells or the terrain of any profile since the last tick.
    pub(crate) changed: bool,
    /// True if an edit changed a cost overlay of any profile since the last tick.
    pub(crate) has_new_costs: bool,
}

/// A cell of the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedCell {
    pub(crate) terrain: Terrain,
    pub(crate) blocked: bool,
    /// The passage classes that may enter, one bit per class.
    pub(crate) allowed: u32,
}

/// The largest number of sets of classes that have an overlay.
const MAX_OVERLAYS: usize = 8;
/// The highest cost in halves.
const MAX_HALVES: u8 = 16;

impl CheckMap {
    pub(crate) fn new(parts: &MapState) -> Self {
        let (width, height) = (u64::from(parts.size.width()), u64::from(parts.size.height()));
        let corners = match parts.rules.corners {
            Corners::Forbid => 0,
            Corners::Allow => 1,
            Corners::Mixed => 2,
        };
        let frame = (width << 32 | height).rotate_left(8) ^ u64::from(parts.rules.four_way) << 2 ^ corners;
        let mut map = Self {
            width: width as i32,
            height: height as i32,
            rules: parts.rules,
            profiles: parts.profiles.clone(),
            cells: Vec::new(),
            overlays: Vec::new(),
            labels: vec![Vec::new(); parts.profiles.len()],
            hashes: vec![frame; parts.profiles.len()],
            changed: false,
            has_new_costs: false,
        };
        let layers = parts.layers().unwrap_or_default();
        let allowed = |cell: usize| layers.doors.get(cell).map_or(u32::MAX, |allowed| allowed.to_bits());
        let cells = parts.terrain().into_iter().zip(parts.blocked()).enumerate();
        map.cells = cells
            .map(|(cell, (terrain, blocked))| CheckedCell { terrain, blocked, allowed: allowed(cell) })
            .collect();
        let overlays = layers.overlays.iter();
        map.overlays = overlays.map(|overlay| (overlay.classes.to_bits(), overlay.extra.clone())).collect();
        for cell in 0..map.cells.len() {
            map.add_to_hashes(cell);
        }
        map
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns width and height.
    pub(crate) fn sides(&self) -> (u64, u64) {
        (self.width as u64, self.height as u64)
    }

    pub(crate) fn profiles(&self) -> usize {
        self.profiles.len()
    }

    pub(crate) fn position(&self, cell: u32) -> Position {
        (cell as i32 % self.width, cell as i32 / self.width)
    }

    /// Returns the cell at a position, `None` outside the map.
    pub(crate) fn cell(&self, (x, y): Position) -> Option<u32> {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        inside.then(|| y.wrapping_mul(self.width).wrapping_add(x) as u32)
    }

    /// Returns the cost of the terrain of a cell in halves; 0 if the profile may not enter it.
    pub(crate) fn halves(&self, profile: usize, cell: usize) -> u8 {
        self.profiles[profile].halves[self.cells[cell].terrain as usize]
    }

    /// Returns the halves that overlays add to the cost of a cell.
    fn extra(&self, profile: usize, cell: usize) -> u8 {
        let class = self.profiles[profile].class;
        let of_class = self.overlays.iter().filter(|(classes, _)| classes >> class & 1 == 1);
        let sum: u32 = of_class.map(|(_, extra)| u32::from(extra[cell])).sum();
        // A recording of unknown origin may have a profile with larger multipliers than there are.
        sum.min(u32::from(MAX_HALVES.saturating_sub(self.halves(profile, cell)))) as u8
    }

    /// Returns true if a cell is blocked, or a door that the profile may not pass.
    fn is_shut(&self, profile: usize, cell: usize) -> bool {
        self.cells[cell].blocked
            || self.cells[cell].allowed.wrapping_shr(self.profiles[profile].class.into()) & 1 == 0
    }

    /// Returns true if the profile may enter the terrain of a cell, blocked or not.
    fn open(&self, profile: usize, position: Position) -> bool {
        self.cell(position).is_some_and(|cell| self.halves(profile, cell as usize) > 0)
    }

    /// Returns true if the profile can stand in a cell.
    pub(crate) fn free(&self, profile: usize, position: Position) -> bool {
        self.open(profile, position)
            && self.cell(position).is_some_and(|cell| !self.is_shut(profile, cell as usize))
    }

    /// Returns the cells whose column and row differ from those of a cell by at most the radius.
    pub(crate) fn square(&self, center: u32, radius: i32) -> impl Iterator<Item = u32> + use<> {
        let ((x, y), width) = (self.position(center), self.width);
        let columns = (x - radius).max(0)..=(x + radius).min(width - 1);
        let rows = (y - radius).max(0)..=(y + radius).min(self.height - 1);
        rows.flat_map(move |y| columns.clone().map(move |x| (y * width + x) as u32))
    }

    /// Returns the terrain of a cell in the lowest three bits, then one bit for a blocked cell, and from the ninth bit on the
    /// classes that may enter.
    pub(crate) fn code(&self, cell: u32) -> u64 {
        let CheckedCell { terrain, blocked, allowed } = self.cells[cell as usize];
        terrain as u64 | u64::from(blocked) << 3 | u64::from(allowed) << 8
    }

    /// Returns true if a profile may enter the terrain in a code.
    pub(crate) fn is_open(&self, profile: usize, code: u64) -> bool {
        self.profiles[profile].halves[(code & 7) as usize] > 0
    }

    /// Returns true if a profile can stand in a cell with this code.
    pub(crate) fn is_free(&self, profile: usize, code: u64) -> bool {
        let class = self.profiles[profile].class;
        self.is_open(profile, code) && code & 8 == 0 && code >> (8 + class) & 1 == 1
    }

    /// Returns true if a step between two different cells is legal.
    pub(crate) fn legal(&self, profile: usize, from: Position, to: Position) -> bool {
        self.legal_where(
            from,
            to,
            |position| self.free(profile, position),
            |position| self.open(profile, position),
        )
    }

    /// Returns true if a step between two different cells is legal on a map with these free cells, and cells with terrain
    /// that may be entered.
    pub(crate) fn legal_where(
        &self,
        from: Position,
        to: Position,
        free: impl Fn(Position) -> bool,
        open: impl Fn(Position) -> bool,
    ) -> bool {
        // Free cells lie on the map, so that the difference of their coordinates cannot overflow.
        if !free(from) || !free(to) {
            return false;
        }
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        if dx.abs().max(dy.abs()) != 1 {
            return false;
        }
        if dx == 0 || dy == 0 {
            return true;
        }
        let sides = [(to.0, from.1), (from.0, to.1)];
        !self.rules.four_way
            && match self.rules.corners {
                Corners::Forbid => sides.iter().all(|&side| free(side)),
                Corners::Allow => true,
                Corners::Mixed => sides.iter().all(|&side| open(side)),
            }
    }

    /// Edits the cells of an area.
    pub(crate) fn edit(&mut self, area: Area, change: impl Fn(&mut CheckedCell)) {
        let has_changed = self.edit_all(area, |map, cell| change(&mut map.cells[cell]));
        if has_changed {
            self.changed = true;
            self.labels.iter_mut().for_each(Vec::clear);
        }
    }

    /// Sets the overlay of a set of classes in an area. Returns false if the world must refuse it.
    pub(crate) fn set_cost(&mut self, area: Area, classes: u32, extra: u8) -> bool {
        // An overlay that is zero everywhere does not count.
        self.overlays.retain(|(_, extra)| extra.iter().any(|&extra| extra > 0));
        if extra > MAX_HALVES {
            return false;
        }
        let known = self.overlays.iter().position(|&(other, _)| other == classes);
        let overlay = match known {
            Some(overlay) => overlay,
            None if classes == 0 || extra == 0 => return true,
            None if self.overlays.len() == MAX_OVERLAYS => return false,
            None => {
                self.overlays.push((classes, vec![0; self.cells.len()]));
                self.overlays.len() - 1
            }
        };
        self.has_new_costs |= self.edit_all(area, |map, cell| map.overlays[overlay].1[cell] = extra);
        true
    }

    /// Changes the cells of an area. Returns true if a profile notices.
    fn edit_all(&mut self, area: Area, change: impl Fn(&mut Self, usize)) -> bool {
        let mut has_changed = false;
        let (min, max, disc) = match area {
            Area::Cell(pos) => (pos, pos, None),
            Area::Rect { min, max } => (min, max, None),
            Area::Disc { center, radius } => {
                let corner = |sign: i32| {
                    let reach = radius.saturating_mul(sign);
                    throng_grid::Pos::new(center.x.saturating_add(reach), center.y.saturating_add(reach))
                };
                (corner(-1), corner(1), Some((center, i64::from(radius))))
            }
            _ => unreachable!("every kind of area is handled: a bug of throng"),
        };
        for y in min.y.max(0)..=max.y.min(self.height - 1) {
            for x in min.x.max(0)..=max.x.min(self.width - 1) {
                let inside = disc.is_none_or(|(center, radius)| {
                    let (dx, dy) = (i64::from(x) - i64::from(center.x), i64::from(y) - i64::from(center.y));
                    dx * dx + dy * dy <= radius * radius
                });
                if inside {
                    let cell = (y * self.width + x) as usize;
                    has_changed |= self.change_cell(cell, &change);
                }
            }
        }
        has_changed
    }

    /// Changes a cell and updates the hashes of all profiles. Returns true if a profile notices.
    fn change_cell(&mut self, cell: usize, change: impl Fn(&mut Self, usize)) -> bool {
        let CheckedCell { terrain, blocked, allowed } = self.cells[cell];
        let mut extras = [0; MAX_OVERLAYS];
        for (extra, (_, of_overlay)) in extras.iter_mut().zip(&self.overlays) {
            *extra = of_overlay[cell];
        }
        change(self, cell);
        let now = self.cells[cell];
        let same_cell = (terrain, blocked, allowed) == (now.terrain, now.blocked, now.allowed);
        if same_cell && extras.iter().zip(&self.overlays).all(|(extra, (_, now))| *extra == now[cell]) {
            return false;
        }
        // The state before is put back for a moment, so that both states are hashed by the same code.
        let after = std::mem::replace(&mut self.cells[cell], CheckedCell { terrain, blocked, allowed });
        let swap = |map: &mut Self, extras: &mut [u8; MAX_OVERLAYS]| {
            for (extra, (_, of_overlay)) in extras.iter_mut().zip(&mut map.overlays) {
                std::mem::swap(extra, &mut of_overlay[cell]);
            }
        };
        swap(self, &mut extras);
        let mut facts = [0; 256];
        for (profile, fact) in facts.iter_mut().enumerate().take(self.profiles.len()) {
            *fact = self.fact(profile, cell);
        }
        self.cells[cell] = after;
        swap(self, &mut extras);
        let mut has_changed = false;
        for (profile, before) in facts.iter().enumerate().take(self.profiles.len()) {
            let fact = self.fact(profile, cell);
            has_changed |= fact != *before;
            self.hashes[profile] ^= fact ^ before;
        }
        has_changed
    }

    /// Adds the state of a cell to the hashes of all profiles.
    fn add_to_hashes(&mut self, cell: usize) {
        for profile in 0..self.profiles.len() {
            self.hashes[profile] ^= self.fact(profile, cell);
        }
    }

    /// Returns the hash of the state of a cell for a profile, 0 if the profile may not enter its terrain.
    fn fact(&self, profile: usize, cell: usize) -> u64 {
        let halves = self.halves(profile, cell);
        if halves == 0 {
            return 0;
        }
        let extra = self.extra(profile, cell);
        let shut = u64::from(self.is_shut(profile, cell));
        finalize(u64::from(extra) << 40 | (cell as u64) << 8 | u64::from(halves + extra) << 1 | shut)
    }

    /// Returns the map's part of the state hash.
    pub(crate) fn hash(&self) -> u64 {
        self.hashes.iter().zip(0..).fold(0, |sum, (hash, profile)| sum ^ hash.rotate_left(profile))
    }

    /// Returns true if a path leads from one cell to another.
    pub(crate) fn reaches(&mut self, profile: usize, from: u32, to: u32) -> bool {
        let labels = self.labels(profile);
        let label = labels[from as usize];
        label != NO_LABEL && labels[to as usize] == label
    }

    /// Returns the connected components, computed by flooding after an edit.
    fn labels(&mut self, profile: usize) -> &[u32] {
        if self.labels[profile].is_empty() {
            let mut labels = vec![NO_LABEL; self.cells()];
            let mut front = Vec::new();
            for start in 0..self.cells() as u32 {
                if labels[start as usize] != NO_LABEL || !self.free(profile, self.position(start)) {
                    continue;
                }
                labels[start as usize] = start;
                front.push(start);
                while let Some(cell) = front.pop() {
                    let from = self.position(cell);
                    for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                        // A neighbour of a cell is at most one cell outside the map.
                        let to = (from.0.wrapping_add(dx), from.1.wrapping_add(dy));
                        if let Some(next) = self.cell(to)
                            && labels[next as usize] == NO_LABEL
                            && self.legal(profile, from, to)
                        {
                            labels[next as usize] = start;
                            front.push(next);
                        }
                    }
                }
            }
            self.labels[profile] = labels;
        }
        &self.labels[profile]
    }

    /// Returns the cell nearest to a position by straight-line distance that passes a test; ties go to the lowest
    /// number.
    pub(crate) fn nearest(&self, to: Position, test: impl Fn(u32) -> bool) -> Option<u32> {
        let mut best: Option<(i64, u32)> = None;
        for ring in 0..self.width.max(self.height) {
            if best.is_some_and(|(distance, _)| distance < i64::from(ring).pow(2)) {
                break;
            }
            for dy in -ring..=ring {
                // The top and bottom rows of the square are whole; of the others only the ends belong to it.
                let stride = if dy.abs() == ring { 1 } else { (2 * ring).max(1) as usize };
                for dx in (-ring..=ring).step_by(stride) {
                    let Some(cell) = self.cell((to.0 + dx, to.1 + dy)) else { continue };
                    let candidate = (i64::from(dx).pow(2) + i64::from(dy).pow(2), cell);
                    if best.is_none_or(|best| candidate < best) && test(cell) {
                        best = Some(candidate);
                    }
                }
            }
        }
        best.map(|(_, cell)| cell)
    }

    /// Returns the cell nearest to a position that can be reached from a cell.
    pub(crate) fn nearest_reachable(&mut self, profile: usize, from: u32, to: Position) -> Option<u32> {
        let label = self.labels(profile)[from as usize];
        if label == NO_LABEL {
            return None;
        }
        let labels = &self.labels[profile];
        self.nearest(to, |cell| labels[cell as usize] == label)
    }

    /// Returns the size of the connected component of a cell; 0 inside a wall.
    pub(crate) fn component_size(&mut self, profile: usize, from: u32) -> usize {
        let labels = self.labels(profile);
        match labels[from as usize] {
            NO_LABEL => 0,
            label => labels.iter().filter(|&&other| other == label).count(),
        }
    }
}

/// Returns the finalizer of `SplitMix64`, its increment added first.
pub(crate) const fn finalize(value: u64) -> u64 {
    let a = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    c ^ (c >> 31)
}
