"""Environments for learned policies: PettingZoo's parallel API for many agents, Gymnasium's for one.

The agents of a policy move on the same maps, by the same rules and under the same referee as those of the planners, so that both can be
compared: ``reference`` runs a planner on the problem of the episode.

>>> import throng
>>> from throng.envs import ParallelEnv
>>> map = throng.Map.generate("random", 24, 24, seed=1).with_rules(four_way=True)
>>> env = ParallelEnv(map, 4, max_ticks=50)
>>> observations, infos = env.reset(seed=2)
>>> observations["agent_0"].shape
(3, 11, 11)
>>> observations, rewards, terminations, truncations, infos = env.step({agent: 1 for agent in env.agents})
>>> env.reference("surge")["completion_rate"]
1.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv as _ParallelEnv

from ._throng import Crowd, Map, Problem, RunResult

Observation: TypeAlias = NDArray[np.float32]

__all__ = ["ParallelEnv", "SingleAgentEnv"]

# The colours of pictures, and the pixels per cell.
_GROUND, _WALL, _GOAL, _AGENT = (231, 224, 205), (84, 80, 74), (140, 190, 130), (214, 40, 57)
_PIXELS = 8


def _observation_space(radius: int) -> spaces.Box:
    side = 2 * radius + 1
    return spaces.Box(0.0, 1.0, (3, side, side), np.float32)


class _Episode:
    """What both environments share: a crowd, a limit of ticks, and the comparison with a planner."""

    render_mode: str | None
    _seed: int

    def _setup(self, map: Map, agents: int | None, max_ticks: int, options: dict[str, Any]) -> None:
        self.map, self.max_ticks = map, max_ticks
        self.crowd = Crowd(map, agents, **options)

    def reference(self, planner: str = "surge", **options: Any) -> RunResult:
        """Runs a planner on the problem of this episode, and returns its measures (``throng.RunResult``).

        The options are those of ``throng.Problem.run``. With ``on_goal="next"`` the planner has the first goals only.
        """
        problem = Problem(self.map, self.crowd.starts, self._first_goals)
        return problem.run(planner, **{"max_ticks": self.max_ticks, **options})

    def _begin(self, seed: int | None) -> None:
        # Without a seed the next episode has another problem than the one before.
        self._seed = self._seed + 1 if seed is None else seed
        self.crowd.reset(self._seed)
        self._first_goals = self.crowd.goals

    def render(self) -> NDArray[np.uint8] | str:
        """Returns a picture as an array of shape ``(height, width, 3)``, or a text with ``render_mode="ansi"``."""
        free, (xs, ys) = self.map.free(), self.crowd.positions.T
        if self.render_mode == "ansi":
            rows = np.where(free, ".", "#")
            rows[ys, xs] = "a"
            return "\n".join("".join(row) for row in rows)
        pixels = np.where(free[..., None], _GROUND, _WALL).astype(np.uint8)
        goal_xs, goal_ys = self.crowd.goals.T
        pixels[goal_ys, goal_xs] = _GOAL
        pixels[ys, xs] = _AGENT
        return pixels.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)

    def close(self) -> None:
        """Does nothing: an environment holds no resources."""


class ParallelEnv(_Episode, _ParallelEnv):
    """Many agents of a policy, as PettingZoo's parallel environment.

    ``map`` decides whether agents move in four directions (actions 0 to 4: stay, up, down, left, right) or in eight (0 to 8).
    Observations are arrays of shape ``(3, 2r+1, 2r+1)``: obstacles, agents, and the goal, as in POGEMA. They are views of one array,
    ``env.observations``, which the next step replaces unless ``reuse`` is true: then it writes into the same array.

    The reward is 1 in the tick in which an agent reaches its goal. With ``on_goal="stay"`` the episode ends when all agents are at
    their goals, with ``"remove"`` an agent leaves the map when it reaches its goal, with ``"next"`` it gets another goal and the episode
    ends after ``max_ticks``.

    ``learners`` are the numbers of the agents of the policy, by default all. Give the ``planner`` that moves the others.
    """

    metadata = {"name": "throng_v0", "render_modes": ["rgb_array", "ansi"], "is_parallelizable": True}

    def __init__(
        self,
        map: Map,
        agents: int | None = None,
        *,
        max_ticks: int = 256,
        render_mode: str | None = None,
        reuse: bool = False,
        **options: Any,
    ) -> None:
        self._setup(map, agents, max_ticks, options)
        self.render_mode, self._seed = render_mode, -1
        self._removes = options.get("on_goal") == "remove"
        self._endless = options.get("on_goal") == "next"
        self._learners = self.crowd.learners
        self.possible_agents = [f"agent_{number}" for number in self._learners]
        self._place = {agent: place for place, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self._observation_space = _observation_space(self.crowd.radius)
        self._action_space = spaces.Discrete(self.crowd.action_count)
        self.observations: Observation | None = None
        self._reuse, self._actions = reuse, np.zeros(len(self._learners), np.int64)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, self._action_space)

    def observation_space(self, agent: str) -> spaces.Box:
        """Returns the space of the observations, which is the same for all agents."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of the actions, which is the same for all agents."""
        return self._action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins an episode. Without a seed it has the problem that follows that of the episode before."""
        self._begin(seed)
        self.agents = self.possible_agents[:]
        self._places = np.arange(len(self.agents))
        return self._observe(), {agent: {} for agent in self.agents}

    def _observe(self) -> dict[str, Observation]:
        observations = self.observations = self.crowd.observe(self.observations if self._reuse else None)
        if len(self.agents) == len(self.possible_agents):
            return dict(zip(self.agents, observations))
        return {agent: observations[self._place[agent]] for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Makes one tick with an action per agent of ``env.agents``."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        agents, given = self.agents, self._actions
        if len(agents) == len(given):
            given[:] = [actions[agent] for agent in agents]
        else:
            given.fill(0)
            given[self._places] = [actions[agent] for agent in agents]
        crowd = self.crowd
        crowd.step(given)
        observations = self._observe()
        places = self._places
        is_late = crowd.ticks >= self.max_ticks
        is_over = not self._endless and not self._removes and crowd.all_arrived
        if len(places) == len(given):
            rewards = dict(zip(agents, crowd.rewards.tolist()))
        else:
            rewards = dict(zip(agents, crowd.rewards[places].tolist()))
        if self._removes:
            arrived = crowd.arrived[places].tolist()
            terminations = dict(zip(agents, arrived))
            truncations = {agent: is_late and not done for agent, done in terminations.items()}
        else:
            terminations = dict.fromkeys(agents, is_over)
            truncations = dict.fromkeys(agents, is_late and not is_over)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        if is_late or is_over:
            self.agents = []
        elif self._removes:
            self.agents = [agent for agent in agents if not terminations[agent]]
            self._places = np.array([self._place[agent] for agent in self.agents], dtype=np.int64)
        return observations, rewards, terminations, truncations, infos


class SingleAgentEnv(_Episode, gymnasium.Env):
    """One agent of a policy among others that a planner moves, as a Gymnasium environment.

    The observation and the actions are those of ``ParallelEnv``. The reward is 1 when the agent reaches its goal, where the episode ends.

    >>> from throng.envs import SingleAgentEnv
    >>> map = throng.Map.generate("random", 24, 24, seed=1)
    >>> env = SingleAgentEnv(map, 20, planner="surge", max_ticks=64)
    >>> observation, info = env.reset(seed=3)
    >>> observation.shape, info["position"] == info["goal"]
    ((3, 11, 11), False)
    """

    metadata = {"render_modes": ["rgb_array", "ansi"]}

    def __init__(
        self,
        map: Map,
        agents: int | None = None,
        *,
        planner: str = "surge",
        max_ticks: int = 256,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._setup(map, agents, max_ticks, {"planner": planner, "learners": [0], **options})
        self.render_mode, self._seed = render_mode, -1
        self.observation_space = _observation_space(self.crowd.radius)
        self.action_space = spaces.Discrete(self.crowd.action_count)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode. Without a seed it has the problem that follows that of the episode before."""
        super().reset(seed=seed)
        self._begin(seed)
        return self.crowd.observe()[0], self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes one tick."""
        self.crowd.step(np.array([action], dtype=np.int64))
        done = bool(self.crowd.arrived[0])
        late = self.crowd.ticks >= self.max_ticks
        reward = float(self.crowd.rewards[0])
        return self.crowd.observe()[0], reward, done, late and not done, self._info()

    def _info(self) -> dict[str, Any]:
        position, goal = self.crowd.positions[0].tolist(), self.crowd.goals[0].tolist()
        return {"position": tuple(position), "goal": tuple(goal), "overruled": bool(self.crowd.overruled[0])}
