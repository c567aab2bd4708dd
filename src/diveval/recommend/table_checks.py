"""Warnings about tables that can be read and yet may mean something else: ids, columns, orders and scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diveval.collection.columns import IntArray, Names, any_in
from diveval.collection.runs import RunColumns
from diveval.collection.spellings import find_alike, normalise, warn_about_alike
from diveval.errors import count_of, preview, warn
from diveval.reading.cells import intern_names
from diveval.settings import Options

if TYPE_CHECKING:
    from diveval.recommend.arrays import Tables

__all__ = ["find_alike", "normalise"]  # beside the checks below
EMPTY = ("nan", "NaN", "None", "null", "NULL", "<NA>", "NaT")  # what libraries write for a missing value
FEW = 10  # pairs of scores; if so many rise, it is no accident
HIGHEST = 10.0  # rating above which 2^r leaves nothing of the others


def warn_about_ids(tables: Tables) -> None:
    """Warn about users and items whose ids differ only in spelling, and about ids that say that there is none."""
    both, runs = (tables.ratings, tables.history), [run.columns for run in tables.runs]
    users = [*(one.users.names for one in both), *(run.topics for run in runs)]
    items = [*(one.items.names for one in both), *(run.documents for run in runs)]
    for kind, own, others in (
        ("users", users, (tables.profiles,)),
        ("items", items, (tables.genres, tables.vectors, tables.catalogue)),
    ):
        columns: list[Names] = []
        for names in (*own, *(Names.of(dict.fromkeys(other)) for other in others if other is not None)):
            if not any(names.equals(known) for known in columns):
                columns.append(names)
        names, _ = intern_names(columns)
        warn_about_alike(kind, names)
        nothing = [text for text in EMPTY if text in names]
        if nothing:
            warn("missing-id", f"{preview(nothing)} is an id among the {kind}: was it a missing value?")


def warn_about_order(name: str, run: RunColumns) -> None:
    """Warn about lists whose scores or ranks do not say their order, or seem to say the opposite."""
    sizes = np.diff(run.starts)
    inner = np.ones(max(len(run.codes) - 1, 0), dtype=bool)  # pairs of lines of the same list
    ends = run.starts[1:-1]
    inner[ends[(ends > 0) & (ends < len(run.codes))] - 1] = False
    if run.has_scores.any():
        change = np.diff(run.scores)
        tied = run.has_scores & (sizes > 1) & ~any_in(np.r_[False, (change != 0) & inner], run.starts)
        if tied.any():
            warn(
                "unclear-order",
                f"{name}: {count_of(int(tied.sum()), 'list')} of {len(sizes):,} with one score for all items are in the"
                " order of ids; ties='file' keeps the order of the rows",
            )
        if run.has_scores.all() and inner.sum() >= FEW and (change[inner] > 0).all():
            warn(
                "unclear-order",
                f"{name}: scores rise down every list, and the highest comes first: are they distances or ranks?",
            )
    if run.has_ranks.any():
        twice = any_in(np.r_[False, (np.diff(run.ranks) == 0) & inner], run.starts) & run.has_ranks & ~run.has_scores
        if twice.any():
            warn("unclear-order", f"{name}: {count_of(int(twice.sum()), 'list')} with the same rank twice")


def warn_about_scales(tables: Tables, options: Options, *, graded: bool) -> None:
    """Warn about ratings on a scale that `rel` or the gain does not fit; `graded`: a metric depends on the gain."""
    rule, tops = options.relevance, []
    both = {"ratings": tables.ratings} | ({} if tables.history is tables.ratings else {"history": tables.history})
    for table, rows in both.items():
        if not rows.graded or not len(rows.values):
            continue
        low, high = float(rows.values.min()), float(rows.values.max())
        tops.append(high)
        if rule.rel is not None and low > rule.rel and high >= 5 * rule.rel:
            warn("unusual-scale", f"{table}: every rating is above rel={rule.rel:g}: they go from {low:g} to {high:g}")
    if graded and rule.gain == "exponential" and tables.ratings.graded and tops[0] > HIGHEST:
        warn(
            "unusual-scale",
            f"ratings: they go up to {tops[0]:g}, and with the gain 2^r only the highest matter; gain='linear' is usual",
        )
    if len(tops) == 2 and min(tops) > 0 and max(tops) >= 2 * min(tops):
        warn("unusual-scale", f"ratings go up to {tops[0]:g} and the history to {tops[1]:g}: are the scales the same?")


def warn_about_overlap(rated: IntArray, known: IntArray) -> None:
    """Warn if the history has ratings that are to be predicted; both are sorted keys of pairs."""
    if len(known):
        place = np.minimum(np.searchsorted(known, rated), len(known) - 1)
        both = int(np.count_nonzero(known[place] == rated))
        if both:
            warn(
                "history-overlap", f"history: {both:,} of {len(rated):,} ratings to predict are in it, and so are known"
            )
