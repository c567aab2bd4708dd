"""`diveval.judges`: may a model's labels be trusted, and what do people's and the model's labels say together?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.defaults import CONFIDENCE, HEADLINE, QUICK_RESAMPLES, SEED
from diveval.errors import UsageError, capture_warnings, warn
from diveval.judging.bias import Bias, measure_bias
from diveval.judging.estimates import EstimateRow, NextLabels, estimate_all, plan_next
from diveval.judging.labels import LabelAgreement, compare_labels
from diveval.judging.paired_scores import PairedScores, pair_scores, warn_about_topics
from diveval.judging.sentences import describe_judges
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.table_text import align
from diveval.scoring.evaluate import load_judgments, read_once, score_runs
from diveval.settings import Options
from diveval.stats.ties import require_fraction, require_resamples

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Sample = Literal["random", "chosen"]


@dataclass(frozen=True, repr=False)
class Judges(Result):
    """Estimates from people's and a model's labels, the agreement of the labels, and the model's bias."""

    people: str
    models: tuple[str, ...]
    topics_both: int  # n
    topics_model: int  # N, with the model's labels only
    topics_left_out: int  # with people's labels only
    confidence: float
    rows: tuple[EstimateRow, ...]
    agreement: tuple[LabelAgreement, ...]  # of people with each model, then of every two models
    bias: Bias
    next: tuple[NextLabels, ...]

    reference: ClassVar[str] = (
        "A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic. Prediction-Powered Inference. Science, 2023; "
        "A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: Efficient Prediction-Powered Inference. 2023."
    )
    header: ClassVar[tuple[str, ...]] = (
        "run", "against", "metric", "estimator", "estimate", "low", "high", "topics_people", "topics_model", "lambda",
    )  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, with significance and saved topics."""
        return [row.as_dict() for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """Rows, label agreement and bias, in JSON types."""
        return {
            "people": self.people,
            "models": list(self.models),
            "topics": {"both": self.topics_both, "model": self.topics_model, "left_out": self.topics_left_out},
            "confidence": self.confidence,
            "rows": self.records(),
            "agreement": [one.as_dict() for one in self.agreement],
            "bias": asdict(self.bias),
            "next": [asdict(one) for one in self.next],
            **self._provenance(),
        }

    def row(self, run: str, metric: str, against: str = "", estimator: str = "both") -> EstimateRow:
        """One row by its names."""
        wanted = (run, against, metric, estimator)
        for row in self.rows:
            if (row.run, row.against, row.metric, row.estimator) == wanted:
                return row
        raise UsageError("unknown-run", f"no estimate for {wanted}")

    def to_text(self, width: int = 80) -> str:
        """Label agreement, the estimates side by side, and what follows from them."""
        lines = [
            f"people: {self.people}; model: {', '.join(self.models)}",
            f"{self.topics_both} topics with labels of both, {self.topics_model} with the model's only",
            "",
        ]
        for one in self.agreement:
            lines += [*describe_agreement(one), ""]
        for metric in dict.fromkeys(row.metric for row in self.rows):
            lines += [*self._table(metric), ""]
        lines += [f"* {statement.text}" for statement in self.statements]
        return "\n".join(lines) + "\n"

    def _table(self, metric: str) -> list[str]:
        """The means of the runs on a metric, by the three estimators."""
        own = [row for row in self.rows if row.metric == metric and not row.against]
        head = [metric, "people", "model", "both", "λ", "saved"]
        cells = []
        for run in dict.fromkeys(row.run for row in own):
            people, model, both = (row for row in own if row.run == run)
            tuning = "" if both.tuning is None else f"{both.tuning:.2f}"
            cells.append(
                [run, *map(_interval, (people, model, both)), tuning, "" if both.saved is None else str(both.saved)]
            )
        return align([head, *cells], ["<", ">", ">", ">", ">", ">"])


def _interval(row: EstimateRow) -> str:
    if row.estimate is None:
        return "–"
    return f"{row.estimate:.4f}" + ("" if row.low is None else f" [{row.low:.4f}, {row.high:.4f}]")


def describe_agreement(one: LabelAgreement) -> list[str]:
    """Items, confusion matrix and coefficients of two judges, as lines of text."""
    rows = [[f"{one.first} × {one.second}", *(f"{label:g}" for label in one.labels)]]
    rows += [[f"{label:g}", *map(str, counts)] for label, counts in zip(one.labels, one.confusion, strict=True)]
    cells = []
    for c in one.coefficients:
        ends = "" if c.low is None or c.high is None else f" [{c.low:.3f}, {c.high:.3f}]"
        cells.append([c.name.replace("_", " "), "undefined" if c.value is None else f"{c.value:.3f}{ends}"])
    labelled = f"{one.items:,} items of {one.topics} topics labelled by both, matched by {one.matched}"
    return [labelled, *align(rows, ["<", *[">"] * len(one.labels)]), *align(cells, ["<", "<"])]


@takes_settings
def judges(
    people: JudgmentsLike,
    model: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    models: Sequence[JudgmentsLike] = (),
    sample: Sample = "random",
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Judges:
    """Estimate scores from few topics labelled by people and many labelled by a model, and show what the model does.

    A run's score is estimated by people alone, by the model alone and by both (PPI++), and so is every difference of two
    runs. The estimate by both is unbiased however wrong the model is, if the topics that people labelled are a random
    sample of all topics and people's labels were not used to tune the model.

    Args:
        people: judgments by people, on some of the topics: whatever `diveval.evaluate` takes.
        model: judgments by a model, on these topics and more.
        runs: one run or more, in any shape.
        metrics: names, formulas or functions, as in `diveval.evaluate`.
        models: judgments by further models: a topic's score by the model is then the mean over all of them.
        sample: how the topics that people labelled were chosen. `chosen`: by hand, which makes estimates invalid: refused.
        confidence: level of all intervals; a pair is significant when its adjusted p is below 1 − confidence.
        resamples: resamples of the topics for the intervals of label agreement and rank correlations.
        seed: seed of the resampling.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen = options or Options()
    _check(sample, confidence, resamples, seed)
    asked = as_metrics(metrics)
    truth, *labelled = (load_judgments(one, chosen, weights) for one in (people, model, *models))
    names = name_judges([truth, *labelled])
    agreement = _agreements([truth, *labelled], names, confidence=confidence, resamples=resamples, seed=seed)
    # Each judge's scores are those of `evaluate` with that judge's file; a run is read for each of them.
    readable: RunsLike = read_once(runs, chosen) if _needs_memory(runs) else runs
    with capture_warnings() as notes:
        scores = [score_runs(one, readable, asked, chosen) for one in (truth, *labelled)]
    for note in notes:
        warn(note.code, note.message)
    _warn_about_scales([truth, *labelled], names, chosen)
    paired = pair_scores(scores[0], average_scores(scores[1:]))
    return judge_scores(paired, scores[0], names, agreement, confidence=confidence, resamples=resamples, seed=seed)


def _check(sample: str, confidence: float, resamples: int, seed: int) -> None:
    if sample not in ("random", "chosen"):
        raise UsageError("invalid-choice", f"sample is random or chosen, got {sample!r}")
    if sample == "chosen":
        raise UsageError(
            "sample-not-random",
            "topics chosen by hand are not a sample of all topics: no estimate from both labels is valid",
            hint="have people label topics drawn at random, or use `diveval evaluate` on people's topics",
        )
    require_fraction("confidence", confidence)
    require_resamples("resamples", resamples, seed, topics=1000)


def name_judges(judged: Sequence[Judgments]) -> tuple[str, ...]:
    """A name for each judge: its file, or `people` and `model`; equal names get a number."""
    out: list[str] = []
    for i, one in enumerate(judged):
        name = one.source or ("people" if i == 0 else "model")
        out.append(name if name not in out else f"{name}#{i + 1}")
    return tuple(out)


def _agreements(
    judged: Sequence[Judgments], names: tuple[str, ...], *, confidence: float, resamples: int, seed: int
) -> tuple[LabelAgreement, ...]:
    """The agreement of every two judges, people first."""
    return tuple(
        compare_labels(
            judged[i], judged[j], (names[i], names[j]), confidence=confidence, resamples=resamples, seed=seed
        )
        for i, j in combinations(range(len(judged)), 2)
    )


def _needs_memory(runs: RunsLike) -> bool:
    """Whether a run can be read only once: standard input, or an iterator."""
    listed = runs if isinstance(runs, list | tuple) else [runs]
    return any(isinstance(one, str) and one == "-" for one in listed) or hasattr(runs, "__next__")


def average_scores(tables: Sequence[Scores]) -> Scores:
    """The mean of several models' scores, on the topics that all of them labelled."""
    if len(tables) == 1:
        return tables[0]
    shared = [topic for topic in tables[0].topics if all(topic in set(other.topics) for other in tables[1:])]
    if not shared:
        raise UsageError("no-shared-topic", "the models have no topic in common")
    left = {topic for table in tables for topic in table.topics} - set(shared)
    if left:
        warn("topics-left-out", f"{len(left)} topics are not labelled by every model: left out")
    chosen = [table.select(topics=shared) for table in tables]
    values = np.mean([table.values for table in chosen], axis=0)
    counted = np.logical_and.reduce([table.counted for table in chosen])
    return replace(chosen[0], values=values, counted=counted)


def _warn_about_scales(judged: Sequence[Judgments], names: tuple[str, ...], options: Options) -> None:
    """Warn where judges use other highest grades, since `gmax="file"` then scales their gains differently."""
    highest = {name: one.highest for name, one in zip(names, judged, strict=True)}
    if options.relevance.gmax == "file" and len(set(highest.values())) > 1:
        listed = ", ".join(f"{name} {grade:g}" for name, grade in highest.items())
        warn("different-scales", f"the highest grades differ ({listed}): --gmax makes their gains comparable")


def judge_scores(
    paired: PairedScores,
    people: Scores,
    names: tuple[str, ...],
    agreement: tuple[LabelAgreement, ...],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
) -> Judges:
    """Estimates, bias and order from scores under both judges, of rankings or of answers."""
    warn_about_topics(paired)
    rows = list(estimate_all(paired, confidence))
    bias = measure_bias(paired, confidence=confidence, resamples=resamples, seed=seed)
    following = plan_next(paired, rows, confidence)
    setup = replace(people.setup, confidence=confidence, resamples=resamples, seed=seed, test="t", correction="holm")
    return Judges(
        names[0],
        names[1:],
        paired.shared,
        len(paired.topics) - paired.shared,
        len(paired.people_only),
        confidence,
        tuple(rows),
        agreement,
        bias,
        tuple(following),
        setup=setup,
        statements=describe_judges(paired, rows, bias, following, people.setup.judged, confidence),
    )
