"""`diveval data convert qrels|run IN … OUT`: between all supported formats, with a report of what is lost."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError, warn

if TYPE_CHECKING:
    from diveval.collection.runs import Run
    from diveval.settings import OrderRule


ABOUT = "Convert judgments and runs between formats. What the target cannot represent is reported on standard error."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval data convert`."""
    from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS
    from diveval.setting_table import TABLE
    from diveval.writing import JUDGMENT_TARGETS, RUN_TARGETS

    kinds = parser.add_subparsers(dest="kind", required=True, metavar="qrels|run")
    qrels = kinds.add_parser("qrels", help="judgments: TREC, EvALL, NTCIR, Dynamic Domain, nuggets, parquet")
    qrels.add_argument("qrels", metavar="IN", help="judgments in any format; - for standard input")
    qrels.add_argument("output", metavar="OUT", help="where to write, atomically; - for standard output")
    qrels.add_argument(
        "--from", dest="source", choices=list(JUDGMENT_FORMATS), help="default: detected from the content"
    )
    qrels.add_argument("--to", choices=JUDGMENT_TARGETS, help="default: parquet if OUT ends in .parquet, else trec")
    qrels.add_argument("--weights", metavar="FILE", help="aspect weights to add, `topic aspect weight`")
    qrels.add_argument(
        "--weights-output", metavar="FILE", help="also write the aspect weights, `topic aspect weight` (NTCIR's Iprob)"
    )
    common.add_settings(qrels, ["judgment_duplicates"])
    run = kinds.add_parser("run", help="runs: TREC, EvALL, Dynamic Domain, parquet")
    run.add_argument("runs", metavar="IN", nargs="+", help="run files in any format")
    run.add_argument(
        "output",
        metavar="OUT",
        help="where to write; a folder for several runs of text, which become NAME.run; - for standard output",
    )
    run.add_argument("--from", dest="source", choices=list(RUN_FORMATS), help="default: detected from the content")
    run.add_argument("--to", choices=RUN_TARGETS, help="default: parquet if OUT ends in .parquet, else trec")
    run.add_argument(
        "--order",
        choices=list(TABLE["order"].words),
        default="score",
        help="the order to keep where the target has no scores (default: score)",
    )


def run(arguments: argparse.Namespace) -> int:
    target = arguments.to or ("parquet" if arguments.output.endswith(".parquet") else "trec")
    losses = _qrels(arguments, target) if arguments.kind == "qrels" else _runs(arguments, target)
    for loss in losses:
        warn("information-lost", f"{arguments.output}: lost: {loss}")
    return 0


def _qrels(arguments: argparse.Namespace, target: str) -> tuple[str, ...]:
    from diveval.reading import read_judgments
    from diveval.writing import judgments_content, weights_text

    judgments = read_judgments(
        arguments.qrels, format=arguments.source, weights=arguments.weights, duplicates=arguments.judgment_duplicates
    )
    made = judgments_content(judgments, target)
    _deliver(made.content, arguments.output)
    if arguments.weights_output:
        _deliver(weights_text(judgments), arguments.weights_output)
        return tuple(loss for loss in made.losses if "--weights-output" not in loss)
    return made.losses


def _runs(arguments: argparse.Namespace, target: str) -> tuple[str, ...]:
    from diveval.settings import OrderRule
    from diveval.writing import runs_content

    runs = [run for path in arguments.runs for run in _read(path, arguments.source)]
    order = OrderRule(arguments.order)
    if target == "parquet" or len(runs) == 1:
        made = runs_content(runs, target, order=order)
        _deliver(made.content, arguments.output)
        return made.losses
    return _apart(runs, Path(arguments.output), target, order)


def _apart(runs: list[Run], folder: Path, target: str, order: OrderRule) -> tuple[str, ...]:
    """Each run in a file of its own, named after it."""
    from diveval.writing import file_names, write_runs

    if str(folder) == "-" or folder.is_file():
        raise UsageError(
            "output-file-needed", f"{len(runs)} runs as {target} need a folder to go to, got {str(folder)!r}"
        )
    names = file_names(runs)
    folder.mkdir(parents=True, exist_ok=True)
    losses: list[str] = []
    for run, name in zip(runs, names, strict=True):
        losses += [
            f"{name}.run: {loss}" for loss in write_runs([run], folder / f"{name}.run", format=target, order=order)
        ]
    return tuple(losses)


def _read(path: str, source: str | None) -> list[Run]:
    from diveval.reading import read_run
    from diveval.reading.parquet import is_parquet, read_runs

    return read_runs(path) if is_parquet(path) else [read_run(path, format=source)]


def _deliver(content: str | bytes, path: str) -> None:
    if path != "-":
        from diveval.system.files import write_atomically

        write_atomically(path, content)
    else:  # files of the field are UTF-8, whatever the terminal's encoding
        sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
        sys.stdout.flush()  # before the warnings
