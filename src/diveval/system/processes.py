"""Child processes: pools that leave no process running, and interpreters that import nothing from the working folder."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, spawn, util
from multiprocessing.process import BaseProcess
from typing import Any

# Without this, `python -c` imports from the working folder first. `-I` also ignores PYTHONPATH and the user's packages,
# which children get back with the path of the parent.
_NOT_FROM_HERE = "-P" if sys.version_info >= (3, 11) else "-I"
_starting = threading.RLock()


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Workers are started by this call and inherit the signal mask: with SIGINT blocked, Ctrl-C interrupts only the
        # parent process, which then stops the workers.
        with _interrupts_blocked(), _start_safely():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def process_pool(
    count: int, prepare: Callable[..., None] | None = None, setting: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """A pool of `count` spawned processes that run `prepare(*setting)` first. An error in the block kills them.

    Tasks are functions of diveval's modules: the main module is not loaded in the workers (see `_start_safely`).
    """
    with _start_safely():  # a pool starts multiprocessing's resource tracker
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


def start_process(process: BaseProcess) -> None:
    """Start a process of multiprocessing as pools start theirs."""
    with _start_safely():
        process.start()


@contextmanager
def _start_safely() -> Iterator[None]:
    """Within the block, this thread's new interpreters import neither from the working folder nor the main module.

    multiprocessing starts `python -c …`, with the working folder first on the path: a `multiprocessing.py` or `z3.py`
    beside downloaded data would run. It also loads the main module again, so that a script without a guard starts all
    over. There is no option against either, so the two functions that prepare a start are replaced while it lasts.
    """
    with _starting:
        flags, prepare, caller = util._args_from_interpreter_flags, spawn.get_preparation_data, threading.get_ident()  # type: ignore[attr-defined]

        def safe_flags() -> list[str]:
            return [*flags(), _NOT_FROM_HERE] if threading.get_ident() == caller else list(flags())

        def without_main(name: str) -> dict[str, Any]:
            data: dict[str, Any] = prepare(name)
            if threading.get_ident() == caller:
                data.pop("init_main_from_name", None)
                data.pop("init_main_from_path", None)
            return data

        util._args_from_interpreter_flags, spawn.get_preparation_data = safe_flags, without_main  # type: ignore[attr-defined]
        try:
            yield
        finally:
            util._args_from_interpreter_flags, spawn.get_preparation_data = flags, prepare  # type: ignore[attr-defined]


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
