"""`diveval compare QRELS RUN … -m METRIC`: which systems differ, by how much and how surely."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.stats import Comparison, ComparisonRow

DEFAULT_METRIC = common.DEFAULT_METRICS[0]


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "compare", help="which systems differ, by how much and how surely",
        description=f"Compare systems on one metric (default: {DEFAULT_METRIC}), paired by topic: differences, effect sizes, intervals, adjusted p-values, and letters (two systems share a letter exactly when they do not differ significantly).",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser, what="one metric")
    common.add_output(parser, ["table", "csv", "json", "latex"])
    parser.add_argument("--baseline", metavar="RUN", help="compare every run with this one (its name, or its file) instead of every pair")
    parser.add_argument("--test", choices=["t", "randomization", "bootstrap", "wilcoxon", "tukey"], default="t", help="default: t; tukey holds for all pairs at once and needs no correction")
    parser.add_argument("--correction", choices=["holm", "bh", "none"], default="holm", help="of the p-values of many comparisons (default: holm)")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of intervals; p below 1 − C is significant (default: 0.95)")
    parser.add_argument("--resamples", type=int, default=10_000, metavar="N", help="of randomization, bootstrap and tukey (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the resampling (default: 0)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, test, print."""
    from diveval.scoring import score
    from diveval.stats import compare

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, [DEFAULT_METRIC])
    if len(metrics) != 1:
        raise UsageError(f"compare takes one metric, got {len(metrics)}")
    judgments, rankings = common.load(arguments, metrics, options)
    scores = score(judgments, rankings, metrics, options)
    result = compare(
        scores, baseline=_baseline(arguments, scores.runs), test=arguments.test, correction=arguments.correction,
        confidence=arguments.confidence, resamples=arguments.resamples, seed=arguments.seed,
    )  # fmt: skip
    common.emit(_text(result, arguments.format), arguments)
    return 0


def _baseline(arguments: argparse.Namespace, runs: tuple[str, ...]) -> str | None:
    """The baseline by its name; whoever gave the file means the run in it."""
    given: str | None = arguments.baseline
    if given in arguments.runs and given not in runs and len(arguments.runs) == len(runs):
        place: int = arguments.runs.index(given)
        return runs[place]
    return given


def _text(result: Comparison, format: str) -> str:
    if format == "csv":
        return result.to_csv()
    if format == "json":
        return result.to_json()
    if format == "latex":
        return _latex(result)
    return _table(result)


def _latex(result: Comparison) -> str:
    """The runs with their letters, and the pairs."""
    from diveval.stats.results import latex_text

    runs = [{"run": run.run, "mean": run.mean, "letters": run.letters} for run in result.runs]
    columns = ("run", "other", "difference", "effect", "low", "high", "p_adjusted")
    return latex_text(("run", "mean", "letters"), runs) + "\n" + latex_text(columns, result.records())


def _table(result: Comparison) -> str:
    width = max(len(run.run) for run in result.runs)
    corrected = "simultaneous" if result.test == "tukey" else f"correction {result.correction}"
    resampled = "" if result.test in ("t", "wilcoxon") else f", {result.resamples:,} resamples, seed {result.seed}"
    lines = [f"{result.metric}: test {result.test}, {corrected}{resampled}", ""]
    lines.append(f"{'run':<{width}}  {'mean':>8}" + ("  letters" if result.baseline is None else ""))
    lines += [f"{run.run:<{width}}  {_number(run.mean, 8)}  {run.letters or ''}".rstrip() for run in result.runs]
    pair = f"{'run':<{width}}  {'against':<{width}}"
    lines += ["", f"{pair}  {'difference':>10}  {f'{result.confidence:.0%} interval':>18}  {'effect':>7}  {'p adj.':>7}"]
    lines += [_row(row, width) for row in result.rows]
    lines += ["", "* significant; effect is Cohen's d_z."]
    return "\n".join(lines) + "\n"


def _row(row: ComparisonRow, width: int) -> str:
    span = "" if row.low is None or row.high is None else f"[{row.low:+.4f}, {row.high:+.4f}]"
    star = "*" if row.significant else " "
    note = f"  {row.note}" if row.note else ""
    difference = "none" if row.difference is None else f"{row.difference:+.4f}"
    p = "none" if row.p_adjusted is None else "<.0001" if row.p_adjusted < 0.0001 else f"{row.p_adjusted:.4f}"
    return f"{row.run:<{width}}  {row.other:<{width}}  {difference:>10}  {span:>18}  {_number(row.effect, 7, 2)}  {p:>7}{star}{note}".rstrip()


def _number(value: float | None, width: int, digits: int = 4) -> str:
    return f"{'none':>{width}}" if value is None else f"{value:>{width}.{digits}f}"
