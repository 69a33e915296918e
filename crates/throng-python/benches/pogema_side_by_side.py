"""POGEMA and throng side by side: the same maps, starts, goals and random actions, one process, in turns.

    pip install pogema "pettingzoo<1.25"
    python benches/pogema_side_by_side.py

POGEMA's default collision system is used. Its system `soft` loses agents from the observations when one agent follows another.

POGEMA makes an observation of radius 5 in every step. The first two lines compare it with environments of throng that do the same: as arrays
and through PettingZoo. The last line is throng without observations, which POGEMA cannot do. Before measuring, the observations of both are
compared value by value.
"""

import statistics
import time

import numpy as np
import pogema
import throng
from throng.envs import ParallelEnv

SIDE, AGENTS, STEPS, ROUNDS, DENSITY = 64, 256, 60, 5, 0.3


def problem(seed):
    free = np.random.default_rng(seed).random((SIDE, SIDE)) >= DENSITY
    map = throng.Map.from_array(free).with_rules(four_way=True)
    return map, throng.Problem.generate(map, agents=AGENTS, seed=seed + 1)


def pogema_env(map, problem):
    # POGEMA's x is the row.
    config = pogema.GridConfig(
        map=(~map.free()).astype(int).tolist(),
        agents_xy=problem.starts[:, ::-1].tolist(),
        targets_xy=problem.goals[:, ::-1].tolist(),
        num_agents=AGENTS,
        obs_radius=5,
        max_episode_steps=10_000,
        on_target="nothing",
        collision_system="priority",
        observation_type="default",
    )
    env = pogema.pogema_v0(config)
    env.reset()
    return env


def rate(step, actions):
    begun = time.perf_counter()
    for row in actions:
        step(row)
    return AGENTS * len(actions) / (time.perf_counter() - begun)


def without_conflicts(actions, positions):
    """Replaces actions that the two referees may judge differently by waiting: steps to a cell where an agent stands or that
    another wants."""
    steps = np.array([(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)])
    wanted, taken = positions + steps[actions], {tuple(at) for at in positions.tolist()}
    for agent, place in enumerate(map(tuple, wanted.tolist())):
        if actions[agent]:
            if place in taken:
                actions[agent] = 0
            taken.add(place)
    return actions


def check(map, problem):
    """Compares the observations of both at the starts and after moves."""
    env, crowd = pogema_env(map, problem), throng.Crowd(map, starts=problem.starts, goals=problem.goals)
    crowd.reset()
    random, same = np.random.default_rng(0), 0
    for _ in range(30):
        assert (crowd.observe() == np.stack(env.unwrapped._obs())).all(), "the observations differ"
        same += 1
        actions = without_conflicts(random.integers(0, 5, AGENTS), crowd.positions)
        crowd.step(actions)
        env.step(actions.tolist())
        there = [list(at) for at in env.unwrapped.grid.get_agents_xy(ignore_borders=True)]
        assert there == crowd.positions[:, ::-1].tolist(), "the positions differ"
    return same


def main():
    rates = {name: [] for name in ("pogema", "arrays", "pettingzoo", "bare")}
    for round in range(ROUNDS):
        map, drawn = problem(round)
        if round == 0:
            print(f"observations compared: {check(map, drawn)} x {AGENTS} agents, equal")
        actions = np.random.default_rng(round).integers(0, 5, (STEPS, AGENTS))
        theirs = pogema_env(map, drawn)
        rates["pogema"].append(rate(lambda row: theirs.step(row), actions.tolist()))

        crowd = throng.Crowd(map, starts=drawn.starts, goals=drawn.goals)
        crowd.reset()
        out = crowd.observe()

        def with_observations(row):
            crowd.step(row)
            crowd.observe(out)

        rates["arrays"].append(rate(with_observations, np.tile(actions, (10, 1))))
        crowd.reset()
        rates["bare"].append(rate(crowd.step, np.tile(actions, (20, 1))))

        env = ParallelEnv(map, starts=drawn.starts, goals=drawn.goals, max_ticks=100_000)
        env.reset()
        rows = [dict(zip(env.agents, row)) for row in actions.tolist()]
        rates["pettingzoo"].append(rate(env.step, rows * 5))
    medians = {name: statistics.median(found) for name, found in rates.items()}
    base = medians["pogema"]
    print(f"{AGENTS} agents on {SIDE}x{SIDE}, {100 * DENSITY:.0f} % walls, radius 5, {ROUNDS} maps, medians, agent steps per second")
    for name, about in [
        ("pogema", "POGEMA with observations"),
        ("arrays", "throng with observations, arrays"),
        ("pettingzoo", "throng with observations, PettingZoo"),
        ("bare", "throng without observations"),
    ]:
        print(f"{about:40} {medians[name]:12,.0f} {medians[name] / base:8.1f} times")


if __name__ == "__main__":
    main()
