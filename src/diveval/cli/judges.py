"""`diveval judges PEOPLE MODEL RUN …`: may a model's labels be trusted, and what do both labels say together?"""

from __future__ import annotations

import argparse
from typing import Any, Literal

from diveval.cli import common
from diveval.defaults import CONFIDENCE, HEADLINE, QUICK_RESAMPLES
from diveval.errors import UsageError

ABOUT = "Few topics labelled by people, many by a model: how far the labels agree, every run's score and every difference by people, by the model and by both (prediction-powered), whom the model favours, which orders depend on it, and which labels to buy next. Valid if the topics that people labelled are a random sample of all topics."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval judges`."""
    parser.add_argument(
        "people",
        metavar="PEOPLE",
        help="judgments by people, on some of the topics; or labels of answers, a file or folder",
    )
    common.add_collection(parser, metavar="MODEL", answers=True)
    parser.usage = "diveval judges PEOPLE MODEL [RUN …] [options]"
    add_estimating(parser)
    common.add_evidence(parser)


def add_estimating(parser: argparse.ArgumentParser) -> None:
    """The options of estimates from both labels."""
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    common.add_files(parser, "--model", metavar="MODEL2", help="judgments by further models: scores are their mean")
    parser.add_argument(
        "--sample",
        choices=["random", "chosen"],
        default="random",
        help="how the topics that people labelled were chosen; chosen by hand is refused (default: random)",
    )
    parser.add_argument(
        "--interval",
        choices=["t", "bootstrap-t"],
        default="t",
        help="of estimates; bootstrap-t resamples topics: for few topics with many equal scores (default: t)",
    )
    parser.add_argument(
        "--prices",
        nargs=2,
        type=float,
        metavar=("PEOPLE", "MODEL"),
        help="of a topic labelled by people and by the model, in any unit: which labels are cheapest to buy next",
    )
    parser.add_argument(
        "--document-price",
        type=float,
        metavar="X",
        help="with --prices, of a document labelled by people: labels of unjudged documents are compared too",
    )
    common.add_options(
        parser,
        {
            "--no-reference": "nobody is the reference: PEOPLE, MODEL and --model are judges of one panel; agreement, disputed items, and which order of runs holds under every judge and under the panel",
            "--majority FILE": "with --no-reference, write the panel's labels: of each item the most frequent one",
            "--mean FILE": "with --no-reference, write the mean of each item's labels",
        },
    )
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="level of the intervals")
    common.add_number(
        parser, "--resamples", default=QUICK_RESAMPLES, help="resamples of the topics for agreement and order"
    )
    common.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score under both judges, estimate, print."""
    from diveval.judging.judges import judges

    if arguments.no_reference:
        return _run_panel(arguments)
    if arguments.majority or arguments.mean:
        raise UsageError("option-not-applicable", "--majority and --mean go with --no-reference")
    (people, model, *models), runs = _read_given(arguments)
    result = judges(
        people,
        model,
        runs,
        common.names_from(arguments) or HEADLINE,
        models=models,
        sample=arguments.sample,
        interval=arguments.interval,
        prices=_read_prices(arguments),
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
        weights=arguments.weights,
        options=common.options_from(arguments),
    )
    common.emit_result(result, arguments)
    return 0


def _read_prices(arguments: argparse.Namespace) -> Any:
    """Two prices, or with that of a document three."""
    if arguments.document_price is None:
        return None if arguments.prices is None else tuple(arguments.prices)
    if arguments.prices is None:
        raise UsageError("missing-argument", "--document-price goes with --prices")
    return *arguments.prices, arguments.document_price


def _read_given(arguments: argparse.Namespace) -> tuple[list[Any], list[str] | None]:
    """The judges and the runs; labels of answers are read here, as the options about tables of labels say."""
    from diveval.answers.gathering import files_of
    from diveval.answers.reading import Reading, is_answers
    from diveval.cli.answers import gather_from

    given = [arguments.people, arguments.qrels, *arguments.model]
    how = Reading.of(common.pairs_from(arguments.columns, "--columns"), None, arguments.combine)
    if not all(any(is_answers(path, how) for path in files_of([judge])[:1]) for judge in given):
        for flag, usual in (("columns", None), ("labels", None), ("combine", "majority")):
            if getattr(arguments, flag) != usual:
                raise UsageError("option-not-applicable", f"--{flag} is about labels of answers")
        return given, arguments.runs or None
    return [gather_from(arguments, [*arguments.runs, judge]) for judge in given], None


def _run_panel(arguments: argparse.Namespace) -> int:
    """The same judges without a reference."""
    from diveval.judging.panel import panel
    from diveval.system.files import write_atomically

    if (
        arguments.prices
        or arguments.document_price is not None
        or arguments.interval != "t"
        or arguments.sample != "random"
    ):
        raise UsageError("option-not-applicable", "--prices, --interval and --sample need a reference")
    given, runs = _read_given(arguments)
    result = panel(
        given,
        runs,
        common.names_from(arguments) or HEADLINE,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
        weights=arguments.weights,
        options=common.options_from(arguments),
    )
    files: dict[Literal["majority", "mean"], str | None] = {"majority": arguments.majority, "mean": arguments.mean}
    for how, path in files.items():
        if path:
            lines = (
                f"{topic} {aspect} {document} {label:g}\n"
                for topic, by_aspect in result.pool_labels(how).items()
                for aspect, labels in by_aspect.items()
                for document, label in labels.items()
            )
            write_atomically(path, "".join(lines))
    common.emit_result(result, arguments)
    return 0
