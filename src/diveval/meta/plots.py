"""One chart per result, narrow enough for a paper's column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.errors import level_text, need
from diveval.meta.correlation import Agreement, Robustness, Sensitivity
from diveval.meta.discriminative import Discriminative
from diveval.meta.outputs import Concordance, Strictness
from diveval.meta.prediction import Prediction
from diveval.meta.unanimity import Unanimity
from diveval.meta.variants import numeric
from diveval.results.pictures import ACCENT, INK, Chart
from diveval.stats.intervals import Intervals

WIDTH = 260  # with its labels this fills one column of a two-column paper
ROW = 15
CELL = 18
MOST_LINES = 8  # in one chart


def unanimity_chart(result: Unanimity) -> Chart:
    """MU of the best group of variants of each family with its interval, highest first."""
    groups = [group for group in result.grouped() if group.mu is not None]
    records = [{"name": group.label, "value": group.mu, "low": group.low, "high": group.high} for group in groups]
    return _intervals(records, f"Metric Unanimity (bits, {level_text(result.confidence)} interval)")


def strictness_chart(result: Strictness) -> Chart:
    """Strictness of every metric, highest first."""
    rows = sorted(result.rows, key=lambda row: (-row.strictness, row.metric))
    return _intervals([{"name": row.metric, "value": row.strictness} for row in rows], "Strictness")


def prediction_chart(result: Prediction) -> Chart:
    """τ-b of every metric of contexts with every metric of answers, and its interval over queries."""
    rows = sorted((row for row in result.rows if row.tau is not None), key=lambda row: -(row.tau or 0.0))
    records = [
        {"name": f"{row.context_metric} → {row.answer_metric}", "value": row.tau, "low": row.low, "high": row.high}
        for row in rows
    ]
    return _intervals(records, f"Kendall's τ-b ({level_text(result.confidence)} interval over queries)", zero=True)


def interval_chart(result: Intervals) -> Chart:
    """The mean of every run with its interval, best first."""
    rows = sorted((row for row in result.rows if row.mean is not None), key=lambda row: (-(row.mean or 0.0), row.run))
    records = [{"name": row.run, "value": row.mean, "low": row.low, "high": row.high} for row in rows]
    return _intervals(records, f"Mean {result.metric} ({level_text(result.confidence)} interval)")


def discriminative_chart(result: Discriminative) -> Chart:
    """The ASL curves near α of the metrics that distinguish most pairs."""
    alt = need("altair", "report")
    ranked = sorted(result.rows, key=lambda row: (-row.share, row.metric))
    chosen = [row.metric for row in ranked[:MOST_LINES]]
    curve = [record for record in result.curve() if record["metric"] in chosen]
    highest = 3 * result.alpha  # as in Sakai's figures: only the part near α matters
    begin = min((record["place"] for record in curve if record["asl"] < highest), default=1)
    records = [record for record in curve if record["place"] >= begin - 1]
    lines = (
        alt.Chart(_data(records))
        .mark_line(clip=True)
        .encode(
            x=alt.X("place:Q", title="Pairs of runs, by ASL", scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("asl:Q", title="ASL", scale=alt.Scale(domain=[0, highest], nice=False)),
            color=alt.Color("metric:N", title=None, sort=chosen),
        )
    )
    level = alt.Chart(_data([{"alpha": result.alpha}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(y="alpha:Q")
    return _style(alt.layer(lines, level).properties(width=WIDTH, height=180))


def agreement_chart(result: Agreement) -> Chart:
    """The metric × metric matrix in the order of the clustering."""
    title = {"tau": "Kendall's τ", "tau_ap": "τ_AP", "rbo": "RBO"}[result.method]
    return _heatmap(result.records(), ("other", "metric"), (result.order, result.order), title)


def concordance_chart(result: Concordance) -> Chart:
    """For every pair of metrics, the share of disagreements in which the row's metric sides with the gold."""
    records: list[dict[str, Any]] = []
    for row in result.rows:
        records.append({"metric": row.metric, "other": row.other, "value": row.share})
        records.append({"metric": row.other, "other": row.metric, "value": row.share_other})
    names = sorted({record["metric"] for record in records})
    return _heatmap(records, ("other", "metric"), (names, names), f"Concordance with {' and '.join(result.gold)}")


def sensitivity_chart(result: Sensitivity) -> Chart:
    """Correlation with the reference variant: a grid when two parameters vary, else one point per variant."""
    values_of: dict[str, set[str]] = {}
    for row in result.rows:
        for name, value in row.parameters.items():
            values_of.setdefault(name, set()).add(value)
    varying = sorted(name for name, values in values_of.items() if len(values) > 1)
    if len(varying) != 2 or any(set(varying) - set(row.parameters) for row in result.rows):
        records = [{"name": row.metric, "value": row.value} for row in result.rows if row.value is not None]
        return _intervals(records, f"Correlation with {result.variant}")
    x, y = varying
    grid = [{x: row.parameters[x], y: row.parameters[y], "value": row.value} for row in result.rows]
    orders = (sorted(values_of[x], key=numeric), sorted(values_of[y], key=numeric))
    return _heatmap(grid, (x, y), orders, f"Correlation with {result.variant}", titled=True)


def rank_range_chart(result: Sensitivity) -> Chart:
    """The rank of every run under the reference variant, and its range over all variants."""
    records = [{"name": row.run, "value": row.rank, "low": row.best, "high": row.worst} for row in result.ranges]
    return _intervals(records, f"Rank under {result.variant}, and range over the variants")


def robustness_chart(result: Robustness, *, most: int = MOST_LINES) -> Chart:
    """Rank correlation with the reference by level of noise; up to four metrics also show their range as a band."""
    alt = need("altair", "report")
    chosen = list(dict.fromkeys(row.metric for row in result.rows))[:most]
    records = [vars(row) for row in result.rows if row.metric in chosen and row.value is not None]
    base = alt.Chart(_data(records)).encode(
        x=alt.X("level:Q", title="Level of noise"), color=alt.Color("metric:N", title=None, sort=chosen)
    )
    title, scale = "Rank correlation", alt.Scale(zero=False)
    layers = [base.mark_line(point=True).encode(y=alt.Y("value:Q", scale=scale, title=title))]
    if len(chosen) <= 4:
        layers.append(base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=scale, title=title), y2="high:Q"))
    return _style(alt.layer(*layers).properties(width=WIDTH, height=180))


def _data(records: list[dict[str, Any]]) -> Any:
    return {"values": records}  # not alt.Data, which checks every record against a schema


def _intervals(records: list[dict[str, Any]], title: str, *, zero: bool = False) -> Chart:
    """One row per record: a point, and a line from low to high if both exist."""
    alt = need("altair", "report")
    names = [record["name"] for record in records]
    base = alt.Chart(_data(records)).encode(y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=320)))
    scale = alt.Scale(zero=zero)
    points = base.mark_point(size=28, color=ACCENT, opacity=1).encode(
        x=alt.X("value:Q", title=title, scale=scale),
        fill=alt.value(ACCENT),
    )
    lines = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(color=ACCENT)
    layers = [lines.encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"), points]
    if zero:
        layers.insert(0, alt.Chart(_data([{"at": 0}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(x="at:Q"))
    return _style(alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW)))


def _heatmap(
    records: list[dict[str, Any]],
    fields: tuple[str, str],
    orders: tuple[Sequence[str], Sequence[str]],
    title: str,
    *,
    titled: bool = False,
) -> Chart:
    """Cells coloured by value, with the value as text if there is room."""
    alt = need("altair", "report")
    roomy = len(orders[0]) <= 12
    # Fields named x and y, since a parameter's name may have a meaning in the chart's grammar.
    defined = [
        {"x": record[fields[0]], "y": record[fields[1]], "value": record["value"]}
        for record in records
        if record["value"] is not None
    ]
    names = fields if titled else (None, None)
    across = alt.Axis(labelAngle=0 if titled else -90, labelLimit=320)
    base = alt.Chart(_data(defined)).encode(
        x=alt.X("x:N", sort=list(orders[0]), title=names[0], axis=across),
        y=alt.Y("y:N", sort=list(orders[1]), title=names[1], axis=alt.Axis(labelLimit=320)),
    )
    scale = alt.Scale(scheme="viridis", zero=False, nice=False)
    layers = [base.mark_rect().encode(color=alt.Color("value:Q", title=title, scale=scale))]
    if roomy and defined:
        values = [record["value"] for record in defined]
        middle = (min(values) + max(values)) / 2
        shade = alt.condition(f"datum.value > {middle}", alt.value("black"), alt.value("white"))
        layers.append(base.mark_text(fontSize=9).encode(text=alt.Text("value:Q", format=".2f"), color=shade))
    size = {"width": alt.Step(2 * CELL if roomy else CELL), "height": alt.Step(CELL)}
    return _style(alt.layer(*layers).properties(**size))


def _style(chart: Chart) -> Chart:
    """The shared style: white background, light grid, room for long names."""
    return (
        chart.configure(background="white", font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=9, titleFontSize=10, titleFontWeight="normal", gridColor="#eeeeee", domain=False)
        .configure_axisX(labelFlush=False)
        .configure_legend(
            labelFontSize=9,
            titleFontSize=10,
            titleFontWeight="normal",
            labelLimit=220,
            titleLimit=320,
            orient="bottom",
            columns=2,
            symbolOpacity=1,
            gradientLength=160,
        )
    )
