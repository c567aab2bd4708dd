"""`diveval data reproduce table1|table2|table3`: the paper's tables beside ours, on any collection."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.unanimity import add_bootstrap
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.experiments import Collection

FORMATS = ["table", "md", "csv", "json", "latex"]
TABLES = {
    "table2": "Metric Unanimity of 109 variants on the runs as they are and in two simulated scenarios (experiments 1 and 2)",
    "table3": "Metric Unanimity of the official metrics of the Web track and of Dynamic Domain against RBU (experiments 3 and 4)",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval data reproduce`."""
    tables = parser.add_subparsers(dest="table", metavar="TABLE", required=True)
    first = tables.add_parser("table1", help="which metrics satisfy which axioms")
    common.add_output(first, FORMATS)
    first.set_defaults(run=run_table1)
    for name, about in TABLES.items():
        table = tables.add_parser(name, help=about, description=f"{about}. Without data, on a synthetic collection.")
        table.add_argument(
            "--data",
            nargs="+",
            default=[],
            metavar="DIR",
            help="folders with qrels.txt and runs/, as `diveval data get` and `diveval data make` leave them",
        )
        table.add_argument("--qrels", metavar="FILE", help="judgments, with --runs: a collection of your own")
        table.add_argument("--runs", nargs="+", default=[], metavar="FILE", help="run files, with --qrels")
        table.add_argument("--weights", metavar="FILE", help="aspect weights, with --qrels")
        if name == "table2":
            repeats = "repeats of the simulated scenarios, seeds 0 to N − 1"
            common.add_number(table, "--seeds", default=5, help=repeats)
        add_bootstrap(table)
        table.add_argument("--leave-family-out", action="store_true", help="compare a metric with other families only")
        table.add_argument(
            "--all-variants", action="store_true", help="MU of every variant instead of the best of each family"
        )
        common.add_output(table, FORMATS)
        table.set_defaults(run=run)


def run_table1(arguments: argparse.Namespace) -> int:
    """The paper's table, ours under both readings, and every disagreement with its evidence."""
    from diveval.axioms.presentation.matrix import against_the_paper, matrix
    from diveval.cli.progress import count_cells

    with count_cells() as progress:
        verdicts = matrix(progress=progress)
    form = arguments.format
    common.emit(against_the_paper(verdicts) if form == "table" else common.text_of(verdicts, arguments), arguments)
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Read or make the collections, run the experiments, print."""
    from diveval.experiments import table2, table3
    from diveval.meta import unanimity

    collections = _collections(arguments)
    count = partial(unanimity, bootstrap=arguments.bootstrap, leave_family_out=arguments.leave_family_out)
    if arguments.table == "table2":
        if arguments.seeds < 1:
            raise UsageError("out-of-range", f"--seeds is at least 1, got {arguments.seeds}")
        result = table2(
            collections, seeds=range(arguments.seeds), count=count, all_variants=arguments.all_variants, progress=say
        )
    else:
        result = table3(collections, count=count, all_variants=arguments.all_variants, progress=say)
    common.emit_result(result, arguments)
    return 0


def say(what: str, done: int, total: int) -> None:
    """Print progress on standard error."""
    print(f"diveval: {what}", file=sys.stderr, flush=True)


def _collections(arguments: argparse.Namespace) -> list[Collection]:
    from diveval.experiments import from_files, from_folder
    from diveval.scoring.evaluate import distinct_names

    collections = [from_folder(folder) for folder in arguments.data]
    if arguments.qrels is not None:
        collections.append(from_files(arguments.qrels, arguments.runs, weights=arguments.weights))
    elif arguments.runs or arguments.weights:
        raise UsageError("option-not-applicable", "--runs and --weights go with --qrels FILE")
    # Tables are grouped by name: two folders with the same name must not become one collection.
    sources = [*arguments.data, arguments.qrels]
    names = distinct_names([(one.name, source) for one, source in zip(collections, sources, strict=False)])
    return [replace(one, name=name) for one, name in zip(collections, names, strict=True)]
