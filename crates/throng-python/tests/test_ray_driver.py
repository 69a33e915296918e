"""The driver of sweeps on clusters, with a cluster that loses tasks, forgets results, and is killed: no run is lost or doubled."""

import random
import sys
import types

import pytest
import throng
from throng import lab
from throng import ray as driver

from test_lab import EXPERIMENT


class Lost(Exception):
    """A node or worker was lost."""


class TaskError(Lost):
    """A task raised an exception."""


class Reference:
    """The result of a task. It is equal to itself alone, so that it can be the key of a mapping."""

    def __init__(self, number, function, given):
        self.number, self.function, self.given = number, function, given


class Cluster:
    """Stands in for the module `ray`. Executes a task when its result is fetched; `lose` says which results are lost."""

    exceptions = types.SimpleNamespace(RayError=Lost, RayTaskError=TaskError)

    def __init__(self, lose=lambda number: False, seed=0):
        self.lose, self.random, self.number, self.executed = lose, random.Random(seed), 0, []

    def is_initialized(self):
        return True

    def cluster_resources(self):
        return {"CPU": 2.0}

    def put(self, value):
        return value

    def remote(self, **options):
        assert options == {"num_cpus": 1, "max_retries": 0}
        return lambda function: types.SimpleNamespace(remote=lambda *given: self.submit(function, given))

    def submit(self, function, given):
        self.number += 1
        return Reference(self.number, function, given)

    def wait(self, references, timeout):
        chosen = self.random.choice(references)
        return [chosen], [other for other in references if other is not chosen]

    def get(self, reference):
        self.executed += reference.given[1]
        result = reference.function(*reference.given)
        if self.lose(reference.number):
            raise Lost("the node was lost")
        return result


def sweep(monkeypatch, cluster, plan, folder, **options):
    monkeypatch.setitem(sys.modules, "ray", cluster)
    return driver.execute(plan, folder, shard_seconds=0.02, **options)


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(EXPERIMENT)
    return lab.plan(path)


def test_the_rows_are_those_of_one_machine(monkeypatch, plan, tmp_path):
    calls = []
    cluster = Cluster()
    summary = sweep(monkeypatch, cluster, plan, tmp_path / "ray", progress=lambda *call: calls.append(call[:2]))
    plan.run(tmp_path / "one")
    assert lab.read(tmp_path / "ray").deterministic() == lab.read(tmp_path / "one").deterministic()
    assert (summary["made"], summary["rows"], summary["lost_shards"]) == (16, 16, 0)
    assert summary["shards"] > 1 and sorted(cluster.executed) == sorted(plan.keys)
    assert calls[0] == (0, 16) and calls[-1] == (16, 16)


@pytest.mark.parametrize("seed", range(3))
def test_lost_nodes_lose_and_double_nothing(monkeypatch, plan, tmp_path, seed):
    chance = random.Random(seed)
    cluster = Cluster(lose=lambda number: chance.random() < 0.4, seed=seed)
    summary = sweep(monkeypatch, cluster, plan, tmp_path / "ray")
    rows = lab.read(tmp_path / "ray")
    assert len(rows) == 16 == len(set(rows["run"])) == summary["made"]
    assert summary["lost_shards"] > 0 and len(cluster.executed) > 16


def test_the_laboratory_takes_the_address_of_a_cluster(monkeypatch, plan, tmp_path):
    calls = []

    class Connected(Cluster):
        def is_initialized(self):
            return False

        def init(self, **options):
            calls.append(options)

        def shutdown(self):
            calls.append("shutdown")

    monkeypatch.setitem(sys.modules, "ray", Connected())
    results = lab.run(plan.source, cluster="ray://head:10001", shard_seconds=0.02, init={"namespace": "mine"})
    assert calls == [{"address": "ray://head:10001", "log_to_driver": False, "namespace": "mine"}, "shutdown"]
    assert results.deterministic() == lab.run(plan.source).deterministic()
    assert results.summary["made"] == 16 and results.summary["shards"] > 1
    lab.run(plan.source, folder=tmp_path / "local", cluster="local", instances=(0, 1))
    assert calls[2] == {"log_to_driver": False}, "a cluster of its own has no address"
    with pytest.raises(ValueError, match="jobs"):
        lab.run(plan.source, cluster="auto", jobs=2)


def test_a_killed_driver_loses_nothing_that_came_back(monkeypatch, plan, tmp_path):
    def kill(finished, total, left):
        if finished >= 6:
            raise SystemExit

    with pytest.raises(SystemExit):
        sweep(monkeypatch, Cluster(), plan, tmp_path / "ray", progress=kill)
    kept = len(lab.read(tmp_path / "ray"))
    assert 6 <= kept < 16
    cluster = Cluster()
    summary = sweep(monkeypatch, cluster, plan, tmp_path / "ray", resume="same")
    assert (summary["earlier"], summary["made"], len(cluster.executed)) == (kept, 16 - kept, 16 - kept)
    plan.run(tmp_path / "one")
    assert lab.read(tmp_path / "ray").deterministic() == lab.read(tmp_path / "one").deterministic()


def test_a_shard_that_always_fails_ends_the_sweep(monkeypatch, plan, tmp_path):
    with pytest.raises(RuntimeError, match="lost 21 times"):
        sweep(monkeypatch, Cluster(lose=lambda number: True), plan, tmp_path / "ray")


def test_other_versions_of_the_program_are_refused(monkeypatch, plan, tmp_path):
    programs = iter(["0.1.0-other"])
    monkeypatch.setattr(driver, "_job", lambda *given, make=driver._job: altered(make(*given), next(programs)))
    with pytest.raises(RuntimeError, match="install one version"):
        sweep(monkeypatch, Cluster(), plan, tmp_path / "ray")


def altered(made, program):
    job, files = made
    return {**job, "program": program}, files


def test_files_are_sent_with_their_names(monkeypatch, tmp_path):
    maps = tmp_path / "maps" / "set"
    maps.mkdir(parents=True)
    throng.Map.generate("rooms", 24, 24, seed=1).save(maps / "a.map")
    text = EXPERIMENT.replace('["builtin:rooms", "generate:random@24x24"]', '["set/a", "set/a.map@16x16+2+2"]')
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    plan = lab.plan(path, maps=[tmp_path / "maps"])
    assert list(plan.files()) == ["set/a.map"]
    sweep(monkeypatch, Cluster(), plan, tmp_path / "ray")
    plan.run(tmp_path / "one")
    assert lab.read(tmp_path / "ray").deterministic() == lab.read(tmp_path / "one").deterministic()


def test_shards_grow_to_their_size(plan):
    queue = driver._Queue(plan, range(len(plan)), 10.0)
    queue.estimates = [1.0] * len(plan)
    first = queue.next()
    assert len(first.runs) == 2, "a fifth of the time before anything was measured"
    for run in first.runs:
        queue.measured(run, 5.0)
    assert len(queue.next().runs) == 2, "runs that take five times as long as estimated"
