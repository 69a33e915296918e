//! Inputs in the checker: each is carried out, or found to be one that the world must refuse.

use throng_grid::Pos;

use super::orders::CheckedOrder;
use super::{CheckedAgent, CheckedForeign, Checker, FOREIGN, NOBODY};
use crate::goals::arrival::ReportedKind;
use crate::{AgentId, AgentSpec, ForeignId, Input};

impl Checker {
    /// Carries out an input; returns false if the world must refuse it.
    pub(super) fn input(&mut self, input: Input) -> bool {
        if let Input::Despawn(agent)
        | Input::Teleport(agent, _)
        | Input::Send(agent, _)
        | Input::SendInGroup(_, agent, _)
        | Input::Hold(agent, _)
        | Input::Halt(agent)
        | Input::SetSpeed(agent, _)
        | Input::SetProfile(agent, _)
        | Input::Queue(agent, _)
        | Input::Patrol(agent, _)
        | Input::PatrolPoint(agent, _)
        | Input::Follow(agent, ..)
        | Input::SetPriority(agent, _)
        | Input::Control(agent, _) = input
            && !self.is_alive(agent)
        {
            return false;
        }
        match input {
            Input::Block(area) => self.map.edit(area, |cell| cell.blocked = true),
            Input::Unblock(area) => self.map.edit(area, |cell| cell.blocked = false),
            Input::SetTerrain(area, new) => self.map.edit(area, |cell| cell.terrain = new),
            Input::SetDoor(area, allowed) => self.map.edit(area, |cell| cell.allowed = allowed.to_bits()),
            Input::SetCost(area, classes, extra) => return self.map.set_cost(area, classes.to_bits(), extra),
            Input::Spawn(spec) => return self.spawn(spec),
            Input::PlaceForeign(at) => {
                let Some(cell) = self.unoccupied(at) else { return false };
                self.occupant.set(cell, FOREIGN);
                self.place_foreign(cell);
            }
            Input::MoveForeign(unit, to) => return self.move_foreign(unit, Some(to)),
            Input::RemoveForeign(unit) => return self.move_foreign(unit, None),
            Input::SetSpeed(agent, speed) => self.set_speed(agent, speed),
            Input::SetProfile(agent, profile) => return self.set_profile(agent, profile),
            Input::Despawn(agent) => {
                self.halt(agent.row());
                self.end_step(agent.row());
                let checked = &mut self.agents[agent.index()];
                checked.alive = false;
                self.occupant.set(checked.at, NOBODY);
                let generation = checked.generation;
                self.free_row(agent.index(), generation);
                self.living.retain(|&number| number != agent.row());
                if let Some(knowledge) = &mut self.knowledge {
                    knowledge.forget(agent.row());
                }
            }
            Input::Teleport(agent, to) => return self.teleport(agent.row(), to),
            Input::Send(agent, goal) => {
                let Some(goal) = self.map.cell((goal.x, goal.y)) else { return false };
                self.agents[agent.index()].order = CheckedOrder::None;
                self.send(agent.row(), goal);
            }
            Input::FormGroup => self.next_group += 1,
            Input::SendInGroup(group, agent, goal) => {
                let cell = self.map.cell((goal.x, goal.y));
                let Some(goal) = cell.filter(|_| group.to_bits() < self.next_group) else { return false };
                self.agents[agent.index()].order = CheckedOrder::None;
                self.send(agent.row(), goal);
                self.agents[agent.index()].group = Some(group.to_bits());
            }
            Input::Hold(agent, holds) => self.agents[agent.index()].holds = holds,
            Input::Halt(agent) => {
                self.agents[agent.index()].order = CheckedOrder::None;
                self.halt(agent.row());
            }
            Input::Queue(..) | Input::Patrol(..) | Input::PatrolPoint(..) | Input::Follow(..) => {
                return self.order(input);
            }
            // Priorities are for planners.
            Input::SetPriority(..) => {}
            Input::Control(agent, controlled) => self.agents[agent.index()].controlled = controlled,
        }
        true
    }

    fn teleport(&mut self, number: u32, to: Pos) -> bool {
        let (profile, to) = (self.agents[number as usize].profile, (to.x, to.y));
        let Some(cell) = self.map.cell(to).filter(|_| self.map.free(profile, to)) else { return false };
        let has_room = [NOBODY, number].contains(&self.occupant.at(cell));
        if has_room {
            self.end_step(number);
            self.relocate(number, cell);
        }
        has_room
    }

    /// Returns the cell at a position if no unit is there.
    fn unoccupied(&self, at: Pos) -> Option<u32> {
        self.map.cell((at.x, at.y)).filter(|&cell| self.occupant.at(cell) == NOBODY)
    }

    fn spawn(&mut self, spec: AgentSpec) -> bool {
        let profile = usize::from(spec.profile.0);
        if profile >= self.map.profiles() || !self.map.free(profile, (spec.at.x, spec.at.y)) {
            return false;
        }
        let Some(at) = self.unoccupied(spec.at) else { return false };
        // A new agent takes the lowest free row.
        let (row, generation) = match self.free_rows.pop_first() {
            Some(row) => (row, self.agents[row].generation + 1),
            None => (self.agents.len(), 0),
        };
        self.agents.resize(self.agents.len().max(row + 1), CheckedAgent::default());
        self.agents[row] = CheckedAgent {
            alive: true,
            generation,
            at,
            controlled: true,
            profile,
            speed: (spec.speed.steps().into(), spec.speed.ticks().into()),
            ..CheckedAgent::default()
        };
        self.enter(row as u32);
        self.look_around(row as u32);
        true
    }

    pub(super) fn is_alive(&self, agent: AgentId) -> bool {
        let checked = self.agents.get(agent.index());
        checked.is_some_and(|checked| checked.alive && checked.generation == agent.generation())
    }

    /// Puts a new foreign unit into a cell, in the lowest row that has none and can have another generation.
    fn place_foreign(&mut self, cell: u32) {
        let is_free = |unit: &CheckedForeign| unit.at.is_none() && unit.generation < u32::MAX;
        match self.foreign.iter_mut().find(|unit| is_free(unit)) {
            Some(unit) => *unit = CheckedForeign { generation: unit.generation + 1, at: Some(cell) },
            None => self.foreign.push(CheckedForeign { generation: 0, at: Some(cell) }),
        }
    }

    fn move_foreign(&mut self, unit: ForeignId, to: Option<Pos>) -> bool {
        let (unit, generation) = (unit.index(), unit.generation());
        let is_same = |unit: &&CheckedForeign| unit.generation == generation;
        let Some(from) = self.foreign.get(unit).filter(is_same).and_then(|unit| unit.at) else {
            return false;
        };
        self.occupant.set(from, NOBODY);
        let cell = to.and_then(|to| self.unoccupied(to));
        let refused = to.is_some() && cell.is_none();
        self.foreign[unit].at = if refused { Some(from) } else { cell };
        if let Some(at) = self.foreign[unit].at {
            self.occupant.set(at, FOREIGN);
        }
        !refused
    }

    fn relocate(&mut self, number: u32, cell: u32) {
        let checked = &mut self.agents[number as usize];
        let from = std::mem::replace(&mut checked.at, cell);
        checked.target_due = true;
        if self.occupant.at(from) == number {
            self.occupant.set(from, NOBODY);
        }
        self.occupant.set(cell, number);
        self.look_around(number);
    }

    /// Sends an agent to a goal. Every order is answered. Apart from that, sending it to the goal it has changes nothing.
    pub(super) fn send(&mut self, number: u32, goal: u32) {
        let checked = &mut self.agents[number as usize];
        checked.arrived = ReportedKind::No;
        if checked.goal != Some(goal) || checked.target.is_some() {
            checked.may_lag &= checked.goal == Some(goal);
        }
        if checked.goal != Some(goal) {
            checked.group = None;
        }
        checked.goal = Some(goal);
        checked.target_due = true;
    }

    /// Takes goal and target from an agent.
    pub(super) fn halt(&mut self, number: u32) {
        self.set_target(number, None, false);
        let checked = &mut self.agents[number as usize];
        (checked.goal, checked.arrived, checked.group) = (None, ReportedKind::No, None);
    }

    /// After an edit of the map, moves agents out of walls to the nearest free and unoccupied cell, in the order of
    /// rows, and has all targets checked against the new map.
    pub(super) fn handle_map_edits(&mut self) {
        for i in 0..self.living.len() {
            let number = self.living[i];
            let (at, profile) = (self.agents[number as usize].at, self.agents[number as usize].profile);
            let here = self.map.position(at);
            if !self.map.free(profile, here) {
                self.end_step(number);
                let has_room = |cell: u32| {
                    self.occupant.at(cell) == NOBODY && self.map.free(profile, self.map.position(cell))
                };
                if let Some(cell) = self.map.nearest(here, has_room) {
                    self.relocate(number, cell);
                }
            }
            let checked = &mut self.agents[number as usize];
            (checked.target_due, checked.may_lag) = (true, self.knowledge.is_none());
        }
        self.review_units = self.all_reviews();
        for i in 0..self.living.len() {
            self.look_around(self.living[i]);
        }
    }
}
