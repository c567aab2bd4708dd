"""One chart per result, light and narrow enough for a paper's column; `save` writes SVG, PNG, HTML or JSON."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diveval.errors import UsageError, need
from diveval.files import write_atomically
from diveval.meta.agreement import Agreement
from diveval.meta.concordance import Concordance
from diveval.meta.discriminative import Discriminative
from diveval.meta.robustness import Robustness
from diveval.meta.sensitivity import Sensitivity
from diveval.meta.strictness import Strictness
from diveval.meta.unanimity import Unanimity
from diveval.stats.comparison import Comparison
from diveval.stats.intervals import Intervals

WIDTH = 260  # with its labels this fills one column of a two-column paper
ROW = 15
CELL = 18
INK, ACCENT = "#333333", "#1f5f8b"
FORMATS = ("svg", "png", "html", "json")

Chart = Any  # altair.Chart, altair.LayerChart or altair.VConcatChart; altair is imported when a chart is asked for


def unanimity_chart(result: Unanimity, *, best: bool = True) -> Chart:
    """MU of the groups of variants with their intervals, highest first; only the best of each family with `best`."""
    groups = [group for group in result.grouped(best=best) if group.mu is not None]
    records = [{"name": group.label, "value": group.mu, "low": group.low, "high": group.high} for group in groups]
    return _intervals(records, f"Metric Unanimity (bits, {result.confidence:.0%} interval)")


def strictness_chart(result: Strictness) -> Chart:
    """Strictness of every metric, highest first."""
    rows = sorted(result.rows, key=lambda row: (-row.strictness, row.metric))
    return _intervals([{"name": row.metric, "value": row.strictness} for row in rows], "Strictness")


def interval_chart(result: Intervals) -> Chart:
    """The mean of every run with its interval, best first."""
    rows = sorted((row for row in result.rows if row.mean is not None), key=lambda row: (-(row.mean or 0.0), row.run))
    records = [{"name": row.run, "value": row.mean, "low": row.low, "high": row.high} for row in rows]
    return _intervals(records, f"Mean {result.metric} ({result.confidence:.0%} interval)")


def comparison_chart(result: Comparison) -> Chart:
    """Differences between runs with their intervals; filled points are significant after correction."""
    records = [
        {
            "name": f"{row.run} − {row.other}",
            "value": row.difference,
            "low": row.low,
            "high": row.high,
            "filled": row.significant,
        }
        for row in result.rows
        if row.difference is not None
    ]
    return _intervals(records, f"Difference in {result.metric} ({result.confidence:.0%} interval)", zero=True)


def discriminative_chart(result: Discriminative, *, metrics: Sequence[str] | None = None, most: int = 8) -> Chart:
    """The ASL curves near α, of the named metrics or of those that tell most pairs apart."""
    alt = need("altair", "report")
    ranked = sorted(result.rows, key=lambda row: (-row.share, row.metric))
    chosen = list(metrics) if metrics is not None else [row.metric for row in ranked[:most]]
    records = [record for record in result.curve() if record["metric"] in chosen]
    lines = (
        alt.Chart(_data(records))
        .mark_line(clip=True)
        .encode(
            x=alt.X("place:Q", title="Pairs of runs, by ASL"),
            y=alt.Y("asl:Q", title="ASL", scale=alt.Scale(domain=[0, 3 * result.alpha])),
            color=alt.Color("metric:N", title=None, sort=chosen),
        )
    )
    level = alt.Chart(_data([{"alpha": result.alpha}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(y="alpha:Q")
    return _styled(alt.layer(lines, level).properties(width=WIDTH, height=180))


def agreement_chart(result: Agreement) -> Chart:
    """The metric × metric matrix in the order of the clustering."""
    title = {"tau": "Kendall's τ", "tau_ap": "τ_AP", "rbo": "RBO"}[result.method]
    return _heatmap(result.records(), "other", "metric", list(result.order), title, [0 if result.p else -1, 1])


def concordance_chart(result: Concordance) -> Chart:
    """For every pair of metrics, the share of disagreements in which the row's metric sides with the gold."""
    records = []
    for row in result.rows:
        records.append({"metric": row.metric, "other": row.other, "value": row.share})
        records.append({"metric": row.other, "other": row.metric, "value": row.share_other})
    names = sorted({record["metric"] for record in records})
    return _heatmap(records, "other", "metric", names, f"Concordance with {' and '.join(result.gold)}", [0, 1])


def sensitivity_chart(result: Sensitivity) -> Chart:
    """Correlation with the reference variant: a grid when two parameters vary, else one point per variant."""
    known: dict[str, set[str]] = {}
    for row in result.rows:
        for name, value in row.parameters.items():
            known.setdefault(name, set()).add(value)
    varying = sorted(name for name, values in known.items() if len(values) > 1)
    if len(varying) != 2 or any(set(varying) - set(row.parameters) for row in result.rows):
        records = [{"name": row.metric, "value": row.value} for row in result.rows if row.value is not None]
        return _intervals(records, f"Correlation with {result.variant}")
    x, y = varying
    grid = [{x: row.parameters[x], y: row.parameters[y], "value": row.value} for row in result.rows]
    return _heatmap(grid, x, y, None, f"Correlation with {result.variant}", None)


def rank_range_chart(result: Sensitivity) -> Chart:
    """The rank of every run under the reference variant, and its range over all variants."""
    records = [
        {"name": row.run, "value": row.rank, "low": row.best, "high": row.worst} for row in result.ranges
    ]
    return _intervals(records, f"Rank under {result.variant}, and range over the variants")


def robustness_chart(result: Robustness, *, metrics: Sequence[str] | None = None, most: int = 8) -> Chart:
    """Rank correlation with the reference by level of noise, with the range over repeats as a band."""
    alt = need("altair", "report")
    names = list(dict.fromkeys(row.metric for row in result.rows))
    chosen = list(metrics) if metrics is not None else names[:most]
    records = [vars(row) for row in result.rows if row.metric in chosen and row.value is not None]
    base = alt.Chart(_data(records)).encode(
        x=alt.X("level:Q", title="Level of noise"), color=alt.Color("metric:N", title=None, sort=chosen)
    )
    scale = alt.Scale(zero=False)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=scale, title="Rank correlation"), y2="high:Q")
    line = base.mark_line(point=True).encode(y=alt.Y("value:Q", scale=scale, title="Rank correlation"))
    return _styled(alt.layer(band, line).properties(width=WIDTH, height=180))


def save(chart: Chart, path: str | Path) -> Path:
    """Write a chart as SVG, PNG, HTML or JSON, by the ending of the path, whole or not at all."""
    form = Path(path).suffix[1:].lower()
    if form not in FORMATS:
        raise UsageError(f"{path}: a chart is saved as one of {', '.join(FORMATS)}, got {form or 'no ending'!r}")
    if form == "png":
        pixels = io.BytesIO()
        chart.save(pixels, format=form, ppi=200)
        return write_atomically(path, pixels.getvalue())
    text = io.StringIO()
    chart.save(text, format=form)
    return write_atomically(path, text.getvalue())


def _data(records: list[dict[str, Any]]) -> Any:
    return need("altair", "report").Data(values=records)


def _intervals(records: list[dict[str, Any]], title: str, *, zero: bool = False) -> Chart:
    """One row per record: a point, and a line from low to high where both exist."""
    alt = need("altair", "report")
    names = [record["name"] for record in records]
    base = alt.Chart(_data(records)).encode(y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=320)))
    scale = alt.Scale(zero=zero)
    points = base.mark_point(size=28, color=ACCENT, opacity=1).encode(
        x=alt.X("value:Q", title=title, scale=scale),
        fill=alt.condition("datum.filled === false", alt.value("white"), alt.value(ACCENT)),
    )
    lines = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(color=ACCENT)
    layers = [lines.encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"), points]
    if zero:
        layers.insert(0, alt.Chart(_data([{"at": 0}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(x="at:Q"))
    return _styled(alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW)))


def _heatmap(
    records: list[dict[str, Any]], x: str, y: str, order: list[str] | None, title: str, domain: list[float] | None
) -> Chart:
    """Cells coloured by value; the values are written into them while there is room."""
    alt = need("altair", "report")
    columns = len({record[x] for record in records})
    cell = CELL if order is not None and columns > 12 else 2 * CELL
    sort = order if order is not None else alt.Undefined
    base = alt.Chart(_data([record for record in records if record["value"] is not None])).encode(
        x=alt.X(field=x, type="nominal" if order else "ordinal", sort=sort, title=None if order else x),
        y=alt.Y(field=y, type="nominal" if order else "ordinal", sort=sort, title=None if order else y),
    )
    scale = alt.Scale(scheme="viridis", domain=domain) if domain else alt.Scale(scheme="viridis")
    cells = base.mark_rect().encode(color=alt.Color("value:Q", title=title, scale=scale))
    layers = [cells]
    if columns <= 12:
        values = [record["value"] for record in records if record["value"] is not None]
        middle = sum(domain) / 2 if domain else (min(values) + max(values)) / 2
        shade = alt.condition(f"datum.value > {middle}", alt.value("black"), alt.value("white"))
        layers.append(base.mark_text(fontSize=9).encode(text=alt.Text("value:Q", format=".2f"), color=shade))
    return _styled(alt.layer(*layers).properties(width=alt.Step(cell), height=alt.Step(min(cell, 22))))


def _styled(chart: Chart) -> Chart:
    """Light, quiet, and with room for long names."""
    return (
        chart.configure(background="white", font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=9, titleFontSize=10, titleFontWeight="normal", gridColor="#eeeeee", domain=False)
        .configure_legend(
            labelFontSize=9, titleFontSize=10, titleFontWeight="normal", labelLimit=220, titleLimit=260, orient="bottom"
        )
    )
