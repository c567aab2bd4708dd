"""Which metrics to report, and why: what the task needs, what satisfies it, and how metrics behave on the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from diveval.analysis.choice import Choice, MetricChoice, Recommendation, describe_agreement, describe_columns
from diveval.analysis.choice_paragraph import describe_choice
from diveval.analysis.effort import patience
from diveval.analysis.evidence import Behaviour, MetricBehaviour, OrderedPairs, evidence_of, needs_shown, observe
from diveval.analysis.given_up import describe_given_up
from diveval.analysis.needs import TASKS, axioms_of, plain_words, task_called
from diveval.axioms.presentation.data_verdicts import DataVerdict, decide_in_data, levels_for
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.defaults import CUTOFF, EFFORT
from diveval.errors import MissingExtraError, UsageError, share_text
from diveval.metrics.exact_forms import explain_inexact, split_exact
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricText, as_metrics
from diveval.publishing.methods import bibliography, citations
from diveval.reading.chosen import takes_settings
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.statements import Statement, words
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.settings import Options
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import Significance
from diveval.system.progress import Progress, silent

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings


@takes_settings
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
    time_limit: float = 20.0,
    conflicts: bool = False,
    within: Mapping[str, Sequence[str]] | None = None,
    significance: Significance = DEFAULT,
    progress: Progress = silent,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
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
        time_limit: seconds for each axiom and metric that is not decided yet.
        conflicts: whether to say which of these axioms exclude each other in the metric algebra, and which ones one must
            give up. The map of the axioms that decides it takes about 15 seconds.
        within: the part of the algebra that `conflicts` is about: `{"effort": ["no"]}`; all of it unless given.
        significance: the test behind the power of metrics, as in `compare`; paired t with Holm's correction by default.
        progress: called with what is being done.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores; `jobs` is also the number of processes that decide axioms (default: 1).
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen = options or Options()
    plan = task_called(task) if task else TASKS["web"] if not need else None
    if (judgments is None) != (runs is None):
        raise UsageError(
            "missing-argument",
            f"choose takes judgments and runs together, got only {'runs' if runs is not None else 'judgments'}",
        )
    truth = None if judgments is None else load_judgments(judgments, chosen, weights)
    words = plain_words([*(plan.needs if plan else ()), *need, *(needs_shown(truth, chosen) if truth else ())])
    words = [word for word in words if word not in without]
    axioms = axioms_of(words)
    depth = cutoff or (plan.cutoff if plan else CUTOFF)
    p = patience(read or (plan.read if plan else 10))
    names = list(metrics) if metrics else _usual(p, depth)
    if len(names) < 2:
        raise UsageError("wrong-number-of-metrics", f"name at least two metrics to choose from, got {len(names)}")
    asked = as_metrics(names)
    progress("axioms", 0, 0)
    verdicts = _verdicts(asked, axioms, truth, chosen, time_limit)
    given_up = _given_up(axioms, within, chosen, time_limit) if conflicts or within else ()
    behaviour: Behaviour = {}
    ordered: OrderedPairs | None = None
    n_runs = n_topics = 0
    observed: list[Statement] = []
    scores: Scores | None = None
    if truth is not None and runs is not None:
        rankings = rank_all(truth, runs, asked, chosen, keep_documents=False)
        observed = observe(truth, rankings, chosen)
        behaviour, ordered, scores = evidence_of(truth, rankings, asked, axioms, chosen, depth, significance, progress)
        n_runs, n_topics = len(scores.runs), len(scores.topics)
    candidates = weigh_metrics([metric.name for metric in asked], axioms, verdicts, behaviour)
    recommended = _recommend(candidates, plan.name if plan else None, chosen.relevance.gain)
    by_name = {metric.name: metric for metric in asked}
    reported = [by_name[item.metric] for item in recommended]
    keys = [*(key for metric in reported for key in citations(metric)), "amigo2018rbu"]
    written = describe_choice(reported, axioms, candidates, ordered, n_runs, n_topics)
    choice = Choice(
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
        "".join(f"{statement}\n" for statement in written),
        bibliography(keys),
        describe_objections(reported),
        (
            *(
                verdicts[metric.name, axiom].statement()
                for metric in reported
                for axiom in axioms
                if (metric.name, axiom) in verdicts and verdicts[metric.name, axiom].here in PARTLY
            ),
            *_name_inexact(asked),
        ),
        given_up,
        setup=Setup() if scores is None else significance.add_to(scores.setup, n_runs * (n_runs - 1) // 2),
    )
    reasons = [item.statement for item in recommended]
    return replace(
        choice,
        statements=(
            *(*reasons, *choice.verdicts, *given_up, *observed),
            *(*describe_columns(choice), *describe_agreement(choice), *written),
        ),
    )


def _given_up(
    axioms: Sequence[str], within: Mapping[str, Sequence[str]] | None, options: Options, time_limit: float
) -> tuple[Statement, ...]:
    from diveval.axioms.presentation.consistency import map_axioms

    found = map_axioms(within=within, time_limit=time_limit, jobs=options.jobs or 1)
    return (describe_given_up(found, axioms),)


def _name_inexact(metrics: Sequence[Metric]) -> Iterator[Statement]:
    """The metrics on which there can be no verdict."""
    if names := [metric.name for metric in split_exact(metrics)[1]]:
        yield Statement("no-exact-form", {"names": names}, tuple({"metric": name} for name in names))


words("no-exact-form")(explain_inexact)


def _usual(p: float, cutoff: int) -> list[str]:
    """The candidates where none are named."""
    return [
        f"RBU(p={p:g},e={EFFORT})@{cutoff}",
        f"ndeval.alpha_nDCG@{cutoff}",
        f"ndeval.ERR_IA@{cutoff}",
        f"ERR_IA@{cutoff}",
        f"Dsharp_nDCG@{cutoff}",
        f"EU(alpha=0.5,e={EFFORT})@{cutoff}",
        "ndeval.NRBP",
        f"nDCG_IA@{cutoff}",
        f"StRecall@{cutoff}",
    ]


Verdicts = dict[tuple[str, str], DataVerdict]  # by metric and axiom
PARTLY = ("region", "partly", "outside")


def _verdicts(
    metrics: Sequence[Metric], axioms: Sequence[str], judgments: Judgments | None, options: Options, time_limit: float
) -> Verdicts:
    """The verdicts on each metric, for the judgments' grades if there are any; empty where the solver is not installed."""
    levels = {metric.name: () if judgments is None else levels_for(judgments, metric, options) for metric in metrics}
    if not axioms:
        return {}
    try:
        return decide_in_data(metrics, axioms, levels, time_limit=time_limit, jobs=options.jobs or 1)
    except MissingExtraError:
        return {}


def weigh_metrics(
    names: Sequence[str], axioms: Sequence[str], verdicts: Verdicts, behaviour: Behaviour
) -> list[MetricChoice]:
    """The metrics with the evidence for and against each, best first."""
    return sorted((_candidate(name, axioms, verdicts, behaviour) for name in names), key=_order)


def _candidate(name: str, axioms: Sequence[str], verdicts: Verdicts, behaviour: Behaviour) -> MetricChoice:
    seen = behaviour.get(name, MetricBehaviour())
    here = {axiom: verdicts[name, axiom].here for axiom in axioms if (name, axiom) in verdicts}
    exact = bool(here) or not verdicts

    def those(*answers: str) -> tuple[str, ...]:
        return tuple(axiom for axiom, answer in here.items() if answer in answers)

    settled = {*those("holds"), *those("fails", "not-applicable"), *those(*PARTLY)}
    return MetricChoice(
        name,
        those("holds") if here else None,
        those("fails", "not-applicable") if here else None,
        tuple(axiom for axiom in axioms if exact and axiom not in settled),
        those(*PARTLY),
        seen.mu,
        seen.power,
        seen.violations / seen.situations if seen.situations else None,
        seen.situations,
        seen.found,
        seen.unrewarded,
        tuple(axiom for axiom in those(*PARTLY) if not verdicts[name, axiom].is_in_doubt),
    )


def _order(candidate: MetricChoice) -> tuple[float, ...]:
    """Axioms first, since data cannot show what a metric ignores. Then violations in practice, power, unanimity.

    Metrics of which nothing can be proven come last.
    """
    lacking = len(candidate.unsatisfied or ()) + len(candidate.undecided) + len(candidate.partly)
    outside = candidate.unrewarded / candidate.found if candidate.found else 0.0
    return (
        candidate.satisfied is None,
        lacking,
        candidate.violated or 0.0,
        outside,
        -(candidate.power or 0.0),
        -(candidate.mu or 0.0),
    )


def _recommend(candidates: Sequence[MetricChoice], task: str | None, gain: str) -> list[Recommendation]:
    """The best; the best of another family; and one for comparison with earlier work (for RAG, a simple one)."""
    first = candidates[0]
    out = [_recommendation(first, "best", gain)]
    kind = MetricText.of(first.metric).name
    second = next((c for c in candidates[1:] if MetricText.of(c.metric).name != kind), None)
    if second is None:
        return out
    out.append(_recommendation(second, "best of another family", gain))
    wanted, role = ("StRecall", "simple") if task == "rag" else ("ndeval.alpha_nDCG", "comparison")
    third = next((c for c in candidates if c.metric.startswith(wanted)), None)
    if third is not None and third.metric not in (first.metric, second.metric):
        out.append(_recommendation(third, role, gain))
    return out


def _recommendation(candidate: MetricChoice, role: str, gain: str) -> Recommendation:
    facts = {**asdict(candidate), "role": role, "gain": gain}
    statement = Statement("recommendation", facts, (asdict(candidate),))
    return Recommendation(candidate.metric, statement.text, statement)


@words("recommendation")
def _word_recommendation(
    metric: str,
    role: str,
    gain: str,
    satisfied: Sequence[str] | None,
    unsatisfied: Sequence[str] | None,
    undecided: Sequence[str],
    partly: Sequence[str],
    mu: float | None,
    power: float | None,
    violated: float | None,
    situations: int,
    found: int,
    unrewarded: int,
    uncovered: Sequence[str] = (),
) -> str:
    starts = {
        "best of another family": "the best of another family: ",
        "comparison": "α-nDCG of Clarke et al. (2008) as TREC computes it, every grade alike, for comparison: ",
        "simple": "the share of aspects that are covered, a simple metric: ",
    }
    parts = []
    if satisfied is not None:
        lacking = [
            *(unsatisfied or ()),
            *(
                f"{name} (its proof does not cover a relevance of 1)"
                if name in uncovered
                else f"{name} (not for every grade here)"
                for name in partly
            ),
            *(f"{name} (undecided)" for name in undecided),
        ]
        count = len(satisfied) + len(lacking)
        parts.append(
            f"satisfies {_all_of(count)} here"
            if not lacking
            else f"does not satisfy the axiom that matters here, {lacking[0]}"
            if count == 1
            else f"satisfies {len(satisfied)} of {count} axioms that matter here, not {', '.join(lacking)}"
        )
    if violated is not None:
        share = "none" if violated == 0 else share_text(violated)
        parts.append(f"fails {share} of {situations:,} situations within the axioms' premises")
    if found > situations:
        what = "rewards" if not unrewarded else f"does not reward {share_text(unrewarded / found)} of"
        parts.append(f"{what} all {found:,} situations in these runs")
    if power is not None:
        parts.append(f"tells {share_text(power)} of the pairs of runs apart")
    reasons = "; ".join(parts) or "no evidence: install diveval[axioms], or give judgments and runs"
    return starts.get(role, "") + reasons


def _all_of(count: int) -> str:
    return {1: "the axiom that matters", 2: "both axioms that matter"}.get(count, f"all {count} axioms that matter")


def describe_objections(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Published evidence against a recommended metric that the axioms do not show."""
    if any(metric.name.startswith(("RBU", "nRBU")) for metric in metrics):
        return (
            "Sakai and Zeng (SIGIR 2019; 1,127 pairs of result pages, 15 assessors) found RBU below the best D♯"
            " measures in agreement with people's preferences for diversity.",
        )
    return ()
