"""Data for the first view of a report: which metric to trust on this collection, why, and what speaks against it.

The table is that of `diveval choose`, over all constraints: how many each metric satisfies for the grades of the
judgments, how often it fails in the runs, how many pairs of systems it tells apart, and how often it agrees with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from diveval.analysis.choice import MetricChoice, digits_apart
from diveval.analysis.choose import Verdicts, describe_objections, weigh_metrics
from diveval.analysis.evidence import MetricBehaviour
from diveval.axioms import AXIOMS
from diveval.axioms.presentation.matrix import read_as
from diveval.axioms.specification.readings import CHARITABLE
from diveval.errors import count_of, share_text
from diveval.metrics import Metric
from diveval.metrics.names import labels
from diveval.publishing.methods import list_words
from diveval.results.setup import JUDGED_DEPTH, NO_LIST_UNJUDGED
from diveval.results.statements import Statement, words
from diveval.stats.tests import describe_test
from diveval.views.axiom_matrix import Counts
from diveval.views.board import MetricQuality
from diveval.views.headline import Clause, clause

LITTLE_JUDGED = 0.9  # below this share of judged documents, the judgments are what to improve next
COUNTED = "situations in these runs within the constraints’ premises"
View = dict[str, Any]


def decide_verdict(
    metrics: Sequence[Metric],
    verdicts: Verdicts,
    counts: Counts,
    quality: MetricQuality,
    judged: Mapping[str, float],
    *,
    reading: str = CHARITABLE.name,
    lacking: Mapping[str, int] | None = None,
) -> View | None:
    """Table, sentences, objections and next steps; None where fewer than two metrics have a verdict.

    `lacking` is the fact that runs lack topics, of which no document counts as judged.
    """
    names = [metric.name for metric in metrics if any(name == metric.name for name, _ in verdicts)]
    if len(names) < 2:
        return None
    behaviour = {name: _behave(name, counts, quality) for name in names}
    short = dict(zip(names, labels(names), strict=True))
    ranked = weigh_metrics(names, list(AXIOMS), verdicts, behaviour)
    best = ranked[0]
    return {
        "title": _title(best, ranked, short).as_dict(),
        "sentences": [sentence for sentence in (_contrast(ranked, counts, short),) if sentence],
        "rows": [_row(choice, counts, quality, short) for choice in ranked],
        "against": _object(ranked, verdicts, counts, quality, short, metrics, reading),
        "next": _next(best, short, quality, judged, lacking or {}),
        "axioms": {axiom.name: [axiom.title, axiom.why] for axiom in AXIOMS.values()},
    }


def _behave(name: str, counts: Counts, quality: MetricQuality) -> MetricBehaviour:
    cells = counts.get(name, {}).values()
    mu = {row.metric: row.mu for row in quality.unanimity.rows} if quality.unanimity else {}
    power = {row.metric: row.share for row in quality.power.rows} if quality.power else {}
    totals = (sum(cell[key] for cell in cells) for key in ("of", "count", "found", "unrewarded"))
    return MetricBehaviour(mu.get(name), power.get(name), *totals)


def _count_failures(choice: MetricChoice) -> int:
    return round((choice.violated or 0) * choice.situations)


def _title(best: MetricChoice, ranked: Sequence[MetricChoice], short: Mapping[str, str]) -> Statement:
    """The finding: the metric that satisfies most, and how it does in the runs."""
    facts = {
        "metric": short[best.metric], "satisfied": len(best.satisfied or ()), "of": len(AXIOMS),
        "failed": _count_failures(best), "situations": best.situations,
    }  # fmt: skip
    rows = tuple(
        {
            "metric": one.metric,
            "satisfied": list(one.satisfied or ()),
            "failed": _count_failures(one),
            "situations": one.situations,
        }
        for one in ranked
    )
    return Statement("trust-first", facts, rows)


@words("trust-first")
def _word_title(metric: str, satisfied: int, of: int, failed: int, situations: int) -> str:
    trust = f"Trust {metric} first: it satisfies {satisfied} of {of} constraints"
    return f"{trust} and fails in {failed:,} of {count_of(situations, 'situation')} here" if situations else trust


def _contrast(ranked: Sequence[MetricChoice], counts: Counts, short: Mapping[str, str]) -> list[Clause]:
    """The constraint by which the other metrics fall most behind the best one in these runs."""
    best, others = ranked[0].metric, ranked[1:]

    def share(metric: str, axiom: str) -> float:
        cell = counts.get(metric, {}).get(axiom)
        return cell["count"] / cell["of"] if cell and cell["of"] else 0.0

    seen = [axiom for axiom in AXIOMS if counts.get(best, {}).get(axiom, {}).get("of")]
    gaps = {axiom: sum(share(other.metric, axiom) - share(best, axiom) for other in others) for axiom in seen}
    axiom = max(gaps, key=lambda name: gaps[name], default=None)
    if axiom is None or gaps[axiom] <= 0:
        return []
    failing = sorted(other.metric for other in others if share(other.metric, axiom) > share(best, axiom))
    failing.sort(key=lambda name: -share(name, axiom))
    cells = {name: (counts[name][axiom]["count"], counts[name][axiom]["of"]) for name in (best, *failing)}
    groups = [[[short[name] for name in same], *cell] for cell, same in groupby(failing, key=lambda name: cells[name])]
    facts = {
        "title": AXIOMS[axiom].title, "why": AXIOMS[axiom].why, "others": groups,
        "metric": short[best], "count": cells[best][0], "of": cells[best][1],
    }  # fmt: skip
    rows = tuple({"metric": name, "axiom": axiom, "failed": n, "situations": of} for name, (n, of) in cells.items())
    return [clause(Statement("others-fail-more", facts, rows), COUNTED, view="axioms", cell=f"{failing[0]}/{axiom}")]


@words("others-fail-more")
def _word_contrast(
    title: str, why: str, others: Sequence[tuple[Sequence[str], int, int]], metric: str, count: int, of: int
) -> str:
    parts = [f"{list_words(names)} in {failed:,} of {situations:,}" for names, failed, situations in others]
    own = "none" if count == 0 else f"{count:,} of {of:,}"
    return f"{title}: {why}. Situations of the runs in which a metric fails: {', '.join(parts)}; {metric} in {own}."


def _row(choice: MetricChoice, counts: Counts, quality: MetricQuality, short: Mapping[str, str]) -> View:
    """One metric: the table's cells, and the constraint that it fails most often."""
    power = {row.metric: row for row in quality.power.rows} if quality.power else {}
    own = counts.get(choice.metric, {})
    often = max(
        (axiom for axiom in own if own[axiom]["of"] and own[axiom]["count"]),
        key=lambda axiom: (own[axiom]["count"] / own[axiom]["of"], own[axiom]["count"]),
        default=None,
    )
    told = power.get(choice.metric)
    return {
        "metric": choice.metric,
        "label": short[choice.metric],
        "satisfied": None if choice.satisfied is None else len(choice.satisfied),
        "failed": _count_failures(choice),
        "situations": choice.situations,
        "often": None if often is None else [often, own[often]["count"], own[often]["of"]],
        "significant": None if told is None else told.significant,
        "pairs": None if told is None else told.pairs,
        "mu": choice.mu,
        "unsatisfied": list(choice.unsatisfied or ()),
        "partly": list(choice.partly),
        "undecided": list(choice.undecided),
    }


def _object(
    ranked: Sequence[MetricChoice],
    verdicts: Verdicts,
    counts: Counts,
    quality: MetricQuality,
    short: Mapping[str, str],
    metrics: Sequence[Metric],
    reading: str,
) -> list[list[Clause]]:
    """What speaks against the first metric: constraints, situations outside the premises, power, unanimity, people."""
    facts: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    read = f"constraints {read_as(reading)}, for the grades of these judgments"
    best, label = ranked[0], short[ranked[0].metric]

    def open_cell(said: Statement, axiom: str) -> list[Clause]:
        return [clause(said, read, view="axioms", cell=f"{best.metric}/{axiom}")]

    dot = clause(".")
    out = [[*open_cell(verdicts[best.metric, axiom].statement(), axiom), dot] for axiom in best.partly]
    for axiom in best.unsatisfied or ():
        facts = {"metric": label, "title": AXIOMS[axiom].title, "why": AXIOMS[axiom].why}
        out.append(
            open_cell(Statement("fails-constraint", facts, verdicts[best.metric, axiom].statement().evidence), axiom)
        )
    if best.undecided:
        facts = {"metric": label, "titles": [AXIOMS[axiom].title for axiom in best.undecided]}
        rows = tuple({"metric": best.metric, "axiom": axiom} for axiom in best.undecided)
        out.append([clause(Statement("undecided-constraints", facts, rows), read, view="axioms")])
    if best.unrewarded > _count_failures(best):
        outside = {"unrewarded": best.unrewarded - _count_failures(best), "situations": best.found - best.situations}
        rows = tuple({"axiom": axiom, **cell} for axiom, cell in counts[best.metric].items())
        said = Statement("outside-premises", {"metric": label, **outside}, rows)
        out.append([clause(said, "all situations that were found in these runs", view="axioms")])
    if quality.power is not None:
        rows = tuple(
            {"metric": row.metric, "significant": row.significant, "pairs": row.pairs} for row in quality.power.rows
        )
        told = {row["metric"]: row["significant"] for row in rows if row["metric"] in short}
        top = max(told, key=lambda name: told[name], default=best.metric)
        if best.metric in told and told[top] > told[best.metric]:
            facts = {
                "other": short[top],
                "more": told[top],
                "metric": label,
                "fewer": told[best.metric],
                "pairs": rows[0]["pairs"],
            }
            out.append(
                [clause(Statement("more-power", facts, rows), describe_test(quality.power.setup), view="metrics")]
            )
    agreeing = {one.metric: one.mu for one in ranked if one.mu is not None}
    top = max(agreeing, key=lambda name: agreeing[name], default=best.metric)
    if best.metric in agreeing and agreeing[top] > agreeing[best.metric]:
        facts = {"other": short[top], "more": agreeing[top], "metric": label, "less": agreeing[best.metric]}
        rows = tuple({"metric": name, "unanimity": mu} for name, mu in agreeing.items())
        said = Statement("more-unanimous", facts, rows)
        out.append([clause(said, "Metric Unanimity over the metrics of this report", view="metrics")])
    chosen = [metric for metric in metrics if metric.name == best.metric]
    return [*out, *([clause(text, "published; not of this data")] for text in describe_objections(chosen))]


@words("fails-constraint")
def _word_fails(metric: str, title: str, why: str) -> str:
    return f"{metric} does not satisfy {title}: {why}."


@words("undecided-constraints")
def _word_undecided(metric: str, titles: Sequence[str]) -> str:
    return f"Not decided in time for {metric}: {list_words(titles)}."


@words("outside-premises")
def _word_outside(metric: str, unrewarded: int, situations: int) -> str:
    verb = "is" if unrewarded == 1 else "are"
    found = count_of(situations, "situation")
    return f"Of {found} outside the constraints’ premises, {unrewarded:,} {verb} not rewarded by {metric}."


@words("more-power")
def _word_power(other: str, more: int, metric: str, fewer: int, pairs: int) -> str:
    return f"{other} tells {more:,} of {count_of(pairs, 'pair')} of systems apart, {metric} {fewer:,}."


@words("more-unanimous")
def _word_unanimous(other: str, more: float, metric: str, less: float) -> str:
    digits = digits_apart(more, less)
    return (
        f"{other} agrees more with what the others agree on (unanimity {more:.{digits}f}, {metric} {less:.{digits}f})."
    )


def _next(
    best: MetricChoice,
    short: Mapping[str, str],
    quality: MetricQuality,
    judged: Mapping[str, float],
    lacking: Mapping[str, int],
) -> list[View]:
    """What to do next, with the command, by what the collection lacks."""
    out: list[View] = []

    def advise(said: Statement, command: str) -> None:
        out.append({"sentence": [clause(said)], "command": command})

    share = sum(judged.values()) / len(judged) if judged else 1.0
    if share < LITTLE_JUDGED:
        rows = tuple({"run": run, "judged": of} for run, of in judged.items())
        said = Statement("judge-more", {"unjudged": 1 - share, "depth": JUDGED_DEPTH, **lacking}, rows)
        advise(said, "diveval conclusions QRELS RUNS --unjudged any --budget 50")
    if quality.power is not None:
        row = next((row for row in quality.power.rows if row.metric == best.metric), None)
        if row is not None and row.significant < row.pairs / 2:
            facts = {"metric": short[best.metric], "undecided": row.pairs - row.significant, "pairs": row.pairs}
            rows = ({"metric": row.metric, "significant": row.significant, "pairs": row.pairs},)
            advise(
                Statement("add-topics", facts, rows), f"diveval plan QRELS RUNS -m '{best.metric}' --difference 0.05"
            )
    text = "Weigh only the constraints that your task needs."
    out.append({"sentence": [clause(text)], "command": "diveval choose QRELS RUNS --task web"})
    return out


@words("judge-more")
def _word_judge_more(unjudged: float, depth: int, without_list: int = 0) -> str:
    share = f"{share_text(unjudged)} of the first {depth} documents have no judgment, mean over systems"
    return f"Judge more: {share}{NO_LIST_UNJUDGED if without_list else ''}."


@words("add-topics")
def _word_add_topics(metric: str, undecided: int, pairs: int) -> str:
    return f"Add topics: {metric} leaves {undecided:,} of {count_of(pairs, 'pair')} of systems without a significant difference."
