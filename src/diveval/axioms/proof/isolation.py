"""A user's metric is decided in its own process: it may loop, exit or keep a state, and is stopped at the time limit.

First it is probed: the same ranking must give the same value every time, and exact numbers the same value as floats.
Otherwise no claim can be made about it. A metric that counts its calls repeats itself until it does not, so that no number
of equal values shows that it has no state: every binding reachable from it is compared before and after some calls. New
entries of a dictionary or set are allowed: a cache makes them. Everything else that changes is a state.
"""

from __future__ import annotations

import functools
import math
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np

from diveval.axioms.proof.budget import Pause, go_on
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


SCALARS = (int, float, complex, str, bytes, type(None), Fraction, range, slice)
MOST = 5000  # objects looked at
OTHERS = (str(Path(sys.base_prefix)), str(Path(sys.prefix)), str(Path(__file__).parents[2]))


def describe_state(root: Any) -> dict[str, str]:
    """Each changeable place that is reachable from an object, and what is there now."""
    out: dict[str, str] = {}
    seen: set[int] = set()
    waiting = deque([("the metric", root)])
    while waiting and len(seen) < MOST:
        path, item = waiting.popleft()
        text = _value(item)
        if text is not None:
            out[path] = text
        if not isinstance(item, SCALARS) and id(item) not in seen:
            seen.add(id(item))
            waiting.extend((f"{path}{step}", part) for step, part in _parts(item))
    return out


def find_change(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The first place whose value is another now, or nothing."""
    return next((path for path, value in before.items() if after.get(path, value) != value), "")


def _value(item: Any) -> str | None:
    """What an object holds itself, as text; None where its parts say all."""
    if isinstance(item, (*SCALARS, bytearray)):
        return repr(item)
    if isinstance(item, np.ndarray):
        return repr(item.tolist())
    if isinstance(item, (list, deque)):
        return str(len(item))
    if isinstance(item, types.GeneratorType):
        return repr(
            None if item.gi_frame is None else (item.gi_frame.f_lasti, sorted(map(repr, item.gi_frame.f_locals)))
        )
    if isinstance(item, random.Random):
        return str(hash(item.getstate()))
    if isinstance(item, np.random.Generator):
        return repr(item.bit_generator.state)
    if hasattr(type(item), "__next__"):
        return f"{item!r} {getattr(item, '__length_hint__', lambda: '')()}"
    return None


def _parts(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, (list, tuple, deque)):
        yield from ((f"[{i}]", part) for i, part in enumerate(item))
    elif isinstance(item, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in list(item.items()))
    elif isinstance(item, types.FunctionType):
        yield from _function_parts(item)
    elif isinstance(item, types.MethodType):
        yield from ((".__self__", item.__self__), (".__func__", item.__func__))
    elif isinstance(item, functools.partial):
        yield from ((".func", item.func), (".args", item.args), (".keywords", item.keywords))
    elif isinstance(item, type):
        if _is_users(sys.modules.get(item.__module__)):
            yield from ((f".{name}", part) for name, part in vars(item).items() if name[:2] != "__" or callable(part))
    elif not isinstance(item, (types.ModuleType, types.CodeType, types.BuiltinFunctionType)):
        yield from _object_parts(item)


def _object_parts(item: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f".{name}", part) for name, part in list(getattr(item, "__dict__", {}).items()))
    slots = (name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ()))
    yield from ((f".{name}", getattr(item, name)) for name in slots if hasattr(item, name))
    if hasattr(item, "__wrapped__"):  # functools.cache
        yield ".__wrapped__", item.__wrapped__
    yield ".__class__", type(item)


def _function_parts(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    if not _is_users(sys.modules.get(function.__module__ or ""), function.__code__.co_filename):
        return
    yield ".__dict__", function.__dict__
    yield ".__defaults__", function.__defaults__
    yield ".__kwdefaults__", function.__kwdefaults__
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f":{name}", cell.cell_contents
        except ValueError:  # still empty
            continue
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    yield from ((f":{name}", function.__globals__[name]) for name in sorted(names) if name in function.__globals__)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_users(module: types.ModuleType | None, file: str | None = None) -> bool:
    """Whether code is neither Python's, nor a library's, nor diveval's."""
    place = file or getattr(module, "__file__", None)
    if place is None:
        return module is None or module.__name__ == "__main__"
    return not str(place).startswith((*OTHERS, "<frozen"))
