"""The laboratory: experiments, sweeps and their results.

>>> import throng
>>> results = throng.lab.run("churn", scale="smoke", instances=(0, 1))
>>> table = results.to_pandas()
>>> bool((table["collisions"] == 0).all())
True

An experiment is one of ``throng.lab.experiments()`` or the path of an experiment file. Runs are stored by a hash of their settings, maps
and program, so that a sweep can be interrupted, continued, and spread over machines: ``shard=(I, N)`` executes one of N parts, and
``cluster="ray://…"`` executes the runs as tasks of a Ray cluster. ``python -m throng.lab EXPERIMENT -o FOLDER --shard I/N`` is the command for
jobs of a batch system.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _throng
from ._throng import Plan, ResultStore, columns, experiments, program

if TYPE_CHECKING:
    import pandas
    import pyarrow

_File: TypeAlias = "str | os.PathLike[str]"
#: Called with the numbers of finished runs and of all runs, and the estimated seconds that are left.
Progress: TypeAlias = Callable[[int, int, "float | None"], object]

__all__ = ["Plan", "ResultStore", "Results", "columns", "experiments", "plan", "program", "read", "run"]


def data_folders() -> list[str]:
    """Returns the folders where maps are looked for: ``THRONG_DATA`` or that of the user's data, and the current folder."""
    data = os.environ.get("THRONG_DATA")
    if not data:
        if sys.platform == "win32":
            base = os.environ.get("APPDATA", "")
        elif sys.platform == "darwin":
            base = os.path.expanduser("~/Library/Application Support")
        else:
            base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        data = os.path.join(base, "throng", "maps")
    return [data, "."]


class Results:
    """The rows of a sweep: one per run, sorted by their settings, with the columns of ``throng.lab.columns()``.

    >>> results = throng.lab.run("churn", scale="smoke", instances=(0, 1))
    >>> len(results) == len(results.to_arrow())
    True
    >>> "state_hash" in results.columns
    True
    """

    def __init__(self, columns: Mapping[str, list[Any]], summary: dict[str, Any] | None = None) -> None:
        self._columns = columns
        #: What the sweep did: numbers of runs and seconds; ``None`` for results that were read from files.
        self.summary = summary

    @property
    def columns(self) -> list[str]:
        """The names of the columns that have a value in some row."""
        return [name for name, values in self._columns.items() if any(value is not None for value in values)]

    def __len__(self) -> int:
        return len(self._columns["run"])

    def __getitem__(self, name: str) -> list[Any]:
        """Returns the values of a column as a list."""
        return self._columns[name]

    def to_arrow(self) -> pyarrow.Table:
        """Returns the rows as a ``pyarrow.Table``. Columns without a value are left out."""
        import pyarrow

        types = {
            "text": pyarrow.string(),
            "integer": pyarrow.int64(),
            "float": pyarrow.float64(),
            "flag": pyarrow.bool_(),
        }
        kinds = {column["name"]: types[column["kind"]] for column in columns()}
        arrays = {name: pyarrow.array(self._columns[name], kinds[name]) for name in self.columns}
        return pyarrow.table(arrays)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a ``pandas.DataFrame`` whose integers may be missing."""
        import pandas

        types = {"text": "string", "integer": "Int64", "float": "float64", "flag": "boolean"}
        kinds = {column["name"]: types[column["kind"]] for column in columns()}
        return pandas.DataFrame({name: pandas.array(self._columns[name], kinds[name]) for name in self.columns})

    def deterministic(self) -> list[dict[str, Any]]:
        """Returns the settings and measures of each row, which are equal on every machine unless a time limit ends runs: a list of
        mappings, for comparisons."""
        fixed = {column["name"] for column in columns() if column["role"] in ("setting", "measure")}
        names = [name for name in self.columns if name in fixed]
        rows = zip(*(self._columns[name] for name in names))
        return [dict(zip(names, row)) for row in rows]

    def _repr_html_(self) -> str:
        """Shows the first rows in a notebook."""
        from html import escape

        fixed = {column["name"]: column["role"] for column in columns()}
        names = [name for name in self.columns if fixed[name] == "measure"]
        varied = [n for n in self.columns if fixed[n] == "setting" and n != "run" and len(set(self._columns[n])) > 1]
        names = varied + names[:8]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)

        def cell(value: object) -> str:
            return "" if value is None else escape(f"{value:.4g}" if isinstance(value, float) else str(value))

        body = "".join(
            "<tr>" + "".join(f"<td>{cell(self._columns[name][row])}</td>" for name in names) + "</tr>"
            for row in range(min(len(self), 20))
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{len(self)} runs</p>"

    def __repr__(self) -> str:
        return f"<throng.lab.Results of {len(self)} runs>"


def read(*folders: _File) -> Results:
    """Reads result folders, or Parquet files of results, as one table. Runs with equal settings are there once."""
    return Results(_throng.read_columns([os.fspath(folder) for folder in folders]))


def plan(
    experiment: _File,
    scale: str = "quick",
    *,
    maps: Sequence[_File] | None = None,
    shard: tuple[int, int] | None = None,
    instances: tuple[int, int] | None = None,
) -> Plan:
    """Returns the plan of an experiment: ``shard=(I, N)`` is part I of N, ``instances=(A, B)`` are instances A to B-1."""
    planned = Plan(os.fspath(experiment), scale, maps=[os.fspath(m) for m in maps or data_folders()])
    if instances is not None:
        planned = planned.instances(*instances)
    if shard is not None:
        planned = planned.shard(*shard)
    return planned


def run(
    experiment: _File,
    scale: str = "quick",
    *,
    folder: _File | None = None,
    resume: str | None = None,
    jobs: int | None = None,
    shard: tuple[int, int] | None = None,
    instances: tuple[int, int] | None = None,
    maps: Sequence[_File] | None = None,
    progress: Progress | None = None,
    cluster: str | None = None,
    **cluster_options: Any,
) -> Results:
    """Runs an experiment and returns its results.

    ``folder`` keeps them, and ``resume="same"`` continues what is there (``"any"``: also that of other versions of throng); without a
    folder they are in memory only. ``jobs`` is the number of runs at a time. ``maps`` are folders with maps. ``progress`` is called after
    each run with the numbers of finished runs and of all, and an estimate of the remaining seconds.

    With ``cluster``, the address of a Ray cluster such as ``"ray://head:10001"``, ``"auto"``, or ``"local"`` to start one on this machine,
    the runs are tasks of the cluster; ``throng.ray.run`` explains the other options.
    """
    planned = plan(experiment, scale, maps=maps, shard=shard, instances=instances)
    with tempfile.TemporaryDirectory(prefix="throng-") as scratch:
        store = Path(folder) if folder is not None else Path(scratch) / "results"
        if cluster is not None:
            if jobs is not None:
                raise ValueError("jobs is the number of runs at a time on this machine; a cluster has one per core")
            from . import ray

            summary = ray.execute(planned, store, cluster, resume=resume, progress=progress, **cluster_options)
        elif cluster_options:
            raise TypeError(f"without a cluster there is no option {', '.join(cluster_options)}")
        else:
            summary = planned.run(store, resume=resume, jobs=jobs, progress=progress)
        results = read(store)
    results.summary = dict(summary)
    return results


def _part(text: str) -> tuple[int, int]:
    """Parses ``I/N``."""
    index, count = text.split("/")
    return int(index), int(count)


def _range(text: str) -> tuple[int, int]:
    """Parses ``A..B``."""
    first, end = text.split("..")
    return int(first), int(end)


def _print_progress(finished: int, total: int, left: float | None) -> None:
    rest = f", about {left:.0f} s left" if left else ""
    print(f"\r{finished} of {total} runs{rest}   ", end="", file=sys.stderr, flush=True)


def _print_summary(summary: Mapping[str, Any]) -> None:
    print(file=sys.stderr)
    for name, value in summary.items():
        print(f"{name:14} {value:.1f}" if isinstance(value, float) else f"{name:14} {value}")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m throng.lab``."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m throng.lab", description="Runs an experiment on this machine.")
    parser.add_argument("experiment", help="a name of throng.lab.experiments(), or an experiment file")
    parser.add_argument("--scale", default="quick")
    parser.add_argument("-o", "--out", required=True, metavar="FOLDER", help="folder of the results")
    parser.add_argument("--resume", action="store_true", help="continue the results in the folder")
    parser.add_argument("--shard", metavar="I/N", type=_part, help="part I of N only")
    parser.add_argument("--instances", metavar="A..B", type=_range, help="instances A to B-1 only")
    parser.add_argument("--jobs", type=int, help="runs at a time (default: one per core)")
    parser.add_argument("--maps", action="append", metavar="FOLDER", help="folder of maps")
    given = parser.parse_args(arguments)
    planned = plan(given.experiment, given.scale, maps=given.maps, shard=given.shard, instances=given.instances)
    resume = "same" if given.resume else None
    _print_summary(planned.run(given.out, resume=resume, jobs=given.jobs, progress=_print_progress))


if __name__ == "__main__":
    main()
