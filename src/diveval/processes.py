"""Work in other processes: an interruption or an error leaves none of them running."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # A worker starts here, and a blocked signal stays blocked in it: Ctrl-C is this process's to answer.
        with _interrupts_held():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def process_pool(
    count: int, prepare: Callable[..., None] | None = None, setting: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """So many spawned processes; each runs `prepare(*setting)` first. Whatever stops the block stops them at once."""
    pool = _Pool(count, get_context("spawn"), initializer=prepare, initargs=setting)
    try:
        yield pool
    except BaseException:
        # Waiting for what is under way could take minutes, and nobody wants its results any more.
        workers = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()
        raise
    pool.shutdown()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
