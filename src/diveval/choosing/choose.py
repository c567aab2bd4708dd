"""Which metrics to report, and why: what the task needs, what satisfies it, and how metrics behave on the runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from diveval.axioms.presentation.matrix import matrix
from diveval.axioms.proof.verdicts import Verdict
from diveval.choosing.conflicts import OrderedPairs, agreement
from diveval.choosing.effort import patience
from diveval.choosing.needs import TASKS, axioms_of, plain_words, task_called
from diveval.errors import MissingExtraError, UsageError, few
from diveval.evaluation import load_judgments, rank_all
from diveval.inputs import JudgmentsLike, RunsLike
from diveval.judgments import Judgments
from diveval.meta.discriminative import discriminative
from diveval.meta.unanimity import unanimity
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricText, as_metrics
from diveval.options import Options
from diveval.publishing.methods import bibliography, citations
from diveval.scoring import RankingsByOrder, score
from diveval.table_text import share_text
from diveval.tables import deliver
from diveval.violations import SITUATIONS, find_violations

EFFORT = 0.01
SATISFIED = ("holds", "region")
Progress = Callable[[str], None]


@dataclass(frozen=True)
class MetricChoice:
    """A metric and what speaks for and against it here. What could not be had is None."""

    metric: str
    satisfied: tuple[str, ...] | None  # of the axioms that are needed
    unsatisfied: tuple[str, ...] | None
    undecided: tuple[str, ...]
    mu: float | None = None
    power: float | None = None
    violated: float | None = None  # share of the situations of the needed axioms
    situations: int = 0


@dataclass(frozen=True)
class Recommendation:
    """A metric to report, and the reason."""

    metric: str
    reason: str


@dataclass(frozen=True)
class Choice:
    """What was asked, what fits, and the evidence."""

    task: str | None
    needs: tuple[str, ...]
    axioms: tuple[str, ...]
    reading: str
    observed: tuple[str, ...]
    recommended: tuple[Recommendation, ...]
    candidates: tuple[MetricChoice, ...]
    agreement: OrderedPairs | None
    runs: int
    topics: int
    paragraph: str
    bibtex: str
    against: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types JSON knows."""
        return asdict(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict()` as JSON; also written to `path` if given."""
        return deliver(json.dumps(self.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The answer as a page; also written to `path` if given."""
        from diveval.choosing.printing import markdown

        return deliver(markdown(self), path)

    def __str__(self) -> str:
        from diveval.choosing.printing import text

        return text(self)


def choose(
    judgments: JudgmentsLike | None = None,
    runs: RunsLike | None = None,
    *,
    task: str | None = None,
    need: Sequence[str] = (),
    without: Sequence[str] = (),
    read: float | None = None,
    cutoff: int | None = None,
    metrics: Sequence[str] | None = None,
    options: Options | None = None,
    resamples: int = 1000,
    seed: int = 0,
    time_limit: float = 20.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Choice:
    """Two or three metrics to report, with parameters and reasons.

    Args:
        judgments: whatever `diveval.evaluate` takes; without judgments and runs only the axioms decide.
        runs: two or more runs, in any shape.
        task: one of `web`, `mobile`, `rag`, `recommendation`, `track`: what such tasks need, and how deep people read.
        need: words (`length`, `redundancy`, …) or axioms (`Conf`, `Confidence`) beyond the task's. Judgments with
            several grades or unequal weights add `grades` and `weights`.
        without: words that do not matter here all the same.
        read: how many documents people look at on average; sets RBU's p.
        cutoff: how many documents are scored.
        metrics: candidates instead of the usual ones.
        options: how files become scores.
        resamples: of the test behind discriminative power.
        seed: of the resampling.
        time_limit: seconds for each axiom and metric that is not decided yet.
        jobs: processes that decide axioms.
        progress: called with what is being done.
    """
    say = progress or (lambda text: None)
    chosen = options or Options()
    plan = task_called(task) if task else TASKS["web"] if not need else None
    if (judgments is None) != (runs is None):
        raise UsageError(
            f"choose takes judgments and runs together, got only {'runs' if runs is not None else 'judgments'}"
        )
    truth = None if judgments is None else load_judgments(judgments, chosen)
    words = plain_words([*(plan.needs if plan else ()), *need, *(_shown_by(truth) if truth else ())])
    words = [word for word in words if word not in without]
    axioms = axioms_of(words)
    depth = cutoff or (plan.cutoff if plan else 20)
    p = patience(read or (plan.read if plan else 10))
    names = list(metrics) if metrics else _usual(p, depth)
    if len(names) < 2:
        raise UsageError(f"name at least two metrics to choose from, got {len(names)}")
    asked = as_metrics(names)
    say("axioms")
    verdicts = _verdicts([metric.name for metric in asked], axioms, time_limit, jobs)
    evidence = _Evidence()
    observed: list[str] = []
    if truth is not None and runs is not None:
        rankings = rank_all(truth, runs, asked, chosen, keep_documents=False)
        observed = observe(truth, rankings)
        evidence = _evidence(truth, rankings, asked, axioms, chosen, depth, resamples, seed, say)
    candidates = sorted((_candidate(metric.name, axioms, verdicts, evidence) for metric in asked), key=_order)
    recommended = _recommended(candidates, plan.name if plan else None)
    by_name = {metric.name: metric for metric in asked}
    reported = [by_name[item.metric] for item in recommended]
    return Choice(
        plan.name if plan else None,
        tuple(words),
        tuple(axioms),
        "charitable",
        tuple(observed),
        tuple(recommended),
        tuple(candidates),
        evidence.agreement,
        evidence.runs,
        evidence.topics,
        _paragraph(reported, axioms, candidates, evidence),
        bibliography(_keys(reported)),
        _against(reported),
    )


def _usual(p: float, cutoff: int) -> list[str]:
    return [
        f"RBU(p={p:g},e={EFFORT})@{cutoff}",
        f"alpha_nDCG@{cutoff}",
        f"ERR_IA@{cutoff}",
        f"Dsharp_nDCG@{cutoff}",
        f"EU(alpha=0.5,e={EFFORT})@{cutoff}",
        "NRBP",
        f"nDCG_IA@{cutoff}",
        f"StRecall@{cutoff}",
    ]


Verdicts = dict[tuple[str, str], Verdict]  # by metric and axiom


def _verdicts(names: Sequence[str], axioms: Sequence[str], time_limit: float, jobs: int) -> Verdicts:
    """What is decided about each metric; nothing where the solver is not installed."""
    if not axioms:
        return {}
    try:
        found = matrix(names, axioms=axioms, readings=["charitable"], time_limit=time_limit, jobs=jobs)
    except MissingExtraError:
        return {}
    pairs = zip(names, found.metrics, strict=True)
    return {(name, axiom): found.cell(own, axiom, "charitable") for name, own in pairs for axiom in axioms}


def _shown_by(judgments: Judgments) -> list[str]:
    """Needs that the judgments themselves show."""
    return [*(["grades"] if len(_grades(judgments)) > 1 else []), *(["weights"] if _weighted(judgments) else [])]


def _grades(judgments: Judgments) -> list[float]:
    return sorted({float(g) for topic in judgments.topics.values() for g in np.unique(topic.grades) if g > 0})


def _weighted(judgments: Judgments) -> bool:
    """Do the aspects of some topic weigh differently?"""
    by_topic: dict[str, set[float]] = {}
    for (topic, _), weight in judgments.aspect_weights().items():
        by_topic.setdefault(topic, set()).add(round(weight, 12))
    return any(len(weights) > 1 for weights in by_topic.values())


def observe(judgments: Judgments, rankings: RankingsByOrder) -> list[str]:
    """Answers to the questions that the data itself gives."""
    first = next(iter(rankings.values()))
    lengths = [[run.topics[topic].length for run in first if topic in run.topics] for topic in judgments.topics]
    differ = np.mean([len(set(own)) > 1 for own in lengths if own]) if lengths else 0.0
    grades = _grades(judgments)
    shown = ", ".join(f"{grade:g}" for grade in grades[:6])
    held = {run.name: sum(topic in run.topics for topic in judgments.topics) for run in first}
    whole = len(judgments.topics)
    lacking = [f"{run} ({count}/{whole})" for run, count in held.items() if count < whole]
    return [
        f"documents are graded ({shown})" if len(grades) > 1 else "documents are relevant or not",
        "aspects have different weights" if _weighted(judgments) else "all aspects have the same weight",
        f"lists of a topic differ in length in {differ:.0%} of the topics".replace("%", " %"),
        *([f"runs that lack topics: {few(lacking, 8)}"] if lacking else []),
    ]


@dataclass
class _Evidence:
    """How the metrics behave on the runs; empty where there are none."""

    mu: dict[str, float | None] | None = None
    power: dict[str, float] | None = None
    violated: dict[str, tuple[int, int]] | None = None
    agreement: OrderedPairs | None = None
    runs: int = 0
    topics: int = 0


def _evidence(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    options: Options,
    depth: int,
    resamples: int,
    seed: int,
    say: Progress,
) -> _Evidence:
    names = [metric.name for metric in metrics]
    scores = score(judgments, rankings, metrics, options)
    if len(scores.runs) < 2:
        raise UsageError(f"at least two runs are needed to see how metrics behave, got {len(scores.runs)}")
    say("unanimity")
    agreed = {row.metric: row.mu for row in unanimity(scores, bootstrap=0, seed=seed).rows}
    say("discriminative power")
    power = {row.metric: row.share for row in discriminative(scores, resamples=resamples, seed=seed).rows}
    say("violations")
    counted = [name for name in axioms if any(s.axiom == name for s in SITUATIONS.values())]
    own = [metric for metric in metrics if metric.rule is None and metric.order is None]
    violated: dict[str, tuple[int, int]] = {}
    if counted and own and options.efforts is None:
        for row in find_violations(judgments, rankings, own, options, axioms=counted, depth=depth).rows:
            if row.axiom == "Pri-contiguous":  # part of Pri already
                continue
            failed, all_of_them = violated.get(row.metric, (0, 0))
            violated[row.metric] = (failed + row.violations, all_of_them + row.situations)
    return _Evidence(agreed, power, violated, agreement(scores, names), len(scores.runs), len(scores.topics))


def _candidate(name: str, axioms: Sequence[str], verdicts: Verdicts, evidence: _Evidence) -> MetricChoice:
    failed, situations = (evidence.violated or {}).get(name, (0, 0))
    words = {axiom: verdicts[name, axiom].verdict for axiom in axioms if (name, axiom) in verdicts}
    return MetricChoice(
        name,
        tuple(axiom for axiom, word in words.items() if word in SATISFIED) if verdicts else None,
        tuple(axiom for axiom, word in words.items() if word in ("fails", "not-applicable")) if verdicts else None,
        tuple(axiom for axiom in axioms if words.get(axiom, "unknown") not in (*SATISFIED, "fails", "not-applicable")),
        (evidence.mu or {}).get(name),
        (evidence.power or {}).get(name),
        failed / situations if situations else None,
        situations,
    )


def _order(candidate: MetricChoice) -> tuple[float, ...]:
    """Axioms first: what a metric cannot see no data can show. Then violations in practice, power, unanimity."""
    lacking = len(candidate.unsatisfied or ()) + len(candidate.undecided)
    return lacking, candidate.violated or 0.0, -(candidate.power or 0.0), -(candidate.mu or 0.0)


def _recommended(candidates: Sequence[MetricChoice], task: str | None) -> list[Recommendation]:
    """The best; the best of another kind; and one for comparison with earlier work (for RAG, one that all know)."""
    first = candidates[0]
    out = [Recommendation(first.metric, _reason(first))]
    kind = MetricText.of(first.metric).name
    second = next((c for c in candidates[1:] if MetricText.of(c.metric).name != kind), None)
    if second is None:
        return out
    out.append(Recommendation(second.metric, f"the best of another family: {_reason(second)}"))
    wanted, why = "alpha_nDCG", "of most earlier papers"
    if task == "rag":
        wanted, why = "StRecall", "that everyone understands"
    third = next((c for c in candidates if c.metric.startswith(wanted)), None)
    if third is not None and third.metric not in (first.metric, second.metric):
        out.append(Recommendation(third.metric, f"the metric {why}: {_reason(third)}"))
    return out


def _reason(candidate: MetricChoice) -> str:
    parts = []
    if candidate.satisfied is not None:
        lacking = [*(candidate.unsatisfied or ()), *(f"{name} (undecided)" for name in candidate.undecided)]
        count = len(candidate.satisfied) + len(lacking)
        parts.append(
            f"satisfies {_all_of(count)} here"
            if not lacking
            else f"does not satisfy the axiom that matters here, {lacking[0]}"
            if count == 1
            else f"satisfies {len(candidate.satisfied)} of {count} axioms that matter here, not {', '.join(lacking)}"
        )
    if candidate.violated is not None:
        part = "none" if candidate.violated == 0 else share_text(candidate.violated)
        parts.append(f"fails {part} of {candidate.situations:,} situations in these runs")
    if candidate.power is not None:
        parts.append(f"tells {share_text(candidate.power)} of the pairs of runs apart")
    return "; ".join(parts) or "no evidence: install diveval[axioms], or give judgments and runs"


def _all_of(count: int) -> str:
    return {1: "the axiom that matters", 2: "both axioms that matter"}.get(count, f"all {count} axioms that matter")


def _keys(metrics: Sequence[Metric]) -> list[str]:
    return [*(key for metric in metrics for key in citations(metric)), "amigo2018rbu"]


def _paragraph(
    metrics: Sequence[Metric], axioms: Sequence[str], candidates: Sequence[MetricChoice], evidence: _Evidence
) -> str:
    """Sentences for a paper, in LaTeX."""
    from diveval.publishing.methods import described

    named = [described(metric) for metric in metrics]
    listed = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
    first = next(c for c in candidates if c.metric == metrics[0].name)
    said = [f"We report {listed}."]
    if first.satisfied:
        said.append(
            f"Of the constraints of Amig{{\\'o}} et al.~\\cite{{amigo2018rbu}} that our task calls for"
            f" ({', '.join(axioms)}), the first satisfies {_all_or(first.satisfied, axioms)}."
        )
    if evidence.agreement is not None:
        found = evidence.agreement
        said.append(
            f"The {len(candidates)} metrics we considered agree on the order of {found.agreed} of {found.pairs} pairs"
            f" of our {evidence.runs} runs ({evidence.topics} topics); the other pairs depend on the choice of metric."
        )
    return "\n".join(said) + "\n"


def _all_or(satisfied: Sequence[str], axioms: Sequence[str]) -> str:
    return "all" if len(satisfied) == len(axioms) else ", ".join(satisfied)


def _against(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """What speaks against a recommended metric and is not in the axioms."""
    if any(metric.name.startswith(("RBU", "nRBU")) for metric in metrics):
        return (
            "Sakai and Zeng (SIGIR 2019; 1,127 pairs of result pages, 15 assessors) found RBU below the best D♯"
            " measures in agreement with people's preferences for diversity.",
        )
    return ()
