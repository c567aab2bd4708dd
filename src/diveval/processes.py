"""Process pools that leave no process running after an interruption or an error."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Workers are started by this call and inherit the signal mask: with SIGINT blocked, Ctrl-C interrupts only the
        # parent process, which then stops the workers.
        with _interrupts_blocked():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def process_pool(
    count: int, prepare: Callable[..., None] | None = None, setting: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """A pool of `count` spawned processes that run `prepare(*setting)` first. An error in the block kills them."""
    pool = _Pool(count, get_context("spawn"), initializer=prepare, initargs=setting)
    try:
        yield pool
    except BaseException:
        # Waiting for running tasks could take minutes, and their results are not needed any more.
        workers = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()
        raise
    pool.shutdown()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
