"""The paragraph of a paper that `choose` proposes: which metrics are reported, and why, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diveval.errors import count_of
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
        answers = {"satisfied": first.satisfied, "unsatisfied": first.unsatisfied or ()}
        answers |= {"undecided": first.undecided, "for some grades": first.partly}
        verdicts = tuple({"axiom": axiom, "answer": of} for of, named in answers.items() for axiom in named)
        out.append(Statement("axioms-in-paper", facts, verdicts))
    if ordered is not None:
        counts = {"agreed": ordered.agreed, "pairs": ordered.pairs, "metrics": len(candidates)}
        out.append(Statement("pairs-in-paper", {**counts, "runs": runs, "topics": topics}, ordered.means))
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
    where = f"our {runs} runs ({count_of(topics, 'topic')})"
    if agreed == pairs:
        return f"No two of the {metrics} metrics we considered order any two of {where} in opposite ways."
    return (
        f"Of the {count_of(pairs, 'pair')} of {where}, {agreed} {'is' if agreed == 1 else 'are'} ordered in opposite ways"
        f" by no two of the {metrics} metrics we considered; the order of the other {pairs - agreed} depends on the choice of metric."
    )
