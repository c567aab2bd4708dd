"""What the tables of recommendations match: items with genres, users with a history, and users with a liked item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from diveval.collection.columns import Names, any_in
from diveval.collection.joins import Match, match
from diveval.collection.judgments import Judgments
from diveval.errors import InputError, count_of, preview, warn
from diveval.metrics.metric import Metric
from diveval.recommend.arrays import Tables
from diveval.recommend.list_metrics import needs_of
from diveval.recommend.rating_tables import occurring
from diveval.settings import Options


def join_tables(tables: Tables, metrics: Sequence[Metric], options: Options, *, weighted: bool) -> tuple[Match, ...]:
    """The matches of every table that the metrics use; too small a share is an error."""
    needs = {need for metric in metrics for need in needs_of(metric)}
    by_history = "history" in needs or ((weighted or "profiles" in needs) and tables.profiles is None)
    shown = list(dict.fromkeys(item for run in tables.runs for item in run.columns.documents))
    rated, before = tables.ratings, tables.history
    users = _listed_users(tables)
    out: list[Match] = []

    def add(table: str, kind: str, wanted: Iterable[str], given: Collection[str], effect: str) -> None:
        out.append(match(table, kind, wanted, given, effect=effect))

    out += _match_ratings(tables)
    if tables.genres is not None:
        described = {item for item, own in tables.genres.items() if own}
        genres = Match(
            "aspects", "recommended items with a genre", sum(item in described for item in shown), len(shown)
        )
        for kind, items in (("recommended items", shown), ("rated items", rated.items.names)):
            add("aspects", kind, items, tables.genres.keys(), "share no genre with any other")
        out.append(genres)
        bare = [item for item in shown if item in tables.genres and item not in described]
        if bare and any(need in needs for need in ("aspects", "features")):
            warn(
                "missing-genres",
                f"aspects: {count_of(len(bare), 'recommended item')} without a genre ({preview(bare)}) share none with any"
                " other",
            )
        if by_history and before is not rated:
            add("aspects", "items of the history", before.items.names, tables.genres.keys(), "add nothing to a taste")
    if by_history and before is not rated:
        if users.equals(before.users.names):  # without a str for each of a million users
            out.append(Match("history", "users", len(users), len(users)))
        else:
            add("history", "users", users, set(before.users.names), "have no earlier ratings")
    if "history" in needs and before is not rated:  # a taste needs no item of the lists
        add("history", "recommended items", shown, set(before.items.names), "count as new to everybody")
    if tables.profiles is None and (weighted or "profiles" in needs):
        counts = options.relevance.counts(before.values) if before.graded else np.ones(len(before.values), dtype=bool)
        codes = occurring(before.users.codes[counts].astype(np.int64), len(before.users.names))
        same = users.equals(before.users.names)
        tastes = len(codes) if same else len(set(before.users.names.at(codes)) & set(users))
        out.append(Match("history", "users with a liked item, and so a taste,", tastes, len(users)))
    if tables.profiles is not None:
        add("profiles", "users", rated.users.names, tables.profiles.keys(), "weight all genres equally")
    if tables.vectors is not None and "features" in needs:
        add("vectors", "recommended items", shown, tables.vectors.keys(), "are at distance 1 from every other")
    if tables.catalogue is not None:
        add("catalogue", "recommended items", shown, set(tables.catalogue), "count as not recommended")
    if by_history and before is rated:
        warn("history-missing", "no history is given: popularity and taste are those of the ratings to predict")
    return tuple(out)


def _listed_users(tables: Tables) -> Names:
    """The users of all lists."""
    first, *others = (run.columns.topics for run in tables.runs)
    if all(first.equals(other) for other in others):
        return first
    return Names.of(dict.fromkeys(user for run in tables.runs for user in run.columns.topics))


def _match_ratings(tables: Tables) -> list[Match]:
    """Which users of the lists have ratings, and which recommended items anybody rated or another table has."""
    rated = tables.ratings.users.names
    known = set(tables.ratings.items.names) | set(tables.history.items.names)
    for table in (tables.genres, tables.vectors, tables.catalogue):
        known |= set(table or ())
    out = []
    for run in tables.runs:
        users, items = run.columns.topics, list(dict.fromkeys(run.columns.documents))
        both = len(users) if users.equals(rated) else len(set(users) & set(rated))
        out.append(Match(run.name, "users with ratings", both, len(users)))
        if items and known.isdisjoint(items):
            raise InputError(
                "ids-unmatched",
                f"no item that {run.name} recommends is in another table: it has {preview(items, 3)}, the others have"
                f" {preview(sorted(known)[:3], 3)}",
                hint="write the same ids in both tables",
                source="recommendations",
            )
    return out


def count_empty_users(judgments: Judgments, options: Options) -> int:
    """The users without a liked item among the ratings to predict; an error if that is everybody."""
    columns = judgments.columns
    liked = options.relevance.counts(columns.grades)
    if not liked.any():
        low, high = float(np.min(columns.grades)), float(np.max(columns.grades))
        least = "above 0" if options.relevance.rel is None else f"at least rel={options.relevance.rel:g}"
        raise InputError(
            "nothing-relevant",
            f"no rating is {least}, so every accuracy would be 0: they go from {low:g} to {high:g}",
            hint="choose rel on the scale of the ratings",
            source="ratings",
        )
    return int(np.count_nonzero(~any_in(liked, columns.entries)))


def describe_empty_users(empty: int, total: int, skipped: bool) -> str:
    """The sentence about users without a liked item."""
    rule = "left out of means that need one" if skipped else "they count like a list without a hit"
    return f"{count_of(empty, 'user')} of {total:,} without a liked item among the ratings to predict: {rule}"
