"""`diveval conclusions QRELS RUN …`: which statements about systems hold for all settings that are in doubt."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.errors import UsageError
from diveval.files import write_atomically
from diveval.table_text import aligned

if TYPE_CHECKING:
    from diveval.answers import Material
    from diveval.conclusions import Conclusions
    from diveval.judgments import Judgments
    from diveval.options import Options

DEFAULT_METRIC = "RBU(p=0.6..0.99,e=0..0.1)@20"
ANSWER_METRIC = "RBU(p=0.6..0.99,e=0..0.1)"  # of RAG answers with labels by sentence
WHOLE_ANSWER_METRIC = "RBU(p=1,e=0)"  # weighted coverage, of answers with labels as a whole


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "conclusions",
        description=f"For every pair of systems: does the better one stay better over all parameters in the ranges of the metric (default: {DEFAULT_METRIC}), all weights, all labels of unjudged documents, all judges? Certain means proved; flips comes with the settings; the rest is undecided, with the reason.",
    )
    common.add_collection(parser)
    common.add_metrics(
        parser,
        what="metric with ranges",
        examples="'RBU(p=0.6..0.99,e=0..0.1)@20' or 'alpha_DCG(alpha=0.3..0.7)@20'",
    )
    common.add_output(parser, ["table", "csv", "json", "latex"])
    add_doubts(parser)
    common.add_files(parser, "--judgments", metavar="OTHER", help="judgments of other judges on the same topics")
    parser.add_argument(
        "--budget",
        type=int,
        metavar="N",
        help="print the N most valuable documents to judge next as CSV (needs --unjudged any)",
    )
    parser.add_argument(
        "--borders", metavar="DIR", help="also draw, for each pair that flips, where in the ranges its order changes"
    )
    parser.add_argument(
        "--graph",
        metavar="FILE.svg",
        help="also draw the order of systems: an edge is a conclusion that survives everything asked",
    )
    parser.set_defaults(run=run)


def add_doubts(parser: argparse.ArgumentParser) -> None:
    """Options for what conclusions put in doubt, beside the ranges of their metric."""
    parser.add_argument(
        "--any-weights", action="store_true", help="doubt the aspect weights: any weights that sum to 1 per topic"
    )
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
        raise UsageError("--budget N is a number of documents of at least 1 and goes with --unjudged any")
    answers = material_of(arguments)
    systems = _of_rankings(arguments) if answers is None else _of_answers(answers, arguments)
    judgments, runs, options, metric, judges = systems
    result = conclude(
        judgments,
        runs,
        common.names_from(arguments) or [metric],
        any_weights=arguments.any_weights and arguments.weight_order,
        unjudged=arguments.unjudged,
        judges=judges,
        options=options,
        worth=arguments.budget is not None,
        progress=on_standard_error(),
    )
    if arguments.graph is not None:
        write_atomically(arguments.graph, result.to_svg())
    if arguments.borders is not None:
        from diveval.conclusions.drawings import write_borders

        write_borders(judgments, runs, result, options, arguments.borders)
    if arguments.budget is None:
        common.emit_result(result, arguments, lambda: _table(result))
    else:
        common.emit(result.budget(arguments.budget), arguments)
    return 0


# The systems to conclude about, how they are scored, the metric if none is named, and further judges.
Systems = tuple["Judgments", Any, "Options", str, Sequence["Judgments"]]


def _of_rankings(arguments: argparse.Namespace) -> Systems:
    from diveval.evaluation import load_judgments, read_once

    options = common.options_from(arguments)
    judgments = common.load_judgments(arguments, options)
    runs: Any = arguments.runs if arguments.borders is None else read_once(arguments.runs, options)
    judges = [load_judgments(path, options, arguments.weights) for path in arguments.judgments]
    return judgments, runs, options, DEFAULT_METRIC, judges


def _of_answers(material: Material, arguments: argparse.Namespace) -> Systems:
    """RAG answers: sentences as documents, nuggets as aspects, tokens as effort."""
    from diveval.answers.answer_collection import as_collection
    from diveval.cli.answers import missing_of

    if arguments.unjudged != "zero":
        raise UsageError(
            "--unjudged and --budget are about unjudged documents, which answers do not have; `diveval answers"
            " --residuals` shows what failed labels could still add"
        )
    if arguments.judgments:
        raise UsageError("--judgments takes judgments of documents; labels of answers come with each system")
    collection = as_collection(material)
    options = collection.options
    if (missing := missing_of(arguments)) is not None:
        options = replace(options, missing_topics=missing)
    metric = ANSWER_METRIC if collection.by_sentence else WHOLE_ANSWER_METRIC
    return collection.judgments, list(collection.runs), options, metric, ()


def _table(result: Conclusions) -> str:
    """Counts, then one line per pair and doubt."""
    lines = [result.headline(), *_on_topics(result), *_on_judges(result), ""]
    for (metric, doubt), counts in result.counts().items():
        verdicts = ", ".join(f"{counts[v]} {v}" for v in ("certain", "flips", "undecided"))
        lines.append(f"{metric}, {doubt}: {verdicts}")
    lines.append("")
    head = ("better", "worse", "metric", "doubt", "verdict", "margin", "witness")
    rows = [
        (
            result.marked(row.better),
            result.marked(row.worse),
            row.metric,
            row.doubt,
            row.verdict,
            f"{row.margin:+.2e}",
            _shortened(row.witness),
        )
        for row in result.rows
    ]
    shown = [i for i, name in enumerate(head) if name != "metric" or len(result.metrics) > 1]
    lines += aligned(([row[i] for i in shown] for row in (head, *rows)), "<" * len(shown))
    return "\n".join(lines) + "\n"


def _shortened(witness: str) -> str:
    return witness if len(witness) <= 100 else witness[:99] + "…"


def _on_topics(result: Conclusions) -> list[str]:
    """Certain over settings but not over topics, and the reverse."""
    lines = []
    for metric in result.metrics:
        counts = result.told_apart(metric)
        if any(counts.values()):
            lines.append(f"{metric}: " + "; ".join(f"{count} {what}" for what, count in counts.items()))
    return [*lines, "(certain over settings; significant over topics, paired t-test, Holm)"] if lines else []


def _on_judges(result: Conclusions) -> list[str]:
    """How far the judges agree."""
    judges = result.judges
    if judges is None:
        return []
    lines = [
        "",
        "judges, two by two: τ, τ_AP and the shared share of the k best systems; labels both gave, same grade, κ",
    ]
    for pair in judges.pairs:
        top = ", ".join(f"top {k} {share:.0%}" for k, share in pair.top.items())
        numbers = f"τ {_number(pair.tau)}, τ_AP {_number(pair.tau_ap)}, {top}"
        lines.append(
            f"  {pair.judge} and {pair.other}: {numbers}; {pair.labels} labels, {_number(pair.same)}, κ {_number(pair.kappa)}"
        )
    lines.append(f"Krippendorff's α: nominal {_number(judges.alpha_nominal)}, ordinal {_number(judges.alpha_ordinal)}")
    lines.append(
        f"significant under every judge: {len(judges.significant_in_all)} pairs, under some: {judges.significant_in_some}"
    )
    if judges.topics:
        topics = ", ".join(f"{topic} ({share:.0%})" for topic, share in judges.topics)
        lines.append(f"topics on which labels differ most: {topics}")
    return lines


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
