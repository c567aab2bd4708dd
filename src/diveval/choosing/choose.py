"""Which metrics to report, and why: what the task needs, what satisfies it, and how metrics behave on the runs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from diveval.axioms.presentation.matrix import matrix
from diveval.axioms.proof.verdicts import Verdict
from diveval.choosing.effort import patience
from diveval.choosing.evidence import Behaviour, Conflict, OrderedPairs, Progress, evidence_of, needs_shown, observe
from diveval.choosing.needs import NEEDS, SATISFIED, TASKS, axioms_of, plain_words, task_called
from diveval.errors import MissingExtraError, UsageError
from diveval.evaluation import load_judgments, rank_all
from diveval.inputs import JudgmentsLike, RunsLike
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricText, as_metrics, labels
from diveval.options import Options
from diveval.publishing.methods import bibliography, citations, described, listed
from diveval.table_text import aligned, markdown_lines, share_text
from diveval.tables import deliver

EFFORT = 0.01


@dataclass(frozen=True)
class MetricChoice:
    """A metric with the evidence for and against it here; None for evidence that is not available."""

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
        return deliver(markdown(self), path)

    def __str__(self) -> str:
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
        without: words that do not matter here, although the task or the judgments add them.
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
    words = plain_words([*(plan.needs if plan else ()), *need, *(needs_shown(truth) if truth else ())])
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
    behaviour: Behaviour = {}
    ordered: OrderedPairs | None = None
    n_runs = n_topics = 0
    observed: list[str] = []
    if truth is not None and runs is not None:
        rankings = rank_all(truth, runs, asked, chosen, keep_documents=False)
        observed = observe(truth, rankings)
        behaviour, ordered, scores = evidence_of(truth, rankings, asked, axioms, chosen, depth, resamples, seed, say)
        n_runs, n_topics = len(scores.runs), len(scores.topics)
    candidates = sorted((_candidate(metric.name, axioms, verdicts, behaviour) for metric in asked), key=_order)
    recommended = _recommended(candidates, plan.name if plan else None)
    by_name = {metric.name: metric for metric in asked}
    reported = [by_name[item.metric] for item in recommended]
    keys = [*(key for metric in reported for key in citations(metric)), "amigo2018rbu"]
    return Choice(
        plan.name if plan else None,
        tuple(words),
        tuple(axioms),
        "charitable",
        tuple(observed),
        tuple(recommended),
        tuple(candidates),
        ordered,
        n_runs,
        n_topics,
        _paragraph(reported, axioms, candidates, ordered, f"{n_runs} runs ({n_topics} topics)"),
        bibliography(keys),
        _against(reported),
    )


def _usual(p: float, cutoff: int) -> list[str]:
    """The candidates where none are named."""
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
    """The verdicts on each metric; empty where the solver is not installed."""
    if not axioms:
        return {}
    try:
        decided = matrix(names, axioms=axioms, readings=["charitable"], time_limit=time_limit, jobs=jobs)
    except MissingExtraError:
        return {}
    pairs = zip(names, decided.metrics, strict=True)
    return {(name, axiom): decided.cell(own, axiom, "charitable") for name, own in pairs for axiom in axioms}


def _candidate(name: str, axioms: Sequence[str], verdicts: Verdicts, behaviour: Behaviour) -> MetricChoice:
    mu, power, failed, situations = behaviour.get(name, (None, None, 0, 0))
    words = {axiom: verdicts[name, axiom].verdict for axiom in axioms if (name, axiom) in verdicts}
    return MetricChoice(
        name,
        tuple(axiom for axiom, word in words.items() if word in SATISFIED) if verdicts else None,
        tuple(axiom for axiom, word in words.items() if word in ("fails", "not-applicable")) if verdicts else None,
        tuple(axiom for axiom in axioms if words.get(axiom, "unknown") not in (*SATISFIED, "fails", "not-applicable")),
        mu,
        power,
        failed / situations if situations else None,
        situations,
    )


def _order(candidate: MetricChoice) -> tuple[float, ...]:
    """Axioms first, since data cannot show what a metric ignores. Then violations in practice, power, unanimity."""
    lacking = len(candidate.unsatisfied or ()) + len(candidate.undecided)
    return lacking, candidate.violated or 0.0, -(candidate.power or 0.0), -(candidate.mu or 0.0)


def _recommended(candidates: Sequence[MetricChoice], task: str | None) -> list[Recommendation]:
    """The best; the best of another family; and one for comparison with earlier work (for RAG, a simple one)."""
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


def _paragraph(
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    candidates: Sequence[MetricChoice],
    ordered: OrderedPairs | None,
    runs: str,
) -> str:
    """Sentences for a paper, in LaTeX."""
    first = next(c for c in candidates if c.metric == metrics[0].name)
    sentences = [f"We report {listed([described(metric) for metric in metrics])}."]
    if first.satisfied:
        satisfied = "all" if len(first.satisfied) == len(axioms) else ", ".join(first.satisfied)
        sentences.append(
            f"Of the constraints of Amig{{\\'o}} et al.~\\cite{{amigo2018rbu}} that our task calls for"
            f" ({', '.join(axioms)}), the first satisfies {satisfied}."
        )
    if ordered is not None:
        sentences.append(
            f"The {len(candidates)} metrics we considered agree on the order of {ordered.agreed} of {ordered.pairs} pairs"
            f" of our {runs}; the other pairs depend on the choice of metric."
        )
    return "\n".join(sentences) + "\n"


def _against(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Published evidence against a recommended metric that the axioms do not show."""
    if any(metric.name.startswith(("RBU", "nRBU")) for metric in metrics):
        return (
            "Sakai and Zeng (SIGIR 2019; 1,127 pairs of result pages, 15 assessors) found RBU below the best D♯"
            " measures in agreement with people's preferences for diversity.",
        )
    return ()


MOST_CONFLICTS = 3


def text(choice: Choice, width: int = 80) -> str:
    """Recommendation first, then the evidence."""

    def wrapped(line: str, indent: str = "  ") -> list[str]:
        # A percent sign stays on the line of its number: the blank between them is replaced while wrapping.
        whole = line.replace(" %", "\u00a0%")
        parts = textwrap.wrap(whole, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        return [part.replace("\u00a0%", " %") for part in parts]

    lines = ["Report"]
    for i, item in enumerate(choice.recommended, 1):
        lines += wrapped(f"  {i}. {item.metric}: {item.reason}", "     ")
    for note in choice.against:
        lines += ["", *wrapped(f"Against: {note}", "")]
    lines += ["", *[part for line in _asked(choice) for part in wrapped(line)], ""]
    head, rows = _table(choice)
    lines += aligned([head, *rows], "<" + ">" * (len(head) - 2) + "<")
    for line in _agreed(choice):
        lines += ["", *wrapped(line, "  ")]
    lines += ["", "For the paper (-f md adds the BibTeX entries):"]
    lines += textwrap.indent(choice.paragraph, "  ").rstrip().split("\n")
    return "\n".join(lines) + "\n"


def markdown(choice: Choice) -> str:
    """The same as a page, with the references."""
    lines = ["# Which metrics to report", ""]
    lines += [f"{i}. **{item.metric}**: {item.reason}" for i, item in enumerate(choice.recommended, 1)]
    lines += ["", *(f"Against: {note}\n" for note in choice.against), "## What matters here", ""]
    lines += [f"* {line}" for line in _asked(choice)]
    head, rows = _table(choice)
    lines += ["", "## How the metrics behave", "", *markdown_lines(head, rows, "l" + "r" * (len(head) - 2) + "l")]
    lines += ["", *(f"{line}\n" for line in _agreed(choice))]
    lines += ["## For the paper", "", "```latex", choice.paragraph.rstrip(), "```", ""]
    lines += ["```bibtex", choice.bibtex.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _asked(choice: Choice) -> list[str]:
    task = f"Task {choice.task}: {TASKS[choice.task].says}." if choice.task else "No task given."
    needs = "; ".join(f"{NEEDS[word].says} ({word})" if word in NEEDS else f"satisfy {word}" for word in choice.needs)
    lines = [task, f"A metric must {needs}.", f"Axioms ({choice.reading} reading): {', '.join(choice.axioms)}."]
    if choice.observed:
        lines.append(f"In {choice.runs} runs and {choice.topics} topics: {'; '.join(choice.observed)}.")
    return lines


def _table(choice: Choice) -> tuple[list[str], list[list[str]]]:
    head = ["metric", "axioms", *(["violated", "power", "unanimity"] if choice.runs else []), "not satisfied"]
    names = labels([candidate.metric for candidate in choice.candidates])
    return head, [_row(choice, candidate, name) for candidate, name in zip(choice.candidates, names, strict=True)]


def _row(choice: Choice, candidate: MetricChoice, name: str) -> list[str]:
    count = "–" if candidate.satisfied is None else f"{len(candidate.satisfied)}/{len(choice.axioms)}"
    mu = "–" if candidate.mu is None else f"{candidate.mu:.3f}"
    measured = [share_text(candidate.violated), share_text(candidate.power), mu] if choice.runs else []
    lacking = [*(candidate.unsatisfied or ()), *(f"{axiom}?" for axiom in candidate.undecided)]
    return [name, count, *measured, " ".join(lacking) or "–"]


def _agreed(choice: Choice) -> list[str]:
    pairs = choice.agreement
    if pairs is None:
        return []
    lines = [
        f"{pairs.agreed} of {pairs.pairs} pairs of runs are ordered alike by all {len(choice.candidates)} metrics;"
        f" {pairs.pairs - pairs.agreed} depend on the choice."
    ]
    return [*lines, *(_conflict(conflict) for conflict in pairs.conflicts[:MOST_CONFLICTS])]


def _conflict(conflict: Conflict) -> str:
    for_run, for_other = labels(conflict.prefers_run), labels(conflict.prefers_other)
    first, second = labels([conflict.first, conflict.second])
    return (
        f"{conflict.run} is above {conflict.other} by {', '.join(for_run)}; below by {', '.join(for_other)}. Topic"
        f" {conflict.topic} shows it: {first} {conflict.first_values[0]:.3f} and {conflict.first_values[1]:.3f},"
        f" {second} {conflict.second_values[0]:.3f} and {conflict.second_values[1]:.3f} (diveval why)."
    )
