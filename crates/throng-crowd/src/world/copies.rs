//! Copies of a world: checkpoints in memory, for rollback.
//!
//! A copy continues exactly as the original does. The map, and what planners know about it, are shared until one of the
//! two changes it. Scratch memory is not copied. [`World::clone_from`] reuses the memory of an older copy.

use std::sync::Arc;

use super::World;

impl Clone for World {
    /// Returns a copy that continues exactly as this world does: a checkpoint to go back to, or a world to try something in.
    ///
    /// The map is shared until one of the two changes it. The copy has the same executor. If a recording is in progress, the
    /// copy has what was not drained of it, and both go on with it.
    fn clone(&self) -> Self {
        Self {
            grid: Arc::clone(&self.grid),
            knowledge: self.knowledge.clone(),
            settings: self.settings,
            planner: self.planner.clone(),
            planner_name: self.planner_name.clone(),
            executor: Arc::clone(&self.executor),
            tick: self.tick,
            agents: self.agents.clone(),
            occupancy: self.occupancy.clone(),
            claims: self.claims.clone(),
            goal_counts: self.goal_counts.clone(),
            ring_cache: self.ring_cache.clone(),
            enclosure: self.enclosure.clone(),
            near: Vec::new(),
            next_group: self.next_group,
            members: Vec::new(),
            crossed: Vec::new(),
            foreign: self.foreign.clone(),
            orders: self.orders.clone(),
            handled_revision: self.handled_revision,
            handled_overlay: self.handled_overlay,
            has_reviews: self.has_reviews,
            next_review: self.next_review,
            next_test: self.next_test,
            totals: self.totals,
            units_hash: self.units_hash,
            pending_reports: self.pending_reports.clone(),
            moves: self.moves.clone(),
            referee: self.referee.clone(),
            movers: self.movers.clone(),
            recorder: self.recorder.clone(),
            is_in_tick: self.is_in_tick,
        }
    }

    /// Makes this world a copy of another, like `*self = source.clone()`, and reuses the memory of this one.
    fn clone_from(&mut self, source: &Self) {
        let Self {
            grid,
            knowledge,
            settings,
            planner,
            planner_name,
            executor,
            tick,
            agents,
            occupancy,
            claims,
            goal_counts,
            ring_cache,
            enclosure,
            near: _,
            next_group,
            members: _,
            crossed: _,
            foreign,
            orders,
            handled_revision,
            handled_overlay,
            has_reviews,
            next_review,
            next_test,
            totals,
            units_hash,
            pending_reports,
            moves,
            referee,
            movers,
            recorder,
            is_in_tick,
        } = source;
        self.grid.clone_from(grid);
        self.knowledge.clone_from(knowledge);
        (self.settings, self.tick, self.totals) = (*settings, *tick, *totals);
        self.planner.clone_from(planner);
        self.planner_name.clone_from(planner_name);
        self.executor.clone_from(executor);
        self.agents.clone_from(agents);
        self.occupancy.clone_from(occupancy);
        self.claims.clone_from(claims);
        self.goal_counts.clone_from(goal_counts);
        self.ring_cache.clone_from(ring_cache);
        self.enclosure.clone_from(enclosure);
        self.foreign.clone_from(foreign);
        self.orders.clone_from(orders);
        (self.handled_revision, self.units_hash) = (*handled_revision, *units_hash);
        self.handled_overlay = *handled_overlay;
        (self.has_reviews, self.next_review) = (*has_reviews, *next_review);
        self.next_test = *next_test;
        self.pending_reports.clone_from(pending_reports);
        self.moves.clone_from(moves);
        self.referee.clone_from(referee);
        self.movers.clone_from(movers);
        self.recorder.clone_from(recorder);
        self.is_in_tick = *is_in_tick;
        self.next_group = *next_group;
    }
}
