"""Sentences about judges, printed from facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from diveval.errors import count_of, level_text, preview, share_text
from diveval.judging.estimates import EstimateRow, NextLabels
from diveval.judging.paired_scores import Bias, PairedScores
from diveval.results.setup import JUDGED_DEPTH
from diveval.results.statements import Statement, words


def describe_judges(
    paired: PairedScores,
    rows: Sequence[EstimateRow],
    bias: Bias,
    following: Sequence[NextLabels],
    judged: Mapping[str, float],
    confidence: float,
    test: str = "t",
) -> tuple[Statement, ...]:
    """What was assumed, and per metric what the model saved, whom it favours, which orders depend on it, what to buy next."""
    n, rest = paired.shared, len(paired.topics) - paired.shared
    sides = tuple({"topic": topic, "labelled by people": i < n} for i, topic in enumerate(paired.topics))
    out = [Statement("judges-assumption", {"n": n, "rest": rest, "confidence": confidence}, sides)]
    for metric in paired.metrics:
        out += _describe_metric(metric, [row for row in rows if row.metric == metric], bias, following, test)
    if judged and (least := min(judged, key=lambda run: judged[run])) and judged[least] < 1:
        shares = tuple({"run": run, "judged": share} for run, share in judged.items())
        facts = {"run": least, "share": judged[least], "depth": JUDGED_DEPTH}
        out.append(Statement("judges-unjudged", facts, shares))
    return tuple(out)


def _describe_metric(
    metric: str, rows: Sequence[EstimateRow], bias: Bias, following: Sequence[NextLabels], test: str
) -> Iterator[Statement]:
    means = [row for row in rows if row.estimator == "both" and not row.against]
    saved = [row.saved for row in means if row.saved is not None]
    if saved:
        facts = {"metric": metric, "low": min(saved), "high": max(saved), "runs": len(saved)}
        yield Statement("judges-saved", facts, tuple(row.as_dict() for row in means))
    if pairs := [row for row in rows if row.against]:
        decided = {
            name: sum(bool(row.significant) for row in pairs if row.estimator == name)
            for name in ("people", "model", "both")
        }
        facts = {"metric": metric, "pairs": len(pairs) // 3, "test": test, **decided}
        yield Statement("judges-decided", facts, tuple(row.as_dict() for row in pairs))
    favours = [row for row in bias.pairs if row.metric == metric]
    if favours:
        strong = [row for row in favours if row.significant]
        top = max(strong, key=lambda row: abs(row.difference)) if strong else None
        run, other, size = ("", "", 0.0) if top is None else (top.run, top.other, top.difference)
        if size < 0:
            run, other, size = other, run, -size
        facts = {"metric": metric, "pairs": len(favours), "significant": len(strong), "run": run, "other": other}
        yield Statement("judges-favour", {**facts, "difference": size}, tuple(asdict(row) for row in favours))
    turned = [row for row in bias.reversed if row.metric == metric]
    if favours:
        names = [f"{row.run} and {row.other}" for row in turned]
        yield Statement("judges-reversed", {"metric": metric, "pairs": names}, tuple(asdict(row) for row in favours))
    for one in following:
        if one.metric == metric:
            yield Statement("judges-next", asdict(one), (asdict(one),))


@words("judges-assumption")
def _assumption(n: int, rest: int, confidence: float) -> str:
    return (
        f"Assumed: the {n} topics that people labelled are a random sample of all {n + rest}, and people's labels were not"
        f" used to tune the model. Intervals are {level_text(confidence)}; those of the model alone ignore its errors."
    )


@words("judges-saved")
def _word_saved(metric: str, low: int, high: int, runs: int) -> str:
    span = f"{low}" if low == high else f"{low} to {high}"
    return f"{metric}: for intervals as narrow as those by both, people alone would have to label {span} more topics."


@words("judges-decided")
def _word_decided(metric: str, pairs: int, test: str, people: int, model: int, both: int) -> str:
    return (
        f"{metric}: of {count_of(pairs, 'pair')} of runs, {both} differ significantly by both labels, {people} by people"
        f" alone and {model} by the model alone ({test}, Holm)."
    )


@words("judges-favour")
def _favour(metric: str, pairs: int, significant: int, run: str, other: str, difference: float) -> str:
    if not significant:
        return f"{metric}: the model's bias does not differ significantly between any two runs (t, Holm)."
    return (
        f"{metric}: the model's bias differs significantly in {significant} of {count_of(pairs, 'pair')}, most between"
        f" {run} and {other}: it favours {run} by {difference:.4f} (t, Holm)."
    )


@words("judges-reversed")
def _word_reversed(metric: str, pairs: list[str]) -> str:
    if not pairs:
        return f"{metric}: no pair that is significant under people or model changes its order with the judge."
    return (
        f"{metric}: the order of {count_of(len(pairs), 'significant pair')} depends on the judge: {preview(pairs, 5)}."
    )


@words("judges-next")
def _next(
    run: str,
    other: str,
    metric: str,
    estimate: float,
    pairs: int,
    people: int | None,
    model: int | None,
    cost_people: float | None,
    cost_model: float | None,
    cheapest: str | None,
    documents: int | None,
    reversible: bool | None,
    cost_documents: float | None,
) -> str:
    needs = []
    for count, by, cost in ((people, "people", cost_people), (model, "the model", cost_model)):
        if count is not None:
            price = "" if cost is None else f" (price {cost:,.6g})"
            needs.append(f"{count_of(count, 'more topic')} labelled by {by}{price}")
    what = " or ".join(needs) + " would decide it" if needs else "no number of topics would decide it"
    if model is None:
        what += ", more topics of the model would not"
    price = f"; a topic of people is worth {model / people:.3g} of the model's" if people and model else ""
    if reversible:
        price += (
            f"; on people's topics labels of unjudged documents could reverse the order, and {documents} could reduce the lead"
            f" (price {cost_documents:,.6g})"
        )
    elif documents is not None:
        price += "; on people's topics no labels of unjudged documents could reverse the order"
    if (
        cheapest is not None
        and len([c for c in (cost_people, cost_model, cost_documents if reversible else None) if c is not None]) > 1
    ):
        what_kind = {"people": "topics by people", "model": "topics by the model", "documents": "these documents"}
        price += f"; {what_kind[cheapest]} are cheapest"
        price += ", and decide the order on people's topics only" if cheapest == "documents" else ""
    corrected = f", corrected for {pairs} pairs" if pairs > 1 else ""
    return (
        f"{metric}: of the open pairs {run} and {other} are closest to a decision ({estimate:+.4f} by both): {what}, if mean"
        f" and variance stay as they are{corrected}{price}."
    )


@words("judges-unjudged")
def _word_unjudged(run: str, share: float, depth: int) -> str:
    return (
        f"People judged {share_text(share)} of the first {depth} documents of {run}, the least of all runs: `diveval conclusions"
        " --unjudged any --budget N` lists the documents whose labels would decide most."
    )
