"""The Python programs in the documents run."""

import re
from pathlib import Path

import pytest
from test_lab import EXPERIMENT

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("document", ["docs/python.md", "crates/throng-python/README.md"])
def test_programs_in_documents(document, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("pettingzoo")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    names, programs = {}, re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.S)
    assert programs
    for program in programs:
        # Later programs of a document use the names of earlier ones.
        exec(compile(program, document, "exec"), names)
