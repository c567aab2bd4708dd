"""From ratings and recommendations to scores: users are the topics; metrics of a whole run have no value per user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Floats, IntArray, any_in, owners
from diveval.collection.inputs import ProfilesLike, TableLike, VectorsLike
from diveval.collection.joins import Match, describe_matches, match
from diveval.collection.judgments import Judgments, is_ad_hoc
from diveval.collection.relevance import relevance_of
from diveval.collection.runs import Run
from diveval.defaults import RBU
from diveval.errors import InputError, UsageError, count_of, quote, warn
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.reading.slices import as_slices
from diveval.recommend.arrays import AT_ONCE, Pairs, RatingData, Tables, data_of, with_genres
from diveval.recommend.list_metrics import Context, ListFormula, Unified, as_metrics, needs_of
from diveval.recommend.rating_tables import Ratings
from diveval.recommend.slice_tables import read_slices_of
from diveval.recommend.table_checks import warn_about_ids, warn_about_order, warn_about_scales
from diveval.recommend.table_joins import count_empty_users, describe_empty_users, join_tables
from diveval.recommend.unrated_items import score_unrated
from diveval.results.scores import Scores
from diveval.results.setup import setup_of
from diveval.scoring.evaluate import (
    RunFacts,
    score_part,
    score_runs,
    warn_about_judgments,
    warn_about_metrics,
    warn_about_runs,
)
from diveval.settings import Options, Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT = (f"{RBU}@10", "alpha_nDCG@10", "StRecall@10", "ILD@10", "EPC@10", "CatalogueCoverage@10", "Gini@10")


@takes_settings
def evaluate(
    ratings: TableLike,
    recommendations: TableLike,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    aspects: TableLike | None = None,
    history: TableLike | None = None,
    vectors: VectorsLike | None = None,
    catalogue: Iterable[str | int] | None = None,
    profiles: Literal["history", "uniform"] | ProfilesLike | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    empty_users: Literal["zero", "skip"] | None = None,
    slices: Mapping[str, str] | Mapping[int, str] | str | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Scores:
    """Score the lists of a recommender.

    Args:
        ratings: the held-out ratings: a frame with `user_id`, `item_id` and `rating`, or `{user: {item: rating}}`.
            Ratings are grades; without them every pair is relevant.
        recommendations: a frame with `user_id`, `item_id` and `score` or `rank` (both: `order` says which orders the
            lists; neither: the order of the rows), and `run` if it contains several; or `{user: [item, …]}`, or
            `{user: {item: score}}`, or a dict of these by run.
        metrics: names such as `RBU(p=0.9,e=0.01)@10`, `ILD(distance=jaccard)@10`, `Gini@10`, including any metric of
            the main catalogue.
        aspects: the genres of items: a frame with `item_id` and `genres` (lists, or texts: see `separator`) or with a
            column of 0 and 1 per genre, or `{item: genres}`. Items without genres have nothing in common with others.
            Groups for fairness are aspects too.
        history: earlier ratings, like `ratings`: for popularity, profiles and serendipity. Without it these are taken
            from `ratings`, with a warning.
        vectors: `{item: vector}`, for cosine and Euclidean distances instead of genres.
        catalogue: the items that could be recommended. Default: those with genres, a history or a recommendation.
        profiles: aspect weights by user. "history" (default if a history is given): the share of a genre in what the
            user liked (ratings of at least `rel`); "uniform"; or `{user: {genre: weight}}`. Users whose profile has none of the genres that count
            get equal weights, with a warning.
        columns: names of columns that are not detected, `{"user": "uid", …}`.
        separator: between the genres of a text; empty if each text is one genre. Default: detected (`|`, `;`, `,`, lists
            such as `['X', 'Y']`); where it is unclear, an error asks for it.
        empty_users: users without a liked item among `ratings` score like a list without a hit ("zero", the default) or
            are left out ("skip"), as `empty_topics` of `diveval.evaluate`.
        slices: groups of users for `diveval.stats.compare_slices` and `scores.slices`: `{user: group}`, a column of
            `ratings` or of the recommendations, or a file as in `diveval.gate`.
        options: how ratings and lists become scores, as in `diveval.evaluate`: users are topics and ratings are grades.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    asked = as_metrics(DEFAULT if metrics is None else metrics)
    chosen = _with_empty_users(options or Options(), empty_users)
    if isinstance(profiles, str) and profiles not in ("history", "uniform"):
        raise UsageError("invalid-choice", f"profiles is history, uniform or a dict, got {profiles!r}")
    _check(asked, aspects is not None, vectors is not None)
    tables = Tables.read(
        ratings,
        recommendations,
        aspects=aspects,
        history=history,
        vectors=vectors,
        catalogue=catalogue,
        columns=columns,
        profiles=None if isinstance(profiles, str) else profiles,
        separator=separator,
    )
    groups = read_slices_of(slices, ratings, recommendations, columns)
    weighted = tables.genres is not None and (history is not None if profiles is None else profiles != "uniform")
    base = tables.judge(chosen)
    empty = count_empty_users(base, chosen)
    warn_about_ids(tables)
    for run in tables.runs:
        warn_about_order(run.name, run.columns)
    warn_about_scales(tables, chosen, graded=any(not isinstance(metric.formula, ListFormula) for metric in asked))
    joins = join_tables(tables, asked, chosen, weighted=weighted)
    before = None if history is None else tables.history
    scores = _score(tables, base, asked, chosen, weighted=weighted)
    if groups is not None:
        joins = (*joins, match("slices", "users", scores.topics, groups.keys(), effect=None))
        scores = replace(scores, slices=_slices_of(groups, scores.topics))
    return _tell(scores, joins, empty, len(base), chosen, before)


def _slices_of(groups: Mapping[str, str], users: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The users of each slice; users without one are left out with a warning."""
    chosen = as_slices(groups, users)
    return {name: tuple(user for user in users if user in own) for name, own in chosen.items()}


def _with_empty_users(options: Options, rule: str | None) -> Options:
    """The options with `empty_users`, which is another name of `empty_topics`."""
    if rule is None:
        return options
    if rule not in ("zero", "skip"):
        raise UsageError("invalid-choice", f"empty_users is zero or skip, got {quote(rule)}")
    if options.empty_topics is not None:
        raise UsageError("conflicting-options", "empty_users and empty_topics say the same thing: give one")
    return replace(options, empty_topics="skip" if rule == "skip" else "score")


def _tell(
    scores: Scores, joins: Sequence[Match], empty: int, users: int, options: Options, given: Ratings | None
) -> Scores:
    """The scores with what their tables matched and how many users have no liked item, in notes and in the setup."""
    skipped = options.empty_topics == "skip"
    notes = [*describe_matches(joins), *([describe_empty_users(empty, users, skipped)] if empty else [])]
    if given is not None and not given.graded and options.relevance.rel is not None:
        notes.append("history: without ratings, so everything in it counts as liked")
    setup = replace(
        scores.setup,
        joins=tuple(joins),
        history="test ratings" if given is None else "given",
        empty_users="skip" if skipped else "zero",
    )
    return replace(scores, notes=(*scores.notes, *notes), setup=setup)


def _check(metrics: Sequence[Metric], genres: bool, vectors: bool) -> None:
    for metric in metrics:
        needs = needs_of(metric)
        if "aspects" in needs and not genres:
            raise UsageError("metric-needs-aspects", f"{metric.name} needs the genres or groups of items: aspects=…")
        if "features" in needs and not genres and not vectors:
            raise UsageError(
                "metric-needs-aspects", f"{metric.name} needs the genres of items (aspects=…) or vectors=…"
            )


def _score(tables: Tables, base: Judgments, metrics: Sequence[Metric], options: Options, *, weighted: bool) -> Scores:
    """All metrics; arrays of users and items are built only for those that need them."""
    judgments = with_genres(base, tables.genres)
    beside = [
        m for m, metric in enumerate(metrics) if isinstance(metric.formula, ListFormula) or _counts_unrated(metric)
    ]
    catalogue = [m for m in range(len(metrics)) if m not in beside]
    if not beside and not weighted:
        return score_runs(judgments, tables.runs, metrics, options)
    if beside and options.judged_only:
        raise UsageError(
            "conflicting-options",
            f"{metrics[beside[0]].name} is about whole lists, from which judged_only removes unrated items",
        )
    depths = [metrics[m].cutoff or 0 for m in beside]
    data = data_of(tables, base, options, max(depths, default=1) if all(depths) else None)
    if weighted and not all(isinstance(metric.formula, ListFormula) for metric in metrics):
        judgments = with_profiles(judgments, data, options)
    if not beside:
        return score_runs(judgments, tables.runs, metrics, options)
    return _join(data, base, judgments, tables.runs, metrics, catalogue, options)


def _counts_unrated(metric: Metric) -> bool:
    """Whether the metric counts items that the user did not rate, which are in no judgment."""
    return isinstance(metric.formula, Unified) and metric.formula.alpha > 0


def with_profiles(judgments: Judgments, data: RatingData, options: Options) -> Judgments:
    """Judgments with the users' profiles as the weights of their aspects."""
    columns = judgments.columns
    profiles = data.profiles if data.given_profiles is None else data.given_profiles
    genre = {name: g for g, name in enumerate(data.aspects)}
    places = np.array([genre.get(name, -1) for name in columns.aspect_names], dtype=np.int64)[columns.aspect_codes]
    weights: Floats = np.where(places >= 0, profiles[data.rated_users[owners(columns.aspects)], places], 0.0)
    # Without a weight for any genre that counts, a user's genres are weighted equally.
    own = columns.aspects[owners(columns.entries)] + columns.columns
    counts = options.relevance.counts(columns.grades)
    known = any_in(counts & (weights[own] > 0), columns.entries)
    lost = int(np.count_nonzero(any_in(counts, columns.entries) & ~known))
    if lost:
        users = count_of(lost, "user has", "users have")
        warn(
            "missing-weights",
            f"profiles: {users} no weight for a genre of a relevant item: their genres weigh the same",
        )
    return replace(judgments, topics=replace(columns, weights=weights, weighted=known).views)


def _join(
    data: RatingData,
    base: Judgments,
    judgments: Judgments,
    runs: Sequence[Run],
    metrics: Sequence[Metric],
    catalogue: list[int],
    options: Options,
) -> Scores:
    """The scores of the catalogue's metrics, and metrics of lists, of runs and of unrated items, in one table."""
    shape = (len(data.runs), len(metrics), len(data.users))
    values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
    whole, missing = np.full(shape[:2], np.nan), np.zeros(shape[::2], dtype=bool)
    notes: dict[str, None] = {}
    if catalogue:
        parts = _divide_users(data, runs)
        for topics, scores in _score_parts(judgments, parts, [metrics[m] for m in catalogue], options):
            for at, m in enumerate(catalogue):
                values[:, m, data.rated_users[topics]] = scores.values[:, at]
                counted[:, m, data.rated_users[topics]] = scores.counted[:, at]
            notes |= dict.fromkeys(scores.notes)
    if any(isinstance(metric.formula, ListFormula) and metric.formula.per == "run" for metric in metrics):
        notes[f"catalogue: {count_of(len(data.catalogue), 'item')} could be recommended"] = None
    setup = setup_of(judgments, metrics, options)
    relevant = cache(lambda: _relevant(base, data, options))
    for r, (name, lists) in enumerate(data.runs.items()):
        missing[r, data.rated_users] = True
        missing[r, lists.users] = False
        for m, metric in enumerate(metrics):
            if isinstance(metric.formula, ListFormula):
                depth = metric.formula.cutoff
                cut = lists.at(depth)
                context = Context(data, cut, relevant, depth or cut.items.shape[1])
                _of_list(context, name, metric, values[r, m], counted[r, m], whole[r, m : m + 1])
            elif m not in catalogue:
                assert isinstance(metric.formula, Unified)
                values[r, m, data.rated_users] = score_unrated(metric.formula, data, lists, runs[r], judgments, options)
                counted[r, m, data.rated_users] = True
    return Scores.of(
        values,
        runs=list(data.runs),
        metrics=[metric.name for metric in metrics],
        topics=data.users,
        counted=counted,
        whole=None if np.isnan(whole).all() else whole,
        missing=missing,
        notes=list(notes),
        best=[metric.best for metric in metrics],
        setup=setup,
    )


def _score_parts(
    judgments: Judgments,
    parts: Iterable[tuple[IntArray, Sequence[Run]]],
    metrics: Sequence[Metric],
    options: Options,
) -> Iterator[tuple[IntArray, Scores]]:
    """Score a collection some topics at a time, which bounds memory: for each part, its topics and its runs.

    The warnings about all topics come last.
    """
    warn_about_judgments(judgments.topics, judgments.highest, judgments.source)
    warn_about_metrics(metrics, judgments.source, ad_hoc=is_ad_hoc(judgments))
    known: list[RunFacts] = []
    for topics, runs in parts:
        part = replace(judgments, topics=judgments.columns.take(topics).views, highest_of_all=judgments.highest)
        scores, facts = score_part(part, runs, metrics, options, residuals=False)
        known = [one + other for one, other in zip(known, facts, strict=True)] if known else facts
        yield topics, scores
    warn_about_runs(known, len(judgments), metrics, options)


def _divide_users(data: RatingData, runs: Sequence[Run]) -> Iterator[tuple[IntArray, list[Run]]]:
    """Parts of the users, each with some who have ratings: the topics of the judgments, and the runs with their lists."""
    users = (data.rated_users, *data.listed_users)
    starts = np.sort(data.rated_users)[::AT_ONCE].tolist()
    for first, last in pairwise([0, *starts[1:], len(data.users)]):
        topics, *own = (np.flatnonzero((some >= first) & (some < last)) for some in users)
        yield topics, [run.take(kept) for run, kept in zip(runs, own, strict=True)]


def _relevant(base: Judgments, data: RatingData, options: Options) -> Pairs:
    """The relevant items of users."""
    relevance = relevance_of(base.columns, options.relevance, base.highest, base.source)
    items = base.columns.document_codes[np.flatnonzero(relevance.place >= 0)]
    users = data.rated_users[owners(relevance.documents)]
    return Pairs.of(users, data.rated_items[items], relevance.value, len(data.items), what="ratings")


def _of_list(
    context: Context, run: str, metric: Metric, values: Floats, counted: NDArray[np.bool_], whole: Floats
) -> None:
    """Put the values of one metric of lists into its place of the table."""
    formula, users = metric.formula, context.lists.users
    assert isinstance(formula, ListFormula)
    result = formula.function(context)
    if formula.per == "run":
        whole[0] = result
        return
    defined = np.isfinite(result)
    if not defined.any():  # a mean over no users would be 0
        fault = f"run {quote(run)}: {metric.name} has no value for any user; no list has what it needs"
        raise InputError("no-counted-topic", fault)
    values[users] = np.where(defined, result, 0.0)
    counted[users] = defined
