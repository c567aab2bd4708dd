"""The pairs of runs that `compare` compared, as values, sentences and text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from diveval.errors import count_of, level_text, printable, share_text
from diveval.metrics.names import labels, name_with_variant
from diveval.results.protocol import Result, deliver
from diveval.results.setup import JUDGED_DEPTH
from diveval.results.statements import Statement, plain_rows, words
from diveval.results.table_text import align, latex_escape, latex_lines, latex_table, number_text, p_text
from diveval.stats.ranks import write_ranks
from diveval.stats.tests import TESTS, Correction, describe_test

TOO_FEW = "fewer than two shared topics: not tested"


@dataclass(frozen=True)
class ComparisonRow:
    """One pair: `difference` is the mean of `run` minus that of `other` over the topics both count.

    `low` and `high` are the interval of `estimate` at the pair's own level α: the mean difference, the pseudomedian
    for wilcoxon or the median for sign. It excludes 0 exactly where the pair is significant.
    """

    run: str
    other: str
    difference: float | None
    effect: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool
    topics: int
    note: str | None = None
    estimate: float | None = None
    level: float | None = None

    @property
    def direction(self) -> int:
        """1 where `run` is higher by what the test is about, −1 where it is lower: a median may contradict the mean."""
        value = self.estimate or self.difference or 0.0
        return (value > 0) - (value < 0)


@dataclass(frozen=True)
class ComparedRun:
    """One run: its mean, `49/50` if any run lacks topics, the share of its first 20 documents that are judged.

    If all pairs were compared, also its letters and the ranks that it can have, given the pairs that differ.
    """

    run: str
    mean: float | None
    letters: str | None
    topics: str | None = None
    judged: float | None = None
    ranks: tuple[int, int] | None = None


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Pairs of runs compared on one metric, best runs first."""

    metric: str
    test: str
    correction: Correction
    confidence: float
    baseline: str | None
    resamples: int
    seed: int
    runs: tuple[ComparedRun, ...]
    rows: tuple[ComparisonRow, ...]
    notes: tuple[str, ...]

    effect_size: ClassVar[str] = "Cohen's d_z: mean of the paired differences over their standard deviation (n − 1)"
    reference: ClassVar[str] = (
        "M. D. Smucker, J. Allan, B. Carterette. A Comparison of Statistical Significance Tests for Information "
        "Retrieval Evaluation. CIKM 2007; T. Sakai. Evaluating Evaluation Metrics Based on the Bootstrap. SIGIR 2006; "
        "B. Carterette. Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments. "
        "TOIS 2012."
    )
    header: ClassVar[tuple[str, ...]] = tuple(ComparisonRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """The runs with their means, ranks and letters, then every pair."""
        resampled = f", {self.resamples:,} resamples, seed {self.seed}" if TESTS[self.test].resampled else ""
        lines = [
            *textwrap.wrap(f"{name_with_variant(self.metric)}: {describe_test(self.setup)}{resampled}", max(width, 40)),
            "",
        ]
        said = {statement.kind: statement.text for statement in self.state()}
        name = f"<{max(len('against'), *(len(printable(run.run)) for run in self.runs))}"  # one width in both tables
        hidden = "" if self.has_readable_letters else "letters"
        columns = [one for one in _RUN_COLUMNS if one.head != hidden and any(one.of(run) for run in self.runs)]
        runs = [["run", *(column.head for column in columns)]]
        runs += [[run.run, *(column.of(run) for column in columns)] for run in self.runs]
        lines += align(runs, [name, *(column.side for column in columns)])
        estimates = TESTS[self.test].estimates
        other = estimates != "difference"
        head = ["run", "against", "difference", *([estimates] if other else []), "interval", "effect", "p adj. ", ""]
        shown = [
            _print_row(row, estimate=other) for row in self.rows[: MOST_PAIRS if len(self.rows) > FEW_PAIRS else None]
        ]
        sides = [name, name, ">10", *([">"] if other else []), ">18", ">7", ">8", "<"]
        lines += ["", *fit_pairs(head, shown, sides, width), *count_more(len(self.rows) - len(shown))]
        text = said["pairs-that-differ"]
        if "intervals" in said:
            text += f" {ABOVE} significantly higher, {BELOW} lower; effect is Cohen's d_z. {said['intervals']}"
        below = [textwrap.wrap(part, max(width, 40)) for part in (text, said.get("few-judged", ""))]
        return "\n".join([*lines, "", *below[0], *below[1], ""])

    def to_latex(self, path: str | Path | None = None) -> str:
        """A table environment with the runs and their letters, and one with the pairs; also written to `path` if given."""
        lettered = self.baseline is None and self.has_readable_letters
        counted = bool(self.runs[0].topics)
        means = [
            [
                latex_escape(run.run),
                *([run.topics or ""] if counted else []),
                _format_signed(run.mean),
                *([run.letters or ""] if lettered else []),
            ]
            for run in self.runs
        ]
        level = "Interval"
        pairs = [
            [
                latex_escape(row.run),
                latex_escape(row.other),
                _format_signed(row.estimate),
                "--"
                if row.low is None or row.high is None
                else f"[{_format_signed(row.low)}, {_format_signed(row.high)}]",
                _format_signed(row.effect, 2),
                _p_value(row),
            ]
            for row in self.rows
        ]
        metric, test = latex_escape(labels([self.metric])[0]), latex_escape(describe_test(self.setup))
        marks = "; runs that share no letter differ significantly" if lettered else ""
        head = ["Run", *(["Topics"] if counted else []), "Mean", *(["Letters"] if lettered else [])]
        first = latex_table(
            f"Mean {metric} of {len(self.runs)} runs ({test}){marks}.",
            "means",
            latex_lines(head, means, "l" + "r" * (1 + counted) + "l" * lettered),
        )
        second = latex_table(
            f"Differences in {metric}: intervals, Cohen's $d_z$ and adjusted $p$, bold where significant ({test})."
            f" {latex_escape(self.explain_intervals())}",
            "differences",
            latex_lines(
                ["Run", "Against", TESTS[self.test].estimates.capitalize(), level, "$d_z$", "$p$"],
                pairs,
                "llrrrr",
            ),
        )
        return deliver(f"{first}\n{second}", path)

    @property
    def has_readable_letters(self) -> bool:
        """Whether the runs have letters that can be shown."""
        letters = [run.letters for run in self.runs]
        return None not in letters and are_readable(letters)

    def state(self) -> list[Statement]:
        """How many pairs differ and by which test, what the intervals are, and a caution about unjudged documents."""
        rows = plain_rows(self.rows)
        significant = sum(row.significant for row in self.rows)
        tested = sum(row.p is not None for row in self.rows)
        test = describe_test(self.setup)
        pairs = {
            "metric": self.metric,
            "significant": significant,
            "tested": tested,
            "pairs": len(self.rows),
            "test": test,
        }
        named = ("run", "other", "estimate", "low", "high", "level", "significant")
        ends = tuple({name: row[name] for name in named} for row in rows)
        simultaneous = TESTS[self.test].simultaneous
        of = TESTS[self.test].estimates
        shape = {"of": of, "confidence": self.confidence, "simultaneous": simultaneous, "correction": self.correction}
        caution = self.setup.judged_caution()
        out = [Statement("pairs-that-differ", pairs, rows)]
        if tested:
            out.append(Statement("intervals", shape, ends))
        return [*out, *([] if caution is None else [caution])]

    def explain_intervals(self) -> str:
        """What the intervals are of, at which level, and how they relate to the marks of significance."""
        return next((one.text for one in self.state() if one.kind == "intervals"), "")


def are_readable(letters: Iterable[str | None]) -> bool:
    """Whether each group of runs has a letter of its own: with more groups letters have numbers, which nobody reads."""
    return all(not text or text.isalpha() for text in letters)


ABOVE, BELOW = "†", "‡"  # significantly higher and lower than the run compared with; a star is for best values
MOST_PAIRS, FEW_PAIRS = 10, 12  # as text: all of a few pairs, else the first ones, of the best runs


def fit_pairs(head: list[str], rows: list[list[str]], sides: list[str], width: int) -> list[str]:
    """The table of pairs; where it is wider than `width`, the run that several pairs share is a line of its own."""
    lines = align([head, *rows], sides)
    if max(len(line.rstrip()) for line in lines) <= width:
        return lines
    if len({row[1] for row in rows}) == 1:  # one baseline
        return [f"against {rows[0][1]}", *align([[row[0], *row[2:]] for row in (head, *rows)], sides[1:])]
    indented = align([["  " + row[1], *row[2:]] for row in (head, *rows)], sides[1:])
    out, above = [indented[0]], None
    for row, line in zip(rows, indented[1:], strict=True):
        out += [*([row[0]] if row[0] != above else []), line]
        above = row[0]
    return out


def count_more(more: int) -> list[str]:
    """How many rows are not shown, and what shows them."""
    return [f"… {more:,} more: -f csv"] if more > 0 else []


@words("untested-pairs")
def _word_untested(pairs: int, of: int) -> str:
    return f"{pairs} of {of} pairs: {TOO_FEW}"


@words("topics-of-every-run")
def _word_complete(test: str, topics: int, of: int) -> str:
    return f"{test} uses the {topics} of {of} topics that every run counts"


@words("no-letters")
def _word_no_letters(runs: int) -> str:
    return f"the groups of the {runs} runs overlap in too many ways for significance letters"


@words("pairs-that-differ")
def _word_pairs(metric: str, significant: int, tested: int, pairs: int, test: str) -> str:
    metric = name_with_variant(metric)
    if not tested:
        return f"By {metric}, none of {count_of(pairs, 'pair')} of runs could be tested: {TOO_FEW.split(':', maxsplit=1)[0]}."
    untested = f" ({pairs - tested} more could not be tested)" if tested < pairs else ""
    return f"By {metric}, {significant} of {tested} pairs of runs differ significantly{untested} ({test})."


@words("intervals")
def _word_intervals(of: str, confidence: float, simultaneous: bool, correction: str) -> str:
    if simultaneous:
        return f"Intervals of the {of} are simultaneous, {level_text(confidence)}."
    level = "at the level of the test" if correction == "none" else "at each pair's own level in the correction"
    return f"Intervals of the {of} are {level}, not simultaneous: they exclude 0 exactly where a difference is significant."


class _RunColumn(NamedTuple):
    """A column of the table of runs, left out where it is empty for all of them."""

    head: str
    side: str
    of: Callable[[ComparedRun], str]


_RUN_COLUMNS = (
    _RunColumn("topics", ">", lambda run: run.topics or ""),
    _RunColumn(f"judged@{JUDGED_DEPTH}", ">", lambda run: "" if run.judged is None else share_text(run.judged)),
    _RunColumn("mean", ">8", lambda run: number_text(run.mean, missing="none")),
    _RunColumn("ranks", ">", lambda run: "" if run.ranks is None else write_ranks(*run.ranks)),
    _RunColumn("letters", "<", lambda run: run.letters or ""),
)


def _print_row(row: ComparisonRow, *, estimate: bool) -> list[str]:
    span = "" if row.low is None or row.high is None else f"[{row.low:+.4f}, {row.high:+.4f}]"
    sign = " " if not row.significant else ABOVE if row.direction > 0 else BELOW
    shown = [row.difference, *([row.estimate] if estimate else [])]
    numbers = [number_text(value, missing="none", sign=True) for value in shown]
    effect, p = number_text(row.effect, 2, missing="none"), p_text(row.p_adjusted, missing="none")
    return [row.run, row.other, *numbers, span, effect, p + sign, row.note or ""]


def _p_value(row: ComparisonRow) -> str:
    """The adjusted p, bold where it is significant."""
    text = p_text(row.p_adjusted, missing="--").replace("<", "$<$")
    return rf"\textbf{{{text}}}" if row.significant else text


def _format_signed(value: float | None, digits: int = 4) -> str:
    """A number with LaTeX's minus sign."""
    return "--" if value is None else number_text(value, digits).replace("-", "$-$")
