"""Data for the view on conclusions: which statements "A beats B" hold for all settings in doubt, as a partial order.

By default p and e are in doubt over the ranges in common use, and where the judgments have weights of aspects, so are
all weights that keep their order; the view and the headline name what was in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from diveval.collection.judgments import Judgments
from diveval.conclusions.all_pairs import conclude
from diveval.conclusions.drawings import layers
from diveval.conclusions.exact_collection import Order
from diveval.conclusions.ranges import as_ranged, decimal
from diveval.conclusions.results import Conclusions
from diveval.defaults import CUTOFF, E_RANGE, P_RANGE
from diveval.errors import count_of, shorten
from diveval.metrics import Metric
from diveval.results.statements import Statement, words
from diveval.scoring.scorer import RankingsByOrder
from diveval.settings import Options
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import Significance, describe_test
from diveval.system.progress import Progress, silent
from diveval.views.headline import Clause, clause
from diveval.views.shared import attempt

Range = tuple[float, float]
DEPTH, DEEPEST = CUTOFF, 50  # ranks: without a cutoff, and at most, since time grows with the degree of the polynomials
VERDICTS = ("certain", "flips", "undecided")
LONGEST = 160  # characters of a pair's evidence; `diveval conclusions` prints it in full


@dataclass(frozen=True)
class Doubts:
    """What is put in doubt: the ranges in a metric's text, the weights, and the labels of unjudged documents."""

    metric: str
    weights: Order | None = None
    unjudged: bool = False

    @classmethod
    def usual(cls, explained: Metric, judgments: Judgments, *, p: Range = P_RANGE, e: Range = E_RANGE) -> Doubts:
        """RBU over ranges of p and e; where aspects have weights, also over all weights that keep their order."""
        weighted = any(topic.weights is not None for topic in judgments.topics.values())
        ranges = ",".join(f"{name}={low:g}..{high:g}" for name, (low, high) in (("p", p), ("e", e)))
        depth = min(explained.cutoff or DEPTH, DEEPEST)
        return cls(f"RBU({ranges})@{depth}", "given" if weighted else None)

    def words(self) -> list[str]:
        """Each doubt in words."""
        metric = as_ranged(self.metric)
        out = [f"every {name} from {decimal(low)} to {decimal(high)}" for name, (low, high) in metric.ranges.items()]
        if self.weights is not None:
            keeping = " that keep the order of the given ones" if self.weights == "given" else ""
            out.append(f"all weights of the aspects{keeping}")
        if self.unjudged:
            out.append("all labels of the unjudged documents")
        return out or ["no doubt: one setting, weights and judgments as they are"]


def survival(
    judgments: Judgments,
    rankings: RankingsByOrder,
    options: Options,
    asked: Doubts,
    step: Progress = silent,
    how: Significance = DEFAULT,
) -> dict[str, Any]:
    """Every pair of systems with its verdict, and the levels of the order."""
    found, notes = attempt(
        lambda: conclude(
            judgments,
            (),
            asked.metric,
            any_weights=asked.weights or False,
            unjudged=asked.unjudged,
            significance=how,
            options=options,
            rankings=rankings,
            progress=step,
        )
    )
    about = {"metric": asked.metric, "asked": asked.words(), "notes": notes}
    return about if found is None else {**about, **_show(found), "sentence": sentence(found, asked)}


def _show(found: Conclusions) -> dict[str, Any]:
    """Systems by their place among the runs; evidence in words where a conclusion does not hold."""
    number = {system: i for i, system in enumerate(found.systems)}
    doubt, edges = found.last_doubt(), found.edges()
    rows = [
        [
            number[row.better],
            number[row.worse],
            VERDICTS.index(row.verdict),
            float(f"{row.margin:.3g}"),
            row.significant,
            "" if row.verdict == "certain" else shorten(row.witness, LONGEST),
        ]
        for row in found.rows
        if row.doubt == doubt
    ]
    wins = dict.fromkeys(found.systems, 0)
    for better, _ in edges:
        wins[better] += 1
    best_first = sorted(found.systems, key=lambda system: (-wins[system], number[system]))
    return {
        "verdicts": list(VERDICTS),
        "rows": rows,
        "levels": [[number[system] for system in level] for level in layers(best_first, edges)],
        "certain": len(edges),
        "significant": None if not found.setup.family else sum(bool(row.significant) for row in found.surviving()),
        "test": f"{describe_test(found.setup)}, at {found.setup.reference_setting}",
    }


def sentence(found: Conclusions, asked: Doubts) -> list[Clause]:
    """For the headline: how many of the pairs hold for all settings, and how many of those are significant."""
    sure = found.surviving()
    pairs = len(found.systems) * (len(found.systems) - 1) // 2
    firm = sum(bool(row.significant) for row in sure)
    exactly = "each pair decided exactly, with polynomials over rationals, not by sampling; significance"
    test = f"{exactly}: {describe_test(found.setup)}, at {found.setup.reference_setting}"
    facts = {
        "metric": re.sub(r"[(].*[)]", "", asked.metric),
        "surviving": len(sure),
        "pairs": pairs,
        "doubts": asked.words(),
    }
    doubt = found.last_doubt()
    rows = tuple(
        {"better": row.better, "worse": row.worse, "verdict": row.verdict, "significant": bool(row.significant)}
        for row in found.rows
        if row.doubt == doubt
    )
    hold = clause(Statement("conclusions-hold", facts, rows), test, view="conclusions")
    if not found.setup.family:
        return [hold, clause(".")]
    return [
        hold,
        clause(Statement("also-significant", {"surviving": len(sure), "significant": firm}, rows)),
    ]


@words("conclusions-hold")
def _word_hold(metric: str, surviving: int, pairs: int, doubts: Sequence[str]) -> str:
    verb = "holds" if surviving == 1 else "hold"
    return (
        f"By {metric}, {surviving} of {count_of(pairs, 'conclusion')} that one system beats another {verb} for"
        f" {' and '.join(doubts)}"
    )


@words("also-significant")
def _word_significant(surviving: int, significant: int) -> str:
    return (
        "."
        if not surviving
        else f"; it is {'also' if significant else 'not'} significant over topics."
        if surviving == 1
        else f"; {significant} of them {'is' if significant == 1 else 'are'} also significant over topics."
    )
