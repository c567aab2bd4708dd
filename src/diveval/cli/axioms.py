"""`diveval axioms`, `explain`, `regions`, `advise`: the axiom engine at the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.errors import UsageError, shown

if TYPE_CHECKING:
    from diveval.axioms.proof.scheduler import Progress
    from diveval.axioms.specification.readings import Reading

READINGS = ["as-written", "charitable"]
EXAMPLES = "a row of the paper's table (RBU@k), a name (RBU: all parameters free), a setting such as 'RBU(p=0.8,e=0.05)@20', or path/to/file.py:name (which runs that file)"


def register(subparsers: common.Subparsers) -> None:
    """Declare the four commands."""
    axioms = subparsers.add_parser("axioms")
    axioms.add_argument("metrics", nargs="*", metavar="METRIC", help=f"{EXAMPLES}; default: the paper's twenty rows")
    _add_axioms(axioms)
    _add_reading(axioms, [*READINGS, "both"], "charitable; certificates are of both")
    axioms.add_argument(
        "--family", action="store_true", help="decide the design space instead: discounts × novelty × weights × effort"
    )
    axioms.add_argument(
        "--certificates", metavar="DIR", help="write a certificate per cell and a program that checks them, check.py"
    )
    _add_bounds(axioms)
    _add_jobs(axioms)
    common.add_output(axioms, ["table", "csv", "json", "md", "latex"])
    axioms.set_defaults(run=run_axioms, reading=None)
    explain = subparsers.add_parser("explain")
    explain.add_argument("metric", metavar="METRIC", help=EXAMPLES)
    explain.add_argument(
        "axiom", metavar="AXIOM", help="Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat or AspRel"
    )
    explain.set_defaults(run=run_explain)
    regions = subparsers.add_parser("regions")
    regions.add_argument("metric", metavar="METRIC", help=EXAMPLES)
    _add_axioms(regions)
    regions.set_defaults(run=run_regions)
    for parser in (explain, regions):
        _add_reading(parser, [*READINGS, "both"], "charitable")
        _add_bounds(parser)
        common.add_output(parser, ["text", "json"])
    advise = subparsers.add_parser("advise")
    advise.add_argument(
        "--need",
        required=True,
        metavar="WORD,…",
        help="what is needed: axioms (Conf, or Confidence) or plain words (length, redundancy, enough, …)",
    )
    advise.add_argument("--grades", action="store_true", help="relevance is graded, and the score must reflect it")
    advise.add_argument("--weights", action="store_true", help="aspects have weights, and the score must reflect them")
    _add_reading(advise, READINGS, "charitable")
    _add_time(advise)
    _add_jobs(advise)
    common.add_output(advise, ["text", "json"])
    advise.set_defaults(run=run_advise)


def _add_axioms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--axiom", action="append", metavar="NAME", help="only this axiom; may be repeated")


def _add_reading(parser: argparse.ArgumentParser, choices: list[str], default: str) -> None:
    parser.add_argument(
        "--reading", choices=choices, default="charitable", help=f"how the constraints are read (default: {default})"
    )
    parser.add_argument(
        "--rc", metavar="R", help="one relevance r_c, such as 1/2, for DeepTh and CloseTh instead of all"
    )


def _add_time(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-limit", default="60", metavar="S", help="seconds for one cell, after which it is unknown (default: 60)"
    )


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    """How far the solver looks: for how long, and at which sizes."""
    _add_time(parser)
    common.add_number(parser, "--longest", default=4, help="documents of the longest ranking the solver excludes")
    common.add_number(parser, "--aspects", default=3, metavar="T", help="aspects the solver looks at")
    parser.add_argument("--no-cache", action="store_true", help="ignore cached verdicts")


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    common.add_number(parser, "--jobs", default=2, help="processes at once")


def _limits(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `_add_bounds` declares, as the functions of the engine take it."""
    from diveval.axioms import Bounds

    bounds = Bounds(longest=arguments.longest, aspects=arguments.aspects)
    return {"bounds": bounds, "time_limit": _seconds(arguments), "cached": not arguments.no_cache}


def _seconds(arguments: argparse.Namespace) -> float:
    return common.number(arguments.time_limit, "--time-limit")


def _readings(arguments: argparse.Namespace) -> list[Reading]:
    from diveval.axioms.specification.readings import as_reading

    names = READINGS if arguments.reading == "both" else [arguments.reading]
    readings = [as_reading(name) for name in names]
    if arguments.rc is None:
        return readings
    try:
        r_c = Fraction(arguments.rc)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--rc is a number between 0 and 1, such as 1/2, got {shown(arguments.rc)}") from None
    return [replace(one, r_c=r_c, small_rc=False, name=f"{one.name}, r_c = {r_c}") for one in readings]


def run_axioms(arguments: argparse.Namespace) -> int:
    """Decide a matrix, or walk the family, and print."""
    from diveval.axioms.presentation.matrix import FORMATS, matrix

    if arguments.reading is None:
        arguments.reading = "both" if arguments.certificates is not None else "charitable"
    if arguments.family:
        return _family(arguments)
    if arguments.certificates is not None:
        return _certificates(arguments)
    with progress_bar() as progress:
        decided = matrix(
            arguments.metrics or None,
            axioms=arguments.axiom,
            readings=_readings(arguments),
            jobs=arguments.jobs,
            progress=progress,
            **_limits(arguments),
        )
    text = FORMATS[arguments.format](decided)
    if arguments.format == "table":
        text = "\n".join([text, *(f"{line}\n" for line in _other_reading(arguments))])
    common.emit(text, arguments)
    return 0


def _certificates(arguments: argparse.Namespace) -> int:
    """Decide again with all evidence, write it as files, and print the matrix."""
    from diveval.axioms.presentation.matrix import FORMATS, Matrix, cells_of
    from diveval.axioms.proof.certificates import write_certificates

    metrics, readings = arguments.metrics or None, _readings(arguments)
    limits = _limits(arguments)
    cells = cells_of(metrics, arguments.axiom, readings, limits["bounds"], limits["time_limit"])
    with progress_bar() as progress:
        verdicts = write_certificates(Path(arguments.certificates), cells, jobs=arguments.jobs, progress=progress)
    common.emit(FORMATS[arguments.format](Matrix(tuple(verdicts))), arguments)
    return 0


def _family(arguments: argparse.Namespace) -> int:
    from diveval.axioms.presentation.family import markdown, text, walk
    from diveval.axioms.presentation.matrix import FORMATS

    if arguments.metrics or arguments.axiom or arguments.certificates:
        raise UsageError("--family walks all compositions and all axioms; leave METRIC, --axiom and --certificates out")
    parts = []
    for reading in _readings(arguments):
        with progress_bar() as progress:
            family = walk(reading=reading, jobs=arguments.jobs, progress=progress, **_limits(arguments))
        if arguments.format in ("table", "md"):
            parts.append(text(family) if arguments.format == "table" else markdown(family))
        else:
            parts.append(FORMATS[arguments.format](family.matrix))
    if arguments.format == "table":
        parts += [f"{line}\n" for line in _other_reading(arguments)]
    common.emit("\n".join(parts), arguments)
    return 0


def run_explain(arguments: argparse.Namespace) -> int:
    """One cell with all its evidence."""
    from diveval.axioms.proof.scheduler import Cell, answer

    limits = _limits(arguments)
    cached = limits.pop("cached")
    verdicts = [
        answer(Cell.of(arguments.metric, arguments.axiom, reading, **limits), cached=cached)
        for reading in _readings(arguments)
    ]
    if arguments.format == "json":
        text = common.json_text([verdict.as_dict() for verdict in verdicts])
    else:
        text = "\n\n".join([*(str(verdict) for verdict in verdicts), *_other_reading(arguments)]) + "\n"
    common.emit(text, arguments)
    return 0


def _other_reading(arguments: argparse.Namespace) -> list[str]:
    """The reading that was not asked for, named in one line."""
    others = [name for name in READINGS if name != arguments.reading]
    return [] if arguments.reading == "both" else [f"The other reading: --reading {others[0]}"]


def run_regions(arguments: argparse.Namespace) -> int:
    """Every constraint of one metric, with the parameters for which it holds."""
    from diveval.axioms import regions
    from diveval.axioms.proof.subjects import subject

    metric = subject(arguments.metric)
    parts, shapes = [], []
    for reading in _readings(arguments):
        by_axiom = regions(metric, axioms=arguments.axiom, reading=reading, **_limits(arguments))
        given = f"; parameters {metric.box}" if metric.box else ""
        parts.append("\n".join([f"{metric.name}, {reading} reading{given}", *(str(region) for region in by_axiom)]))
        shapes += [{**r.verdict.as_dict(), "ends": {end: v.verdict for end, v in r.ends}} for r in by_axiom]
    parts += _other_reading(arguments)
    text = common.json_text(shapes) if arguments.format == "json" else "\n\n".join(parts) + "\n"
    common.emit(text, arguments)
    return 0


def run_advise(arguments: argparse.Namespace) -> int:
    """The metrics that satisfy everything needed."""
    from diveval.axioms import advise
    from diveval.choosing.needs import axioms_of

    need = axioms_of([arguments.need])
    (reading,) = _readings(arguments)
    with progress_bar() as progress:
        advice = advise(
            need,
            grades=arguments.grades,
            weights=arguments.weights,
            reading=reading,
            time_limit=_seconds(arguments),
            jobs=arguments.jobs,
            progress=progress,
        )
    if arguments.format == "json":
        shape = [
            {"metric": a.metric, "suitable": a.suitable, "conditions": a.conditions, "missing": a.missing}
            for a in advice
        ]
        text = common.json_text(shape)
    else:
        text = "\n\n".join([_advice_text(advice, need, reading.name), *_other_reading(arguments)]) + "\n"
    common.emit(text, arguments)
    return 0


def _advice_text(metrics: list[Any], need: list[str], reading: str) -> str:
    suitable = [advice for advice in metrics if advice.suitable]
    lines = [f"Satisfy {', '.join(need)} ({reading} reading):"]
    for advice in suitable:
        box = advice.needed[0].parameters
        lines.append(f"  {advice.metric}" + (f", {box}" if box else ""))
        lines += [f"      {condition}" for condition in advice.conditions]
    if not suitable:
        lines.append("  no metric of the paper's table")
    close = [advice for advice in metrics if not advice.suitable and len(advice.missing) == 1]
    if close:
        lines += ["", "Lack one:"]
        lines += [f"  {advice.metric}: {advice.missing[0]}" for advice in close]
    return "\n".join(lines)


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
