"""`diveval choose [QRELS RUN …]`: which metrics to report, with parameters, reasons and a paragraph for the paper."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Mapping
from dataclasses import replace

from diveval.cli import common, progress
from diveval.cli.compare import add_testing, significance_from
from diveval.errors import UsageError

# The questions that a dialogue asks, with the word that `yes` adds to the needs.
QUESTIONS = (("graded", "grades"), ("length", "length"), ("redundancy", "redundancy"), ("weighted", "weights"))


ABOUT = "Two or three metrics to report: which axioms matter for your task and which metric satisfies them, how often each fails in your runs, how many runs it tells apart, and which pairs of runs depend on the choice. Without QRELS RUN …, only the axioms decide. On a terminal, without --task and --need, it asks."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval choose`."""
    common.add_collection(parser, qrels="?", runs="*")
    common.add_metrics(parser, what="candidate instead of the usual ones")
    common.add_output(parser, ["text", "json", "md"])
    group = parser.add_argument_group("what matters")
    add = group.add_argument
    add(
        "--task",
        choices=["web", "mobile", "rag", "recommendation", "track"],
        help="what such tasks need (default: web, unless --need says more)",
    )
    add(
        "--need",
        action="append",
        default=[],
        metavar="WORD",
        help="grades, top, patience, first, length, redundancy, enough, weights, or an axiom (Conf, Confidence); may be repeated",
    )
    add("--graded", choices=["yes", "no"], help="are some documents better than others?")
    add("--length", choices=["yes", "no"], help="do systems choose how much they show?")
    add("--redundancy", choices=["yes", "no"], help="does repetition annoy readers?")
    add("--weighted", choices=["yes", "no"], help="do some aspects matter more than others?")
    add("--read", type=float, metavar="N", help="documents that people look at, on average; sets RBU's p = 1 − 1/N")
    add("-k", "--cutoff", type=int, metavar="K", help="documents that are scored (default: by task, 10 or 20)")
    add(
        "--conflicts",
        action="store_true",
        help="say which of these axioms exclude each other and which ones one must give up (about 15 seconds)",
    )
    add(
        "--within",
        action="append",
        default=[],
        metavar="PART=VALUE",
        help="--conflicts for a part of the metric algebra, such as effort=no or discount=log; may be repeated",
    )
    common.add_time_limit(parser, 20.0)
    add_testing(parser, baseline=False)
    common.add_evidence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask on a terminal, decide, print."""
    from diveval.analysis.choose import choose
    from diveval.analysis.needs import axioms_of

    if arguments.qrels is not None and len(arguments.runs) < 2:
        raise UsageError("too-few-runs", "choose needs two runs or more beside the judgments: QRELS RUN RUN …")
    answers = {word: getattr(arguments, option) for option, word in QUESTIONS}
    task, read = arguments.task, arguments.read
    needs = [*arguments.need, *(word for word, answer in answers.items() if answer == "yes")]
    within = _parts_from(arguments)
    axioms_of(needs)  # refuse a wrong word before the files are read, which takes time
    refused = [word for word, answer in answers.items() if answer == "no"]
    if task is None and not needs and not refused and _is_interactive():
        task, needs, refused, read = _dialogue(read)
    options = common.options_from(arguments)
    judgments = None if arguments.qrels is None else common.load_judgments(arguments, options)
    with progress.watching("choose") as step:
        choice = choose(
            judgments,
            arguments.runs or None,
            task=task,
            need=needs,
            without=refused,
            read=read,
            cutoff=arguments.cutoff,
            metrics=common.names_from(arguments) or None,
            options=replace(options, jobs=options.jobs or 2),
            time_limit=arguments.time_limit,
            conflicts=arguments.conflicts,
            within=within,
            significance=significance_from(arguments),
            progress=step,
        )
    if arguments.evidence:
        return common.emit_evidence(choice.statements, arguments)
    common.emit_result(choice, arguments)
    return 0


def _parts_from(arguments: argparse.Namespace) -> Mapping[str, list[str]]:
    """The part of the algebra that --conflicts is about; a wrong word is refused before files are read."""
    if not arguments.within:
        return {}
    from diveval.axioms.presentation.consistency import parse_parts

    return parse_parts(arguments.within)


def _is_interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def _dialogue(read: float | None) -> tuple[str, list[str], list[str], float | None]:
    """The task, what a metric must and need not do, and the depth; an empty line takes the default in brackets."""
    from diveval.analysis.needs import NEEDS, TASKS

    task = _ask(f"What is the task ({', '.join(TASKS)})?", "web", {name: name for name in TASKS})
    needs: list[str] = []
    refused: list[str] = []
    for _, word in QUESTIONS:
        default = "y" if word in TASKS[task].needs else "n"
        wanted = _ask(NEEDS[word].question, default, {"y": "y", "yes": "y", "n": "n", "no": "n"}) == "y"
        (needs if wanted else refused).append(word)
    if read is None:
        read = _ask_number("How many documents do people look at, on average?", TASKS[task].read)
    return task, needs, refused, read


def _ask(question: str, default: str, answers: Mapping[str, str]) -> str:
    """One of the answers; the question is repeated until it gets one."""
    while (given := _read_answer(question, default).lower()) not in answers:
        print(f"  please answer {', '.join(dict.fromkeys(answers.values()))}", file=sys.stderr)
    return answers[given]


def _ask_number(question: str, default: float) -> float:
    """A number of at least 1; the question is repeated until it gets one."""
    while True:
        given = _read_answer(question, f"{default:g}")
        with contextlib.suppress(ValueError):
            if 1 <= float(given) < float("inf"):
                return float(given)
        print("  please answer with a number of at least 1", file=sys.stderr)


def _read_answer(question: str, default: str) -> str:
    print(f"{question} [{default}] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() or default
