"""`diveval gate QRELS BASELINE CANDIDATE … --margin X`: does a change make it worse?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.defaults import CONFIDENCE, HEADLINE
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.settings import Options

ABOUT = "Compare candidates with a baseline, topic by topic. Exit code 0: no candidate is worse by more than the margin; 1: one is; 3: unclear, with the number of topics that would decide; 2: a candidate cannot be compared (lacks topics, has no judged document, other settings)."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval gate`."""
    common.add_collection(parser, answers=True)
    parser.usage = "diveval gate QRELS BASELINE CANDIDATE … --margin X [options]"
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    for flag, about in (
        ("--margin", "how much worse a candidate may be: a number, or METRIC=number; may be repeated"),
        ("--require", "METRIC=number: an improvement that must be shown over all topics; may be repeated"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar="X", help=about)
    common.add_options(
        parser,
        {
            "--slices FILE[:COLUMN]": "groups of topics that have to pass too: a table, JSON lines or a topics file in XML",
            "--trials": "the candidates are trials of one system",
            "--junit FILE": "also write the outcome as JUnit XML",
            "--save-baseline FILE": "write the baseline's scores, to be given as BASELINE later; needs no candidate",
        },
    )
    parser.add_argument(
        "--unclear",
        choices=["unclear", "pass", "fail"],
        default="unclear",
        help="how an unclear outcome counts: exit code 3, 0 or 1 (default: unclear)",
    )
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="level of the intervals")
    common.add_evidence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, print; the exit code is the outcome."""
    from diveval.judging.gates import gate

    if not arguments.runs:
        raise UsageError("no-run", "a gate needs a BASELINE and a CANDIDATE")
    judgments, baseline, candidates = _read_given(arguments)
    metrics, options = common.names_from(arguments) or HEADLINE, common.options_from(arguments)
    if not candidates:
        return _store(arguments, judgments, baseline, metrics, options)
    if not arguments.margin:
        raise UsageError("missing-argument", "--margin says how much worse a candidate may be")
    wanted = _numbers(arguments.require, "--require", every=False)
    assert isinstance(wanted, dict)
    result = gate(
        judgments,
        baseline,
        candidates,
        metrics,
        margin=_numbers(arguments.margin, "--margin", every=True),
        require=wanted,
        slices=arguments.slices,
        trials=arguments.trials,
        unclear=arguments.unclear,
        confidence=arguments.confidence,
        save_baseline=arguments.save_baseline,
        weights=arguments.weights,
        options=options,
    )
    if arguments.junit:
        result.to_junit(arguments.junit)
    common.emit_result(result, arguments)
    return result.exit_code


def _read_given(arguments: argparse.Namespace) -> tuple[Any, Any, Any]:
    """Judgments, baseline and candidates; answers are read here, as the options about tables of labels say."""
    from diveval.answers.reading import Reading, is_answers, label_of
    from diveval.cli.answers import gather_from, names_file

    baseline, *candidates = arguments.runs
    bank = [arguments.qrels]
    how = Reading.of(common.pairs_from(arguments.columns, "--columns"), None, arguments.combine)
    if label_of(arguments.qrels) and is_answers(arguments.qrels, how):  # NAME=file: the baseline's own labels
        bank, baseline, candidates = [], arguments.qrels, arguments.runs
    named = [word for word in arguments.runs if not names_file(word)]
    tables = [arguments.qrels, *(word for word in arguments.runs if word not in named)]
    if named and all(is_answers(table, how) for table in tables):  # names of systems in the tables
        whole, (baseline, *candidates) = gather_from(arguments, tables), named
        return None, whole.select([baseline]), whole.select(candidates) if candidates else None
    if is_answers(baseline, how):
        others = gather_from(arguments, [*bank, *candidates]) if candidates else None
        return None, gather_from(arguments, [*bank, baseline]), others
    if candidates and is_answers(candidates[0], how):  # the baseline is stored
        return None, baseline, gather_from(arguments, [*bank, *candidates])
    for flag, usual in (("columns", None), ("labels", None), ("combine", "majority")):
        if getattr(arguments, flag) != usual:
            raise UsageError("option-not-applicable", f"--{flag} is about labels of answers")
    return arguments.qrels, baseline, candidates


def _store(
    arguments: argparse.Namespace, judgments: Any, baseline: Any, metrics: Sequence[str], options: Options
) -> int:
    """Store the baseline, without a candidate."""
    from diveval.judging.baselines import store_baseline
    from diveval.judging.judged_runs import load_material

    if not arguments.save_baseline:
        raise UsageError("no-run", "a gate needs a candidate, or --save-baseline to store the baseline only")
    material = load_material(judgments, baseline, metrics, options, arguments.weights)
    store_baseline(arguments.save_baseline, material.score(baseline), material.digest)
    return 0


def _numbers(words: Sequence[str], flag: str, *, every: bool) -> float | dict[str, float]:
    """`0.01` for every metric, or `METRIC=0.02` for one; the last one counts."""
    own: dict[str, float] = {}
    rest: float | None = None
    for word in words:
        metric, mark, value = word.rpartition("=")
        number = common.number(value, flag)
        if not mark and not every:
            raise UsageError("invalid-argument", f"{flag} is METRIC=number, got {word!r}")
        if mark:
            own[metric] = number
        else:
            rest, own = number, {}
    if rest is not None and own:
        return {"": rest, **own}
    return own if rest is None else rest
