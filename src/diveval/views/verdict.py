"""Data for the first view of a report: which metric to trust on this collection, why, and what speaks against it.

The table is that of `diveval choose`, over all constraints: how many each metric satisfies for the grades of the
judgments, how often it fails in the runs, how many pairs of systems it tells apart, and how often it agrees with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from diveval.analysis.choice import MetricChoice
from diveval.analysis.choose import Verdicts, describe_objections, weigh_metrics
from diveval.analysis.evidence import MetricBehaviour
from diveval.axioms import AXIOMS
from diveval.errors import count_of, share_text
from diveval.metrics import Metric
from diveval.metrics.names import labels
from diveval.publishing.methods import list_words
from diveval.results.setup import JUDGED_DEPTH
from diveval.views.axiom_matrix import Counts
from diveval.views.board import MetricQuality
from diveval.views.headline import Clause, clause

LITTLE_JUDGED = 0.9  # below this share of judged documents, the judgments are what to improve next
READ = "constraints read as intended (charitable), for the grades of these judgments"
COUNTED = "situations in these runs within the constraints’ premises"
View = dict[str, Any]


def decide_verdict(
    metrics: Sequence[Metric], verdicts: Verdicts, counts: Counts, quality: MetricQuality, judged: Mapping[str, float]
) -> View | None:
    """Table, sentences, objections and next steps; None where fewer than two metrics have a verdict."""
    names = [metric.name for metric in metrics if any(name == metric.name for name, _ in verdicts)]
    if len(names) < 2:
        return None
    behaviour = {name: _behave(name, counts, quality) for name in names}
    short = dict(zip(names, labels(names), strict=True))
    ranked = weigh_metrics(names, list(AXIOMS), verdicts, behaviour)
    best = ranked[0]
    return {
        "title": _title(best, short),
        "sentences": [sentence for sentence in (_contrast(ranked, counts, short),) if sentence],
        "rows": [_row(choice, counts, quality, short) for choice in ranked],
        "against": _object(ranked, verdicts, counts, quality, short, metrics),
        "next": _next(best, short, quality, judged),
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


def _title(best: MetricChoice, short: Mapping[str, str]) -> str:
    """The finding: the metric that satisfies most, and how it does in the runs."""
    satisfied = f"satisfies {len(best.satisfied or ())} of {len(AXIOMS)} constraints"
    if not best.situations:
        return f"Trust {short[best.metric]} first: it {satisfied}"
    failed = _count_failures(best)
    what = "none" if not failed else f"{failed:,}"
    return (
        f"Trust {short[best.metric]} first: it {satisfied} and fails in {what} of {best.situations:,} situations here"
    )


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
    parts = []
    for _, group in groupby(failing, key=lambda name: (counts[name][axiom]["count"], counts[name][axiom]["of"])):
        same = list(group)
        cell = counts[same[0]][axiom]
        parts.append((same, f"in {cell['count']:,} of {cell['of']:,} situations"))
    own = counts[best][axiom]
    title, why = AXIOMS[axiom].title, AXIOMS[axiom].why
    clauses = [clause(f"{title}: {why}. ", COUNTED)]
    for i, (same, often) in enumerate(parts):
        named = list_words([short[name] for name in same])
        verb = ("fails" if len(same) == 1 else "fail") if i == 0 else ""
        text = f"{named} {verb} {often}".replace("  ", " ")
        clauses.append(clause(("" if i == 0 else ", ") + text, COUNTED, view="axioms", cell=f"{same[0]}/{axiom}"))
    little = "none" if own["count"] == 0 else f"{own['count']:,} of {own['of']:,}"
    return [
        *clauses,
        clause(f"; {short[best]} in {little}", COUNTED, view="axioms", cell=f"{best}/{axiom}"),
        clause("."),
    ]


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
) -> list[list[Clause]]:
    """What speaks against the first metric: constraints, situations outside the premises, power, unanimity, people."""
    best, label = ranked[0], short[ranked[0].metric]
    out: list[list[Clause]] = []
    for axiom in best.partly:
        text = _in_grades(AXIOMS[axiom].title, label, verdicts[best.metric, axiom].statement().facts)
        out.append([clause(text, READ, view="axioms", cell=f"{best.metric}/{axiom}")])
    for axiom in best.unsatisfied or ():
        text = f"{label} does not satisfy {AXIOMS[axiom].title}: {AXIOMS[axiom].why}."
        out.append([clause(text, READ, view="axioms", cell=f"{best.metric}/{axiom}")])
    if best.undecided:
        open_ones = list_words([AXIOMS[axiom].title for axiom in best.undecided])
        out.append([clause(f"Not decided in time for {label}: {open_ones}.", READ, view="axioms")])
    if best.unrewarded > _count_failures(best):
        text = f"Outside the constraints’ premises, {best.unrewarded:,} of {best.found:,} situations are not rewarded."
        out.append([clause(text, "all situations that were found in these runs", view="axioms")])
    if quality.power is not None:
        rows = {row.metric: row for row in quality.power.rows}
        more = [c.metric for c in ranked if c.metric in rows and best.metric in rows]
        top = max(more, key=lambda name: rows[name].significant, default=best.metric)
        if more and rows[top].significant > rows[best.metric].significant:
            text = f"{short[top]} tells {rows[top].significant} of {rows[top].pairs} pairs of systems apart, {label} {rows[best.metric].significant}."
            out.append([clause(text, "significance test of the report", view="metrics")])
    agreeing = [c for c in ranked if c.mu is not None and best.mu is not None and c.mu > best.mu]
    if agreeing:
        top_mu = max(agreeing, key=lambda c: c.mu or 0.0)
        text = f"{short[top_mu.metric]} agrees more with what the others agree on (unanimity {top_mu.mu:.3f}, {label} {best.mu:.3f})."
        out.append([clause(text, "Metric Unanimity over the metrics of this report", view="metrics")])
    chosen = [metric for metric in metrics if metric.name == best.metric]
    return [*out, *([clause(text, "published; not of this data")] for text in describe_objections(chosen))]


def _in_grades(title: str, label: str, facts: Mapping[str, Any]) -> str:
    """For which grades of these judgments a constraint that does not hold for every relevance holds."""
    relevance = dict(facts["relevance"])
    said = {
        "fails": "does not hold for {}",
        "outside": "is not proved for {}, of relevance 1",
        "unknown": "is not decided for {}",
        "holds": "holds for {}",
    }
    parts = [
        said[answer].format(
            f"grade{'s' if len(facts['grades'][answer]) > 1 else ''} "
            + list_words([f"{grade:g} (relevance {relevance[grade]:.3g})" for grade in facts["grades"][answer]])
        )
        for answer in said
        if answer in facts["grades"]
    ]
    return f"{title} {'; it '.join(parts) or 'holds for some parameters only'} with {label}."


def _next(
    best: MetricChoice, short: Mapping[str, str], quality: MetricQuality, judged: Mapping[str, float]
) -> list[View]:
    """What to do next, with the command, by what the collection lacks."""
    out = []
    share = sum(judged.values()) / len(judged) if judged else 1.0
    if share < LITTLE_JUDGED:
        text = f"Judge more: {share_text(1 - share)} of the first {JUDGED_DEPTH} documents have no judgment."
        out.append({"text": text, "command": "diveval conclusions QRELS RUNS --unjudged any --budget 50"})
    if quality.power is not None:
        row = next((row for row in quality.power.rows if row.metric == best.metric), None)
        if row is not None and row.significant < row.pairs / 2:
            text = f"Add topics: {short[best.metric]} leaves {row.pairs - row.significant} of {count_of(row.pairs, 'pair')} undecided."
            out.append({"text": text, "command": f"diveval plan QRELS RUNS -m '{best.metric}' --difference 0.05"})
    text = "Weigh only the constraints that your task needs."
    out.append({"text": text, "command": "diveval choose QRELS RUNS --task web"})
    return out
