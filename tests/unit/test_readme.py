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
