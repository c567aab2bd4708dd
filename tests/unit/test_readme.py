"""The README's Python example runs, and shows the numbers that its command shows."""

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
    """One run, one number, in both examples."""
    text = README.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    make_collection(tmp_path / "web", topics=20, systems=8, depth=100)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    printed = {
        line.split()[0]: line.replace("*", "").split()[1:]
        for line in done.stdout.splitlines()
        if line.startswith(("diverse ", "redundant "))
    }
    shown = present(re.search(r"\$ diveval evaluate .*?```", text, re.DOTALL))[0]
    for run in ("diverse", "redundant"):
        numbers = next(line.replace("*", "").split()[1:] for line in shown.splitlines() if line.startswith(f"{run} "))
        means = [line.replace("*", "").split() for line in done.stdout.splitlines() if line.startswith(f"{run} ")]
        assert means[0][1:3] == numbers[:2]
    assert printed


def test_the_first_screen_says_for_whom_and_links_every_task() -> None:
    """TREC tracks, recommenders, RAG; tutorial, how-to, integrations, studio, writing a metric."""
    first = README.read_text(encoding="utf-8").split("## Examples")[0]
    for word in ("TREC", "recommender", "RAG"):
        assert word in first
    for page in ("tutorial.md", "howto/", "answers.md", "integrations.md", "studio.md", "write-a-metric.md"):
        assert page in first
