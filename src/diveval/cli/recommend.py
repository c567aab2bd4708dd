"""`diveval recommend RATINGS LISTS …`: scores of recommenders from tables of ratings, lists and items."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.terminal import terminal_width
from diveval.errors import UsageError, capture_warnings, printable

if TYPE_CHECKING:
    from diveval.results.scores import Scores

ABOUT = "Score the lists of recommenders: accuracy, diversity by genre, novelty, calibration, fairness. Files are CSV, TSV, JSON lines, RecBole's atomic files or parquet with names of columns, or MovieLens' files without; columns are found by the names that libraries use. Below the scores stands what each table matched."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval recommend`."""
    parser.add_argument(
        "ratings", metavar="RATINGS", help="held-out ratings: user, item and, if they have grades, rating"
    )
    parser.add_argument(
        "runs",
        metavar="LISTS",
        nargs="+",
        help="recommendations: user, item, score or rank, and run if a file has several; NAME=file names a run",
    )
    common.add_options(
        parser,
        {
            "--items FILE": "genres of items, as texts or a column of 0 and 1 for each",
            "--history FILE": "earlier ratings, for popularity, taste and serendipity",
            "--catalogue FILE": "the items that could be recommended, an id per line or a table (default: those with genres, a history or a recommendation)",
            "--columns OURS=YOURS,…": "columns that are not found by name: user, item, rating, score, rank, run, aspects",
            "--separator TEXT": "between the genres of a text (default: detected; empty: each text is one genre)",
            "--slices FILE[:COLUMN]": "groups of users: a file, or a column of RATINGS or LISTS; with --compare, differences in each",
        },
    )
    parser.add_argument(
        "--profiles",
        choices=["history", "uniform"],
        help="how genres weigh for a user: as in the history (default if it is given), or all the same",
    )
    parser.add_argument(
        "--empty-users",
        choices=["zero", "skip"],
        help="users without a liked item among RATINGS: score like a list without a hit (default), or are left out",
    )
    common.add_metrics(parser, examples="nDCG@10, 'RBU(p=0.9,e=0.01)@10', ILD@10, Calibration_JS@10, Gini@10")
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    common.add_options(
        parser,
        {
            "-q, --per-user": "every user, not only the mean (csv and json)",
            "--compare METRIC": "instead of scores: which recommenders differ, paired by user",
            "--check": "instead of scores: what each table matched, and the users and items that lack something",
            "--report FILE": "also write a report, one HTML page",
            "--collection FOLDER": "also write judgments and runs, users being topics and genres aspects, for every other command",
            "--studio": "then open the studio with them, for metrics of rankings",
        },
    )
    common.add_settings(parser.add_argument_group("reading"))


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print."""
    from diveval.reading.column_names import ColumnNames
    from diveval.recommend import evaluate
    from diveval.recommend.rating_tables import COLUMNS
    from diveval.recommend.table_files import read_items, read_runs, read_table

    given = common.pairs_from(arguments.columns, "--columns")
    names = ColumnNames(COLUMNS, given)
    asked = common.names_from(arguments)
    if arguments.compare and arguments.compare not in asked:
        asked = [arguments.compare, *asked]
    ratings, lists = read_table(arguments.ratings, names), read_runs(arguments.runs, names)
    tables: dict[str, Any] = {
        "aspects": None if arguments.items is None else read_table(arguments.items, names),
        "history": None if arguments.history is None else read_table(arguments.history, names),
        "catalogue": None if arguments.catalogue is None else read_items(arguments.catalogue, names),
        "profiles": arguments.profiles,
        "columns": given,
        "separator": arguments.separator,
        "options": common.options_from(arguments),
    }
    scores = evaluate(
        ratings,
        lists,
        asked or (_usual(arguments) if not arguments.compare else None),
        empty_users=arguments.empty_users,
        slices=arguments.slices,
        **tables,
    )
    if arguments.report:
        from diveval.report.contents import report

        written = report(scores, path=arguments.report, title="Recommenders")
        print(f"Written: {printable(str(written))}", file=sys.stderr)  # standard output may be CSV
    common.emit(_text(scores, arguments), arguments)
    if arguments.collection or arguments.studio:
        _open(ratings, lists, tables, arguments)
    return 0


def _open(ratings: Any, lists: Any, tables: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Write the collection, and open the studio with it; its folder is removed at the end if none was named."""
    from diveval.recommend import as_collection

    with capture_warnings():  # the same as of the scores
        made = as_collection(ratings, lists, **tables)
    with ExitStack() as kept:
        folder = arguments.collection or kept.enter_context(TemporaryDirectory(prefix="diveval-"))
        paths = made.write(folder)
        if arguments.collection:
            print(f"Written: {printable(str(folder))}", file=sys.stderr)
        if arguments.studio:
            from diveval.cli.studio import open_studio

            open_studio(paths, clean=kept.close)


def _usual(arguments: argparse.Namespace) -> list[str] | None:
    """The usual metrics without those that need genres, where there are none."""
    from diveval.recommend.list_metrics import as_metrics, needs_of
    from diveval.recommend.user_scoring import DEFAULT

    if arguments.items is not None:
        return None
    lacking = {"aspects", "features", *(["history", "profiles"] if arguments.history is None else [])}
    return [
        "nDCG@10",
        "P@10",
        *(m.name for m in as_metrics(DEFAULT) if needs_of(m) and not lacking & {*needs_of(m)}),
        "CatalogueCoverage@10",
        "Gini@10",
    ]


def _text(scores: Scores, arguments: argparse.Namespace) -> str:
    from diveval.results import tables

    if arguments.check:
        return _summary(scores, arguments)
    if arguments.compare:
        return common.text_of(_compare(scores, arguments.compare), arguments)
    if arguments.format == "csv":
        text = tables.csv_text(scores, per_topic=arguments.per_user)
    elif arguments.format == "json":
        return tables.json_text(scores, per_topic=arguments.per_user)
    elif arguments.format in ("md", "latex"):
        text = common.text_of(scores, arguments)
    else:
        text = tables.terminal_text(scores, per_topic=arguments.per_user, width=terminal_width())
        return text + "".join(f"\n{note}" for note in scores.notes) + "\n"
    for note in scores.notes:
        print(f"diveval: note: {printable(note)}", file=sys.stderr)
    return text


def _compare(scores: Scores, metric: str) -> Any:
    from diveval.stats import compare, compare_slices

    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", "--compare needs two recommenders or more")
    return compare_slices(scores, metric=metric) if scores.slices else compare(scores, metric)


def _summary(scores: Scores, arguments: argparse.Namespace) -> str:
    """What the tables matched, as rows or as JSON."""
    from diveval.results.protocol import json_text
    from diveval.results.table_text import csv_text

    rows = [[found.table, found.kind, found.matched, found.total] for found in scores.setup.joins]
    if arguments.format == "csv":
        return csv_text(("table", "what", "matched", "total"), rows)
    if arguments.format == "json":
        return json_text(scores.setup.as_dict())
    return "\n".join(scores.notes) + "\n"
