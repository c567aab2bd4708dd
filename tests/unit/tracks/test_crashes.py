"""A process killed at any write of `add`, `score` or `rank` leaves a folder that the next command repairs."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from diveval.cli import main
from diveval.tracks import disk
from diveval.tracks.record import Record
from support.tracks import INSIDE, answer, filled, ranked, run_text, send, small, track

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def killed(words: list[str], at: int, *, half: bool = False) -> bool:
    """Run a command in a process that is killed at its n-th write; False if it ended before.

    `half`: the process is killed after half of a line was appended to the record.
    """
    child = os.fork()
    if child == 0:
        count = 0

        def step(what: str) -> None:
            nonlocal count
            count += 1
            if count == at and not (half and what.startswith("append ")):
                os.kill(os.getpid(), signal.SIGKILL)

        def emit(handle: int, data: bytes) -> None:
            if count >= at:
                os.write(handle, data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            os.write(handle, data)

        disk.step = step
        if half:
            disk.emit = emit
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            main(["track", *words])
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def copied(place: Path, target: Path) -> Path:
    return Path(shutil.copytree(place, target))


@pytest.mark.slow
@pytest.mark.parametrize("half", [False, True], ids=["between", "within"])
def test_add_killed_at_every_write(tmp_path: Path, half: bool) -> None:
    """After a kill at any write the submission can be added again, ids have no gaps, and the track verifies."""
    start = small(tmp_path)
    send(start, "alpha", "first", run_text("first"))
    file = tmp_path / "second.txt"
    file.write_text(run_text("second", shift=1))
    words = ["add", str(file), "--team", "beta", "--received", INSIDE, "--track"]
    at = 0
    while True:
        at += 1
        place = copied(start, tmp_path / f"kill-{half}-{at}")
        if not killed([*words, str(place)], at, half=half):
            break
        track(*words, place)
        events = Record.read(place / "record.jsonl").events
        assert [e["submission"] for e in events if e["event"] == "received"] == ["S0001", "S0002"]
        assert [e["submission"] for e in events if e["event"] == "verdict"] == ["S0001", "S0002"]
        results = {item["result"] for item in answer("verify", place)["items"]}
        assert results <= {"same", "orphan"}
    assert at > 8  # stored file, note, verdict and two events take at least that many writes


@pytest.mark.slow
def test_score_and_rank_killed_at_every_write(tmp_path: Path) -> None:
    """After a kill at any write, `score` and `rank` give the same scores and the same board."""
    judged = filled(tmp_path)
    complete = copied(judged, tmp_path / "complete")
    track("score", complete)
    scored = copied(complete, tmp_path / "scored")
    track("rank", complete)
    expected = {name: (complete / name).read_bytes() for name in ("scores/R0001/scores.csv", "boards/R0001.json")}
    for command, start in (("score", judged), ("rank", scored)):
        at = 0
        while True:
            at += 1
            place = copied(start, tmp_path / f"{command}-{at}")
            interrupted = killed([command, str(place)], at)
            track("score", place)
            track("rank", place)
            assert {name: (place / name).read_bytes() for name in expected} == expected
            assert [e["scoring"] for e in Record.read(place / "record.jsonl").where("scored")] == ["R0001"]
            if not interrupted:
                break
        assert at > 3


def test_an_incomplete_line_is_moved_to_private_and_recorded(tmp_path: Path) -> None:
    """`verify` reports an incomplete last line; the next writer moves it to `private/` and records the repair."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    path = place / "record.jsonl"
    before = path.read_bytes()
    path.write_bytes(before + b'{"at":"2026')
    assert [i["result"] for i in answer("verify", place, code=1)["items"] if i["what"] == "record.jsonl"] == ["differs"]
    send(place, "beta", "two", run_text("two", shift=2))
    events = Record.read(path).events
    repair = next(e for e in events if e["event"] == "repaired")
    assert repair["bytes"] == 11
    assert (place / f"private/torn-{repair['seq']}").read_bytes() == b'{"at":"2026'
    track("verify", place)


def test_a_submission_without_a_verdict_is_validated_by_the_next_command(tmp_path: Path) -> None:
    """A submission whose verdict was lost gets one before the next event is recorded."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    path = place / "record.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    (place / "verdicts/S0001.json").unlink()
    track("decide", "note", "--reason", "checking", "--track", place)
    assert [e["event"] for e in Record.read(path).events][-2:] == ["verdict", "noted"]
    track("verify", place)


@pytest.mark.slow
@pytest.mark.parametrize("words", [("site",), ("site", "--private"), ("export", "kit")])
def test_folders_of_killed_commands_do_not_stay(tmp_path: Path, words: tuple[str, ...]) -> None:
    """What a killed command left of a folder is removed by the next one, once it is old; a fresh one may be in use."""
    place = ranked(tmp_path)
    (place / "site").mkdir()
    (place / "site/CNAME").write_text("track.example.org\n")
    at = 1
    while killed([*words, str(place)], at):
        at += 1 if at < 4 else 5
    assert at > 3 and left_over(place)
    track(*words, place)
    assert left_over(place)
    for path in left_over(place):
        os.utime(path, (0, 0))
    track(*words, place)
    assert not left_over(place)
    assert (place / "site/CNAME").read_text() == "track.example.org\n"


def left_over(place: Path) -> list[Path]:
    return [path for path in place.rglob(".*") if path.suffix in (".part", ".old")]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["pool", "labels"])
def test_pool_and_labels_killed_at_every_write(tmp_path: Path, what: str) -> None:
    """After a kill at any write the command works again: no label is lost, none is taken twice, and the track verifies."""
    start = small(tmp_path)
    send(start, "alpha", "first", run_text("first"))
    pool = ["pool", "--depth", "1", "--assessors", "anna", "--track"]
    track(*pool, start)
    table = tmp_path / "anna.csv"
    rows = [f"anna,{t},0,doc-{t}01,1" for t in range(1, 5)]
    table.write_text("\n".join(["assessor,topic,aspect,document,label", *rows[:2]]) + "\n")
    track("labels", table, "--track", start)
    table.write_text("\n".join(["assessor,topic,aspect,document,label", *rows]) + "\n")
    words = pool if what == "pool" else ["labels", str(table), "--track"]
    at = 0
    while True:
        at += 1
        place = copied(start, tmp_path / f"kill-{at}")
        if not killed([*words, str(place)], at):
            break
        track(*words, place)
        got = answer("labels", table, "--track", place)
        assert [(one["labels"], one["missing"]) for one in got["assessors"]] == [(4, 0)]
        assert len((place / "private/qrels-from-labels.txt").read_text().splitlines()) == 4
        assert answer("verify", place)["items"]
    assert at > 4
