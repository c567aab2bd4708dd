"""Charts that only `diveval plot` draws: topics, the inspector and the axioms, for print."""

from __future__ import annotations

from typing import Any

from diveval.errors import need
from diveval.results.pictures import ACCENT, Chart
from diveval.scoring.study import Evaluation
from diveval.views.axiom_matrix import mark
from diveval.views.board import best_first

GAIN, EFFORT, UTILITY, STOP = ACCENT, "#a85510", "#1d2329", "#7a3e9d"
NEW, OLD = "#14578a", "#a9b4bd"
SERIES = ("gain", "effort", "utility")
ROW, COLUMN, CURVE = 13, 15, 110  # pixels of a rank, an aspect and a curve on paper


def topics_chart(study: Evaluation, metric: str) -> Chart:
    """Topic × system by one metric, the best system first; one scale on both sides of zero."""
    alt = need("altair", "report")
    scores = study.scores
    m = scores.metric_index(metric)
    runs = [scores.runs[r] for r in best_first(scores, m)]
    cells = [
        {"topic": topic, "run": run, "value": value}
        for run in scores.runs
        for topic, value in scores.per_topic(run, metric).items()
    ]
    values = scores.array(metric)[scores.counted[:, m]]
    least, most = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    reach = max(most, -least, 1e-12)
    if least < 0:
        scale = alt.Scale(scheme="blueorange", reverse=True, domain=[-reach, reach])
    else:
        scale = alt.Scale(scheme="blues", domain=[0, reach])
    step = 9 if len(runs) > 20 else 14
    return (
        alt.Chart({"values": cells})
        .mark_rect()
        .encode(
            x=alt.X("run:N", sort=runs, title=None, axis=alt.Axis(labelAngle=-90, labelLimit=140)),
            y=alt.Y("topic:N", sort=list(scores.topics), title="topic", axis=alt.Axis(labelOverlap=True)),
            color=alt.Color("value:Q", title=metric, scale=scale),
        )
        .properties(width=alt.Step(step), height=alt.Step(8 if len(scores.topics) > 25 else 12))
    )


def inspector_chart(data: dict[str, Any], runs: dict[int, str], *, ranks: int) -> Chart:
    """Rankings of one topic for paper, side by side: the grid of aspects and the curve beside it, rank by rank."""
    alt = need("altair", "report")
    topic = data["topics"][0]
    walks = [_walk(data, topic, topic["runs"][r], ranks) for r in runs]
    values = [point["value"] for _, points in walks for point in points]
    span = [min(values, default=0.0), max(values, default=1.0)]
    parts = []
    for (r, name), (cells, points) in zip(runs.items(), walks, strict=True):
        stop = topic["runs"][r]["stop"][0] if topic["runs"][r] else 0
        text = f"{name}: {f'stop at rank {stop}' if stop else 'no prefix has positive utility'}"
        title = alt.TitleParams(text, fontSize=10, anchor="start", limit=260)
        both = (_grid(cells, topic["aspects"]), _curve(points, stop, span))
        parts.append(alt.hconcat(*both, spacing=8, title=title))
    return alt.hconcat(*parts, spacing=24).resolve_scale(color="independent")


def _grid(cells: list[dict[str, Any]], aspects: list[str]) -> Chart:
    alt = need("altair", "report")
    base = alt.Chart({"values": cells}).encode(
        x=alt.X("aspect:N", sort=aspects, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("rank:O", title=None, axis=alt.Axis(labelPadding=4)),
    )
    tint = alt.Scale(domain=[0, 1], range=["white", "#c4dbec"], interpolate="rgb")
    vivid = alt.Scale(domain=[0, 1], range=[OLD, NEW], interpolate="rgb")
    size = alt.Scale(domain=[0, 1], range=[14, 120])
    squares = base.transform_filter("datum.relevance > 0").mark_square(opacity=1, strokeWidth=0)
    layers = (
        base.mark_rect(stroke="white").encode(color=alt.Color("wanted:Q", scale=tint, legend=None)),
        squares.encode(
            size=alt.Size("relevance:Q", scale=size, legend=None), fill=alt.Fill("wanted:Q", scale=vivid, legend=None)
        ),
    )
    return alt.layer(*layers).properties(width=alt.Step(COLUMN), height=alt.Step(ROW))


def _curve(points: list[dict[str, Any]], stop: int, span: list[float]) -> Chart:
    alt = need("altair", "report")
    last = max((point["rank"] for point in points), default=1)
    down = alt.Y("rank:Q", scale=alt.Scale(domain=[0.5, last + 0.5], reverse=True, nice=False), axis=None)
    across = alt.X(
        "value:Q",
        title=None,
        scale=alt.Scale(domain=span, nice=False),
        axis=alt.Axis(orient="top", tickCount=3, format="~g"),
    )
    colours = alt.Scale(domain=list(SERIES), range=[GAIN, EFFORT, UTILITY])
    legend = alt.Legend(orient="bottom", columns=3, columnPadding=4, symbolSize=40, offset=4)
    lines = alt.Chart({"values": points}).mark_line(strokeWidth=1.5)
    at = [{"rank": stop + 0.5}] if 0 < stop <= last else []
    rule = alt.Chart({"values": at}).mark_rule(color=STOP, strokeWidth=1.5)
    hue = alt.Color("series:N", scale=colours, title=None, legend=legend)
    layers = (lines.encode(x=across, y=down, order="rank:Q", color=hue), rule.encode(y=down))
    return alt.layer(*layers).properties(width=CURVE, height=ROW * last)


def axioms_chart(data: dict[str, Any]) -> Chart:
    """The matrix of metrics × axioms as marks: see `views.verdicts`."""
    alt = need("altair", "report")
    axioms, rows = [axiom["name"] for axiom in data["axioms"]], data["rows"]
    cells = [
        {"metric": row["metric"], "axiom": axiom, "mark": mark(cell["verdict"] if cell else None)}
        for row in rows
        for axiom, cell in zip(axioms, row["cells"], strict=True)
    ]
    return (
        alt.Chart({"values": cells})
        .mark_text(fontSize=12)
        .encode(
            x=alt.X("axiom:N", sort=axioms, title=None, axis=alt.Axis(orient="top", labelAngle=-45, labelAlign="left")),
            y=alt.Y("metric:N", sort=[row["metric"] for row in rows], title=None, axis=alt.Axis(labelLimit=320)),
            text="mark:N",
        )
        .properties(width=alt.Step(20), height=alt.Step(16))
    )


def _walk(
    data: dict[str, Any], topic: dict[str, Any], found: dict[str, Any] | None, ranks: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The inspector's compact data of one ranking as rows: cells of the grid, and points of the curves."""
    if found is None:
        return [], []
    wanted = [1.0] * len(topic["aspects"])
    effort = found.get("effort") or data["effort"]
    left = dict(zip(found["hits"], zip(found["left"], found["gain"], strict=True), strict=True))
    cells: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = [{"rank": 0.5, "series": series, "value": 0.0} for series in SERIES]
    gain = 0
    for i in range(1, min(ranks, len(found["docs"])) + 1):
        relevant = dict(topic["relevant"].get(str(found["docs"][i - 1]), ()))
        cells += [
            {"rank": i, "aspect": aspect, "wanted": wanted[a], "relevance": relevant.get(a, 0.0)}
            for a, aspect in enumerate(topic["aspects"])
        ]
        if i in left:
            after, gain = left[i]
            wanted = [share / data["share"] for share in after]
        for series, whole in zip(SERIES, (gain, effort[i - 1], gain - effort[i - 1]), strict=True):
            points.append({"rank": i, "series": series, "value": whole / data["unit"]})
    return cells, points
