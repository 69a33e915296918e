//! Emits the debug layers that several planners have.

use throng_crowd::{AgentId, DebugLayer, DebugMark};
use throng_grid::Cell;
use throng_toolkit::DirectionMap;

/// Emits the cells that each agent intends to enter. The paths come in the order of the agents' numbers.
pub(crate) fn paths<P: IntoIterator<Item = Cell>>(
    layer: DebugLayer,
    paths: impl IntoIterator<Item = P>,
    emit: &mut dyn FnMut(DebugMark),
) {
    if layer == DebugLayer::Paths {
        for (agent, path) in (0..).map(AgentId).zip(paths) {
            path.into_iter().for_each(|cell| emit(DebugMark::Path { agent, cell }));
        }
    }
}

/// Emits the vectors of a direction map.
pub(crate) fn directions(map: Option<&DirectionMap>, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
    if layer == DebugLayer::DirectionVectors {
        let vectors = map.into_iter().flat_map(DirectionMap::known);
        vectors.for_each(|(cell, vector)| emit(DebugMark::Direction { cell, x: vector.x, y: vector.y }));
    }
}
