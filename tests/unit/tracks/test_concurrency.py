"""Concurrent writers: every submission gets its own id, and waiting for the lock ends at the time limit."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from diveval.tracks import disk
from diveval.tracks.folder import Track
from diveval.tracks.record import Record
from diveval.tracks.submissions import Offer, add
from support.refusals import refuses
from support.shared import times
from support.tracks import run_text, small, track

SENDERS, EACH = times(10, 20), times(6, 10)  # processes, and submissions per process


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_concurrent_additions_each_get_an_id(tmp_path: Path) -> None:
    """Many processes add runs at once: each run has its own id, a verdict and a stored file, and the chain is valid."""
    place = small(tmp_path, ("max_runs_per_team = 5", "max_runs_per_team = 0"))
    files = []
    for number in range(SENDERS * EACH):
        path = tmp_path / f"r{number}.txt"
        path.write_text(run_text(f"r{number}", shift=number % 8, documents=2))
        files.append(path)
    children = []
    for sender in range(SENDERS):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                mine = files[sender * EACH : (sender + 1) * EACH]
                receipts = add(Track(place), [Offer(path, ("alpha", "beta")[sender % 2]) for path in mine], wait=600)
                code = int(any(receipt.verdict.verdict == "rejected" for receipt in receipts))
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * SENDERS
    record = Record.read(place / "record.jsonl")
    expected = [f"S{n:04d}" for n in range(1, SENDERS * EACH + 1)]
    assert [e["submission"] for e in record.where("received")] == expected
    assert sorted(e["submission"] for e in record.where("verdict")) == expected
    assert len(list((place / "store").iterdir())) == SENDERS * EACH


def test_a_writer_that_waits_too_long_ends_with_code_5(tmp_path: Path) -> None:
    """While another process has the lock, a command waits for the given time, writes nothing and ends with code 5."""
    place = small(tmp_path)
    before = (place / "record.jsonl").read_bytes()
    with disk.lock(place / "record.lock", 1):
        track("decide", "note", "--reason", "x", "--track", place, "--wait", "0.05", code=5)
        track("score", place, "--wait", "0", code=5)
        with refuses("folder-locked"), disk.lock(place / "record.lock", 0):
            pass
    assert (place / "record.jsonl").read_bytes() == before
    track("decide", "note", "--reason", "x", "--track", place)


def test_a_waiting_writer_continues_when_the_lock_is_released(tmp_path: Path) -> None:
    """A writer that waits gets the lock as soon as it is released, before its time limit."""
    path, locked, release = tmp_path / "record.lock", threading.Event(), threading.Event()

    def hold() -> None:
        with disk.lock(path, 5):
            locked.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert locked.wait(30)
    threading.Timer(0.05, release.set).start()
    with disk.lock(path, 30):
        assert release.is_set()
    thread.join()
