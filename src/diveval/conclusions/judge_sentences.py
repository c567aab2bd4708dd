"""How far several judges agree, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from diveval.errors import count_of, share_text
from diveval.results.statements import Statement, words
from diveval.results.table_text import number_text

if TYPE_CHECKING:
    from diveval.conclusions.results import Judges

HEAD = "judges, two by two: τ, τ_AP and the shared share of the k best systems; labels both gave, same grade, κ"


def state_judges(judges: Judges) -> list[Statement]:
    """How two judges agree, how all agree on labels, which conclusions all share, and the topics that part them."""
    out = [Statement("judge-pair", asdict(pair), (asdict(pair),)) for pair in judges.pairs]
    told = {"nominal": judges.alpha_nominal, "ordinal": judges.alpha_ordinal}
    out.append(Statement("judge-labels", told, tuple({"judge": name} for name in judges.judges)))
    counts = {"in_all": len(judges.significant_in_all), "in_some": judges.significant_in_some}
    rows = tuple({"better": better, "worse": worse} for better, worse in judges.significant_in_all)
    out.append(Statement("judge-significance", counts, rows))
    if judges.topics:
        topics = tuple({"topic": topic, "differ": share} for topic, share in judges.topics)
        out.append(Statement("judge-topics", {"shares": [list(row) for row in judges.topics]}, topics))
    return out


@words("judge-pair")
def _word_pair(
    judge: str,
    other: str,
    tau: float | None,
    tau_ap: float | None,
    top: Mapping[int, float],
    labels: int,
    same: float | None,
    kappa: float | None,
) -> str:
    best = "".join(f", top {k} {share_text(share)}" for k, share in top.items())
    numbers = f"τ {number_text(tau, 3, missing='undefined')}, τ_AP {number_text(tau_ap, 3, missing='undefined')}{best}"
    return f"  {judge} and {other}: {numbers}; {labels} labels, {number_text(same, 3, missing='undefined')}, κ {number_text(kappa, 3, missing='undefined')}"


@words("judge-labels")
def _word_labels(nominal: float | None, ordinal: float | None) -> str:
    return f"Krippendorff's α: nominal {number_text(nominal, 3, missing='undefined')}, ordinal {number_text(ordinal, 3, missing='undefined')}"


@words("judge-significance")
def _word_significance(in_all: int, in_some: int) -> str:
    return f"significant under every judge: {count_of(in_all, 'pair')}, under some: {in_some}"


@words("judge-topics")
def _word_topics(shares: Sequence[tuple[str, float]]) -> str:
    return "topics on which labels differ most: " + ", ".join(
        f"{topic} ({share_text(share)})" for topic, share in shares
    )
