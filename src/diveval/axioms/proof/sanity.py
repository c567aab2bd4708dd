"""Whether a metric of one's own can be reasoned about at all: the same ranking must give the same value every time, and
exact numbers the same value as floats."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

from diveval.axioms.arithmetic.numbers import as_term, decimal
from diveval.axioms.arithmetic.opaque import NotExact
from diveval.axioms.arithmetic.paths import NotRepeatable
from diveval.axioms.proof.subjects import Subject, exact_score
from diveval.metrics.ranking import Ranking

PROBES = 48  # two of every length and number of aspects
LONGEST_COPY = 30  # seconds
T = TypeVar("T")
Probe = tuple[list[list[Fraction]], list[Fraction], list[list[Fraction]]]


def _probes() -> list[Probe]:
    """Rankings of up to eight documents and three aspects: rows, weights, judged documents. Halves of halves are exact
    as floats."""
    source = Random(2018)  # noqa: S311 # examples, no secrets
    out = []
    for i in range(PROBES):
        aspects, n = 1 + i % 3, 1 + i % 8
        rows = [[Fraction(source.choice([0, 0, source.randrange(65)]), 64) for _ in range(aspects)] for _ in range(n)]
        others = [[Fraction(source.randrange(65), 64) for _ in range(aspects)] for _ in range(i % 2)]
        weights = [Fraction(1, 2 ** (t + 1)) for t in range(aspects)]
        weights[-1] += 1 - sum(weights)
        out.append((rows, weights, [row for row in rows + others if any(row)]))
    return out


class Probes:
    """The values of a metric on fixed rankings, as floats and exactly."""

    def __init__(self, who: Subject) -> None:
        self._who = who
        self._probes = _probes() if who.user else []
        self._first: list[tuple[float, float | None]] = []

    def odd(self) -> str:
        """Why this metric cannot be decided, or nothing."""
        backwards = in_a_copy(lambda: [self._values(probe) for probe in reversed(self._probes)]) if self._probes else []
        self._first = [self._values(probe) for probe in self._probes]
        if [self._values(probe) for probe in self._probes] != self._first:
            return _STATE
        # A metric that keeps what it saw first (by length, say) repeats itself, but not in another order.
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

    def changed(self) -> str:
        """The same once more at the end: a metric that counts its calls gives itself away."""
        return _STATE if [self._values(probe) for probe in self._probes] != self._first else ""

    def _values(self, probe: Probe) -> tuple[float, float | None]:
        rows, weights, pool = probe
        formula = self._who.at(self._who.defaults)
        floats = Ranking.of(_floats(rows), weights=[float(w) for w in weights], pool=_floats(pool))
        by_floats = float(formula.exact(floats))
        try:
            value: Any = as_term(exact_score(formula, rows, weights, pool))
            exactly = float(Fraction(decimal(value, 12)))
        except NotRepeatable:
            raise
        except NotExact:
            exactly = None
        return by_floats, exactly


def in_a_copy(values: Callable[[], list[T]]) -> list[T] | None:
    """What a copy of this process finds: it shares no state with this one. None where there is no copy or no answer."""
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
            os._exit(0)  # whatever happened: this process finds the same error by itself
    sender.close()
    try:
        answer: list[T] = receiver.recv()
    except EOFError:
        return None
    finally:
        receiver.close()
        os.waitpid(child, 0)
    return answer


_STATE = "the metric gave two values for one ranking: it keeps a state, or is random"


def _floats(rows: list[list[Fraction]]) -> list[list[float]]:
    return [[float(r) for r in row] for row in rows]
