"""Arguments of the Python API, checked and converted to options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from diveval.errors import UsageError, shown
from diveval.options import Efforts, Options
from diveval.reading import read_efforts

EFFORTS = ("effort_file", "effort_unit", "effort_default", "efforts")


def as_options(options: Options | None, chosen: dict[str, Any]) -> Options:
    """`options`, or options built from the single choices; giving both is an error."""
    if chosen.get("rel") is not None:
        _number(chosen["rel"], "rel")
    check_bool(chosen.get("renormalise", True), "renormalise")
    if not isinstance(options, Options | None):
        raise UsageError(f"options are Options(…) or Options.of(…), got {shown(options)}")
    if options is None:
        plain = {name: value for name, value in chosen.items() if name not in EFFORTS}
        return Options.of(**plain, efforts=_efforts(chosen))
    if chosen:
        raise UsageError(f"give options or single choices, not both: {', '.join(chosen)}")
    return options


def check_bool(value: Any, what: str) -> None:
    """Reject anything but True and False: a string such as "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise UsageError(f"{what} is True or False, got {shown(value)}")


def _efforts(chosen: dict[str, Any]) -> Efforts | None:
    given, path = chosen.get("efforts"), chosen.get("effort_file")
    unit, default = chosen.get("effort_unit", 1.0), chosen.get("effort_default", 1.0)
    _number(default, "effort_default", least=0.0)
    if unit != "mean":
        _number(unit, "effort_unit (or mean)", above=0.0)
    if given is not None and path is not None:
        raise UsageError("give efforts or effort_file, not both")
    if isinstance(path, Mapping):
        raise UsageError("effort_file is a path; a dict of costs is given as efforts")
    if path is not None:
        return read_efforts(path, unit=None if unit == "mean" else unit, default=default)
    if isinstance(given, Mapping):
        for document, cost in given.items():
            _number(cost, f"the effort of document {shown(document)}", least=0.0)
        divisor = sum(given.values()) / max(len(given), 1) if unit == "mean" else unit
        return Efforts(dict(given), unit=divisor, default=default)
    made: Efforts | None = given  # the options check it
    return made


def _number(value: Any, what: str, *, least: float = -math.inf, above: float = -math.inf) -> None:
    """Reject anything but a finite number in its range."""
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value < least or value <= above:
        bound = " of at least 0" if least == 0 else " above 0" if above == 0 else ""
        raise UsageError(f"{what} is a number{bound}, got {shown(value)}")


def as_columns(columns: Any, aspect: Any = None) -> Mapping[str, str] | None:
    """The column names as one mapping, with `aspect` merged in."""
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError(f"columns are {{our name: the frame's}}, got {shown(columns)}")
    for what, name in (columns or {}).items():
        if not isinstance(name, str):
            raise UsageError(f"a column name is a string, got {shown(name)} for {shown(what)}")
    if aspect is None:
        return columns
    if not isinstance(aspect, str):
        raise UsageError(f"aspect is the name of a column, got {shown(aspect)}")
    if columns and columns.get("aspect", aspect) != aspect:
        raise UsageError(f"aspect is {shown(aspect)}, but columns map aspect to {shown(columns['aspect'])}")
    return {**(columns or {}), "aspect": aspect}
