//! Queries about places: agents near a position, reachability, line of sight.

use throng_grid::{Cell, Ground, Pos, ProfileId};

use crate::{AgentId, AgentRow, World, WorldError};

impl World {
    /// Returns the agents up to a distance from a position, in cells between centres, the nearest first; of equally near
    /// ones, that with the lower row first. The position may lie outside the map.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("........"), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let [a, b] = [world.spawn(AgentSpec::at(1, 0))?, world.spawn(AgentSpec::at(4, 0))?];
    /// world.spawn(AgentSpec::at(7, 0))?;
    /// assert_eq!(world.agents_near(Pos::new(3, 0), 2), [b, a]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn agents_near(&self, pos: Pos, radius: u16) -> Vec<AgentId> {
        let square = |other: Pos| {
            let difference = |a: i32, b: i32| u64::from(a.abs_diff(b)).saturating_pow(2);
            difference(other.x, pos.x).saturating_add(difference(other.y, pos.y))
        };
        let limit = u64::from(radius).pow(2);
        let found = |agent: AgentRow| (square(self.pos(self.agents.at[agent.index()])), agent);
        let side = 2 * usize::from(radius) + 1;
        let mut near: Vec<_> = if side * side < self.agents.living.len() {
            let size = self.grid.size();
            let around = |centre: i32| {
                centre.saturating_sub(i32::from(radius))..=centre.saturating_add(i32::from(radius))
            };
            let cells = around(pos.y).flat_map(|y| around(pos.x).map(move |x| Pos::new(x, y)));
            // An agent that makes a step of several ticks is in two cells.
            let here =
                |cell: Cell| self.occupancy.agent(cell).filter(|agent| self.agents.at[agent.index()] == cell);
            cells.filter_map(|pos| here(size.cell(pos)?)).map(found).collect()
        } else {
            self.agents.living.iter().copied().map(found).collect()
        };
        near.retain(|&(distance, _)| distance <= limit);
        near.sort_unstable();
        near.into_iter().map(|(_, agent)| self.agents.id(agent)).collect()
    }

    /// Returns true if an agent of a profile can walk from one position to the other, units left aside; false if one of them is
    /// outside the map or blocked. With fog this is answered on the map that all agents share, or, if each has its own, on
    /// a map without walls: ask [`World::known_ground`] about one agent then.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("..#.."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let world = World::new(grid, planner, Settings::default())?;
    /// let profile = throng::ProfileId(0);
    /// assert!(world.reachable(profile, Pos::new(0, 0), Pos::new(1, 0))?);
    /// assert!(!world.reachable(profile, Pos::new(0, 0), Pos::new(4, 0))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the grid has no such profile.
    pub fn reachable(&self, profile: ProfileId, from: Pos, to: Pos) -> Result<bool, WorldError> {
        let ground = self.asked_ground(profile)?;
        Ok(ground.cell(from).zip(ground.cell(to)).is_some_and(|(from, to)| ground.reachable(from, to)))
    }

    /// Returns true if the straight line between the centres of two cells crosses only cells where an agent of a profile can
    /// stand, the ends included. A line through a corner of cells needs both cells beside the corner. It is the same in
    /// both directions. Units do not block it. With fog it is answered on the map of [`World::reachable`].
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let map = "....
    /// #     ..#.";
    /// # let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let world = World::new(grid, planner, Settings::default())?;
    /// let profile = throng::ProfileId(0);
    /// assert!(world.line_of_sight(profile, Pos::new(0, 0), Pos::new(3, 0))?);
    /// assert!(!world.line_of_sight(profile, Pos::new(0, 1), Pos::new(3, 0))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the grid has no such profile.
    pub fn line_of_sight(&self, profile: ProfileId, from: Pos, to: Pos) -> Result<bool, WorldError> {
        let ground = self.asked_ground(profile)?;
        let is_inside = ground.size().contains(from) && ground.size().contains(to);
        Ok(is_inside && sees(ground, from, to))
    }

    fn asked_ground(&self, profile: ProfileId) -> Result<&Ground, WorldError> {
        self.view().grid().ground_of(profile).ok_or(WorldError::NoSuchProfile(profile))
    }
}

/// Returns true if all cells that the line between two positions of the map touches are free.
fn sees(ground: &Ground, from: Pos, to: Pos) -> bool {
    let is_free = |x: i32, y: i32| ground.cell(Pos::new(x, y)).is_some_and(|cell| ground.is_free(cell));
    let (dx, dy) = (to.x.abs_diff(from.x), to.y.abs_diff(from.y));
    let (sx, sy) = ((to.x - from.x).signum(), (to.y - from.y).signum());
    let (mut x, mut y) = (from.x, from.y);
    // The numbers of vertical and of horizontal borders crossed so far. The next border of a kind is crossed at
    // (2 * count + 1) / (2 * d) of the way.
    let (mut columns, mut rows) = (0, 0);
    while is_free(x, y) {
        if columns == dx && rows == dy {
            return true;
        }
        let (next_column, next_row) = ((2 * columns + 1) * dy, (2 * rows + 1) * dx);
        if columns < dx && (rows == dy || next_column < next_row) {
            (x, columns) = (x + sx, columns + 1);
        } else if rows < dy && (columns == dx || next_row < next_column) {
            (y, rows) = (y + sy, rows + 1);
        } else {
            if !is_free(x + sx, y) || !is_free(x, y + sy) {
                return false;
            }
            (x, y, columns, rows) = (x + sx, y + sy, columns + 1, rows + 1);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentSpec, Settings, Stationary};
    use throng_grid::{Grid, MoveRules, Size, Terrain, Tiles};

    /// Returns true if a line between two centres touches a cell, its border included. All numbers are doubled.
    fn touches(from: Pos, to: Pos, cell: Pos) -> bool {
        let (dx, dy) = (i64::from(to.x - from.x), i64::from(to.y - from.y));
        let (cx, cy) = (2 * i64::from(cell.x - from.x), 2 * i64::from(cell.y - from.y));
        let within = |c: i64, d: i64| c - 1 <= (2 * d).max(0) && c + 1 >= (2 * d).min(0);
        // On which side of the line each corner lies.
        let side = |x: i64, y: i64| (dx * (cy + y) - dy * (cx + x)).signum();
        let sides = [side(-1, -1), side(-1, 1), side(1, -1), side(1, 1)];
        let is_apart = sides.iter().all(|&side| side > 0) || sides.iter().all(|&side| side < 0);
        within(cx, dx) && within(cy, dy) && !is_apart
    }

    fn noise(number: u32) -> u32 {
        (number + 1).wrapping_mul(2_654_435_761) >> 9
    }

    fn world(width: u32, height: u32, seed: u32) -> World {
        let size = Size::new(width, height).unwrap();
        let wall = |cell: Cell| noise(cell.0 ^ seed << 12).is_multiple_of(6);
        let terrain = |cell| if wall(cell) { Terrain::Wall } else { Terrain::Ground };
        let grid = Grid::new(Tiles::from_fn(size, terrain), MoveRules::default());
        World::new(grid, Box::new(Stationary), Settings::default()).unwrap()
    }

    #[test]
    fn lines_match_an_exact_test_of_every_cell() {
        let (mut seen, mut hidden) = (0, 0);
        for seed in 0..8 {
            let world = world(11, 9, seed);
            let (ground, size) = (world.grid().ground(), world.grid().size());
            let cells: Vec<Pos> = size.cells().map(|cell| size.pos(cell)).collect();
            for &from in &cells {
                for &to in &cells {
                    let is_free = |&&pos: &&Pos| ground.is_free(ground.cell(pos).unwrap());
                    let expected =
                        cells.iter().filter(|&&cell| touches(from, to, cell)).all(|pos| is_free(&pos));
                    let found = world.line_of_sight(ProfileId(0), from, to).unwrap();
                    assert_eq!(found, expected, "{from} to {to}, seed {seed}");
                    *if found { &mut seen } else { &mut hidden } += 1;
                }
            }
        }
        assert!(seen > 1_000 && hidden > 1_000, "{seen} {hidden}");
    }

    #[test]
    fn places_outside_the_map_have_answers() {
        let world = world(11, 9, 1);
        let far = [Pos::new(-1, 0), Pos::new(11, 0), Pos::new(i32::MAX, i32::MIN)];
        for pos in far {
            assert!(!world.reachable(ProfileId(0), pos, Pos::new(1, 1)).unwrap());
            assert!(!world.line_of_sight(ProfileId(0), Pos::new(1, 1), pos).unwrap());
            assert_eq!((world.agents_near(pos, u16::MAX), world.occupant(pos)), (vec![], None));
        }
        let other = ProfileId(9);
        assert_eq!(world.reachable(other, far[0], far[0]), Err(WorldError::NoSuchProfile(other)));
        assert_eq!(world.line_of_sight(other, far[0], far[0]), Err(WorldError::NoSuchProfile(other)));
    }

    /// Both for small circles, whose cells are looked at, and for large ones, where the agents are.
    #[test]
    fn near_agents_match_a_test_of_every_agent() {
        let mut world = world(30, 20, 3);
        for number in 0..120 {
            _ = world.spawn(AgentSpec::at((noise(number) % 30) as i32, (noise(number + 500) % 20) as i32));
        }
        world.place_foreign(Pos::new(29, 19)).ok();
        for number in 0..400 {
            let pos = Pos::new((noise(number) % 36) as i32 - 3, (noise(number + 900) % 26) as i32 - 3);
            let radius = [0, 1, 3, 4, 7, 12, 60_000][number as usize % 7];
            let square = |id: AgentId| {
                let at = world.position(id).unwrap();
                u64::from(at.x.abs_diff(pos.x)).pow(2) + u64::from(at.y.abs_diff(pos.y)).pow(2)
            };
            let is_near = |id: &AgentId| square(*id) <= u64::from(radius).pow(2);
            let mut expected: Vec<_> = world.agents().iter().copied().filter(is_near).collect();
            expected.sort_by_key(|&id| (square(id), id.row()));
            assert_eq!(world.agents_near(pos, radius), expected, "{pos}, {radius}");
        }
    }
}
