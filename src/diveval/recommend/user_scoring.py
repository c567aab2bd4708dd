"""From ratings and recommendations to scores: users are the topics; metrics of a whole run have no value per user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.defaults import RBU
from diveval.errors import InputError, UsageError, count_of, few, shown, warn
from diveval.inputs import ProfilesLike, TableLike, VectorsLike
from diveval.judgments import Judgments, RelevanceRule
from diveval.metrics.metric import Metric
from diveval.options import Options
from diveval.recommend.arrays import Data, load
from diveval.recommend.catalogue_metrics import direct_scores, is_direct, relevance_of
from diveval.recommend.list_metrics import Context, ListFormula, as_metrics
from diveval.recommend.rating_tables import Floats, UserLists
from diveval.relevance import Gain
from diveval.runs import Run, TopicRun
from diveval.scores import Scores

DEFAULT = (f"{RBU}@10", "alpha_nDCG@10", "StRecall@10", "ILD@10", "EPC@10", "CatalogueCoverage@10", "Gini@10")


def evaluate(
    ratings: TableLike,
    recommendations: TableLike,
    metrics: Sequence[str | Metric] | str | None = None,
    *,
    aspects: TableLike | None = None,
    history: TableLike | None = None,
    vectors: VectorsLike | None = None,
    catalogue: Iterable[str | int] | None = None,
    profiles: Literal["history", "uniform"] | ProfilesLike | None = None,
    columns: Mapping[str, str] | None = None,
    gain: Gain = "exponential",
    gmax: float | Literal["file", "per-aspect"] = "file",
    rel: float | None = None,
) -> Scores:
    """Score the lists of a recommender.

    Args:
        ratings: the held-out ratings: a frame with `user_id`, `item_id` and `rating`, or `{user: {item: rating}}`.
            Ratings are grades; without them every pair is relevant.
        recommendations: a frame with `user_id`, `item_id` and `rank` or `score` (neither: the order of the rows), and
            `run` if it contains several; or `{user: [item, …]}`, or a dict of these by run.
        metrics: names such as `RBU(p=0.9,e=0.01)@10`, `ILD(distance=jaccard)@10`, `Gini@10`, including any metric of
            the main catalogue.
        aspects: the genres of items: a frame with `item_id` and `genres` (lists, or texts with `|` between genres), or
            `{item: genres}`. Groups for fairness are aspects too.
        history: earlier ratings, like `ratings`: for popularity, profiles and serendipity. Default: `ratings`.
        vectors: `{item: vector}`, for cosine and Euclidean distances instead of genres.
        catalogue: the items that could be recommended. Default: those with genres, a history or a recommendation.
        profiles: aspect weights by user. "history" (default if a history is given): the share of a genre in what the
            user liked; "uniform"; or `{user: {genre: weight}}`.
        columns: names of columns that are not detected, `{"user": "uid", …}`.
        gain: from ratings to relevance, as in `diveval.evaluate`.
        gmax: the highest possible rating, as in `diveval.evaluate`.
        rel: ratings below it are not relevant.
    """
    asked = as_metrics(DEFAULT if metrics is None else metrics)
    rule = RelevanceRule(gain=gain, gmax=gmax, rel=rel)
    if isinstance(profiles, str) and profiles not in ("history", "uniform"):
        raise UsageError(f"profiles is history, uniform or a dict, got {profiles!r}")
    data = load(
        ratings,
        recommendations,
        aspects=aspects,
        history=history,
        vectors=vectors,
        catalogue=catalogue,
        columns=columns,
        profiles=None if isinstance(profiles, str) else profiles,
    )
    _check(asked, aspects is not None, vectors is not None)
    weighted = history is not None if profiles is None else profiles != "uniform"
    return _Scoring(data, asked, rule, weighted=weighted).table()


def _check(metrics: Sequence[Metric], genres: bool, vectors: bool) -> None:
    for metric in metrics:
        needs = metric.formula.needs if isinstance(metric.formula, ListFormula) else ()
        if "aspects" in needs and not genres:
            raise UsageError(f"{metric.name} needs the genres or groups of items: aspects=…")
        if "features" in needs and not genres and not vectors:
            raise UsageError(f"{metric.name} needs the genres of items (aspects=…) or vectors=…")


class _Scoring:
    def __init__(self, data: Data, metrics: list[Metric], rule: RelevanceRule, *, weighted: bool) -> None:
        self.data, self.metrics, self.rule, self.weighted = data, metrics, rule, weighted
        self.relevant = relevance_of(data.ratings, rule)

    def table(self) -> Scores:
        shape = (len(self.data.runs), len(self.metrics), len(self.data.users))
        values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
        whole, missing = np.full(shape[:2], np.nan), np.zeros(shape[::2], dtype=bool)
        for r, (name, lists) in enumerate(self.data.runs.items()):
            missing[r] = self._missing(name, lists)
            for m, metric in enumerate(self.metrics):
                if isinstance(metric.formula, ListFormula):
                    self._of_list(name, metric, values[r, m], counted[r, m], whole[r, m : m + 1])
        direct = [m for m, metric in enumerate(self.metrics) if is_direct(metric)]
        self._direct(direct, values, counted)
        of_lists = [m for m, metric in enumerate(self.metrics) if isinstance(metric.formula, ListFormula)]
        self._through_rankings([m for m in range(len(self.metrics)) if m not in (*direct, *of_lists)], values, counted)
        return Scores.of(
            values,
            runs=list(self.data.runs),
            metrics=[metric.name for metric in self.metrics],
            topics=self.data.users,
            counted=counted,
            whole=None if np.isnan(whole).all() else whole,
            missing=missing,
            best=[metric.best for metric in self.metrics],
        )

    def _missing(self, name: str, lists: UserLists) -> NDArray[np.bool_]:
        """The users with ratings to whom a run recommends nothing, with a warning if there are any."""
        missing = np.zeros(len(self.data.users), dtype=bool)
        missing[self.data.ratings.users] = True
        missing[lists.users] = False
        if missing.any():
            lacking = np.flatnonzero(missing)
            some = few([self.data.users[u] for u in lacking[:4].tolist()])
            number = count_of(len(lacking), "user", "users")
            warn(f"{name}: recommends nothing to {number} with ratings ({some}): their gain is 0")
        return missing

    def _of_list(self, run: str, metric: Metric, values: Floats, counted: NDArray[np.bool_], whole: Floats) -> None:
        lists, formula = self.data.runs[run], metric.formula
        assert isinstance(formula, ListFormula)
        cut = lists.at(formula.cutoff)
        depth = formula.cutoff or cut.items.shape[1]
        result = formula.function(Context(self.data, cut, self.relevant, depth))
        if formula.per == "run":
            whole[0] = result
            return
        defined = np.isfinite(result)
        if not defined.any():  # a mean over no users would be 0
            raise InputError(f"run {shown(run)}: {metric.name} has no value for any user; no list has what it needs")
        values[lists.users] = np.where(defined, result, 0.0)
        counted[lists.users] = defined

    def _direct(self, chosen: list[int], values: Floats, counted: NDArray[np.bool_]) -> None:
        if not chosen:
            return
        picked = [self.metrics[m] for m in chosen]
        scored = direct_scores(self.data, self.relevant, picked, weighted=self.weighted)
        for r, (users, rows) in enumerate(scored):
            for place, m in enumerate(chosen):
                values[r, m, users], counted[r, m, users] = rows[place], True

    def _through_rankings(self, chosen: list[int], values: Floats, counted: NDArray[np.bool_]) -> None:
        """Score the other metrics with judgments and runs, like any collection."""
        if not chosen:
            return
        from diveval.evaluation import score_runs

        data, ratings = self.data, self.data.ratings
        rows = [
            (data.users[u], data.aspects[g], data.items[i], float(v))
            for u, i, v in zip(ratings.users.tolist(), ratings.items.tolist(), ratings.values.tolist(), strict=True)
            for g in np.flatnonzero(data.genres[i]).tolist()
        ]
        weights = (
            {
                (data.users[u], data.aspects[g]): float(data.profiles[u, g])
                for u in np.unique(ratings.users).tolist()
                for g in range(len(data.aspects))
            }
            if self.weighted
            else None
        )
        judgments = Judgments.from_rows(rows, weights=weights)
        runs = [
            Run(
                name,
                {
                    data.users[u]: TopicRun([data.items[i] for i in row if i >= 0])
                    for u, row in zip(lists.users.tolist(), lists.items.tolist(), strict=True)
                },
            )
            for name, lists in data.runs.items()
        ]
        scores = score_runs(judgments, runs, [self.metrics[m] for m in chosen], Options(relevance=self.rule))
        place = {user: u for u, user in enumerate(data.users)}
        columns = [place[topic] for topic in scores.topics]
        for at, m in enumerate(chosen):
            values[:, m, columns], counted[:, m, columns] = scores.values[:, at], scores.counted[:, at]
