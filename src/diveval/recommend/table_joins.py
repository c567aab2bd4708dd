"""What the tables of recommendations match: items with genres, users with a history, and users with a liked item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from diveval.collection.columns import Names, any_in
from diveval.collection.joins import LEAST, Match, match
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
        _warn_about_genres(tables, shown, described, by_history)
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
        if before.graded and options.relevance.rel is None and counts.all() and len(np.unique(before.values)) > 2:
            low, high = before.values.min(), before.values.max()
            warn("unusual-scale", f"history: without rel every rating is part of a taste, from {low:g} to {high:g}")
        codes = occurring(before.users.codes[counts].astype(np.int64), len(before.users.names))
        same = users.equals(before.users.names)
        tastes = len(codes) if same else len(set(before.users.names.at(codes)) & set(users))
        out.append(Match("history", "users with a liked item, and so a taste,", tastes, len(users)))
    if tables.profiles is not None:
        weighed = {user for user, own in tables.profiles.items() if any(weight for weight in own.values())}
        effect = "weight all genres equally, and have no calibration"
        add("profiles", "users", dict.fromkeys([*rated.users.names, *users]), weighed, effect)
    if tables.vectors is not None and "features" in needs:
        add("vectors", "recommended items", shown, tables.vectors.keys(), "are at distance 1 from every other")
        if "history" in needs:
            effect = "are at distance 1 from every other"
            add("vectors", "items of the history", before.items.names, tables.vectors.keys(), effect)
        zero = [item for item in shown if item in tables.vectors and not np.any(tables.vectors[item])]
        if zero:
            what = count_of(len(zero), "recommended item")
            warn("zero-vector", f"vectors: {what} at cosine distance 1 from every other, as all is 0 ({preview(zero)})")
    if tables.catalogue is not None:
        add("catalogue", "recommended items", shown, set(tables.catalogue), "count as not recommended")
    if by_history and before is rated:
        warn("history-missing", "no history is given: popularity and taste are those of the ratings to predict")
    return tuple(out)


def _warn_about_genres(tables: Tables, shown: Sequence[str], described: Collection[str], by_history: bool) -> None:
    """Warn about items that the table of genres has, but without a genre."""
    genres = tables.genres or {}
    kinds = {"recommended item": shown, "rated item": tables.ratings.items.names}
    if by_history and tables.history is not tables.ratings:
        kinds["item of the history"] = tables.history.items.names
    told = set[str]()
    for kind, items in kinds.items():
        bare = [item for item in items if item in genres and item not in described and item not in told]
        told.update(bare)
        if bare:
            effect = "add nothing to a taste" if kind.endswith("history") else "share none with any other"
            what = count_of(len(bare), kind, kind.replace("item", "items", 1))
            warn("missing-genres", f"aspects: {what} without a genre ({preview(bare)}): they {effect}")


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
        out.append(_match_users(run.name, users, rated))
        if items and known.isdisjoint(items):
            raise InputError(
                "ids-unmatched",
                f"no item that {run.name} recommends is in another table: it has {preview(items, 3)}, the others have"
                f" {preview(sorted(known)[:3], 3)}",
                hint="write the same ids in both tables",
                source="recommendations",
            )
    return out


def _match_users(name: str, users: Names, rated: Names) -> Match:
    """The users of a run who have ratings. Ratings of some users are common; where both tables lack most of the users of
    the other, the ids differ."""
    if users.equals(rated):
        return Match(name, "users with ratings", len(users), len(users))
    known = set(rated)
    lost = [user for user in users if user not in known]
    found = Match(name, "users with ratings", len(users) - len(lost), len(users))
    if 0 < found.matched < LEAST * min(found.total, len(known)):
        listed = set(users)
        raise InputError(
            "ids-unmatched",
            f"only {found.matched:,} of {found.total:,} users have ratings: the lists have {preview(lost, 3)}, the ratings"
            f" {preview([user for user in rated if user not in listed], 3)}",
            hint="write the same ids in both tables",
            source=name,
        )
    if lost and found.matched:  # none at all is the error of scoring
        warn(
            "ids-partly-matched",
            f"{found}; {len(lost):,} without ratings count in metrics of lists and runs only ({preview(lost, 3)})",
        )
    return found


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
