//! What is done to a world between two ticks, followed by the checker: each input is done, or found to be one that
//! must be refused.

use throng_grid::Pos;

use super::{Body, Checker, FOREIGN, NOBODY};
use crate::{AgentId, AgentSpec, ForeignId, Input};

impl Checker {
    /// Does what was done; `false` when it must be refused.
    pub(super) fn input(&mut self, input: Input) -> bool {
        match input {
            Input::Block(area) => self.map.edit(area, |_, blocked| *blocked = true),
            Input::Unblock(area) => self.map.edit(area, |_, blocked| *blocked = false),
            Input::SetTerrain(area, new) => self.map.edit(area, |terrain, _| *terrain = new),
            Input::Spawn(spec) => return self.spawn(spec),
            Input::PlaceForeign(at) => {
                let Some(cell) = self.unheld(at) else { return false };
                self.holder[cell as usize] = FOREIGN;
                self.foreign.push(Some(cell));
            }
            Input::MoveForeign(unit, to) => return self.move_foreign(unit, Some(to)),
            Input::RemoveForeign(unit) => return self.move_foreign(unit, None),
            Input::Despawn(agent)
            | Input::Teleport(agent, _)
            | Input::Send(agent, _)
            | Input::Halt(agent)
            | Input::Control(agent, _) => {
                let lives = self.bodies.get(agent.index()).is_some_and(|body| body.alive);
                return lives && self.input_to_agent(agent, input);
            }
        }
        true
    }

    fn input_to_agent(&mut self, agent: AgentId, input: Input) -> bool {
        let i = agent.index();
        match input {
            Input::Despawn(_) => {
                self.halt(agent.0);
                self.bodies[i].alive = false;
                self.holder[self.bodies[i].at as usize] = NOBODY;
                self.living.retain(|&number| number != agent.0);
            }
            Input::Teleport(_, to) => {
                let cell = self.map.cell((to.x, to.y));
                let Some(cell) = cell.filter(|&cell| {
                    let holder = self.holder[cell as usize];
                    let room = holder == NOBODY || holder == agent.0;
                    room && self.map.free(self.bodies[i].profile, (to.x, to.y))
                }) else {
                    return false;
                };
                self.set_down(agent.0, cell);
            }
            Input::Send(_, goal) => {
                let Some(goal) = self.map.cell((goal.x, goal.y)) else { return false };
                let body = &mut self.bodies[i];
                // An order that the agent has already changes nothing.
                body.home &= body.goal == Some(goal);
                body.goal = Some(goal);
                body.suspect = true;
            }
            Input::Halt(_) => self.halt(agent.0),
            Input::Control(_, ours) => self.bodies[i].controlled = ours,
            _ => return false,
        }
        true
    }

    /// A cell inside the map that nobody holds.
    fn unheld(&self, at: Pos) -> Option<u32> {
        self.map.cell((at.x, at.y)).filter(|&cell| self.holder[cell as usize] == NOBODY)
    }

    fn spawn(&mut self, spec: AgentSpec) -> bool {
        let profile = usize::from(spec.profile.0);
        if profile >= self.map.profiles() || !self.map.free(profile, (spec.at.x, spec.at.y)) {
            return false;
        }
        let Some(at) = self.unheld(spec.at) else { return false };
        self.add(Body {
            alive: true,
            at,
            goal: None,
            target: None,
            home: false,
            claimed: false,
            suspect: false,
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
            Some(to) => match self.unheld(to) {
                None => return false,
                cell => cell,
            },
        };
        self.holder[from as usize] = NOBODY;
        if let Some(cell) = cell {
            self.holder[cell as usize] = FOREIGN;
        }
        self.foreign[unit] = cell;
        true
    }

    fn set_down(&mut self, number: u32, cell: u32) {
        let body = &mut self.bodies[number as usize];
        let from = std::mem::replace(&mut body.at, cell);
        body.suspect = true;
        if self.holder[from as usize] == number {
            self.holder[from as usize] = NOBODY;
        }
        self.holder[cell as usize] = number;
    }

    /// Without an order an agent heads for nothing.
    fn halt(&mut self, number: u32) {
        self.aim(number, None, false);
        let body = &mut self.bodies[number as usize];
        (body.goal, body.home) = (None, false);
    }

    /// After the map has changed, in the order of the numbers: who stands inside a wall is set down on the nearest free
    /// cell that nobody holds, if there is one; and everyone's target has to be right for the map as it is now.
    pub(super) fn take_in_map(&mut self) {
        for i in 0..self.living.len() {
            let number = self.living[i];
            let (at, profile) = (self.bodies[number as usize].at, self.bodies[number as usize].profile);
            let here = self.map.place(at);
            if !self.map.free(profile, here) {
                let room = |cell: u32| {
                    self.holder[cell as usize] == NOBODY && self.map.free(profile, self.map.place(cell))
                };
                if let Some(cell) = self.map.nearest(here, room) {
                    self.set_down(number, cell);
                }
            }
            self.bodies[number as usize].suspect = true;
        }
    }
}
