"""Functions whose results contain scores, or differences of scores, of a hostile collection."""

from __future__ import annotations

import contextlib
import csv
import io
from pathlib import Path
from typing import Any

import diveval
from diveval.setting_table import TABLE
from support.hostile import Hostile
from support.ways_to_a_number import MEAN, Numbers, Way, judged_table, run_table, write_texts


def _given(drawn: Hostile) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Judgments, runs and options."""
    return (
        judged_table(drawn),
        {name: run_table(drawn, name) for name in drawn.runs},
        {"weights": drawn.weights, **drawn.settings},
    )


def lost(drawn: Hostile, folder: Path) -> Numbers:
    judged, runs, options = _given(drawn)
    out: Numbers = {}
    for run, other in (("A", "B"), ("B", "A")):
        pair = ({run: runs[run]}, {other: runs[other]})
        found = diveval.losses(judged, *pair, drawn.metrics[-1], **options)
        for row in found.rows:
            out[run, found.metric, row.topic] = row.score
            out[other, found.metric, row.topic] = row.other_score
    return out


def gated(drawn: Hostile, folder: Path) -> Numbers | str:
    """Where the gate is broken, the code of the first fault of a file."""
    judged, runs, options = _given(drawn)
    pair = ({"A": runs["A"]}, {"B": runs["B"]})
    found = diveval.gate(judged, *pair, list(drawn.metrics), margin=0.1, **options)
    if found.faults:
        return next(
            (fault.code for fault in found.faults if fault.code not in ("missing-topics", "no-judged-document")), {}
        )
    topics = {row[0] for row in drawn.judged}
    rows = [row for row in found.rows if row.topics == len(topics) and row.baseline is not None]
    return {("A", row.metric, MEAN): row.baseline or 0.0 for row in rows} | {
        ("B", row.metric, MEAN): row.candidate or 0.0 for row in rows
    }


def audited(drawn: Hostile, folder: Path) -> Numbers:
    judged, runs, options = _given(drawn)
    rows = diveval.audit_pool(judged, runs, list(drawn.metrics), **options).rows
    return {(row.run, row.metric, MEAN): row.score for row in rows if row.score is not None}


def estimated(drawn: Hostile, folder: Path) -> Numbers:
    """The means by the labels of people, where the model has the same labels."""
    judged, runs, options = _given(drawn)
    found = diveval.judges(judged, judged, runs, list(drawn.metrics), resamples=1000, **options)
    own = [row for row in found.rows if not row.against and row.estimator == "people" and row.estimate is not None]
    return {(row.run, row.metric, MEAN): row.estimate or 0.0 for row in own}


def by_a_panel(drawn: Hostile, folder: Path) -> Numbers:
    """The differences under two judges with the same labels."""
    judged, runs, options = _given(drawn)
    found = diveval.panel([judged, judged], runs, list(drawn.metrics), resamples=1000, **options)
    rows = [row for row in found.rows if row.topics == found.topics]
    return {(f"{row.run} - {row.other}", row.metric, MEAN): row.difference for row in rows}


def compared(drawn: Hostile, folder: Path) -> Numbers:
    judged, runs, options = _given(drawn)
    scores = diveval.evaluate(judged, runs, list(drawn.metrics), **options)
    out = {}
    for metric in scores.metrics:
        for row in diveval.compare(scores, metric).rows:
            if row.topics == len(scores.topics) and row.difference is not None:
                out[f"{row.run} - {row.other}", metric, MEAN] = row.difference
    return out


def published(drawn: Hostile, folder: Path) -> Numbers:
    """The means in the table of a results section."""
    judged, runs, options = _given(drawn)
    diveval.paper(judged, runs, folder / "paper", metrics=list(drawn.metrics), figures=False, **options)
    rows = csv.DictReader((folder / "paper" / "table.csv").read_text(encoding="utf-8").splitlines())
    return {(row["run"], row["metric"], MEAN): float(row["mean"]) for row in rows if row["mean"]}


def tuned(drawn: Hostile, folder: Path) -> Numbers:
    """The largest mean of RBU at the setting of a study, if the metric is drawn too."""
    judged, runs, options = _given(drawn)
    name = "RBU(p=0.9,e=0.02)@3"
    (row,) = diveval.tune_effort(judged, runs, p=[0.9], e=[0.02], cutoff=3, **options).rows
    return {("the best", name, MEAN): row.best} if name in drawn.metrics else {}


def at_the_command_line(drawn: Hostile, folder: Path) -> Numbers | str | None:
    """Every value that `diveval evaluate` prints, with each option as its flag."""
    from diveval.cli import main

    qrels, runs = write_texts(drawn, folder)
    flags: list[Any] = [part for metric in drawn.metrics for part in ("-m", metric)]
    if drawn.weights is not None:
        lines = "".join(f"{t} {a} {w!r}\n" for (t, a), w in drawn.weights.items())
        (folder / "weights").write_text(lines, encoding="utf-8")
        flags += ["--weights", folder / "weights"]
    for name, value in drawn.settings.items():
        if name == "efforts":
            if not value.costs:
                return None  # a file of costs has at least one
            (folder / "costs").write_text("".join(f"{d} {c!r}\n" for d, c in value.costs.items()), encoding="utf-8")
            flags += ["--effort-file", folder / "costs", "--effort-unit", value.unit, "--effort-default", value.default]
        elif TABLE[name].kind == "bool":
            flags += [TABLE[name].flag] if value != TABLE[name].default else []
        elif value is not None:
            flags += [TABLE[name].flag, value]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        failed = main([str(word) for word in ("evaluate", qrels, *runs, "--per-topic", "-f", "csv", *flags)])
    if failed:
        return err.getvalue().partition("error[")[2].partition("]")[0]
    rows = csv.DictReader(io.StringIO(out.getvalue()))
    return {
        (row["run"], row["metric"], MEAN if row["topic"] == "all" else row["topic"]): float(row["value"])
        for row in rows
    }


# Refusals of statistics, where a score exists.
STATISTICS = ("too-few-topics", "undefined-value", "out-of-range", "no-counted-topic")
MORE: dict[str, Way] = {
    "losses": lost,
    "gate": gated,
    "audit_pool": audited,
    "judges": estimated,
    "panel": by_a_panel,
    "compare": compared,
    "paper": published,
    "tune_effort": tuned,
    "command line": at_the_command_line,
}
