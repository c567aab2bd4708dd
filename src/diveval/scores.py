"""Scores: the table system × metric × topic that everything after evaluation reads, with its means and exports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, nearest, need

if TYPE_CHECKING:
    from pathlib import Path

MEAN = "all"  # the topic name under which a mean is exported


@dataclass(frozen=True)
class Scores:
    """The value of each metric for each run and topic.

    `values[run, metric, topic]` is a double. `counted[run, metric, topic]` says whether the topic enters that run's
    mean for that metric: a tool's own name brings the tool's own rule, so two metrics may count different topics.
    """

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    topics: tuple[str, ...]
    values: NDArray[np.float64]
    counted: NDArray[np.bool_]
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        values: NDArray[np.float64],
        *,
        runs: Sequence[str],
        metrics: Sequence[str],
        topics: Sequence[str],
        counted: NDArray[np.bool_] | None = None,
        notes: Sequence[str] = (),
    ) -> Scores:
        """Build from a plain array, every topic counted unless told otherwise."""
        table = np.ascontiguousarray(values, dtype=np.float64)
        shape = (len(runs), len(metrics), len(topics))
        if table.shape != shape:
            raise UsageError(f"scores need the shape runs × metrics × topics = {shape}, got {table.shape}")
        mask = np.ones(shape, dtype=bool) if counted is None else np.asarray(counted, dtype=bool)
        return cls(tuple(runs), tuple(metrics), tuple(topics), table, mask, tuple(notes))

    @classmethod
    def joined(cls, parts: Sequence[Scores]) -> Scores:
        """The runs of several tables, one after the other; metrics and topics are the same in all."""
        if len(parts) == 1:
            return parts[0]
        return cls.of(
            np.concatenate([part.values for part in parts]),
            runs=[run for part in parts for run in part.runs], metrics=parts[0].metrics, topics=parts[0].topics,
            counted=np.concatenate([part.counted for part in parts]),
            notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        )  # fmt: skip

    @property
    def means(self) -> NDArray[np.float64]:
        """Means over the counted topics, run × metric; 0 where a run has no counted topic.

        The sum is exact (fsum), so the order of topics and the number of jobs can never change a digit.
        """
        out = np.zeros(self.values.shape[:2])
        for r in range(len(self.runs)):
            for m in range(len(self.metrics)):
                chosen = self.values[r, m, self.counted[r, m]]
                if chosen.size:
                    out[r, m] = math.fsum(chosen.tolist()) / chosen.size
        return out

    def mean(self) -> dict[str, dict[str, float]]:
        """The means as `{run: {metric: value}}`."""
        means = self.means
        return {
            run: {metric: float(means[r, m]) for m, metric in enumerate(self.metrics)}
            for r, run in enumerate(self.runs)
        }

    def metric_index(self, metric: str | None = None) -> int:
        """Where a metric stands, by any of its spellings; without a name, the only one there is."""
        if metric is None:
            if len(self.metrics) == 1:
                return 0
            raise UsageError(f"name one of the metrics: {', '.join(self.metrics[:12])}")
        for name in (metric, _canonical(metric)):
            if name in self.metrics:
                return self.metrics.index(name)
        raise UsageError(f"no scores for {metric!r}; nearest: {nearest(metric, self.metrics)}")

    def array(self, metric: str | None = None) -> NDArray[np.float64]:
        """The values of one metric, run × topic."""
        values: NDArray[np.float64] = self.values[:, self.metric_index(metric), :]
        return values

    def per_topic(self, run: str, metric: str | None = None) -> dict[str, float]:
        """One run's values for one metric, by topic, the counted ones only."""
        if run not in self.runs:
            raise UsageError(f"no scores for the run {run!r}; nearest: {nearest(run, self.runs)}")
        r, m = self.runs.index(run), self.metric_index(metric)
        return {t: float(self.values[r, m, i]) for i, t in enumerate(self.topics) if self.counted[r, m, i]}

    def select(
        self,
        *,
        runs: Sequence[str] | None = None,
        metrics: Sequence[str] | None = None,
        topics: Sequence[str] | None = None,
    ) -> Scores:
        """A smaller table, in the order asked for."""
        r = [self.runs.index(name) for name in (runs if runs is not None else self.runs)]
        m = [self.metric_index(name) for name in (metrics if metrics is not None else self.metrics)]
        t = [self.topics.index(name) for name in (topics if topics is not None else self.topics)]
        grid = np.ix_(r, m, t)
        return Scores(
            tuple(self.runs[i] for i in r), tuple(self.metrics[i] for i in m), tuple(self.topics[i] for i in t),
            self.values[grid], self.counted[grid], self.notes,
        )  # fmt: skip

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

    # Exports: the text forms live in diveval.tables, the frames need their library installed.

    def to_csv(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """CSV with the header `run,metric,topic,value`, full doubles; also written to `path` if given."""
        from diveval.tables import csv_text, deliver

        return deliver(csv_text(self, per_topic=per_topic), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """A booktabs table of the means, the best of each column in bold."""
        from diveval.tables import deliver, latex_text

        return deliver(latex_text(self), path)

    def to_json(self, path: str | Path | None = None, *, per_topic: bool = True) -> str:
        """JSON of the shape `{"runs": …, "metrics": …, "topics": …, "mean": …, "per_topic": …}`."""
        from diveval.tables import deliver, json_text

        return deliver(json_text(self, per_topic=per_topic), path)

    def columns(self) -> dict[str, list[Any]]:
        """The long form, one list per column: what every frame library takes."""
        run, metric, topic, value = zip(*self.rows(mean=False), strict=True) if self.counted.any() else ((),) * 4
        return {"run": list(run), "metric": list(metric), "topic": list(topic), "value": list(value)}

    def to_pandas(self) -> Any:
        """A pandas frame with the columns run, metric, topic, value."""
        return need("pandas", "frames").DataFrame(self.columns())

    def to_polars(self) -> Any:
        """A polars frame with the columns run, metric, topic, value."""
        return need("polars", "frames").DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """An Arrow table with the columns run, metric, topic, value."""
        return need("pyarrow", "arrow").table(self.columns())

    def to_duckdb(self) -> Any:
        """A DuckDB relation with the columns run, metric, topic, value."""
        return need("duckdb", "duckdb").from_arrow(self.to_arrow())

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {metric: {topic: value}}}`; a run's part is what ranx keeps in `Run.scores`."""
        return {run: {m: self.per_topic(run, m) for m in self.metrics} for run in self.runs}

    def to_pytrec_eval(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {topic: {metric: value}}}`; a run's part is what pytrec_eval's evaluator returns."""
        out: dict[str, dict[str, dict[str, float]]] = {run: {} for run in self.runs}
        for run, metric, topic, value in self.rows(mean=False):
            out[run].setdefault(topic, {})[metric] = value
        return out

    def to_ranx(self, runs: Any) -> None:
        """Write the values into ranx runs of the same names, as `ranx.evaluate(…, save_results_in_run=True)` does."""
        means = self.mean()
        for run in runs:
            if run.name not in self.runs:
                raise UsageError(f"no scores for the run {run.name!r}; nearest: {nearest(str(run.name), self.runs)}")
            for metric in self.metrics:
                run.scores[metric] = self.per_topic(run.name, metric)
                run.mean_scores[metric] = means[run.name][metric]

    def _repr_html_(self) -> str:
        """What a notebook shows: the table of the means."""
        from diveval.tables import html_text

        return html_text(self)


def _canonical(metric: str) -> str:
    """The canonical text of a metric, or the text itself where it is none of ours (a user's own, a residual)."""
    from diveval.metrics.names import parse

    try:
        return parse(metric).name
    except UsageError:
        return metric
