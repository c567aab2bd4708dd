"""Scores: the table run × metric × topic that an evaluation returns, with its means and exports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import diveval
from diveval import tables
from diveval.errors import UsageError, need, shown, suggestion
from diveval.metrics.metric import Best
from diveval.metrics.names import MetricText, parse

if TYPE_CHECKING:
    from pathlib import Path

    import altair
    import duckdb
    import pandas
    import polars
    import pyarrow
    import ranx

    from diveval.meta.unanimity import Unanimity
    from diveval.stats.comparison import Comparison

_HIGH: Best = "high"
MEAN = tables.MEAN


@dataclass(frozen=True, repr=False)
class Scores:
    """The value of each metric for each run and topic.

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

    def __post_init__(self) -> None:
        better: tuple[Best, ...] = self.best or (_HIGH,) * len(self.metrics)
        if len(better) != len(self.metrics):
            raise UsageError(f"best needs one entry per metric, {len(self.metrics)}, got {len(better)}")
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
    ) -> Scores:
        """Build from a plain array; every topic counts and higher is better unless the arguments say otherwise."""
        table = np.ascontiguousarray(values, dtype=np.float64)
        shape = (len(runs), len(metrics), len(topics))
        if table.shape != shape:
            raise UsageError(f"scores need the shape runs × metrics × topics = {shape}, got {table.shape}")
        mask = np.ones(shape, dtype=bool) if counted is None else np.asarray(counted, dtype=bool)
        if whole is not None and whole.shape != shape[:2]:
            raise UsageError(f"values of whole runs need the shape runs × metrics = {shape[:2]}, got {whole.shape}")
        if missing is not None and missing.shape != (len(runs), len(topics)):
            raise UsageError(f"missing topics need the shape runs × topics = {shape[::2]}, got {missing.shape}")
        return cls(tuple(runs), tuple(metrics), tuple(topics), table, mask, tuple(notes), whole, missing, tuple(best))

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
            whole=_stacked([(part.whole, np.full(part.values.shape[:2], np.nan)) for part in parts]),
            missing=_stacked([(part.missing, np.zeros(part.values.shape[::2], dtype=bool)) for part in parts]),
            best=parts[0].best,
        )

    @property
    def means(self) -> NDArray[np.float64]:
        """Means over the counted topics, run × metric; 0 if a run has no counted topic; `whole` if there is one.

        The sum is exact (fsum), so the order of topics and the number of jobs change no digit.
        """
        out = np.zeros(self.values.shape[:2])
        for r in range(len(self.runs)):
            for m in range(len(self.metrics)):
                chosen = self.values[r, m, self.counted[r, m]]
                if chosen.size:
                    out[r, m] = math.fsum(chosen.tolist()) / chosen.size
        return out if self.whole is None else np.where(np.isnan(self.whole), out, self.whole)

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
        means = self.means
        return {
            run: {metric: float(means[r, m]) for m, metric in enumerate(self.metrics)}
            for r, run in enumerate(self.runs)
        }

    def metric_index(self, metric: str | None = None) -> int:
        """The index of a metric, by any of its spellings; without a name, that of the only metric."""
        if metric is None:
            if len(self.metrics) == 1:
                return 0
            raise UsageError(f"name one of the metrics: {', '.join(self.metrics[:12])}")
        if not isinstance(metric, str):
            raise UsageError(f"a metric is named by its text, got {type(metric).__name__}")
        for name in (metric, _canonical(metric)):
            if name in self.metrics:
                return self.metrics.index(name)
        # The bare name of a family is enough if the table has one metric of it.
        family = [i for i, name in enumerate(self.metrics) if MetricText.of(name).name == metric]
        if len(family) == 1:
            return family[0]
        raise UsageError(f"no scores for {metric!r}; {suggestion(metric, self.metrics)}")

    def array(self, metric: str | None = None) -> NDArray[np.float64]:
        """The values of one metric, run × topic."""
        values: NDArray[np.float64] = self.values[:, self.metric_index(metric), :]
        return values

    def per_topic(self, run: str, metric: str | None = None) -> dict[str, float]:
        """One run's values for one metric, by topic, the counted ones only."""
        (r,), m = _places([run], self.runs, "the run"), self.metric_index(metric)
        return {t: float(self.values[r, m, i]) for i, t in enumerate(self.topics) if self.counted[r, m, i]}

    def select(
        self,
        *,
        runs: Sequence[str] | None = None,
        metrics: Sequence[str] | None = None,
        topics: Sequence[str] | None = None,
    ) -> Scores:
        """A smaller table, in the order asked for."""
        r = _places(runs, self.runs, "the run")
        m = [self.metric_index(name) for name in (metrics if metrics is not None else self.metrics)]
        t = _places(topics, self.topics, "the topic")
        grid = np.ix_(r, m, t)
        whole = None if self.whole is None else self.whole[np.ix_(r, m)]
        if whole is not None and len(t) < len(self.topics):
            # The value of a whole run is not valid for fewer topics: metrics that count topics use their mean instead.
            for place, metric in zip(m, (self.metrics[i] for i in m), strict=True):
                if not self.counted[:, place].any():
                    raise UsageError(f"{metric} is a value of whole runs and is not defined for some topics only")
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
        )

    def sorted(self, metric: str | None = None) -> Scores:
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

    # Exports: text forms are in diveval.tables; frames need their library installed.

    def to_csv(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """CSV with the header `run,metric,topic,value`, full doubles; also written to `path` if given."""
        return tables.deliver(tables.csv_text(self, per_topic=per_topic), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """A booktabs table of the means, the best of each column in bold."""
        return tables.deliver(tables.latex_text(self), path)

    def to_json(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """JSON of the shape `{"runs": …, "metrics": …, "topics": …, "mean": …, "per_topic": …}`."""
        return tables.deliver(tables.json_text(self, per_topic=per_topic), path)

    def columns(self) -> dict[str, list[str] | list[float]]:
        """The long form, one list per column, which every frame library accepts."""
        run, metric, topic, value = zip(*self.rows(mean=False), strict=True) if self.counted.any() else ((),) * 4
        return {"run": list(run), "metric": list(metric), "topic": list(topic), "value": list(value)}

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with the columns run, metric, topic, value."""
        return need("pandas", "frames").DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """A polars frame with the columns run, metric, topic, value."""
        frame: polars.DataFrame = need("polars", "frames").DataFrame(self.columns())
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with the columns run, metric, topic, value."""
        return need("pyarrow", "arrow").table(self.columns())

    def to_duckdb(self) -> duckdb.DuckDBPyRelation:
        """A DuckDB relation with the columns run, metric, topic, value."""
        relation: duckdb.DuckDBPyRelation = need("duckdb", "duckdb").from_arrow(self.to_arrow())
        return relation

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
                raise UsageError(f"no scores for the run {run.name!r}; {suggestion(str(run.name), self.runs)}")
            for metric in self.metrics:
                run.scores[metric] = self.per_topic(run.name, metric)
                run.mean_scores[metric] = means[run.name][metric]

    # Analyses of the scores: `diveval.compare` and others as methods.

    def compare(
        self,
        metric: str | None = None,
        *,
        baseline: str | None = None,
        test: str = "t",
        correction: Literal["holm", "bh", "none"] = "holm",
        confidence: float = 0.95,
        resamples: int = 10_000,
        seed: int = 0,
    ) -> Comparison:
        """Compare the runs on a metric: differences, intervals and p-values; see `diveval.compare`.

        Args:
            metric: the metric to compare on (default: the first).
            baseline: compare every run with this one instead of every pair.
            test: `t`, `randomization`, `bootstrap`, `wilcoxon` or `tukey`.
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
        self, *, leave_family_out: bool = False, bootstrap: int = 1000, seed: int = 0, confidence: float = 0.95
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

    def plot(self, *, confidence: float = 0.95) -> altair.FacetChart:
        """An altair chart: every run's mean with its interval, a panel per metric, runs from the best down.

        Args:
            confidence: confidence level of the intervals.
        """
        chart: altair.FacetChart = diveval.publishing.plot_means(self, confidence=confidence)
        return chart

    def report(self, path: str | Path = "report.html", *, title: str = "Scores") -> Path:
        """Write an HTML page of these scores; `diveval.report` also shows rankings.

        Args:
            path: the file to write.
            title: the page's title.
        """
        package: Any = diveval.report  # a package that can be called; type checkers see the function
        written: Path = package.write_report(self, path, title=title)
        return written

    def __str__(self) -> str:
        """The table of the means, as the command line prints it."""
        return tables.terminal_text(self).rstrip("\n") if self.runs and self.metrics else "no scores"

    def __repr__(self) -> str:
        size = f"{len(self.runs)} runs × {len(self.metrics)} metrics × {len(self.topics)} topics"
        return f"<Scores: {size}>\n{self}" if len(self.runs) <= 50 else f"<Scores: {size}>"

    def _repr_html_(self) -> str:
        """The table of the means, for notebooks."""
        return tables.html_text(self)


def _stacked(parts: Sequence[tuple[NDArray[Any] | None, NDArray[Any]]]) -> NDArray[Any] | None:
    """The first arrays of the pairs, concatenated, each replaced by the second if it is None; None if all are None."""
    if all(array is None for array, _ in parts):
        return None
    return np.concatenate([default if array is None else array for array, default in parts])


def _places(wanted: Sequence[str] | None, names: tuple[str, ...], what: str) -> list[int]:
    """The indices of some runs or topics in the table, or of all."""
    if wanted is None:
        return list(range(len(names)))
    places = {name: place for place, name in enumerate(names)}
    absent = next((name for name in wanted if name not in places), None)
    if absent is not None:
        raise UsageError(f"no scores for {what} {shown(absent)}; {suggestion(str(absent), names)}")
    return [places[name] for name in wanted]


def _canonical(metric: str) -> str:
    """The canonical text of a metric, or the text itself if it is not in the catalogue (a user's metric, a residual)."""
    try:
        return parse(metric).name
    except UsageError:
        return metric
