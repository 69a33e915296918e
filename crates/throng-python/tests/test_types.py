"""The type stubs describe what there is, with the same arguments, and programs with mistakes are found."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """mypy writes into the working folder otherwise."""
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))


def test_stubs_match_the_module():
    words = [sys.executable, "-m", "mypy.stubtest", "throng._throng", "--concise", "--ignore-disjoint-bases"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_found(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import throng\nworld = throng.World(throng.Map.picture('..'))\nworld.tick(unit=3)\nworld.state(0) + 1\n")
    done = subprocess.run([sys.executable, "-m", "mypy", program], cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(lines) == 2 and ":3:" in lines[0] and ":4:" in lines[1], done.stdout


STRICT = """
import throng
from throng import lab
from throng.envs import ParallelEnv


def rows(name: str) -> int:
    results = lab.run(name, scale="smoke", instances=(0, 1), shard=(1, 2))
    return len(results) + len(lab.read("out"))


world = throng.World(throng.Map.picture(".."))
kinds: list[int] = throng.events(world, "moved")["kind"].tolist()
env = ParallelEnv(world.map, 1)
observations, infos = env.reset(seed=1)
shape: tuple[int, ...] = observations["agent_0"].shape
rate: float = env.reference("surge")["completion_rate"]
"""


def test_everything_public_is_annotated(tmp_path):
    pytest.importorskip("pettingzoo")
    program = tmp_path / "program.py"
    program.write_text(STRICT)
    words = [sys.executable, "-m", "mypy", "--strict", program]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    program.write_text(STRICT.replace('shard=(1, 2)', 'shard="1/2"').replace('"moved"', "7"))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.count("[arg-type]") == 2, done.stdout


@pytest.mark.parametrize("module", ["throng", "throng.lab", "throng.ray", "throng.envs"])
def test_the_modules_keep_their_annotations(module):
    pytest.importorskip("pettingzoo")
    # Packages without types of their own are as if they were not there.
    words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--allow-subclassing-any", "-m", module]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
