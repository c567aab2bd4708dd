"""The paragraph of a paper that `choose` proposes: which metrics are reported, and why, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diveval.metrics.metric import Metric
from diveval.publishing.methods import state_metrics
from diveval.results.statements import Statement, words

if TYPE_CHECKING:
    from diveval.analysis.choice import MetricChoice
    from diveval.analysis.evidence import OrderedPairs


def describe_choice(
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    candidates: Sequence[MetricChoice],
    ordered: OrderedPairs | None,
    runs: int,
    topics: int,
) -> list[Statement]:
    """The sentences, each with what it follows from."""
    first = next(candidate for candidate in candidates if candidate.metric == metrics[0].name)
    out = [state_metrics(metrics)]
    if first.satisfied:
        facts = {"metric": first.metric, "axioms": list(axioms), "satisfied": list(first.satisfied)}
        out.append(Statement("axioms-in-paper", facts))
    if ordered is not None:
        counts = {"agreed": ordered.agreed, "pairs": ordered.pairs, "metrics": len(candidates)}
        out.append(Statement("pairs-in-paper", {**counts, "runs": runs, "topics": topics}))
    return out


@words("axioms-in-paper")
def _word_axioms(metric: str, axioms: Sequence[str], satisfied: Sequence[str]) -> str:
    named = "all" if len(satisfied) == len(axioms) else ", ".join(satisfied)
    return (
        "Of the constraints of Amig{\\'o} et al.~\\cite{amigo2018rbu} that our task calls for"
        f" ({', '.join(axioms)}), the first satisfies {named}."
    )


@words("pairs-in-paper")
def _word_pairs(agreed: int, pairs: int, metrics: int, runs: int, topics: int) -> str:
    return (
        f"No two of the {metrics} metrics we considered order {agreed} of {pairs} pairs of our {runs} runs"
        f" ({topics} topics) in opposite ways; the other pairs depend on the choice of metric."
    )
