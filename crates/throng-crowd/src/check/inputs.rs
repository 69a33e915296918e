//! Inputs in the checker: each is carried out, or found to be one that the world must refuse.

use throng_grid::Pos;

use super::{CheckedAgent, Checker, FOREIGN, NOBODY};
use crate::{AgentId, AgentSpec, ForeignId, Input};

impl Checker {
    /// Carries out an input; returns false if the world must refuse it.
    pub(super) fn input(&mut self, input: Input) -> bool {
        match input {
            Input::Block(area) => self.map.edit(area, |_, blocked| *blocked = true),
            Input::Unblock(area) => self.map.edit(area, |_, blocked| *blocked = false),
            Input::SetTerrain(area, new) => self.map.edit(area, |terrain, _| *terrain = new),
            Input::Spawn(spec) => return self.spawn(spec),
            Input::PlaceForeign(at) => {
                let Some(cell) = self.unoccupied(at) else { return false };
                self.occupant[cell as usize] = FOREIGN;
                self.foreign.push(Some(cell));
            }
            Input::MoveForeign(unit, to) => return self.move_foreign(unit, Some(to)),
            Input::RemoveForeign(unit) => return self.move_foreign(unit, None),
            Input::Despawn(agent)
            | Input::Teleport(agent, _)
            | Input::Send(agent, _)
            | Input::Halt(agent)
            | Input::Control(agent, _) => {
                let alive = self.agents.get(agent.index()).is_some_and(|checked| checked.alive);
                return alive && self.input_to_agent(agent, input);
            }
        }
        true
    }

    fn input_to_agent(&mut self, agent: AgentId, input: Input) -> bool {
        let i = agent.index();
        match input {
            Input::Despawn(_) => {
                self.halt(agent.0);
                self.agents[i].alive = false;
                self.occupant[self.agents[i].at as usize] = NOBODY;
                self.living.retain(|&number| number != agent.0);
            }
            Input::Teleport(_, to) => {
                let cell = self.map.cell((to.x, to.y));
                let Some(cell) = cell.filter(|&cell| {
                    let occupant = self.occupant[cell as usize];
                    let has_room = occupant == NOBODY || occupant == agent.0;
                    has_room && self.map.free(self.agents[i].profile, (to.x, to.y))
                }) else {
                    return false;
                };
                self.relocate(agent.0, cell);
            }
            Input::Send(_, goal) => {
                let Some(goal) = self.map.cell((goal.x, goal.y)) else { return false };
                let checked = &mut self.agents[i];
                // Sending an agent to the goal it has changes nothing.
                checked.arrived &= checked.goal == Some(goal);
                checked.goal = Some(goal);
                checked.target_due = true;
            }
            Input::Halt(_) => self.halt(agent.0),
            Input::Control(_, controlled) => self.agents[i].controlled = controlled,
            _ => return false,
        }
        true
    }

    /// Returns the cell at a position if no unit is there.
    fn unoccupied(&self, at: Pos) -> Option<u32> {
        self.map.cell((at.x, at.y)).filter(|&cell| self.occupant[cell as usize] == NOBODY)
    }

    fn spawn(&mut self, spec: AgentSpec) -> bool {
        let profile = usize::from(spec.profile.0);
        if profile >= self.map.profiles() || !self.map.free(profile, (spec.at.x, spec.at.y)) {
            return false;
        }
        let Some(at) = self.unoccupied(spec.at) else { return false };
        self.add(CheckedAgent {
            alive: true,
            at,
            goal: None,
            target: None,
            arrived: false,
            claimed: false,
            target_due: false,
            controlled: true,
            ready: 0,
            profile,
            speed: u64::from(spec.speed.max(1)),
        });
        true
    }

    fn move_foreign(&mut self, unit: ForeignId, to: Option<Pos>) -> bool {
        let unit = unit.0 as usize;
        let Some(from) = self.foreign.get(unit).copied().flatten() else { return false };
        let cell = match to {
            None => None,
            Some(to) if self.map.cell((to.x, to.y)) == Some(from) => Some(from),
            Some(to) => match self.unoccupied(to) {
                None => return false,
                cell => cell,
            },
        };
        self.occupant[from as usize] = NOBODY;
        if let Some(cell) = cell {
            self.occupant[cell as usize] = FOREIGN;
        }
        self.foreign[unit] = cell;
        true
    }

    fn relocate(&mut self, number: u32, cell: u32) {
        let checked = &mut self.agents[number as usize];
        let from = std::mem::replace(&mut checked.at, cell);
        checked.target_due = true;
        if self.occupant[from as usize] == number {
            self.occupant[from as usize] = NOBODY;
        }
        self.occupant[cell as usize] = number;
    }

    /// Takes goal and target from an agent.
    fn halt(&mut self, number: u32) {
        self.set_target(number, None, false);
        let checked = &mut self.agents[number as usize];
        (checked.goal, checked.arrived) = (None, false);
    }

    /// After an edit of the map, moves agents out of walls to the nearest free and unoccupied cell, in the order of
    /// agent numbers, and has all targets checked against the new map.
    pub(super) fn handle_map_edits(&mut self) {
        for i in 0..self.living.len() {
            let number = self.living[i];
            let (at, profile) = (self.agents[number as usize].at, self.agents[number as usize].profile);
            let here = self.map.position(at);
            if !self.map.free(profile, here) {
                let has_room = |cell: u32| {
                    self.occupant[cell as usize] == NOBODY && self.map.free(profile, self.map.position(cell))
                };
                if let Some(cell) = self.map.nearest(here, has_room) {
                    self.relocate(number, cell);
                }
            }
            self.agents[number as usize].target_due = true;
        }
    }
}
