"""A sweep on a Ray cluster of two nodes on this machine, one of which is killed in the middle. `cargo xtask soak ray` installs Ray."""

import socket
import time
from pathlib import Path

import pytest
import throng
import throng.ray
from throng import lab

ray = pytest.importorskip("ray", reason="Ray is not installed: cargo xtask soak ray")
from ray.cluster_utils import Cluster  # noqa: E402

EXPERIMENT = """
title = "A sweep of some seconds"
about = "For tests of clusters."
task = "crowd"
planners = ["pibt", "surge", "far"]
maps = ["set/rooms", "generate:random@64x64"]
agents = [100, 200]
instances = 6
max_ticks = 200
series = true
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment")
    (folder / "maps" / "set").mkdir(parents=True)
    throng.Map.generate("rooms", 64, 64, seed=1).save(folder / "maps" / "set" / "rooms.map")
    (folder / "mine.toml").write_text(EXPERIMENT)
    return lab.plan(folder / "mine.toml", maps=[folder / "maps"])


@pytest.fixture(scope="module")
def expected(plan, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    plan.run(folder, jobs=2)
    return lab.read(folder).deterministic()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_the_laboratory_runs_on_a_cluster(plan, expected, cluster, tmp_path):
    results = lab.run(
        plan.source, folder=tmp_path / "ray", maps=[Path(plan.source).parent / "maps"], cluster=cluster.address,
        shard_seconds=0.5,
    )
    assert not ray.is_initialized(), "the connection is closed"
    assert results.deterministic() == expected and results.summary["made"] == len(plan)


def test_a_client_of_a_cluster_elsewhere(plan, expected, tmp_path):
    """As from a notebook: the driver is no node, and talks to the client server of the head node."""
    port = free_port()
    head = {"num_cpus": 2, "include_dashboard": False, "ray_client_server_port": port}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        results = lab.run(
            plan.source, folder=tmp_path / "ray", maps=[Path(plan.source).parent / "maps"],
            cluster=f"ray://127.0.0.1:{port}", shard_seconds=0.5,
        )
        assert results.deterministic() == expected and results.summary["made"] == len(plan)
        # Nothing is left to do.
        again = lab.run(
            plan.source, folder=tmp_path / "ray", maps=[Path(plan.source).parent / "maps"],
            cluster=f"ray://127.0.0.1:{port}", resume="same",
        )
        assert (again.summary["earlier"], again.summary["made"]) == (len(plan), 0)
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_a_killed_node_loses_and_doubles_nothing(plan, expected, cluster, tmp_path):
    node = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    killed = []

    def kill_in_the_middle(finished, total, left):
        if finished >= total // 3 and not killed:
            killed.append(finished)
            cluster.remove_node(node, allow_graceful=False)

    summary = throng.ray.execute(
        plan, tmp_path / "ray", resume="same", progress=kill_in_the_middle, shard_seconds=0.5
    )
    rows = lab.read(tmp_path / "ray")
    print(summary)
    assert killed and killed[0] < len(plan)
    assert len(rows) == len(plan) == len(set(rows["run"])), "no run is lost, none is there twice"
    assert rows.deterministic() == expected, "bit for bit the rows of one machine"
    assert summary["made"] == len(plan) and summary["lost_shards"] >= 1


def test_a_node_that_joins_gets_work(plan, expected, cluster, tmp_path):
    ray.init(address=cluster.address, log_to_driver=False)
    nodes = []

    def join(finished, total, left):
        if finished >= total // 4 and not nodes:
            nodes.append(cluster.add_node(num_cpus=1))

    throng.ray.execute(plan, tmp_path / "ray", progress=join, shard_seconds=0.5)
    assert nodes and lab.read(tmp_path / "ray").deterministic() == expected


def test_the_command_continues_after_its_driver_was_killed(plan, expected, cluster, tmp_path):
    import signal
    import subprocess
    import sys

    maps = str(tmp_path / "maps")
    (tmp_path / "maps" / "set").mkdir(parents=True)
    throng.Map.generate("rooms", 64, 64, seed=1).save(tmp_path / "maps" / "set" / "rooms.map")
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    folder = tmp_path / "ray"
    command = [sys.executable, "-m", "throng.ray", str(tmp_path / "mine.toml"), "-o", str(folder), "--maps", maps]
    command += ["--address", cluster.address, "--shard-seconds", "0.5"]
    first = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not ((folder / "journal").exists() and (folder / "journal").stat().st_size > 5_000):
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    kept = len(lab.read(folder))
    assert 0 < kept < len(plan)
    done = subprocess.run([*command, "--resume"], check=True, capture_output=True, text=True)
    assert f"earlier        {kept}" in done.stdout, done.stdout
    assert lab.read(folder).deterministic() == expected
