"""Topics larger than the scanner's buffer: it grows, keeps what it may have to read again, and the ranks stay."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from diveval import evaluate
from diveval.judgments import Judgments
from diveval.reading import compiled

LINES = 40_000  # of some 60 bytes: a topic of more than two megabytes, where the buffer starts with one
PAD = "x" * 30
pytestmark = pytest.mark.filterwarnings("ignore:.*rank and score contradict:diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def large() -> tuple[Judgments, str]:
    """Two large topics, scores in any order, between small ones; every fiftieth document is judged."""
    rng = np.random.default_rng(3)
    lines = []
    for topic, count in (("1", 3), ("2", LINES), ("3", LINES), ("4", 3)):
        scores = rng.permutation(count)
        lines += [f"{topic} Q0 d{i}{PAD} {i + 1} {score} tag" for i, score in enumerate(scores.tolist())]
    rows = [(t, a, f"d{i}{PAD}", float(i % 3)) for t in "1234" for a in "ab" for i in range(1, LINES, 50)]
    return Judgments.from_rows(rows), "\n".join(lines) + "\n"


@pytest.mark.parametrize("packed", [False, True], ids=["file", "packed"])
def test_large_topics_read_as_the_plain_reader_reads_them(
    large: tuple[Judgments, str], packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scanner has to sort both large topics, long after their first bytes left the block in hand."""
    judgments, text = large
    path = tmp_path / "large.run"
    path.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())
    monkeypatch.delenv(compiled.PLAIN_VARIABLE, raising=False)
    if compiled.scanner_for(path) is None:
        pytest.skip("the compiled scanner is not there")
    metrics = ["AP", "P@10000", "RBU(p=0.9999,e=0)"]
    scanned = evaluate(judgments, [path], metrics)
    monkeypatch.setenv(compiled.PLAIN_VARIABLE, "1")
    read = evaluate(judgments, [path], metrics)
    assert scanned.topics == read.topics and np.array_equal(scanned.values, read.values)
    assert scanned.values[0, 0, 1:3].min() > 0
