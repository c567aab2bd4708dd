"""A user's metric is decided in its own process: it may loop, exit or keep a state, and is stopped at the time limit.

First it is probed: the same ranking must give the same value every time, and exact numbers the same value as floats.
Otherwise no claim can be made about it.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from diveval.axioms.proof.budget import Pause, go_on
from diveval.axioms.proof.function_state import describe_state, find_change
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic, exact_score, float_score
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import DivevalError, UsageError
from diveval.exact.paths import NotRepeatable
from diveval.exact.symbols import decimal
from diveval.exact.value_only import NotExact
from diveval.system.processes import start_process

GRACE = 3.0  # seconds beyond the limit, for a process to start and to end by itself
_inside = False  # True in the process that was started here
TICK = 0.05  # seconds between two looks at the process
Decide = Callable[[SymbolicMetric, Axiom, Reading, Bounds, float], Verdict]


def decide_in_subprocess(
    decide: Decide,
    who: SymbolicMetric,
    what: Axiom,
    how: Reading,
    bounds: Bounds,
    time_limit: float,
    pause: Pause = go_on,
) -> Verdict | None:
    """The verdict of `decide` from another process; where none can be started, from this one. None: it took too long."""
    method = _method(who, what)
    if method is None:
        return decide(who, what, how, bounds, time_limit)
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    metric, axiom = (who, what) if method == "fork" else (who.source, what.name)
    process = context.Process(target=_serve, args=(sender, decide, metric, axiom, how, bounds, time_limit), daemon=True)  # type: ignore[attr-defined]
    start_process(process)
    sender.close()
    answer: Any
    try:
        kind, answer = receiver.recv() if _wait(receiver, process, time_limit + GRACE, pause) else ("late", "")
    except EOFError:
        kind, answer = "gone", ""
    finally:
        _end(process)
        receiver.close()
    if isinstance(answer, Verdict):
        return answer
    if kind == "late":
        return None
    if isinstance(answer, DivevalError):
        raise answer
    raise UsageError("metric-failed", answer or f"the metric {who.name} ended its process without a value")


def _wait(receiver: Connection, process: BaseProcess, seconds: float, pause: Pause) -> bool:
    """Whether an answer comes before the process has used so much time: CPU time, and time in which it does nothing."""
    idle, clock = 0.0, time.monotonic()
    while not receiver.poll(TICK):
        pause()
        before, clock = clock, time.monotonic()
        used, running = _usage(process.pid)
        idle += 0 if running else clock - before
        if used + idle > seconds:
            return False
    return True


def _usage(pid: int | None) -> tuple[float, bool]:
    """The CPU time of a process, and whether it runs or waits for the CPU. Where that is not known, 0 and False: then
    the clock counts."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0] == b"R"
    except (OSError, IndexError):
        return 0.0, False


def _end(process: BaseProcess) -> None:
    """End the process and what it started, which is in its group."""
    try:
        if process.pid:  # 0 would be this process's own group
            os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # no groups here, or it has not made its own yet
        process.kill()
    process.join()


def _method(who: SymbolicMetric, what: Axiom) -> str | None:
    """How to start a process that has the metric: a fork of this one, or a new one that loads the metric's file.

    A fork of a process with threads may deadlock, so it is used only where a new process could not get the metric.
    """
    if _inside or multiprocessing.current_process().daemon:
        return None
    named = isinstance(who.source, str) and AXIOMS.get(what.name) is what
    if sys.platform == "linux" and (threading.active_count() == 1 or not named):
        return "fork"
    return "spawn" if named else None


def _serve(
    sender: Connection, decide: Decide, metric: Any, axiom: Axiom | str, how: Reading, bounds: Bounds, time_limit: float
) -> None:
    """In the other process: decide, and send the verdict or the error."""
    global _inside  # noqa: PLW0603 - true of the whole process from here on
    _inside = True
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # what it starts is ended with it
    try:
        what = AXIOMS[axiom] if isinstance(axiom, str) else axiom
        verdict = decide(as_symbolic(metric), what, how, bounds, time_limit)
        sender.send(("verdict", verdict))  # the object itself: its JSON form leaves out `hurried`
    except DivevalError as error:
        sender.send(("error", error))
    except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything; the other side waits for word
        sender.send(("error", f"the metric failed: {type(error).__name__}: {error}"))


# --- probes -----------------------------------------------------------------------------------------------------------

PROBES = 48  # two of every length and number of aspects
LONGEST_COPY = 30  # seconds
_STATE = "the metric gave two values for one ranking: it keeps a state, or is random"
T = TypeVar("T")
Probe = tuple[list[list[Fraction]], list[Fraction], list[list[Fraction]]]


@cache
def _probes() -> tuple[Probe, ...]:
    """Rankings of up to eight documents and three aspects: rows, weights, judged documents. All values are multiples of
    1/64, which floats represent exactly."""
    source = Random(2018)  # noqa: S311 # examples, no secrets
    out = []
    for i in range(PROBES):
        aspects, n = 1 + i % 3, 1 + i % 8
        rows = [[Fraction(source.choice([0, 0, source.randrange(65)]), 64) for _ in range(aspects)] for _ in range(n)]
        others = [[Fraction(source.randrange(65), 64) for _ in range(aspects)] for _ in range(i % 2)]
        weights = [Fraction(1, 2 ** (t + 1)) for t in range(aspects)]
        weights[-1] += 1 - sum(weights)
        out.append((rows, weights, [row for row in rows + others if any(row)]))
    return tuple(out)


class Probes:
    """The values of a metric on fixed rankings, as floats and exactly."""

    def __init__(self, who: SymbolicMetric) -> None:
        self._probes = _probes() if who.has_user_code else ()
        self._formula = who.at(who.defaults)
        self._first: list[tuple[float, float | None]] = []

    def odd(self) -> str:
        """Why this metric cannot be decided, or nothing."""
        backwards = (
            run_in_copy(lambda: [self._values(probe) for probe in reversed(self._probes)]) if self._probes else []
        )
        self._first = [self._values(probe, twice=True) for probe in self._probes]
        before = describe_state(self._formula) if self._probes else {}  # what the first calls set up is there
        if self.describe_change():
            return _STATE
        place = find_change(before, describe_state(self._formula)) if self._probes else ""
        if place:
            return f"the metric changes {place} when it is called: it keeps a state, and may change its values later"
        # A metric that caches what it saw first (say, by length) repeats itself, but gives other values in another order.
        if backwards is not None and backwards[::-1] != self._first:
            return _STATE
        for probe, (by_floats, exactly) in zip(self._probes, self._first, strict=True):
            if exactly is not None and not math.isclose(by_floats, exactly, rel_tol=1e-7, abs_tol=1e-9):
                rows = ", ".join("(" + " ".join(map(str, row)) + ")" for row in probe[0])
                return (
                    "the metric gives another value for exact numbers than for floats (does it look at their type?"
                    f" does it catch errors?): {exactly:.6g} and {by_floats:.6g} for the ranking {rows}"
                )
        return ""

    def describe_change(self) -> str:
        """Whether the values are others now. Asked again at the end, this exposes a metric that counts its calls."""
        return _STATE if [self._values(probe) for probe in self._probes] != self._first else ""

    def _values(self, probe: Probe, *, twice: bool = False) -> tuple[float, float | None]:
        """The scores of one ranking. Later passes score it once, since their values are compared with the first."""
        rows, weights, pool = probe
        by_floats = float_score(self._formula, rows, weights, pool, twice=twice)
        try:
            score = exact_score(self._formula, rows, weights, pool, twice=twice)
            exactly = float(Fraction(decimal(score, 12)))
        except NotRepeatable:
            raise
        except NotExact:
            exactly = None
        return by_floats, exactly


def run_in_copy(values: Callable[[], list[T]]) -> list[T] | None:
    """The values computed in a fork of this process, whose state is its own; None where it cannot fork or fails."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return None
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(LONGEST_COPY)  # a metric that loops must not outlive the process that asked
            sender.send(values())
        finally:
            os._exit(0)  # also after an error: the parent runs into the same one
    sender.close()
    try:
        answer: list[T] = receiver.recv()
    except EOFError:
        return None
    finally:
        receiver.close()
        os.waitpid(child, 0)
    return answer
