"""A choice of metrics for a terminal and as Markdown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from diveval.choosing.needs import NEEDS, TASKS
from diveval.metrics.names import labels
from diveval.table_text import aligned, markdown_lines, share_text

if TYPE_CHECKING:
    from diveval.choosing.choose import Choice, MetricChoice
    from diveval.choosing.conflicts import Conflict

MOST_CONFLICTS = 3


def text(choice: Choice, width: int = 80) -> str:
    """Recommendation first, then the evidence."""

    def wrapped(line: str, indent: str = "  ") -> list[str]:
        # A percent sign stays with its number: wrapped as one word, then parted again.
        whole = line.replace(" %", "\u00a0%")
        found = textwrap.wrap(whole, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        return [part.replace("\u00a0%", " %") for part in found]

    lines = ["Report"]
    for i, item in enumerate(choice.recommended, 1):
        lines += wrapped(f"  {i}. {item.metric}: {item.reason}", "     ")
    for note in choice.against:
        lines += ["", *wrapped(f"Against: {note}", "")]
    lines += ["", *[part for line in _asked(choice) for part in wrapped(line)], ""]
    head, rows = _table(choice)
    lines += aligned([head, *rows], "<" + ">" * (len(head) - 2) + "<")
    for line in _agreed(choice):
        lines += ["", *wrapped(line, "  ")]
    lines += ["", "For the paper (-f md adds the BibTeX entries):"]
    lines += textwrap.indent(choice.paragraph, "  ").rstrip().split("\n")
    return "\n".join(lines) + "\n"


def markdown(choice: Choice) -> str:
    """The same as a page, with the references."""
    lines = ["# Which metrics to report", ""]
    lines += [f"{i}. **{item.metric}**: {item.reason}" for i, item in enumerate(choice.recommended, 1)]
    lines += ["", *(f"Against: {note}\n" for note in choice.against), "## What matters here", ""]
    lines += [f"* {line}" for line in _asked(choice)]
    head, rows = _table(choice)
    lines += ["", "## How the metrics behave", "", *markdown_lines(head, rows, "l" + "r" * (len(head) - 2) + "l")]
    lines += ["", *(f"{line}\n" for line in _agreed(choice))]
    lines += ["## For the paper", "", "```latex", choice.paragraph.rstrip(), "```", ""]
    lines += ["```bibtex", choice.bibtex.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _asked(choice: Choice) -> list[str]:
    task = f"Task {choice.task}: {TASKS[choice.task].says}." if choice.task else "No task given."
    needs = "; ".join(f"{NEEDS[word].says} ({word})" if word in NEEDS else f"satisfy {word}" for word in choice.needs)
    lines = [task, f"A metric must {needs}.", f"Axioms ({choice.reading} reading): {', '.join(choice.axioms)}."]
    if choice.observed:
        lines.append(f"In {choice.runs} runs and {choice.topics} topics: {'; '.join(choice.observed)}.")
    return lines


def _table(choice: Choice) -> tuple[list[str], list[list[str]]]:
    head = ["metric", "axioms", *(["violated", "power", "unanimity"] if choice.runs else []), "not satisfied"]
    names = labels([candidate.metric for candidate in choice.candidates])
    return head, [_row(choice, candidate, name) for candidate, name in zip(choice.candidates, names, strict=True)]


def _row(choice: Choice, candidate: MetricChoice, name: str) -> list[str]:
    count = "–" if candidate.satisfied is None else f"{len(candidate.satisfied)}/{len(choice.axioms)}"
    measured = (
        [share_text(candidate.violated), share_text(candidate.power), _number(candidate.mu)] if choice.runs else []
    )
    lacking = [*(candidate.unsatisfied or ()), *(f"{axiom}?" for axiom in candidate.undecided)]
    return [name, count, *measured, " ".join(lacking) or "–"]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _agreed(choice: Choice) -> list[str]:
    found = choice.agreement
    if found is None:
        return []
    lines = [
        f"{found.agreed} of {found.pairs} pairs of runs are ordered alike by all {len(choice.candidates)} metrics;"
        f" {found.pairs - found.agreed} depend on the choice."
    ]
    return [*lines, *(_conflict(conflict) for conflict in found.conflicts[:MOST_CONFLICTS])]


def _conflict(conflict: Conflict) -> str:
    for_run, for_other = labels(conflict.prefers_run), labels(conflict.prefers_other)
    first, second = labels([conflict.first, conflict.second])
    return (
        f"{conflict.run} is above {conflict.other} by {', '.join(for_run)}; below by {', '.join(for_other)}. Topic"
        f" {conflict.topic} shows it: {first} {conflict.first_values[0]:.3f} and {conflict.first_values[1]:.3f},"
        f" {second} {conflict.second_values[0]:.3f} and {conflict.second_values[1]:.3f} (diveval why)."
    )
