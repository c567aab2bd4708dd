"""`diveval choose effort`: RBU's p and e from what readers do, and what they change on a collection."""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.defaults import CUTOFF
from diveval.errors import UsageError

ABOUT = "Set RBU's parameters. --read N: people look at N documents on average, so p = 1 − 1/N. --worth W: the least useful document worth showing has utility W (weight of its aspect × relevance), so e = W. With QRELS RUN …: unanimity, discriminative power and the share of runs with positive utility over p and e."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval choose effort`."""
    common.add_collection(parser, qrels="?", runs="*")
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument("--read", type=float, metavar="N", help="documents that people look at, on average")
    parser.add_argument(
        "--worth",
        type=float,
        metavar="W",
        help="utility of the least useful document that is worth showing: weight of the aspect × relevance, such as 0.25 × 0.2 = 0.05",
    )
    common.add_number(parser, "-k", "--cutoff", default=CUTOFF, metavar="K", help="RBU's cutoff")


def run(arguments: argparse.Namespace) -> int:
    """Parameters from --read and --worth, and a study of them where there are runs."""
    from diveval.analysis.effort import EFFORTS, PATIENCE, patience, tune_effort

    if arguments.qrels is None and arguments.read is None and arguments.worth is None:
        raise UsageError("missing-argument", "choose effort needs --read N, --worth W, or QRELS RUN …")
    p = None if arguments.read is None else patience(arguments.read)
    e = arguments.worth
    if e is not None and not 0 <= e < 1:
        raise UsageError("out-of-range", f"--worth is a utility between 0 and 1, got {e:g}")
    if arguments.qrels is None:
        common.emit(_setting(p, e, arguments.cutoff), arguments)
        return 0
    if not arguments.runs:
        raise UsageError("missing-argument", "choose effort needs runs beside the judgments: QRELS RUN …")
    judgments = common.load_judgments(arguments, common.options_from(arguments))
    study = tune_effort(
        judgments,
        arguments.runs,
        p=PATIENCE if p is None else (p,),
        e=EFFORTS if e is None else (e,),
        cutoff=arguments.cutoff,
        options=common.options_from(arguments),
    )
    common.emit_result(study, arguments)
    return 0


def _setting(p: float | None, e: float | None, cutoff: int) -> str:
    lines = []
    if p is not None:
        lines.append(f"p = {p:g}: readers look at {1 / (1 - p):.3g} documents on average")
    if e is not None:
        lines.append(f"e = {e:g}: a document pays if it adds at least that much utility")
    values = ",".join([*([f"p={p:g}"] if p is not None else []), *([f"e={e:g}"] if e is not None else [])])
    return "\n".join([*lines, f"-m 'RBU({values})@{cutoff}'"]) + "\n"
