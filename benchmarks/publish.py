"""Write what the benchmark found last into its table, its chart and the pages that quote it.

    python benchmarks/publish.py            # after each `make bench`

A page has a block for each group of figures: everything between `<!-- bench: NAME -->` and `<!-- end of bench -->` is
written by this program from benchmarks/results/bench.json, and a test compares both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from measure import HERE
from session import HEADER, Row, Section, number, read_results

ROOT = HERE.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "scale.md"]
BLOCK = re.compile(r"(<!-- bench: (\w+) -->\n).*?(<!-- end of bench -->)", re.DOTALL)
TITLES = {
    "start": "Start",
    "jobs": "Commands, beside 2.0.0",
    "many_topics": "Many small topics",
    "long_lists": "Fifteen million lines",
    "recommenders": "Recommendation lists",
    "in_memory": "Shapes in memory",
    "measures": "Every measure of ir_measures",
    "agreement": "The same numbers",
    "parquet": "Parquet",
    "growth": "Growth: CPU seconds at 1, 2, 4 and 8 times the work",
    "spark": "Spark, `local[2]`",
    "suite": "Tests",
}
QUERIES_A_DAY, ROWS_OF_A_QUERY = 1e9, 200  # two systems with 100 documents each
BAR, LINE, LEFT = 360, 26, 330  # of the chart, in pixels

Results = Mapping[str, Section]


def table(rows: Sequence[Row]) -> list[str]:
    lines = ["| " + " | ".join(HEADER) + " |", "|---|---:|---:|---:|---:|---|"]
    return [*lines, *("| " + " | ".join(row.cells()) + " |" for row in rows)]


def _origins(results: Results, names: Sequence[str]) -> list[str]:
    """A sentence for each date and machine, with the loads at the start of its sections."""
    loads: dict[tuple[str, str], list[float]] = {}
    for facts in (results[name].facts for name in names if name in results):
        loads.setdefault((facts["date"], facts["machine"]), []).append(facts["load"])
    spans = {place: sorted({min(listed), max(listed)}) for place, listed in loads.items()}
    return [
        f"Measured on {date}: {machine}, load {' to '.join(f'{load:g}' for load in span)} at the start."
        for (date, machine), span in spans.items()
    ]


def whole_table(results: Results) -> str:
    """Every row of every section, with date and machine, and what could not be measured."""
    out = [
        "Written by `make bench`. CPU seconds of whole processes, start-up included, the least of some rounds, unless the job"
        " says otherwise. `≥` and `≤ …×` are ratios to what was measured beside it in the same run.",
    ]
    for name, section in results.items():
        out += ["", f"## {TITLES[name]}", *_origins(results, [name]), "", *table(section.rows)]
        out += ["", *(f"Not measured: {reason}" for reason in section.lacks)] if section.lacks else []
    return "\n".join([*out, ""])


# --- blocks of pages --------------------------------------------------------------------------------------------------


def races(results: Results) -> list[Row]:
    """The rows of README: all that is compared with other tools."""
    chosen = ("many_topics", "long_lists", "measures", "recommenders")
    rows = (row for name in chosen if name in results for row in results[name].rows)
    return [row for row in rows if row.rule == "faster" and row.peer != "2.0.0"]


def _speed(results: Results) -> Iterator[str]:
    rows = races(results)
    if not rows:
        yield "No result yet: `make bench` measures it."
        return
    yield "![CPU seconds of diveval and of its peers](benchmarks/results/bench.svg)"
    yield ""
    yield "| job | CPU s | beside | ratio |"
    yield "|---|---:|---:|---:|"
    for row in rows:
        job, found, beside, ratio, *_ = row.cells()
        yield f"| {job} | {found.split()[0]} | {beside} | {ratio} |"
    yield ""
    judged = [row for section in results.values() for row in section.rows if row.judged]
    met = sum(row.passes for row in judged)
    yield f"{met} of {len(judged)} targets are met ([all rows](benchmarks/results/bench.md))."
    yield from _origins(results, ["many_topics", "long_lists", "measures", "recommenders"])


def _of(*names: str) -> Callable[[Results], Iterator[str]]:
    def block(results: Results) -> Iterator[str]:
        found = [name for name in names if name in results and results[name].rows]
        yield from _origins(results, found) or ["No result yet: `make bench BENCH=full` measures it."]
        if found:
            yield ""
            yield from table([row for name in found for row in results[name].rows])

    return block


def _day(results: Results) -> Iterator[str]:
    """What a billion queries a day cost at the rate of the parquet row."""
    rows = results["parquet"].rows if "parquet" in results else []
    found = next((row for row in rows if row.unit == "CPU s"), None)
    million = float(found.job.split()[0]) if found else 0.0
    if found is None or not million:
        yield "No result yet: `make bench BENCH=full` measures it."
        return
    seconds = found.found / (million * 1e6 / ROWS_OF_A_QUERY) * QUERIES_A_DAY
    yield "| | per day | |"
    yield "|---|---|---|"
    cores = math.ceil(seconds / 86_400)
    hours = seconds / 3600
    yield f"| processor | {number(seconds)} core seconds = {number(hours)} core hours | {cores} cores, day and night |"
    yield f"| at 0.04 dollars per core hour | {number(0.04 * hours)} dollars | |"
    yield "| rows | 200 billion of runs, 48 billion of judgments | 1.6 TB + 0.2 TB of parquet |"
    each = seconds / (QUERIES_A_DAY * ROWS_OF_A_QUERY / 1e6)
    yield f"| shards | 200,000 of a million rows | 8,300 an hour, 5,000 queries and {number(each)} s each |"
    yield "| shuffle | 4 TB, at the 16 bytes per row that Spark wrote for this data | 46 MB per second on average |"
    yield "| scores | 10 billion | 73 GB |"


BLOCKS: dict[str, Callable[[Results], Iterator[str]]] = {
    "speed": _speed,
    "parquet": _of("parquet", "in_memory"),
    "spark": _of("spark"),
    "growth": _of("growth"),
    "day": _day,
}


def render(page: str, results: Results) -> str:
    """A page with its blocks as the results say."""
    return BLOCK.sub(lambda block: block[1] + "\n".join(BLOCKS[block[2]](results)) + "\n" + block[3], page)


# --- the chart --------------------------------------------------------------------------------------------------------


def chart(rows: Sequence[Row]) -> str:
    """Two bars for each job, on a logarithmic scale."""
    least = min(min(row.found, row.theirs) for row in rows) / 2
    most = max(max(row.found, row.theirs) for row in rows)

    def width(value: float) -> int:
        return round(BAR * math.log(value / least) / math.log(most / least))

    out, y = [], 20
    for row in rows:
        out.append(f'<text x="{LEFT - 8}" y="{y + 17}" text-anchor="end">{escape(row.job)}</text>')
        for shade, name, value in (("#1f6f8b", "diveval", row.found), ("#b8b8b8", row.peer, row.theirs)):
            out.append(f'<rect x="{LEFT}" y="{y}" width="{width(value)}" height="11" fill="{shade}"/>')
            out.append(f'<text x="{LEFT + width(value) + 5}" y="{y + 10}">{escape(name)} {number(value)} s</text>')
            y += 13
        y += LINE - 16
    style = "text{font:11px sans-serif;fill:#333}"
    frame = f'viewBox="0 0 {LEFT + BAR + 160} {y}" role="img" aria-label="CPU seconds of diveval and of its peers"'
    page = f'<rect width="100%" height="100%" fill="#fff"/>{"".join(out)}'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame}><style>{style}</style>{page}</svg>\n'


def main() -> None:
    results = read_results()
    for page in PAGES:
        page.write_text(render(page.read_text(encoding="utf-8"), results), encoding="utf-8")
    _write(HERE / "results" / "bench.md", whole_table(results))
    if rows := races(results):
        _write(HERE / "results" / "bench.svg", chart(rows))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
