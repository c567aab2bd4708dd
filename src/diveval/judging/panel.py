"""`diveval.panel`: several judges, none of them the reference. Do they agree, and what holds whoever is asked?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.collection.topic_ids import find_shared
from diveval.defaults import CONFIDENCE, HEADLINE, QUICK_RESAMPLES, SEED
from diveval.errors import UsageError, count_of, warn
from diveval.judging.answer_labels import is_of_answers, refuse_ranking_options, score_judges
from diveval.judging.judged_runs import (
    agree_on_answers,
    agree_on_labels,
    load_answer_judges,
    name_answer_metrics,
    name_judges,
    score_under,
    warn_about_scales,
)
from diveval.judging.labels import Item, LabelAgreement, have_shared_aspects, labels_of
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.reading.judge_labels import most_frequent
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.statements import Statement, words
from diveval.results.table_text import number_text
from diveval.scoring.evaluate import load_judgments
from diveval.settings import Options
from diveval.stats.agreement import krippendorff
from diveval.stats.intervals import draw_with_replacement, t_quantile, two_sided_p
from diveval.stats.paired import Paired, t_test
from diveval.stats.tests import alpha_of, holm
from diveval.stats.ties import noise_of, require_fraction, require_resamples, require_variances, without_noise

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Floats = NDArray[np.float64]
FEW_JUDGES = 5  # resampling fewer says little about other judges
MOST_SHOWN = 10  # items with most disagreement


@dataclass(frozen=True)
class DisputedItem:
    """An item on which judges disagree, with the label of each judge who labelled it; `spread` is highest − lowest."""

    item: Item
    labels: Mapping[str, float]
    mean: float
    majority: float
    spread: float


@dataclass(frozen=True)
class PanelRow:
    """A pair of runs on a metric: `difference` is the mean over judges and topics of `run` − `other`.

    The interval is Student's, with the standard error of that mean over resampled judges and topics. `every_judge`: the difference has the same sign under each of them;
    `significant_judges`: under how many of them it is significant (t, Holm).
    """

    run: str
    other: str
    metric: str
    difference: float
    low: float
    high: float
    p_adjusted: float
    significant: bool
    every_judge: bool
    significant_judges: int
    judges: int
    topics: int


@dataclass(frozen=True, repr=False)
class Panel(Result):
    """Several judges: their agreement, the labels of the panel, and the order of runs under it."""

    judges: tuple[str, ...]
    topics: int  # that all judges cover
    confidence: float
    rows: tuple[PanelRow, ...]
    agreement: tuple[LabelAgreement, ...]
    alpha: float | None  # Krippendorff's ordinal α of all judges
    disputed: tuple[DisputedItem, ...]  # most disagreement first
    labels: Mapping[Item, Mapping[str, float]]

    reference: ClassVar[str] = "K. Krippendorff. Content Analysis. 2004."
    header: ClassVar[tuple[str, ...]] = tuple(PanelRow.__dataclass_fields__)

    def pool_labels(self, how: Literal["majority", "mean"] = "majority") -> dict[str, dict[str, dict[str, float]]]:
        """The panel's labels as judgments, `{topic: {aspect: {document: label}}}`.

        `majority` is the label that most judges gave, the lowest of those if several were given equally often.
        """
        if how not in ("majority", "mean"):
            raise UsageError("invalid-choice", f"labels of a panel are majority or mean, got {how!r}")
        combine = vote if how == "majority" else _mean
        out: dict[str, dict[str, dict[str, float]]] = {}
        for (topic, aspect, document), given in self.labels.items():
            out.setdefault(topic, {}).setdefault(aspect or "0", {})[document] = combine(list(given.values()))
        return out

    def as_dict(self) -> dict[str, Any]:
        """Rows, agreement and disputed items, in JSON types."""
        return {
            "judges": list(self.judges),
            "topics": self.topics,
            "confidence": self.confidence,
            "rows": self.records(),
            "agreement": [one.as_dict() for one in self.agreement],
            "alpha": self.alpha,
            "disputed": [{**asdict(one), "item": list(one.item), "labels": dict(one.labels)} for one in self.disputed],
            **self._provenance(),
        }

    def to_text(self, width: int = 80) -> str:
        """Agreement of every two judges, pairs of runs, disputed items, and what follows."""
        lines = [f"{len(self.judges)} judges, none of them the reference: {', '.join(self.judges)}", ""]
        for one in self.agreement:
            value = one.value("alpha")
            shown = number_text(value, 3, missing="undefined")
            kappa = one.value("kappa")
            lines.append(
                f"{one.first} × {one.second}: {one.items:,} items, agreement {one.value('agreement') or 0:.3f}, κ"
                f" {'undefined' if kappa is None else f'{kappa:.3f}'}, α {shown}"
            )
        lines += ["", self.display().text(width)] if self.rows else [""]
        for dispute in self.disputed[:MOST_SHOWN]:
            labels = ", ".join(f"{name} {label:g}" for name, label in dispute.labels.items())
            lines.append(f"disputed: {' '.join(filter(None, dispute.item))}: {labels}")
        return "\n".join([*lines, "", *(f"* {statement.text}" for statement in self.statements), ""])


def vote(labels: Sequence[float]) -> float:
    """The most frequent label; of those equally frequent the lowest."""
    return most_frequent(labels)[0]


def _mean(labels: Sequence[float]) -> float:
    return sum(labels) / len(labels)


@takes_settings
def panel(
    judges: Sequence[JudgmentsLike],
    runs: RunsLike | None = None,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Panel:
    """Show how far several judges agree and which order of runs holds under the panel, where nobody is the reference.

    Args:
        judges: two or more judgments of the same topics, each as `diveval.evaluate` takes them; or labels of answers.
        runs: one run or more; None: the labels only. Of answers, files that all judges share: nuggets and texts.
        metrics: names, formulas or functions, as in `diveval.evaluate`; of answers, names of metrics of answers.
        confidence: level of all intervals; a pair is significant when its adjusted p is below 1 − confidence.
        resamples: of topics, and of judges and topics.
        seed: seed of the resampling.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    require_fraction("confidence", confidence)
    require_resamples("resamples", resamples, seed, topics=1000)
    if not isinstance(judges, list | tuple) or len(judges) < 2:
        raise UsageError("missing-argument", "a panel is a list of two judges or more")
    how: Any = {"confidence": confidence, "resamples": resamples, "seed": seed}
    tables: list[Scores] = []
    if all(is_of_answers(one) for one in judges):
        missing = refuse_ranking_options(options, weights)
        answers, names = load_answer_judges(judges, runs)
        agreement = agree_on_answers(answers, **how)
        by_sentence = all(judge.has_sentences for judge in answers)
        given = [judge.labels(by_sentence=by_sentence) for judge in answers]
        tables = score_judges(answers, name_answer_metrics(metrics), missing)
    else:
        chosen = options or Options()
        judged = [load_judgments(one, chosen, weights) for one in judges]
        names = name_judges(judged)
        agreement = agree_on_labels(judged, names, **how)
        given = _labels_of_all(judged)
        if runs is not None and not (isinstance(runs, list | tuple) and not runs):
            tables = score_under(judged, runs, as_metrics(metrics), chosen)
            warn_about_scales(judged, names, chosen)
    if len(judges) < FEW_JUDGES:
        warn("few-judges", f"{len(judges)} judges: resampling them says little about what others would say")
    labels = join_labels(given, names)
    rows = tuple(_compare_runs(tables, names, confidence, resamples, seed)) if tables else ()
    topics = set.intersection(*({item[0] for item in own} for own in given))
    values = [list(own.values()) for own in labels.values()]
    disputed = tuple(list_disputed(labels))
    alpha = krippendorff(values, "ordinal")
    setup = tables[0].setup if tables else Setup()
    setup = replace(setup, confidence=confidence, resamples=resamples, seed=seed)
    shown = tuple(_describe(names, rows, len(disputed), sum(len(v) > 1 for v in values), alpha))
    return Panel(
        names, len(topics), confidence, rows, agreement, alpha, disputed, labels, setup=setup, statements=shown
    )


def _labels_of_all(judged: Sequence[Judgments]) -> list[dict[Item, float]]:
    """Each judge's labels; aspects are part of an item unless each judge has one aspect only."""
    aspects = any(have_shared_aspects(judged[0], other) for other in judged[1:])
    return [labels_of(one, aspects=aspects) for one in judged]


def join_labels(given: Sequence[Mapping[Item, float]], names: Sequence[str]) -> dict[Item, dict[str, float]]:
    """By item the label of every judge who gave one."""
    out: dict[Item, dict[str, float]] = {}
    for name, labels in zip(names, given, strict=True):
        for item, label in labels.items():
            out.setdefault(item, {})[name] = label
    return out


def list_disputed(labels: Mapping[Item, Mapping[str, float]]) -> list[DisputedItem]:
    """The items with more than one label, the largest variance first, then by id."""
    found = [
        DisputedItem(item, dict(own), _mean(list(own.values())), vote(list(own.values())),
                     max(own.values()) - min(own.values()))
        for item, own in labels.items()
        if len(set(own.values())) > 1
    ]  # fmt: skip
    variance: Callable[[DisputedItem], float] = lambda one: float(np.var(list(one.labels.values())))  # noqa: E731
    return sorted(found, key=lambda one: (-variance(one), one.item))


def _compare_runs(
    tables: Sequence[Scores], names: Sequence[str], confidence: float, resamples: int, seed: int
) -> Iterator[PanelRow]:
    """Every pair of runs on every metric, on the topics that all judges cover."""
    topics = find_shared([(name, table.topics) for name, table in zip(names, tables, strict=True)])
    chosen = [table.select(topics=topics, runs=tables[0].runs) for table in tables]
    for table in chosen:
        require_variances(table)
    pairs = np.array(list(combinations(range(len(tables[0].runs)), 2)), dtype=np.intp).reshape(-1, 2)
    if not len(pairs):
        return
    alpha = alpha_of(confidence)
    rng = np.random.default_rng(seed)
    by_topic = draw_with_replacement(len(topics), resamples, rng)
    by_judge = draw_with_replacement(len(tables), resamples, rng) / len(tables)
    for m, metric in enumerate(tables[0].metrics):
        values = np.array([table.values[:, m] for table in chosen])  # judge × run × topic
        counted = np.logical_and.reduce([table.counted[:, m] for table in chosen])
        first, second = pairs.T
        shared = counted[first] & counted[second]
        noise = noise_of(np.where(counted, np.abs(values).max(axis=0), 0.0))
        d = without_noise(np.where(shared, values[:, first] - values[:, second], 0.0), np.asarray(noise))
        size = np.count_nonzero(shared, axis=1)
        usable = np.flatnonzero(size > 1)
        under = [_decide(d[j], shared, usable, alpha) for j in range(len(tables))]
        means = d.sum(axis=2) / np.maximum(size, 1)  # judge × pair
        drawn = np.einsum("rj,jpt,rt->pr", by_judge, d[:, usable], by_topic, optimize=True)
        drawn /= np.maximum(shared[usable].astype(np.float64) @ by_topic.T, 1e-300)
        middle = means[:, usable].mean(axis=0)
        error = without_noise(drawn.std(axis=1, ddof=1), np.asarray(noise))
        margin = t_quantile(confidence, size[usable] - 1) * error
        adjusted = holm(two_sided_p(middle, error, size[usable] - 1))
        for k, i in enumerate(usable):
            signs = np.sign(means[:, i])
            yield PanelRow(
                tables[0].runs[first[i]],
                tables[0].runs[second[i]],
                metric,
                float(middle[k]),
                float(middle[k] - margin[k]),
                float(middle[k] + margin[k]),
                float(adjusted[k]),
                bool(adjusted[k] < alpha),
                bool(signs[0] != 0 and (signs == signs[0]).all()),
                sum(bool(significant[k]) for significant in under),
                len(tables),
                int(size[i]),
            )


def _decide(d: Floats, shared: NDArray[np.bool_], usable: NDArray[np.intp], alpha: float) -> NDArray[np.bool_]:
    """Which pairs differ significantly under one judge, by the paired t-test with Holm's correction."""
    paired = Paired.of(d[usable], np.zeros_like(d[usable]), shared[usable])
    return np.asarray(holm(t_test(paired, alpha).p) < alpha)


def _describe(
    names: Sequence[str], rows: Sequence[PanelRow], disputed: int, items: int, alpha: float | None
) -> Iterator[Statement]:
    told = {"judges": len(names), "items": items, "disputed": disputed, "alpha": alpha}
    yield Statement("panel-labels", told, tuple({"judge": name} for name in names))
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric]
        facts = {
            "metric": metric,
            "pairs": len(own),
            "every": sum(row.every_judge for row in own),
            "all_significant": sum(row.significant_judges == row.judges and row.every_judge for row in own),
            "panel": sum(row.significant for row in own),
        }
        yield Statement("panel-order", facts, tuple(asdict(row) for row in own))


@words("panel-labels")
def _word_labels(judges: int, items: int, disputed: int, alpha: float | None) -> str:
    shown = number_text(alpha, 3, missing="undefined")
    return (
        f"{judges} judges gave different labels to {disputed:,} of the {items:,} items that two or more of them labelled;"
        f" Krippendorff's ordinal α of all judges is {shown}."
    )


@words("panel-order")
def _word_order(metric: str, pairs: int, every: int, all_significant: int, panel: int) -> str:
    return (
        f"{metric}: of {count_of(pairs, 'pair')} of runs, {every} have the same order under every judge, {all_significant}"
        f" significantly (t, Holm); the panel's mean decides {panel}, judges and topics resampled (t, Holm)."
    )
