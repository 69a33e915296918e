//! The circumstances of a paused search, and whether they still hold.
//!
//! A search that the work of one tick does not suffice for goes on in the world in which it began: among the units that
//! its agent saw then, wherever they are by now, and on the tiles of the map that it has read. It is out of date when its
//! agent has moved or has another target, or when one of these tiles has changed. A snapshot holds the circumstances and
//! the number of expansions; after loading, the search repeats these expansions without spending work again.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, Occupancy, StateError, Validate, View};
use throng_grid::{Area, Cell, Ground, Pos};
use throng_search::TouchedTiles;

use crate::guidance::direction::is_within;

/// The units that a search treats as obstacles.
#[derive(Clone, Copy, Debug)]
pub enum VisibleAgents<'a> {
    /// All units, at their present cells.
    Now(&'a Occupancy),
    /// The cells that were occupied when the search began, in ascending order.
    Then(&'a [Cell]),
}

impl VisibleAgents<'_> {
    /// Returns true if a unit occupies the cell.
    #[inline]
    pub fn hold(self, cell: Cell) -> bool {
        match self {
            Self::Now(occupancy) => !occupancy.is_free(cell),
            Self::Then(cells) => contains(cells, cell),
        }
    }
}

/// Separate and cold, because most searches finish in the tick in which they begin and test every cell.
#[cold]
fn contains(cells: &[Cell], cell: Cell) -> bool {
    cells.binary_search(&cell).is_ok()
}

/// The circumstances of one agent's search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PausedSearch {
    /// The agent that the search is for.
    pub agent: AgentRow,
    /// The cell of the agent.
    pub from: Cell,
    /// The target of the agent.
    pub target: Cell,
    /// Whether the search has been paused. Until then it sees the units where they are.
    paused: bool,
    /// The cells that were occupied within the agent's sight at the first pause, in ascending order.
    occupied: Vec<Cell>,
    /// The tiles that were read.
    touched: TouchedTiles,
    /// The number of expansions whose tiles are in `touched`. 0 after loading: recording them again changes nothing.
    #[serde(skip)]
    recorded: usize,
    /// The fingerprint of the whole ground, for a search that depends on all of it.
    ground: Option<u64>,
}

impl Default for PausedSearch {
    fn default() -> Self {
        let (occupied, touched) = (Vec::new(), TouchedTiles::default());
        let (agent, from, target) = (AgentRow(0), Cell(0), Cell(0));
        Self { agent, from, target, paused: false, occupied, touched, recorded: 0, ground: None }
    }
}

impl PausedSearch {
    /// Begins a search for an agent, from its cell to a target.
    pub fn begin(&mut self, view: &View<'_>, agent: AgentRow, target: Cell) {
        (self.agent, self.from, self.target) = (agent, view.at(agent), target);
        (self.paused, self.recorded, self.ground) = (false, 0, None);
        self.occupied.clear();
        self.touched.begin(view.ground(agent));
    }

    /// Returns the units that are obstacles for this search.
    pub fn visible_agents<'a>(&'a self, view: &View<'a>) -> VisibleAgents<'a> {
        if self.paused { VisibleAgents::Then(&self.occupied) } else { VisibleAgents::Now(view.occupancy()) }
    }

    /// Pauses the search at the end of a tick. `sight` is the square of the distance up to which the agent sees others,
    /// `expanded` lists the expanded cells. `whole_ground` says that the search depends on more than their tiles.
    pub fn pause(&mut self, view: &View<'_>, sight: u64, expanded: &[u32], whole_ground: bool) {
        let ground = view.ground(self.agent);
        if !std::mem::replace(&mut self.paused, true) {
            list_occupied(view, self.from, sight, &mut self.occupied);
        }
        self.ground = whole_ground.then(|| ground.fingerprint());
        self.record_tiles(ground, expanded, |tile| ground.tile_fingerprint(tile));
    }

    /// Records the tiles of the cells expanded so far. `fingerprint` covers everything that the search reads of a tile.
    pub fn record_tiles(&mut self, ground: &Ground, expanded: &[u32], fingerprint: impl Fn(usize) -> u64) {
        for &node in &expanded[self.recorded.min(expanded.len())..] {
            self.touched.record(ground.size(), Cell(node), &fingerprint);
        }
        self.recorded = expanded.len();
    }

    /// Returns true if the search may go on: the agent may step, has the same cell and target, and the ground is the same
    /// as far as it was read.
    pub fn is_current(&mut self, view: &View<'_>) -> bool {
        let ground = view.ground(self.agent);
        view.may_step(self.agent) && self.is_same_query(view) && self.is_ground_current(ground)
    }

    /// Returns true if the ground is the same as far as [`PausedSearch::pause`] recorded it.
    pub fn is_ground_current(&mut self, ground: &Ground) -> bool {
        self.ground.is_none_or(|known| known == ground.fingerprint())
            && self.are_tiles_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Returns true if the agent is alive and has the same cell and target as when the search began.
    pub fn is_same_query(&self, view: &View<'_>) -> bool {
        view.is_alive(self.agent)
            && view.at(self.agent) == self.from
            && view.target(self.agent) == Some(self.target)
    }

    /// Returns true if no tile that was read has changed. `fingerprint` is the one of [`PausedSearch::record_tiles`].
    pub fn are_tiles_current(&mut self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) -> bool {
        self.touched.is_current(ground, fingerprint)
    }

    /// Returns the bytes of memory held besides the value itself.
    pub fn memory_bytes(&self) -> usize {
        self.occupied.capacity() * size_of::<Cell>() + self.touched.memory_bytes()
    }
}

impl Validate for PausedSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // The fingerprint is only compared with that of the ground, and `recorded` is not saved.
        let Self { agent, from, target, paused: _, occupied, touched, recorded: _, ground: _ } = self;
        touched.validate(limits)?;
        agent.validate(limits)?;
        [*from, *target].validate(limits)?;
        occupied.validate(limits)?;
        limits.require(occupied.is_sorted(), "the cells that a search saw occupied are not in order")
    }
}

/// Lists the occupied cells up to a distance, given as its square, in ascending order.
fn list_occupied(view: &View<'_>, from: Cell, sight: u64, occupied: &mut Vec<Cell>) {
    let size = view.grid().size();
    let here = size.pos(from);
    let reach = sight.isqrt().min(u64::from(size.width().max(size.height()))) as i32;
    let corner = |sign| Pos::new(here.x + sign * reach, here.y + sign * reach);
    let cells = Area::rect(corner(-1), corner(1)).cells(size);
    occupied
        .extend(cells.filter(|&cell| is_within(size, here, sight, cell) && !view.occupancy().is_free(cell)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Stationary;
    use throng_crowd::state::{decode, encode};
    use throng_crowd::{AgentId, AgentSpec, Budget, Settings, World};
    use throng_grid::{Grid, MoveRules, Size, Terrain, Tiles};

    const WALKER: AgentRow = AgentRow(0);
    const AGENT: AgentId = AgentId::from_bits(0);

    /// A map of three by three tiles, with an agent under way near the middle of the first one.
    fn world() -> World {
        let tiles = Tiles::filled(Size::new(96, 96).unwrap(), Terrain::Ground);
        let grid = Grid::new(tiles, MoveRules::default());
        let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
        world.spawn(AgentSpec::at(16, 16)).unwrap();
        world.send(AGENT, Pos::new(90, 16)).unwrap();
        world.spawn(AgentSpec::at(18, 16)).unwrap();
        world.tick(Budget::Unlimited, &mut Vec::new());
        world
    }

    fn paused(world: &World, expanded: &[Pos], everything: bool) -> PausedSearch {
        let (view, mut paused_search) = (world.view(), PausedSearch::default());
        paused_search.begin(&view, WALKER, view.target(WALKER).unwrap());
        let expanded: Vec<u32> = expanded.iter().map(|&pos| world.grid().cell(pos).unwrap().0).collect();
        paused_search.pause(&view, 4, &expanded, everything);
        paused_search
    }

    #[test]
    fn only_changes_of_tiles_that_were_read_matter() {
        let mut world = world();
        let mut near = paused(&world, &[Pos::new(16, 16)], false);
        // The moves of a cell depend on the cells around it; those of this cell lie on a second tile, too.
        let mut border = paused(&world, &[Pos::new(31, 16)], false);
        let mut all = paused(&world, &[Pos::new(16, 16)], true);
        let mut current = |edit: Option<Pos>| {
            edit.map(|place| world.block(place));
            let view = world.view();
            let current =
                [&mut near, &mut border, &mut all].map(|paused_search| paused_search.is_current(&view));
            edit.map(|place| world.unblock(place));
            current
        };
        assert_eq!(current(None), [true; 3]);
        assert_eq!(current(Some(Pos::new(80, 80))), [true, true, false]);
        assert_eq!(current(Some(Pos::new(40, 20))), [true, false, false]);
        assert_eq!(current(Some(Pos::new(3, 3))), [false; 3]);
        assert_eq!(current(None), [true; 3], "an edit that was undone");
        world.send(AGENT, Pos::new(5, 5)).unwrap();
        assert!(!near.is_current(&world.view()), "another target");
        world.send(AGENT, Pos::new(90, 16)).unwrap();
        assert!(near.is_current(&world.view()));
        world.teleport(AGENT, Pos::new(20, 16)).unwrap();
        assert!(!near.is_current(&world.view()), "another cell");
        world.despawn(AGENT).unwrap();
        assert!(!near.is_current(&world.view()), "despawned");
    }

    #[test]
    fn a_paused_search_sees_the_units_of_its_first_tick() {
        let mut world = world();
        let paused_search = paused(&world, &[Pos::new(16, 16)], false);
        let cell = |x| Size::new(96, 96).unwrap().cell(Pos::new(x, 16)).unwrap();
        let (mut bytes, limits) = (Vec::new(), Limits::new(world.grid(), 2, 1));
        encode(&paused_search, &mut bytes);
        let loaded: PausedSearch = decode(&bytes, &limits).unwrap();
        world.teleport(AgentId::from_bits(1), Pos::new(17, 16)).unwrap();
        for mut paused_search in [paused_search, loaded] {
            let view = world.view();
            assert!(paused_search.is_current(&view));
            assert!(
                paused_search.visible_agents(&view).hold(cell(18))
                    && !paused_search.visible_agents(&view).hold(cell(17))
            );
            let now = VisibleAgents::Now(view.occupancy());
            assert!(now.hold(cell(17)) && !now.hold(cell(18)));
        }
        for end in 0..bytes.len() {
            assert!(decode::<PausedSearch>(&bytes[..end], &limits).is_err(), "cut short at {end}");
        }
    }
}
