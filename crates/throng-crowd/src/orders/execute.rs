//! How orders are carried out at the beginning of a tick.

use throng_grid::Cell;

use super::{FOLLOW_FRACTION, FOLLOW_TICKS, Order, PATROL_RETRY_TICKS, WAYPOINT_RADIUS};
use crate::{AgentRow, Event, World};

impl World {
    /// Gives every agent with an order its next goal if it needs one, in the order of rows.
    pub(crate) fn carry_out_orders(&mut self, events: &mut Vec<Event>) {
        let mut place = 0;
        while let Some(&agent) = self.orders.active.get(place) {
            let Some(mut order) = self.orders.by_row[agent.index()].take() else { return };
            let goes_on = match &mut order {
                Order::Queue(rest) => self.follow_queue(agent, rest, events),
                Order::Patrol { points, next, retry } => {
                    self.follow_patrol(agent, points, (next, retry), events);
                    true
                }
                Order::Follow { .. } => self.follow_unit(agent, &mut order, events),
            };
            // Orders are never given here, so the list of active rows has changed by this entry at most.
            self.orders.by_row[agent.index()] = Some(order);
            if goes_on {
                place += 1;
            } else {
                self.orders.set(agent, None);
            }
        }
    }

    /// Passes and skips waypoints. Returns false if the goal is the last one.
    fn follow_queue(&mut self, agent: AgentRow, rest: &mut Vec<Cell>, events: &mut Vec<Event>) -> bool {
        while let Some(&next) = rest.first() {
            let Some(goal) = self.agents.goal[agent.index()].and_then(|goal| self.grid.cell(goal)) else {
                return false;
            };
            let (id, at) = (self.agents.id(agent), self.pos(goal));
            if self.has_passed(agent, goal) || self.agents.arrival[agent.index()].is_answered() {
                events.push(Event::Waypoint { agent: id, at });
            } else if self.can_skip(agent, goal) {
                events.push(Event::WaypointSkipped { agent: id, at });
            } else {
                return true;
            }
            rest.remove(0);
            self.retask(agent, self.pos(next));
        }
        false
    }

    /// Sends an agent to the next point of its patrol if it has passed the present one or cannot reach it.
    fn follow_patrol(
        &mut self,
        agent: AgentRow,
        points: &[Cell],
        (next, retry): (&mut u32, &mut u64),
        events: &mut Vec<Event>,
    ) {
        let (i, id, count) = (agent.index(), self.agents.id(agent), points.len() as u32);
        let has_goal = self.agents.goal[i].is_some();
        // A patrol that has not begun has no goal and nothing to wait for.
        let was_blocked = !has_goal && *retry > 0;
        if has_goal {
            let goal = points[*next as usize];
            let has_passed = self.has_passed(agent, goal) || self.agents.arrival[i].is_answered();
            if has_passed {
                events.push(Event::Waypoint { agent: id, at: self.pos(goal) });
                *next = (*next + 1) % count;
            } else if !self.can_skip(agent, goal) {
                return;
            }
        } else if *retry > self.tick {
            return;
        }
        for turn in 0..count {
            let number = (*next + turn) % count;
            let point = points[number as usize];
            if self.can_skip(agent, point) {
                if !was_blocked {
                    events.push(Event::WaypointSkipped { agent: id, at: self.pos(point) });
                }
            } else if !self.has_passed(agent, point) {
                (*next, *retry) = (number, 0);
                self.retask(agent, self.pos(point));
                return;
            }
        }
        *retry = self.tick + PATROL_RETRY_TICKS;
        self.clear_goal(agent);
    }

    /// Gives an agent that follows a unit a goal, or takes it. Returns false if the unit was removed.
    fn follow_unit(&mut self, agent: AgentRow, order: &mut Order, events: &mut Vec<Event>) -> bool {
        let &mut Order::Follow { unit, distance, ref mut ready } = order else { return false };
        let Ok(there) = self.cell_of(unit) else {
            events.push(Event::FollowEnded { agent: self.agents.id(agent), unit });
            self.clear_goal(agent);
            return false;
        };
        let i = agent.index();
        let remaining = self.cells_between(self.agents.at[i], there);
        let goal = self.agents.goal[i].and_then(|goal| self.grid.cell(goal));
        if remaining <= u32::from(distance.max(1)) {
            if goal.is_some() {
                self.clear_goal(agent);
            }
        } else if *ready <= self.tick
            && goal.is_none_or(|goal| self.cells_between(goal, there) * FOLLOW_FRACTION > remaining)
        {
            *ready = self.tick + FOLLOW_TICKS;
            self.retask(agent, self.pos(there));
        }
        true
    }

    /// Returns true if an agent stands on a waypoint, its step done, or near one on which another unit stands.
    fn has_passed(&self, agent: AgentRow, waypoint: Cell) -> bool {
        let (at, is_across) = (self.agents.at[agent.index()], self.agents.ready[agent.index()] <= self.tick);
        at == waypoint && is_across
            || !self.occupancy.is_free(waypoint) && self.cells_between(at, waypoint) <= WAYPOINT_RADIUS
    }

    /// Returns true if an agent cannot reach a waypoint as far as it knows. An agent inside a wall waits until it is out.
    fn can_skip(&self, agent: AgentRow, waypoint: Cell) -> bool {
        let at = self.agents.at[agent.index()];
        self.true_ground(agent).is_free(at) && !self.view_ground(agent).reachable(at, waypoint)
    }

    /// Returns the Chebyshev distance between two cells.
    fn cells_between(&self, a: Cell, b: Cell) -> u32 {
        let (a, b) = (self.pos(a), self.pos(b));
        a.x.abs_diff(b.x).max(a.y.abs_diff(b.y))
    }
}
