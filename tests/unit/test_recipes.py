"""The recipes of CONTRIBUTING.md work: each block is appended to the file it names, and the commands are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.console import ROOT, agrees, commands

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (Add [^\n]*)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
APPEND = re.compile(r"^Append to `(?P<file>[^`]+)`[^\n]*:\n+```python\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def test_there_is_a_recipe_for_each_kind_of_addition() -> None:
    """A metric, a significance test, an axiom and a file format each have a recipe."""
    for kind in ("metric", "significance test", "axiom", "file format"):
        assert any(kind in heading for heading in RECIPES), kind


@pytest.mark.slow
@pytest.mark.parametrize("heading", list(RECIPES))
def test_the_recipe_works(heading: Any, tmp_path: Path) -> None:
    """After appending the blocks to one file of the package, the recipe's commands print what the page shows."""
    body = RECIPES[heading]
    steps = list(APPEND.finditer(body))
    assert steps, f"{heading}: no block says where it goes"
    assert len({step["file"] for step in steps if not step["file"].startswith("docs/")}) == 1, "one place"
    shutil.copytree(ROOT / "src", tmp_path / "src")  # with the compiled files, to save time
    for step in steps:
        path = tmp_path / step["file"]
        path.write_text(path.read_text(encoding="utf-8") + "\n\n" + step["code"], encoding="utf-8")
    asked = commands(body)
    assert asked, f"{heading}: no command shows that it works"
    for command in asked:
        printed = _run(command.text, tmp_path)
        assert agrees(command.shown, printed), f"{command.text} printed:\n{printed}"


def _run(text: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "COLUMNS": "80",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }
    words = text.replace("diveval ", f'"{sys.executable}" -m diveval ', 1) if text.startswith("diveval ") else text
    done = subprocess.run(
        ["bash", "-c", words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
