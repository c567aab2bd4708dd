"""`diveval report QRELS RUN … -o report.html`: one self-contained page that shows an evaluation."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common, progress
from diveval.cli.compare import add_testing, significance_from
from diveval.cli.conclusions import add_doubts
from diveval.errors import UsageError, capture_warnings, warn

if TYPE_CHECKING:
    from diveval.answers import AnswerFiles
    from diveval.scoring.scorer import RankingsByOrder
    from diveval.scoring.study import Evaluation
    from diveval.views.judging import Decisions
    from diveval.views.survival import Doubts


ABOUT = "Write one self-contained HTML page. Without -m: " + ", ".join(common.DEFAULT_METRICS) + "."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval report`."""
    common.add_collection(parser, answers=True)
    common.add_metrics(parser)
    common.add_texts(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default: report.html")
    parser.add_argument(
        "--reading",
        choices=["charitable", "as-written"],
        default="charitable",
        help="how the axioms are read: as the paper means them (default), or literally",
    )
    parser.add_argument(
        "--axiom-seconds",
        default="1",
        metavar="S",
        help="how long to wait for axioms still undecided when everything else is done (default: 1)",
    )
    common.add_options(
        parser,
        {
            "--conclusions METRIC": "metric with ranges whose conclusions are tested (default: RBU(p=0.6..0.99,e=0..0.1) to the depth of the RBU that is shown, and where aspects have weights, all weights that keep their order); `none` leaves that view out"
        },
    )
    add_doubts(parser)
    add_testing(parser, baseline=False)
    common.add_options(
        parser,
        {
            "--model FILE": "judgments by a model beside those of people: agreement of the labels, and every run by people, by the model and by both",
            "--baseline RUN": "with --margin, show which runs are worse than this one",
        },
    )
    parser.add_argument(
        "--board",
        action="append",
        default=[],
        metavar="METRIC",
        help="show the ranks that each system can have whatever the value in the metric's ranges, with --any-weights and --unjudged any whatever weights and labels, and with --model under both judges; repeatable: under every metric",
    )
    parser.add_argument("--margin", type=float, metavar="X", help="how much worse a run may be than --baseline")
    parser.add_argument("--title", help="default: the name of the judgments' file")


def run(arguments: argparse.Namespace) -> int:
    """Read, compute, write."""
    from diveval.cli.answers import material_of
    from diveval.report.page import page
    from diveval.system.files import write_atomically

    if not Path(arguments.output).resolve().parent.is_dir():
        raise UsageError("cannot-write", f"{arguments.output}: its folder does not exist")
    seconds = common.number(arguments.axiom_seconds, "--axiom-seconds")
    answers = material_of(arguments)
    data = _on_rankings(arguments, seconds) if answers is None else _on_answers(answers, arguments)
    common.say(f"Written: {write_atomically(arguments.output, page(data))}")
    return 0


def _on_rankings(arguments: argparse.Namespace, seconds: float) -> dict[str, Any]:
    from diveval.report.axiom_section import AxiomSection
    from diveval.report.contents import contents

    files = [arguments.qrels, *arguments.runs, *filter(None, [arguments.weights, arguments.topics, arguments.docs])]
    title = arguments.title or f"Evaluation on {Path(arguments.qrels).name}"
    asked = _asked(arguments)
    with (
        progress.watching("report") as say,
        AxiomSection(common.metrics_from(arguments, common.DEFAULT_METRICS), arguments.reading) as deciding,
    ):
        return contents(
            study_from(arguments),
            title=title,
            command=["diveval", *arguments.words],
            files=files,
            deciding=deciding,
            axiom_seconds=seconds,
            conclusions=asked,
            decisions=_decisions(arguments),
            how=significance_from(arguments),
            step=lambda what, done, total: say("conclusions", done, total),
        )


def _decisions(arguments: argparse.Namespace) -> Decisions:
    """A model's judgments, a gate and possible ranks, where they are asked for."""
    from diveval.conclusions.ranges import as_ranged
    from diveval.scoring.evaluate import load_judgments
    from diveval.views.judging import Decisions

    model = None
    if arguments.model:
        model = load_judgments(arguments.model, common.options_from(arguments), arguments.weights)
    if arguments.margin is not None and not 0 <= arguments.margin < float("inf"):
        raise UsageError("out-of-range", f"--margin is a finite number of at least 0, got {arguments.margin}")
    return Decisions(
        model,
        arguments.runs,
        arguments.baseline,
        arguments.margin,
        tuple(as_ranged(name).name for name in arguments.board),
        arguments.any_weights and arguments.weight_order,
        arguments.unjudged,
    )


def _asked(arguments: argparse.Namespace) -> bool | Doubts:
    """What conclusions put in doubt: True for the default, False for no conclusions."""
    from diveval.conclusions.all_pairs import DEFAULT
    from diveval.conclusions.ranges import as_ranged
    from diveval.views.survival import Doubts

    named = arguments.conclusions is not None or arguments.any_weights or arguments.unjudged == "any"
    if not named or arguments.conclusions == "none":
        return not named
    weights = arguments.weight_order if arguments.any_weights else None
    return Doubts(as_ranged(arguments.conclusions or DEFAULT).name, weights, arguments.unjudged == "any")


def _on_answers(material: AnswerFiles, arguments: argparse.Namespace) -> dict[str, Any]:
    from diveval.cli.answers import scores_of
    from diveval.report.contents import answers_contents

    with _keep_warnings() as notes:
        scores = scores_of(material, arguments, None)
    return answers_contents(
        material,
        scores,
        title=arguments.title or f"Answers to {Path(arguments.qrels).name}",
        command=["diveval", *arguments.words],
        files=[arguments.qrels, *arguments.runs],
        notes=notes,
        how=significance_from(arguments),
    )


@contextmanager
def _keep_warnings() -> Iterator[list[str]]:
    """The warnings of a block: shown when it has ended, and kept for the page."""
    texts: list[str] = []
    with capture_warnings() as notes:
        yield texts
    texts += [str(note) for note in notes]
    for note in notes:
        warn(note.code, note.message)


def study_from(arguments: argparse.Namespace) -> Evaluation:
    """What the arguments name, read and scored; the reading's warnings are shown and kept."""
    from diveval.scoring.study import Evaluation, metrics_to_read

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, common.DEFAULT_METRICS)
    with _keep_warnings() as notes:
        judgments, rankings = common.load(arguments, metrics_to_read(metrics), options, keep_documents=True)
    texts = common.texts_from(arguments, _documents(rankings) if getattr(arguments, "docs", None) else ())
    return Evaluation(judgments, rankings, metrics, options, notes=notes, texts=texts)


def _documents(rankings: RankingsByOrder) -> set[str]:
    """Every document some run returned: the text of others is never shown."""
    listed = (topic.documents or () for runs in rankings.values() for run in runs for topic in run.topics.values())
    return {document for documents in listed for document in documents}
