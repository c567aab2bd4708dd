"""Scores: the table run × metric × topic that an evaluation returns, with its means and exports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

import diveval
from diveval.defaults import CONFIDENCE, CORRECTION, QUICK_RESAMPLES, RESAMPLES, SEED, TEST
from diveval.errors import UsageError, suggestion
from diveval.metrics.metric import Best
from diveval.metrics.names import MetricLike, MetricText, as_metric
from diveval.results import tables
from diveval.results.lookups import find_places, is_same, means_of, spell_metric, stack
from diveval.results.protocol import Columns, Result, deliver
from diveval.results.setup import Setup
from diveval.results.table_text import TextTable

if TYPE_CHECKING:
    from pathlib import Path

    import altair
    import ranx

    from diveval.meta.unanimity import Unanimity
    from diveval.stats.comparison import Comparison

_HIGH: Best = "high"
MEAN = tables.MEAN


@dataclass(frozen=True, repr=False, eq=False)
class Scores(Result):
    """The value of each metric for each run and topic.

    Iteration and `len` are over the runs; `scores["run"]` is that run's table, `scores["run", "RBU@20"]` its mean, and
    `scores["run", "RBU@20", "topic"]` one value. Two tables are equal if all names and values are.

    `values[run, metric, topic]` is a double. `counted[run, metric, topic]` says whether the topic enters that run's
    mean for that metric: metrics of different tools follow the tools' own rules, so two metrics may count different
    topics. `whole[run, metric]` is the value of a whole run if it is not a mean over topics (catalogue coverage, a
    ratio of sums), else NaN; a metric that exists only for whole runs counts no topic. `missing[run, topic]` says which
    judged topics a run lacks, if known. `best` says for each metric which values are better: `high`, `low` (Gini,
    calibration) or `none` (counts, lengths, residuals), for which no run is better than another.
    """

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    topics: tuple[str, ...]
    values: NDArray[np.float64]
    counted: NDArray[np.bool_]
    notes: tuple[str, ...] = field(default=(), compare=False)
    whole: NDArray[np.float64] | None = field(default=None, compare=False)
    missing: NDArray[np.bool_] | None = field(default=None, compare=False)
    best: tuple[Best, ...] = field(default=(), compare=False)  # empty: higher is better for all
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)  # topics by slice, if given

    header: ClassVar[tuple[str, ...]] = ("run", "metric", "topic", "value")

    def __post_init__(self) -> None:
        better: tuple[Best, ...] = self.best or (_HIGH,) * len(self.metrics)
        if len(better) != len(self.metrics):
            raise UsageError("wrong-shape", f"best needs one entry per metric, {len(self.metrics)}, got {len(better)}")
        object.__setattr__(self, "best", better)

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        *,
        runs: Sequence[str],
        metrics: Sequence[str],
        topics: Sequence[str],
        counted: NDArray[np.bool_] | None = None,
        notes: Sequence[str] = (),
        whole: NDArray[np.float64] | None = None,
        missing: NDArray[np.bool_] | None = None,
        best: Sequence[Best] = (),
        setup: Setup | None = None,
    ) -> Scores:
        """Build from a plain array; every topic counts and higher is better unless the arguments say otherwise."""
        table = np.ascontiguousarray(values, dtype=np.float64)
        shape = (len(runs), len(metrics), len(topics))
        if table.shape != shape:
            raise UsageError(
                "wrong-shape", f"scores need the shape runs × metrics × topics = {shape}, got {table.shape}"
            )
        mask = np.ones(shape, dtype=bool) if counted is None else np.asarray(counted, dtype=bool)
        if whole is not None and whole.shape != shape[:2]:
            raise UsageError(
                "wrong-shape", f"values of whole runs need the shape runs × metrics = {shape[:2]}, got {whole.shape}"
            )
        if missing is not None and missing.shape != (len(runs), len(topics)):
            raise UsageError(
                "wrong-shape", f"missing topics need the shape runs × topics = {shape[::2]}, got {missing.shape}"
            )
        names = tuple(runs), tuple(metrics), tuple(topics)
        return cls(*names, table, mask, tuple(notes), whole, missing, tuple(best), setup=setup or Setup())

    @classmethod
    def joined(cls, parts: Sequence[Scores]) -> Scores:
        """The runs of several tables in one; metrics and topics must be the same in all."""
        if len(parts) == 1:
            return parts[0]
        return cls.of(
            np.concatenate([part.values for part in parts]),
            runs=[run for part in parts for run in part.runs],
            metrics=parts[0].metrics,
            topics=parts[0].topics,
            counted=np.concatenate([part.counted for part in parts]),
            notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
            whole=stack([(part.whole, np.full(part.values.shape[:2], np.nan)) for part in parts]),
            missing=stack([(part.missing, np.zeros(part.values.shape[::2], dtype=bool)) for part in parts]),
            best=parts[0].best,
            setup=parts[0].setup.of_runs([part.setup for part in parts]),
        )

    @property
    def means(self) -> NDArray[np.float64]:
        """Means over the counted topics, run × metric; 0 if a run has no counted topic; `whole` if there is one.

        The sum is exact (fsum), so the order of topics and the number of jobs change no digit.
        """
        means = means_of(self.values, self.counted)
        return means if self.whole is None else np.where(np.isnan(self.whole), means, self.whole)

    def coverage(self) -> tuple[str, ...] | None:
        """How many of the judged topics each run has (`49/50`), or None if no run lacks one."""
        if self.missing is None or not self.missing.any():
            return None
        counts = (~self.missing).sum(axis=1)
        return tuple(f"{count}/{len(self.topics)}" for count in counts.tolist())

    def incomplete(self) -> list[str]:
        """The runs that lack judged topics, as `run (49/50)`."""
        whole = f"{len(self.topics)}/{len(self.topics)}"
        pairs = zip(self.runs, self.coverage() or (), strict=False)
        return [f"{run} ({answered})" for run, answered in pairs if answered != whole]

    @property
    def signs(self) -> NDArray[np.float64]:
        """−1 for each metric whose lower values are better, else 1: higher values times signs are better."""
        return np.array([-1.0 if best == "low" else 1.0 for best in self.best])

    def mean(self) -> dict[str, dict[str, float]]:
        """The means as `{run: {metric: value}}`."""
        rows = zip(self.runs, self.means.tolist(), strict=True)
        return {run: dict(zip(self.metrics, values, strict=True)) for run, values in rows}

    def metric_index(self, metric: MetricLike | None = None) -> int:
        """The index of a metric, by any of its spellings; without a name, that of the only metric."""
        if metric is None:
            if len(self.metrics) == 1:
                return 0
            raise UsageError("no-metric", f"name one of the metrics: {', '.join(self.metrics[:12])}")
        if not isinstance(metric, str):
            metric = as_metric(metric).name
        for name in (metric, spell_metric(metric)):
            if name in self.metrics:
                return self.metrics.index(name)
        # The bare name of a family is enough if the table has one metric of it.
        family = [i for i, name in enumerate(self.metrics) if MetricText.of(name).name == metric]
        if len(family) == 1:
            return family[0]
        raise UsageError("unknown-metric", f"no scores for {metric!r}", hint=suggestion(metric, self.metrics))

    def array(self, metric: MetricLike | None = None) -> NDArray[np.float64]:
        """The values of one metric, run × topic."""
        values: NDArray[np.float64] = self.values[:, self.metric_index(metric), :]
        return values

    def per_topic(self, run: str, metric: MetricLike | None = None) -> dict[str, float]:
        """One run's values for one metric, by topic, the counted ones only."""
        (r,), m = find_places([run], self.runs, "the run"), self.metric_index(metric)
        return {t: float(self.values[r, m, i]) for i, t in enumerate(self.topics) if self.counted[r, m, i]}

    def select(
        self,
        *,
        runs: Sequence[str] | None = None,
        metrics: Sequence[MetricLike] | None = None,
        topics: Sequence[str] | None = None,
    ) -> Scores:
        """A smaller table, in the order asked for."""
        r = find_places(runs, self.runs, "the run")
        m = [self.metric_index(name) for name in (metrics if metrics is not None else self.metrics)]
        t = find_places(topics, self.topics, "the topic")
        grid = np.ix_(r, m, t)
        whole = None if self.whole is None else self.whole[np.ix_(r, m)]
        if whole is not None and len(t) < len(self.topics):
            # The value of a whole run is not valid for fewer topics: metrics that count topics use their mean instead.
            for place, metric in zip(m, (self.metrics[i] for i in m), strict=True):
                if not self.counted[:, place].any():
                    raise UsageError(
                        "metric-of-whole-runs",
                        f"{metric} is a value of whole runs and is not defined for some topics only",
                    )
            whole = None
        return Scores(
            tuple(self.runs[i] for i in r),
            tuple(self.metrics[i] for i in m),
            tuple(self.topics[i] for i in t),
            self.values[grid],
            self.counted[grid],
            self.notes,
            whole,
            None if self.missing is None else self.missing[np.ix_(r, t)],
            tuple(self.best[i] for i in m),
            setup=self.setup,
        )

    def sorted(self, metric: MetricLike | None = None) -> Scores:
        """The runs from the best mean on a metric down; runs with equal means keep their order."""
        m = self.metric_index(metric)
        means = self.means[:, m] * self.signs[m]
        order = sorted(range(len(self.runs)), key=lambda r: (np.isnan(means[r]), -means[r]))
        return self.select(runs=[self.runs[r] for r in order])

    def rows(self, *, per_topic: bool = True, mean: bool = True) -> Iterator[tuple[str, str, str, float]]:
        """`(run, metric, topic, value)`, topics first, then the mean under the topic `all`."""
        means = self.means
        for r, run in enumerate(self.runs):
            for m, metric in enumerate(self.metrics):
                if per_topic:
                    for t in np.flatnonzero(self.counted[r, m]):
                        yield run, metric, self.topics[t], float(self.values[r, m, t])
                if mean:
                    yield run, metric, MEAN, float(means[r, m])

    def to_csv(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """CSV with the header `run,metric,topic,value`, full doubles; also written to `path` if given."""
        return deliver(tables.csv_text(self, per_topic=per_topic), path)

    def to_json(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """JSON of the shape `{"runs": …, "metrics": …, "topics": …, "mean": …, "per_topic": …}`."""
        return deliver(tables.json_text(self, per_topic=per_topic), path)

    def to_text(self, width: int = 80) -> str:
        """The table of the means, as the command line prints it."""
        return tables.terminal_text(self, width=width) if self.runs and self.metrics else "no scores\n"

    def display(self) -> TextTable:
        """The means, the best of each column in bold."""
        return tables.means_table(self)

    def as_dict(self) -> dict[str, Any]:
        """What `to_json` writes."""
        shape: dict[str, Any] = json.loads(tables.json_text(self, per_topic=True))
        return shape

    def records(self) -> list[dict[str, Any]]:
        """The values as dictionaries with run, metric, topic and value."""
        return [dict(zip(self.header, row, strict=True)) for row in self.rows(mean=False)]

    def columns(self) -> Columns:
        """The long form, one list per column, which every frame library accepts."""
        run, metric, topic, value = zip(*self.rows(mean=False), strict=True) if self.counted.any() else ((),) * 4
        return {"run": list(run), "metric": list(metric), "topic": list(topic), "value": list(value)}

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {metric: {topic: value}}}`; a run's part is what ranx keeps in `Run.scores`."""
        return {run: {m: self.per_topic(run, m) for m in self.metrics} for run in self.runs}

    def to_pytrec_eval(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {topic: {metric: value}}}`; a run's part is what pytrec_eval's evaluator returns."""
        out: dict[str, dict[str, dict[str, float]]] = {run: {} for run in self.runs}
        for run, metric, topic, value in self.rows(mean=False):
            out[run].setdefault(topic, {})[metric] = value
        return out

    def to_ranx(self, runs: Iterable[ranx.Run]) -> None:
        """Write the values into ranx runs of the same names, as `ranx.evaluate(…, save_results_in_run=True)` does."""
        means = self.mean()
        for run in runs:
            if run.name not in self.runs:
                raise UsageError(
                    "unknown-run", f"no scores for the run {run.name!r}", hint=suggestion(str(run.name), self.runs)
                )
            for metric in self.metrics:
                run.scores[metric] = self.per_topic(run.name, metric)
                run.mean_scores[metric] = means[run.name][metric]

    def compare(
        self,
        metric: MetricLike | None = None,
        *,
        baseline: str | None = None,
        test: str = TEST,
        correction: Literal["holm", "bh", "none"] = CORRECTION,
        confidence: float = CONFIDENCE,
        resamples: int = RESAMPLES,
        seed: int = SEED,
    ) -> Comparison:
        """Compare the runs on a metric: differences, intervals and p-values; see `diveval.compare`.

        Args:
            metric: the metric to compare on (default: the first).
            baseline: compare every run with this one instead of every pair.
            test: `t`, `randomization`, `bootstrap`, `wilcoxon`, `sign` or `tukey`.
            correction: of the p-values: `holm`, `bh` or `none`.
            confidence: level of the intervals; a pair is significant when its adjusted p is below 1 − confidence.
            resamples: how many resamples randomization, bootstrap and tukey draw.
            seed: seed of the resampling.
        """
        return diveval.compare(
            self,
            metric,
            baseline=baseline,
            test=test,
            correction=correction,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )

    def unanimity(
        self,
        *,
        leave_family_out: bool = False,
        bootstrap: int = QUICK_RESAMPLES,
        seed: int = SEED,
        confidence: float = CONFIDENCE,
    ) -> Unanimity:
        """Which metric agrees when all others agree; see `diveval.unanimity`.

        Args:
            leave_family_out: compare a metric with other families only.
            bootstrap: resamples of the topics for the intervals; 0 for none.
            seed: seed of the resampling.
            confidence: confidence level of the intervals.
        """
        return diveval.unanimity(
            self, leave_family_out=leave_family_out, bootstrap=bootstrap, seed=seed, confidence=confidence
        )

    def plot(
        self, kind: Literal["means", "topics", "agreement"] = "means", *, confidence: float = CONFIDENCE
    ) -> altair.TopLevelMixin:
        """An altair chart.

        Args:
            kind: `means`: every run's mean with its interval, a panel per metric, runs from the best down; `topics`: by
                topic, the first metric's difference between the two best runs; `agreement`: Kendall's τ of the metrics.
            confidence: confidence level of the intervals.
        """
        chart: altair.TopLevelMixin = diveval.publishing.plot_scores(self, kind, confidence=confidence)
        return chart

    def report(self, path: str | Path = "report.html", *, title: str = "Scores") -> Path:
        """Write an HTML page of these scores; `diveval.report` also shows rankings.

        Args:
            path: the file to write.
            title: the page's title.
        """
        return diveval.report(self, path=path, title=title)

    def _size(self) -> str:
        return f"{len(self.runs)} runs × {len(self.metrics)} metrics × {len(self.topics)} topics"

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    @overload
    def __getitem__(self, key: str) -> Scores: ...
    @overload
    def __getitem__(self, key: tuple[str, MetricLike] | tuple[str, MetricLike, str]) -> float: ...

    def __getitem__(self, key: str | tuple[str, MetricLike] | tuple[str, MetricLike, str]) -> Scores | float:
        """A run's table; its mean on a metric; its value on a metric and a topic."""
        if not isinstance(key, tuple):
            return self.select(runs=[key])
        (r,), m = find_places([key[0]], self.runs, "the run"), self.metric_index(key[1])
        if len(key) == 2:
            return float(self.means[r, m])
        (t,) = find_places([key[2]], self.topics, "the topic")
        return float(self.values[r, m, t])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        names = (self.runs, self.metrics, self.topics, self.best)
        arrays = ((getattr(self, name), getattr(other, name)) for name in ("values", "counted", "whole"))
        same = names == (other.runs, other.metrics, other.topics, other.best)
        return same and all(is_same(mine, theirs) for mine, theirs in arrays)

    def __hash__(self) -> int:
        return hash((self.runs, self.metrics, self.topics))
