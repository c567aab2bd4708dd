"""The examples of docs/howto/gate.md for GitHub Actions and pytest do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.console import ROOT
from support.judged import make_labels, make_runs

PAGE = (ROOT / "docs" / "howto" / "gate.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """qrels.txt, main.run and new.run, which is the same run."""
    labels = make_labels(20)
    rows = [f"{t} {a} {d} {g:g}\n" for t, by in labels.items() for a, of in by.items() for d, g in of.items()]
    (tmp_path / "qrels.txt").write_text("".join(rows))
    lines = [
        f"{t} Q0 {d} {i} {9 - i} r\n" for t, docs in make_runs(list(labels))["A"].items() for i, d in enumerate(docs, 1)
    ]
    for name in ("main.run", "new.run"):
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def _worsen(folder: Path) -> None:
    """Make the candidate a run of documents that are not relevant, but for one."""
    lines = (folder / "main.run").read_text().splitlines(keepends=True)
    (folder / "new.run").write_text("".join(line.replace(" d", " x") if i else line for i, line in enumerate(lines)))


def _steps() -> list[str]:
    return [step.strip() for step in re.findall(r"^ *- run: (.*)$", _block("yaml"), re.MULTILINE)]


def test_the_workflow_runs(folder: Path) -> None:
    """Its steps write a summary and JUnit XML; the gate passes for an equal run and stops a worse one."""
    summary = folder / "summary.md"
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary)}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    install, gate, publish = _steps()
    assert install.startswith("pip install")
    for words in (gate, publish):
        assert subprocess.run(["bash", "-c", words], cwd=folder, env=environment, check=False).returncode == 0
    assert "pass" in summary.read_text() and (folder / "gate.xml").exists()
    _worsen(folder)
    assert subprocess.run(["bash", "-c", gate], cwd=folder, env=environment, check=False).returncode == 1


def test_the_pytest_example_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes for an equal run and raises an assertion for a worse one."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    exec(_block("python"), names)
    test = names["test_the_change_makes_nothing_worse"]
    assert callable(test)
    test()
    _worsen(folder)
    with pytest.raises(AssertionError):
        test()
