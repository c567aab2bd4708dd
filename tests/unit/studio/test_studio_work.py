"""Jobs: progress, cancellation, limits; warnings go to the thread that caused them."""

from __future__ import annotations

import importlib
import threading
import time
import warnings
from pathlib import Path

import pytest

from diveval.errors import UsageError, capture_warnings, warn
from diveval.studio.limits import Limits
from diveval.studio.work import Job, Jobs
from diveval.system.progress import Progress
from support.refusals import refuses


def wait(job: Job) -> None:
    limit = time.monotonic() + 10
    while job.open and time.monotonic() < limit:
        time.sleep(0.005)


def test_a_job_reports_progress_and_keeps_its_result() -> None:
    """A running job reports its progress; at the end it has its result and notes."""
    go = threading.Event()

    def work(step: Progress) -> str:
        step("threes", 3, 7)
        go.wait(10)
        warn("nothing-relevant", "mind this")
        return "made"

    job = Jobs(Limits()).start("test", work)
    while job.total == 0:
        time.sleep(0.005)
    assert job.shape() == {"id": job.id, "kind": "test", "state": "running", "done": 3, "total": 7, "what": "threes"}
    go.set()
    wait(job)
    assert (job.shape()["state"], job.result, job.notes) == ("done", "made", ["mind this"])


def test_a_storm_of_cancellations_locks_no_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs that are cancelled while they import a module leave its lock free, and their threads serve again."""
    monkeypatch.syspath_prepend(tmp_path)
    names = [f"slow_{i}" for i in range(12)]
    for name in names:
        (tmp_path / f"{name}.py").write_text("for _ in range(300_000):\n    pass\n")
    jobs = Jobs(Limits())

    def spin(name: str) -> None:
        importlib.import_module(name)
        while True:  # takes no step, so that only an exception from outside ends it
            pass

    for name in names:
        storm = [jobs.start("test", lambda step, name=name: spin(name)) for _ in range(4)]  # type: ignore[misc]
        time.sleep(0.01)
        for job in storm:
            job.cancel()
    for job in jobs.open():
        wait(job)
    last = [jobs.start("test", lambda step, name=name: importlib.import_module(name)) for name in names]  # type: ignore[misc]
    for job in last:
        wait(job)
    assert {job.state for job in last} == {"done"}


def test_a_cancelled_job_ends_at_its_next_step() -> None:
    """Cancellation takes effect at the next step."""
    steps = []

    def work(step: Progress) -> None:
        for i in range(10_000):
            steps.append(i)
            step("on", i, 10_000)
            time.sleep(0.002)

    jobs = Jobs(Limits())
    job = jobs.start("test", work)
    time.sleep(0.02)
    job.cancel()
    wait(job)
    assert job.state == "cancelled" and len(steps) < 5000


def test_cancel_all_stops_every_job() -> None:
    """`cancel_all` stops running jobs."""
    jobs = Jobs(Limits())
    running = [jobs.start("test", _forever) for _ in range(3)]
    jobs.cancel_all()
    for job in running:
        wait(job)
    assert {job.state for job in running} == {"cancelled"}


def _forever(step: Progress) -> None:
    while True:
        step("", 0, 1)
        time.sleep(0.002)


def test_a_job_has_a_time_limit() -> None:
    """Work beyond the limit fails with an error that gives the limit."""
    job = Jobs(Limits(seconds=0.05)).start("test", _forever)
    wait(job)
    assert job.state == "failed" and "0.05 s" in str(job.error)


def test_running_waiting_and_kept_jobs_are_limited() -> None:
    """Further jobs wait, up to a limit; requests do not wait for them; the oldest results are dropped."""
    jobs = Jobs(Limits(jobs=2, waiting=4))
    first = [jobs.start("test", _forever) for _ in range(2)]
    third = jobs.start("test", lambda step: "done")
    short = jobs.queue("test", lambda step: "short")
    wait(short)
    assert (short.result, third.state) == ("short", "waiting")
    jobs.start("test", _forever).cancel()
    fourth = jobs.start("test", _forever)
    with refuses("too-busy"):
        jobs.start("test", _forever)
    for job in (fourth, *first):
        job.cancel()
        wait(job)
    wait(third)
    assert (third.result, fourth.state) == ("done", "cancelled")
    for _ in range(80):
        wait(jobs.start("test", lambda step: None))
    assert jobs.find(first[0].id) is None


def test_a_usage_error_is_the_error_of_the_job() -> None:
    """The job fails with the text of the error."""
    jobs = Jobs(Limits())

    def mistaken(step: Progress) -> None:
        raise UsageError("out-of-range", "not like this")

    job = jobs.start("test", mistaken)
    wait(job)
    assert job.state == "failed" and job.error is not None
    assert (job.error.code, job.shape()["code"]) == ("out-of-range", "out-of-range")


def test_an_internal_error_hides_its_details(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is reported by its type only."""
    monkeypatch.setattr(threading, "excepthook", lambda args: None)

    def broken(step: Progress) -> None:
        raise KeyError("/secret/path")

    jobs = Jobs(Limits(jobs=1))
    job = jobs.start("test", broken)
    wait(job)
    assert job.state == "failed" and "KeyError" in str(job.error) and "secret" not in str(job.error)
    after = jobs.start("test", lambda step: "next")  # the thread is still running
    wait(after)
    assert after.result == "next"


def test_warnings_go_to_the_thread_that_caused_them() -> None:
    """Threads that warn at the same time each gather their own, and the filters are restored."""
    before = (warnings.showwarning, list(warnings.filters))
    gathered_notes: dict[int, list[str]] = {}
    together = threading.Barrier(4)

    def work(number: int) -> None:
        with capture_warnings() as notes:
            together.wait(5)
            for i in range(20):
                warn("nothing-relevant", f"{number}: {i}")
            together.wait(5)
        gathered_notes[number] = [str(note) for note in notes]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gathered_notes == {n: [f"{n}: {i}" for i in range(20)] for n in range(4)}
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_other_warnings_are_not_gathered() -> None:
    """Only diveval's own warnings are gathered."""
    with pytest.warns(ResourceWarning, match="elsewhere"), capture_warnings() as notes:
        warnings.warn("elsewhere", ResourceWarning, stacklevel=1)
        warn("nothing-relevant", "ours")
    assert [(note.code, str(note)) for note in notes] == [("nothing-relevant", "ours")]
