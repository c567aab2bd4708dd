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
        "labelFontSize": 9, "titleFontSize": 10, "titleFontWeight": "normal", "gridColor": "#eeeeee", "domain": False,
        "ticks": False, "labelPadding": 3,
    },
    "legend": {
        "labelFontSize": 9, "titleFontSize": 10, "titleFontWeight": "normal", "orient": "bottom", "titleLimit": 320,
        "gradientLength": 140, "gradientThickness": 9, "symbolOpacity": 1,
    },
}  # fmt: skip


def save(chart: Chart, path: str | Path) -> Path:
    """Write a chart as SVG, PNG or PDF, by the ending of the path, whole or not at all."""
    convert = need("vl_convert", "report")
    spec: dict[str, Any] = chart.to_dict()
    own = spec.get("config", {})
    spec["config"] = {**QUIET, **own} | {k: {**QUIET[k], **own[k]} for k in own if isinstance(QUIET.get(k), dict)}
    form = Path(path).suffix[1:].lower()
    more = {"ppi": PIXELS_PER_INCH, "scale": 1} if form == "png" else {}
    content: str | bytes = getattr(convert, f"vegalite_to_{form}")(spec, **more)
    return write_atomically(path, content)
