"""`diveval.judges`: may a model's labels be trusted, and what do people's and the model's labels say together?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.conclusions.all_pairs import conclude
from diveval.defaults import CONFIDENCE, HEADLINE, QUICK_RESAMPLES, SEED
from diveval.errors import DivevalError, InputError, UsageError, capture_warnings, warn
from diveval.judging.answer_labels import is_of_answers, refuse_ranking_options, score_judges
from diveval.judging.estimates import EstimateRow, NextLabels, estimate_all, plan_next
from diveval.judging.judged_runs import (
    agree_on_answers,
    agree_on_labels,
    average_scores,
    describe_judge,
    keep_readable,
    load_answer_judges,
    name_answer_metrics,
    name_judges,
    score_under,
    warn_about_scales,
)
from diveval.judging.labels import LabelAgreement
from diveval.judging.paired_scores import Bias, PairedScores, measure_bias, pair_scores, warn_about_topics
from diveval.judging.sentences import describe_judges
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.table_text import align, number_text
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.settings import Options
from diveval.stats.ties import require_fraction, require_resamples

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Sample = Literal["random", "chosen"]
Interval = Literal["t", "bootstrap-t"]
Prices = tuple[float, float] | tuple[float, float, float]


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
            lines += [*self._table(metric, width), ""]
        if any(one.cost_people is not None or one.cost_model is not None for one in self.next):
            lines += [*self._list_next(width), ""]
        lines += [f"* {statement.text}" for statement in self.statements]
        return "\n".join(lines) + "\n"

    def _list_next(self, width: int) -> list[str]:
        """Every kind of label that could be bought next, with its price and what it decides."""
        rows = [["metric", "pair", "labels to buy", "number", "price", "would decide"]]
        for one in self.next:
            for kind, number, cost, decides in one.options():
                priced = "–" if cost is None else f"{cost:,.6g}"
                count, what = ("–", "nothing") if number is None else (f"{number:,}", decides)
                rows.append([one.metric, f"{one.run}, {one.other}", kind, count, priced, what])
        return align(rows, ["<", "<", "<", ">", ">", "<"], width=width)

    def _table(self, metric: str, width: int) -> list[str]:
        """The means of the runs on a metric, by the three estimators."""
        own = [row for row in self.rows if row.metric == metric and not row.against]
        head = [metric, "people", "model", "both", "λ", "saved"]
        cells = []
        for run in dict.fromkeys(row.run for row in own):
            people, model, both = (row for row in own if row.run == run)
            tuning = number_text(both.tuning, 2, missing="")
            cells.append(
                [run, *map(_interval, (people, model, both)), tuning, "" if both.saved is None else str(both.saved)]
            )
        return align([head, *cells], ["<", ">", ">", ">", ">", ">"], width=width)


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
        cells.append([c.name.replace("_", " "), number_text(c.value, 3, missing="undefined") + ends])
    labelled = f"{one.items:,} items of {one.topics} topics labelled by both, matched by {one.matched}"
    left = [one.describe_left_out()] if one.describe_left_out() else []
    return [labelled, *left, *align(rows, ["<", *[">"] * len(one.labels)]), *align(cells, ["<", "<"])]


@takes_settings
def judges(
    people: JudgmentsLike,
    model: JudgmentsLike,
    runs: RunsLike | None = None,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    models: Sequence[JudgmentsLike] = (),
    sample: Sample = "random",
    interval: Interval = "t",
    prices: Prices | None = None,
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

    Answers are judged in the same way: `people` and `model` are then files or folders with labels of the same answers, as
    `diveval answers` takes them, or what `diveval.answers.gather` returns.

    Args:
        people: judgments by people, on some of the topics: whatever `diveval.evaluate` takes; or labels of answers.
        model: judgments by a model, on these topics and more; or labels of answers.
        runs: one run or more, in any shape; None: agreement of the labels only. Of answers, files that all judges share:
            nuggets and texts.
        metrics: names, formulas or functions, as in `diveval.evaluate`; of answers, names of metrics of answers.
        models: judgments by further models: a topic's score by the model is then the mean over all of them.
        sample: how the topics that people labelled were chosen. `chosen`: by hand, which makes estimates invalid: refused.
        interval: `t`, or `bootstrap-t`, which resamples the topics: for few topics with many equal scores, such as 0.
        prices: of a topic labelled by people and by the model, in any unit: which labels are cheapest to buy next; a third
            price, of a document labelled by people, compares them with labels of unjudged documents.
        confidence: level of all intervals; a pair is significant when its adjusted p is below 1 − confidence.
        resamples: resamples of the topics for the intervals of label agreement and rank correlations.
        seed: seed of the resampling.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    _check(sample, interval, prices, confidence, resamples, seed)
    given = (people, model, *models)
    how: Any = {"confidence": confidence, "resamples": resamples, "seed": seed}
    kinds = [is_of_answers(one) for one in given]
    if any(kinds) and not all(kinds):
        answers, others = given[kinds.index(True)], given[kinds.index(False)]
        what = f"{describe_judge(answers)} contains labels of answers, and {describe_judge(others)} does not"
        raise InputError("wrong-kind-of-file", what, hint="both judges label answers, or both label documents")
    if all(kinds):
        missing = refuse_ranking_options(options, weights)
        if prices is not None and len(prices) == 3:
            raise UsageError("option-not-applicable", "answers have no unjudged documents: prices are two numbers")
        return _judge_answers(given, runs, metrics, missing, interval, prices, how)
    chosen = options or Options()
    judged = [load_judgments(one, chosen, weights) for one in given]
    names = name_judges(judged)
    agreement = agree_on_labels(judged, names, **how)
    if runs is None or (isinstance(runs, list | tuple) and not runs):
        return _describe_labels(judged, names, agreement, confidence)
    runs = keep_readable(runs, chosen)
    scores = score_under(judged, runs, as_metrics(metrics), chosen)
    warn_about_scales(judged, names, chosen)
    paired = pair_scores(scores[0], average_scores(scores[1:], names[1:]))
    count: CountDocuments | None = None
    if prices is not None and len(prices) == 3:
        count = partial(count_documents, judged[0], runs, as_metrics(metrics), chosen)
    return judge_scores(paired, scores[0], names, agreement, interval=interval, prices=prices, count=count, **how)


def _judge_answers(
    given: Sequence[Any], shared: Any, metrics: Any, missing: Any, interval: Interval, prices: Any, how: Any
) -> Judges:
    """The same of answers."""
    asked = name_answer_metrics(metrics)
    judged, names = load_answer_judges(given, shared)
    agreement = agree_on_answers(judged, **how)
    scores = score_judges(judged, asked, missing)
    paired = pair_scores(scores[0], average_scores(scores[1:], names[1:]))
    return judge_scores(paired, scores[0], names, agreement, interval=interval, prices=prices, **how)


def _describe_labels(
    judged: Sequence[Judgments], names: tuple[str, ...], agreement: tuple[LabelAgreement, ...], confidence: float
) -> Judges:
    """Judges without runs: how far their labels agree."""
    topics = [set(one.topics) for one in judged]
    model = set.intersection(*topics[1:])
    counts = len(topics[0] & model), len(model - topics[0]), len(topics[0] - model)
    nothing = Bias((), (), (), ())
    return Judges(
        names[0], names[1:], *counts, confidence, (), agreement, nothing, (), setup=Setup(confidence=confidence)
    )


def _check(sample: str, interval: str, prices: Prices | None, confidence: float, resamples: int, seed: int) -> None:
    if sample not in ("random", "chosen"):
        raise UsageError("invalid-choice", f"sample is random or chosen, got {sample!r}")
    if interval not in ("t", "bootstrap-t"):
        raise UsageError("invalid-choice", f"interval is t or bootstrap-t, got {interval!r}")
    if prices is not None and (len(prices) not in (2, 3) or not all(0 <= price < math.inf for price in prices)):
        what = "prices are two or three numbers of at least 0: of a topic by people, by the model, and of a document"
        raise UsageError("out-of-range", f"{what}, got {prices}")
    if sample == "chosen":
        raise UsageError(
            "sample-not-random",
            "topics chosen by hand are not a sample of all topics: no estimate from both labels is valid",
            hint="have people label topics drawn at random, or use `diveval evaluate` on people's topics",
        )
    require_fraction("confidence", confidence)
    require_resamples("resamples", resamples, seed, topics=1000)


def judge_scores(
    paired: PairedScores,
    people: Scores,
    names: tuple[str, ...],
    agreement: tuple[LabelAgreement, ...],
    *,
    interval: Interval = "t",
    prices: Prices | None = None,
    count: CountDocuments | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
) -> Judges:
    """Estimates, bias and order from scores under both judges, of rankings or of answers."""
    warn_about_topics(paired)
    drawn = (resamples, seed) if interval == "bootstrap-t" else None
    rows = list(estimate_all(paired, confidence, drawn))
    bias = measure_bias(paired, confidence=confidence, resamples=resamples, seed=seed)
    following = plan_next(paired, rows, confidence, None if prices is None else (prices[0], prices[1]))
    if count is not None and prices is not None:
        following = [add_documents(one, count, prices[-1]) for one in following]
    setup = replace(
        people.setup,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        test="t" if drawn is None else "bootstrap",
        correction="holm",
    )
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
        statements=describe_judges(paired, rows, bias, following, people.setup.judged, confidence, interval),
    )


CountDocuments = Callable[[NextLabels], tuple[int, bool] | None]


def count_documents(
    people: Judgments, runs: RunsLike, metrics: Sequence[Metric], options: Options, pair: NextLabels
) -> tuple[int, bool] | None:
    """How many unjudged documents could each reduce the lead of a pair on people's topics, if labels of some could reverse
    it, and whether they could; None where the metric has no bound over labels.

    These are the documents of `diveval conclusions --unjudged any --budget` for these two runs.
    """
    metric = next(one for one in metrics if one.name == pair.metric)
    found = None
    with capture_warnings():  # they were issued when the runs were scored
        read = rank_all(people, runs, [metric], options, keep_documents=True)
        rankings = {order: [run for run in of if run.name in (pair.run, pair.other)] for order, of in read.items()}
        try:
            found = conclude(
                people, (), metric, unjudged="any", worth=True, significance=False, rankings=rankings, options=options
            )
        except DivevalError as error:
            reason = str(error)
    if found is None:
        warn("documents-not-compared", f"{pair.metric}: unjudged documents are not compared: {reason}")
        return None
    (row,) = found.rows
    if row.verdict == "undecided":
        warn("documents-not-compared", f"{pair.metric}: unjudged documents are not compared: {row.witness}")
        return None
    return len(found.to_judge), row.verdict == "flips"


def add_documents(pair: NextLabels, count: CountDocuments, price: float) -> NextLabels:
    """The pair with the documents that could be labelled, at a price for each."""
    found = count(pair)
    return pair if found is None else pair.add_documents(*found, price)
