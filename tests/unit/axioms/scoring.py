"""Scores for the attack, computed without diveval's interpreters: exactly, or in doubles as a filter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from unit.axioms import plain
from unit.axioms.declared import declared


def value(metric: Any, rows: Any, weights: Any, pool: Any, k: Any) -> Any:
    """The score of a ranking; `metric` is the result of `Target.build`."""
    if isinstance(metric, tuple):
        return plain.score(metric[0], rows, weights, pool, k, metric[1])
    if hasattr(metric, "exact"):
        if _built_in(metric):
            return declared(metric, rows, weights, pool, k)
        return _own_exact(metric, rows, weights, pool)
    return metric(RankingView(Rows(rows), weights, Rows(pool), len(weights)))


class Rows(list[Any]):
    """A list of rows with `tolist`, the only array method that the users' functions call."""

    def tolist(self) -> Any:
        return list(self)


@dataclass(frozen=True)
class RankingView:
    """The ranking that a user's function receives."""

    relevance: Any
    weights: Any
    pool: Any
    aspects: int

    def __len__(self) -> int:
        return len(self.relevance)


def _built_in(metric: Any) -> Any:
    """Whether a declaration and all its parts belong to the algebra, so that `declared` knows them by name."""
    if type(metric).__module__.partition(".")[0] not in ("diveval", "builtins", "fractions"):
        return False
    return all(_built_in(part) for part in getattr(metric, "__dict__", {}).values())


def _own_exact(metric: Any, rows: Any, weights: Any, pool: Any) -> Any:
    """The score of a user's subclass by its own `exact`, which is its definition."""
    from diveval.metrics.ranking import Ranking

    return metric.exact(
        Ranking.of([[float(r) for r in row] for row in rows], weights=[float(w) for w in weights], pool=pool)
    )


def broken(metric: Any, pair: Any, k: Any, ties: Any = -1e-12) -> Any:
    """Whether a pair contradicts a constraint, exactly.

    For a function that returns doubles even for fractions, the difference must be below `ties`.
    """
    better, worse, weights, pool, strict = pair
    first, second = value(metric, better, weights, pool, k), value(metric, worse, weights, pool, k)
    if isinstance(first, float) or isinstance(second, float):
        return first - second < ties
    return first <= second if strict else first < second


def gaps(target: Any, metric: Any, chosen: Any, pack: Any, k: Any) -> Any:
    """Q(better) − Q(worse) of each pair of a pack, in doubles: unclear ones are scored exactly later."""
    if isinstance(metric, tuple):  # the paper's rows, whose exact scores come from the plain metrics
        return pack.gaps(paper_row(target.item).at(chosen), k)
    if hasattr(metric, "exact") and _built_in(metric):
        return pack.gaps(metric, k)
    return [
        float(value(metric, better, weights, pool, k)) - float(value(metric, worse, weights, pool, k))
        for better, worse, weights, pool in pack.floats
    ]


@cache
def paper_row(name: str) -> Any:
    from diveval.axioms.proof.subjects import as_symbolic

    return as_symbolic(name)
