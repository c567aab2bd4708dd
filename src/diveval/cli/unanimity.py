"""`diveval meta unanimity QRELS RUN …`: Metric Unanimity of every metric, variants grouped as the paper groups them."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.terminal import terminal_width
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES
from diveval.errors import UsageError, level_text, preview
from diveval.results.table_text import number_text

if TYPE_CHECKING:
    from diveval.meta import Unanimity, UnanimityGroup
    from diveval.metrics import Metric
    from diveval.results.scores import Scores


ABOUT = "Metric Unanimity (Amigó et al., SIGIR 2018): does a metric agree when all other metrics of the set agree that one output is better than another? From runs, or with --scores from a table of scores."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval meta unanimity`."""
    common.add_collection(parser, qrels="?", runs="*", answers=True)
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "latex"])
    add_set(parser)
    common.add_options(
        parser,
        {
            "--scores FILE": "scores instead of QRELS RUN …: CSV with the header run,metric,topic,value, one value for each; -m and --set then choose among its metrics",
            "--leave-family-out": "compare a metric with other families only: is it high only because of its own family?",
            "--all-variants": "every group of variants in the table, not only the best of each family",
        },
    )
    add_bootstrap(parser)
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="confidence level of the intervals")
    common.add_seed(parser)


def add_bootstrap(parser: argparse.ArgumentParser) -> None:
    """--bootstrap N, of the intervals of unanimity."""
    about = "resamples of the topics for the intervals; 0 for none"
    common.add_number(parser, "--bootstrap", default=QUICK_RESAMPLES, help=about)


def add_set(parser: argparse.ArgumentParser) -> None:
    """--set NAME, for commands that compare many metrics at once."""
    parser.add_argument(
        "--set",
        dest="metric_set",
        choices=["paper", "official", "dynamic-domain", "usual"],
        help="paper: the 109 variants of the paper's first experiment; official: what ndeval prints, and RBU; dynamic-domain: what that track printed in 2015, and RBU; usual: one variant of each family; added to -m (default without -m: usual)",
    )


def set_named(arguments: argparse.Namespace) -> str:
    """The set the metrics come from, such as ` (the usual set)`, for the line that counts them."""
    unasked = not arguments.metrics and getattr(arguments, "scores", None) is None
    return f" (the {arguments.metric_set or 'usual'} set)" if arguments.metric_set or unasked else ""


def metrics_from(arguments: argparse.Namespace) -> list[Metric]:
    """What -m and --set name together, or the usual set."""
    from diveval.experiments import metric_set
    from diveval.metrics import as_metrics

    asked = common.names_from(arguments)
    chosen = arguments.metric_set or (None if asked else "usual")
    return as_metrics([*asked, *(metric_set(chosen) if chosen else [])])


def run(arguments: argparse.Namespace) -> int:
    """Score or read scores, count, print."""
    from diveval.meta import unanimity

    scores = _scores(arguments)
    result = unanimity(
        scores,
        leave_family_out=arguments.leave_family_out,
        bootstrap=arguments.bootstrap,
        seed=arguments.seed,
        confidence=arguments.confidence,
    )
    common.emit(_text(result, arguments, scores.incomplete()), arguments)
    return 0


def _scores(arguments: argparse.Namespace) -> Scores:
    if arguments.scores is not None:
        return _scores_from_file(arguments)
    if arguments.qrels is None:
        raise UsageError("missing-argument", "meta unanimity needs QRELS and at least two RUN files, or --scores FILE")
    from diveval.cli.answers import comparable, material_of, scores_of
    from diveval.scoring.scorer import score

    if (answers := material_of(arguments)) is not None:
        if arguments.metric_set:
            raise UsageError(
                "option-not-applicable",
                "--set names metrics of rankings, but the files contain answers",
                hint="name metrics with -m",
            )
        return comparable(scores_of(answers, arguments, None))
    options = common.options_from(arguments)
    metrics = metrics_from(arguments)
    judgments, rankings = common.load(arguments, metrics, options)
    return score(judgments, rankings, metrics, options)


def _scores_from_file(arguments: argparse.Namespace) -> Scores:
    from diveval.experiments import metric_set
    from diveval.meta import read_scores

    if arguments.qrels is not None:
        raise UsageError("conflicting-options", "give QRELS RUN … or --scores FILE, not both")
    scores = read_scores(arguments.scores)
    chosen = [*arguments.metrics, *(metric_set(arguments.metric_set) if arguments.metric_set else [])]
    return scores.select(metrics=list(dict.fromkeys(chosen))) if chosen else scores


def _text(result: Unanimity, arguments: argparse.Namespace, incomplete: list[str]) -> str:
    if arguments.format in ("csv", "json"):
        return result.to_csv() if arguments.format == "csv" else result.to_json()
    groups = result.grouped(best=not arguments.all_variants)
    if arguments.format == "latex":
        from diveval.results.table_text import table_of

        shown = {"metric": "label", "MU": "mu", "low": "low", "high": "high"}
        return table_of({head: [getattr(group, name) for group in groups] for head, name in shown.items()}).latex()
    text = _table(result, groups, terminal_width(), set_named(arguments))
    if incomplete:
        text += "\n" + textwrap.fill(f"Runs that lack topics: {preview(incomplete, 8)}.", terminal_width()) + "\n"
    return text


def _table(result: Unanimity, groups: list[UnanimityGroup], width: int, origin: str) -> str:
    intervals = f"{level_text(result.confidence)} intervals from {result.bootstrap:,} resamples of the topics, seed {result.seed}"
    clauses = [
        f"Metric Unanimity of {len(result.rows)} metrics{origin} over {max(row.pairs for row in result.rows):,} pairs of outputs on {result.topics} topics",
        *(["each metric against other families only"] if result.leave_family_out else []),
        *([intervals] if result.bootstrap else []),
    ]
    lines = [*textwrap.wrap("; ".join(clauses) + ".", width), "", f"{'MU':<8}{'interval':<18}variants"]
    for group in groups:
        mu = number_text(group.mu, missing="none")
        span = "" if group.low is None or group.high is None else f"{group.low:.4f}–{group.high:.4f}"
        label = textwrap.wrap(group.label, max(width - 26, 20), break_long_words=False)
        lines.append(f"{mu:<8}{span:<18}{label[0]}")
        lines += [f"{'':<26}{part}" for part in label[1:]]
    return "\n".join(lines) + "\n"
