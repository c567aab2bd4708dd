"""Topics larger than the scanner's buffer: the buffer grows, and the ranks are right."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.system import scanner

LINES = 40_000  # of some 60 bytes: a topic of more than two megabytes, where the buffer starts with one
PAD = "x" * 30
pytestmark = pytest.mark.filterwarnings("ignore:.*--order score:diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def large() -> tuple[Judgments, str]:
    """Two large topics with unsorted scores between small ones; every fiftieth document is judged."""
    rng = np.random.default_rng(3)
    lines = []
    for topic, count in (("1", 3), ("2", LINES), ("3", LINES), ("4", 3)):
        scores = rng.permutation(count)
        lines += [f"{topic} Q0 d{i}{PAD} {i + 1} {score} tag" for i, score in enumerate(scores.tolist())]
    rows = [(t, a, f"d{i}{PAD}", float(i % 3)) for t in "1234" for a in "ab" for i in range(1, LINES, 50)]
    return Judgments.from_rows(rows), "\n".join(lines) + "\n"


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "compressed"])
def test_large_topics_are_read_as_by_the_plain_reader(
    large: tuple[Judgments, str], compressed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scanner sorts both large topics after their first bytes have left the buffer."""
    judgments, text = large
    path = tmp_path / "large.run"
    path.write_bytes(gzip.compress(text.encode(), 1) if compressed else text.encode())
    monkeypatch.delenv(scanner.PLAIN_VARIABLE, raising=False)
    if scanner.load() is None:
        pytest.skip("needs the compiled scanner")
    metrics = ["AP", "P@10000", "RBU(p=0.9999,e=0)"]
    scanned = evaluate(judgments, [path], metrics)
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, "1")
    plain = evaluate(judgments, [path], metrics)
    assert scanned.topics == plain.topics and np.array_equal(scanned.values, plain.values)
    assert scanned.values[0, 0, 1:3].min() > 0


def test_tables_grow_with_topics_and_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of topics and thousands of names exceed the initial size of the scanner's tables."""
    rng = np.random.default_rng(4)
    grades = rng.integers(0, 3, 6000).tolist()
    qrels, run = tmp_path / "qrels", tmp_path / "many.run"
    qrels.write_text("".join(f"{i % 300} {i % 7} d{i} {grade}\n" for i, grade in enumerate(grades)))
    run.write_text("".join(f"{t} Q0 d{t + 300 * k} {k + 1} {20 - k} tag\n" for t in range(600) for k in range(20)))
    scores = {}
    for plain in ("", "1"):
        monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)
        scores[plain] = evaluate(qrels, [run], ["AP", "alpha_nDCG@10"])
    assert scores[""].topics == scores["1"].topics and len(scores[""].topics) == 300
    assert np.array_equal(scores[""].values, scores["1"].values) and scores[""].values.min() > 0


_STARTS = np.array([0, 1], dtype=np.int64).tobytes()
_ONE = (scanner.random_key(), (b"1", _STARTS), _STARTS, np.zeros(1, dtype=np.int32).tobytes(), (b"x", _STARTS))


def test_inconsistent_offsets_are_refused() -> None:
    """Offsets, starts and codes are checked before they are used."""
    compiled_scanner = pytest.importorskip("diveval._scanner", reason="needs the compiled scanner")
    key, topics, starts, _, documents = _ONE
    with pytest.raises(ValueError, match="name"):
        compiled_scanner.judged_set(key, topics, starts, np.ones(1, dtype=np.int32).tobytes(), documents)
    with pytest.raises(ValueError, match="offsets"):
        compiled_scanner.standing((b"", _STARTS), False)
    with pytest.raises(ValueError, match="starts"):
        compiled_scanner.judged_set(key, topics, _STARTS * 2, _ONE[3], documents)


def test_a_key_of_another_size_is_refused() -> None:
    """A key of the wrong length is an error, since reading would pass its end."""
    compiled_scanner = pytest.importorskip("diveval._scanner", reason="needs the compiled scanner")
    with pytest.raises(ValueError, match="40"):
        compiled_scanner.table(b"short", False)
    with pytest.raises(ValueError, match="40"):
        compiled_scanner.judged_set(b"short", *_ONE[1:])


def test_a_read_error_is_an_oserror() -> None:
    """An error of the operating system is raised as OSError."""
    compiled_scanner = pytest.importorskip("diveval._scanner", reason="needs the compiled scanner")
    scan = compiled_scanner.open(compiled_scanner.judged_set(*_ONE), b"\0", False)
    with pytest.raises(OSError, match="descriptor"):
        compiled_scanner.read(scan, 10**6)
