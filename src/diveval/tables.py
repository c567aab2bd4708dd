"""Scores as text: CSV, TSV, JSON, LaTeX, and a table that fits a terminal."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diveval.files import write_atomically
from diveval.scores import MEAN, Scores


def deliver(text: str, path: str | Path | None) -> str:
    """Hand the text back, and write it if a path is given."""
    if path is not None:
        write_atomically(path, text)
    return text


def csv_text(scores: Scores, *, per_topic: bool, separator: str = ",") -> str:
    """`run,metric,topic,value`, full doubles, the mean under the topic `all`."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(["run", "metric", "topic", "value"])
    for run, metric, topic, value in scores.rows(per_topic=per_topic):
        writer.writerow([run, metric, topic, repr(value)])
    return stream.getvalue()


def json_text(scores: Scores, *, per_topic: bool) -> str:
    """One object; numbers that a tool's own rule made NaN are null, since JSON has none."""
    shape: dict[str, object] = {
        "runs": list(scores.runs), "metrics": list(scores.metrics), "topics": list(scores.topics),
        "mean": {run: {m: _plain(v) for m, v in row.items()} for run, row in scores.mean().items()},
    }  # fmt: skip
    if per_topic:
        shape["per_topic"] = {
            run: {m: {t: _plain(v) for t, v in scores.per_topic(run, m).items()} for m in scores.metrics}
            for run in scores.runs
        }
    if scores.notes:
        shape["notes"] = list(scores.notes)
    return json.dumps(shape, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


_LATEX = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "α": r"$\alpha$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
}  # fmt: skip


def _number(value: float) -> str:
    """Four decimals; a number that would fill the line is written with its power of ten."""
    return f"{value:.4f}" if not abs(value) >= 1e12 else f"{value:.4e}"


def latex_escape(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in text)


def latex_text(scores: Scores) -> str:
    """A booktabs table of the means, the best of each column in bold."""
    means = scores.means
    best = _best(scores, means)
    lines = [r"\begin{tabular}{l" + "r" * len(scores.metrics) + "}", r"\toprule"]
    lines.append(" & ".join(["Run", *map(latex_escape, scores.metrics)]) + r" \\")
    lines.append(r"\midrule")
    for r, run in enumerate(scores.runs):
        cells = [rf"\textbf{{{_number(v)}}}" if best[r, m] else _number(v) for m, v in enumerate(means[r])]
        lines.append(" & ".join([latex_escape(run), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def html_text(scores: Scores, *, most: int = 50) -> str:
    """The means as HTML for a notebook, the best of each column in bold; a long table is cut."""
    best = _best(scores, scores.means)
    rows = []
    for r, (run, values) in enumerate(zip(scores.runs[:most], scores.means, strict=False)):
        shown = [f"<b>{_number(value)}</b>" if best[r, m] else _number(value) for m, value in enumerate(values)]
        rows.append([html.escape(run), *shown])
    more = f"<p>… and {len(scores.runs) - most} more runs</p>" if len(scores.runs) > most else ""
    return html_table(["run", *scores.metrics], rows, caption=f"Means over {len(scores.topics)} topics") + more


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str) -> str:
    """A table that inherits its page's look. Header and caption are plain text, cells are HTML already."""
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in header)
    lines = [f"<table><caption>{html.escape(caption)}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for first, *cells in rows:
        lines.append(f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def _best(scores: Scores, means: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a column has its highest value; nothing is best in a column of one row, of equals, or of residuals."""
    rounded = np.round(means, 4)
    top = rounded.max(axis=0, initial=-np.inf)
    judged = np.array([not metric.endswith("+residual") for metric in scores.metrics])
    return np.asarray((rounded == top) & (rounded.min(axis=0, initial=np.inf) < top) & judged)


def terminal_text(scores: Scores, *, per_topic: bool = False, width: int = 80) -> str:
    """Runs as rows, metrics as columns, in as many blocks as the width asks for; `*` marks the best of a column."""
    rows = _terminal_rows(scores, per_topic)
    label = min(max(3, *(len(name) for name, _, _ in rows)), max(width // 3, 12))
    blocks, start = [], 0
    columns = [_heading(metric) for metric in scores.metrics]
    while start < len(columns):
        end, used = start, label
        while end < len(columns) and (end == start or used + 2 + _column_width(columns[end]) <= width):
            used += 2 + _column_width(columns[end])
            end += 1
        blocks.append(_block(rows, columns[start:end], slice(start, end), label))
        start = end
    return "\n".join(blocks)


def _terminal_rows(scores: Scores, per_topic: bool) -> list[tuple[str, list[float], list[bool]]]:
    means = scores.means
    best = _best(scores, means)
    rows = []
    for r, run in enumerate(scores.runs):
        if per_topic:
            for t, topic in enumerate(scores.topics):
                if scores.counted[r, :, t].any():
                    values = scores.values[r, :, t].tolist()
                    rows.append((f"{_clean(run)} {_clean(topic)}", values, [False] * len(values)))
        rows.append((f"{_clean(run)} {MEAN}" if per_topic else _clean(run), means[r].tolist(), best[r].tolist()))
    return rows


def _clean(text: str) -> str:
    """Without control characters, which could move a terminal's cursor."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", text)


def _heading(metric: str) -> list[str]:
    """A metric's name over at most three lines: name, parameters, cutoff."""
    shape = re.fullmatch(r"(?P<name>[^()@+]+)(?P<parameters>\([^()]*\))?(?P<cutoff>@\d+)?(?P<rest>\+residual)?", metric)
    if shape is None:
        return [metric[:20]]
    name = shape["name"] + (shape["cutoff"] or "")
    return [part for part in (name, (shape["parameters"] or "").strip("()"), shape["rest"] or "") if part]


def _column_width(heading: list[str]) -> int:
    return max(8, *(len(line) for line in heading))


def _block(rows: list[tuple[str, list[float], list[bool]]], columns: list[list[str]], part: slice, label: int) -> str:
    height = max(len(column) for column in columns)
    lines = []
    for h in range(height):
        cells = [(column[h] if h < len(column) else "").rjust(_column_width(column)) for column in columns]
        lines.append("  ".join([("run" if h == 0 else "").ljust(label), *cells]).rstrip())
    lines.append("-" * len(max(lines, key=len)))
    for name, values, best in rows:
        shown = name if len(name) <= label else name[: label - 1] + "…"
        cells = [
            (_number(value) + ("*" if top else " ")).rjust(_column_width(column))
            for value, top, column in zip(values[part], best[part], columns, strict=True)
        ]
        lines.append("  ".join([shown.ljust(label), *cells]).rstrip())
    return "\n".join(lines) + "\n"
