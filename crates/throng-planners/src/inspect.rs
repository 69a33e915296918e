//! Emits the debug layers that several planners have.

use throng_crowd::{AgentRow, Certainty, DebugLayer, DebugMark, PlannerLayer, PlannerMark, View};
use throng_grid::{Cell, Cost, Ground, Pos};
use throng_toolkit::{DirectionMap, Flow, SearchQueue, TimeSliced};

/// Emits the cells that each agent intends to enter. The paths come in the order of the agents' numbers.
pub(crate) fn paths<P: IntoIterator<Item = Cell>>(
    layer: PlannerLayer,
    paths: impl IntoIterator<Item = P>,
    emit: &mut dyn FnMut(PlannerMark),
) {
    if layer == DebugLayer::Paths {
        for (agent, path) in (0..).map(AgentRow).zip(paths) {
            path.into_iter().for_each(|cell| emit(DebugMark::Path { agent, cell }));
        }
    }
}

/// Emits planned cells for [`Planner::preview`](throng_crowd::Planner). Returns false if no more are wanted.
pub(crate) fn planned(
    cells: impl IntoIterator<Item = Cell>,
    emit: &mut dyn FnMut(Cell, Certainty) -> bool,
) -> bool {
    cells.into_iter().all(|cell| emit(cell, Certainty::Planned))
}

/// Emits the cells on the steepest way down to a target, from a cell on, as far as the distances of the cells are known.
pub(crate) fn descent(
    ground: &Ground,
    from: Cell,
    distance: impl Fn(Cell) -> Option<Cost>,
    emit: &mut dyn FnMut(Cell, Certainty) -> bool,
) {
    let (mut at, Some(mut left)) = (from, distance(from)) else { return };
    loop {
        let lower = |(direction, to)| {
            let rest = distance(to).filter(|&rest| rest < left)?;
            Some((rest.saturating_add(ground.cost(at, direction)), rest, to))
        };
        let Some((_, rest, to)) = ground.neighbours(at).filter_map(lower).min() else { return };
        if !emit(to, Certainty::Guide) {
            return;
        }
        (at, left) = (to, rest);
    }
}

/// Emits the vectors of a direction map.
pub(crate) fn directions(map: Option<&DirectionMap>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
    if layer == DebugLayer::DirectionVectors {
        let vectors = map.into_iter().flat_map(DirectionMap::known);
        vectors.for_each(|(cell, vector)| emit(DebugMark::Direction { cell, x: vector.x, y: vector.y }));
    }
}

/// Emits the one-way streets of the map: the cells with fewer moves than are legal.
pub(crate) fn streets(
    flow: Option<&Flow>,
    view: &View<'_>,
    layer: PlannerLayer,
    emit: &mut dyn FnMut(PlannerMark),
) {
    let Some(flow) = flow.filter(|_| layer == DebugLayer::OneWayStreets) else { return };
    let ground = view.grid().ground();
    for cell in ground.free_cells() {
        // After an edit the annotation follows in the next tick.
        let (moves, legal) = (flow.moves(cell) & ground.moves(cell), ground.moves(cell));
        if moves != legal {
            emit(DebugMark::Street { cell, moves });
        }
    }
}

/// Emits the cells that the unfinished searches of a queue have expanded.
pub(crate) fn searched<S: TimeSliced, W>(
    queue: &SearchQueue<S, W>,
    layer: PlannerLayer,
    emit: &mut dyn FnMut(PlannerMark),
) {
    for search in queue.searches().iter().filter(|_| layer == DebugLayer::SearchedCells) {
        let (agent, cells) = (search.agent(), search.expanded().iter().copied().map(Cell));
        cells.for_each(|cell| emit(DebugMark::Searched { agent, cell }));
    }
}

/// Emits the distances that an agent knows, in the order of the cells. The agent of the layer may be any number.
pub(crate) fn distances(
    view: &View<'_>,
    layer: PlannerLayer,
    known: impl Fn(AgentRow, Cell) -> Option<Cost>,
    emit: &mut dyn FnMut(PlannerMark),
) {
    if let DebugLayer::DistanceField(agent) = layer
        && view.is_alive(agent)
    {
        for cell in view.grid().size().cells() {
            if let Some(distance) = known(agent, cell) {
                emit(DebugMark::Distance { cell, distance });
            }
        }
    }
}

/// Emits the sector of each cell.
pub(crate) fn sectors(
    view: &View<'_>,
    sector_at: Option<impl Fn(Pos) -> u32>,
    layer: PlannerLayer,
    emit: &mut dyn FnMut(PlannerMark),
) {
    if let Some(sector_at) = sector_at.filter(|_| layer == DebugLayer::Sectors) {
        for cell in view.grid().size().cells() {
            emit(DebugMark::Sector { cell, sector: sector_at(view.grid().size().pos(cell)) });
        }
    }
}
