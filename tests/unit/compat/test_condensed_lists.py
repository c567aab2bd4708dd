"""NTCIREVAL's ad hoc measures of condensed lists, and bpref, against their definitions as loops over one list."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from support.drawn import draw
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
Gains = list[int]  # of a list from rank 1 on, or of the ideal list: every gain above 0, falling


def _blended(gains: Gains, ideal: Gains, rank: int) -> float:
    found = sum(1 for gain in gains[:rank] if gain > 0)
    return (found + sum(gains[:rank])) / (rank + sum(ideal[:rank]))


def _relevant(gains: Gains) -> list[int]:
    return [rank for rank, gain in enumerate(gains, 1) if gain > 0]


def _preferred(gains: Gains) -> int:
    return gains.index(max(gains)) + 1 if any(gains) else 0


def _first(gains: Gains) -> int:
    return min(_relevant(gains), default=0)


def _precision_at(gains: Gains, ideal: Gains, rank: int) -> float:
    return len(_relevant(gains[:rank])) / rank


def _average(gains: Gains, ideal: Gains, benefit: Callable[[Gains, Gains, int], float]) -> float:
    return sum(benefit(gains, ideal, rank) for rank in _relevant(gains)) / len(ideal) if ideal else 0.0


def _dcg(gains: Gains, divisor: Callable[[int], float]) -> float:
    return sum(gain / divisor(rank) for rank, gain in enumerate(gains, 1))


def _expected(gains: Gains, highest: int, benefit: Callable[[int], float]) -> float:
    total, still = 0.0, 1.0
    for rank, gain in enumerate(gains, 1):
        stops = gain / (highest + 1)
        total, still = total + still * stops * benefit(rank), still * (1 - stops)
    return total


def _utility(gains: Gains, ideal: Gains, benefit: Callable[[Gains, Gains, int], float]) -> float:
    weights = [0.95**n for n in range(len(ideal))]
    seen = sum(w * benefit(gains, ideal, rank) for w, rank in zip(weights, _relevant(gains), strict=False))
    return seen / sum(weights) if ideal else 0.0


def _ratio(value: float, best: float) -> float:
    return value / best if best else 0.0


def _p_plus(gains: Gains, ideal: Gains) -> float:
    ranks = [rank for rank in _relevant(gains) if rank <= _preferred(gains)]
    return sum(_blended(gains, ideal, rank) for rank in ranks) / len(ranks) if ranks else 0.0


def _log_from_2(rank: int) -> float:
    return math.log2(max(rank, 2))


def _log_next(rank: int) -> float:
    return math.log2(rank + 1)


def _err(gains: Gains, ideal: Gains) -> float:
    return _expected(gains, max(ideal, default=0), lambda rank: 1 / rank)


LOOPS: dict[str, Callable[[Gains, Gains], float]] = {
    "RR": lambda g, i: 1 / _first(g) if _first(g) else 0.0,
    "O": lambda g, i: _blended(g, i, _first(g)) if _first(g) else 0.0,
    "P_measure": lambda g, i: _blended(g, i, _preferred(g)) if any(g) else 0.0,
    "P_plus": _p_plus,
    "AP": lambda g, i: _average(g, i, _precision_at),
    "Q": lambda g, i: _average(g, i, _blended),
    "NCU_P": lambda g, i: _utility(g, i, _precision_at),
    "NCU_BR": lambda g, i: _utility(g, i, _blended),
    "RBP": lambda g, i: _ratio(0.05 * sum(0.95**n * gain for n, gain in enumerate(g)), max(i, default=0)),
    "ERR": _err,
    "nERR": lambda g, i: _ratio(_err(g, i), _err(i, i)),
    "EBR": lambda g, i: _expected(g, max(i, default=0), lambda rank: _blended(g, i, rank)),
    "nDCG": lambda g, i: _ratio(_dcg(g, _log_from_2), _dcg(i, _log_from_2)),
    "MSnDCG": lambda g, i: _ratio(_dcg(g, _log_next), _dcg(i, _log_next)),
    "P": lambda g, i: len(_relevant(g)) / len(g) if g else 0.0,
    "Hit": lambda g, i: float(any(g)),
}


def _bpref(judged: dict[str, int], listed: list[str]) -> float:
    """(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)."""
    relevant = [document for document, grade in judged.items() if grade > 0]
    bound, above, total = min(len(relevant), len(judged) - len(relevant)), 0, 0.0
    for document in listed:
        if document in relevant:
            total += 1 - min(above, len(relevant)) / bound if above else 1.0
        elif document in judged:
            above += 1
    return total / len(relevant) if relevant else 0.0


@pytest.mark.parametrize("seed", range(times(6, 200)))
def test_condensed_lists_and_bpref_follow_their_definitions(seed: int) -> None:
    """The list without its unjudged documents, in every measure; bpref counts judged documents alone."""
    data = draw(seed, aspects=1, ties=False)
    names = {f"ntcireval.{name}(condensed={word})": (name, word) for name in LOOPS for word in ("yes", "no")}
    asked = [*names, "ntcireval.bpref"]
    scores = evaluate(Judgments.from_rows(data.judgments), Run.from_rows(data.run), asked)
    differ = 0
    for topic in data.topics:
        judged = {document: grade for t, _, document, grade in data.judgments if t == topic}
        listed = [document for t, document, _ in data.run if t == topic]  # NTCIREVAL keeps the order of the file
        ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
        expected = []
        for name, word in names.values():
            kept = [document for document in listed if word == "no" or document in judged]
            expected.append(LOOPS[name]([judged.get(document, 0) for document in kept], ideal))
        expected.append(_bpref(judged, listed))
        values = scores.values[0, :, scores.topics.index(topic)].tolist()
        assert values == pytest.approx(expected, rel=1e-12, abs=1e-14), dict(zip(asked, values, strict=True))
        differ += values[:-1:2] != values[1:-1:2]
    assert differ or seed  # they do in the first collection
