//! Problems for crowds: who starts where and goes where.
//!
//! The seven types are those of D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, 2018,
//! section 5.4. The thesis names them and gives no numbers; ours are stated at each type. All starts and goals lie
//! in the largest connected part of the map, starts differ from each other and so do goals, and nobody starts at its
//! own goal.

use throng::grid::movingai::Scenario;
use throng::grid::{Pos, SeededRng};
use throng::{Cell, Ground};

/// A kind of problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ProblemType {
    /// Starts and goals anywhere.
    #[default]
    Random,
    /// From one side of the map to the opposite one. A side is the outer 15 % of the map's extent.
    CrossSides,
    /// Half of the agents from one side to the opposite one, half the other way.
    SwapSides,
    /// From the middle to the edges: the tenth of the cells nearest to the centre, and the outer 10 % of the extent.
    InsideOut,
    /// From the edges to the middle.
    OutsideIn,
    /// From one dense cluster to another at least half of the map's reach away.
    TightToTight,
    /// From a dense cluster to an area of four times as many cells.
    TightToWide,
}

impl ProblemType {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Random,
        Self::CrossSides,
        Self::SwapSides,
        Self::InsideOut,
        Self::OutsideIn,
        Self::TightToTight,
        Self::TightToWide,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::CrossSides => "cross-sides",
            Self::SwapSides => "swap-sides",
            Self::InsideOut => "inside-out",
            Self::OutsideIn => "outside-in",
            Self::TightToTight => "tight-to-tight",
            Self::TightToWide => "tight-to-wide",
        }
    }

    /// What it is, in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Random => "starts and goals anywhere",
            Self::CrossSides => "from one side of the map to the opposite one",
            Self::SwapSides => "two halves of the crowd change sides",
            Self::InsideOut => "from the middle to the edges",
            Self::OutsideIn => "from the edges to the middle",
            Self::TightToTight => "from one dense cluster to another, far away",
            Self::TightToWide => "from a dense cluster to a wide area, far away",
        }
    }
}

/// Starts and goals, one of each an agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instance {
    /// Where each agent starts.
    pub starts: Vec<Cell>,
    /// Where it goes.
    pub goals: Vec<Cell>,
}

/// Why there is no such problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The map has not enough room.
    #[error("{agents} agents do not fit: the largest connected part of the map has {cells} cells")]
    TooManyAgents {
        /// How many were asked for.
        agents: usize,
        /// How many cells there are.
        cells: usize,
    },
    /// There are more agents than cells, whatever the map is.
    #[error("{agents} agents do not fit: such a map has {area} cells")]
    MoreThanArea {
        /// How many were asked for.
        agents: usize,
        /// How many cells there are, free or not.
        area: usize,
    },
    /// Nobody could have a goal other than its start.
    #[error("the largest connected part of the map has one cell: there is nowhere to go")]
    NowhereToGo,
    /// The scenario has not enough lines.
    #[error("the scenario has {lines} problems, and {agents} are needed")]
    TooFewLines {
        /// How many were asked for.
        agents: usize,
        /// How many there are.
        lines: usize,
    },
    /// The map has not enough places to walk between.
    #[error("{agents} agents do not fit: there are {places} places for patrols, and {needed} are needed")]
    TooFewPlaces {
        /// How many were asked for.
        agents: usize,
        /// How many places there are.
        places: usize,
        /// How many places they need.
        needed: usize,
    },
    /// Patrols of this kind are not defined.
    #[error("patrols are of type random or swap-sides, not {0}")]
    NoPatrol(String),
    /// A line of the scenario cannot be used.
    #[error("{line}:1: {reason}")]
    Line {
        /// Its number in the file.
        line: u32,
        /// Why not.
        reason: String,
    },
}

impl Instance {
    /// A problem of a type, the same on every machine for the same seed.
    ///
    /// # Errors
    /// When the map has not room for so many agents.
    pub fn generate(
        ground: &Ground,
        kind: ProblemType,
        agents: usize,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        Self::check_room(ground, agents)?;
        let mut maker = Maker::new(ground, seed);
        let (starts, goals) = match kind {
            ProblemType::Random => {
                let everywhere = maker.cells.clone();
                (maker.draw(&everywhere, agents), maker.draw(&everywhere, agents))
            }
            ProblemType::CrossSides => {
                let (here, there) = maker.opposite_sides(agents);
                (maker.draw(&here, agents), maker.draw(&there, agents))
            }
            ProblemType::SwapSides => maker.swap_sides(agents),
            ProblemType::InsideOut => {
                let (inside, outside) = (maker.inside(agents), maker.outside(agents));
                (maker.draw(&inside, agents), maker.draw(&outside, agents))
            }
            ProblemType::OutsideIn => {
                let (inside, outside) = (maker.inside(agents), maker.outside(agents));
                (maker.draw(&outside, agents), maker.draw(&inside, agents))
            }
            ProblemType::TightToTight => {
                let (here, there) = maker.clusters(agents, agents);
                (maker.draw(&here, agents), maker.draw(&there, agents))
            }
            ProblemType::TightToWide => {
                let (here, there) = maker.clusters(agents, 4 * agents);
                (maker.draw(&here, agents), maker.draw(&there, agents))
            }
        };
        Ok(Self { starts, goals }.without_fixed_points())
    }

    /// Whether so many agents find room in the largest connected part of a map.
    ///
    /// # Errors
    /// When they do not.
    pub(crate) fn check_room(ground: &Ground, agents: usize) -> Result<(), ProblemError> {
        let components = ground.components();
        let cells = components.largest().map_or(0, |label| components.sizes()[label as usize] as usize);
        if agents > cells {
            return Err(ProblemError::TooManyAgents { agents, cells });
        }
        if agents > 0 && cells < 2 { Err(ProblemError::NowhereToGo) } else { Ok(()) }
    }

    /// The first problems of a scenario file, one an agent.
    ///
    /// # Errors
    /// When there are not enough, or one of them cannot be used: it does not fit the map, or shares its start or goal
    /// with an earlier one.
    pub fn from_scenario(ground: &Ground, scenario: &Scenario, agents: usize) -> Result<Self, ProblemError> {
        let lines = scenario.problems.len();
        if lines < agents {
            return Err(ProblemError::TooFewLines { agents, lines });
        }
        let mut instance = Self::default();
        let area = ground.size().area();
        let (mut started, mut aimed) = (vec![false; area], vec![false; area]);
        for problem in &scenario.problems[..agents] {
            let refuse = |reason: String| ProblemError::Line { line: problem.line, reason };
            if let Some(flaw) = problem.flaw(ground) {
                return Err(refuse(flaw.to_string()));
            }
            let (Some(start), Some(goal)) = (ground.cell(problem.start), ground.cell(problem.goal)) else {
                return Err(refuse("a place lies outside the map".to_owned()));
            };
            if std::mem::replace(&mut started[start.index()], true) {
                return Err(refuse(format!("an earlier line starts at {} too", problem.start)));
            }
            if std::mem::replace(&mut aimed[goal.index()], true) {
                return Err(refuse(format!("an earlier line goes to {} too", problem.goal)));
            }
            instance.starts.push(start);
            instance.goals.push(goal);
        }
        Ok(instance)
    }

    /// Exchanges goals until nobody starts at its own.
    fn without_fixed_points(mut self) -> Self {
        let agents = self.starts.len();
        for i in 0..agents {
            let other = (0..agents)
                .find(|&j| j != i && self.goals[j] != self.starts[i] && self.goals[i] != self.starts[j]);
            if let Some(j) = other.filter(|_| self.starts[i] == self.goals[i]) {
                self.goals.swap(i, j);
            }
        }
        self
    }
}

/// The cells of the largest connected part, in row order.
pub(crate) fn largest_part(ground: &Ground) -> Vec<Cell> {
    let components = ground.components();
    let largest = components.largest();
    let belongs = |cell: &Cell| largest.is_some() && components.label(ground, *cell) == largest;
    ground.free_cells().filter(belongs).collect()
}

/// Draws cells for problems.
struct Maker<'a> {
    ground: &'a Ground,
    rng: SeededRng,
    /// The cells of the largest component, in row order.
    cells: Vec<Cell>,
    min: Pos,
    max: Pos,
}

impl<'a> Maker<'a> {
    fn new(ground: &'a Ground, seed: u64) -> Self {
        let cells = largest_part(ground);
        let (mut min, mut max) = (Pos::new(i32::MAX, i32::MAX), Pos::new(0, 0));
        for pos in cells.iter().map(|&cell| ground.pos(cell)) {
            min = Pos::new(min.x.min(pos.x), min.y.min(pos.y));
            max = Pos::new(max.x.max(pos.x), max.y.max(pos.y));
        }
        Self { ground, rng: SeededRng::new(seed), cells, min, max }
    }

    /// So many different cells of a pool, in any order.
    fn draw(&mut self, pool: &[Cell], count: usize) -> Vec<Cell> {
        let mut pool = pool.to_vec();
        self.rng.shuffle(&mut pool);
        pool.truncate(count);
        pool
    }

    /// The cells whose rank is at most `most`, or the `least` cells of lowest rank if those are more.
    fn lowest(&self, rank: impl Fn(Pos) -> i64, most: i64, least: usize) -> Vec<Cell> {
        let mut ranked: Vec<_> = self.cells.iter().map(|&cell| (rank(self.ground.pos(cell)), cell)).collect();
        ranked.sort_unstable();
        let within = ranked.partition_point(|&(rank, _)| rank <= most);
        ranked.truncate(within.max(least));
        ranked.into_iter().map(|(_, cell)| cell).collect()
    }

    fn opposite_sides(&mut self, agents: usize) -> (Vec<Cell>, Vec<Cell>) {
        let (min, max) = (self.min, self.max);
        let band = |extent: i32| i64::from(extent + 1) * 15 / 100;
        let (wide, high) = (band(max.x - min.x), band(max.y - min.y));
        let mut sides = if self.rng.chance(50) {
            [
                self.lowest(|pos| i64::from(pos.x - min.x), wide, agents),
                self.lowest(|pos| i64::from(max.x - pos.x), wide, agents),
            ]
        } else {
            [
                self.lowest(|pos| i64::from(pos.y - min.y), high, agents),
                self.lowest(|pos| i64::from(max.y - pos.y), high, agents),
            ]
        };
        self.rng.shuffle(&mut sides);
        let [here, there] = sides;
        (here, there)
    }

    fn swap_sides(&mut self, agents: usize) -> (Vec<Cell>, Vec<Cell>) {
        let half = agents / 2;
        let (here, there) = self.opposite_sides(agents);
        let mut cells = |first: &[Cell], second: &[Cell], count: usize| {
            let mut drawn = self.draw(first, count);
            // On a small map the sides overlap.
            let rest: Vec<Cell> = second.iter().copied().filter(|cell| !drawn.contains(cell)).collect();
            drawn.extend(self.draw(&rest, agents - count));
            drawn
        };
        (cells(&here, &there, half), cells(&there, &here, half))
    }

    fn inside(&self, agents: usize) -> Vec<Cell> {
        let count = self.cells.len().max(1) as i64;
        let sum = self.cells.iter().fold((0_i64, 0_i64), |sum, &cell| {
            let pos = self.ground.pos(cell);
            (sum.0 + i64::from(pos.x), sum.1 + i64::from(pos.y))
        });
        let (x, y) = (sum.0 / count, sum.1 / count);
        let rank = |pos: Pos| (i64::from(pos.x) - x).pow(2) + (i64::from(pos.y) - y).pow(2);
        self.lowest(rank, -1, agents.max(self.cells.len() / 10))
    }

    fn outside(&self, agents: usize) -> Vec<Cell> {
        let (min, max) = (self.min, self.max);
        // Distance from the border in thousandths of the extent, so that wide maps have wide edges.
        let share = |distance: i32, extent: i32| i64::from(distance) * 1_000 / i64::from(extent + 1);
        let rank = |pos: Pos| {
            let x = share((pos.x - min.x).min(max.x - pos.x), max.x - min.x);
            let y = share((pos.y - min.y).min(max.y - pos.y), max.y - min.y);
            x.min(y)
        };
        self.lowest(rank, 100, agents)
    }

    /// The nearest cells around a random one, and around another at least half as far away as any is.
    fn clusters(&mut self, here: usize, there: usize) -> (Vec<Cell>, Vec<Cell>) {
        let Some(&first) = self.cells.get(self.rng.below(self.cells.len() as u32) as usize) else {
            return (Vec::new(), Vec::new());
        };
        let (order, steps) = self.outwards(first);
        let reach = order.last().map_or(0, |cell| steps[cell.index()]);
        let far: Vec<Cell> = order.iter().copied().filter(|cell| 2 * steps[cell.index()] >= reach).collect();
        let second = self.rng.pick(&far);
        let around = self.outwards(second).0;
        let ball = |order: &[Cell], count: usize| order[..count.min(order.len())].to_vec();
        (ball(&order, here), ball(&around, there))
    }

    /// The cells in the order of their distance in moves, and that distance.
    fn outwards(&self, from: Cell) -> (Vec<Cell>, Vec<u32>) {
        let mut steps = vec![u32::MAX; self.ground.size().area()];
        steps[from.index()] = 0;
        let (mut order, mut next) = (vec![from], 0);
        while let Some(&cell) = order.get(next) {
            next += 1;
            for (_, to) in self.ground.neighbours(cell) {
                if steps[to.index()] == u32::MAX {
                    steps[to.index()] = steps[cell.index()] + 1;
                    order.push(to);
                }
            }
        }
        (order, steps)
    }
}

#[cfg(test)]
mod tests;
