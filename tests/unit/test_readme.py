"""The README's Python example runs and prints the numbers that its command shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from diveval.datasets import make_collection
from support.present import present

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.slow
def test_the_python_example_runs_and_agrees_with_the_command(tmp_path: Path) -> None:
    """The Python example and the command of the README show the same means."""
    text = README.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    make_collection(tmp_path / "web", topics=20, systems=8, depth=100)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    shown = present(re.search(r"\$ diveval evaluate .*?```", text, re.DOTALL))[0]
    for run in ("diverse", "redundant"):
        by_command, by_python = (
            next(line.replace("*", "").split()[1:3] for line in text.splitlines() if line.startswith(f"{run} "))
            for text in (shown, done.stdout)
        )
        assert by_command == by_python


def test_the_introduction_names_the_users_and_links_every_task() -> None:
    """The text before the examples mentions TREC, recommenders and RAG, and links a page for every task."""
    first = README.read_text(encoding="utf-8").split("## Examples")[0]
    for word in ("TREC", "recommender", "RAG"):
        assert word in first
    for page in ("tutorial.md", "howto/", "answers.md", "integrations.md", "studio.md", "write-a-metric.md"):
        assert page in first


def test_the_jaguar_table_is_computed() -> None:
    """The scores of the first screen are those of `evaluate`, and they show the disagreement that the text names."""
    import diveval

    given = [("a", 2, 0, 0), ("b", 1, 0, 0), ("c", 0, 2, 0), ("d", 0, 0, 1)]
    car_second = [given[0], given[2], given[1], given[3]]
    padded = [*given, ("x", 0, 0, 0), ("y", 0, 0, 0)]
    weak = [("p", 1, 0, 0), ("q", 0, 1, 0), ("d", 0, 0, 1)]
    text = README.read_text(encoding="utf-8")
    shown = re.findall(
        r"^\| [^|]+ \| (-?\d\.\d{3}) \| (\d\.\d{3}) \| (\d\.\d{3}) \| (\d\.\d{3}) \|$", text, re.MULTILINE
    )
    assert len(shown) == 4
    for ranking, cells in zip((given, car_second, padded, weak), shown, strict=True):
        grades = {name: own for name, *own in [*given, *ranking]}
        judgments = [("1", aspect, name, own[aspect]) for name, own in grades.items() for aspect in range(3)]
        run = {"1": {name: float(9 - i) for i, (name, *_) in enumerate(ranking)}}
        scores = diveval.evaluate(judgments, run, ["RBU", "alpha_nDCG", "ERR_IA", "StRecall@3"])
        assert list(cells) == [f"{value:.3f}" for value in scores.means[0]]
    values = [[float(cell) for cell in row] for row in shown]
    assert values[3][3] > values[0][3] and values[3][0] < values[0][0]
    assert values[2][0] < values[0][0] and values[2][1:] == values[0][1:]
