"""A single picture for a paper: a quiet style, fonts for a column, and vl-convert to write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diveval.errors import need
from diveval.files import write_atomically
from diveval.meta.plots import Chart

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


def rendered(chart: Chart, form: str) -> str | bytes:
    """A chart as SVG, PNG or PDF."""
    convert = need("vl_convert", "report")
    spec: dict[str, Any] = _without_backslashes(chart.to_dict())
    own = spec.get("config", {})
    spec["config"] = {**QUIET, **own} | {k: {**QUIET[k], **own[k]} for k in own if isinstance(QUIET.get(k), dict)}
    more = {"ppi": PIXELS_PER_INCH, "scale": 1} if form == "png" else {}
    content: str | bytes = getattr(convert, f"vegalite_to_{form}")(spec, **more)
    return content


def _without_backslashes(value: Any) -> Any:
    """The same with ∖ for a backslash in every text: Vega-Lite copies names into expressions, where it is an escape."""
    if isinstance(value, dict):
        return {key: _without_backslashes(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_backslashes(part) for part in value]
    return value.replace("\\", "∖") if isinstance(value, str) else value


def save(chart: Chart, path: str | Path) -> Path:
    """Write a chart as SVG, PNG or PDF, by the ending of the path, atomically."""
    return write_atomically(path, rendered(chart, Path(path).suffix[1:].lower()))
