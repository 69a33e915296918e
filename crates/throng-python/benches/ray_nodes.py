"""The same sweep on a Ray cluster of one node and of two, each with one CPU, on one machine with two cores.

    pip install "ray[client]"
    python benches/ray_nodes.py SECONDS SHARD_SECONDS

SECONDS is the approximate work of the sweep on one core. Start-up is stated apart. The rows of both clusters must be equal.
"""

import sys
import tempfile
import time
from pathlib import Path

import ray
import throng.ray
from ray.cluster_utils import Cluster
from throng import lab

EXPERIMENT = """
title = "A sweep of known length"
about = "For measurements of clusters."
task = "crowd"
planners = ["surge", "pibt", "whca", "far"]
maps = ["generate:rooms@128x128", "generate:random@128x128"]
agents = 400
instances = {instances}
max_ticks = 600
"""


def planned(folder, instances):
    path = Path(folder, "mine.toml")
    path.write_text(EXPERIMENT.format(instances=instances))
    return lab.plan(path)


def on_nodes(plan, folder, nodes, shard_seconds):
    begun = time.perf_counter()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    start = time.perf_counter() - begun
    begun = time.perf_counter()
    summary = throng.ray.execute(plan, folder, shard_seconds=shard_seconds)
    seconds = time.perf_counter() - begun
    ray.shutdown()
    cluster.shutdown()
    print(f"{nodes} node(s): {seconds:.1f} s, start-up {start:.1f} s, {summary['made']} runs in {summary['shards']} shards", flush=True)
    return seconds


def main():
    wanted, shard_seconds = float(sys.argv[1]), float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        probe = planned(folder, 1)
        begun = time.perf_counter()
        probe.run(Path(folder, "probe"), jobs=1)
        each = time.perf_counter() - begun
        plan = planned(folder, max(1, round(wanted / each)))
        print(f"{len(plan)} runs, about {each * round(wanted / each):.0f} s on one core, shards of {shard_seconds:g} s", flush=True)
        one = on_nodes(plan, Path(folder, "one"), 1, shard_seconds)
        two = on_nodes(plan, Path(folder, "two"), 2, shard_seconds)
        same = lab.read(Path(folder, "one")).deterministic() == lab.read(Path(folder, "two")).deterministic()
        assert same, "the rows differ"
        print(f"two nodes are {one / two:.2f} times as fast as one; rows equal")


if __name__ == "__main__":
    main()
