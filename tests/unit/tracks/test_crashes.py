"""A process killed at any write of `add`, `score` or `rank` leaves a folder that the next command mends."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from diveval.cli import main
from diveval.tracks import disk
from diveval.tracks.record import Record
from support.tracks import INSIDE, answer, filled, run_text, send, small, track

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def killed(words: list[str], at: int, *, half: bool = False) -> bool:
    """Run a command in a process that is killed at its n-th change of the disk; True if it came so far.

    `half`: the kill falls into the write of a line to the record, after half of it.
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


def copies(place: Path, into: Path) -> Path:
    import shutil

    return Path(shutil.copytree(place, into))


@pytest.mark.slow
@pytest.mark.parametrize("half", [False, True], ids=["between", "within"])
def test_add_killed_at_every_write(tmp_path: Path, half: bool) -> None:
    """Whatever was written, the submission can be added again, ids have no gaps, and nothing differs."""
    start = small(tmp_path)
    send(start, "alpha", "first", run_text("first"))
    file = tmp_path / "second.txt"
    file.write_text(run_text("second", shift=1))
    words = ["add", str(file), "--team", "beta", "--received", INSIDE, "--track"]
    at = 0
    while True:
        at += 1
        place = copies(start, tmp_path / f"kill-{half}-{at}")
        if not killed([*words, str(place)], at, half=half):
            break
        track(
            "add", file, "--team", "beta", "--received", INSIDE, "--track", place
        )  # mends, adds or says that it is there
        events = Record.read(place / "record.jsonl").events
        assert [e["submission"] for e in events if e["event"] == "received"] == ["S0001", "S0002"]
        assert [e["submission"] for e in events if e["event"] == "verdict"] == ["S0001", "S0002"]
        results = {item["result"] for item in answer("verify", place)["items"]}
        assert results <= {"same", "orphan"}
    assert at > 8  # store, note, two events, verdict: each written, renamed, appended


@pytest.mark.slow
def test_score_and_rank_killed_at_every_write(tmp_path: Path) -> None:
    """The next `score` and `rank` end with the same scores and the same board as without a kill."""
    judged = filled(tmp_path)
    whole = copies(judged, tmp_path / "whole")
    track("score", whole)
    scored = copies(whole, tmp_path / "scored")
    track("rank", whole)
    expected = {name: (whole / name).read_bytes() for name in ("scores/R0001/scores.csv", "boards/R0001.json")}
    for verb, start in (("score", judged), ("rank", scored)):
        at = 0
        while True:
            at += 1
            place = copies(start, tmp_path / f"{verb}-{at}")
            came = killed([verb, str(place)], at)
            track("score", place)
            track("rank", place)
            assert {name: (place / name).read_bytes() for name in expected} == expected
            assert [e["scoring"] for e in Record.read(place / "record.jsonl").where("scored")] == ["R0001"]
            if not came:
                break
        assert at > 3


def test_a_torn_line_is_moved_aside_and_recorded(tmp_path: Path) -> None:
    """Readers stop before a torn line; the next writer keeps it in `private/` and says so in the record."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    path = place / "record.jsonl"
    before = path.read_bytes()
    path.write_bytes(before + b'{"at":"2026')
    assert [i["result"] for i in answer("verify", place, code=1)["items"] if i["what"] == "record.jsonl"] == ["differs"]
    send(place, "beta", "two", run_text("two", shift=2))
    events = Record.read(path).events
    torn = next(e for e in events if e["event"] == "repaired")
    assert torn["bytes"] == 11
    assert (place / f"private/torn-{torn['seq']}").read_bytes() == b'{"at":"2026'
    track("verify", place)


def test_received_without_verdict_is_validated_by_the_next_command(tmp_path: Path) -> None:
    """A submission whose verdict was lost gets the verdict it would have got."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    path = place / "record.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    (place / "verdicts/S0001.json").unlink()
    track("decide", "note", "--reason", "checking", "--track", place)
    assert [e["event"] for e in Record.read(path).events][-2:] == ["verdict", "noted"]
    track("verify", place)
