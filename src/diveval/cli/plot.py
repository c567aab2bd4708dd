"""`diveval plot KIND QRELS RUN … -o x.svg`: one picture for a paper, sized for a column."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.answers import collection_of, comparable, material_of, scores_of
from diveval.cli.report import study_from
from diveval.errors import DivevalError, UsageError, suggestion
from diveval.results.pictures import FORMATS, format_of, save

if TYPE_CHECKING:
    from diveval.answers import AnswerFiles
    from diveval.results.scores import Scores
    from diveval.scoring.study import Evaluation

PATIENCE = 120.0  # seconds for a matrix of axioms


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval plot`."""
    parser.add_argument("kind", metavar="KIND", choices=list(KINDS), help=", ".join(KINDS))
    common.add_collection(parser, answers=True)
    common.add_metrics(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the extension selects the format: " + ", ".join(FORMATS)
    )
    parser.add_argument("--topic", help="inspector: the topic (default: the first)")
    parser.add_argument(
        "--run",
        dest="shown",
        action="append",
        metavar="NAME",
        default=[],
        help="inspector: a run to show, once or twice (default: the best)",
    )
    common.add_number(parser, "--ranks", default=20, help="inspector: how many ranks")


def run(arguments: argparse.Namespace) -> int:
    """Read, compute, draw."""
    format_of(arguments.output)  # a wrong ending is an error before any work
    answers = material_of(arguments)
    study = study_from(arguments) if answers is None else _study_of_answers(answers, arguments)
    chart = KINDS[arguments.kind](study, arguments)
    common.say(f"Written: {save(chart, arguments.output)}")
    return 0


OF_SCORES = ("leaderboard", "topics", "agreement", "unanimity", "discriminative")  # pictures of a table of scores


def _study_of_answers(material: AnswerFiles, arguments: argparse.Namespace) -> Any:
    """Scores of answers for pictures of scores, else answers as rankings of sentences."""
    from diveval.scoring.evaluate import rank_all
    from diveval.scoring.study import Evaluation, metrics_to_read

    if arguments.kind in OF_SCORES:
        return _Scored(comparable(scores_of(material, arguments, None)))
    made, metrics = collection_of(material, arguments)
    rankings = rank_all(made.judgments, list(made.runs), metrics_to_read(metrics), made.options, keep_documents=True)
    return Evaluation(made.judgments, rankings, metrics, made.options)


@dataclass(frozen=True)
class _Scored:
    """A table of scores, as the pictures of scores take it."""

    scores: Scores


# --- the kinds --------------------------------------------------------------------------------------------------------


def _leaderboard(study: Evaluation, arguments: argparse.Namespace) -> Any:
    from diveval.meta.plots import interval_chart
    from diveval.stats import interval

    return interval_chart(interval(study.scores, study.scores.metrics[0]))


def _topics(study: Evaluation, arguments: argparse.Namespace) -> Any:
    from diveval.report.charts import topics_chart

    return topics_chart(study, study.scores.metrics[0])


def _inspector(study: Evaluation, arguments: argparse.Namespace) -> Any:
    from diveval.report.charts import inspector_chart
    from diveval.views.board import best_first
    from diveval.views.walks import inspect

    runs = study.scores.runs
    if not 1 <= arguments.ranks <= 200:
        raise UsageError("out-of-range", f"--ranks is between 1 and 200, got {arguments.ranks}")
    if len(arguments.shown) > 2:
        raise UsageError("wrong-number-of-runs", f"the inspector shows one or two runs, got {len(arguments.shown)}")
    for name in arguments.shown:
        if name not in runs:
            raise UsageError("unknown-run", f"no run is called {name!r}", hint=suggestion(name, runs))
    chosen = [runs.index(name) for name in arguments.shown] or best_first(study.scores, 0)[:1]
    data = inspect(study, arguments.topic or study.scores.topics[0], depth=arguments.ranks)
    return inspector_chart(data, {r: runs[r] for r in chosen}, ranks=arguments.ranks)


def _meta(name: str) -> Callable[[Evaluation, argparse.Namespace], Any]:
    """A picture of `meta`: `meta.NAME` computes it and `meta.plots.NAME_chart` draws it."""

    def draw(study: Evaluation, arguments: argparse.Namespace) -> Any:
        from diveval import meta
        from diveval.meta import plots
        from diveval.views.shared import testable

        return getattr(plots, f"{name}_chart")(getattr(meta, name)(testable(study.scores)))

    return draw


def _parameters(study: Evaluation, arguments: argparse.Namespace) -> Any:
    from diveval.meta.plots import sensitivity_chart
    from diveval.views.parameters import settings

    table, moved = settings(study.explained, study.score)
    if moved is None:
        raise DivevalError("nothing-to-show", table["notes"][0])
    return sensitivity_chart(moved)


def _axioms(study: Evaluation, arguments: argparse.Namespace) -> Any:
    from diveval.report.axiom_section import AxiomSection
    from diveval.report.charts import axioms_chart

    data = AxiomSection(study.metrics).finish(seconds=PATIENCE)
    if not data["rows"]:
        raise DivevalError("nothing-to-show", data["notes"][-1])
    return axioms_chart(data)


KINDS: dict[str, Callable[..., Any]] = {
    "leaderboard": _leaderboard,
    "topics": _topics,
    "inspector": _inspector,
    "agreement": _meta("agreement"),
    "unanimity": _meta("unanimity"),
    "discriminative": _meta("discriminative"),
    "parameters": _parameters,
    "axioms": _axioms,
}
ABOUT = "KIND: " + ", ".join(KINDS) + ". leaderboard and topics show the first -m; inspector shows --topic for --run."
