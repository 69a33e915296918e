//! Congestion: prices of steps, from what agents lose where they are kept from the step that they want, and from the streams that come
//! the other way. Fields count them, so that paths lead around jams and opposing streams part.
//!
//! Every [`PERIOD`] ticks prices follow from what was counted, and all fields are computed again. What was counted and the price are averaged over the last
//! periods, so that agents do not turn back and forth. Maps on which that would exceed the work of a few ticks have no prices.
//!
//! The price for opposing streams is after Z. Chen et al., *Traffic Flow Optimisation for Lifelong Multi-Agent Path Finding*, AAAI
//! 2024; there flows are those of planned paths, and here those of the steps that were made.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};
use throng_grid::{Cell, Ground};
use throng_search::{SectorGuide, StepPrices};

use super::super::neighbour_costs::NeighbourCosts;
use super::super::prices;
use super::super::work_budget::Prepaid;

/// Ticks from one change of the prices to the next.
const PERIOD: u64 = 32;
/// Most units that the fields of a map may cost in all if every cell is free: 2 ms, measured 1 ms. They are paid for over several ticks and computed in one, so that all fields count the same
/// prices. Larger maps have none: those of 64×64 cells have prices, and `mapf/warehouse-10-20-10-2-1` with 161×63, but not `mapf/ht_chantry` with 141×162.
const MAX_UNITS: u64 = 40_000;
/// Most cells of a map with prices: what is counted takes 56 bytes per cell, also of walls.
const MAX_CELLS: usize = 1 << 16;
/// A field with prices costs this many times the units of one without: measured 82 to 105 ns per unit without it.
const PRICED: u64 = 2;
/// What an agent may lose in a tick, in sixteenths of a straight step.
const MAX_LOSS: i64 = 3 * ONE;
/// A straight step, in the unit of losses and prices.
const ONE: i64 = StepPrices::STRAIGHT as i64;
/// The price of a step is the mean loss of an agent that wants it, times this, in percent.
const LOSS_PERCENT: i64 = 30;
/// Added to the number of steps of which the mean loss is taken, so that single losses have no price.
const FEW_STEPS: i64 = 4;
/// The price of a step against a stream of one agent per tick, in straight steps.
const STREAM_STEPS: i64 = 2;
/// The highest price, in sixteenths of a straight step. Less than a step: also by a field that does not count it, the next cell is then better than to stay, so
/// that an agent always wants a step.
const MAX_PRICE: i64 = 3 * ONE / 4;
/// The parts of a sixteenth that averages are kept in.
const PARTS: i64 = 16;

/// What was counted of the steps from a cell, by direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Count {
    /// What agents lost that wanted the step and did something else, in sixteenths of a straight step.
    lost: [u16; 8],
    /// How often agents made the step that they wanted.
    made: [u16; 8],
    /// The averaged price, in parts of sixteenths.
    price: [u16; 8],
}

/// The prices of one map.
#[derive(Clone, Default)]
pub(super) struct Congestion {
    /// By cell; empty if the map has no prices.
    counts: Vec<Count>,
    /// Scratch: by cell and direction, the new prices.
    found: Vec<[u8; 8]>,
    /// The tick of the last change.
    since: u64,
    prepaid: Prepaid,
    /// The prices before the last change, by which fields of targets were computed.
    pub(super) before: StepPrices,
}

/// [`Congestion`] and the prices, as they are saved.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct SavedCongestion {
    /// True if steps are counted.
    is_counting: bool,
    /// The cells of which something was counted, in order.
    counts: Vec<(Cell, Count)>,
    since: u64,
    prepaid: Prepaid,
    prices: Vec<(Cell, [u8; 8])>,
    before: Vec<(Cell, [u8; 8])>,
}

impl Congestion {
    /// Returns what is counted on the map of a guide: nothing if its fields cost too much.
    pub(super) fn new(guide: &SectorGuide) -> Self {
        let has_prices = guide.cells() <= MAX_CELLS && most_units(guide) <= MAX_UNITS;
        let cells = if has_prices { guide.cells() } else { 0 };
        Self { counts: vec![Count::default(); cells], found: vec![[0; 8]; cells], ..Self::default() }
    }

    /// Counts the step of an agent under way: the step that it wanted, by its costs, and the one that it makes.
    pub(super) fn count(
        &mut self,
        view: &View<'_>,
        agent: AgentRow,
        costs: &NeighbourCosts,
        next: Cell,
        straight: i64,
    ) {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let Some(count) = self.counts.get_mut(at.index()) else { return };
        let wanted = ground.neighbours(at).map(|(direction, to)| {
            (costs.values[usize::from(direction.number())], !view.occupancy().is_free(to), direction.number())
        });
        let Some((least, _, wanted)) = wanted.min().filter(|wanted| wanted.0 < costs.values[8]) else {
            return;
        };
        let made = ground.legal_step(at, next).map_or(8, |direction| usize::from(direction.number()));
        let wanted = usize::from(wanted);
        if made == wanted {
            count.made[wanted] = count.made[wanted].saturating_add(1);
        } else {
            let loss = (i64::from(costs.values[made]) - i64::from(least)) * ONE / straight;
            count.lost[wanted] = count.lost[wanted].saturating_add(loss.clamp(0, MAX_LOSS) as u16);
        }
    }

    /// Changes the prices if it is time and the new fields are paid for. Returns true if prices have changed. `pay` pays a price from the
    /// units at hand.
    pub(super) fn update(
        &mut self,
        view: &View<'_>,
        ground: &Ground,
        guide: &mut SectorGuide,
        pay: impl FnOnce(&mut Prepaid, u64) -> bool,
    ) -> bool {
        let passed = view.tick().saturating_sub(self.since);
        if passed < PERIOD || guide.pending() > 0 || self.counts.is_empty() {
            return false;
        }
        let most = most_units(guide);
        if !pay(&mut self.prepaid, most) {
            return false;
        }
        self.since = view.tick();
        self.average(ground, passed as i64);
        if guide.prices().is_same(&self.found) {
            self.prepaid.refund(most);
            return false;
        }
        self.before = guide.prices().clone();
        let expansions = guide.set_prices(ground, StepPrices::new(self.found.clone()));
        self.prepaid.refund(most.saturating_sub(units(guide, expansions)));
        true
    }

    /// Averages the prices with those that follow from what was counted, and halves what was counted.
    fn average(&mut self, ground: &Ground, ticks: i64) {
        self.found.fill([0; 8]);
        for cell in ground.free_cells() {
            for (direction, to) in ground.neighbours(cell) {
                let (number, back) =
                    (usize::from(direction.number()), usize::from(direction.opposite().number()));
                let count = &self.counts[cell.index()];
                let (lost, made) = (i64::from(count.lost[number]), i64::from(count.made[number]));
                // Half of what was counted before is left, so that a constant stream counts twice the ticks.
                let stream = i64::from(self.counts[to.index()].made[back]);
                let price = PARTS * lost * LOSS_PERCENT / (100 * (made + FEW_STEPS))
                    + PARTS * ONE * STREAM_STEPS * stream / (2 * ticks);
                let averaged = &mut self.counts[cell.index()].price[number];
                *averaged = i64::midpoint(i64::from(*averaged), price).min(i64::from(u16::MAX)) as u16;
                self.found[cell.index()][number] = (i64::from(*averaged) / PARTS).min(MAX_PRICE) as u8;
            }
        }
        for count in &mut self.counts {
            count.lost.iter_mut().chain(&mut count.made).for_each(|number| *number /= 2);
        }
    }

    /// Returns what must be saved.
    pub(super) fn saved(&self, guide: &SectorGuide) -> SavedCongestion {
        let counts = (0..).map(Cell).zip(self.counts.iter().copied());
        SavedCongestion {
            is_counting: !self.counts.is_empty(),
            counts: counts.filter(|&(_, count)| count != Count::default()).collect(),
            since: self.since,
            prepaid: self.prepaid,
            prices: sparse(guide.prices()),
            before: sparse(&self.before),
        }
    }

    /// Returns what was saved, and the prices, for a map with this many cells.
    pub(super) fn restored(saved: SavedCongestion, area: usize) -> (Self, StepPrices) {
        let SavedCongestion { is_counting, counts, since, prepaid, prices, before } = saved;
        let counted = if is_counting { area } else { 0 };
        let mut all = vec![Count::default(); counted];
        for (cell, count) in counts {
            if let Some(place) = all.get_mut(cell.index()) {
                *place = count;
            }
        }
        let found = vec![[0; 8]; counted];
        (Self { counts: all, found, since, prepaid, before: dense(before, area) }, dense(prices, area))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.counts.capacity() * size_of::<Count>() + self.found.capacity() * size_of::<[u8; 8]>()
    }
}

/// Returns the price of computing all fields and edges again, given the number of expansions.
fn units(guide: &SectorGuide, expansions: u64) -> u64 {
    let (fields, cells) = guide.field_cells();
    let edges = prices::collect_edges(guide.parts(), guide.sectors());
    PRICED * (fields * prices::field(0, 0) + prices::field(cells, expansions)) + edges
}

/// Returns the most that it may cost. With prices a cell may be expanded again; that is not counted.
fn most_units(guide: &SectorGuide) -> u64 {
    units(guide, guide.field_cells().1)
}

fn sparse(prices: &StepPrices) -> Vec<(Cell, [u8; 8])> {
    (0..).map(Cell).zip(prices.by_cell().iter().copied()).filter(|&(_, prices)| prices != [0; 8]).collect()
}

fn dense(prices: Vec<(Cell, [u8; 8])>, area: usize) -> StepPrices {
    let mut all = vec![[0; 8]; area];
    for (cell, prices) in prices {
        if let Some(place) = all.get_mut(cell.index()) {
            *place = prices;
        }
    }
    StepPrices::new(all)
}

impl Validate for SavedCongestion {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { is_counting, counts, since, prepaid, prices, before } = self;
        let (area, has_steps) = (limits.size.area(), !prices.is_empty() || !before.is_empty());
        limits.require(area <= MAX_CELLS || !is_counting, "the map is too large for prices of steps")?;
        limits.require(*is_counting || !has_steps, "steps have prices, and none is counted")?;
        counts.iter().try_for_each(|(cell, _)| cell.validate(limits))?;
        limits.past_tick(*since)?;
        prepaid.validate(limits)?;
        prices.iter().chain(before).try_for_each(|(cell, prices)| {
            let highest = prices.iter().copied().max().unwrap_or(0);
            limits.at_most(highest, MAX_PRICE as u64, "the price of a step")?;
            cell.validate(limits)
        })
    }
}
