"""What `choose` answers: the metrics with their evidence, the recommended ones, as text and as a page."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from diveval.analysis.evidence import OrderedPairs
from diveval.analysis.needs import NEEDS, TASKS
from diveval.axioms.presentation.matrix import Matrix, read_as
from diveval.errors import count_of, share_text
from diveval.metrics.names import labels, name_with_variant
from diveval.results.protocol import Result, deliver
from diveval.results.statements import Statement, words
from diveval.results.table_text import TextTable, fold, number_text
from diveval.stats.tests import describe_test


@dataclass(frozen=True)
class MetricChoice:
    """A metric with the evidence for and against it here; None for evidence that is not available."""

    metric: str
    satisfied: tuple[str, ...] | None  # of the axioms that are needed
    unsatisfied: tuple[str, ...] | None
    undecided: tuple[str, ...]
    partly: tuple[str, ...] = ()  # that hold for some grades or parameters only, or whose proof does not apply here
    mu: float | None = None
    power: float | None = None
    violated: float | None = None  # share of the situations within the premises of the needed axioms
    situations: int = 0
    found: int = 0  # situations also outside the premises
    unrewarded: int = 0  # of those
    uncovered: tuple[str, ...] = ()  # of `partly`, those that no grade fails: their proof leaves out a relevance of 1


@dataclass(frozen=True)
class Recommendation:
    """A metric to report, and the reason."""

    metric: str
    reason: str
    statement: Statement


@dataclass(frozen=True, repr=False)
class Choice(Result):
    """What was asked, what fits, and the evidence."""

    task: str | None
    needs: tuple[str, ...]
    axioms: tuple[str, ...]
    reading: str
    observed: tuple[Statement, ...]
    recommended: tuple[Recommendation, ...]
    candidates: tuple[MetricChoice, ...]
    agreement: OrderedPairs | None
    runs: int
    topics: int
    paragraph: str
    bibtex: str
    against: tuple[str, ...]
    verdicts: tuple[Statement, ...] = ()  # of the recommended metrics, where they depend on the grades
    given_up: tuple[Statement, ...] = ()  # which of the axioms exclude each other, if that was asked

    header: ClassVar[tuple[str, ...]] = tuple(MetricChoice.__dataclass_fields__)
    reference: ClassVar[str] = Matrix.reference

    def records(self) -> list[dict[str, Any]]:
        """The candidates, best first."""
        return [asdict(candidate) for candidate in self.candidates]

    def display(self) -> TextTable:
        """The candidates: axioms, behaviour on the runs, and what is not satisfied."""
        head, rows = _table(self)
        return TextTable(head, rows, "l" + "r" * (len(head) - 2) + "l", caption="Which metrics to report")

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The answer as a page; also written to `path` if given."""
        return deliver(markdown(self), path)

    def to_text(self, width: int = 80) -> str:
        """Recommendation first, then the evidence."""
        return text(self, width)


MOST_CONFLICTS = 3
LAST_COLUMN = (
    "not satisfied: axioms that fail; ◐ those that fail for some grades only, or whose proof does not cover all of them;"
    " ? those not decided."
)


def text(choice: Choice, width: int = 80) -> str:
    """Recommendation first, then the evidence."""

    def wrap(line: str, indent: str = "  ") -> list[str]:
        # A percent sign stays on the line of its number: the blank between them is replaced while wrapping.
        whole = line.replace(" %", "\u00a0%")
        parts = textwrap.wrap(whole, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        return [part.replace("\u00a0%", " %") for part in parts]

    lines = ["Report"]
    for i, item in enumerate(choice.recommended, 1):
        lines += wrap(f"  {i}. {name_with_variant(item.metric)}: {item.reason}", "     ")
    for note in choice.against:
        lines += ["", *wrap(f"Against: {note}", "")]
    lines += ["", *[part for line in _describe_task(choice) for part in wrap(line)], ""]
    lines += fold(choice.display().text(), width).splitlines()
    if any(one.partly or one.undecided for one in choice.candidates):
        lines += ["", *wrap(LAST_COLUMN, "  ")]
    for statement in [*describe_columns(choice), *describe_agreement(choice)]:
        lines += ["", *wrap(statement.text, "  ")]
    lines += ["", "For the paper (-f md adds the BibTeX entries):"]
    lines += textwrap.indent(choice.paragraph, "  ").rstrip().split("\n")
    return "\n".join(lines) + "\n"


def markdown(choice: Choice) -> str:
    """The same as a page, with the references."""
    lines = ["# Which metrics to report", ""]
    lines += [
        f"{i}. **{name_with_variant(item.metric)}**: {item.reason}" for i, item in enumerate(choice.recommended, 1)
    ]
    lines += ["", *(f"Against: {note}\n" for note in choice.against), "## What matters here", ""]
    lines += [f"* {line}" for line in _describe_task(choice)]
    lines += ["", "## How the metrics behave", "", choice.display().markdown()]
    lines += ["", *(f"{line}\n" for line in [*describe_columns(choice), *describe_agreement(choice)])]
    lines += ["## For the paper", "", "```latex", choice.paragraph.rstrip(), "```", ""]
    lines += ["```bibtex", choice.bibtex.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _describe_task(choice: Choice) -> list[str]:
    task = f"Task {choice.task}: {TASKS[choice.task].says}." if choice.task else "No task given."
    needs = "; ".join(f"{NEEDS[word].says} ({word})" if word in NEEDS else f"satisfy {word}" for word in choice.needs)
    lines = [task, f"A metric must {needs}.", f"Axioms, {read_as(choice.reading)}: {', '.join(choice.axioms)}."]
    if choice.observed:
        lines.append(f"In {choice.runs} runs and {choice.topics} topics: {'; '.join(map(str, choice.observed))}.")
    return [*lines, *(f"{statement}." for statement in choice.verdicts), *map(str, choice.given_up)]


def _table(choice: Choice) -> tuple[list[str], list[list[str]]]:
    head = ["metric", "axioms", *(["violated", "of all", "power", "unanimity"] if choice.runs else []), "not satisfied"]
    names = labels([candidate.metric for candidate in choice.candidates])
    return head, [_row(choice, candidate, name) for candidate, name in zip(choice.candidates, names, strict=True)]


def _row(choice: Choice, candidate: MetricChoice, name: str) -> list[str]:
    count = "–" if candidate.satisfied is None else f"{len(candidate.satisfied)}/{len(choice.axioms)}"
    mu = number_text(candidate.mu, 3)
    every = candidate.unrewarded / candidate.found if candidate.found else None
    shares = [share_text(share) for share in (candidate.violated, every, candidate.power)]
    lacking = [*(candidate.unsatisfied or ()), *(f"{axiom}◐" for axiom in candidate.partly)]
    lacking += [f"{axiom}?" for axiom in candidate.undecided]
    none = bool(lacking) and len(candidate.unsatisfied or ()) == len(choice.axioms)
    return [name, count, *([*shares, mu] if choice.runs else []), "all" if none else " ".join(lacking) or "–"]


def describe_columns(choice: Choice) -> list[Statement]:
    """What the measures of the table are: unanimity depends on the metrics that it is computed with."""
    if not choice.runs:
        return []
    pairs = choice.runs * (choice.runs - 1) // 2
    facts = {"pairs": pairs, "others": len(choice.candidates) - 1, "test": describe_test(choice.setup)}
    rows = [
        {"metric": one.metric, "power": one.power, "unanimity": one.mu, "situations": one.found}
        for one in choice.candidates
    ]
    if any(row["situations"] for row in rows) and not all(row["situations"] for row in rows):
        named = labels([one.metric for one in choice.candidates])
        facts["uncounted"] = [name for name, row in zip(named, rows, strict=True) if not row["situations"]]
    return [Statement("choice-columns", facts, tuple(rows))]


@words("choice-columns")
def _word_columns(pairs: int, others: int, test: str, uncounted: Sequence[str] = ()) -> str:
    many = "the other metric" if others == 1 else f"the other {others} metrics"
    own = "whose tool chooses relevant documents or orders lists in its own way"
    left_out = f"; not counted for {', '.join(uncounted)}, {own}" if uncounted else ""
    return (
        f"violated: share of the situations within the premises{left_out}; power: share of the {count_of(pairs, 'pair')} of runs that"
        f" differ significantly ({test}); unanimity: with {many} of this table."
    )


def describe_agreement(choice: Choice) -> list[Statement]:
    pairs = choice.agreement
    if pairs is None:
        return []
    facts = {"pairs": pairs.pairs, "agreed": pairs.agreed, "metrics": len(choice.candidates)}
    shown = pairs.conflicts[:MOST_CONFLICTS]
    conflicts = [
        Statement("conflict", asdict(one), tuple(row for row in pairs.means if row["run"] in (one.run, one.other)))
        for one in shown
    ]
    return [Statement("pairs-in-agreement", facts, pairs.means), *conflicts]


@words("pairs-in-agreement")
def _word_pairs(pairs: int, agreed: int, metrics: int) -> str:
    if agreed == pairs:
        return f"No two of the {metrics} metrics order any two runs in opposite ways ({count_of(pairs, 'pair')})."
    return (
        f"{agreed} of {count_of(pairs, 'pair')} of runs {'is' if agreed == 1 else 'are'} ordered in opposite ways by no two of"
        f" the {metrics} metrics; {pairs - agreed} {'depends' if pairs - agreed == 1 else 'depend'} on the choice."
    )


@words("conflict")
def _word_conflict(
    run: str,
    other: str,
    prefers_run: Sequence[str],
    prefers_other: Sequence[str],
    first: str,
    second: str,
    topic: str | None,
    first_values: tuple[float, float] | None,
    second_values: tuple[float, float] | None,
) -> str:
    short = dict(zip([*prefers_run, *prefers_other], labels([*prefers_run, *prefers_other]), strict=True))
    above, below = (", ".join(short[name] for name in named) for named in (prefers_run, prefers_other))
    text = f"{run} is above {other} by {above}; below by {below}."
    if topic is None or first_values is None or second_values is None:
        return text
    one, two = short[first], short[second]
    values = [
        f"{name} {high:.{digits}f} and {low:.{digits}f}"
        for name, (high, low) in ((one, first_values), (two, second_values))
        for digits in [digits_apart(high, low)]
    ]
    return f"{text} Topic {topic} shows it: {', '.join(values)} (diveval why)."


def digits_apart(one: float, two: float) -> int:
    """Three decimals, or as many as show that two numbers differ."""
    return next((digits for digits in range(3, 17) if f"{one:.{digits}f}" != f"{two:.{digits}f}"), 3)
