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
                self.aim(agent.0, None, None);
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
                self.review(agent.0);
            }
            Input::Send(_, goal) => {
                let Some(goal) = self.map.cell((goal.x, goal.y)) else { return false };
                let (aim, target) = (self.bodies[i].goal, self.bodies[i].target);
                self.choose(agent.0, goal);
                // An order that the agent has already changes nothing.
                let body = &mut self.bodies[i];
                body.home &= aim == body.goal && target.is_some() && target == body.target;
            }
            Input::Halt(_) => {
                self.bodies[i].home = false;
                self.aim(agent.0, None, None);
            }
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
            cut_off: false,
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
        if self.holder[from as usize] == number {
            self.holder[from as usize] = NOBODY;
        }
        self.holder[cell as usize] = number;
    }

    fn aim(&mut self, number: u32, goal: Option<u32>, target: Option<u32>) {
        let body = &mut self.bodies[number as usize];
        if let Some(before) = std::mem::replace(&mut body.target, target) {
            self.bound_for[before as usize] = NOBODY;
        }
        body.goal = goal;
        if let Some(target) = target {
            self.bound_for[target as usize] = number;
        }
    }

    /// The nearest cell to a goal that an agent can reach and that nobody else goes to.
    fn best_target(&mut self, number: u32, goal: u32) -> Option<u32> {
        let (at, profile) = (self.bodies[number as usize].at, self.bodies[number as usize].profile);
        let (bound_for, place) = (&self.bound_for, self.map.place(goal));
        let open =
            |cell: u32| matches!(bound_for[cell as usize], NOBODY) || bound_for[cell as usize] == number;
        self.map.nearest_reachable(profile, at, place, open)
    }

    fn choose(&mut self, number: u32, goal: u32) {
        let target = self.best_target(number, goal);
        let (at, profile) = (self.bodies[number as usize].at, self.bodies[number as usize].profile);
        self.bodies[number as usize].cut_off = !self.map.reaches(profile, at, goal);
        self.aim(number, Some(goal), target);
    }

    /// Chooses anew when the target cannot be reached any more, or the goal, which could not be, can.
    fn review(&mut self, number: u32) {
        let body = self.bodies[number as usize].clone();
        let Some(goal) = body.goal else { return };
        let lost = !body.target.is_some_and(|target| self.map.reaches(body.profile, body.at, target));
        let opened = body.cut_off && self.map.reaches(body.profile, body.at, goal);
        if body.target.is_none() && self.best_target(number, goal).is_none() {
            return;
        }
        if lost || opened {
            self.choose(number, goal);
        }
    }

    /// After the map has changed, in the order of the numbers: who stands inside a wall is set down on the nearest free
    /// cell that nobody holds, if there is one, and targets are reviewed.
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
            self.review(number);
        }
    }
}
