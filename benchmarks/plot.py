"""Plot time by number of lines, log-log, one line per tool: python benchmarks/plot.py RESULT.json OUTPUT-WITHOUT-ENDING"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import altair as alt

APART = 1.22  # the smallest ratio of heights at which two names do not overlap


def apart(heights: list[float]) -> list[float]:
    """Positions for names near these heights, without overlaps."""
    out, below = dict.fromkeys(range(len(heights)), 0.0), 0.0
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        out[i] = below = max(heights[i], below * APART)
    return list(out.values())


def main() -> None:
    facts, output = json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]
    best: dict[tuple[str, int], float] = {}
    for name, points in facts["series"].items():
        for point in points:
            key = name, point["lines"]
            best[key] = min(point["cpu"], best.get(key, point["cpu"]))
    rows = [{"tool": tool, "lines": lines, "cpu": cpu} for (tool, lines), cpu in best.items()]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("lines:Q", scale=alt.Scale(type="log", nice=False), title="lines read", axis=alt.Axis(format="~s")),
        y=alt.Y("cpu:Q", scale=alt.Scale(type="log", nice=False), title="CPU seconds, files to scores per topic"),
        color=alt.Color("tool:N", legend=None),
    )
    last = [max((row for row in rows if row["tool"] == tool), key=lambda row: row["lines"]) for tool in facts["series"]]
    last = [{**row, "cpu": cpu} for row, cpu in zip(last, apart([row["cpu"] for row in last]), strict=True)]
    names = (
        alt.Chart(alt.Data(values=last))
        .mark_text(align="left", dx=7)
        .encode(x="lines:Q", y="cpu:Q", text="tool:N", color=alt.Color("tool:N", legend=None))
    )
    chart = (base.mark_line() + base.mark_point(filled=True, size=45) + names).properties(width=620, height=380)
    chart.save(f"{output}.svg")
    chart.save(f"{output}.png", scale_factor=2)


if __name__ == "__main__":
    main()
