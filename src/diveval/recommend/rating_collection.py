"""Ratings and lists as a collection: users are topics, genres aspects, and lists runs, for every tool for rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from diveval.collection.inputs import ProfilesLike, TableLike
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.reading.chosen import takes_settings
from diveval.recommend.arrays import Tables, data_of, with_genres
from diveval.recommend.table_checks import warn_about_ids
from diveval.recommend.table_joins import count_empty_users, join_tables
from diveval.recommend.user_scoring import with_profiles
from diveval.settings import Options, Settings
from diveval.writing import file_names, write_judgments, write_runs

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class RatingCollection:
    """Judgments and runs of recommendations: a rating below `rel` is grade 0, a user's taste the weights of aspects."""

    judgments: Judgments
    runs: tuple[Run, ...]

    def write(self, folder: str | Path) -> list[Path]:
        """Write the judgments and a file per run as parquet, which every command takes; return their paths."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        paths = [target / "judgments.parquet"]
        write_judgments(self.judgments, paths[0], format="parquet")
        for run, name in zip(self.runs, file_names(self.runs), strict=True):
            paths.append(target / f"{name}.parquet")
            write_runs([run], paths[-1], format="parquet")
        return paths


@takes_settings
def as_collection(
    ratings: TableLike,
    recommendations: TableLike,
    *,
    aspects: TableLike | None = None,
    history: TableLike | None = None,
    catalogue: Iterable[str | int] | None = None,
    profiles: Literal["history", "uniform"] | ProfilesLike | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> RatingCollection:
    """The tables of `recommend.evaluate` as judgments and runs, under which metrics of rankings have the same values.

    `conclusions`, `why`, `violations`, the studio and every other tool for rankings can then be used for recommenders.

    Args:
        ratings: as in `recommend.evaluate`, and so are the other tables.
        recommendations: the lists.
        aspects: the genres of items.
        history: earlier ratings, for the users' tastes.
        catalogue: the items that could be recommended.
        profiles: aspect weights by user.
        columns: names of columns that are not detected.
        separator: between the genres of a text.
        options: `rel` and `judgment_duplicates` count, with which the judgments are written.
        settings: single options instead.
    """
    chosen = options or Options()
    given = None if isinstance(profiles, str) else profiles
    tables = Tables.read(
        ratings,
        recommendations,
        aspects=aspects,
        history=history,
        catalogue=catalogue,
        profiles=given,
        columns=columns,
        separator=separator,
    )
    weighted = tables.genres is not None and (history is not None if profiles is None else profiles != "uniform")
    base = tables.judge(chosen)
    count_empty_users(base, chosen)
    warn_about_ids(tables)
    join_tables(tables, (), chosen, weighted=weighted)
    judgments = with_genres(base, tables.genres)
    if weighted:
        judgments = with_profiles(judgments, data_of(tables, base, chosen, 1), chosen)
        known = judgments.columns.weighted
        weights = np.where(np.repeat(known, np.diff(judgments.columns.aspects)), judgments.columns.weights, 1.0)
        judgments = replace(
            judgments, topics=replace(judgments.columns, weights=weights, weighted=np.ones_like(known)).views
        )
    grades = judgments.columns.grades
    counted = np.where(chosen.relevance.counts(grades), grades, 0.0)
    return RatingCollection(
        replace(judgments, topics=replace(judgments.columns, grades=counted).views), tuple(tables.runs)
    )
