"""Background work: every computation is a job with a time limit, progress and cancellation.

A job that is cancelled or out of time ends at its next step. If no step comes soon (one long loop within the library),
the watching thread raises the same exception inside the job's thread, so that no job occupies a thread for much longer;
never while that thread imports a module or handles a lock, which would then stay locked for all other threads.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import Any, Literal, TypedDict, TypeVar

from diveval.errors import DivevalError, capture_warnings
from diveval.studio.limits import Limits, TooMuchError
from diveval.system.progress import Progress
from diveval.views.walks import too_large

T = TypeVar("T")
Work = Callable[[Progress], Any]  # its steps raise `Cancelled` when it is to stop
State = Literal["waiting", "running", "done", "failed", "cancelled"]
REMEMBERED = 64  # finished jobs whose results can still be fetched
GRACE, ROUND = 0.5, 0.2  # seconds until a late job that takes no step is interrupted, and between two checks


class ProgressShape(TypedDict):
    """The progress of a job."""

    id: str
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int
    what: str


class JobShape(ProgressShape, total=False):
    """The progress of a job; its result and notes when done, its error when it failed."""

    result: Any
    notes: list[str]
    error: str
    code: str


class Cancelled(BaseException):
    """The work is to end. A BaseException, so that no `except Exception` within the library catches it."""


class Workers:
    """A few daemon threads. Python joins the threads of an executor at exit, so Ctrl-C would wait for running work."""

    def __init__(self, count: int = 4) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        for number in range(count):
            threading.Thread(target=self._serve, name=f"studio-{number}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            # The thread must survive both cases: `Cancelled` may be delivered after its job has ended, and an unexpected
            # error of a job is printed on the studio's terminal.
            try:
                self._tasks.get()()
            except Cancelled:
                pass
            except BaseException:  # noqa: BLE001
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def put(self, task: Callable[[], None]) -> None:
        """Run it when a thread is free."""
        self._tasks.put(task)

    async def run(self, work: Callable[[], T]) -> T:
        """Await short work that runs in a thread, so that the event loop stays free."""
        future: Future[T] = Future()

        def task() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
                future.set_exception(error)

        self.put(task)
        return await asyncio.wrap_future(future)


class Job:
    """One piece of work; its time limit counts from the moment a thread starts it."""

    def __init__(self, kind: str, seconds: float) -> None:
        self.id = secrets.token_urlsafe(9)
        self.kind = kind
        self.state: State = "waiting"
        self.done, self.total, self.what = 0, 0, ""
        self.result: Any = None
        self.error: DivevalError | None = None
        self.notes: list[str] = []
        self.over: Future[None] = Future()
        self._stop = threading.Event()
        self._seconds = seconds
        self._deadline: float | None = None
        self._thread: int | None = None
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        return self.state in ("waiting", "running")

    def step(self, what: str, done: int, total: int) -> None:
        """Record the progress; raises `Cancelled` in a job that is to stop."""
        self.done, self.total, self.what = done, total, what
        if self._stop.is_set() or self.late(time.monotonic()):
            raise Cancelled

    def late(self, now: float) -> bool:
        return self._deadline is not None and now > self._deadline

    def cancel(self) -> None:
        self._stop.set()
        if self.state == "waiting":
            self.state = "cancelled"

    def interrupt(self, now: float) -> None:
        """Raise `Cancelled` inside the thread of a job that should have ended some time ago.

        The lock keeps `_thread` from changing meanwhile: after the job, the same thread runs another one, which must not
        be interrupted in its place.
        """
        stopping = self._stop.is_set() or self.late(now - GRACE)
        with self._lock:
            if self._thread is not None and stopping:
                _raise_in(self._thread)

    def run(self, work: Work) -> None:
        """Run the work and record how it ends."""
        try:
            self._run(work)
        except Cancelled:  # delivered while `_run` was already handling the end of the work
            self._end()
        finally:
            with self._lock:
                self._thread = None
            if not self.over.done():
                self.over.set_result(None)

    def _run(self, work: Work) -> None:
        if self.state != "waiting":
            return
        self._deadline, self.state = time.monotonic() + self._seconds, "running"
        with self._lock:
            self._thread = threading.get_ident()
        try:
            with capture_warnings() as notes:
                self.result = work(self.step)
            self.notes = [str(note) for note in notes]
            self.state = "done"
        except DivevalError as error:
            self.error, self.state = error, "failed"
        except OverflowError:
            self.error, self.state = too_large(), "failed"
        except MemoryError:
            self.error, self.state = (
                TooMuchError("out-of-memory", "not enough memory for this", hint="ask for less at once"),
                "failed",
            )
        except Cancelled:
            self._end()
        except BaseException as error:
            self.error = hide_error(error)
            self.state = "failed"
            raise

    def _end(self) -> None:
        if not self.open:
            return
        if self._stop.is_set():
            self.state = "cancelled"
        else:
            self.error = TooMuchError(
                "took-too-long", f"stopped after {self._seconds:g} s", hint="ask for less at once"
            )
            self.state = "failed"

    def shape(self) -> JobShape:
        """As the API shows it."""
        out: JobShape = {
            "id": self.id,
            "kind": self.kind,
            "state": "running" if self.state == "waiting" else self.state,
            "done": self.done,
            "total": self.total,
            "what": self.what,
        }
        if self.state == "done":
            # A result in JSON text is parsed again, since it becomes part of another JSON document.
            out["result"] = json.loads(self.result) if isinstance(self.result, bytes) else self.result
            out["notes"] = self.notes
        if self.error is not None:
            out["error"], out["code"] = str(self.error), self.error.code
        return out


LOCKING = ("<frozen importlib", threading.__file__, queue.__file__)  # files whose code holds locks


def _raise_in(thread: int) -> None:
    """Raise `Cancelled` in a thread, unless it holds a lock of the interpreter; the next round tries again.

    The exception arrives when the thread next calls a function or repeats a loop, so one that starts an import only after
    the check gets it before it locks anything. The second check covers a switch of threads during the first.
    """
    set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
    if not _locking(thread):
        set_exception(ctypes.c_ulong(thread), ctypes.py_object(Cancelled))
        if _locking(thread):
            set_exception(ctypes.c_ulong(thread), None)


def _locking(thread: int) -> bool:
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not Job.run.__code__:
        if frame.f_code.co_filename.startswith(LOCKING):
            return True
        frame = frame.f_back
    return False


class BrokenError(DivevalError):
    """An error in the studio itself."""


def hide_error(error: BaseException) -> BrokenError:
    """The error that visitors get instead of an unexpected one: its type only."""
    return BrokenError("internal-error", f"the studio failed ({type(error).__name__})", hint="please report this")


class Jobs:
    """All jobs, in order; the oldest finished ones are dropped."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._short, self._long = Workers(), Workers(limits.jobs)
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def start(self, kind: str, work: Work) -> Job:
        """Queue long work, of which `Limits.jobs` run at a time."""
        return self._put(self._long, Job(kind, self._limits.seconds), work)

    def queue(self, kind: str, work: Work) -> Job:
        """Queue short work, which has threads of its own and never waits for long work."""
        return self._put(self._short, Job(kind, self._limits.request_seconds), work)

    def _put(self, workers: Workers, job: Job, work: Work) -> Job:
        with self._lock:
            if sum(other.open for other in self._jobs.values()) >= self._limits.waiting:
                raise TooMuchError("too-busy", "too many requests are waiting", hint="try again in a moment")
            finished = [key for key, other in self._jobs.items() if not other.open]
            for key in finished[: max(0, len(finished) - REMEMBERED)]:
                del self._jobs[key]
            self._jobs[job.id] = job
        workers.put(lambda: job.run(work))
        return job

    def _watch(self) -> None:
        while True:
            time.sleep(ROUND)
            now = time.monotonic()
            for job in list(self._jobs.values()):
                if job.open:
                    job.interrupt(now)

    def forget(self, job: Job) -> None:
        """Drop a job whose result has been sent."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def find(self, key: str) -> Job | None:
        return self._jobs.get(key)

    def open(self) -> list[Job]:
        """Those that wait or run."""
        return [job for job in list(self._jobs.values()) if job.open]

    def cancel_all(self) -> None:
        """Cancel every job, at the end of the studio."""
        for job in list(self._jobs.values()):
            job.cancel()
