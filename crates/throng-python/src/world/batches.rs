//! Orders to many agents in one call. A value per agent is an integer for all of them, or an array with one integer each.

use numpy::{PyArray1, PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;
use throng::{AgentId, AgentSpec, Destination, Pos, ProfileId, Speed, WorldError};

use super::World;
use crate::array::{agent_array, agents, integers, positions};
use crate::error::{Refused, bad_value};
use crate::rules::speed;

/// The names of the kinds of destinations, by the numbers that `World.send_many` returns.
pub(crate) const DESTINATIONS: [&str; 4] = ["goal", "unreachable", "taken", "nowhere"];

/// The number of an unknown kind.
const NO_DESTINATION: i8 = -1;

/// Returns the number of a kind of destination.
pub(crate) fn destination_number(destination: Destination) -> i8 {
    match destination {
        Destination::Goal => 0,
        Destination::Unreachable(_) => 1,
        Destination::Taken(_) => 2,
        Destination::Nowhere => 3,
        _ => NO_DESTINATION,
    }
}

/// Returns one value per agent of an integer, or of an array of integers.
fn per_agent<T: TryFrom<i64> + Copy>(
    given: &Bound<'_, PyAny>,
    count: usize,
    name: &str,
    range: &str,
) -> PyResult<Vec<T>> {
    let values = integers(given)?;
    let value =
        |&value: &i64| T::try_from(value).map_err(|_| bad_value(format!("{name} is {range}, not {value}")));
    let found = values.as_array().iter().map(value).collect::<PyResult<Vec<T>>>()?;
    match (values.ndim(), found.as_slice()) {
        (0, &[one]) => Ok(vec![one; count]),
        (1, all) if all.len() == count => Ok(found),
        _ => Err(bad_value(format!("there are {count} agents and {} values of {name}", found.len()))),
    }
}

/// Returns one speed per agent.
fn speeds(steps: &Bound<'_, PyAny>, ticks: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Speed>> {
    let part = |given, name| per_agent::<u16>(given, count, name, "from 1 to 65,535");
    let pairs = part(steps, "steps")?.into_iter().zip(part(ticks, "ticks")?);
    pairs.map(|(steps, ticks)| speed(steps, ticks)).collect()
}

fn profiles(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<ProfileId>> {
    Ok(per_agent(given, count, "profile", "from 0 to 255")?.into_iter().map(ProfileId).collect())
}

fn flags(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    // An array of truth values is one of integers.
    let given = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let given = if given.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "b" {
        given.call_method1("astype", ("int64",))?
    } else {
        given
    };
    let values = per_agent::<u8>(&given, count, "the value", "True or False")?;
    let flag = |value| match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(bad_value(format!("the value is True or False, not {value}"))),
    };
    values.into_iter().map(flag).collect()
}

impl World {
    /// Carries out an order per agent. If one is refused, the exception says which.
    fn each<T: Copy>(
        &mut self,
        agents: &[AgentId],
        values: &[T],
        mut order: impl FnMut(&mut throng::World, AgentId, T) -> Result<(), WorldError>,
    ) -> PyResult<()> {
        for (number, (&agent, &value)) in agents.iter().zip(values).enumerate() {
            let done = order(&mut self.world, agent, value);
            done.map_err(|error| Refused::new_err(format!("agent at {number}: {error}")))?;
        }
        Ok(())
    }

    /// Carries out an order with a position per agent.
    fn each_at(
        &mut self,
        agents: &Bound<'_, PyAny>,
        points: &Bound<'_, PyAny>,
        order: impl FnMut(&mut throng::World, AgentId, Pos) -> Result<(), WorldError>,
    ) -> PyResult<()> {
        let (agents, points) = (self::agents(agents)?, positions(points)?);
        if agents.len() != points.len() {
            return Err(bad_value(format!(
                "there are {} agents and {} positions",
                agents.len(),
                points.len()
            )));
        }
        self.each(&agents, &points, order)
    }
}

/// Orders to many agents. If one is refused, those before it were carried out; the exception says which it is.
#[pymethods]
impl World {
    /// Puts new agents on positions, an array of shape `(n, 2)`, and returns their numbers. `profile`, `steps` and `ticks` are an
    /// integer for all agents, or an array with one per agent: an agent makes `steps` steps in `ticks` ticks. If one is refused,
    /// the ones before it stay on the map; the exception says which.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> world.spawn_many([(0, 0), (2, 0)], ticks=[1, 3]).tolist()
    /// [0, 1]
    /// >>> world.speed(1)
    /// (1, 3)
    #[pyo3(signature = (positions, *, profile=None, steps=None, ticks=None))]
    fn spawn_many<'py>(
        &mut self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        profile: Option<&Bound<'py, PyAny>>,
        steps: Option<&Bound<'py, PyAny>>,
        ticks: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let places = self::positions(positions)?;
        let (zero, one) = (0_u8.into_pyobject(py)?.into_any(), 1_u8.into_pyobject(py)?.into_any());
        let profiles = profiles(profile.unwrap_or(&zero), places.len())?;
        let speeds = speeds(steps.unwrap_or(&one), ticks.unwrap_or(&one), places.len())?;
        let mut spawned = Vec::with_capacity(places.len());
        for (number, pos) in places.into_iter().enumerate() {
            let spec = AgentSpec::at(pos.x, pos.y).profile(profiles[number]).at_speed(speeds[number]);
            let agent = self.world.spawn(spec);
            spawned.push(agent.map_err(|error| Refused::new_err(format!("position {number}: {error}")))?);
        }
        Ok(agent_array(py, &spawned))
    }

    /// Sends agents to goals: an array of numbers, and an array of shape `(n, 2)`. Returns for each where it will go, a place in
    /// `throng.DESTINATIONS`. If one is refused, the ones before it are on their way; the exception says which.
    ///
    /// >>> world = throng.World(throng.Map.picture("...#."))
    /// >>> agents = world.spawn_many([(0, 0), (1, 0)])
    /// >>> [throng.DESTINATIONS[number] for number in world.send_many(agents, [(2, 0), (4, 0)])]
    /// ['goal', 'unreachable']
    fn send_many<'py>(
        &mut self,
        py: Python<'py>,
        agents: &Bound<'_, PyAny>,
        goals: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let mut found = Vec::new();
        self.each_at(agents, goals, |world, agent, goal| {
            found.push(destination_number(world.send(agent, goal)?));
            Ok(())
        })?;
        Ok(found.to_pyarray(py))
    }

    /// Removes agents.
    fn despawn_many(&mut self, agents: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        self.each(&agents, &vec![(); agents.len()], |world, agent, ()| world.despawn(agent))
    }

    /// Takes the goals and the orders from agents.
    fn halt_many(&mut self, agents: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        self.each(&agents, &vec![(); agents.len()], |world, agent, ()| world.halt(agent))
    }

    /// Moves agents to free positions at once, an array of shape `(n, 2)`.
    fn teleport_many(&mut self, agents: &Bound<'_, PyAny>, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.each_at(agents, positions, throng::World::teleport)
    }

    /// Adds a waypoint per agent, an array of shape `(n, 2)`, after its goal and the waypoints that it has already.
    fn queue_many(&mut self, agents: &Bound<'_, PyAny>, points: &Bound<'_, PyAny>) -> PyResult<()> {
        self.each_at(agents, points, throng::World::queue)
    }

    /// Sets whether agents hold their positions: a truth value for all of them, or an array.
    fn hold_many(&mut self, agents: &Bound<'_, PyAny>, holds: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        let holds = flags(holds, agents.len())?;
        self.each(&agents, &holds, throng::World::hold)
    }

    /// Sets whether the planner controls agents: a truth value for all of them, or an array.
    fn control_many(&mut self, agents: &Bound<'_, PyAny>, controlled: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        let controlled = flags(controlled, agents.len())?;
        self.each(&agents, &controlled, throng::World::control)
    }

    /// Sets the priorities of agents from -128 to 127: an integer for all of them, or an array.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> agents = world.spawn_many([(0, 0), (2, 0)])
    /// >>> world.set_priority_many(agents, [5, -5])
    /// >>> world.priority(1)
    /// -5
    fn set_priority_many(&mut self, agents: &Bound<'_, PyAny>, priority: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        let priorities = per_agent::<i8>(priority, agents.len(), "priority", "from -128 to 127")?;
        self.each(&agents, &priorities, throng::World::set_priority)
    }

    /// Sets the speeds of agents, `steps` steps in `ticks` ticks: integers for all of them, or arrays.
    fn set_speed_many(
        &mut self,
        agents: &Bound<'_, PyAny>,
        steps: &Bound<'_, PyAny>,
        ticks: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let agents = self::agents(agents)?;
        let speeds = speeds(steps, ticks, agents.len())?;
        self.each(&agents, &speeds, throng::World::set_speed)
    }

    /// Sets the profiles of agents: an integer for all of them, or an array.
    fn set_profile_many(&mut self, agents: &Bound<'_, PyAny>, profile: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::agents(agents)?;
        let profiles = profiles(profile, agents.len())?;
        self.each(&agents, &profiles, throng::World::set_profile)
    }
}
