"""`diveval.gate`: does a candidate make it worse? Outcomes with exit codes, for a script, a pull request or a test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from xml.sax.saxutils import quoteattr

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.defaults import CONFIDENCE, HEADLINE
from diveval.errors import (
    DivevalError,
    InputError,
    UsageError,
    capture_warnings,
    count_of,
    level_text,
    preview,
    printable,
    warn,
)
from diveval.judging.baselines import StoredBaseline, read_stored, store_baseline
from diveval.judging.gate_rows import GateRow, Outcome, gate_rows
from diveval.judging.judged_runs import Material, load_material
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.reading.slices import SlicesLike, as_slices
from diveval.results.protocol import Result, deliver
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.statements import Statement, words
from diveval.settings import Options
from diveval.stats.ties import require_fraction, require_variances

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

    from diveval.settings import Settings

Unclear = Literal["unclear", "pass", "fail"]
EXIT = {"pass": 0, "fail": 1, "broken": 2, "unclear": 3}
BREAKING = ("missing-topics", "no-judged-document")  # warnings of a scoring that make a candidate incomparable


class GateError(DivevalError, AssertionError):
    """A gate that did not pass."""


@dataclass(frozen=True)
class Fault:
    """Why a candidate cannot be compared: a code and a message."""

    run: str
    code: str
    message: str


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The outcome of a gate: `pass`, `fail`, `unclear` or `broken`, with a row per candidate, metric and slice."""

    outcome: Outcome
    baseline: str
    candidates: tuple[str, ...]
    confidence: float
    unclear: Unclear
    rows: tuple[GateRow, ...]
    faults: tuple[Fault, ...] = ()

    header: ClassVar[tuple[str, ...]] = tuple(GateRow.__dataclass_fields__)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 broken, 3 unclear; an unclear outcome counts as `unclear=` says."""
        counts = self.unclear if self.outcome == "unclear" else self.outcome
        return EXIT[counts]

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    def raise_for_status(self) -> None:
        """Raise an error unless the gate passed."""
        if not self.passed:
            if self.outcome == "broken":
                raise GateError("gate-broken", self.summary())
            if self.outcome == "fail":
                raise GateError("gate-failed", self.summary())
            raise GateError("gate-unclear", self.summary())

    def summary(self) -> str:
        """The outcome and what decided it, in one line."""
        if self.faults:
            return f"broken: {self.faults[0].message}"
        return self.statements[0].text

    def to_text(self, width: int = 80) -> str:
        """The outcome, the table, and why a candidate is broken."""
        lines = [f"{self.summary()} (baseline {self.baseline}, {level_text(self.confidence)} intervals)", ""]
        lines += [f"{fault.run}: {fault.code}: {fault.message}" for fault in self.faults]
        return "\n".join([*lines, self.display().text(width)] if self.rows else [*lines, ""])

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The outcome and the table, for a pull request; also written to `path` if given."""
        lines = [f"**{self.outcome}**: {printable(self.summary())}", ""]
        lines += [f"- `{fault.code}`: {printable(fault.message)}" for fault in self.faults]
        return deliver("\n".join([*lines, self.display().markdown()]), path)

    def to_junit(self, path: str | Path | None = None) -> str:
        """JUnit XML: a test case per row; also written to `path` if given."""
        return deliver(_junit(self), path)


def _junit(result: Gate) -> str:
    cases, failures, errors, skipped = [], 0, 0, 0
    for fault in result.faults:
        errors += 1
        cases.append(
            _case(fault.run, "broken", f"<error type={_attribute(fault.code)} message={_attribute(fault.message)}/>")
        )
    for row in result.rows:
        outcome = result.unclear if row.outcome == "unclear" else row.outcome
        facts = f"difference {row.difference}, interval {row.low} to {row.high}, margin {row.margin}"
        inside = ""
        if outcome == "fail":
            failures, inside = failures + 1, f"<failure type={_attribute(row.outcome)} message={_attribute(facts)}/>"
        elif outcome == "unclear":
            skipped, inside = skipped + 1, f"<skipped message={_attribute('unclear: ' + facts)}/>"
        cases.append(_case(row.run, f"{row.metric} on {row.slice}", inside))
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    body = "\n".join(cases)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name="diveval gate" {counts}>\n{body}\n</testsuite>\n</testsuites>\n'


def _case(run: str, name: str, inside: str) -> str:
    return f"<testcase classname={_attribute(run)} name={_attribute(name)}>{inside}</testcase>"


def _attribute(text: str) -> str:
    """A quoted attribute; characters that XML does not allow are escaped first."""
    return quoteattr(printable(text))


@takes_settings
def gate(
    judgments: JudgmentsLike | None,
    baseline: RunsLike,
    candidates: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    margin: float | Mapping[str, float],
    require: Mapping[str, float] | None = None,
    slices: SlicesLike | None = None,
    trials: bool = False,
    unclear: Unclear = "unclear",
    confidence: float = CONFIDENCE,
    save_baseline: str | PathLike[str] | None = None,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Gate:
    """Decide whether candidates are worse than a baseline by more than a margin.

    A row passes if the lower end of the interval of candidate − baseline is at least −margin, and fails if the candidate
    is worse by more than the margin (t-test, Holm over metrics × slices); else it is unclear, with the number of topics
    that would decide it. Differences are negated where lower values are better.

    Args:
        judgments: whatever `diveval.evaluate` takes; of answers, files that all runs share: nuggets and texts.
        baseline: a run (of answers, a file of labels), or a file written with `save_baseline`.
        candidates: one run or more; each has to pass.
        metrics: each has to pass.
        margin: how much worse a candidate may be, a number or `{metric: number}`, where the name "" stands for all others.
        require: improvements that the candidate must show over all topics, `{metric: number}`.
        slices: groups of topics that have to pass too: `{topic: group}`, or a file, or `file:column`.
        trials: the candidates (and baselines) are trials of one system: their mean per topic is compared, and what whole
            trials share widens the interval.
        unclear: how an unclear outcome counts: `unclear`, `pass` or `fail`.
        confidence: of the intervals.
        save_baseline: write the baseline's scores and setup to this file.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    require_fraction("confidence", confidence)
    if unclear not in ("unclear", "pass", "fail"):
        raise UsageError("invalid-choice", f"unclear counts as unclear, pass or fail, got {unclear!r}")
    stored = read_stored(baseline)
    material = load_material(judgments, candidates if stored is not None else baseline, metrics, options, weights)
    base = None if stored is not None else material.score(baseline)
    if base is not None and len(base.runs) > 1 and not trials:
        raise UsageError("wrong-number-of-runs", f"a gate has one baseline, got {len(base.runs)}", hint="trials=True")
    if save_baseline is not None:
        if base is None:
            raise UsageError("conflicting-options", "the baseline is a stored one already")
        store_baseline(save_baseline, average_runs(base), material.digest)
    names = material.metrics
    margins = _by_metric(margin, names, "margin", least=0.0)
    if missing := [name for name in names if name not in margins]:
        raise UsageError("missing-argument", f"no margin for {preview(missing)}")
    wanted = _by_metric(require or {}, names, "require")
    groups = as_slices(slices, material.topics)
    scores, faults = _score_candidates(material, candidates)
    if scores is not None and stored is not None:
        faults += _differences(stored, scores, material)
        base = stored.scores()
    about = {"baseline": base.runs[0] if base is not None else stored.run if stored is not None else ""}
    if scores is None or base is None or faults:
        names_shown = tuple(dict.fromkeys(fault.run for fault in faults))
        setup = scores.setup if scores is not None else Setup()
        return Gate("broken", about["baseline"], names_shown, confidence, unclear, (), tuple(faults), setup=setup)
    for table in (base, scores):
        require_variances(table)
    sides = _sides(scores, trials)
    rows = tuple(
        row for name, side in sides for row in gate_rows(name, base, side, margins, wanted, groups, confidence)
    )
    setup = replace(scores.setup, test="t", correction="holm", confidence=confidence, family=len(rows) // len(sides))
    whole = _whole(rows)
    return Gate(
        whole, about["baseline"], tuple(name for name, _ in sides), confidence, unclear, rows, setup=setup,
        statements=(_state(whole, rows),),
    )  # fmt: skip


def _state(outcome: Outcome, rows: Sequence[GateRow]) -> Statement:
    """The outcome, how many rows have each, and the first row that decided it."""
    counts = {one: sum(row.outcome == one for row in rows) for one in ("pass", "fail", "unclear")}
    deciding = next((row for row in rows if row.outcome == outcome != "pass"), None)
    own = None if deciding is None else asdict(deciding)
    return Statement(
        "gate", {"outcome": outcome, "counts": counts, "deciding": own}, tuple(asdict(row) for row in rows)
    )


@words("gate")
def _word_gate(outcome: Outcome, counts: Mapping[str, int], deciding: Mapping[str, Any] | None) -> str:
    listed = ", ".join(f"{count} {what}" for what, count in counts.items())
    what = "" if deciding is None else f"; {deciding['metric']} on {deciding['slice']}"
    if deciding is not None and deciding["difference"] is not None:
        what += f" by {deciding['difference']:+.4f}, margin {deciding['margin']:g}"
    if deciding is not None and deciding["topics_needed"]:
        what += f": {deciding['topics_needed']:,} topics would decide it"
    return f"{outcome}: {count_of(sum(counts.values()), 'row')}: {listed}{what}"


def average_runs(scores: Scores) -> Scores:
    """The mean of all runs per topic, as one run; a topic counts if it counts in all."""
    if len(scores.runs) == 1:
        return scores
    return Scores.of(
        scores.values.mean(axis=0, keepdims=True),
        runs=scores.runs[:1],
        metrics=scores.metrics,
        topics=scores.topics,
        counted=np.logical_and.reduce(scores.counted, axis=0, keepdims=True),
        best=scores.best,
        setup=scores.setup,
    )


def _sides(scores: Scores, trials: bool) -> list[tuple[str, Scores]]:
    """What is compared with the baseline: each candidate, or all of them as trials of one."""
    if trials:
        return [(scores.runs[0], scores)]
    return [(run, scores.select(runs=[run])) for run in scores.runs]


def _whole(rows: Sequence[GateRow]) -> Outcome:
    found = {row.outcome for row in rows}
    return "fail" if "fail" in found else "pass" if found == {"pass"} else "unclear"


def _score_candidates(material: Material, candidates: RunsLike) -> tuple[Scores | None, list[Fault]]:
    """Scores of the candidates, and what makes them incomparable; other warnings are issued as usual."""
    with capture_warnings() as notes:
        try:
            scores: Scores | None = material.score(candidates)
            faults = []
        except InputError as error:
            scores, faults = None, [Fault(error.source or "candidate", error.code, str(error))]
    for note in notes:
        if note.code in BREAKING:
            faults.append(Fault(str(note).split(": ", maxsplit=1)[0], note.code, str(note)))
        else:
            warn(note.code, note.message)
    return scores, faults


def _differences(stored: StoredBaseline, scores: Scores, material: Material) -> list[Fault]:
    """What a stored baseline was scored with and this candidate was not."""
    found = [
        InputError("different-baseline", f"the baseline was scored with other {what}")
        for what in stored.list_differences(scores.setup, material.digest, scores.metrics)
    ]
    return [Fault("candidate", error.code, error.message) for error in found]


def _by_metric(
    given: float | Mapping[str, float], names: Sequence[str], what: str, least: float = -math.inf
) -> dict[str, float]:
    """A number for each metric; a metric may be named by any of its spellings."""
    if not isinstance(given, Mapping):
        given = dict.fromkeys(names, given)
    elif "" in given:  # of every metric without a number of its own
        given = {**dict.fromkeys(names, given[""]), **{name: value for name, value in given.items() if name}}
    empty = np.zeros((0, len(names), 0))
    table = Scores.of(empty, runs=[], metrics=names, topics=[])
    out = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
            raise UsageError(
                "out-of-range",
                f"{what} of {name} must be a finite number of at least {max(least, -1e308):g}, got {value}",
            )
        out[names[table.metric_index(name)]] = float(value)
    return out
