"""What a type checker sees: every shape `evaluate` takes passes, what it cannot take and misspelt options do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "src"
GOOD = """
from pathlib import Path

import diveval
from diveval import Judgments, Options, Run, Scores


class Frame:
    @property
    def columns(self) -> list[str]:
        return ["topic"]


def shapes(judgments: Judgments, run: Run, frame: Frame) -> Scores:
    diveval.evaluate("qrels.txt", ["a.run", Path("b.run")], "RBU@20", gain="linear", order="rank", jobs=2)
    diveval.evaluate(judgments, [run], ["RBU@20", "AP"], options=Options.of(gain="binary"))
    diveval.evaluate({"1": {"a": {"d": 1}}}, {"mine": {"1": ["d"]}}, "AP", missing_topics="zero", rel=2)
    diveval.evaluate([("1", "a", "d", 1)], frame, "AP", weights={("1", "a"): 1.0}, residuals=True)
    return diveval.evaluate(frame, frame, "AP", columns={"topic": "qid"}, gmax=3, ties="file", duplicates="first")
"""
BAD = """
import diveval

diveval.evaluate(42, 3.5, "RBU", gian="linear")
diveval.evaluate("q", "r", "RBU", gain="cubic")
diveval.evaluate("q", "r", "RBU", jobs="two")
diveval.evaluate("q", "r", 7)
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Both programs under `mypy --strict`: their messages by file."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("typed")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "good.py", "bad.py"],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_every_shape_passes(checked: Any) -> None:
    """Paths, dicts, rows, frames, our own objects, and options with their values."""
    assert not [line for line in checked if line.startswith("good.py")]


@pytest.mark.slow
def test_wrong_inputs_and_options_are_refused(checked: Any) -> None:
    """A number as judgments, a misspelt option, a value that no option has."""
    wrong = [line for line in checked if line.startswith("bad.py") and "error" in line]
    assert {int(line.split(":")[1]) for line in wrong} == {4, 5, 6, 7}
    assert any('"gian"' in line for line in wrong)
