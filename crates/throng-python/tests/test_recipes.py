"""The recipes for batch systems in the documents run, with stand-ins for the programs of the batch systems."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import throng
from test_lab import EXPERIMENT

ROOT = Path(__file__).parents[3]
PARTS = 3

#: Runs the command that it is given.
SRUN = """#!/bin/sh
test -n "$SLURM_ARRAY_TASK_ID" || exit 2
exec "$@"
"""

#: `hq submit --array FIRST-LAST --cpus N -- COMMAND…` runs the command once per task.
HQ = """#!/bin/sh
test "$1 $2 $4 $5 $6" = "submit --array --cpus 1 --" || exit 2
range=$3
shift 6
for task in $(seq "${range%-*}" "${range#*-}"); do
    HQ_TASK_ID=$task "$@" || exit 1
done
"""


def recipes():
    """Returns the scripts of the documents that cut an experiment into parts."""
    texts = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
    return {program: next(text for text in texts if f"{program} " in text) for program in ("srun", "hq")}


@pytest.mark.skipif(sys.platform == "win32", reason="the recipes are shell scripts")
@pytest.mark.parametrize("program", ["srun", "hq"])
def test_recipes_of_batch_systems(program, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("srun", SRUN), ("hq", HQ), ("python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    script = recipes()[program]
    assert "churn --scale paper" in script and script.count("32") == 2
    script = script.replace("churn --scale paper", "mine.toml").replace("32", str(PARTS))
    (tmp_path / "job.sh").write_text(script)
    tasks = [str(task) for task in range(1, PARTS + 1)] if program == "srun" else [""]
    for task in tasks:
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": task}
        words = ["sh", "job.sh"]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    folders = [tmp_path / f"out/part{part}" for part in range(1, PARTS + 1)]
    assert throng.lab.read(*folders).deterministic() == throng.lab.run(tmp_path / "mine.toml").deterministic()
