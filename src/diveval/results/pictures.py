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
    spec: dict[str, Any] = _without_backslashes(chart.to_dict(validate=False))
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
