"""`diveval axioms --map`, `--theorem` and `--scale`: what holds together, what excludes each other, and interval scales."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.axiom_options import add_other_reading, limits_of, readings_of, text_or_json
from diveval.cli.progress import count_cells
from diveval.errors import UsageError, quote

if TYPE_CHECKING:
    from diveval.axioms.presentation.consistency import AxiomMap


def answer_other_question(metrics: list[str], axioms: list[str], arguments: argparse.Namespace) -> str:
    """The text of the mode that was asked for."""
    if arguments.scale:
        return scale_text(metrics, axioms, arguments)
    if arguments.theorem is not None:
        return theorem_text(arguments)
    return map_text(metrics + axioms, arguments)


def map_text(names: list[str], arguments: argparse.Namespace) -> str:
    """The map of each reading, or what must be given up of the axioms that are needed."""
    from diveval.axioms.presentation.consistency import map_axioms, parse_parts

    if names:
        raise UsageError(
            "conflicting-options",
            "--map is about all compositions and all axioms",
            hint="leave METRIC and AXIOM out; --need AXIOM,… asks what must be given up of some",
        )
    if arguments.rc is not None:
        raise UsageError("conflicting-options", "--map and --rc do not go together")
    if arguments.format == "svg" and arguments.reading == "both":
        raise UsageError("conflicting-options", "-f svg draws one reading")
    within, found = parse_parts(arguments.within), []
    for reading in readings_of(arguments):
        with count_cells() as progress:
            found.append(
                map_axioms(
                    reading=reading, within=within, jobs=arguments.jobs, progress=progress, **limits_of(arguments)
                )
            )
    if arguments.need is not None:
        return _given_up(found, arguments)
    if arguments.format == "svg":
        return found[0].to_svg()
    if arguments.format == "json" and len(found) > 1:
        return text_or_json([], [one.as_dict() for one in found], arguments)
    return add_other_reading([common.text_of(one, arguments) for one in found], arguments)


def _given_up(found: list[AxiomMap], arguments: argparse.Namespace) -> str:
    """For each reading the conflicts among the axioms that are needed, and the smallest choices to give up."""
    from diveval.analysis.needs import axioms_of

    wanted = axioms_of([arguments.need])
    parts = [describe_ways_out(one, wanted) for one in found]
    shapes = [
        {
            "reading": one.reading,
            "need": list(wanted),
            "conflicts": [list(conflict.axioms) for conflict in one.conflicts_within(wanted)],
            "give_up": [list(way) for way in one.ways_out(wanted)],
        }
        for one in found
    ]
    return text_or_json(parts, shapes, arguments)


def describe_ways_out(found: AxiomMap, wanted: list[str]) -> str:
    """The answer to "which axioms must I give up?" as text."""
    conflicts = found.conflicts_within(wanted)
    said = f"{', '.join(wanted)} ({found.reading} reading)"
    if not conflicts:
        return f"{said}: one composition satisfies all of them."
    lines = [f"{said}: no composition satisfies all of them. They conflict:"]
    for one in conflicts:
        reason = f" (theorem {one.theorem})" if one.theorem else " (not decided for all)" if one.undecided else ""
        lines.append(f"  {' + '.join(one.axioms)}{reason}")
    lines.append("Give up one of these:")
    lines += [f"  {', '.join(way)}" for way in found.ways_out(wanted)]
    return "\n".join(lines)


def scale_text(metrics: list[str], axioms: list[str], arguments: argparse.Namespace) -> str:
    """Whether each metric is an interval scale, and what shows it."""
    from diveval.axioms.presentation.scales import scale

    if axioms or not metrics:
        raise UsageError("missing-argument", "--scale needs one or more METRIC@k, such as nDCG@10, and no axiom")
    try:
        levels = [Fraction(word) for word in (arguments.levels or "0,1").split(",")]
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            "out-of-range", f"--levels are numbers such as 0,1/2,1, got {quote(arguments.levels)}"
        ) from None
    found = [scale(metric, levels=levels) for metric in metrics]
    return text_or_json([str(one) for one in found], [one.as_dict() for one in found], arguments)


def theorem_text(arguments: argparse.Namespace) -> str:
    """A theorem: what it says, why, its steps as z3 confirms them now, and the theorems in Coq."""
    from diveval.axioms.proof.conflicts import THEOREMS, find_conflict_theorem
    from diveval.axioms.proof.verdicts import write_steps

    chosen = list(THEOREMS.values()) if arguments.theorem == "all" else [find_conflict_theorem(arguments.theorem)]
    parts, shapes = [], []
    for theorem in chosen:
        proof = theorem.prove()
        lines = [f"{theorem.letter}. {theorem.title}", "", f"  {theorem.says}", "", f"  {theorem.why}", ""]
        lines += [*write_steps(proof), "", f"  in Coq: {', '.join(theorem.coq)} in proofs/Conflicts.v"]
        parts.append("\n".join(lines))
        shapes.append(
            {
                "letter": theorem.letter,
                "title": theorem.title,
                "says": theorem.says,
                "why": theorem.why,
                "coq": list(theorem.coq),
                "proof": proof.as_dict(),
            }
        )
    return text_or_json(parts, shapes, arguments)
