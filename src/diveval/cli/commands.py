"""The commands: what each is for, examples, and the names that they had in version 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from diveval.cli.parsing import Parser

# Commands by job, in the order of the help.
JOBS: dict[str, dict[str, str]] = {
    "evaluate": {
        "evaluate": "score runs with any metric of the catalogue",
        "answers": "score RAG answers by nuggets, citations and rubrics",
        "recommend": "score recommenders: accuracy, diversity, novelty, calibration, fairness",
        "check": "what files contain, and what is wrong with them",
        "metrics": "list the metrics, or explain one",
        "track": "run a shared task from one folder: submissions, scores, leaderboard, site, record",
    },
    "decide": {
        "choose": "which metrics to report, with parameters and reasons",
        "compare": "which systems differ, by how much and how surely",
        "judges": "may a model's labels be trusted, and what do people's and the model's say together",
        "plan": "how many topics a comparison needs",
        "gate": "does a change make it worse? An exit code for scripts",
        "why": "why a metric prefers a run, or why two metrics disagree",
        "conclusions": "which statements about systems hold whatever the parameters, weights and missing judgments",
        "meta": "which metric to trust: unanimity, power, agreement, sensitivity, robustness, with plots",
        "violations": "how often metrics fail the axioms in your rankings",
        "axioms": "decide which axioms metrics satisfy, for which parameters, with evidence",
    },
    "show": {
        "report": "one HTML page: systems, topics, rankings, metrics and axioms",
        "studio": "explore a collection, metrics and small rankings in the browser",
        "plot": "one picture for a paper: SVG, PNG or PDF",
        "paper": "the results section of a paper: tables, figures, methods, references",
    },
    "data": {
        "data": "make, fetch, convert and simulate collections; reproduce the tables of the RBU paper",
        "demo": "evaluate a synthetic collection and write a report",
    },
}
# Commands that have a page of help but no place in the overview. A name of two words is one command: a parser cannot
# tell `meta unanimity …` from `meta QRELS …`.
FURTHER = {
    "choose effort": "RBU's p and e from how people read, and what they do on your runs",
    "meta unanimity": "which metric agrees when all others agree",
    "meta agreement": "how often metrics prefer what people prefer",
    "meta votes": "rank systems by people's pairwise votes",
    "completion": "completion of commands, options and metrics for bash, zsh and fish",
}
SUMMARY = {name: text for group in (*JOBS.values(), FURTHER) for name, text in group.items()}
FIRST = ("evaluate", "compare", "choose", "report", "demo")  # the overview has a line for each

# The words that a command of version 2 is now; what follows it stays as it is. They go in 4.0.
RENAMED: dict[str, tuple[str, ...]] = {
    "advise": ("axioms",),
    "agreement": ("meta", "agreement"),
    "convert": ("data", "convert"),
    "cutoff": ("evaluate", "--stop"),
    "effort": ("choose", "effort"),
    "explain": ("axioms",),
    "ir-measures": ("data", "ir-measures"),
    "regions": ("axioms", "--regions"),
    "reproduce": ("data", "reproduce"),
    "simulate": ("data", "simulate"),
    "unanimity": ("meta", "unanimity"),
}

# Commands that print while they work, or show progress of their own: no progress line is drawn for them.
OWN_PROGRESS = {"studio", "track", "demo", "completion", "choose", "why", "axioms", "report"}
OWN_PROGRESS |= {"data make", "data list", "data get", "data ir-measures"}


def use_current_name(words: Sequence[str]) -> list[str]:
    """The command line with a command of version 2 replaced by what it is now, which one line on standard error says."""
    if not words or words[0] not in RENAMED:
        return list(words)
    now = RENAMED[words[0]]
    line = f"diveval: `diveval {words[0]} …` is now `diveval {' '.join(now)} …`; the old name goes in 4.0"
    print(line, file=sys.stderr)
    return [*now, *words[1:]]


def join_command(words: Sequence[str]) -> list[str]:
    """The command line with a command of two words as one word, which is how the parser knows it."""
    return [" ".join(words[:2]), *words[2:]] if " ".join(words[:2]) in FURTHER else list(words)


def declare(subparsers: Any, name: str) -> argparse.ArgumentParser:
    """Add a command with the arguments that its file declares."""
    file = import_module(f"diveval.cli.{name.rpartition(' ')[2]}")
    parser = add_command(subparsers, name, file, SUMMARY[name])
    below = [f"`diveval {other}`: {about}" for other, about in FURTHER.items() if other.startswith(f"{name} ")]
    if below:
        parser.epilog = f"See also {'; '.join(below)}."
    return parser


def add_command(subparsers: Any, name: str, file: ModuleType, summary: str) -> argparse.ArgumentParser:
    """Add a command whose file has `declare(parser)` and `run(arguments)`, and may have ABOUT, a longer description."""
    options = dict(getattr(file, "PARSER_OPTIONS", {}))
    if hasattr(file, "ABOUT"):
        options["description"] = file.ABOUT
    parser: argparse.ArgumentParser = subparsers.add_parser(name, help=summary, **options)
    if hasattr(file, "run"):  # else the command is a group of commands
        parser.set_defaults(run=file.run)
    file.declare(parser)
    return parser


def declare_all() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command, for completion and the reference pages."""
    subparsers = Parser(prog="diveval").add_subparsers(parser_class=Parser)
    return {name: declare(subparsers, name) for name in SUMMARY}
