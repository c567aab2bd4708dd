"""Jobs: progress, cancellation, limits; warnings go to the thread that caused them."""

from __future__ import annotations

import threading
import time
import warnings

import pytest

from diveval.errors import UsageError, gathered, warn
from diveval.studio.limits import Limits, TooMuchError
from diveval.studio.work import Job, Jobs
from diveval.views.shared import Step
from support.wording import wording


def wait(job: Job) -> None:
    limit = time.monotonic() + 10
    while job.open and time.monotonic() < limit:
        time.sleep(0.005)


def test_a_job_reports_progress_and_keeps_its_result() -> None:
    """A running job reports its progress; at the end it has its result and notes."""
    go = threading.Event()

    def work(step: Step) -> str:
        step(3, 7, "threes")
        go.wait(10)
        warn("mind this")
        return "made"

    job = Jobs(Limits(), str.upper).start("test", work)
    while job.total == 0:
        time.sleep(0.005)
    assert job.shape() == {"id": job.id, "kind": "test", "state": "running", "done": 3, "total": 7, "what": "threes"}
    go.set()
    wait(job)
    assert (job.shape()["state"], job.result, job.notes) == ("done", "made", ["MIND THIS"])


def test_a_cancelled_job_ends_at_its_next_step() -> None:
    """Cancellation takes effect at the next step."""
    steps = []

    def work(step: Step) -> None:
        for i in range(10_000):
            steps.append(i)
            step(i, 10_000, "on")
            time.sleep(0.002)

    jobs = Jobs(Limits(), str)
    job = jobs.start("test", work)
    time.sleep(0.02)
    job.cancel()
    wait(job)
    assert job.state == "cancelled" and len(steps) < 5000


def test_cancel_all_stops_every_job() -> None:
    """`cancel_all` stops running jobs."""
    jobs = Jobs(Limits(), str)
    running = [jobs.start("test", _forever) for _ in range(3)]
    jobs.cancel_all()
    for job in running:
        wait(job)
    assert {job.state for job in running} == {"cancelled"}


def _forever(step: Step) -> None:
    while True:
        step(0, 1, "")
        time.sleep(0.002)


def test_a_job_has_a_time_limit() -> None:
    """Work beyond the limit fails with an error that gives the limit."""
    job = Jobs(Limits(seconds=0.05), str).start("test", _forever)
    wait(job)
    assert job.state == "failed" and "0.05 s" in str(job.error)


def test_running_waiting_and_kept_jobs_are_limited() -> None:
    """Further jobs wait, up to a limit; requests do not wait for them; the oldest results are dropped."""
    jobs = Jobs(Limits(jobs=2, waiting=4), str)
    first = [jobs.start("test", _forever) for _ in range(2)]
    third = jobs.start("test", lambda step: "done")
    short = jobs.queue("test", lambda step: "short")
    wait(short)
    assert (short.result, third.state) == ("short", "waiting")
    jobs.start("test", _forever).cancel()
    fourth = jobs.start("test", _forever)
    with pytest.raises(TooMuchError, match=wording("too many")):
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
    jobs = Jobs(Limits(), str)

    def mistaken(step: Step) -> None:
        raise UsageError("not like this")

    job = jobs.start("test", mistaken)
    wait(job)
    assert job.state == "failed" and "like this" in str(job.error)


def test_an_internal_error_hides_its_details(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is reported by its type only."""
    monkeypatch.setattr(threading, "excepthook", lambda args: None)

    def broken(step: Step) -> None:
        raise KeyError("/secret/path")

    jobs = Jobs(Limits(jobs=1), str)
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
        with gathered() as notes:
            together.wait(5)
            for i in range(20):
                warn(f"{number}: {i}")
            together.wait(5)
        gathered_notes[number] = notes

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gathered_notes == {n: [f"{n}: {i}" for i in range(20)] for n in range(4)}
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_other_warnings_are_not_gathered() -> None:
    """Only diveval's own warnings are gathered."""
    with pytest.warns(ResourceWarning, match="elsewhere"), gathered() as notes:
        warnings.warn("elsewhere", ResourceWarning, stacklevel=1)
        warn("ours")
    assert notes == ["ours"]
