"""How the attack scores: without diveval's interpreters, exactly, and in doubles as a sieve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from unit.axioms import plain
from unit.axioms.declared import declared


def value(metric: Any, rows: Any, weights: Any, pool: Any, k: Any) -> Any:
    """The score of a ranking; `metric` is what a target builds."""
    if isinstance(metric, tuple):
        return plain.score(metric[0], rows, weights, pool, k, metric[1])
    if hasattr(metric, "exact"):
        if _own(metric):
            return declared(metric, rows, weights, pool, k)
        return _by_itself(metric, rows, weights, pool)
    return metric(Shown(Rows(rows), weights, Rows(pool), len(weights)))


class Rows(list[Any]):
    """A list of rows with the one method of arrays that people use."""

    def tolist(self) -> Any:
        return list(self)


@dataclass(frozen=True)
class Shown:
    """What a person's function sees of a ranking."""

    relevance: Any
    weights: Any
    pool: Any
    aspects: int

    def __len__(self) -> int:
        return len(self.relevance)


def _own(metric: Any) -> Any:
    """Whether a declaration and all its parts are the algebra's own, so that `declared` knows them by name."""
    if type(metric).__module__.partition(".")[0] not in ("diveval", "builtins", "fractions"):
        return False
    return all(_own(part) for part in getattr(metric, "__dict__", {}).values())


def _by_itself(metric: Any, rows: Any, weights: Any, pool: Any) -> Any:
    """A subclass of one's own is its own definition, in doubles or in fractions with logarithms to 60 digits."""
    from diveval.metrics.ranking import Ranking

    return metric.exact(
        Ranking.of([[float(r) for r in row] for row in rows], weights=[float(w) for w in weights], pool=pool)
    )


def broken(metric: Any, pair: Any, k: Any, ties: Any = -1e-12) -> Any:
    """Whether a pair contradicts a constraint, exactly.

    Of a function that answers in doubles even for fractions, `ties` says from which difference on it does.
    """
    better, worse, weights, pool, strict = pair
    first, second = value(metric, better, weights, pool, k), value(metric, worse, weights, pool, k)
    if isinstance(first, float) or isinstance(second, float):
        return first - second < ties
    return first <= second if strict else first < second


def gaps(target: Any, metric: Any, chosen: Any, pack: Any, k: Any) -> Any:
    """Q(better) − Q(worse) of each pair of a pack, in doubles: only a sieve, what it leaves is scored exactly."""
    if isinstance(metric, tuple):  # the paper's rows: the plain metrics score what the sieve leaves
        return pack.gaps(row_of_the_paper(target.item).at(chosen), k)
    if hasattr(metric, "exact") and _own(metric):
        return pack.gaps(metric, k)
    return [
        float(value(metric, better, weights, pool, k)) - float(value(metric, worse, weights, pool, k))
        for better, worse, weights, pool in pack.floats
    ]


@cache
def row_of_the_paper(name: str) -> Any:
    from diveval.axioms.proof.subjects import subject

    return subject(name)
