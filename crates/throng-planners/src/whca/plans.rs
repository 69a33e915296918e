//! What each agent is going to do, and the timetable that says so to the others.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Occupant, View};
use throng_grid::Cell;
use throng_toolkit::{ReservationTable, SpaceTime};

/// A plan for each agent. Every coming time of every plan is in the timetable.
#[derive(Debug, Default)]
pub(super) struct Plans {
    rows: Vec<Row>,
    pub(super) timetable: ReservationTable,
    /// Agents that stay where they are, whoever wants their cell.
    pub(super) fixed: Vec<bool>,
    now: u64,
}

#[derive(Clone, Debug, Default)]
struct Row {
    /// The time of the first cell.
    start: u64,
    cells: Vec<Cell>,
    /// Whether it stays in the last cell for ever.
    rests: bool,
}

/// Whether a cell is held by somebody who has no reason to leave it.
fn will_stay(view: &View<'_>, cell: Cell) -> bool {
    match view.occupancy().at(cell) {
        Occupant::Nobody => false,
        Occupant::Foreign => true,
        Occupant::Agent(other) => {
            !view.is_controlled(other) || view.target(other).is_none() || view.is_at_target(other)
        }
    }
}

impl Plans {
    /// Begins a tick: the agents' present positions are those of time `now`, which has come.
    pub(super) fn begin(&mut self, agents: &[AgentId], numbers: usize, now: u64) {
        self.now = now;
        if self.rows.len() < numbers {
            self.rows.resize_with(numbers, Row::default);
        }
        self.fixed.clear();
        self.fixed.resize(numbers, false);
        for &agent in agents {
            if let Some(cell) = self.cell(agent, now) {
                self.timetable.release(cell, now, agent);
            }
        }
    }

    /// Space and time as an agent finds them. Who has nowhere to go has its place where it is.
    pub(super) fn space<'a>(&'a self, view: &View<'a>, agent: AgentId, depth: u32) -> SpaceTime<'a> {
        let (at, target) = (view.at(agent), view.target(agent));
        SpaceTime {
            ground: view.ground(agent),
            occupancy: view.occupancy(),
            fixed: &self.fixed,
            timetable: &self.timetable,
            agent,
            pace: u32::from(view.speed(agent)),
            place: target.unwrap_or(at),
            barred: target.is_some_and(|target| target != at && will_stay(view, target)),
            now: self.now,
            depth,
        }
    }

    /// Where an agent's plan has it at a time, from now on.
    pub(super) fn cell(&self, agent: AgentId, time: u64) -> Option<Cell> {
        let row = self.rows.get(agent.index())?;
        let cell = row.cells.get(time.checked_sub(row.start)? as usize);
        cell.or(row.cells.last().filter(|_| row.rests)).copied()
    }

    /// For how many times after now an agent has a plan.
    pub(super) fn left(&self, agent: AgentId) -> u64 {
        let row = &self.rows[agent.index()];
        match row.cells.len() as u64 {
            0 => 0,
            _ if row.rests => u64::MAX,
            planned => (row.start + planned - 1).saturating_sub(self.now),
        }
    }

    /// The cells of each agent's plan after now, in the order of the agents' numbers.
    pub(super) fn ahead(&self) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let past = |row: &Row| (self.now + 1).saturating_sub(row.start) as usize;
        self.rows.iter().map(move |row| row.cells.iter().copied().skip(past(row)))
    }

    /// An agent's plan from now on; the first cell is where it is. Nobody else may have reserved the others.
    pub(super) fn adopt(&mut self, agent: AgentId, cells: impl IntoIterator<Item = Cell>, rests: bool) {
        self.cancel(agent);
        let row = &mut self.rows[agent.index()];
        row.cells.extend(cells);
        (row.start, row.rests) = (self.now, rests);
        self.announce(agent);
    }

    fn announce(&mut self, agent: AgentId) {
        let Row { start, cells, rests } = &self.rows[agent.index()];
        for (time, &cell) in (*start..).zip(cells).skip(1) {
            self.timetable.reserve(cell, time, agent);
        }
        if let Some(&cell) = cells.last().filter(|_| *rests) {
            self.timetable.rest(cell, *start + cells.len() as u64, agent);
        }
    }

    /// An agent has no plan any more.
    pub(super) fn cancel(&mut self, agent: AgentId) {
        let Some(row) = self.rows.get_mut(agent.index()) else { return };
        for (time, &cell) in (row.start..).zip(&row.cells) {
            self.timetable.release(cell, time, agent);
        }
        if let Some(&cell) = row.cells.last().filter(|_| row.rests) {
            self.timetable.rise(cell, agent);
        }
        row.cells.clear();
        row.rests = false;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells: usize = self.rows.iter().map(|row| row.cells.capacity()).sum();
        let rows = cells * size_of::<Cell>() + self.rows.capacity() * size_of::<Row>();
        rows + self.fixed.capacity() + self.timetable.memory_bytes()
    }

    /// Writes what is to come, between two ticks.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        let time = self.now + 1;
        put(bytes, self.now);
        put(bytes, self.rows.len() as u64);
        for row in &self.rows {
            let past = (time.saturating_sub(row.start) as usize).min(row.cells.len());
            // Who rests keeps the last cell, however long ago it came there.
            let past = if row.rests { past.min(row.cells.len() - 1) } else { past };
            put(bytes, u64::from(row.rests));
            put(bytes, row.start + past as u64);
            put(bytes, (row.cells.len() - past) as u64);
            row.cells[past..].iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        }
    }

    pub(super) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        *self = Self::default();
        self.now = reader.number("a time")?;
        for number in 0..reader.length("the number of plans")? {
            let rests = reader.number_to(1, "whether an agent rests")? == 1;
            let start = reader.number("the start of a plan")?;
            let mut cells = Vec::new();
            for _ in 0..reader.length("the length of a plan")? {
                cells.push(Cell(reader.number_to(u64::from(throng_grid::MAX_CELLS), "a cell")? as u32));
            }
            if cells.is_empty() && rests {
                return Err(reader.damaged("the cell where an agent rests"));
            }
            self.rows.push(Row { start, cells, rests });
            let free = |(time, &cell): (u64, &Cell)| self.timetable.at(cell, time).is_none();
            if !(start..).zip(&self.rows[number].cells).all(free) {
                return Err(reader.damaged("plans that do not collide"));
            }
            self.announce(AgentId(number as u32));
        }
        Ok(())
    }
}
