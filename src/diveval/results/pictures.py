"""Pictures: the style that all charts share, and one way to write an altair chart as SVG, PNG or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diveval.errors import UsageError, need
from diveval.system.files import write_atomically

Chart = Any  # altair.Chart, altair.LayerChart or altair.VConcatChart; altair is imported on first use

FORMATS = ("svg", "pdf", "png")
INK, ACCENT = "#333333", "#1f5f8b"
PIXELS_PER_INCH = 300
QUIET: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 9,
        "titleFontSize": 10,
        "titleFontWeight": "normal",
        "gridColor": "#eeeeee",
        "domain": False,
        "ticks": False,
        "labelPadding": 3,
    },
    "legend": {
        "labelFontSize": 9,
        "titleFontSize": 10,
        "titleFontWeight": "normal",
        "orient": "bottom",
        "titleLimit": 320,
        "gradientLength": 140,
        "gradientThickness": 9,
        "symbolOpacity": 1,
    },
}


def format_of(path: str | Path) -> str:
    """The format that the ending of a path names."""
    ending = Path(path).suffix[1:].lower()
    if ending not in FORMATS:
        raise UsageError("unknown-format", f"{path}: a picture ends in .{', .'.join(FORMATS)}")
    return ending


def save(chart: Chart, path: str | Path) -> Path:
    """Write a chart in the format that the ending of the path names, atomically."""
    return write_atomically(path, render(chart, format_of(path)))


def render(chart: Chart, form: str) -> str | bytes:
    """A chart as the content of a file of this format."""
    convert = need("vl_convert", "report")
    spec: dict[str, Any] = _protect_names(chart.to_dict(validate=False))
    own = spec.get("config", {})
    spec["config"] = {**QUIET, **own} | {k: {**QUIET[k], **own[k]} for k in own if isinstance(QUIET.get(k), dict)}
    more = {"ppi": PIXELS_PER_INCH, "scale": 1} if form == "png" else {}
    content: str | bytes = getattr(convert, f"vegalite_to_{form}")(spec, **more)
    return content.replace(_INVISIBLE, "") if isinstance(content, str) else content


# What every object of JavaScript has: Vega groups by names as keys of plain objects, and takes these for its own.
_OF_OBJECTS = {
    *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
    *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
}
_INVISIBLE = "\u2060"  # a word joiner


def _protect_names(value: Any) -> Any:
    """The same with names that Vega takes for what they are.

    A backslash becomes ∖, because Vega-Lite copies names into expressions, where it is an escape. A name of JavaScript's
    objects gets an invisible character.
    """
    if isinstance(value, dict):
        return {key: _protect_names(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_protect_names(part) for part in value]
    if not isinstance(value, str):
        return value
    return value + _INVISIBLE if value in _OF_OBJECTS else value.replace("\\", "∖")
