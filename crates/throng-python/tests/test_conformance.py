"""The conformance scenes through Python: the same state hashes as in Rust, C and C#."""

from pathlib import Path

import pytest
import throng

TABLE = Path(__file__).parents[2] / "throng" / "conformance" / "scenes.txt"
ALL_CLASSES = 0xFFFF_FFFF


def scenes():
    """Returns the name and the lines of each scene; the rows of a picture are one line."""
    found, lines = {}, iter(TABLE.read_text().splitlines())
    for line in lines:
        words = line.split()
        if not words or words[0].startswith("//"):
            continue
        if words[0] == "scene":
            current = found[words[1]] = []
        elif words == ["map"]:
            rows = []
            while (row := next(lines)) != "end":
                rows.append(row)
            current.append(["map", "\n".join(rows)])
        else:
            current.append(words)
    return found


SCENES = scenes()


class Game:
    """A scene that is being played."""

    def __init__(self):
        self.setting = {"corners": [0], "four-way": [0], "crossings": [0], "step-time": [0]}
        self.planner = "surge"
        self.profiles = ["uniform"]
        self.world = None
        self.agents, self.goals, self.foreign = [], [], []
        self.arrived = self.refused = self.hashes = 0

    def play(self, words):
        """Carries out a line."""
        if self.world is None:
            self.set_up(words)
        elif words[0] == "hash":
            assert f"{self.world.state_hash:016x}" == words[1]
            self.hashes += 1
        elif words[0] in ("arrived", "refused"):
            assert getattr(self, words[0]) == int(words[1])
        else:
            try:
                self.carry_out(words[0], words[1:])
            except throng.Refused:
                self.refused += 1

    def set_up(self, words):
        """Carries out a line before the world exists."""
        name, rest = words[0], words[1:]
        if name == "map":
            scene, starts, goals = throng.Map.scene(rest[0])
            self.create(scene)
            self.agents = self.world.spawn_many(starts).tolist()
            # A scene gives an agent without a goal its start.
            pairs = zip(starts.tolist(), goals.tolist())
            self.goals = [(number, goal) for number, (start, goal) in enumerate(pairs) if start != goal]
        elif name == "builtin":
            self.create(throng.Map.builtin(rest[0]))
        elif name == "planner":
            self.planner = rest[0]
        elif name == "profile":
            *halves, passage = map(int, rest)
            self.profiles.append((halves, passage))
        else:
            known = ["seed", "corners", "four-way", "crossings", "sharing", "step-time", "stuck-after", "fog"]
            assert name in known, words
            self.setting[name] = list(map(int, rest))

    def create(self, scene):
        """Creates the world."""
        value = {name: values[0] for name, values in self.setting.items()}
        scene = scene.with_rules(
            corners=["forbid", "allow", "mixed"][value["corners"]],
            four_way=bool(value["four-way"]),
            profiles=self.profiles,
        )
        settings = {}
        if "sharing" in value:
            settings["sharing"] = ["nothing", "move-requests", "reservations", "everything"][value["sharing"]]
        if "stuck-after" in value:
            settings["stuck_after"] = value["stuck-after"]
        if "fog" in value:
            settings["fog"], settings["fog_shared"] = value["fog"], bool(self.setting["fog"][1])
        self.world = throng.World(
            scene,
            self.planner,
            seed=value.get("seed", 0),
            crossings=["forbid", "allow"][value["crossings"]],
            step_time=["uniform", "cost"][value["step-time"]],
            **settings,
        )

    def carry_out(self, name, words):
        """Carries out a line after the map."""
        world = self.world
        if name == "tick":
            count, kind, amount = int(words[0]), words[1], int(words[2])
            world.tick(count, **({} if kind == "unlimited" else {kind: amount}))
            self.arrived += len(world.arrivals())
        elif name == "go":
            for agent, goal in self.goals:
                world.send(self.agents[agent], *goal)
        elif name == "snapshot":
            self.world = throng.World.restore(world.snapshot())
        elif name == "clone":
            self.world = world.copy()
        elif name == "crowd":
            self.crowd(int(words[0]), int(words[1]))
        elif name == "door":
            world.set_door(*area(words), int(words[4], 16))
        elif name == "cost":
            world.set_cost(*area(words), int(words[4], 16), int(words[5]))
        elif not self.edit(name, list(map(int, words))):
            self.order(name, list(map(int, words)))

    def edit(self, name, numbers):
        """Carries out an edit or a line about foreign units; returns false for another line."""
        world = self.world
        if name in ("block", "unblock"):
            getattr(world, name)(*area(numbers))
        elif name in ("block-disc", "unblock-disc"):
            getattr(world, name.replace("-", "_"))(tuple(numbers[:2]), numbers[2])
        elif name == "terrain":
            world.set_terrain(*area(numbers), numbers[4])
        elif name == "foreign":
            self.foreign.append(world.place_foreign(*numbers))
        elif name == "move-foreign":
            world.move_foreign(self.foreign[numbers[0]], *numbers[1:])
        elif name == "remove-foreign":
            world.remove_foreign(self.foreign[numbers[0]])
        else:
            return False
        return True

    def order(self, name, numbers):
        """Carries out a line about agents."""
        world = self.world
        if name == "spawn":
            x, y, profile, steps, ticks = numbers
            self.agents.append(world.spawn(x, y, profile=profile, steps=steps, ticks=ticks))
            return
        if name == "group":
            world.send_group([self.agents[number] for number in numbers[2:]], *numbers[:2])
            return
        agent, rest = self.agents[numbers[0]], numbers[1:]
        if name in ("send", "queue", "teleport", "extend-patrol", "halt", "despawn"):
            getattr(world, name.replace("-", "_"))(agent, *rest)
        elif name in ("hold", "control"):
            getattr(world, name)(agent, rest == [1])
        elif name == "patrol":
            world.patrol(agent, list(zip(rest[::2], rest[1::2])))
        elif name == "follow-agent":
            world.follow(agent, self.agents[rest[0]], rest[1])
        elif name == "follow-foreign":
            world.follow_foreign(agent, self.foreign[rest[0]], rest[1])
        elif name == "priority":
            world.set_priority(agent, *rest)
        elif name == "speed":
            world.set_speed(agent, *rest)
        elif name == "profile-of":
            world.set_profile(agent, *rest)
        else:
            pytest.fail(f"unknown line: {name} {numbers}")

    def crowd(self, count, seed):
        """Spawns agents at random cells and sends them to random cells."""
        state, (height, width) = seed, self.world.map.shape

        def number(end):
            nonlocal state
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            return (state >> 33) % end

        def place():
            x = number(width)
            return x, number(height)

        first = len(self.agents)
        while len(self.agents) < first + count:
            try:
                self.agents.append(self.world.spawn(*place()))
            except throng.Refused:
                pass
        for agent in self.agents[first:]:
            self.world.send(agent, *place())


def area(words):
    """Returns the corners of a rectangle."""
    left, top, right, bottom = map(int, words[:4])
    return (left, top), (right, bottom)


@pytest.mark.parametrize("name", SCENES)
def test_scene(name):
    game = Game()
    for words in SCENES[name]:
        game.play(words)
    assert game.hashes > 0


def test_the_table_is_complete():
    lines = [words for scene in SCENES.values() for words in scene]
    assert len(SCENES) >= 15
    assert sum(words[0] == "hash" for words in lines) >= 30
