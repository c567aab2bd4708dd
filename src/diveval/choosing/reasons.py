"""Reasons for a terminal: the topics that decide, rank by rank what earns the difference, and the axiom."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from diveval.errors import printable
from diveval.metrics.labels import labels
from diveval.table_text import aligned

if TYPE_CHECKING:
    from diveval.choosing.waterfall import WaterfallStep
    from diveval.choosing.why import AxiomReason, RunShare, TopicReason, Why

MOST_RANKS = 6


def text(found: Why, width: int = 80) -> str:
    """The answer in a sentence, then its evidence."""
    names = labels(found.metrics)
    lines = textwrap.wrap(_headline(found, names), width)
    mark, other_mark = ("", "") if found.held is None else (f" ({held})" for held in found.held)
    heads = ["mean", f"A  {found.run}{mark}", f"B  {found.other}{other_mark}", "topics A>B, A=B, A<B"]
    counts = [f"{above}, {equal}, {below}" for above, equal, below in found.wins]
    rows = [names, *([f"{pair[i]:.4f}" for pair in found.means] for i in (0, 1)), counts]
    lines += ["", *aligned(([head, *row] for head, row in zip(heads, rows, strict=True)), ["<", *[">12"] * len(names)])]
    for reason in found.topics:
        lines += ["", *_topic(reason, found, names, width)]
    if found.axiom is not None:
        lines += ["", *_axiom(found.axiom, width)]
    elif found.note:
        lines += ["", *textwrap.wrap(f"Axioms: {found.note}.".replace("..", "."), width)]
    return printable("\n".join(line.rstrip() for line in lines), keep="\n") + "\n"


def _headline(found: Why, names: list[str]) -> str:
    preferred = [found.run if a > b else found.other if b > a else None for a, b in found.means]
    if len(names) == 1:
        return f"{names[0]} prefers {preferred[0]}." if preferred[0] else f"{names[0]} finds them equal."
    if found.disagree:
        return f"{names[0]} prefers {preferred[0]}, {names[1]} prefers {preferred[1]}."
    if preferred[0] == preferred[1]:
        return f"Both metrics prefer {preferred[0]}." if preferred[0] else "Both metrics find them equal."
    said = [f"prefers {run}" if run else "finds them equal" for run in preferred]
    return f"{names[0]} {said[0]}; {names[1]} {said[1]}."


def _topic(reason: TopicReason, found: Why, names: list[str], width: int) -> list[str]:
    what = "the disagreement" if len(names) == 2 else "the difference"
    query = f" ({reason.query})" if reason.query else ""
    lines = [f"Topic {reason.topic}{query}: {reason.share:.0%} of {what}".replace("%", " %")]
    for aspect, said in reason.aspects.items():
        lines += textwrap.wrap(f"aspect {aspect}: {said}", width, initial_indent="  ", subsequent_indent="    ")
    for name, (first, second) in zip(names, reason.sides, strict=True):
        lines.append(f"  {name}: A {first.score:.4f}, B {second.score:.4f}, A − B {first.score - second.score:+.4f}")
        lines += _ranks(first, second, width)
    steps = sorted({(s.rank, s.document) for pair in reason.sides for side in pair for s in side.steps if s.document})
    for document in dict.fromkeys(document for _, document in steps if document in reason.titles):
        lines += textwrap.wrap(
            f"{document}: {reason.titles[document]}", width, initial_indent="  ", subsequent_indent="    "
        )
    return lines


def _ranks(first: RunShare, second: RunShare, width: int) -> list[str]:
    """The ranks that separate the lists most, in order, with what each list earns there and the difference so far."""
    ours, theirs = _by_rank(first.steps), _by_rank(second.steps)
    gaps = {rank: _total(ours.get(rank, [])) - _total(theirs.get(rank, [])) for rank in {*ours, *theirs}}
    shown = sorted(sorted(gaps, key=lambda rank: -abs(gaps[rank]))[:MOST_RANKS])
    room = max((width - 34) // 2, 16)
    lines = ["    rank  " + "A earns".ljust(room + 8) + "  " + "B earns".ljust(room + 8) + "  so far"] if shown else []
    for rank in shown:
        so_far = sum(gap for at, gap in gaps.items() if at <= rank)
        cells = [_cell(steps.get(rank, []), room) for steps in (ours, theirs)]
        lines.append(f"    {rank:>4}  {cells[0]}  {cells[1]}  {so_far:+.4f}")
    rest = sum(gap for rank, gap in gaps.items() if rank not in shown)
    if len(gaps) > len(shown):
        lines.append(f"    all other ranks together: {rest:+.4f}")
    return lines


def _by_rank(steps: tuple[WaterfallStep, ...]) -> dict[int, list[WaterfallStep]]:
    out: dict[int, list[WaterfallStep]] = {}
    for step in steps:
        out.setdefault(step.rank, []).append(step)
    return out


def _total(steps: list[WaterfallStep]) -> float:
    return sum(step.value for step in steps)


def _cell(steps: list[WaterfallStep], room: int) -> str:
    """What stands at a rank: its aspects with what each earns, or the effort of what is not relevant."""
    if not steps:
        return "–".ljust(room + 8)
    aspects = [f"{step.aspect} {step.value:+.3f}" for step in steps if step.aspect is not None]
    only = steps[0]
    said = " ".join(aspects) if aspects else "effort" if only.last == only.rank else f"effort to rank {only.last}"
    said = said if len(said) <= room else said[: room - 1] + "…"
    return f"{_total(steps):+.4f} {said}".ljust(room + 8)


def _axiom(reason: AxiomReason, width: int) -> list[str]:
    good, bad = labels([reason.satisfied_by, reason.failed_by])
    lines = textwrap.wrap(
        f"What tells them apart: {reason.title} ({reason.axiom}): {reason.why}. {good} satisfies it, {bad} does not"
        " (charitable reading).",
        width,
    )
    if reason.situations:
        lines += textwrap.wrap(
            f"In these two runs the situation occurs {reason.situations:,} times; {bad} does not reward"
            f" {reason.violations:,} of them.",
            width,
        )
    return [*lines, f"The smallest pair of rankings on which {bad} fails:", *reason.example.split("\n")]
