"""`diveval axioms`, `explain`, `regions`, `advise`: the axiom engine at the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.errors import UsageError, shown

if TYPE_CHECKING:
    from diveval.axioms.matrix import Progress
    from diveval.axioms.readings import Reading

READINGS = ["as-written", "charitable"]
EXAMPLES = "a row of the paper's table (RBU@k), a name (RBU: all parameters free), a setting such as 'RBU(p=0.8,e=0.05)@20', or path/to/file.py:name (which runs that file)"


def register(subparsers: common.Subparsers) -> None:
    """Declare the four commands."""
    _register_axioms(subparsers)
    explain = subparsers.add_parser("explain", help="the evidence for one metric and axiom, told to a person")
    explain.add_argument("metric", metavar="METRIC", help=EXAMPLES)
    explain.add_argument("axiom", metavar="AXIOM", help="Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat or AspRel")
    _add_reading(explain, [*READINGS, "both"], "as-written")
    _add_time(explain)
    common.add_output(explain, ["text", "json"])
    explain.set_defaults(run=run_explain)
    regions = subparsers.add_parser("regions", help="for which parameters a metric satisfies which axiom")
    regions.add_argument("metric", metavar="METRIC", help=EXAMPLES)
    regions.add_argument("--axiom", action="append", metavar="NAME", help="only this axiom; may be repeated")
    _add_reading(regions, [*READINGS, "both"], "charitable")
    _add_time(regions)
    common.add_output(regions, ["text", "json"])
    regions.set_defaults(run=run_regions)
    advise = subparsers.add_parser("advise", help="metrics and parameters that satisfy all the axioms you need")
    advise.add_argument("--need", required=True, metavar="AXIOM,…", help="what is needed, such as Conf,MRed,Sat")
    advise.add_argument("--grades", action="store_true", help="relevance comes in degrees, and the score must see them")
    advise.add_argument("--weights", action="store_true", help="aspects have weights, and the score must see them")
    _add_reading(advise, READINGS, "charitable")
    _add_time(advise)
    _add_jobs(advise)
    common.add_output(advise, ["text", "json"])
    advise.set_defaults(run=run_advise)


def _register_axioms(subparsers: common.Subparsers) -> None:
    parser = subparsers.add_parser("axioms", help="decide which axioms metrics satisfy, with evidence")
    parser.add_argument("metrics", nargs="*", metavar="METRIC", help=f"{EXAMPLES}; default: the paper's twenty rows")
    parser.add_argument("--axiom", action="append", metavar="NAME", help="only this axiom; may be repeated")
    _add_reading(parser, [*READINGS, "both"], "both")
    parser.add_argument("--family", action="store_true", help="walk the algebra instead: discounts × novelty × weights × effort")
    _add_time(parser)
    _add_jobs(parser)
    parser.add_argument("--no-cache", action="store_true", help="decide again what was decided before")
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    parser.set_defaults(run=run_axioms)


def _add_reading(parser: argparse.ArgumentParser, choices: list[str], default: str) -> None:
    parser.add_argument("--reading", choices=choices, default=default, help=f"how the constraints are read (default: {default})")
    parser.add_argument("--rc", metavar="R", help="one relevance r_c, such as 1/2, for DeepTh and CloseTh instead of all")


def _add_time(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time-limit", default="60", metavar="S", help="seconds for one cell, after which it is unknown (default: 60)")


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at once (default: 2)")


def _readings(arguments: argparse.Namespace) -> list[Reading]:
    from diveval.axioms.readings import as_reading

    names = READINGS if arguments.reading == "both" else [arguments.reading]
    found = [as_reading(name) for name in names]
    if arguments.rc is None:
        return found
    try:
        r_c = Fraction(arguments.rc)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--rc is a number between 0 and 1, such as 1/2, got {shown(arguments.rc)}") from None
    return [replace(one, r_c=r_c, small_rc=False, name=f"{one.name}, r_c = {r_c}") for one in found]


def _limit(arguments: argparse.Namespace) -> float:
    return common.number(arguments.time_limit, "--time-limit")


def run_axioms(arguments: argparse.Namespace) -> int:
    """Decide a matrix, or walk the family, and print."""
    from diveval.axioms.layout import FORMATS
    from diveval.axioms.matrix import matrix

    if arguments.family:
        return _family(arguments)
    with progress_bar() as progress:
        found = matrix(
            arguments.metrics or None, axioms=arguments.axiom, readings=_readings(arguments),
            time_limit=_limit(arguments), jobs=arguments.jobs, cached=not arguments.no_cache, progress=progress,
        )  # fmt: skip
    common.emit(FORMATS[arguments.format](found), arguments)
    return 0


def _family(arguments: argparse.Namespace) -> int:
    from diveval.axioms.family import markdown, text, walk
    from diveval.axioms.layout import FORMATS

    if arguments.metrics or arguments.axiom:
        raise UsageError("--family walks all compositions and all axioms; leave METRIC and --axiom out")
    parts = []
    for reading in _readings(arguments):
        with progress_bar() as progress:
            family = walk(
                reading=reading, time_limit=_limit(arguments), jobs=arguments.jobs,
                cached=not arguments.no_cache, progress=progress,
            )  # fmt: skip
        if arguments.format in ("table", "md"):
            parts.append(text(family) if arguments.format == "table" else markdown(family))
        else:
            parts.append(FORMATS[arguments.format](family.matrix))
    common.emit("\n".join(parts), arguments)
    return 0


def run_explain(arguments: argparse.Namespace) -> int:
    """One cell, at length."""
    from diveval.axioms import check

    found = [
        check(arguments.metric, arguments.axiom, reading=reading, time_limit=_limit(arguments))
        for reading in _readings(arguments)
    ]
    if arguments.format == "json":
        text = json.dumps([verdict.as_dict() for verdict in found], ensure_ascii=False, indent=1)
    else:
        text = "\n\n".join(str(verdict) for verdict in found)
    common.emit(text + "\n", arguments)
    return 0


def run_regions(arguments: argparse.Namespace) -> int:
    """Every constraint of one metric, with the parameters for which it holds."""
    from diveval.axioms import regions
    from diveval.axioms.subjects import subject

    who = subject(arguments.metric)
    parts, shapes = [], []
    for reading in _readings(arguments):
        found = regions(who, axioms=arguments.axiom, reading=reading, time_limit=_limit(arguments))
        given = f"; parameters {who.box}" if who.box else ""
        parts.append("\n".join([f"{who.name}, {reading} reading{given}", *(str(where) for where in found)]))
        shapes += [{**w.verdict.as_dict(), "ends": {end: v.verdict for end, v in w.ends}} for w in found]
    text = json.dumps(shapes, ensure_ascii=False, indent=1) if arguments.format == "json" else "\n\n".join(parts)
    common.emit(text + "\n", arguments)
    return 0


def run_advise(arguments: argparse.Namespace) -> int:
    """Who satisfies all that is needed."""
    from diveval.axioms import advise

    need = [name.strip() for name in arguments.need.split(",") if name.strip()]
    (reading,) = _readings(arguments)
    with progress_bar() as progress:
        found = advise(
            need, grades=arguments.grades, weights=arguments.weights, reading=reading,
            time_limit=_limit(arguments), jobs=arguments.jobs, progress=progress,
        )  # fmt: skip
    if arguments.format == "json":
        shape = [
            {"metric": a.metric, "suitable": a.suitable, "conditions": a.conditions, "missing": a.missing} for a in found
        ]
        text = json.dumps(shape, ensure_ascii=False, indent=1)
    else:
        text = _advice_text(found, need, reading.name)
    common.emit(text + "\n", arguments)
    return 0


def _advice_text(found: list[Any], need: list[str], reading: str) -> str:
    suitable = [advice for advice in found if advice.suitable]
    lines = [f"Satisfy {', '.join(need)} ({reading} reading):"]
    for advice in suitable:
        box = advice.needed[0].parameters
        lines.append(f"  {advice.metric}" + (f", {box}" if box else ""))
        lines += [f"      {condition}" for condition in advice.conditions]
    if not suitable:
        lines.append("  no metric of the paper's table")
    close = [advice for advice in found if not advice.suitable and len(advice.missing) == 1]
    if close:
        lines += ["", "One short:"]
        lines += [f"  {advice.metric}: {advice.missing[0]}" for advice in close]
    return "\n".join(lines)


def reproduce_table1(arguments: argparse.Namespace) -> int:
    """The paper's table, ours under both readings, and every disagreement with its evidence."""
    from diveval.axioms.layout import FORMATS, against_the_paper
    from diveval.axioms.matrix import matrix

    with progress_bar() as progress:
        found = matrix(progress=progress)
    form = getattr(arguments, "format", "table")
    common.emit(against_the_paper(found) if form == "table" else FORMATS[form](found), arguments)
    return 0


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A bar on standard error where that is a terminal and rich is installed; else quiet."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        yield None
        return
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("deciding", total=None)

        def show(done: int, total: int, verdict: Any) -> None:
            bar.update(task, completed=done, total=total, description=f"{verdict.metric} {verdict.axiom}")

        yield show
