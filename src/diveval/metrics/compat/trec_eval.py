"""trec_eval: its ad hoc measures. A document judged for several aspects counts with its best grade.

`level` is trec_eval's -l: a document is relevant from that grade on. R is the number of relevant documents in the
judgments. A negative grade means "in the pool but not judged". Its rbp is not here: it reads memory it never set.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import PADDING, Batch, divided, last
from diveval.metrics.compat.base import ToolFormula, at_first, at_hits, overall, overall_pool
from diveval.metrics.metric import Best, Entry, Parameter
from diveval.metrics.source import source_of
from diveval.runs import OrderRule


@dataclass(frozen=True)
class BinaryFormula(ToolFormula):
    """A measure that knows relevant and not relevant."""

    level: int = 1

    def relevant(self, batch: Batch) -> NDArray[np.bool_]:
        """Which hits are relevant, (row, hit)."""
        return batch.once(_relevant, self.level)

    def hits(self, batch: Batch) -> Array:
        """Relevant documents so far, at each hit."""
        return batch.once(_hits, self.level)

    def in_judgments(self, batch: Batch) -> NDArray[np.int64]:
        """R, by row."""
        return np.asarray(np.count_nonzero(overall_pool(batch) >= self.level, axis=1)[batch.topic])

    def found(self, batch: Batch, cutoff: int | NDArray[np.int64] | None) -> Array:
        """Relevant documents down to the cutoff, by row."""
        return batch.at_cutoff(self.hits(batch), cutoff)


def _relevant(level: int, batch: Batch) -> NDArray[np.bool_]:
    return overall(batch) >= level


def _hits(level: int, batch: Batch) -> Array:
    return running(batch.once(_relevant, level))


def _precisions(level: int, batch: Batch) -> Array:
    return running(batch.once(_relevant, level) * (batch.once(_hits, level) / batch.divisors))


class AveragePrecision(BinaryFormula):
    """(1/R) Σ over the relevant i ≤ k of hits(i)/i."""

    def score(self, batch: Batch) -> Array:
        precisions = batch.once(_precisions, self.level)
        return divided(batch.at_cutoff(precisions, self.cutoff), self.in_judgments(batch))


class Precision(BinaryFormula):
    """Relevant documents among the first k, over k."""

    def score(self, batch: Batch) -> Array:
        return self.found(batch, self.depth) / self.depth


class Recall(BinaryFormula):
    """Relevant documents among the first k, over R."""

    def score(self, batch: Batch) -> Array:
        return divided(self.found(batch, self.depth), self.in_judgments(batch))


class Success(BinaryFormula):
    """1 if one of the first k is relevant."""

    def score(self, batch: Batch) -> Array:
        return np.minimum(self.found(batch, self.depth), 1.0)


class RPrecision(BinaryFormula):
    """Relevant documents among the first R, over R."""

    def score(self, batch: Batch) -> Array:
        relevant = self.in_judgments(batch)
        return divided(self.found(batch, relevant), relevant)


class ReciprocalRank(BinaryFormula):
    """1 / rank of the first relevant document."""

    def score(self, batch: Batch) -> Array:
        ranks = np.where(self.relevant(batch), batch.ranks, PADDING)
        first = ranks.min(axis=1, initial=PADDING)
        return np.where(first < PADDING, 1.0 / first, 0.0)


class BinaryPreference(BinaryFormula):
    """(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)."""

    def score(self, batch: Batch) -> Array:
        source = source_of(batch)
        starts, best = source.best_grades()
        good, bad = best >= self.level, (best >= 0) & (best < self.level)
        relevant, others = (_in_each(starts, kind)[batch.topic] for kind in (good, bad))
        row = source.row_of_hits()
        document = starts[batch.topic[row]] + source.documents
        # Judged documents in the order of the list, a column each; what is neither good nor bad adds nothing.
        place = row, np.arange(len(row)) - source.hits[row]
        above = np.zeros((batch.rows, int(np.diff(source.hits).max(initial=0))))
        counts = np.zeros(above.shape, dtype=bool)
        above[place], counts[place] = bad[document], good[document]
        above = np.minimum(running(above), relevant[:, np.newaxis])
        share = 1.0 - above / np.maximum(np.minimum(others, relevant), 1)[:, np.newaxis]
        return divided(last(np.where(counts, share, 0.0)), relevant)


def _in_each(starts: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are marked in each topic."""
    return np.diff(np.concatenate([[0], np.cumsum(marked)])[starts])


class NormalisedDCG(ToolFormula):
    """Σ g(i)/log2(i+1) over the same of the ideal order, the grade being the gain."""

    def score(self, batch: Batch) -> Array:
        best = batch.once_for_pool(_ideal_gains)[:, : self.cutoff].max(axis=1, initial=0.0)  # it never falls: the last
        return divided(batch.at_cutoff(batch.once(_gains), self.cutoff), best[batch.topic])


def _gains(batch: Batch) -> Array:
    return running(overall(batch) / at_hits(batch, log2_of_next))


def _ideal_gains(batch: Batch) -> Array:
    falling = -np.sort(-overall_pool(batch))
    return running(falling / at_first(batch, log2_of_next, falling.shape[1]))


def log2_of_next(rank: int) -> float:
    """log2(i + 1), the divisor of DCG."""
    return math.log2(rank + 1)


@dataclass(frozen=True)
class Count(BinaryFormula):
    """How many documents were retrieved, are relevant, or both; trec_eval's `all` row has their sum, not their mean."""

    what: Literal["ret", "rel", "rel_ret"] = "ret"

    def score(self, batch: Batch) -> Array:
        if self.what == "ret":
            return batch.lengths.astype(np.float64)
        if self.what == "rel":
            return self.in_judgments(batch).astype(np.float64)
        return self.found(batch, None)


SUMMED = tuple(f"trec_eval.num_{what}" for what in ("ret", "rel", "rel_ret"))

_LEVEL = Parameter("level", 1, "the grade from which a document is relevant, trec_eval's -l", 1, in_name=False)


def _entry(
    name: str,
    build: Callable[..., ToolFormula],
    meaning: str,
    formula: str,
    *,
    cut: bool = False,
    parameters: tuple[Parameter, ...] = (_LEVEL,),
    best: Best = "high",
) -> Entry:
    return Entry(
        f"trec_eval.{name}",
        build,
        meaning,
        formula,
        "trec_eval, NIST",
        parameters,
        diversity=False,
        rule=RelevanceRule(gain="raw", weights="uniform"),
        order=OrderRule(),
        cutoffs="needed" if cut else False,
        cutoff_mark="_" if cut else "@",
        best=best,
    )


TREC_EVAL = [
    _entry("num_ret", lambda: Count(what="ret"), "documents retrieved", "n", parameters=(), best="none"),
    _entry("num_rel", lambda level: Count(level, "rel"), "relevant documents in the judgments", "R", best="none"),
    _entry("num_rel_ret", lambda level: Count(level, "rel_ret"), "relevant documents retrieved", "hits(n)"),
    _entry("map", AveragePrecision, "average precision", "(1/R) Σ over the relevant i of hits(i)/i"),
    _entry("map_cut", AveragePrecision, "average precision down to k", "the same for i ≤ k, over R", cut=True),
    _entry("Rprec", RPrecision, "precision at R", "hits(R) / R"),
    _entry(
        "bpref",
        BinaryPreference,
        "share of judged pairs in the right order",
        "(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)",
    ),
    _entry("recip_rank", ReciprocalRank, "1 / rank of the first relevant document", "1 / min{i : relevant}"),
    _entry("P", Precision, "precision at k", "hits(k) / k", cut=True),
    _entry("recall", Recall, "recall at k", "hits(k) / R", cut=True),
    _entry("success", Success, "1 if a relevant document stands among the first k", "[hits(k) > 0]", cut=True),
    _entry("ndcg", NormalisedDCG, "DCG of the whole list over the ideal's", "DCG / DCG(ideal)", parameters=()),
    _entry("ndcg_cut", NormalisedDCG, "nDCG at k", "DCG@k / DCG@k(ideal)", cut=True, parameters=()),
]
