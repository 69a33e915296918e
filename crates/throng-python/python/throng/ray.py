"""Sweeps on a Ray cluster: ``python -m throng.ray EXPERIMENT -o FOLDER --address ray://head:10001``.

The driver plans the runs, sends them in shards of some seconds of work as tasks with one CPU and one thread, and stores what they
return in the same folder and journal as ``throng lab run``. A run is known by the hash of its settings, maps and program: one that a
lost node, a killed driver or a repeated task left unfinished is executed again, and one that is there already is left out. So no run is lost
and none is there twice, and the rows are those of one machine, except timings and provenance.

Maps, scenarios and path databases go through Ray's object store, once per node, unless ``node_maps`` names folders that every node has.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import lab

#: How often a shard is sent again after its node or worker was lost, before the sweep gives up.
MAX_LOSSES = 20


class _Shard:
    """Some runs of a plan that a task executes."""

    def __init__(self, runs: list[int]) -> None:
        self.runs, self.losses = runs, 0


class _Queue:
    """The runs that are to be sent, and how long they take: estimates of the laboratory, corrected by what was measured per solver."""

    def __init__(self, plan: lab.Plan, runs: Iterable[int], seconds: float) -> None:
        self.pending: collections.deque[int] = collections.deque(runs)
        self.again: collections.deque[_Shard] = collections.deque()
        self.estimates: Sequence[float] = plan.estimates.tolist()
        self.seconds = seconds
        settings = plan.settings()
        self.solver = [row.get("planner") or row.get("search") or "" for row in settings]
        # Seconds per solver; those of all of them have the key `None`.
        self.spent: dict[str | None, float] = collections.defaultdict(float)
        self.expected: dict[str | None, float] = collections.defaultdict(float)

    def __bool__(self) -> bool:
        return bool(self.pending or self.again)

    def __len__(self) -> int:
        return len(self.pending) + sum(len(shard.runs) for shard in self.again)

    def cost(self, run: int) -> float:
        """Returns the expected time of a run in seconds."""
        solver = self.solver[run]
        known = solver if self.expected[solver] else None
        spent, expected = self.spent[known], self.expected[known]
        return max(float(self.estimates[run]), 1e-6) * (spent / expected if expected else 1.0)

    def measured(self, run: int, seconds: float) -> None:
        """Notes how long a run took."""
        for key in (self.solver[run], None):
            self.spent[key] += seconds
            self.expected[key] += max(float(self.estimates[run]), 1e-6)

    def next(self) -> _Shard:
        """Returns the next shard. The first ones are short, because nothing has been measured yet."""
        if self.again:
            return self.again.popleft()
        limit = self.seconds if self.expected[None] else self.seconds / 5
        runs: list[int] = []
        cost = 0.0
        while self.pending and (not runs or cost + self.cost(self.pending[0]) <= limit):
            run = self.pending.popleft()
            cost += self.cost(run)
            runs.append(run)
        return _Shard(runs)


def _folder_of_files(files: Mapping[str, bytes]) -> Path:
    """Writes files into a folder of this node that is named by their content, once, and returns it."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    folder = Path(tempfile.gettempdir()) / f"throng-files-{digest.hexdigest()[:32]}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=tempfile.gettempdir(), prefix="throng-new-") as new:
            for name, content in files.items():
                path = Path(new, "files", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            Path(new, "files").mkdir(exist_ok=True)
            try:
                os.rename(Path(new, "files"), folder)
            except OSError:
                # Another task of this node was faster.
                if not folder.exists():
                    raise
    return folder


#: The plans that this worker has opened.
_plans: dict[str, lab.Plan] = {}


def _execute_shard(job: dict[str, Any], keys: list[str], files: dict[str, bytes]) -> tuple[bytes, float]:
    """Executes the runs with these keys, in a task. Returns them as bytes, and the seconds that it took."""
    begun = time.perf_counter()
    if job["program"] != lab.program():
        raise RuntimeError(f"the driver runs throng {job['program']}, this node throng {lab.program()}: install one version")
    if job["id"] not in _plans:
        folder = _folder_of_files({**files, **job["experiment_file"]})
        source = job["source"]
        if job["experiment_file"]:
            source = str(folder / next(iter(job["experiment_file"])))
        maps = [str(folder), *job["node_maps"]]
        _plans.clear()
        _plans[job["id"]] = lab.Plan(source, job["scale"], maps=maps)
    plan = _plans[job["id"]]
    shard = plan.keep(plan.places(set(keys)))
    if len(shard) != len(keys):
        raise RuntimeError("the plan of this node differs from that of the driver: install one version of throng")
    with tempfile.TemporaryDirectory(prefix="throng-shard-") as scratch:
        runs = shard.run_to_bytes(scratch)
    return runs, time.perf_counter() - begun


def _job(
    plan: lab.Plan, node_maps: Sequence[str | os.PathLike[str]] | None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Returns what every task needs to know, and the files that it needs."""
    source = plan.source
    experiment_file: dict[str, bytes] = {}
    if source.endswith(".toml"):
        path = Path(source)
        # The name of the experiment is that of its file, or of the folder of `experiment.toml`.
        parts = path.resolve().parts[-2:] if path.name == "experiment.toml" else (path.name,)
        experiment_file = {str(Path("experiment", *parts)): path.read_bytes()}
    files = {} if node_maps else {name: Path(path).read_bytes() for name, path in plan.files().items()}
    job = {
        "id": os.urandom(8).hex(),
        "program": lab.program(),
        "source": source,
        "scale": plan.scale,
        "experiment_file": experiment_file,
        "node_maps": [os.fspath(folder) for folder in node_maps or []],
    }
    return job, files


def execute(
    plan: lab.Plan,
    folder: str | os.PathLike[str],
    address: str = "auto",
    *,
    resume: str | None = None,
    progress: lab.Progress | None = None,
    shard_seconds: float = 20.0,
    node_maps: Sequence[str | os.PathLike[str]] | None = None,
    in_flight: float = 2.0,
    init: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Executes a plan on a cluster and stores the runs in a folder. Returns a summary.

    ``address`` is that of a cluster, ``"auto"`` for the one of this machine, or ``"local"`` to start one here; a connection that exists
    is used as it is. ``shard_seconds`` is the work of a task, 10 to 60 s. ``in_flight`` is the number of tasks per CPU that are on their
    way. ``node_maps`` are folders with maps that every node has. ``init`` are further options of ``ray.init``.
    """
    import ray

    begun = time.perf_counter()
    prepared = plan.prepare()
    keys, own_keys = prepared.keys, plan.keys
    store = lab.ResultStore(os.fspath(folder), resume=resume)
    earlier = store.finished
    left = [place for place, key in enumerate(keys) if key not in earlier]
    summary: dict[str, Any] = {"planned": len(keys), "earlier": len(keys) - len(left)}
    summary.update({"made": 0, "shards": 0, "lost_shards": 0, "repeated": 0})
    if left:
        started_here = not ray.is_initialized()
        if started_here:
            where = {} if address == "local" else {"address": address}
            ray.init(**where, **{"log_to_driver": False, **(init or {})})
        try:
            job, files = _job(plan, node_maps)
            summary["start_seconds"] = time.perf_counter() - begun
            _Driver(ray, store, job, files, keys, own_keys, _Queue(prepared, left, shard_seconds), summary).drive(
                progress, in_flight
            )
        finally:
            if started_here:
                ray.shutdown()
    summary["rows"] = store.close()
    summary["seconds"] = time.perf_counter() - begun
    return summary


class _Driver:
    """Sends shards and stores what comes back."""

    def __init__(
        self,
        ray: Any,
        store: lab.ResultStore,
        job: dict[str, Any],
        files: dict[str, bytes],
        keys: list[str],
        own_keys: list[str],
        queue: _Queue,
        summary: dict[str, Any],
    ) -> None:
        self.ray, self.store, self.job, self.queue, self.summary = ray, store, job, queue, summary
        self.keys, self.own_keys = keys, own_keys
        # One copy per node, however many tasks read it.
        self.files = ray.put(files)
        self.task = ray.remote(num_cpus=1, max_retries=0)(_execute_shard)
        self.on_their_way: dict[Any, _Shard] = {}
        self.begun = time.perf_counter()

    def drive(self, progress: lab.Progress | None, in_flight: float) -> None:
        """Sends all shards, and returns when their runs are stored."""
        if progress:
            self.report(progress)
        while self.queue or self.on_their_way:
            self.send(in_flight)
            done, _ = self.ray.wait(list(self.on_their_way), timeout=1.0)
            for reference in done:
                self.take(reference, self.on_their_way.pop(reference))
                if progress:
                    self.report(progress)

    def send(self, in_flight: float) -> None:
        """Sends shards until enough are on their way for the CPUs that the cluster has now."""
        cpus = self.ray.cluster_resources().get("CPU", 1.0)
        while self.queue and len(self.on_their_way) < max(1, int(cpus * in_flight)):
            shard = self.queue.next()
            keys = [self.own_keys[run] for run in shard.runs]
            self.on_their_way[self.task.remote(self.job, keys, self.files)] = shard

    def take(self, reference: Any, shard: _Shard) -> None:
        """Stores the runs of a shard. One whose node or worker was lost is sent again."""
        try:
            runs, seconds = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError as lost:
            shard.losses += 1
            self.summary["lost_shards"] += 1
            if shard.losses > MAX_LOSSES:
                raise RuntimeError(f"a shard was lost {shard.losses} times: {lost}") from lost
            self.queue.again.append(shard)
            return
        added = self.store.add(runs)
        self.summary["made"] += added
        self.summary["repeated"] += len(shard.runs) - added
        self.summary["shards"] += 1
        total = sum(self.queue.estimates[run] for run in shard.runs) or 1.0
        for run in shard.runs:
            self.queue.measured(run, seconds * self.queue.estimates[run] / total)
        missing = [self.keys[run] for run in shard.runs if not self.store.has(self.keys[run])]
        if missing:
            raise RuntimeError(f"a task returned without {len(missing)} of its runs: its maps differ from those of the driver")

    def report(self, progress: lab.Progress) -> None:
        """Calls back with the number of finished runs, of all, and the estimated seconds that are left."""
        waiting = sum(len(shard.runs) for shard in self.on_their_way.values()) + len(self.queue)
        total, made = self.summary["planned"], self.summary["made"]
        passed = time.perf_counter() - self.begun
        progress(total - waiting, total, passed / made * waiting if made else None)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m throng.ray``."""
    parser = argparse.ArgumentParser(prog="python -m throng.ray", description="Runs an experiment on a Ray cluster.")
    parser.add_argument("experiment", help="a name of throng.lab.experiments(), or an experiment file")
    parser.add_argument("--scale", default="quick")
    parser.add_argument("-o", "--out", required=True, metavar="FOLDER", help="folder of the results")
    parser.add_argument("--address", default="auto", help="ray://HOST:PORT, HOST:PORT, auto, or local to start a cluster here")
    parser.add_argument("--resume", action="store_true", help="continue the results in the folder")
    parser.add_argument("--shard", metavar="I/N", type=lab._part, help="part I of N only")
    parser.add_argument("--instances", metavar="A..B", type=lab._range, help="instances A to B-1 only")
    parser.add_argument("--shard-seconds", type=float, default=20.0, help="work of a task (default 20 s)")
    parser.add_argument("--maps", action="append", metavar="FOLDER", help="folder of maps on the driver")
    parser.add_argument("--node-maps", action="append", metavar="FOLDER", help="folder of maps that every node has: nothing is sent")
    given = parser.parse_args(arguments)
    maps = given.maps or given.node_maps
    plan = lab.plan(given.experiment, given.scale, maps=maps, shard=given.shard, instances=given.instances)
    summary = execute(
        plan,
        given.out,
        given.address,
        resume="same" if given.resume else None,
        progress=lab._print_progress,
        shard_seconds=given.shard_seconds,
        node_maps=given.node_maps,
    )
    lab._print_summary(summary)


if __name__ == "__main__":
    main()
