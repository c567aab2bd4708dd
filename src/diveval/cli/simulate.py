"""`diveval data simulate QRELS RUN … -o DIR`: the paper's simulated scenarios as files in TREC formats."""

from __future__ import annotations

import argparse
import shlex

from diveval.cli import common
from diveval.errors import UsageError, count_of, quote

RANDOM = ""  # --weights without a file


ABOUT = "Write judgments, weights and runs of a simulated scenario (experiment 2 of the paper) in TREC formats. Every draw depends on the seed, the topic and the run's name."
PARSER_OPTIONS = {"conflict_handler": "resolve"}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval data simulate`."""
    # --weights FILE reads weights, as in every command; without FILE, random ones are drawn.
    common.add_collection(parser)
    common.add_options(
        parser,
        {
            "--grades": "replace each relevance r by rand(0..r); the judgments then hold relevance, to be read with --gain identity"
        },
    )
    parser.add_argument(
        "--weights",
        nargs="?",
        const=RANDOM,
        metavar="FILE",
        help="without FILE: draw random aspect weights that sum to 1 for each topic; with FILE: keep these weights. Put it after the runs",
    )
    common.add_options(
        parser,
        {"--truncate full|N": "cut each ranking at rand(0..n), n its length (full), or at rand(0..N), for example 50"},
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="a folder without runs in it")


def run(arguments: argparse.Namespace) -> int:
    """Read, draw, write, and print how to evaluate the result."""
    from diveval.experiments.sources import IDENTITY, Scenario, simulate
    from diveval.reading import read_run
    from diveval.scoring.evaluate import load_judgments

    scenario = Scenario(
        arguments.seed,
        grades=arguments.grades,
        weights=arguments.weights == RANDOM,
        lengths=arguments.truncate is not None,
        longest=_longest(arguments.truncate),
    )
    options = common.options_from(arguments)
    judgments = load_judgments(arguments.qrels, options, arguments.weights or None)
    runs = [read_run(path, format=options.run_format) for path in arguments.runs]
    files, reading = simulate(judgments, runs, scenario, arguments.output, options=options)
    common.say(
        f"{arguments.output}: {count_of(len(files), 'file')}, seed {arguments.seed}: {'; '.join(scenario.steps)}"
    )
    if arguments.grades:
        common.say(IDENTITY)
    common.say(f"score it: cd {shlex.quote(arguments.output)} && diveval evaluate qrels.txt runs/*.run{reading}")
    return 0


def _longest(text: str | None) -> int | None:
    if text is None or text == "full":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError("not-a-number", f"--truncate is full or a whole number such as 50, got {quote(text)}")
    return int(text)
