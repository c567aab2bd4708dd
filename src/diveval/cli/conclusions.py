"""`diveval conclusions QRELS RUN …`: which statements about systems hold for all settings that are in doubt."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.compare import add_testing, significance_from
from diveval.defaults import CUTOFF, RANGED
from diveval.errors import InputError, UsageError, capture_warnings
from diveval.system.files import write_atomically

if TYPE_CHECKING:
    from diveval.answers import AnswerFiles
    from diveval.collection.judgments import Judgments
    from diveval.settings import Options

DEFAULT_METRIC = f"{RANGED}@{CUTOFF}"
ANSWER_METRIC = RANGED  # of RAG answers with labels by sentence
WHOLE_ANSWER_METRIC = "RBU(p=1,e=0)"  # weighted coverage, of answers with labels as a whole


ABOUT = f"For every pair of systems: does the better one stay better over all parameters in the ranges of the metric (default: {DEFAULT_METRIC}), all weights, all labels of unjudged documents, all judges? Certain means proved; flips comes with the settings; the rest is undecided, with the reason."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval conclusions`."""
    common.add_collection(parser, answers=True)
    common.add_metrics(
        parser,
        what="metric with ranges",
        examples="'RBU(p=0.6..0.99,e=0..0.1)@20' or 'alpha_DCG(alpha=0.3..0.7)@20'",
    )
    common.add_output(parser, ["table", "csv", "json", "latex"])
    common.add_evidence(parser)
    add_doubts(parser)
    add_testing(parser, baseline=False)
    common.add_files(parser, "--judgments", metavar="OTHER", help="judgments of other judges on the same topics")
    parser.add_argument(
        "--budget",
        type=int,
        metavar="N",
        help="print the N most valuable documents to judge next as CSV (needs --unjudged any)",
    )
    common.add_options(
        parser,
        {
            "--board": "instead of pairs, each system's possible ranks: given the pairs that are significant under every judge and metric whatever the parameters, and given those that are proved on these topics",
            "--borders DIR": "also draw, for each pair that flips, where in the ranges its order changes",
            "--graph FILE.svg": "also draw the order of systems: an edge is a conclusion that survives everything asked",
        },
    )


def add_doubts(parser: argparse.ArgumentParser) -> None:
    """Options for what conclusions put in doubt, beside the ranges of their metric."""
    common.add_options(parser, {"--any-weights": "doubt the aspect weights: any weights that sum to 1 per topic"})
    parser.add_argument(
        "--weight-order",
        choices=["any", "given"],
        default="any",
        help="with --any-weights, keep the order of the given weights (default: any)",
    )
    parser.add_argument(
        "--unjudged",
        choices=["any", "zero"],
        default="zero",
        help="unjudged documents: any label, the same for all systems, or not relevant (default: zero)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, conclude, print."""
    from diveval.cli.answers import material_of
    from diveval.conclusions.all_pairs import conclude, on_standard_error

    if arguments.budget is not None and (arguments.unjudged != "any" or arguments.budget < 1):
        raise UsageError(
            "out-of-range", "--budget N is a number of documents of at least 1 and goes with --unjudged any"
        )
    answers = material_of(arguments)
    systems = _of_rankings(arguments) if answers is None else _of_answers(answers, arguments)
    judgments, runs, options, metric, judges = systems
    if arguments.board:
        return _show_board(systems, arguments)
    result = conclude(
        judgments,
        runs,
        common.names_from(arguments) or [metric],
        any_weights=arguments.any_weights and arguments.weight_order,
        unjudged=arguments.unjudged,
        judges=judges,
        significance=significance_from(arguments),
        options=options,
        worth=arguments.budget is not None,
        progress=on_standard_error(),
    )
    if arguments.graph is not None:
        write_atomically(arguments.graph, result.to_svg())
    if arguments.borders is not None:
        from diveval.conclusions.drawings import write_borders

        write_borders(judgments, runs, result, options, arguments.borders)
    if arguments.budget is None or arguments.evidence:
        common.emit_result(result, arguments)
    else:
        common.emit(result.budget(arguments.budget), arguments)
    return 0


def _show_board(systems: Systems, arguments: argparse.Namespace) -> int:
    """The possible ranks instead of the pairs."""
    from diveval.conclusions.all_pairs import on_standard_error
    from diveval.judging.boards import board

    if arguments.budget is not None or arguments.graph is not None or arguments.borders is not None:
        raise UsageError("conflicting-options", "--board shows ranks: --budget, --graph and --borders go without it")
    judgments, runs, options, metric, judges = systems
    result = board(
        judgments,
        runs,
        common.names_from(arguments) or [metric],
        judges=judges,
        any_weights=arguments.any_weights and arguments.weight_order,
        unjudged=arguments.unjudged,
        significance=significance_from(arguments),
        progress=on_standard_error(),
        options=options,
    )
    common.emit_result(result, arguments)
    return 0


# The systems to conclude about, how they are scored, the metric if none is named, and further judges.
Systems = tuple["Judgments", Any, "Options", str, Sequence["Judgments"]]


def _of_rankings(arguments: argparse.Namespace) -> Systems:
    from diveval.scoring.evaluate import load_judgments, read_once

    options = common.options_from(arguments)
    judgments = common.load_judgments(arguments, options)
    runs: Any = arguments.runs if arguments.borders is None else read_once(arguments.runs, options)
    judges = [load_judgments(path, options, arguments.weights) for path in arguments.judgments]
    return judgments, runs, options, DEFAULT_METRIC, judges


def _of_answers(material: AnswerFiles, arguments: argparse.Namespace) -> Systems:
    """RAG answers: sentences as documents, nuggets as aspects, tokens as effort."""
    from diveval.answers.answer_collection import as_collection
    from diveval.cli.answers import missing_of

    if arguments.unjudged != "zero":
        raise UsageError(
            "option-not-applicable",
            "--unjudged and --budget are about unjudged documents, which answers do not have",
            hint="`diveval answers --residuals` shows what failed labels could still add",
        )
    collection = as_collection(material)
    options = collection.options
    if (missing := missing_of(arguments)) is not None:
        options = replace(options, missing_topics=missing)
    metric = ANSWER_METRIC if collection.by_sentence else WHOLE_ANSWER_METRIC
    # Several judges are compared with each other; their labels combined are no further judge.
    first, *others = [*_judges_of(material), *_other_judges(material, arguments)]
    return first, list(collection.runs), options, metric, others


def _judges_of(material: AnswerFiles) -> list[Judgments]:
    """The labels of each judge of the tables, unless those of one judge count; else all labels together."""
    from diveval.answers.answer_collection import as_collection, judgments_by_judge
    from diveval.answers.judge_rules import RULES

    several = material.combined is not None and material.combined.rule in RULES
    judged = [judgments for _, judgments in judgments_by_judge(material)] if several else []
    if len(judged) > 1:
        return judged
    with capture_warnings():  # the same as before
        return [as_collection(material).judgments]


def _other_judges(material: AnswerFiles, arguments: argparse.Namespace) -> list[Judgments]:
    """The labels of the judges of --judgments, as judgments of the same answers."""
    import numpy as np

    from diveval.answers.answer_collection import as_collection
    from diveval.cli.answers import other_judges
    from diveval.judging.answer_labels import list_labelled

    out = []
    for name, other in other_judges(material, arguments, arguments.judgments).items():
        own = replace(other, systems={run: other.systems[run] for run in material.systems})
        # A query of which the judge labelled only some answers would count 0 for the others.
        partly = {
            query
            for run, system in material.systems.items()
            for query in list_labelled(system) - list_labelled(other.systems[run])
        }
        judged = as_collection(own, source=name).judgments
        kept = np.flatnonzero([query not in partly for query in judged])
        if not len(kept):
            what = "the judge labelled all answers of no query"
            raise InputError("missing-labels", what, hint="label the same answers", source=name)
        out.append(replace(judged, topics=judged.columns.take(kept).views))
    return out
