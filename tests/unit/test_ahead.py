"""Scanning ahead: when it is begun, when its scans are taken, and that it leaves nothing behind."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diveval import ahead, evaluate, scanner
from diveval.cli import main
from diveval.errors import InputError
from diveval.metrics.catalogue import OWN
from diveval.metrics.compat import TOOLS, entries_of
from diveval.metrics.ranking import Ranking
from diveval.runs import OrderRule

pytestmark = pytest.mark.skipif(scanner.module() is None, reason="the compiled scanner is not built here")

QRELS = "1 1 a 1\n1 2 b 2\n2 1 a 1\n2 1 c 0\n"
RUN = "1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n2 Q0 c 1 9 t\n2 Q0 a 2 8 t\n"
METRICS = ["RBU(p=0.9,e=0.01)@20", "ndeval.alpha_nDCG@5"]


def wait_until(condition: Callable[[], bool]) -> None:
    """A thread's work has no other end to wait for; that it never comes is a failure, not a hang."""
    for _ in range(30_000):
        if condition():
            return
        time.sleep(0.001)
    pytest.fail("waited for half a minute")


class Watched(ahead.Ahead):
    """Remembers which scans were taken; every file is scanned before anybody may ask."""

    taken: dict[str, bool]

    def take(self, path: str, judged: object, orders: bytes) -> ahead.Scanned | None:
        for begun in list(self._begun.values()):
            begun.wait()
        found = super().take(path, judged, orders)
        Watched.taken[Path(path).name] = found is not None
        return found

    def judged_set(self, documents: object) -> object | None:
        found = super().judged_set(documents)
        wait_until(lambda: not self._waiting or found is None)
        return found


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """As if nothing were loaded yet."""
    Watched.taken = {}
    monkeypatch.delenv(scanner.PLAIN_VARIABLE, raising=False)
    monkeypatch.setattr(ahead, "_is_loaded", lambda: False)
    monkeypatch.setattr(ahead, "Ahead", Watched)
    return Watched.taken


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    """Judgments, and runs of which the second is packed."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(RUN.encode()))
    (tmp_path / "c.run").write_text(RUN.replace("1 Q0 a 1 2", "1 Q0 b 1 2"))
    return str(tmp_path / "qrels"), [str(tmp_path / name) for name in ("a.run", "b.run.gz", "c.run")]


def test_what_was_scanned_ahead_is_taken(early: dict[str, bool], files: tuple[str, list[str]]) -> None:
    """The usual files are; a packed one is read when its turn comes, to the same scores as the same run unpacked."""
    interval = sys.getswitchinterval()
    scores = evaluate(*files, METRICS, jobs=2)
    assert early == {"a.run": True, "b.run.gz": False, "c.run": True}
    assert scores.values[0].tolist() == scores.values[1].tolist() != scores.values[2].tolist()
    assert ahead.current() is None and sys.getswitchinterval() == interval


def test_without_loading_to_wait_for_nothing_is_begun(files: tuple[str, list[str]]) -> None:
    """numpy is here already."""
    with ahead.scanning(*files, METRICS, {"jobs": 2}):
        assert ahead.current() is None


@pytest.mark.parametrize(
    ("metrics", "choices"),
    [
        (METRICS, {"jobs": 1}), (METRICS, {"jobs": 2, "order": "rank"}), (METRICS, {"jobs": 2, "ties": "file"}),
        (METRICS, {"jobs": 2, "run_format": "evall"}), (METRICS, {"jobs": 2, "efforts": {}}),
        (METRICS, {"options": None}), (["ntcireval.MSnDCG@5"], {"jobs": 2}), (["own.py:best"], {"jobs": 2}),
        (["./own:best"], {"jobs": 2}), ([len], {"jobs": 2}), (METRICS, {"jobs": "2"}),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("early")
def test_nothing_is_begun_that_could_not_be_used(
    files: tuple[str, list[str]], metrics: list[object], choices: dict[str, object]
) -> None:
    """One core, another order than the usual, or metrics whose order nobody knows yet."""
    with ahead.scanning(*files, metrics, choices):
        assert ahead.current() is None
    with ahead.scanning(*files, "AP", {"jobs": 2}):
        assert ahead.current() is not None


@pytest.mark.parametrize("runs", ["-", ["-"], [], [{"1": {"a": 1.0}}], {"a": "a.run"}, None])
@pytest.mark.usefixtures("early")
def test_only_files_are_scanned_ahead(files: tuple[str, list[str]], runs: object) -> None:
    """Not standard input, tables or nothing."""
    with ahead.scanning(files[0], runs, METRICS, {"jobs": 2}):
        assert ahead.current() is None


@pytest.mark.parametrize("shape", [lambda names: iter(names), set, lambda _: reciprocal, lambda _: [reciprocal]])
@pytest.mark.usefixtures("early")
def test_metrics_in_any_shape_are_left_to_who_scores(files: tuple[str, list[str]], shape: Callable[..., Any]) -> None:
    """What can be walked only once is not walked here, and what cannot be walked is none of our business."""
    found = evaluate(files[0], files[1][0], shape(["RR"]), jobs=2)
    assert found.values.ravel().tolist() == evaluate(files[0], files[1][0], "RR", jobs=1).values.ravel().tolist()


def reciprocal(ranking: Ranking) -> float:
    """RR as a person writes it."""
    return next((1 / i for i, row in enumerate(ranking.relevance, 1) if row.max() > 0), 0.0)


@pytest.mark.parametrize(("line", "taken"), [("1 1 other-{} 0\n", True), ("1 1 other-{} 0 5\n", False)])
def test_large_judgments_are_read_to_their_end_only_if_they_are_of_the_usual_kind(
    early: dict[str, bool], files: tuple[str, list[str]], line: str, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bytes tell; what they tell may be a line cut in two."""
    monkeypatch.setattr(ahead, "_PROBE", 50)
    Path(files[0]).write_text("".join(line.format(i) for i in range(9)) + QRELS)
    with ahead.scanning(files[0], files[1][0], METRICS, {"jobs": 2}):
        under_way = ahead.current()
        assert under_way is not None and (under_way.judgments(files[0]) is not None) == taken
    if taken:
        evaluate(files[0], files[1][0], METRICS, jobs=2)
        assert early == {"a.run": True}


def test_the_plain_reader_has_nothing_ahead(
    early: dict[str, bool], files: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for by its variable."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, "1")
    evaluate(*files, METRICS, jobs=2)
    assert early == {}


def test_a_file_that_changed_since_is_scanned_again(
    early: dict[str, bool], files: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scan is of a content that is no more; so are the judgments, where they changed."""
    expected = evaluate(files[0], files[1][2], METRICS, jobs=2).values
    judgments = ahead.Ahead.judgments

    def changing(self: ahead.Ahead, path: str) -> object:
        found = judgments(self, path)
        wait_until(lambda: files[1][0] in self._found)
        Path(files[1][0]).write_text(Path(files[1][2]).read_text())
        os.utime(files[1][0], ns=(1, 1))
        return found

    monkeypatch.setattr(Watched, "judgments", changing)
    Watched.taken.clear()
    assert evaluate(files[0], files[1][0], METRICS, jobs=2).values.tolist() == expected.tolist()
    assert early == {"a.run": False}


def test_judgments_that_changed_since_are_read_again(early: dict[str, bool], files: tuple[str, list[str]]) -> None:
    """What was scanned with the old ones is of no use."""
    with ahead.scanning(files[0], files[1][0], METRICS, {"jobs": 2}):
        under_way = ahead.current()
        assert under_way is not None and under_way.judgments(files[0]) is not None
        Path(files[0]).write_text(QRELS + "1 1 x 1\n")
        os.utime(files[0], ns=(1, 1))
        assert under_way.judgments(files[0]) is None and under_way.judgments(files[1][0]) is None
        found = evaluate(files[0], files[1][0], METRICS, jobs=2)
    assert early == {"a.run": False}
    assert found.values.tolist() == evaluate(files[0], files[1][0], METRICS, jobs=1).values.tolist()


@pytest.mark.usefixtures("early")
def test_complaints_are_the_readers_own(files: tuple[str, list[str]], tmp_path: Path) -> None:
    """A missing file, a folder, judgments that are none."""
    with pytest.raises(InputError, match="nowhere"):
        evaluate(files[0], [*files[1], str(tmp_path / "nowhere")], METRICS, jobs=2)
    with pytest.raises(InputError, match="nowhere"):
        evaluate(str(tmp_path / "nowhere"), files[1], METRICS, jobs=2)
    with pytest.raises(InputError):
        evaluate(str(tmp_path), files[1], METRICS, jobs=2)
    with pytest.raises(InputError, match="4 or 5 columns"):
        evaluate(files[1][0], files[1], METRICS, jobs=2)


def test_the_command_line_scans_ahead(
    early: dict[str, bool], files: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """As `diveval evaluate`, with and without names of metrics, and as another tool prints."""
    for words, taken in ([], True), (["-m", "P@5"], True), (["-f", "ndeval"], True), (["-f", "evall"], False):
        early.clear()
        assert main(["evaluate", files[0], files[1][0], "--jobs", "2", *words]) == 0
        assert early == ({"a.run": True} if taken else {})
    early.clear()
    assert main(["evaluate", files[0], files[1][0], "--jobs", "2", "--timing"]) == 0
    assert early == {"a.run": True} and "matching" in capsys.readouterr().err


def test_the_tools_that_are_scanned_ahead_for_order_runs_as_we_do() -> None:
    """And so do all of our own metrics."""
    assert {entry.order for entry in OWN} == {None}
    for tool in TOOLS:
        usual = {entry.order for entry in entries_of(tool)} == {OrderRule()}
        assert usual == (tool in ahead.TOOLS)


def test_nothing_of_it_needs_numpy() -> None:
    """Or it would have to wait for what it is there to hide."""
    program = "import sys, diveval.ahead; assert diveval.evaluate; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_fresh_process_takes_what_it_scanned(files: tuple[str, list[str]]) -> None:
    """The real thing: numpy is loaded while the file is scanned, and the scores are those of this process."""
    program = (
        "import sys, diveval\nfrom diveval import ahead\ntaken = []\ntake = ahead.Ahead.take\n"
        "def watched(self, *asked):\n    found = take(self, *asked)\n    taken.append(found is not None)\n    return found\n"
        "ahead.Ahead.take = watched\n"
        "scores = diveval.evaluate(sys.argv[1], sys.argv[2], sys.argv[3:], jobs=2)\nprint(taken, scores.values.tolist())"
    )
    words = [sys.executable, "-c", program, files[0], files[1][0], *METRICS]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"[True] {evaluate(files[0], files[1][0], METRICS).values.tolist()}\n"
