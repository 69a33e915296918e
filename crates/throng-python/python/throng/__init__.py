"""Real-time multi-agent pathfinding on grid maps.

A world is a map with agents and a planner that moves them. Agents are numbers; positions are pairs ``(x, y)``, and arrays of
shape ``(n, 2)`` hold one per row.

>>> import throng
>>> map = throng.Map.builtin("rooms")
>>> problem = throng.Problem.generate(map, "random", agents=50, seed=1)
>>> world = throng.World(map, "surge")
>>> agents = world.spawn_many(problem.starts)
>>> destinations = world.send_many(agents, problem.goals)
>>> ticks = world.run(500, units=20_000)
>>> bool(world.arrived().all())
True

``throng.lab`` runs experiments, ``throng.envs`` has environments for learned policies, ``python -m throng.ray`` runs an
experiment on a cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
import numpy.typing as _npt

from . import lab
from ._throng import (
    ACTIONS,
    CERTAINTIES,
    DESTINATIONS,
    DIRECTIONS,
    EVENT_KINDS,
    MOVE_RULES,
    STUCK_REASONS,
    TERRAIN,
    AgentDetails,
    AgentOrders,
    CheckReport,
    Crowd,
    Database,
    Map,
    Path,
    Problem,
    Refused,
    Remaining,
    RunResult,
    Search,
    TickReport,
    World,
    __version__,
    builtin_maps,
    check,
    generators,
    planners,
    problem_types,
    searches,
)

#: The fields of an event. Fields that a kind of event does not have are -1.
EVENT = _np.dtype(
    [
        ("kind", "<i8"),
        ("agent", "<i8"),
        ("other", "<i8"),
        ("foreign", "<i8"),
        ("x", "<i8"),
        ("y", "<i8"),
        ("to_x", "<i8"),
        ("to_y", "<i8"),
        ("value", "<i8"),
    ]
)


def events(world: World, kind: str | None = None) -> _npt.NDArray[Any]:
    """Returns the events of the last call of ``World.tick`` as an array with named fields, without a copy of the table.

    ``kind`` selects one of ``throng.EVENT_KINDS``. The field ``value`` is the number of ticks of a step, the place of the
    reason in ``throng.STUCK_REASONS``, or the place of the rule in ``throng.MOVE_RULES``.

    >>> world = throng.World(throng.Map.picture("..."))
    >>> agent = world.spawn(0, 0)
    >>> destination = world.send(agent, 2, 0)
    >>> report = world.tick()
    >>> step = throng.events(world, "moved")[0]
    >>> (step["x"].item(), step["to_x"].item())
    (0, 1)
    """
    rows: _npt.NDArray[Any] = world.event_table().view(EVENT).reshape(-1)
    if kind is None:
        return rows
    try:
        number = EVENT_KINDS.index(kind)
    except ValueError:
        raise ValueError(f"there is no kind of event {kind!r}: {', '.join(EVENT_KINDS)}") from None
    chosen: _npt.NDArray[Any] = rows[rows["kind"] == number]
    return chosen


def _rebuild_map(content: bytes, corners: str, four_way: bool, profiles: Any) -> Map:
    """Makes the map of a pickle."""
    return Map.from_bytes(content).with_rules(corners=corners, four_way=four_way, profiles=profiles)


__all__ = [
    "ACTIONS",
    "CERTAINTIES",
    "DESTINATIONS",
    "DIRECTIONS",
    "EVENT",
    "EVENT_KINDS",
    "MOVE_RULES",
    "STUCK_REASONS",
    "TERRAIN",
    "AgentDetails",
    "AgentOrders",
    "CheckReport",
    "Crowd",
    "Database",
    "Map",
    "Path",
    "Problem",
    "Refused",
    "Remaining",
    "RunResult",
    "Search",
    "TickReport",
    "World",
    "__version__",
    "builtin_maps",
    "check",
    "events",
    "generators",
    "lab",
    "planners",
    "problem_types",
    "searches",
]
