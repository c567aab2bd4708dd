"""`diveval.plan`: how many topics a comparison needs, what a number of topics can show, and what a model's labels save."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.defaults import CONFIDENCE, HEADLINE, LEVEL, POWER
from diveval.errors import UsageError, count_of, warn
from diveval.judging.answer_labels import is_of_answers, refuse_ranking_options, score_judges
from diveval.judging.judged_runs import load_answer_judges, load_material, name_answer_metrics
from diveval.judging.paired_scores import pair_scores
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.statements import Statement, words
from diveval.results.table_text import number_text
from diveval.settings import Options, Settings
from diveval.stats.power import (
    anova_power,
    fewest_topics,
    interval_width,
    power_of_shift,
    residual_moments,
    sd_interval,
    smallest_difference,
    t_power,
    topics_for_width,
)
from diveval.stats.tests import FEW_TOPICS
from diveval.stats.ties import require_fraction, require_variances

if TYPE_CHECKING:
    from typing_extensions import Unpack

Design = Literal["paired-t", "anova", "interval", "ppi"]
DESIGNS: tuple[Design, ...] = ("paired-t", "anova", "interval", "ppi")
CURVE = (10, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)  # topics


@dataclass(frozen=True)
class PlanRow:
    """The fewest topics for one design: to find `difference` with `power` at `level`, or for an interval that wide.

    `topics_low` and `topics_high` follow from the interval of the standard deviation. None: no number of topics.
    """

    metric: str
    design: Design
    difference: float
    sd: float
    level: float
    power: float | None  # None for intervals
    topics: int | None
    topics_low: int | None = None
    topics_high: int | None = None


@dataclass(frozen=True)
class CurvePoint:
    """What a number of topics can show with the paired t-test: power for the difference, and the smallest difference."""

    metric: str
    topics: int
    level: float
    power: float | None
    smallest: float


@dataclass(frozen=True)
class Spread:
    """The standard deviations of a metric's scores that plans need, from pilot runs or given by hand."""

    metric: str
    sd: float  # of differences between two systems
    freedom: int | None  # of the pilot; None: given by hand
    within: float | None = None  # of a system's scores over topics, for ANOVA
    covariance: float = 0.0  # of differences by people and by the model
    model_variance: float = 0.0


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """Numbers of topics by metric and design, and the power curve of the paired t-test."""

    rows: tuple[PlanRow, ...]
    curve: tuple[CurvePoint, ...]

    reference: ClassVar[str] = (
        "T. Sakai. Topic Set Size Design. Information Retrieval Journal, 2016; "
        "J. Cohen. Statistical Power Analysis for the Behavioral Sciences. 1988."
    )
    header: ClassVar[tuple[str, ...]] = ("metric", "design", "difference", "sd", "level", "power", "topics")

    def as_dict(self) -> dict[str, Any]:
        """Rows and curve, in JSON types."""
        return {
            "rows": self.records(),
            "curve": [asdict(point) for point in self.curve],
            **self._provenance(),
        }

    def to_text(self, width: int = 80) -> str:
        """The table, the curve, and each result as a sentence."""
        lines = [self.display().text(width)]
        if self.curve:
            head = "topics   power   smallest difference with the power asked for"
            for metric in dict.fromkeys(point.metric for point in self.curve):
                lines.append(f"{metric + ': ' if metric else ''}paired t-test\n{head}")
                for point in (one for one in self.curve if one.metric == metric):
                    power = number_text(point.power, missing=" " * 6)
                    lines.append(f"{point.topics:>6}  {power}  {point.smallest:.4f}")
                lines.append("")
        return "\n".join([*lines, *(statement.text for statement in self.statements), ""])


@takes_settings
def plan(
    judgments: JudgmentsLike | None = None,
    runs: RunsLike | None = None,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    sd: float | None = None,
    difference: float | None = None,
    power: float = POWER,
    level: float = LEVEL,
    topics: int | None = None,
    systems: int | None = None,
    comparisons: int | None = None,
    designs: Sequence[Design] | None = None,
    model: JudgmentsLike | None = None,
    model_topics: int | None = None,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Plan:
    """Plan the number of topics, from pilot runs or from a standard deviation.

    Args:
        judgments: of the pilot: whatever `diveval.evaluate` takes (of answers: nuggets and texts); None with `sd`.
        runs: two pilot runs or more (of answers: files of labels); None with `sd`.
        metrics: one plan for each.
        sd: the standard deviation of the differences between two systems over topics (for `anova` that of a system's
            scores), instead of pilot runs.
        difference: the smallest difference that matters; for the design `interval` the full width.
        power: the probability of finding it.
        level: of the two-sided test; intervals have the confidence 1 − level.
        topics: show what this number of topics can find.
        systems: how many systems ANOVA compares (default: as many as pilot runs).
        comparisons: plan at level / comparisons too (default: every pair of the pilot runs).
        designs: `paired-t`, `anova`, `interval`, `ppi`; default: all that the input allows.
        model: judgments by a model on the pilot's topics (of answers: its labels), or more: plans how many topics people label for the estimate
            from both labels.
        model_topics: how many topics the model will label besides those of people (default: any number).
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    _check(sd, difference, power, level, topics, systems, comparisons, model_topics)
    asked = _check_designs(designs)
    setup = Setup()
    if sd is not None:
        if judgments is not None or runs is not None or model is not None:
            raise UsageError("conflicting-options", "give pilot runs or a standard deviation, not both")
        spreads, count = [Spread("", float(sd), None, float(sd))], systems
    else:
        if runs is None or (judgments is None and not is_of_answers(runs)):
            raise UsageError(
                "missing-argument", "a plan needs pilot judgments and runs, or a standard deviation (--sd)"
            )
        scores, by_model = _score_pilot(judgments, runs, metrics, model, options, weights)
        spreads, count = [*_measure(scores, by_model)], systems or len(scores.runs)
        comparisons = comparisons or math.comb(len(scores.runs), 2)
        setup = scores.setup
    if model is None and asked is not None and "ppi" in asked:
        raise UsageError("missing-argument", "the design ppi needs the model's judgments of the pilot (--model)")
    if asked is not None and "anova" in asked and not count:
        raise UsageError("missing-argument", "the design anova needs the number of systems (--systems)")
    usable = [d for d in DESIGNS if (d != "ppi" or model is not None) and (d != "anova" or count)]
    kept = [d for d in usable if asked is None or d in asked]
    levels = [level, level / comparisons] if comparisons and comparisons > 1 else [level]
    rows, curve = [], []
    for spread in spreads:
        if difference is not None:
            for design in kept:
                for own in levels if design in ("paired-t", "ppi") else [level]:
                    rows.append(_plan_row(spread, design, difference, power, own, count or 2, model_topics))
        curve += [_point(spread, n, difference, power, level) for n in ((topics,) if topics else CURVE)]
    found = [*_sum_up(rows, level), *(_describe(row, comparisons) for row in rows)]
    return Plan(tuple(rows), tuple(curve), statements=tuple(found), setup=replace(setup, confidence=1 - level))


def _score_pilot(
    judgments: Any, runs: Any, metrics: Any, model: Any, options: Options | None, weights: Any
) -> tuple[Scores, Scores | None]:
    """The pilot's scores by people, and by the model if it labelled the pilot too; of rankings or of answers."""
    if is_of_answers(runs):
        missing, asked = refuse_ranking_options(options, weights), name_answer_metrics(metrics)
        if model is None:
            return load_material(judgments, runs, metrics, options, weights).score(runs), None
        judged, _ = load_answer_judges([runs, model], judgments)
        first, second = score_judges(judged, asked, missing)
        return first, second
    people = load_material(judgments, runs, metrics, options, weights).score(runs)
    return people, None if model is None else load_material(model, runs, metrics, options, weights).score(runs)


MOST = 10**9  # topics, systems or comparisons


def _check(
    sd: float | None,
    difference: float | None,
    power: float,
    level: float,
    topics: int | None,
    systems: int | None,
    comparisons: int | None,
    model_topics: int | None,
) -> None:
    for name, value in (("sd", sd), ("difference", difference)):
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if value is not None and not (number and value > 0):
            raise UsageError("out-of-range", f"{name} must be a number above 0, got {value}")
    require_fraction("power", power)
    require_fraction("level", level)
    if power <= level:
        raise UsageError("out-of-range", f"power must be above the level {level:g}, got {power:g}")
    wholes = {"topics": (topics, 2), "systems": (systems, 2), "comparisons": (comparisons, 1)}
    for name, (whole, least) in {**wholes, "model_topics": (model_topics, 2)}.items():
        if whole is not None and (isinstance(whole, bool) or not isinstance(whole, int) or not least <= whole <= MOST):
            raise UsageError("out-of-range", f"{name} must be a whole number from {least} to {MOST:,}, got {whole}")
    if difference is None and topics is None:
        raise UsageError("missing-argument", "give a difference (--difference) or a number of topics (--topics)")


def _check_designs(designs: Sequence[Design] | None) -> Sequence[Design] | None:
    if isinstance(designs, str):
        raise UsageError("wrong-type", f"designs are a list of names, got {designs!r}")
    for design in designs or ():
        if design not in DESIGNS:
            raise UsageError("invalid-choice", f"no design {design!r}", hint=f"choose from {', '.join(DESIGNS)}")
    return designs


def _measure(scores: Scores, by_model: Scores | None) -> Iterator[Spread]:
    """The spreads of each metric over the topics that all runs count: √(2 · residual variance) for differences."""
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"a plan needs two pilot runs or more, got {len(scores.runs)}")
    require_variances(scores)
    paired = None if by_model is None else pair_scores(scores, by_model)
    for m, metric in enumerate(scores.metrics):
        complete = np.logical_and.reduce(scores.counted[:, m], axis=0)
        table = scores.values[:, m][:, complete]
        if table.shape[1] < 2:
            raise UsageError("too-few-topics", f"{metric}: a plan needs two pilot topics or more, got {table.shape[1]}")
        if table.shape[1] < FEW_TOPICS:
            warn("too-few-topics", f"{metric}: only {table.shape[1]} pilot topics: the plan is rough")
        variance = 2 * residual_moments(table, table)
        if variance <= 0:
            raise UsageError("undefined-value", f"{metric}: the pilot runs differ by a constant: there is no variance")
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        within = math.sqrt(float(table.var(axis=1, ddof=1).mean()))
        covariance = model_variance = 0.0
        if paired is not None:
            both = np.logical_and.reduce(paired.counted_y[:, m] & paired.counted_f[:, m], axis=0)
            y, f = (part[:, m][:, both] for part in (paired.y, paired.f))
            covariance, model_variance = 2 * residual_moments(y, f), 2 * residual_moments(f, f)
            variance = 2 * residual_moments(y, y)
        yield Spread(metric, math.sqrt(variance), freedom, within, covariance, model_variance)


def _plan_row(
    spread: Spread, design: Design, difference: float, power: float, level: float, systems: int, model: int | None
) -> PlanRow:
    sd = (spread.within or spread.sd) if design == "anova" else spread.sd
    count = partial(_count_topics, spread, design, difference, power, level, systems, model)
    low = high = None
    if spread.freedom is not None:
        low, high = (count(scale * sd) for scale in sd_interval(1.0, spread.freedom, CONFIDENCE))
    shown = None if design == "interval" else power
    if design == "ppi":
        sd = math.sqrt(max(_correct_variance(spread, _best_tuning(spread, math.inf, 1)), 0.0))
    base = (spread.within or spread.sd) if design == "anova" else spread.sd
    return PlanRow(spread.metric, design, difference, sd, level, shown, count(base), low, high)


def _count_topics(
    spread: Spread,
    design: Design,
    difference: float,
    power: float,
    level: float,
    systems: int,
    model: int | None,
    sd: float,
) -> int | None:
    """The fewest topics of a design, if the standard deviation is `sd`."""
    if design == "interval":
        return topics_for_width(difference, sd, 1 - level)
    enough: Callable[[int], bool]
    if design == "anova":
        enough = lambda n: anova_power(difference, sd, systems, n, level) >= power  # noqa: E731
    elif design == "paired-t":
        enough = lambda n: t_power(difference, sd, n, level) >= power  # noqa: E731
    else:
        scale = sd / spread.sd
        enough = lambda n: (  # noqa: E731
            power_of_shift(difference / (scale * _error(spread, n, model)), n - 1, level) >= power
        )
    return fewest_topics(enough)


def _best_tuning(spread: Spread, model: float, people: int) -> float:
    """λ* for these numbers of topics."""
    if spread.model_variance <= 0:
        return 0.0
    return min(1.0, max(0.0, spread.covariance / ((1 + people / model) * spread.model_variance)))


def _correct_variance(spread: Spread, tuning: float) -> float:
    return spread.sd**2 - 2 * tuning * spread.covariance + tuning**2 * spread.model_variance


def _error(spread: Spread, people: int, model: int | None) -> float:
    """The standard error of a difference estimated from both labels; without `model`, with any number of its topics."""
    size = math.inf if model is None else model
    tuning = _best_tuning(spread, size, people)
    squares = tuning**2 * spread.model_variance / size + max(_correct_variance(spread, tuning), 0.0) / people
    return max(math.sqrt(squares), 1e-300)


def _point(spread: Spread, topics: int, difference: float | None, power: float, level: float) -> CurvePoint:
    found = None if difference is None else t_power(difference, spread.sd, topics, level)
    start = interval_width(spread.sd, topics, 1 - level)
    smallest = smallest_difference(lambda d: t_power(d, spread.sd, topics, level), power, start)
    return CurvePoint(spread.metric, topics, level, found, smallest)


def trace_power(scores: Scores, power: float = POWER, level: float = LEVEL) -> tuple[CurvePoint, ...]:
    """For each metric, the smallest difference that numbers of topics find, also that of these runs, the pilot."""
    topics = sorted({*CURVE, len(scores.topics)})
    return tuple(_point(spread, n, None, power, level) for spread in _measure(scores, None) for n in topics)


def _describe(row: PlanRow, comparisons: int | None) -> Statement:
    return Statement("plan", {**asdict(row), "comparisons": comparisons}, (asdict(row),))


def _sum_up(rows: Sequence[PlanRow], level: float) -> Iterator[Statement]:
    """All metrics in one sentence, by the paired t-test at the level asked for."""
    own = [row for row in rows if row.design == "paired-t" and row.level == level]
    if len(own) > 1 or (own and own[0].metric):
        facts = {"topics": {row.metric: row.topics for row in own}, "difference": own[0].difference}
        yield Statement("plan-all", {**facts, "power": own[0].power, "level": level}, tuple(asdict(row) for row in own))


@words("plan-all")
def _all_words(topics: dict[str, int | None], difference: float, power: float, level: float) -> str:
    (first, needed), *rest = sorted(topics.items(), key=lambda pair: (pair[1] is None, pair[1] or 0))
    shown = "more than a billion topics" if needed is None else count_of(needed, "topic")
    others = "".join(f", {metric} {'more than a billion' if n is None else f'{n:,}'}" for metric, n in rest)
    return (
        f"{first} needs {shown} to find {difference:g}{others} (paired t-test, level {level:g}, power {power:g}; assumed:"
        " topics like those of the pilot, and differences that vary as its runs' do)."
    )


@words("plan")
def _plan_words(
    metric: str,
    design: Design,
    difference: float,
    sd: float,
    level: float,
    power: float | None,
    topics: int | None,
    topics_low: int | None,
    topics_high: int | None,
    comparisons: int | None,
) -> str:
    what = {
        "paired-t": f"to find a difference of {difference:g} by the paired t-test",
        "anova": f"to find a difference of {difference:g} between best and worst by one-way ANOVA",
        "interval": f"for an interval of a difference that is {difference:g} wide",
        "ppi": f"labelled by people to find a difference of {difference:g} from people's and the model's labels",
    }[design]
    needed = "no number of topics is enough" if topics is None else f"{count_of(topics, 'topic')} needed"
    how = f"level {level:.3g}" + ("" if power is None else f", power {power:g}") + f", standard deviation {sd:.4f}"
    span = "" if topics_low is None or topics_high is None else f"; {topics_low} to {topics_high} by its 95 % interval"
    return f"{metric or 'These scores'}: {needed} {what} ({how}{span})."
