"""Reasons as text and as a chart: the deciding topics, what earns the difference rank by rank, and the axiom."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from diveval.axioms.specification.readings import CHARITABLE
from diveval.errors import UsageError, count_of, need, printable, share_text
from diveval.metrics.names import labels
from diveval.results.statements import Statement, words
from diveval.results.table_text import align

if TYPE_CHECKING:
    import altair

    from diveval.analysis.waterfall import WaterfallStep
    from diveval.analysis.why import AxiomReason, RunShare, TopicReason, Why

MOST_RANKS = 6


def text(found: Why, width: int = 80) -> str:
    """The answer in a sentence, then its evidence."""
    names = labels(found.metrics)
    lines = _wrap(state_preference(found).text, width)
    mark, other_mark = ("", "") if found.held is None else (f" ({held})" for held in found.held)
    heads = ["mean", f"A  {found.run}{mark}", f"B  {found.other}{other_mark}", "topics A>B, A=B, A<B"]
    counts = [f"{above}, {equal}, {below}" for above, equal, below in found.wins]
    rows = [names, *([f"{pair[i]:.4f}" for pair in found.means] for i in (0, 1)), counts]
    lines += ["", *align(([head, *row] for head, row in zip(heads, rows, strict=True)), ["<", *[">12"] * len(names)])]
    for reason in found.topics:
        lines += ["", *_topic(reason, state_share(found, reason).text, names, width)]
    if found.axiom is not None:
        for statement in state_axiom(found.axiom):
            lines += ["", *_wrap(statement.text, width)]
        lines += [f"The smallest pair of rankings on which {labels([found.axiom.failed_by])[0]} fails:"]
        lines += found.axiom.example.split("\n")
    elif found.note:
        lines += ["", *_wrap(f"Axioms: {found.note}.".replace("..", "."), width)]
    return printable("\n".join(line.rstrip() for line in lines), keep="\n") + "\n"


def _wrap(text: str, width: int) -> list[str]:
    """Lines that do not break names of runs at their hyphens."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def state(found: Why) -> tuple[Statement, ...]:
    """Every sentence of the answer."""
    shares = (state_share(found, reason) for reason in found.topics)
    return (state_preference(found), *shares, *(() if found.axiom is None else state_axiom(found.axiom)))


def state_preference(found: Why) -> Statement:
    """Which run each metric prefers by its mean."""
    names = labels(found.metrics)
    preferred = [{1: found.run, -1: found.other, 0: None}[sign] for sign in found.prefers]
    pairs = zip(found.metrics, found.means, found.wins, strict=True)
    rows = [
        {"metric": metric, found.run: a, found.other: b, "above": up, "equal": same, "below": down}
        for metric, (a, b), (up, same, down) in pairs
    ]
    topics = max(map(sum, found.wins))
    fewer = {"topics": topics} if topics < (found.setup.topics or 0) else {}
    return Statement("preference", {"metrics": names, "preferred": preferred, **fewer}, tuple(rows))


@words("preference")
def _word_preference(metrics: Sequence[str], preferred: Sequence[str | None], topics: int | None = None) -> str:
    said = [f"prefers {run}" if run else "finds them equal" for run in preferred]
    over = "" if topics is None else f", by means over the {count_of(topics, 'topic')} that count for both"
    if len(metrics) == 1:
        return f"{metrics[0]} {said[0]}{over}."
    if preferred[0] == preferred[1]:
        return f"Both metrics prefer {preferred[0]}{over}." if preferred[0] else f"Both metrics find them equal{over}."
    joint = ", " if None not in preferred else "; "
    return f"{metrics[0]} {said[0]}{joint}{metrics[1]} {said[1]}{over}."


def state_share(found: Why, reason: TopicReason) -> Statement:
    """How much of the difference, or of the gap between two metrics, one topic makes."""
    rows = [
        {"metric": metric, found.run: a.score, found.other: b.score, "difference": a.score - b.score}
        for metric, (a, b) in zip(found.metrics, reason.sides, strict=True)
    ]
    facts = {"topic": reason.topic, "query": reason.query, "share": reason.share, "metrics": len(found.metrics)}
    return Statement("topic-share", facts, tuple(rows))


@words("topic-share")
def _word_share(topic: str, query: str | None, share: float, metrics: int) -> str:
    what = "the gap between the metrics" if metrics == 2 else "the difference"
    return f"Topic {topic}{f' ({query})' if query else ''}: {share_text(share)} of {what}"


def _topic(reason: TopicReason, headline: str, names: list[str], width: int) -> list[str]:
    lines = [headline]
    for aspect, meaning in reason.aspects.items():
        lines += textwrap.wrap(f"aspect {aspect}: {meaning}", width, initial_indent="  ", subsequent_indent="    ")
    for name, (first, second) in zip(names, reason.sides, strict=True):
        lines.append(f"  {name}: A {first.score:.4f}, B {second.score:.4f}, A − B {first.score - second.score:+.4f}")
        lines += _ranks(first, second, width)
    shown = sorted({rank for first, second in reason.sides for rank in _largest_gaps(_gaps(first, second))})
    documents = [_documents([pair[i] for pair in reason.sides]) for i in (0, 1)]
    lines += _list_documents(shown, documents, width)
    for document in dict.fromkeys(
        side[rank] for rank in shown for side in documents if side.get(rank) in reason.titles
    ):
        lines += textwrap.wrap(
            f"{document}: {reason.titles[document]}", width, initial_indent="  ", subsequent_indent="    "
        )
    return lines


def _ranks(first: RunShare, second: RunShare, width: int) -> list[str]:
    """The ranks that separate the lists most, in order, with what each list earns there and the difference so far."""
    ours, theirs = _by_rank(first.steps), _by_rank(second.steps)
    gaps = _gaps(first, second)
    shown = _largest_gaps(gaps)
    room = max((width - 37) // 2, 16)
    lines = ["    rank  " + "A earns".ljust(room + 8) + "  " + "B earns".ljust(room + 8) + "  so far"] if shown else []
    for rank in shown:
        so_far = sum(gap for at, gap in gaps.items() if at <= rank)
        cells = [_cell(steps.get(rank, []), room) for steps in (ours, theirs)]
        lines.append(f"    {rank:>4}  {cells[0]}  {cells[1]}  {so_far:+.4f}")
    rest = sum(gap for rank, gap in gaps.items() if rank not in shown)
    if len(gaps) > len(shown):
        lines.append(f"    all other ranks together: {rest:+.4f}")
    return lines


def _gaps(first: RunShare, second: RunShare) -> dict[int, float]:
    ours, theirs = _by_rank(first.steps), _by_rank(second.steps)
    return {rank: _total(ours.get(rank, [])) - _total(theirs.get(rank, [])) for rank in {*ours, *theirs}}


def _largest_gaps(gaps: dict[int, float]) -> list[int]:
    return sorted(sorted(gaps, key=lambda rank: -abs(gaps[rank]))[:MOST_RANKS])


def _documents(sides: list[RunShare]) -> dict[int, str]:
    """By rank, the documents of one run that earn something under any of the metrics."""
    return {step.rank: step.document for side in sides for step in side.steps if step.document and step.aspect}


def _list_documents(ranks: list[int], documents: list[dict[int, str]], width: int) -> list[str]:
    """The documents at the ranks above, side by side, or on lines of their own where their ids are too long."""
    rows = [[f"{rank}", *(side.get(rank, "–") for side in documents)] for rank in ranks]
    rows = [row for row in rows if row[1:] != ["–", "–"]]
    if not rows:
        return []
    lines = align([["rank", "document of A", "document of B"], *rows], [">4", "<", "<"])
    if max(map(len, lines)) + 4 > width:
        lines = [f"{rank:>4}  {name} {text}" for rank, *pair in rows for name, text in zip("AB", pair, strict=True)]
    return [f"    {line}".rstrip() for line in lines]


def _by_rank(steps: tuple[WaterfallStep, ...]) -> dict[int, list[WaterfallStep]]:
    out: dict[int, list[WaterfallStep]] = {}
    for step in steps:
        out.setdefault(step.rank, []).append(step)
    return out


def _total(steps: list[WaterfallStep]) -> float:
    return sum(step.value for step in steps)


def _cell(steps: list[WaterfallStep], room: int) -> str:
    """What a rank earns: in all and by aspect (`aspect:value`), or the effort of what is not relevant."""
    if not steps:
        return "–".ljust(room + 8)
    only = steps[0]
    text = "effort" if only.last == only.rank else f"effort to rank {only.last}"
    earned = [f"{step.aspect}:{step.value:.3f}".replace("0.", ".", 1) for step in steps if step.aspect is not None]
    if earned:
        text = " ".join(earned)
        while len(text) > room and len(earned) > 1:  # drop whole aspects: a number cut in half would mislead
            earned.pop()
            text = " ".join([*earned, "…"])
    return f"{_total(steps):+.4f} {text}".ljust(room + 8)


def state_axiom(reason: AxiomReason) -> list[Statement]:
    """The axiom that one metric satisfies and the other does not, and how often it matters in these two runs."""
    good, bad = labels([reason.satisfied_by, reason.failed_by])
    facts = {
        "axiom": reason.axiom, "title": reason.title, "why": reason.why, "satisfied_by": good, "failed_by": bad,
        "cause": reason.cause, "reading": CHARITABLE.name,
    }  # fmt: skip
    out = [Statement("axiom-between", facts, ({"counterexample": reason.example},))]
    if reason.situations:
        counts = {"situations": reason.situations, "within": reason.within, "violations": reason.violations}
        row = {"axiom": reason.axiom, "metric": reason.failed_by, **counts}
        out.append(Statement("axiom-situations", {**counts, "failed_by": bad}, (row,)))
    return out


@words("axiom-between")
def _word_axiom(axiom: str, title: str, why: str, satisfied_by: str, failed_by: str, cause: bool, reading: str) -> str:
    """A cause is named only where removing it changes the order; else the axiom is a difference among others."""
    role = (
        f"The axiom that separates them (with effort 0, {satisfied_by} orders the runs as the other metric does)"
        if cause
        else "One difference between them is an axiom"
    )
    return f"{role}: {title} ({axiom}): {why}. {satisfied_by} satisfies it, {failed_by} does not ({reading} reading)."


@words("axiom-situations")
def _word_situations(situations: int, within: int, violations: int, failed_by: str) -> str:
    times = "once" if situations == 1 else f"{situations:,} times"
    of = "it" if situations == 1 else f"{violations:,} of them" if violations else "all of them"
    verb = "does not reward" if violations else "rewards"
    some = "is" if within == 1 else "are"
    inside = "It is" if within == situations == 1 else f"{within:,} of {situations:,} {some}" if within else "None is"
    return (
        f"In these two runs the situation occurs {times}, and {failed_by} {verb} {of}."
        f" {inside} within the axiom's premises."
    )


WIDTH, HEIGHT = 200, 110


def chart(found: Why) -> altair.VConcatChart:
    """A waterfall per topic and metric: bars from the difference before a rank to the difference after it."""
    alt = need("altair", "report")
    records = _records(found)
    if not records:
        raise UsageError("nothing-to-show", "there is nothing to draw: the runs do not differ on any topic")
    colours = alt.Scale(domain=[found.run, found.other], range=["#222222", "#b0b0b0"])
    panels = []
    for topic in dict.fromkeys(record["topic"] for record in records):
        row = []
        for place, name in enumerate(labels(found.metrics)):
            # Every panel has its own data: Vega-Lite does not apply a filter of a layered chart to data of its layers.
            own = [record for record in records if record["topic"] == topic and record["metric"] == name]
            bars = (
                alt.Chart({"values": own})
                .mark_bar()
                .encode(
                    x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0, labelFontSize=8, labelOverlap=True)),
                    y=alt.Y("before:Q", title=None if place else "difference"),
                    y2="after:Q",
                    color=alt.Color("for:N", title="in favour of", scale=colours),
                )
            )
            zero = alt.Chart({"values": [{}]}).mark_rule(color="#888888").encode(y=alt.datum(0))
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
