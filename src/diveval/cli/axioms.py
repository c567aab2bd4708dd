"""`diveval axioms`: which axioms metrics satisfy, as a matrix, one cell with its evidence, regions, or advice."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.axiom_options import READINGS, add_other_reading, limits_of, other_reading, readings_of, text_or_json
from diveval.cli.progress import count_cells
from diveval.errors import UsageError, close_names

if TYPE_CHECKING:
    from collections.abc import Sequence


ABOUT = "Decide which axioms metrics satisfy. Metrics and axioms are told apart by name: none of either means all, and one of each shows the evidence for that cell in plain English."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add what is decided, how it is read, and how far the solver looks."""
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        metavar="METRIC|AXIOM",
        help="metrics: a row of the paper's table (RBU@k), a name (RBU: all parameters free), a setting such as 'RBU(p=0.8,e=0.05)@20', or path/to/file.py:name (which runs that file); axioms: Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat, AspRel; default: the paper's twenty rows and all ten axioms",
    )
    add("--axiom", action="append", metavar="NAME", default=[], help="only this axiom, as a table; may be repeated")
    add("--regions", action="store_true", help="for which parameters each METRIC satisfies which axiom")
    add(
        "--need",
        metavar="WORD,…",
        help="instead: which metrics satisfy all of these, axioms (Conf, or Confidence) or plain words (length, redundancy, enough, …)",
    )
    add("--grades", action="store_true", help="with --need: relevance is graded, and the score must reflect it")
    add("--weights", action="store_true", help="with --need: aspects have weights, and the score must reflect them")
    add("--family", action="store_true", help="instead: the design space, discounts × novelty × weights × effort")
    add(
        "--map",
        action="store_true",
        help="instead: all maximal sets of axioms that hold together, and all minimal conflicts; with --need, what must be given up",
    )
    add(
        "--within",
        action="append",
        metavar="PART=VALUE",
        default=[],
        help="with --map: only compositions with this discount (p^i, 1/i, 1/log(i+1), none), novelty (none, decay, cascade), weights or effort (yes, no); VALUE|VALUE for several",
    )
    add(
        "--scale",
        action="store_true",
        help="instead: whether the score of each METRIC@k is an interval scale over rankings of k documents",
    )
    add("--levels", metavar="R,…", help="with --scale: the relevance a document may have (default: 0,1)")
    add(
        "--theorem",
        metavar="LETTER",
        help="instead: a theorem about axioms that exclude each other (A to E, or all), with its checked steps",
    )
    add("--certificates", metavar="DIR", help="write a certificate per cell and a program that checks them, check.py")
    add(
        "--reading",
        choices=[*READINGS, "both"],
        help="how the constraints are read (default: charitable; certificates are of both)",
    )
    add("--rc", metavar="R", help="one relevance r_c, such as 1/2, for DeepTh and CloseTh instead of all")
    add("--time-limit", default="60", metavar="S", help="seconds for one cell, after which it is unknown (default: 60)")
    common.add_number(parser, "--longest", default=4, help="documents of the longest ranking the solver excludes")
    common.add_number(parser, "--aspects", default=3, metavar="T", help="aspects the solver looks at")
    add("--no-cache", action="store_true", help="ignore cached verdicts")
    common.add_number(parser, "--jobs", default=2, help="processes at once")
    common.add_output(parser, ["table", "csv", "json", "md", "latex", "svg"])


def run(arguments: argparse.Namespace) -> int:
    """Decide what the options ask for, and print it."""
    metrics, named = _split(arguments.names)
    axioms = [*named, *arguments.axiom]
    if arguments.reading is None:
        arguments.reading = "both" if arguments.certificates is not None else "charitable"
    modes = [
        name for name in ("regions", "need", "family", "certificates", "theorem", "scale") if getattr(arguments, name)
    ]
    modes += ["map"] if arguments.map and modes != ["need"] else []
    if len(modes) > 1:
        raise UsageError("conflicting-options", f"--{modes[0]} and --{modes[1]} do not go together")
    if (arguments.grades or arguments.weights) and arguments.need is None:
        raise UsageError("option-not-applicable", "--grades and --weights go with --need")
    if arguments.within and not arguments.map:
        raise UsageError("option-not-applicable", "--within goes with --map")
    if arguments.format == "svg" and (not arguments.map or arguments.need is not None):
        raise UsageError("option-not-applicable", "-f svg draws the map of the axioms", hint="add --map")
    if arguments.levels is not None and not arguments.scale:
        raise UsageError("option-not-applicable", "--levels goes with --scale")
    if arguments.map or arguments.theorem is not None or arguments.scale:
        from diveval.cli.axiom_map import answer_other_question

        text = answer_other_question(metrics, axioms, arguments)
    elif arguments.need is not None:
        text = _advice(metrics, axioms, arguments)
    elif arguments.family:
        text = _family(metrics or axioms, arguments)
    elif arguments.regions:
        text = _regions(metrics, axioms, arguments)
    elif len(metrics) == len(axioms) == len(named) == 1 and arguments.format in ("table", "json") and not modes:
        text = _cell(metrics[0], axioms[0], arguments)
    else:
        text = _matrix(metrics, axioms, arguments)
    common.emit(text, arguments)
    return 0


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Metrics and axioms; a word that is neither and looks like an axiom is refused as one."""
    from diveval.axioms.proof.subjects import as_symbolic
    from diveval.axioms.specification.constraints import AXIOMS, as_axiom

    known = {name.lower() for name in AXIOMS}
    metrics = [word for word in words if word.lower() not in known]
    for word in metrics:
        if close_names(word, AXIOMS):
            try:
                as_symbolic(word)
            except UsageError as error:
                if error.code == "metric-not-exact":
                    raise
                as_axiom(word)
    return metrics, [word for word in words if word.lower() in known]


def _matrix(metrics: list[str], axioms: list[str], arguments: argparse.Namespace) -> str:
    """Every metric on every axiom; with --certificates decided anew, with all evidence as files."""
    from diveval.axioms.presentation.matrix import cells_of, matrix, matrix_of
    from diveval.axioms.proof.certificates import write_certificates

    limits, readings, jobs = limits_of(arguments), readings_of(arguments), arguments.jobs
    with count_cells() as progress:
        if arguments.certificates is not None:
            cells = cells_of(metrics or None, axioms or None, readings, limits["bounds"], limits["time_limit"])
            verdicts = write_certificates(Path(arguments.certificates), cells, jobs=jobs, progress=progress)
            return common.text_of(matrix_of(verdicts), arguments)
        decided = matrix(
            metrics or None, axioms=axioms or None, readings=readings, jobs=jobs, progress=progress, **limits
        )
    return add_other_reading([common.text_of(decided, arguments)], arguments)


def _family(names: list[str], arguments: argparse.Namespace) -> str:
    from diveval.axioms.presentation.family import walk

    if names:
        raise UsageError(
            "conflicting-options",
            "--family walks all compositions and all axioms",
            hint="leave METRIC, AXIOM and --axiom out",
        )
    parts = []
    for reading in readings_of(arguments):
        with count_cells() as progress:
            family = walk(reading=reading, jobs=arguments.jobs, progress=progress, **limits_of(arguments))
        parts.append(common.text_of(family, arguments))
    return add_other_reading(parts, arguments)


def _cell(metric: str, axiom: str, arguments: argparse.Namespace) -> str:
    """One cell with all its evidence."""
    from diveval.axioms.proof.scheduler import Cell, answer

    limits = limits_of(arguments)
    cached = limits.pop("cached")
    verdicts = [answer(Cell.of(metric, axiom, reading, **limits), cached=cached) for reading in readings_of(arguments)]
    parts = [*(str(verdict) for verdict in verdicts), *other_reading(arguments)]
    return text_or_json(parts, [verdict.as_dict() for verdict in verdicts], arguments)


def _regions(metrics: list[str], axioms: list[str], arguments: argparse.Namespace) -> str:
    """Every axiom of each metric, with the parameters for which it holds."""
    from diveval.axioms import regions
    from diveval.axioms.proof.subjects import as_symbolic

    if not metrics:
        raise UsageError("missing-argument", "--regions needs a METRIC, such as RBU")
    parts, shapes = [], []
    for metric in map(as_symbolic, metrics):
        given = f"; parameters {metric.box}" if metric.box else ""
        for reading in readings_of(arguments):
            by_axiom = regions(metric, axioms=axioms or None, reading=reading, **limits_of(arguments))
            parts.append("\n".join([f"{metric.name}, {reading} reading{given}", *(str(region) for region in by_axiom)]))
            shapes += [{**r.verdict.as_dict(), "ends": {end: v.verdict for end, v in r.ends}} for r in by_axiom]
    return text_or_json([*parts, *other_reading(arguments)], shapes, arguments)


def _advice(metrics: list[str], axioms: list[str], arguments: argparse.Namespace) -> str:
    """The metrics that satisfy everything needed."""
    from diveval.analysis.needs import axioms_of
    from diveval.axioms import advise
    from diveval.axioms.proof.published import ROWS

    if axioms or arguments.reading == "both":
        raise UsageError("conflicting-options", "--need names the axioms itself, and takes one reading")
    need = axioms_of([arguments.need])
    (reading,) = readings_of(arguments)
    asked = {"grades": arguments.grades, "weights": arguments.weights, "reading": reading, "jobs": arguments.jobs}
    with count_cells() as progress:
        advice = advise(need, metrics=metrics or ROWS, progress=progress, **asked, **limits_of(arguments))
    shape = [
        {"metric": a.metric, "suitable": a.suitable, "conditions": a.conditions, "missing": a.missing} for a in advice
    ]
    return text_or_json([_advice_text(advice, need, reading.name), *other_reading(arguments)], shape, arguments)


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
