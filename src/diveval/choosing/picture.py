"""A picture of the reasons: what separates two runs, rank by rank, on the topics that decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diveval.errors import UsageError, need
from diveval.metrics.names import labels

if TYPE_CHECKING:
    import altair

    from diveval.choosing.why import Why

WIDTH, HEIGHT = 200, 110


def chart(found: Why) -> altair.VConcatChart:
    """A waterfall per topic and metric: bars from the difference before a rank to the difference after it."""
    alt = need("altair", "report")
    records = _records(found)
    if not records:
        raise UsageError("there is nothing to draw: the runs do not differ on any topic")
    colours = alt.Scale(domain=[found.run, found.other], range=["#222222", "#b0b0b0"])
    panels = []
    for topic in dict.fromkeys(record["topic"] for record in records):
        row = []
        for place, name in enumerate(labels(found.metrics)):
            # Every panel has its own data: a filter on a layer does not reach data that its parts bring along.
            own = [record for record in records if record["topic"] == topic and record["metric"] == name]
            bars = (
                alt.Chart(alt.Data(values=own))
                .mark_bar()
                .encode(
                    x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0, labelFontSize=8, labelOverlap=True)),
                    y=alt.Y("before:Q", title=None if place else "difference"),
                    y2="after:Q",
                    color=alt.Color("for:N", title="in favour of", scale=colours),
                )
            )
            zero = alt.Chart(alt.Data(values=[{}])).mark_rule(color="#888888").encode(y=alt.datum(0))
            title = alt.TitleParams(f"topic {topic}, {name}", fontSize=10)
            row.append((bars + zero).properties(width=WIDTH, height=HEIGHT, title=title))
        panels.append(alt.hconcat(*row))
    everything: altair.VConcatChart = alt.vconcat(*panels)
    return everything


def _records(found: Why) -> list[dict[str, Any]]:
    records = []
    for reason in found.topics:
        for name, sides in zip(labels(found.metrics), reason.sides, strict=True):
            gaps: dict[int, float] = {}
            for sign, side in zip((1, -1), sides, strict=True):
                for step in side.steps:
                    gaps[step.rank] = gaps.get(step.rank, 0.0) + sign * step.value
            before = 0.0
            for rank in sorted(gaps):
                after = before + gaps[rank]
                favoured = found.run if gaps[rank] > 0 else found.other
                step_of = {"topic": reason.topic, "metric": name, "rank": rank, "for": favoured}
                records.append({**step_of, "before": before, "after": after})
                before = after
    return records
