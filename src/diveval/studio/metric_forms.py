"""Metrics for the page: the catalogue with bounds for sliders, and metrics from the texts in requests.

Texts are only parsed: `file.py:name`, which runs a file, is accepted on the command line and never in a request.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal, TypedDict, cast

from diveval.errors import UsageError
from diveval.metrics import Metric, compose, entries, parse
from diveval.metrics.javascript import describe_formula
from diveval.metrics.metric import EXAMPLE_CUTOFF, Entry, Parameter
from diveval.views.shared import heading_of


class ParameterShape(TypedDict):
    """A parameter of a metric; ends that are null are infinite, open ones do not belong to the range."""

    name: str
    default: float | str
    range: str
    meaning: str
    low: float | None
    high: float | None
    open_low: bool
    open_high: bool
    choices: list[str]
    in_name: bool


class CatalogueRowShape(TypedDict):
    """A metric of the catalogue, as `diveval metrics -f json` has it, with bounds for sliders."""

    name: str
    example: str
    whole: Annotated[str, "the example without a cutoff, where it can be without"]
    meaning: str
    formula: str
    reference: str
    aliases: list[str]
    aspects: bool
    parameters: list[ParameterShape]
    cutoffs: Literal[True, False, "needed"]
    tool: str
    parts: Annotated[dict[str, Any] | None, "the metric without a cutoff as the page computes it"]


class MetricShape(TypedDict):
    """A metric's canonical name and its parts."""

    name: str
    family: str
    values: Annotated[dict[str, float | str], "words and exact fractions as texts"]
    cutoff: int | None
    heading: Annotated[list[str], "label with cutoff, and the parameters, as two lines of a table's head"]
    parts: Annotated[dict[str, Any] | None, "its formula as the page computes it; null: only Python computes it"]


class Catalogue:
    """The library's metrics and those the command line gave."""

    def __init__(self, given: Sequence[Metric] = ()) -> None:
        self.given: Mapping[str, Metric] = {metric.name: metric for metric in given}

    def find(self, name: str) -> Metric:
        """A metric by its text."""
        return self.given.get(name) or parse(name)

    def read(self, text: str | None, family: str | None, values: Mapping[str, Any], cutoff: int | None) -> MetricShape:
        """A metric and its parts, from its text, or from its family and setting."""
        if (text is None) == (family is None):
            raise UsageError(
                "missing-argument", "a metric is asked for by its text, or by its family with values and a cutoff"
            )
        if text is not None and (values or cutoff is not None):
            raise UsageError("conflicting-options", "values and cutoff go with a family", hint="a text has its own")
        metric = compose(family, values, cutoff) if family is not None else self.find(text or "")
        return {
            "name": metric.name,
            "family": metric.name if metric.entry is None else metric.entry.name,
            "values": {name: str(v) if isinstance(v, Fraction) else v for name, v in metric.values.items()},
            "cutoff": metric.cutoff,
            "heading": heading_of(metric.name),
            "parts": _parts(metric),
        }

    def find_all(self, names: Sequence[str]) -> list[Metric]:
        """Several, without repeats, in their order."""
        metrics = {metric.name: metric for metric in map(self.find, names)}
        if not metrics:
            raise UsageError("no-metric", "no metric was given", hint="for example RBU(p=0.99,e=0.05)@20")
        return list(metrics.values())

    def shape(self) -> list[CatalogueRowShape]:
        """As `diveval metrics -f json` has it, and numbers for sliders."""
        own: list[CatalogueRowShape] = [
            {
                "name": name,
                "example": name,
                "whole": name,
                "meaning": "given on the command line",
                "formula": "",
                "reference": "",
                "aliases": [],
                "aspects": True,
                "parameters": [],
                "cutoffs": False,
                "tool": "",
                "parts": None,
            }
            for name, metric in self.given.items()
            if metric.entry is None
        ]
        return [*(_shape(entry) for entry in entries().values()), *own]


def _shape(entry: Entry) -> CatalogueRowShape:
    whole = entry.metric({}, EXAMPLE_CUTOFF if entry.cutoffs == "needed" else None)
    more = {
        "whole": whole.name,
        "parts": _parts(whole),
        "parameters": [_parameter(parameter) for parameter in entry.parameters],
        "cutoffs": entry.cutoffs,
        "tool": entry.name.split(".")[0] if "." in entry.name else "",
    }
    return cast("CatalogueRowShape", entry.as_dict() | more)


def _parts(metric: Metric) -> dict[str, Any] | None:
    try:
        return describe_formula(metric)
    except UsageError:
        return None


def _parameter(parameter: Parameter) -> ParameterShape:
    """`open_low` and `open_high` mark ends of the range that a slider must not reach."""
    shape = {name: getattr(parameter, name) for name in ParameterShape.__annotations__}
    for end in ("low", "high"):
        shape[end] = shape[end] if math.isfinite(shape[end]) else None
    return cast("ParameterShape", shape)
