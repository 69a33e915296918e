//! Orders in the checker, by their definition: which goal each agent with an order has at the beginning of a tick. The
//! targets that follow from the goals are compared with the recorded ones.

use std::collections::VecDeque;

use throng_grid::Pos;

use super::{Checker, NOBODY};
use crate::goals::arrival::ReportedKind;
use crate::orders::Order;
use crate::{AgentId, Input, Unit};

/// The largest number of waypoints.
const MAX_WAYPOINTS: usize = 32;
/// A waypoint that another unit holds is passed at this distance.
const PASSING_DISTANCE: u32 = 2;
/// A patrol without a reachable point tries again after this many ticks.
const RETRY_TICKS: u64 = 32;
/// An agent that follows a unit gets goals this many ticks apart, and when the unit is a quarter of the way off.
const FOLLOW_TICKS: u64 = 4;

/// What an agent does after its goal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum CheckedOrder {
    #[default]
    None,
    Queue(VecDeque<u32>),
    Patrol {
        points: Vec<u32>,
        next: usize,
        retry: u64,
    },
    Follow {
        unit: Unit,
        distance: u32,
        ready: u64,
    },
}

impl CheckedOrder {
    pub(super) fn new(order: Option<&Order>) -> Self {
        let cells = |cells: &[throng_grid::Cell]| cells.iter().map(|cell| cell.0).collect::<Vec<_>>();
        match order {
            None => Self::None,
            Some(Order::Queue(rest)) => Self::Queue(cells(rest).into()),
            Some(Order::Patrol { points, next, retry }) => {
                Self::Patrol { points: cells(points), next: *next as usize, retry: *retry }
            }
            Some(&Order::Follow { unit, distance, ready }) => {
                Self::Follow { unit, distance: u32::from(distance), ready }
            }
        }
    }
}

impl Checker {
    /// Carries out an input that gives an order; returns false if the world must refuse it.
    pub(super) fn order(&mut self, input: Input) -> bool {
        let (agent, at) = match input {
            Input::Queue(agent, at) | Input::Patrol(agent, at) | Input::PatrolPoint(agent, at) => {
                (agent, Some(at))
            }
            Input::Follow(agent, ..) => (agent, None),
            _ => return false,
        };
        let cell = match at.map(|Pos { x, y }| self.map.cell((x, y))) {
            Some(None) => return false,
            Some(Some(cell)) => cell,
            None => 0,
        };
        let number = agent.row();
        let order = std::mem::take(&mut self.agents[agent.index()].order);
        let checked = &self.agents[agent.index()];
        let (new, accepted) = match (input, order) {
            (Input::Queue(..), CheckedOrder::Queue(mut rest)) => {
                let accepted = rest.len() < MAX_WAYPOINTS;
                if accepted {
                    rest.push_back(cell);
                }
                (CheckedOrder::Queue(rest), accepted)
            }
            (Input::Queue(..), CheckedOrder::None)
                if checked.goal.is_some() && checked.arrived == ReportedKind::No =>
            {
                (CheckedOrder::Queue([cell].into()), true)
            }
            (Input::Queue(..), _) => {
                self.send(number, cell);
                (CheckedOrder::None, true)
            }
            (Input::Patrol(..), _) => {
                self.halt(number);
                (CheckedOrder::Patrol { points: vec![cell], next: 0, retry: 0 }, true)
            }
            (Input::PatrolPoint(..), CheckedOrder::Patrol { mut points, next, retry }) => {
                let accepted = points.len() < MAX_WAYPOINTS;
                if accepted {
                    points.push(cell);
                }
                (CheckedOrder::Patrol { points, next, retry }, accepted)
            }
            (Input::Follow(agent, unit, distance), order) => {
                if unit == Unit::Agent(agent) || self.cell_of(unit).is_none() {
                    (order, false)
                } else {
                    self.halt(number);
                    (CheckedOrder::Follow { unit, distance: distance.max(1).into(), ready: 0 }, true)
                }
            }
            (_, order) => (order, false),
        };
        self.agents[agent.index()].order = new;
        accepted
    }

    /// Gives every agent with an order the goal that it has from this tick on, in the order of rows.
    pub(super) fn carry_out_orders(&mut self) {
        for i in 0..self.living.len() {
            let number = self.living[i];
            let order = std::mem::take(&mut self.agents[number as usize].order);
            let order = match order {
                CheckedOrder::None => continue,
                CheckedOrder::Queue(rest) => self.queue(number, rest),
                CheckedOrder::Patrol { points, next, retry } => self.patrol(number, points, next, retry),
                CheckedOrder::Follow { unit, distance, ready } => self.follow(number, unit, distance, ready),
            };
            self.agents[number as usize].order = order;
        }
    }

    fn queue(&mut self, number: u32, mut rest: VecDeque<u32>) -> CheckedOrder {
        while let (Some(goal), Some(&next)) = (self.agents[number as usize].goal, rest.front()) {
            let passed =
                (self.agents[number as usize].arrived != ReportedKind::No) || self.has_passed(number, goal);
            if !passed && !self.is_cut_off(number, goal) {
                return CheckedOrder::Queue(rest);
            }
            rest.pop_front();
            self.send(number, next);
        }
        CheckedOrder::None
    }

    fn patrol(&mut self, number: u32, points: Vec<u32>, mut next: usize, mut retry: u64) -> CheckedOrder {
        let (has_goal, goal) = (self.agents[number as usize].goal.is_some(), points[next]);
        let passed = has_goal
            && ((self.agents[number as usize].arrived != ReportedKind::No) || self.has_passed(number, goal));
        if passed {
            next = (next + 1) % points.len();
        }
        let waits = if has_goal { !passed && !self.is_cut_off(number, goal) } else { retry > self.tick };
        if !waits {
            let turns = (0..points.len()).map(|turn| (next + turn) % points.len());
            let mut found = None;
            for index in turns {
                if !self.is_cut_off(number, points[index]) && !self.has_passed(number, points[index]) {
                    found = Some(index);
                    break;
                }
            }
            if let Some(index) = found {
                (next, retry) = (index, 0);
                self.send(number, points[index]);
            } else {
                retry = self.tick + RETRY_TICKS;
                self.halt(number);
            }
        }
        CheckedOrder::Patrol { points, next, retry }
    }

    fn follow(&mut self, number: u32, unit: Unit, distance: u32, mut ready: u64) -> CheckedOrder {
        let Some(there) = self.cell_of(unit) else {
            self.halt(number);
            return CheckedOrder::None;
        };
        let agent = &self.agents[number as usize];
        let remaining = self.apart(agent.at, there);
        let is_off = agent.goal.is_none_or(|goal| 4 * self.apart(goal, there) > remaining);
        if remaining <= distance.max(1) {
            if agent.goal.is_some() {
                self.halt(number);
            }
        } else if self.tick >= ready && is_off {
            ready = self.tick + FOLLOW_TICKS;
            self.send(number, there);
        }
        CheckedOrder::Follow { unit, distance, ready }
    }

    fn has_passed(&self, number: u32, waypoint: u32) -> bool {
        let (at, is_across) =
            (self.agents[number as usize].at, self.agents[number as usize].ready <= self.tick);
        let is_held = self.occupant.at(waypoint) != NOBODY;
        (at == waypoint && is_across) || (is_held && self.apart(at, waypoint) <= PASSING_DISTANCE)
    }

    /// Returns true if an agent outside walls cannot reach a waypoint as far as it knows.
    fn is_cut_off(&mut self, number: u32, waypoint: u32) -> bool {
        let agent = &self.agents[number as usize];
        self.map.free(agent.profile, self.map.position(agent.at)) && !self.reaches(number, waypoint)
    }

    fn apart(&self, a: u32, b: u32) -> u32 {
        let ((x, y), (to_x, to_y)) = (self.map.position(a), self.map.position(b));
        x.abs_diff(to_x).max(y.abs_diff(to_y))
    }

    fn cell_of(&self, unit: Unit) -> Option<u32> {
        let is_alive = |agent: &AgentId| self.is_alive(*agent);
        match unit {
            Unit::Agent(agent) => Some(agent).filter(is_alive).map(|agent| self.agents[agent.index()].at),
            Unit::Foreign(unit) => {
                let found = self.foreign.get(unit.index())?;
                found.at.filter(|_| found.generation == unit.generation())
            }
        }
    }
}
