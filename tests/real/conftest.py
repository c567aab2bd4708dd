"""Real collections, the output of other tools for them, and a count of the values compared."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.reading import read_judgments, read_run

COMPARED: Counter[str] = Counter()


def real_data() -> Path:
    """The folder of the real collections: $DIVEVAL_REALDATA, or shared/data beside the project."""
    return Path(os.environ.get("DIVEVAL_REALDATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real collections; tests that need it are skipped if it does not exist."""
    folder = real_data()
    if not (folder / "web2011").is_dir():
        pytest.skip(f"no real collections in {folder}; $DIVEVAL_REALDATA says where they are")
    return folder


@dataclass(frozen=True)
class Collection:
    """A year of the TREC Web track: its judgments, its runs, and the folder of expected output."""

    diversity: Judgments
    adhoc: Judgments | None
    runs: list[Run]
    expected: Path


@cache
def _collection(folder: Path) -> Collection:
    adhoc = folder / "qrels.adhoc.txt"
    return Collection(
        read_judgments(folder / "qrels.diversity.txt"),
        read_judgments(adhoc) if adhoc.exists() else None,
        [read_run(path) for path in sorted((folder / "runs").iterdir())],
        folder / "expected",
    )


@pytest.fixture(scope="session")
def collection(realdata: Any) -> Any:
    """A function that reads the collection of a year, once."""
    return lambda year: _collection(realdata / f"web{year}")


@pytest.fixture(scope="session")
def compared() -> Counter[str]:
    """The number of values compared, by tool; printed at the end of the session."""
    return COMPARED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the number of values compared with other tools."""
    if COMPARED:
        counts = ", ".join(f"{count:,} with {tool}" for tool, count in sorted(COMPARED.items()))
        terminalreporter.write_line(f"compared {sum(COMPARED.values()):,} values: {counts}")
