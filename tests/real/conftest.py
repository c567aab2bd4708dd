"""Real collections and what other tools print for them; and how many of their values were compared."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from diveval.judgments import Judgments
from diveval.reading import read_judgments, read_run
from diveval.runs import Run

COMPARED: Counter[str] = Counter()


def real_data() -> Path:
    """Where the real collections are: $DIVEVAL_REALDATA, or shared/data beside the project."""
    return Path(os.environ.get("DIVEVAL_REALDATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real collections; tests that need it are skipped where it is not."""
    folder = real_data()
    if not (folder / "web2011").is_dir():
        pytest.skip(f"no real collections in {folder}; $DIVEVAL_REALDATA says where they are")
    return folder


@dataclass(frozen=True)
class Collection:
    """A year of the TREC Web track: its judgments, its runs, and the folder of printouts."""

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
    """A reader of one year, which reads it once."""
    return lambda year: _collection(realdata / f"web{year}")


@pytest.fixture(scope="session")
def compared() -> Counter[str]:
    """Values compared so far, by tool; printed at the end of the session."""
    return COMPARED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How much the comparison with other tools rests on."""
    if COMPARED:
        counts = ", ".join(f"{count:,} with {tool}" for tool, count in sorted(COMPARED.items()))
        terminalreporter.write_line(f"compared {sum(COMPARED.values()):,} values: {counts}")
