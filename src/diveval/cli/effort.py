"""`diveval effort`: RBU's p and e from what readers do, and what they change on a collection."""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.errors import UsageError


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "effort",
        description="Set RBU's parameters. --read N: people look at N documents on average, so p = 1 − 1/N. --worth W: the least useful document worth showing has utility W (weight of its aspect × relevance), so e = W. With QRELS RUN …: unanimity, discriminative power and the share of runs with positive utility over p and e.",
    )
    common.add_collection(parser, qrels="?", runs="*")
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument("--read", type=float, metavar="N", help="documents that people look at, on average")
    parser.add_argument(
        "--worth",
        type=float,
        metavar="W",
        help="utility of the least useful document that is worth showing: weight of the aspect × relevance, such as 0.25 × 0.2 = 0.05",
    )
    common.add_number(parser, "-k", "--cutoff", default=20, metavar="K", help="RBU's cutoff")
    common.add_number(parser, "--resamples", default=1000, help="resamples of Tukey's HSD")
    common.add_seed(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Parameters from --read and --worth, and a study of them where there are runs."""
    from diveval.choosing.effort import EFFORTS, PATIENCE, effort, patience

    if arguments.qrels is None and arguments.read is None and arguments.worth is None:
        raise UsageError("effort needs --read N, --worth W, or QRELS RUN …")
    p = None if arguments.read is None else patience(arguments.read)
    e = arguments.worth
    if e is not None and not 0 <= e < 1:
        raise UsageError(f"--worth is a utility between 0 and 1, got {e:g}")
    if arguments.qrels is None:
        common.emit(_setting(p, e, arguments.cutoff), arguments)
        return 0
    if not arguments.runs:
        raise UsageError("effort needs runs beside the judgments: QRELS RUN …")
    judgments = common.load_judgments(arguments, common.options_from(arguments))
    study = effort(
        judgments,
        arguments.runs,
        patience=PATIENCE if p is None else (p,),
        efforts=EFFORTS if e is None else (e,),
        cutoff=arguments.cutoff,
        resamples=arguments.resamples,
        seed=arguments.seed,
        options=common.options_from(arguments),
    )
    common.emit_result(study, arguments, study.__str__)
    return 0


def _setting(p: float | None, e: float | None, cutoff: int) -> str:
    lines = []
    if p is not None:
        lines.append(f"p = {p:g}: readers look at {1 / (1 - p):.3g} documents on average")
    if e is not None:
        lines.append(f"e = {e:g}: a document pays if it adds at least that much utility")
    values = ",".join([*([f"p={p:g}"] if p is not None else []), *([f"e={e:g}"] if e is not None else [])])
    return "\n".join([*lines, f"-m 'RBU({values})@{cutoff}'"]) + "\n"
