"""Figures that also work in black and white: means with intervals, gains over a baseline, agreement.

All are as wide as a column of a two-column paper, except the means on several metrics, which take both columns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from diveval.errors import DivevalError, UsageError, need, quote
from diveval.meta.correlation import agreement
from diveval.metrics.names import labels
from diveval.publishing.results_table import COLUMN, ResultsTable, gains_of, name_runs, results_table
from diveval.results.pictures import Chart
from diveval.results.scores import Scores
from diveval.stats.intervals import interval

TEXT = 504  # points of both columns of a two-column paper together
MOST_PANELS = 5  # beside each other
PLOT = 180  # points of a column beside an axis
GAP = 24  # points between two panels, with the ends of their axes' labels
GREY = "#555555"
ROW = 11
WIDER = 0.15  # em: room is kept for Helvetica; in a viewer without it a character may be so much wider
WHOLE = {"type": "fit", "contains": "padding"}  # the width is that of the picture, with its labels


KINDS = ("means", "topics", "agreement")


def plot_scores(scores: Scores, kind: str, *, confidence: float) -> Chart:
    """One chart of a table of scores; `means` has runs from the best down by the first metric."""
    if kind not in KINDS:
        raise UsageError("invalid-choice", f"kind is one of {', '.join(KINDS)}, got {quote(kind)}")
    if kind == "agreement":
        return agreement_figure(scores)
    if kind == "topics":
        return gains_figure(scores, results_table(scores, confidence=confidence))
    ordered = scores.sorted(scores.metrics[0])
    return means_figure(ordered, name_runs(ordered), confidence=confidence)


def means_figure(scores: Scores, names: Mapping[str, str], *, confidence: float, width: int = TEXT) -> Chart:
    """One panel per metric, together `width` points wide: every run's mean with its confidence interval.

    `names` are the runs from the top down, as they are printed.
    """
    alt = need("altair", "report")
    shown = labels(scores.metrics)
    records = []
    for metric, label in zip(scores.metrics, shown, strict=True):
        for row in interval(scores, metric, confidence=confidence).rows:
            if row.mean is not None:
                low, high = (row.mean if end is None else end for end in (row.low, row.high))
                records.append({"run": names[row.run], "metric": label, "mean": row.mean, "low": low, "high": high})
    panels = min(len(shown), MOST_PANELS)
    longest = max(map(len, names.values()))
    size = 9 if longest * 4.5 <= 0.3 * width else 7  # points: names are never cut, since two could look alike then
    room = round(longest * size / 2)
    spare = math.ceil(WIDER * longest * size)
    order = list(names.values())
    base = alt.Chart({"values": records}).encode(
        y=alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=0, labelFontSize=size))
    )
    along = alt.Axis(tickCount=3, labelFontSize=size)
    layers = alt.layer(
        base.mark_rule(color=GREY).encode(
            x=alt.X("low:Q", title=None, axis=along, scale=alt.Scale(zero=False)), x2="high:Q"
        ),
        base.mark_point(filled=True, size=18, color="black", opacity=1).encode(x=alt.X("mean:Q", title=None)),
    ).properties(width=max((width - room - spare - 8 - GAP * (panels - 1)) // panels, 50), height=ROW * len(names))
    header = alt.Header(labelFontSize=9)
    facets = layers.facet(
        facet=alt.Facet("metric:N", sort=shown, title=None, header=header), columns=panels, spacing=10
    )
    padding = {"left": 4 + spare, "right": 4, "top": 4, "bottom": 4}
    return facets.resolve_scale(x="independent").properties(padding=padding)


def gains_figure(scores: Scores, table: ResultsTable) -> Chart:
    """Per topic, the first metric's difference between the best run and the baseline (or the runner-up), sorted."""
    alt = need("altair", "report")
    best, other, gaps = gains_of(scores, table)
    records = [{"place": i, "gap": gap, "up": gap > 0} for i, gap in enumerate(gaps.values(), 1)]
    named, size = f"topics, by {best} − {other}", 10
    if len(break_lines(named, PLOT / size)) > 1:
        size = 7
    below = break_lines(named, PLOT / size)
    return (
        alt.Chart({"values": records})
        .mark_bar()
        .encode(
            x=alt.X("place:O", axis=alt.Axis(title=below, titleFontSize=size, labels=False, ticks=False)),
            y=alt.Y("gap:Q", title=break_lines(table.labels[0], 110 / 10)),
            color=alt.condition("datum.up", alt.value("black"), alt.value("#aaaaaa")),
        )
        .properties(width=COLUMN, height=110 + 10 * len(below), autosize=WHOLE)
    )


def break_lines(text: str, width: float) -> list[str]:
    """A text in lines of at most `width` em in any usual sans-serif font; a word that is wider is broken, never cut."""
    lines, rest = [], text
    while broadest(rest) > width:
        fits = max(n for n in range(1, len(rest)) if n == 1 or broadest(rest[:n]) <= width)
        end = rest.rfind(" ", 1, fits + 1)
        lines.append(rest[: end if end > 0 else fits].rstrip())
        rest = rest[end if end > 0 else fits :].lstrip()
    return [*lines, rest]


def broadest(text: str) -> float:
    """The width of a text in em that it has at most, whichever sans-serif font a viewer uses."""
    return sum(
        0.65 if (one.islower() or one.isdigit() or one in " .,:;-_()|/") and one.isascii() and one not in "mw"
        else 0.85 if (one.isascii() and one not in "mwMW@%") or one == "−"
        else 1.0
        for one in text
    )  # fmt: skip


def agreement_figure(scores: Scores) -> Chart:
    """Kendall's τ between the orders that the metrics give the runs, in greys with the numbers written out."""
    alt = need("altair", "report")
    taus = agreement(scores)
    shown = dict(zip(scores.metrics, labels(scores.metrics), strict=True))
    order = [shown[name] for name in taus.order]
    records = [
        {"x": shown[row["other"]], "y": shown[row["metric"]], "value": row["value"]}
        for row in taus.records()
        if row["value"] is not None
    ]
    base = alt.Chart({"values": records}).encode(
        x=alt.X("x:N", sort=order, title=None, axis=alt.Axis(labelAngle=-45)), y=alt.Y("y:N", sort=order, title=None)
    )
    lowest = min([0.0, *(record["value"] for record in records)])
    greys = alt.Scale(scheme="greys", domain=[lowest, 1])
    dark = alt.condition("datum.value > 0.55", alt.value("white"), alt.value("black"))
    layers = [base.mark_rect().encode(color=alt.Color("value:Q", scale=greys, legend=None))]
    if len(order) <= 8:  # else a cell is narrower than a number
        layers.append(base.mark_text(fontSize=7).encode(text=alt.Text("value:Q", format=".2f"), color=dark))
    height = (18 if len(order) <= 8 else 11) * len(order) + 70
    return alt.layer(*layers).properties(width=COLUMN, height=height, autosize=WHOLE)


def figures(scores: Scores, table: ResultsTable) -> dict[str, Chart]:
    """The figures that this evaluation can show, by file name without ending."""
    names, confidence = dict(zip(table.runs, table.names, strict=True)), table.comparisons[0].confidence
    first = scores.select(metrics=scores.metrics[:1])
    out = {"means": means_figure(first, names, confidence=confidence, width=COLUMN)}
    if len(table.metrics) > 1:
        out["metrics"] = means_figure(scores, names, confidence=confidence)
    if len(table.runs) > 1:
        out["topics"] = gains_figure(scores, table)
    if len(table.metrics) > 1 and len(table.runs) > 2:
        try:
            out["agreement"] = agreement_figure(scores)
        except DivevalError:  # a metric that ties all runs has no correlation
            return out
    return out
