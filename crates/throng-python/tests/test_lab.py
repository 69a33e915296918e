"""The laboratory: sweeps in memory and in folders, parts, resumption, tables."""

import pytest
import throng

lab = throng.lab

EXPERIMENT = """
title = "Two planners on a map of each kind"
about = "A small experiment of the tests."
task = "crowd"
planners = ["pibt", "surge"]
maps = ["builtin:rooms", "generate:random@24x24"]
agents = [10, 20]
instances = 2
max_ticks = 60
check = true
"""


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(EXPERIMENT)
    return path


def test_a_sweep_in_memory(experiment):
    calls = []
    results = lab.run(experiment, progress=lambda *call: calls.append(call))
    assert len(results) == 16 == results.summary["made"]
    assert results["collisions"] == [0] * 16 and set(results["planner"]) == {"pibt", "surge"}
    assert calls[0][:2] == (0, 16) and calls[-1][:2] == (16, 16)
    assert "state_hash" in results.columns and "budget" not in results.columns
    assert "<table>" in results._repr_html_()


def test_parts_are_the_whole(experiment, tmp_path):
    whole = lab.run(experiment, jobs=2).deterministic()
    folders = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    for part, folder in enumerate(folders, start=1):
        lab.run(experiment, folder=folder, shard=(part, 3), jobs=1)
    parts = lab.read(*folders)
    assert parts.deterministic() == whole
    assert lab.read(*folders, folders[0]).deterministic() == whole, "a repeated folder doubles nothing"
    with pytest.raises(ValueError, match="4 of 3"):
        lab.run(experiment, shard=(4, 3))


def test_a_sweep_is_stopped_and_continued(experiment, tmp_path):
    folder = tmp_path / "results"

    def interrupt(finished, total, left):
        if finished == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.run(experiment, folder=folder, jobs=1, progress=interrupt)
    kept = len(lab.read(folder))
    assert 5 <= kept < 16
    with pytest.raises(ValueError, match="resume"):
        lab.run(experiment, folder=folder)
    results = lab.run(experiment, folder=folder, resume="same")
    assert (results.summary["earlier"], results.summary["made"]) == (kept, 16 - kept)
    assert results.deterministic() == lab.run(experiment).deterministic()


def test_tables(experiment, tmp_path):
    pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "results"
    results = lab.run(experiment, folder=folder)
    arrow, pandas = results.to_arrow(), results.to_pandas()
    stored = parquet.read_table(folder / "results.parquet").select(arrow.column_names)
    assert arrow.to_pylist() == stored.to_pylist(), "the same as the file of the command line"
    assert arrow.schema.types == stored.schema.types
    assert pandas["agents"].dtype == "Int64" and len(pandas) == 16
    means = pandas.groupby("planner")["completion_ticks_mean"].mean()
    assert list(means.index) == ["pibt", "surge"]


def test_mistakes_say_where(experiment, tmp_path):
    with pytest.raises(ValueError, match="churn"):
        lab.run("chrun")
    with pytest.raises(ValueError, match="smoke"):
        lab.run("churn", scale="smok")
    bad = tmp_path / "bad.toml"
    bad.write_text(EXPERIMENT.replace('"pibt"', '"pibbt"'))
    with pytest.raises(ValueError, match="bad.toml:5"):
        lab.run(bad)
    with pytest.raises(TypeError, match="shard_seconds"):
        lab.run(experiment, shard_seconds=5)


def test_runs_are_added_once(experiment, tmp_path):
    plan = lab.plan(experiment).prepare()
    runs = plan.keep({0, 1, 2}).run_to_bytes(tmp_path / "shard")
    store = lab.ResultStore(tmp_path / "store")
    assert store.add(runs) == 3 and store.add(runs) == 0
    assert store.finished == set(plan.keys[:3]) and store.has(plan.keys[0]) and not store.has(plan.keys[3])
    with pytest.raises(ValueError, match="checksum"):
        store.add(runs[:-1])
    with pytest.raises(ValueError, match="in use"):
        lab.ResultStore(tmp_path / "store", resume="same")
    assert store.close() == 3
    with pytest.raises(ValueError, match="closed"):
        store.add(runs)
    assert len(lab.read(tmp_path / "store")) == 3
