"""Figures at column width that also work in black and white: means with intervals, gains over a baseline, agreement."""

from __future__ import annotations

from typing import Any

from diveval.errors import DivevalError, need
from diveval.meta.agreement import agreement
from diveval.metrics.labels import labels
from diveval.publishing.gains import gains_of
from diveval.publishing.results import ResultsTable
from diveval.scores import Scores
from diveval.stats.intervals import interval

COLUMN = 240  # points of a two-column paper's column
GREY = "#555555"
ROW = 11
Chart = Any  # of altair, which is imported when a figure is asked for


def means_figure(scores: Scores, table: ResultsTable) -> Chart:
    """One panel per metric: every run's mean with its confidence interval, runs in the order of the table."""
    alt = need("altair", "report")
    records, names_of = [], dict(zip(table.runs, table.names, strict=True))
    for metric, shown in zip(scores.metrics, table.labels, strict=True):
        confidence = table.comparisons[0].confidence
        for row in interval(scores, metric, confidence=confidence).rows:
            if row.mean is not None:
                low, high = (row.mean if end is None else end for end in (row.low, row.high))
                records.append({"run": names_of[row.run], "metric": shown, "mean": row.mean, "low": low, "high": high})
    panels = min(len(table.metrics), 2)
    names = 5 * max(map(len, table.names))  # points: names are never cut, since two could look alike then
    base = alt.Chart(alt.Data(values=records)).encode(
        y=alt.Y("run:N", sort=table.names, title=None, axis=alt.Axis(labelLimit=0))
    )
    layers = alt.layer(
        base.mark_rule(color=GREY).encode(x=alt.X("low:Q", title=None, scale=alt.Scale(zero=False)), x2="high:Q"),
        base.mark_point(filled=True, size=18, color="black", opacity=1).encode(x=alt.X("mean:Q", title=None)),
    ).properties(width=max((COLUMN - names) // panels - 14, 60), height=ROW * len(table.runs))
    facets = layers.facet(facet=alt.Facet("metric:N", sort=table.labels, title=None), columns=panels)
    # Names are measured in Helvetica's widths; a viewer without it takes a wider font, which must not cut them.
    spare = {"left": 5 + names // 5, "right": 5, "top": 5, "bottom": 5}
    return facets.resolve_scale(x="independent").properties(padding=spare)


def gains_figure(scores: Scores, table: ResultsTable) -> Chart:
    """Per topic, the first metric's difference between the best run and the baseline (or the runner-up), sorted."""
    alt = need("altair", "report")
    best, other, gaps = gains_of(scores, table)
    records = [{"place": i, "gap": gap, "up": gap > 0} for i, gap in enumerate(gaps.values(), 1)]
    return (
        alt.Chart(alt.Data(values=records))
        .mark_bar()
        .encode(
            x=alt.X("place:O", title=f"topics, by {best} − {other}", axis=alt.Axis(labels=False, ticks=False)),
            y=alt.Y("gap:Q", title=table.labels[0]),
            color=alt.condition("datum.up", alt.value("black"), alt.value("#aaaaaa")),
        )
        .properties(width=COLUMN, height=90)
    )


def agreement_figure(scores: Scores, table: ResultsTable) -> Chart:
    """Kendall's τ between the orders that the metrics give the runs, in greys with the numbers written out."""
    alt = need("altair", "report")
    found = agreement(scores)
    shown = dict(zip(scores.metrics, labels(scores.metrics), strict=True))
    order = [shown[name] for name in found.order]
    records = [
        {"x": shown[row["other"]], "y": shown[row["metric"]], "value": row["value"]}
        for row in found.records()
        if row["value"] is not None
    ]
    base = alt.Chart(alt.Data(values=records)).encode(
        x=alt.X("x:N", sort=order, title=None, axis=alt.Axis(labelAngle=-45)), y=alt.Y("y:N", sort=order, title=None)
    )
    lowest = min(0.0, *(record["value"] for record in records))
    greys = alt.Scale(scheme="greys", domain=[lowest, 1])
    dark = alt.condition("datum.value > 0.55", alt.value("white"), alt.value("black"))
    return alt.layer(
        base.mark_rect().encode(color=alt.Color("value:Q", scale=greys, legend=None)),
        base.mark_text(fontSize=8).encode(text=alt.Text("value:Q", format=".2f"), color=dark),
    ).properties(width=28 * len(order), height=18 * len(order))


def figures(scores: Scores, table: ResultsTable) -> dict[str, Chart]:
    """The figures that this evaluation can show, by file name without ending."""
    out = {"means": means_figure(scores, table)}
    if len(table.runs) > 1:
        out["topics"] = gains_figure(scores, table)
    if len(table.metrics) > 1 and len(table.runs) > 2:
        try:
            out["agreement"] = agreement_figure(scores, table)
        except DivevalError:  # metrics that order nothing have no correlation
            return out
    return out
