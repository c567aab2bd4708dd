"""Long work beside the page: jobs with progress that can be cancelled, and threads that never hold up the exit."""

from __future__ import annotations

import asyncio
import queue
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

from diveval.errors import DivevalError
from diveval.studio.limits import Limits, TooMuchError
from diveval.studio.notices import gathered

T = TypeVar("T")
Step = Callable[[int, int, str], None]  # done, of how many, what; raises Cancelled when it is time to stop
State = Literal["running", "done", "failed", "cancelled"]
REMEMBERED = 64  # finished jobs whose results can still be fetched


class Cancelled(Exception):
    """The visitor does not want the result any more."""


def no_step(done: int, total: int, what: str) -> None:
    """For work that is short enough to need no progress."""


class Workers:
    """A few daemon threads. An executor's threads are joined at exit, and Ctrl-C would wait for the work."""

    def __init__(self, count: int = 4) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        for number in range(count):
            threading.Thread(target=self._serve, name=f"studio-{number}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            self._tasks.get()()

    async def run(self, work: Callable[[], T]) -> T:
        """Await a computation without holding up the other visitors."""
        future: Future[T] = Future()

        def task() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._tasks.put(task)
        return await asyncio.wrap_future(future)


class Job:
    """One piece of long work."""

    def __init__(self, kind: str, seconds: float) -> None:
        self.id = secrets.token_urlsafe(9)
        self.kind = kind
        self.state: State = "running"
        self.done, self.total, self.what = 0, 0, ""
        self.result: Any = None
        self.error = ""
        self.notes: list[str] = []
        self._stop = threading.Event()
        self._deadline = time.monotonic() + seconds
        self._seconds = seconds

    def step(self, done: int, total: int, what: str) -> None:
        """Note the progress; here is where a cancelled job ends."""
        self.done, self.total, self.what = done, total, what
        if self._stop.is_set():
            raise Cancelled
        if time.monotonic() > self._deadline:
            raise TooMuchError(f"stopped after {self._seconds:g} s; ask for less at once")

    def cancel(self) -> None:
        self._stop.set()

    def shape(self) -> dict[str, Any]:
        """As the API tells it."""
        out: dict[str, Any] = {
            "id": self.id, "kind": self.kind, "state": self.state,
            "done": self.done, "total": self.total, "what": self.what,
        }  # fmt: skip
        if self.state == "done":
            out |= {"result": self.result, "notes": self.notes}
        if self.state == "failed":
            out["error"] = self.error
        return out


class Jobs:
    """The jobs of this start, in order; the oldest finished ones are forgotten."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, kind: str, work: Callable[[Step], Any], said: Callable[[str], str]) -> Job:
        """Begin; `said` makes an error's text fit for the visitor."""
        job = Job(kind, self._limits.seconds)
        with self._lock:
            running = sum(other.state == "running" for other in self._jobs.values())
            if running >= self._limits.jobs:
                raise TooMuchError(f"{running} jobs are under way; wait for one, or cancel it")
            finished = [key for key, other in self._jobs.items() if other.state != "running"]
            for key in finished[: max(0, len(finished) - REMEMBERED)]:
                del self._jobs[key]
            self._jobs[job.id] = job
        threading.Thread(target=self._run, args=(job, work, said), name=f"job-{job.kind}", daemon=True).start()
        return job

    @staticmethod
    def _run(job: Job, work: Callable[[Step], Any], said: Callable[[str], str]) -> None:
        try:
            with gathered() as notes:
                job.result = work(job.step)
            job.notes = [said(note) for note in notes]
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except DivevalError as error:
            job.error, job.state = said(str(error)), "failed"
        except MemoryError:
            job.error, job.state = "there is not enough memory for this; ask for less at once", "failed"
        except BaseException as error:
            job.error, job.state = f"the studio failed ({type(error).__name__}); please report this", "failed"
            raise

    def find(self, key: str) -> Job | None:
        return self._jobs.get(key)

    def cancel_all(self) -> None:
        """At the end: whatever still runs stops at its next step."""
        for job in list(self._jobs.values()):
            job.cancel()
