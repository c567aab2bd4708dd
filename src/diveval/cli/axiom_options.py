"""What the modes of `diveval axioms` share: how far the solver looks, the readings, and text or JSON."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.errors import UsageError, quote
from diveval.results.protocol import json_text

if TYPE_CHECKING:
    from diveval.axioms.specification.readings import Reading

READINGS = ["as-written", "charitable"]


def limits_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """How far the solver looks, as the functions of the engine take it."""
    from diveval.axioms import Bounds

    seconds = common.number(arguments.time_limit, "--time-limit")
    bounds = Bounds(longest=arguments.longest, aspects=arguments.aspects)
    return {"bounds": bounds, "time_limit": seconds, "cached": not arguments.no_cache}


def readings_of(arguments: argparse.Namespace) -> list[Reading]:
    from diveval.axioms.specification.readings import as_reading

    names = READINGS if arguments.reading == "both" else [arguments.reading]
    readings = [as_reading(name) for name in names]
    if arguments.rc is None:
        return readings
    try:
        r_c = Fraction(arguments.rc)
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            "out-of-range", f"--rc is a number between 0 and 1, such as 1/2, got {quote(arguments.rc)}"
        ) from None
    return [replace(one, r_c=r_c, small_rc=False, name=f"{one.name}, r_c = {r_c}") for one in readings]


def other_reading(arguments: argparse.Namespace) -> list[str]:
    """The reading that was not asked for, named in one line."""
    others = [name for name in READINGS if name != arguments.reading]
    return [] if arguments.reading == "both" else [f"The other reading: --reading {others[0]}"]


def text_or_json(parts: list[str], shape: Any, arguments: argparse.Namespace) -> str:
    """What is not a table, for people or for programs."""
    if arguments.format not in ("table", "json"):
        raise UsageError(
            "option-not-applicable",
            f"-f {arguments.format} is for a table of metrics and axioms",
            hint="take table or json",
        )
    return json_text(shape) if arguments.format == "json" else "\n\n".join(parts) + "\n"


def add_other_reading(texts: list[str], arguments: argparse.Namespace) -> str:
    """Results one below the other; below tables for people, the reading that was not asked for."""
    return "\n".join([*texts, *(f"{line}\n" for line in other_reading(arguments) if arguments.format == "table")])
