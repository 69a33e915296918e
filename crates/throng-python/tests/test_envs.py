"""Crowds and environments: actions, conflicts, observations, rewards, and the rules of PettingZoo and Gymnasium."""

import numpy as np
import pytest
import throng

STAY, UP, DOWN, LEFT, RIGHT = range(5)


def four_way(picture):
    scene, starts, goals = throng.Map.scene(picture)
    return scene.with_rules(four_way=True), starts, goals


def crowd_of(picture, **options):
    map, starts, goals = four_way(picture)
    crowd = throng.Crowd(map, starts=starts, goals=goals, **options)
    crowd.reset()
    return crowd


def test_actions_move_agents_and_walls_stop_them():
    crowd = crowd_of("""
        a..#
        ..A.
    """)
    steps = [(RIGHT, [1, 0]), (UP, [1, 0]), (RIGHT, [2, 0]), (RIGHT, [2, 0]), (DOWN, [2, 1])]
    for action, place in steps:
        crowd.step([action])
        assert crowd.positions.tolist() == [place]
    assert crowd.rewards.tolist() == [1.0] and crowd.arrived.tolist() == [True] and crowd.all_arrived
    assert crowd.ticks == 5
    crowd.step([STAY])
    assert crowd.rewards.tolist() == [0.0]


def test_the_referee_resolves_conflicts():
    crowd = crowd_of("""
        a.b
        A.B
    """)
    crowd.step([RIGHT, LEFT])
    assert crowd.positions.tolist() == [[1, 0], [2, 0]], "the lower number gets the cell"
    assert crowd.overruled.tolist() == [False, True]
    crowd.step([RIGHT, LEFT])
    assert crowd.positions.tolist() == [[1, 0], [2, 0]], "agents do not swap"
    crowd.step([LEFT, LEFT])
    assert crowd.positions.tolist() == [[0, 0], [1, 0]], "agents may follow each other"


def test_agents_leave_or_go_on_at_their_goals():
    crowd = crowd_of("aA.", on_goal="remove")
    crowd.step([RIGHT])
    assert crowd.rewards.tolist() == [1.0] and crowd.present.tolist() == [False]
    assert crowd.observe()[0, 1].sum() == 0, "a removed agent is not seen"
    crowd.step([RIGHT])
    assert crowd.positions.tolist() == [[1, 0]]

    crowd = crowd_of("aA.", on_goal="next")
    goals = set()
    for action in [RIGHT, RIGHT, LEFT, LEFT] * 20:
        crowd.step([action])
        assert crowd.goals.tolist() != crowd.positions.tolist()
        goals.add(tuple(crowd.goals[0]))
    assert goals == {(0, 0), (1, 0), (2, 0)}


def test_bad_actions_are_refused():
    crowd = crowd_of("aA.")
    for bad in ([5], [-1], [0, 0], [[0]], []):
        with pytest.raises(ValueError):
            crowd.step(bad)
    with pytest.raises(TypeError):
        crowd.step([0.5])
    assert crowd.ticks == 0
    map, _, _ = four_way("aA.")
    with pytest.raises(ValueError, match="reset"):
        throng.Crowd(map, 1).step([0])
    with pytest.raises(ValueError, match="planner"):
        throng.Crowd(map, 2, learners=[0])


def windows(map, positions, goals, radius):
    """The observations by POGEMA's definition, cell by cell."""
    free, (height, width) = map.free(), map.shape
    occupied = {tuple(at) for at in positions}
    side = 2 * radius + 1
    found = np.zeros((len(positions), 3, side, side), np.float32)
    for agent, ((x, y), (gx, gy)) in enumerate(zip(positions, goals)):
        for row in range(side):
            for column in range(side):
                cx, cy = x + column - radius, y + row - radius
                inside = 0 <= cx < width and 0 <= cy < height
                frame = not inside and -1 <= cx <= width and -1 <= cy <= height
                found[agent, 0, row, column] = frame or inside and not free[cy, cx]
                found[agent, 1, row, column] = (cx, cy) in occupied
        dx, dy = np.clip(gx - x, -radius, radius), np.clip(gy - y, -radius, radius)
        found[agent, 2, dy + radius, dx + radius] = 1
    return found


@pytest.mark.parametrize("radius", [0, 1, 3, 5, 20])
def test_observations_match_their_definition(radius):
    map = throng.Map.generate("random", 17, 12, seed=radius).with_rules(four_way=True)
    crowd = throng.Crowd(map, 9, radius=radius, on_goal="next")
    crowd.reset(seed=4)
    random, out = np.random.default_rng(1), np.full((9, 3, 2 * radius + 1, 2 * radius + 1), 7, np.float32)
    moved = 0
    for _ in range(40):
        before = crowd.positions
        crowd.step(random.integers(0, 5, 9))
        moved += (crowd.positions != before).any(axis=1).sum()
        expected = windows(map, crowd.positions, crowd.goals, radius)
        assert (crowd.observe() == expected).all()
        assert crowd.observe(out) is out and (out == expected).all()
    assert moved > 100


def test_a_world_sees_the_same():
    map = throng.Map.generate("random", 20, 20, seed=2)
    problem = throng.Problem.generate(map, agents=15, seed=1)
    world = throng.World(map, "surge")
    world.send_many(world.spawn_many(problem.starts), problem.goals)
    for _ in range(10):
        world.tick()
        expected = windows(map, world.positions(), world.goals(), 5)
        assert (world.observe(5) == expected).all()


def test_a_planner_moves_the_others():
    map = throng.Map.builtin("rooms")
    crowd = throng.Crowd(map, 60, planner="surge", learners=[3, 17], units=100_000)
    crowd.reset(seed=1)
    starts = crowd.starts
    for _ in range(400):
        crowd.step([STAY, STAY])
    at, goals = crowd.positions, crowd.goals
    assert (at[[3, 17]] == starts[[3, 17]]).all()
    others = [agent for agent in range(60) if agent not in (3, 17)]
    # An agent whose goal a standing learner occupies or cuts off cannot arrive.
    assert (at[others] == goals[others]).all(axis=1).sum() >= 55
    assert crowd.observe().shape == (2, 3, 11, 11)


def test_episodes_repeat():
    map = throng.Map.generate("rooms", 32, 32, seed=1)

    def play(seed):
        crowd = throng.Crowd(map, 30, planner="pibt", learners=list(range(10)), on_goal="next")
        crowd.reset(seed)
        random, trace = np.random.default_rng(0), []
        for _ in range(50):
            crowd.step(random.integers(0, 9, 10))
            trace.append(crowd.positions.tobytes())
        return trace

    assert play(5) == play(5)
    assert play(5) != play(6)


def test_the_parallel_environment_follows_pettingzoo():
    envs = pytest.importorskip("throng.envs")
    from pettingzoo.test import parallel_api_test

    map = throng.Map.generate("random", 16, 16, seed=1)
    for options in [{}, {"on_goal": "remove"}, {"on_goal": "next"}, {"planner": "surge", "learners": [1, 3]}]:
        env = envs.ParallelEnv(map, 5, max_ticks=20, **options)
        parallel_api_test(env, num_cycles=60)


def test_the_parallel_environment_has_the_rewards_of_the_crowd():
    envs = pytest.importorskip("throng.envs")
    map, starts, goals = four_way("""
        a.b.
        A..B
    """)
    env = envs.ParallelEnv(map, starts=starts, goals=goals, on_goal="remove", max_ticks=9)
    observations, infos = env.reset()
    assert env.agents == ["agent_0", "agent_1"] == list(observations) == list(infos)
    observations, rewards, ended, cut, _ = env.step({"agent_0": DOWN, "agent_1": RIGHT})
    assert rewards == {"agent_0": 1.0, "agent_1": 0.0}
    assert ended == {"agent_0": True, "agent_1": False} and not any(cut.values())
    assert env.agents == ["agent_1"]
    observations, rewards, ended, cut, _ = env.step({"agent_1": DOWN})
    assert list(observations) == ["agent_1"] and rewards == {"agent_1": 1.0} and ended == {"agent_1": True}
    assert env.agents == []
    assert env.reference("pibt")["completion_rate"] == 1.0
    assert env.render().shape == (16, 32, 3)


def test_an_episode_is_cut_after_its_ticks():
    envs = pytest.importorskip("throng.envs")
    map = throng.Map.generate("random", 16, 16, seed=1)
    env = envs.ParallelEnv(map, 3, max_ticks=4, reuse=True)
    first = env.reset(seed=7)[0]
    for tick in range(4):
        _, _, ended, cut, _ = env.step(dict.fromkeys(env.agents, STAY))
    assert all(cut.values()) and not any(ended.values()) and env.agents == []
    again = env.reset(seed=7)[0]
    assert all((first[agent] == again[agent]).all() for agent in again)


def test_the_environment_of_one_agent_follows_gymnasium():
    envs = pytest.importorskip("throng.envs")
    from gymnasium.utils.env_checker import check_env

    map = throng.Map.generate("random", 16, 16, seed=1).with_rules(four_way=True)
    env = envs.SingleAgentEnv(map, 8, planner="surge", max_ticks=30)
    check_env(env, skip_render_check=True)
    # A policy that walks its shortest path arrives, among agents that make room for it or not.
    arrived = 0
    for seed in range(10):
        _, info = env.reset(seed=seed)
        done = late = False
        while not (done or late):
            path = throng.Search("astar").find(map, info["position"], info["goal"]).cells
            step = tuple((path[1] - path[0]).tolist())
            action = {(0, -1): UP, (0, 1): DOWN, (-1, 0): LEFT, (1, 0): RIGHT}[step]
            _, reward, done, late, info = env.step(action)
        assert reward == float(done)
        arrived += done
    assert arrived >= 8
    assert env.reference("surge")["completion_rate"] == 1.0
