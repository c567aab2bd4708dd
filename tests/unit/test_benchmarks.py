"""What the pages say about speed is what the benchmark found last, and each verdict follows from its numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.console import ROOT

BENCH = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[Any, Any]]:
    """The programs of benchmarks/ that only calculate."""
    sys.path.insert(0, str(BENCH))
    try:
        yield import_module("publish"), import_module("session")
    finally:
        sys.path.remove(str(BENCH))


def test_pages_show_the_last_results(modules: tuple[Any, Any]) -> None:
    """Each block of a page, and the table of all rows, is what the results file says."""
    publish, session = modules
    results = session.read_results()
    for page in publish.PAGES:
        text = page.read_text(encoding="utf-8")
        assert publish.BLOCK.search(text)
        assert publish.render(text, results) == text, f"run benchmarks/publish.py: {page.name} is out of date"
    table = BENCH / "results" / "bench.md"
    assert table.read_text(encoding="utf-8") == publish.whole_table(results)


def test_verdicts_follow_from_the_numbers() -> None:
    """A pass in the table is a ratio or a value on the right side of the target, recomputed from the results file."""
    kept = json.loads((BENCH / "results" / "bench.json").read_text(encoding="utf-8"))
    lines = (BENCH / "results" / "bench.md").read_text(encoding="utf-8").splitlines()
    verdicts = [
        line.split("|")[-2].strip() for line in lines if line.startswith("| ") and not line.startswith("| job |")
    ]
    meets = {
        "faster": lambda row: row["theirs"] >= row["target"] * row["found"],
        "within": lambda row: row["found"] <= row["target"] * row["theirs"],
        "limit": lambda row: row["found"] <= row["target"],
    }
    rows = [row for section in kept.values() for row in section["rows"]]
    assert rows and verdicts == ["pass" if meets[row["rule"]](row) else "FAIL" for row in rows]


def test_results_name_their_date_and_machine() -> None:
    """Every section has a day, a processor and the load under which it was measured."""
    for section in json.loads((BENCH / "results" / "bench.json").read_text(encoding="utf-8")).values():
        assert len(section["date"].split("-")) == 3 and "cores" in section["machine"] and section["load"] >= 0


@pytest.mark.parametrize(
    ("rule", "found", "theirs", "target", "verdict"),
    [
        ("faster", 1.0, 7.0, 7.0, "pass"),
        ("faster", 1.0, 6.9, 7.0, "FAIL"),
        ("within", 1.3, 1.0, 1.3, "pass"),
        ("within", 1.31, 1.0, 1.3, "FAIL"),
        ("limit", 80.0, 0.0, 80.0, "pass"),
        ("limit", 80.1, 0.0, 80.0, "FAIL"),
    ],
)
def test_a_target_is_a_bound(
    modules: tuple[Any, Any], rule: str, found: float, theirs: float, target: float, verdict: str
) -> None:
    """Equal to the target passes, anything worse fails."""
    row = modules[1].Row("job", found, "CPU s", rule, target, "peer", theirs)
    assert row.verdict == verdict


def test_a_failed_job_is_a_row_that_is_missing_not_the_end(modules: tuple[Any, Any], tmp_path: Path) -> None:
    """What a command printed before it failed stands in the section, and the session goes on."""
    _, session = modules
    made = session.Session(tmp_path, None, quick=True, rounds=1)
    broken = [sys.executable, "-c", "raise SystemExit('no such thing')"]
    section = made.measure(lambda found: found.alternate({"broken": broken}))
    assert not section.rows and len(section.lacks) == 1 and "no such thing" in section.lacks[0]


@pytest.mark.slow
def test_the_benchmark_runs(tmp_path: Path) -> None:
    """A section of the quick form runs from start to end, and writes no result."""
    before = (BENCH / "results" / "bench.json").read_bytes()
    command = [sys.executable, str(BENCH / "bench.py"), "--quick", "--only", "start"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    assert done.returncode == 0 and "import numpy" in done.stdout, done.stderr
    assert (BENCH / "results" / "bench.json").read_bytes() == before
