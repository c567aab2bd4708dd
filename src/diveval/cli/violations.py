"""`diveval violations QRELS RUN …`: how often metrics do not reward, in real rankings, what the axioms ask for."""

from __future__ import annotations

import argparse
from dataclasses import replace

from diveval.axioms.specification.readings import CHARITABLE, READINGS
from diveval.cli import common
from diveval.defaults import CUTOFF, USUAL

ABOUT = "Look for each axiom's situations in real rankings (swaps, a tail of non-relevant documents cut, a better or less redundant document put in), score the lists before and after, and count how often a metric does not reward what it should."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval violations`."""
    common.add_collection(parser, answers=True)
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument(
        "--axiom",
        dest="axioms",
        action="append",
        metavar="NAME",
        help="Pri, Deep, Conf, AspDiv, Red, MRed, Sat or AspRel; may be repeated (default: all)",
    )
    parser.add_argument(
        "--reading",
        choices=list(READINGS),
        default=CHARITABLE.name,
        help="whose premises are used to count situations (default: %(default)s)",
    )
    common.add_evidence(parser)
    common.add_number(parser, "--depth", default=CUTOFF, metavar="K", help="cut lists at this rank")


def run(arguments: argparse.Namespace) -> int:
    """Read, count, print."""
    from diveval.analysis.violations import find_violations
    from diveval.analysis.violations.count import choose_situations
    from diveval.cli.answers import collection_of, material_of
    from diveval.errors import preview, warn
    from diveval.scoring.evaluate import rank_all
    from diveval.scoring.scorer import sees_same_lists

    choose_situations(arguments.axioms)  # refuse a wrong name before the files are read, which takes time
    answers = material_of(arguments)
    if answers is None:
        options = common.options_from(arguments)
        metrics = common.metrics_from(arguments, list(USUAL))
        if not arguments.metrics:  # the default metrics, without those that these options do not reach
            apart = [metric.name for metric in metrics if not sees_same_lists(metric, options)]
            metrics = [metric for metric in metrics if metric.name not in apart]
            if apart:
                warn(
                    "metrics-left-out",
                    f"{preview(apart)}: not counted, since the options do not reach other tools' metrics",
                )
        judgments, rankings = common.load(arguments, metrics, options, keep_documents=True)
    else:
        own = [name for name in USUAL if not name.startswith("ndeval.")]  # which has its own order of documents
        made, metrics = collection_of(answers, arguments, own)
        judgments, options = made.judgments, replace(made.options, efforts=None)  # each sentence costs e
        rankings = rank_all(judgments, list(made.runs), metrics, options, keep_documents=True)
    result = find_violations(
        judgments,
        rankings,
        metrics,
        options,
        axioms=arguments.axioms,
        reading=arguments.reading,
        depth=arguments.depth,
    )
    common.emit_result(result, arguments)
    return 0
