//! Searches that are kept across ticks, because the work of one does not suffice.
//!
//! A search goes on in the world in which it began: among the units that its agent saw then, whatever they have done
//! since, and on the tiles of the map that it has looked at. It is out of date when its agent stands elsewhere or
//! goes elsewhere, or one of these tiles has changed; then its owner begins another one. Saved are its
//! circumstances and how far it had come: after loading it is searched again, which was paid for before.

use throng_grid::{Cell, Cost, Pos, Size};
use throng_search::open_list::{Entry, OpenList};
use throng_search::{BestFirst, DenseStore, Heuristic, Policy, Space, Status, TouchedTiles};

use throng_crowd::bytes::{Damaged, Reader, put, put_touched};
use throng_crowd::{AgentId, Occupancy, View};

/// Who is in the way of a search: those who stand there now, or those who did when it began.
#[derive(Clone, Copy, Debug)]
pub enum VisibleAgents<'a> {
    /// Everyone, where they are.
    Now(&'a Occupancy),
    /// Some cells, in order.
    Then(&'a [Cell]),
}

impl VisibleAgents<'_> {
    /// Whether somebody holds a cell.
    #[inline]
    pub fn hold(self, cell: Cell) -> bool {
        match self {
            Self::Now(occupancy) => !occupancy.is_free(cell),
            Self::Then(cells) => is_among(cells, cell),
        }
    }
}

/// Apart, for most searches are done in the tick in which they begin, and ask this of every cell.
#[cold]
fn is_among(cells: &[Cell], cell: Cell) -> bool {
    cells.binary_search(&cell).is_ok()
}

/// The circumstances of a search for one agent.
#[derive(Clone, Debug)]
pub struct PausedSearch {
    /// Whose search it is.
    pub agent: AgentId,
    /// Where the agent stands.
    pub from: Cell,
    /// Where it goes.
    pub target: Cell,
    /// Whether it goes on in a later tick than it began in, and the cells held by those whom the agent saw then.
    paused: bool,
    held: Vec<Cell>,
    /// The tiles looked at, and how many expansions they are of.
    touched: TouchedTiles,
    looked_at: usize,
    /// The fingerprint of the whole ground, where the search depends on all of it.
    ground: Option<u64>,
}

impl Default for PausedSearch {
    fn default() -> Self {
        let (agent, from, target) = (AgentId(0), Cell(0), Cell(0));
        let (held, touched) = (Vec::new(), TouchedTiles::default());
        Self { agent, from, target, paused: false, held, touched, looked_at: 0, ground: None }
    }
}

impl PausedSearch {
    /// A search that begins for an agent which has a target.
    pub fn begin(&mut self, view: &View<'_>, agent: AgentId, target: Cell) {
        (self.agent, self.from, self.target) = (agent, view.at(agent), target);
        (self.paused, self.looked_at, self.ground) = (false, 0, None);
        self.touched.begin(view.ground(agent));
    }

    /// Who is in the way.
    pub fn others<'a>(&'a self, view: &View<'a>) -> VisibleAgents<'a> {
        if self.paused { VisibleAgents::Then(&self.held) } else { VisibleAgents::Now(view.occupancy()) }
    }

    /// The tick ends before the search does. `sight` is the square of the distance up to which its agent sees others,
    /// `expanded` what it has expanded so far, of which it has read the moves; `everything` says that it depends on
    /// the whole ground.
    pub fn pause(&mut self, view: &View<'_>, sight: u64, expanded: &[u32], everything: bool) {
        let (ground, from) = (view.ground(self.agent), self.from);
        if !std::mem::replace(&mut self.paused, true) {
            self.held.clear();
            hold_around(view, from, sight, &mut self.held);
        }
        self.ground = everything.then(|| ground.fingerprint());
        for &node in &expanded[self.looked_at.min(expanded.len())..] {
            self.touched.record(ground.size(), Cell(node), |tile| ground.tile_fingerprint(tile));
        }
        self.looked_at = expanded.len();
    }

    /// Whether the search may go on: its agent may step, and is where it was and goes where it went, and what was
    /// seen of the map is still so.
    pub fn is_current(&mut self, view: &View<'_>) -> bool {
        let ground = view.ground(self.agent);
        view.agents().binary_search(&self.agent).is_ok()
            && view.may_step(self.agent)
            && view.at(self.agent) == self.from
            && view.target(self.agent) == Some(self.target)
            && self.ground.is_none_or(|known| known == ground.fingerprint())
            && self.touched.is_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.held.capacity() * size_of::<Cell>() + self.touched.memory_bytes()
    }

    /// Writes a search that was paused.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        for value in [self.agent.0, self.from.0, self.target.0, self.held.len() as u32] {
            put(bytes, u64::from(value));
        }
        self.held.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        put(bytes, u64::from(self.ground.is_some()));
        self.ground.iter().for_each(|&known| put(bytes, known));
        put_touched(bytes, &self.touched);
    }

    /// Reads what [`PausedSearch::save`] wrote, for a map of this size and so many agents.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(reader: &mut Reader<'_>, size: Size, agents: usize) -> Result<Self, Damaged> {
        let last = size.area() as u64 - 1;
        let agent = AgentId(reader.number_to((agents as u64).saturating_sub(1), "an agent")? as u32);
        let from = Cell(reader.number_to(last, "a cell")? as u32);
        let target = Cell(reader.number_to(last, "a cell")? as u32);
        let mut held = Vec::new();
        for _ in 0..reader.length("held cells")? {
            held.push(Cell(reader.number_to(last, "a held cell")? as u32));
        }
        let ground = if reader.flag("a flag")? { Some(reader.number("a fingerprint")?) } else { None };
        let touched = reader.touched()?;
        if !held.is_sorted() {
            return Err(reader.damaged("held cells in order"));
        }
        Ok(Self { agent, from, target, paused: true, held, touched, looked_at: 0, ground })
    }
}

/// Lists the cells up to a distance, given as its square, that somebody holds, in order.
fn hold_around(view: &View<'_>, from: Cell, sight: u64, held: &mut Vec<Cell>) {
    let size = view.grid().size();
    let here = size.pos(from);
    let reach = sight.isqrt().min(u64::from(size.width().max(size.height()))) as i32;
    let rows = (here.y - reach).max(0)..=(here.y + reach).min(size.height() as i32 - 1);
    let columns = (here.x - reach).max(0)..=(here.x + reach).min(size.width() as i32 - 1);
    let cells = rows.flat_map(|y| columns.clone().filter_map(move |x| size.cell(Pos::new(x, y))));
    held.extend(cells.filter(|&cell| {
        let pos = size.pos(cell);
        let (dx, dy) = (u64::from(pos.x.abs_diff(here.x)), u64::from(pos.y.abs_diff(here.y)));
        dx * dx + dy * dy <= sight && !view.occupancy().is_free(cell)
    }));
}

/// A search from one node to another, run in slices.
#[derive(Clone, Debug)]
pub struct SlicedSearch<F> {
    search: BestFirst<DenseStore, F>,
    /// Before the search begins: the expansions that it has to its credit.
    owed: Option<u64>,
}

impl<F: OpenList + Default> Default for SlicedSearch<F> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<F: OpenList + Default> SlicedSearch<F> {
    /// A search that had made so many expansions when it was saved.
    pub fn new(expansions: u64) -> Self {
        let search = BestFirst::new(DenseStore::default(), F::default(), Policy::default());
        Self { search, owed: Some(expansions) }
    }

    /// Forgets everything: the next slice begins another search.
    pub fn restart(&mut self) {
        self.owed = Some(0);
    }

    /// Goes on for at most `limit` expansions. Space, start, goal and heuristic are those of the slices before; `span` is
    /// what the open list has to expect.
    pub fn go_on(
        &mut self,
        space: &mut impl Space,
        heuristic: &mut impl Heuristic,
        (from, is_goal): (u32, impl Fn(u32) -> bool),
        span: (Cost, u32),
        limit: u64,
    ) -> Status {
        let owed = self.owed.take();
        if owed.is_some() {
            self.search.set_f_range(span);
            self.search.begin(space);
            self.search.add_source(from, 0, heuristic);
        }
        // What was expanded before it was saved is not counted against the limit.
        let limit = limit.saturating_add(owed.unwrap_or(0));
        self.search.resume(space, heuristic, is_goal, limit, &mut ())
    }

    /// The search itself, once it has begun.
    pub fn search(&self) -> &BestFirst<DenseStore, F> {
        &self.search
    }

    /// The node that would be expanded next.
    pub fn first(&mut self) -> Option<Entry> {
        self.search.first()
    }

    /// What it has expanded, in order; nothing before the first slice.
    pub fn expanded(&self) -> &[u32] {
        if self.owed.is_some() { &[] } else { self.search.closed() }
    }

    /// How many expansions it has made.
    pub fn expansions(&self) -> u64 {
        self.owed.unwrap_or_else(|| self.search.expansions())
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Stationary;
    use throng_crowd::{AgentSpec, Budget, Settings, World};
    use throng_grid::{Grid, MoveRules, Terrain, Tiles};

    const WALKER: AgentId = AgentId(0);

    /// A map of three times three tiles, on which somebody near the middle of the first one goes elsewhere.
    fn world() -> World {
        let tiles = Tiles::filled(Size::new(96, 96).unwrap(), Terrain::Ground);
        let grid = Grid::new(tiles, MoveRules::default());
        let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
        world.spawn(AgentSpec::at(16, 16)).unwrap();
        world.send(WALKER, Pos::new(90, 16)).unwrap();
        world.spawn(AgentSpec::at(18, 16)).unwrap();
        world.tick(Budget::Unlimited, &mut Vec::new());
        world
    }

    fn paused(world: &World, expanded: &[Pos], everything: bool) -> PausedSearch {
        let (view, mut kept) = (world.view(), PausedSearch::default());
        kept.begin(&view, WALKER, view.target(WALKER).unwrap());
        let expanded: Vec<u32> = expanded.iter().map(|&pos| world.grid().cell(pos).unwrap().0).collect();
        kept.pause(&view, 4, &expanded, everything);
        kept
    }

    #[test]
    fn only_what_was_looked_at_matters() {
        let mut world = world();
        let mut near = paused(&world, &[Pos::new(16, 16)], false);
        // The moves of a cell depend on the cells around it: this one's on a second tile.
        let mut border = paused(&world, &[Pos::new(31, 16)], false);
        let mut all = paused(&world, &[Pos::new(16, 16)], true);
        let mut current = |edit: Option<Pos>| {
            edit.map(|place| world.block(place));
            let view = world.view();
            let current = [&mut near, &mut border, &mut all].map(|kept| kept.is_current(&view));
            edit.map(|place| world.unblock(place));
            current
        };
        assert_eq!(current(None), [true; 3]);
        assert_eq!(current(Some(Pos::new(80, 80))), [true, true, false]);
        assert_eq!(current(Some(Pos::new(40, 20))), [true, false, false]);
        assert_eq!(current(Some(Pos::new(3, 3))), [false; 3]);
        assert_eq!(current(None), [true; 3], "an edit that was taken back");
        world.send(WALKER, Pos::new(5, 5)).unwrap();
        assert!(!near.is_current(&world.view()), "another order");
        world.send(WALKER, Pos::new(90, 16)).unwrap();
        assert!(near.is_current(&world.view()));
        world.teleport(WALKER, Pos::new(20, 16)).unwrap();
        assert!(!near.is_current(&world.view()), "another place");
        world.despawn(WALKER).unwrap();
        assert!(!near.is_current(&world.view()), "nobody");
    }

    #[test]
    fn a_paused_search_sees_whom_it_saw_before() {
        let mut world = world();
        let kept = paused(&world, &[Pos::new(16, 16)], false);
        let cell = |x| Size::new(96, 96).unwrap().cell(Pos::new(x, 16)).unwrap();
        let mut bytes = Vec::new();
        kept.save(&mut bytes);
        let loaded = PausedSearch::load(&mut Reader::new(&bytes), world.grid().size(), 2).unwrap();
        world.teleport(AgentId(1), Pos::new(17, 16)).unwrap();
        for mut kept in [kept, loaded] {
            let view = world.view();
            assert!(kept.is_current(&view));
            assert!(kept.others(&view).hold(cell(18)) && !kept.others(&view).hold(cell(17)));
            let now = VisibleAgents::Now(view.occupancy());
            assert!(now.hold(cell(17)) && !now.hold(cell(18)));
        }
        for end in 0..bytes.len() {
            let cut = PausedSearch::load(&mut Reader::new(&bytes[..end]), world.grid().size(), 2);
            assert!(cut.is_err(), "cut short at {end}");
        }
    }
}
