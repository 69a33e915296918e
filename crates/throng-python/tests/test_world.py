"""Worlds, maps, searches and databases: arrays, errors, threads, saves."""

import copy
import pickle
import threading

import numpy as np
import pytest
import throng


def crowd(agents=200, planner="surge", **options):
    map = throng.Map.builtin("rooms")
    problem = throng.Problem.generate(map, agents=agents, seed=1)
    world = throng.World(map, planner, **options)
    world.send_many(world.spawn_many(problem.starts), problem.goals)
    return world


def test_terrain_shares_the_memory_of_the_map():
    map = throng.Map.picture("..#\nGWT")
    terrain = map.terrain
    assert terrain.tolist() == [[0, 0, 5], [1, 3, 4]] and terrain.dtype == np.uint8
    assert np.shares_memory(terrain, map.terrain), "no copy is made"
    assert not terrain.flags.writeable and not terrain.flags.owndata
    with pytest.raises(ValueError):
        terrain[0, 0] = 1
    del map
    assert terrain.tolist() == [[0, 0, 5], [1, 3, 4]], "the array keeps the map alive"


def test_maps_from_arrays_and_files(tmp_path):
    map = throng.Map.generate("caves", 40, 30, seed=3)
    assert throng.Map.from_array(map.terrain) == map
    free = map.free()
    assert (throng.Map.from_array(free).free() == free).all()
    assert (throng.Map.from_array(free.T).free() == free.T).all(), "an array that is not contiguous"
    map.save(tmp_path / "caves.map")
    assert throng.Map.load(tmp_path / "caves.map") == map
    ruled = map.with_rules(corners="allow", four_way=False, profiles=["uniform", ([2, 2, 4, 5, 3, 0, 0], 3)])
    assert pickle.loads(pickle.dumps(ruled)) == ruled != map
    with pytest.raises(ValueError, match="terrain 7"):
        throng.Map.from_array(np.full((2, 2), 7))
    with pytest.raises(ValueError, match="row 1"):
        throng.Map.picture("..\n...")
    with pytest.raises(ValueError, match="forbid"):
        map.with_rules(corners="forbidden")


def test_positions_are_written_into_an_array():
    world = crowd(50)
    out = np.zeros((50, 2), np.int32)
    for _ in range(5):
        world.tick()
        assert world.positions(out) is out
        assert (out == world.positions()).all()
        assert [tuple(at) for at in out.tolist()] == [world.position(agent) for agent in world.agents.tolist()]
    for bad in [np.zeros((49, 2), np.int32), np.zeros((50, 3), np.int32), np.zeros((50, 4), np.int32)[:, ::2]]:
        with pytest.raises(ValueError):
            world.positions(bad)
    out.flags.writeable = False
    with pytest.raises(ValueError):
        world.positions(out)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, np.int16, list])
def test_positions_of_any_integer_type_are_taken(kind):
    places = [(0, 0), (1, 1), (3, 0)]
    world = throng.World(throng.Map.picture("....\n...."))
    agents = world.spawn_many(places if kind is list else np.array(places, dtype=kind))
    assert world.positions().tolist() == [list(place) for place in places]
    world.send_many(agents.tolist(), np.array(places)[::-1])
    assert world.goals().tolist() == [list(place) for place in places[::-1]]


def test_mistakes_are_refused():
    world = throng.World(throng.Map.picture("..#."))
    agent = world.spawn(0, 0)
    refused = [
        lambda: world.spawn(0, 0),
        lambda: world.spawn(2, 0),
        lambda: world.spawn(-1, 0),
        lambda: world.spawn(3, 0, profile=4),
        lambda: world.send(agent, 9, 9),
        lambda: world.send(agent + 1, 1, 0),
        lambda: world.send(2**63, 1, 0),
        lambda: world.spawn_many([(1, 0), (1, 0)]),
        lambda: world.spawn_many([(2**40, 0)]),
        lambda: world.follow(agent, agent),
    ]
    for call in refused:
        with pytest.raises(throng.Refused):
            call()
    wrong_values = [
        lambda: throng.World(throng.Map.picture(".."), "sugre"),
        lambda: throng.World(throng.Map.picture(".."), "surge:no=1"),
        lambda: throng.World(throng.Map.picture(".."), sharing="all"),
        lambda: throng.World(throng.Map.picture(".."), fog_shared=True),
        lambda: world.tick(units=1, expansions=1),
        lambda: world.tick(seconds=-1),
        lambda: world.spawn_many([1, 2, 3]),
        lambda: world.send_many([agent], [(0, 0), (1, 0)]),
        lambda: throng.World.restore(b"nothing"),
        lambda: throng.Search("astra"),
        lambda: throng.events(world, "move"),
    ]
    for call in wrong_values:
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError, match="did you mean|surge"):
        throng.World(throng.Map.picture(".."), "sugre")
    for bad in ([(0.5, 0)], [("a", "b")]):
        with pytest.raises(TypeError):
            world.spawn_many(bad)
    with pytest.raises(OverflowError):
        world.send(-1, 0, 0)
    world.despawn(agent)
    with pytest.raises(throng.Refused, match="removed"):
        world.position(agent)


def test_events_have_named_fields():
    world = throng.World(throng.Map.picture("....."))
    agent = world.spawn(0, 0)
    world.send(agent, 2, 0)
    world.tick()
    moved = throng.events(world, "moved")
    assert len(moved) == 1
    assert moved[0].tolist() == (throng.EVENT_KINDS.index("moved"), agent, -1, 0, 0, 0, 1, 0, 1)
    assert np.shares_memory(*(2 * [table := world.event_table()])) and table.shape == (1, 9)
    world.tick(3)
    assert [throng.EVENT_KINDS[kind] for kind in throng.events(world)["kind"]] == ["moved", "arrived"]
    assert world.arrivals().tolist() == [agent]
    world.block((2, 0), (2, 0))
    world.tick()
    displaced = throng.events(world, "displaced")[0]
    assert (displaced["x"], abs(displaced["to_x"] - 2)) == (2, 1)


def test_budgets_repeat():
    runs = []
    for _ in range(2):
        world = crowd(300, seed=3)
        hashes = []
        for tick in range(20):
            if not runs:
                report = world.tick(seconds=0.0005)
                hashes.append((world.state_hash, report.rounds))
            else:
                world.tick(rounds=runs[0][tick][1])
                hashes.append((world.state_hash, runs[0][tick][1]))
        runs.append(hashes)
    assert runs[0] == runs[1], "a tick under a clock is repeated by its rounds"


def test_threads_change_nothing():
    hashes = []
    for threads in (1, 3):
        world = crowd(300, threads=threads)
        world.tick(20, units=100_000)
        hashes.append(world.state_hash)
    assert hashes[0] == hashes[1]


def test_worlds_are_copied_saved_and_restored():
    world = crowd(80)
    world.tick(5, units=20_000)
    others = [world.copy(), copy.deepcopy(world), throng.World.restore(world.snapshot()), pickle.loads(pickle.dumps(world))]
    for each in [world, *others]:
        each.tick(10, units=20_000)
    assert {each.state_hash for each in others} == {world.state_hash}


def test_other_threads_run_during_ticks():
    world = crowd(600)
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        # One call into the engine: without the lock released, the other thread would not run in it.
        before = counted
        world.tick(60)
        during = counted - before
    finally:
        done.set()
        thread.join()
    assert during > 1000


def test_a_world_in_a_tick_refuses_other_threads():
    world = crowd(800)
    failures, begun = [], threading.Event()

    def look():
        begun.wait()
        for _ in range(100_000):
            try:
                world.positions()
            except RuntimeError as error:
                failures.append(str(error))
                return

    thread = threading.Thread(target=look)
    thread.start()
    begun.set()
    while thread.is_alive():
        try:
            world.tick(20)
        except RuntimeError as error:
            # The other thread was reading.
            failures.append(str(error))
            break
    thread.join()
    assert failures and "borrow" in failures[0].lower()


def test_searches_and_databases_agree(tmp_path):
    map = throng.Map.generate("rooms", 40, 40, seed=5)
    database = throng.Database.build(map, threads=2)
    problem = throng.Problem.generate(map, agents=100, seed=2)
    expected = throng.Search("dijkstra").find_many(map, problem.starts, problem.goals)[0]
    for name in ("astar", "jps", "cpd"):
        options = {"database": database} if name == "cpd" else {}
        found, expansions = throng.Search(name, **options).find_many(map, problem.starts, problem.goals)
        assert (found == expected).all() and expansions.dtype == np.uint64
    assert (database.distances(problem.starts, problem.goals) == expected).all()
    database.save(tmp_path / "rooms.cpd")
    same = throng.Database.load(tmp_path / "rooms.cpd", map)
    moves = same.first_moves(problem.starts, problem.goals)
    assert (moves == database.first_moves(problem.starts, problem.goals)).all() and moves.max() < 8
    with pytest.raises(ValueError, match="map"):
        throng.Database.from_bytes(database.to_bytes(), throng.Map.generate("rooms", 40, 40, seed=6))
    assert throng.Search("astar").find(throng.Map.picture(".#."), (0, 0), (2, 0)) is None


def test_runs_have_the_measures_of_the_laboratory():
    problem = throng.Problem.generate(throng.Map.builtin("rooms"), "swap-sides", agents=50, seed=3)
    result = problem.run("surge", max_ticks=400, record=True)
    measures = result.measures
    assert measures["collisions"] == 0 and measures["completion_rate"] == 1.0 and measures["agents"] == 50
    assert result.arrived[-1] == 50 and len(result.tick_us) == measures["ticks"]
    assert len(result.recording) > 1000 and result.heat.shape == problem.map.shape
    again = problem.run("surge", max_ticks=400, threads=2)
    assert again["state_hash"] == measures["state_hash"]
    with pytest.raises(KeyError):
        result["completion"]


def test_notebooks_show_pictures():
    world = crowd(20)
    problem = throng.Problem.generate(world.map, agents=5, seed=1)
    for thing in (world, world.map, problem, problem.run("pibt", max_ticks=20)):
        picture = thing._repr_png_()
        assert picture.startswith(b"\x89PNG") and len(picture) > 500
    assert world.png(scale=2) != world.png(scale=3)
    assert problem.png() != throng.Problem.generate(world.map, agents=5, seed=2).png()
    path = throng.Search("astar").find(world.map, tuple(problem.starts[0]), tuple(problem.goals[0]))
    assert world.map.png(path=path.cells, agents=problem.starts) != world.map.png()


def test_motions_are_for_drawing():
    world = crowd(40)
    world.tick(3)
    motions, positions = world.motions(), world.positions()
    assert (motions[:, 2:4] == positions).all() and motions.shape == (40, 6)
    assert (world.positions_at(1.0) == positions).all()
    assert (world.positions_at(0.0) == motions[:, :2]).all(), "all steps last one tick"
    assert (world.targets() == [world.target(agent) for agent in world.agents.tolist()]).all()


def test_the_path_before_an_agent():
    world = crowd(40)
    world.tick(3, units=20_000)
    next_cells = world.next_cells()
    known = 0
    for row, agent in enumerate(world.agents.tolist()):
        path, certainty = world.path(agent), world.path_certainty(agent)
        assert len(path) == len(certainty) and (certainty < len(throng.CERTAINTIES)).all()
        expected = tuple(next_cells[row].tolist())
        assert (world.next_cell(agent) or (-1, -1)) == expected
        remaining = world.remaining(agent)
        if len(path):
            worst = throng.CERTAINTIES[certainty.max()]
            assert remaining.certainty == worst and remaining.ticks >= len(path) - 1
            known += worst != "unknown"
    assert known > 3
    agent = throng.World(throng.Map.picture(".."))
    assert agent.remaining(agent.spawn(0, 0)) is None


def test_orders_are_listed():
    world = throng.World(throng.Map.picture("........"))
    agent, other = world.spawn(0, 0), world.spawn(7, 0)
    assert (world.orders(agent).kind, world.orders(agent).points) == ("none", [])
    world.patrol(agent, [(1, 0), (3, 0)])
    patrol = world.orders(agent)
    assert (patrol.kind, patrol.points, patrol.next) == ("patrol", [(1, 0), (3, 0)], 0)
    cart = world.place_foreign(5, 0)
    for order, unit in ((world.follow, ("agent", other)), (world.follow_foreign, ("foreign", cart))):
        order(agent, unit[1], 3)
        follow = world.orders(agent)
        assert (follow.kind, follow.unit, follow.distance, follow.points) == ("follow", unit, 3, [])


def test_states_have_reasons():
    world = throng.World(throng.Map.picture("....."), stuck_after=3)
    agent, cart = world.spawn(0, 0), world.place_foreign(2, 0)
    assert (world.state(agent), world.details(agent).by) == ("idle", None)
    world.send(agent, 4, 0)
    seen = {}
    for _ in range(60):
        world.tick()
        details = world.details(agent)
        assert details.state == world.state(agent)
        seen.setdefault(details.state, details)
    assert (seen["waiting"].wanted, seen["waiting"].by) == ((2, 0), ("foreign", cart))
    assert (seen["stuck"].reason, seen["stuck"].by) == ("behind-foreign", ("foreign", cart))
    assert world.occupant(2, 0) == ("foreign", cart) and world.occupant(3, 0) is None
    assert world.foreign_position(cart) == (2, 0) and world.settled_short(agent) is None
    world = throng.World(throng.Map.picture("......"))
    agent = world.spawn(0, 0)
    world.place_foreign(2, 0)
    world.send(agent, 5, 0)
    while world.settled_short(agent) is None:
        assert world.tick(16).ticks == 16 and world.ticks < 2_000
    assert (world.details(agent).state, world.details(agent).distance) == ("settled short", world.settled_short(agent))


def test_the_world_says_where_an_agent_will_go():
    world = throng.World(throng.Map.picture("....#."))
    first, second = world.spawn_many([(0, 0), (1, 0)]).tolist()
    assert world.send(first, 3, 0) == ("goal", (3, 0))
    kind, cell = world.send(second, 5, 0)
    assert (kind, cell[0] < 4) == ("unreachable", True)
    assert world.send_many([first, second], [(0, 0), (5, 0)]).tolist() == [0, 1]
    group = world.send_group([first, second], 3, 0)
    assert world.group(first) == group == world.group(second)


def test_values_per_agent():
    world = throng.World(throng.Map.picture("......").with_rules(profiles=["uniform", "wc3"]))
    agents = world.spawn_many([(x, 0) for x in range(4)], profile=[0, 1, 0, 1], steps=2, ticks=np.array([2, 3, 4, 5]))
    assert [world.profile(agent) for agent in agents.tolist()] == [0, 1, 0, 1]
    assert [world.speed(agent) for agent in agents.tolist()] == [(2, 2), (2, 3), (2, 4), (2, 5)]
    world.set_speed_many(agents, 1, [1, 2, 3, 4])
    world.set_priority_many(agents[:2], [-3, 4])
    world.set_profile_many(agents, 0)
    world.hold_many(agents, np.array([True, False, False, False]))
    world.control_many(agents[3:], False)
    world.send_many(agents, [(5, 0)] * 4)
    world.queue_many(agents[:2], [(4, 0), (3, 0)])
    assert world.speed(3) == (1, 4) and world.priority(0) == -3 and world.profile(1) == 0
    assert world.state(3) == "uncontrolled" and world.orders(1).points == [(3, 0)]
    world.halt_many(agents)
    assert (world.goals() == -1).all()
    world.teleport_many([0, 3], [(4, 0), (5, 0)])
    assert world.positions().tolist() == [[4, 0], [1, 0], [2, 0], [5, 0]]
    for call in (
        lambda: world.set_speed_many(agents, 1, [1, 2]),
        lambda: world.set_priority_many(agents, 128),
        lambda: world.set_speed_many(agents, 0, 1),
        lambda: world.hold_many(agents, 2),
        lambda: world.queue_many(agents, [(0, 0)]),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        world.set_speed_many(agents, 1.5, 1)
    with pytest.raises(throng.Refused, match="agent at 1"):
        world.despawn_many([0, 9])
    assert world.agents.tolist() == [1, 2, 3], "the ones before it are carried out"


def test_recordings_are_checked():
    world = crowd(60)
    with pytest.raises(ValueError, match="start_recording"):
        world.finish_recording()
    world.start_recording()
    world.tick(10, units=20_000)
    pieces = [world.drain_recording()]
    world.block((5, 5), (9, 9))
    world.tick(5, units=20_000)
    recording = b"".join([*pieces, world.finish_recording()])
    report = throng.check(recording)
    assert (report.ticks, report.agent_steps, report.violations) == (15, 900, 0)
    assert report.planner.startswith("surge")
    with pytest.raises(ValueError, match="cut short"):
        throng.check(recording[:-30])
