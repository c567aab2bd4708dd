"""Topics that two inputs share; if there are none, the error with ids of both and what may explain the difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from diveval.errors import InputError, count_of, preview, quote, warn


def no_shared_topic(
    given: Collection[str], known: Collection[str], *, source: str = "", others: str = "the judgments"
) -> InputError:
    """The error for an input with the topics `given`, none of which is among those of the others."""
    message = f"has no topic in common with {others}: {preview(list(given))} here, {preview(list(known))} there"
    hint = "are they for the same collection?"
    if prefix := find_prefix(given, known):
        hint = f"the topics here begin with {quote(prefix)}, those of {others} do not: remove it"
    elif prefix := find_prefix(known, given):
        hint = f"the topics of {others} begin with {quote(prefix)}, those here do not: add it"
    return InputError("no-shared-topic", message, hint=hint, source=source)


def find_shared(tables: Sequence[tuple[str, Collection[str]]]) -> list[str]:
    """The topics that all named tables have, in the order of the first; a warning says which others are left out."""
    (before, first), *rest = tables
    shared = list(first)
    for name, own in rest:
        known, wanted = shared, set(own)
        shared = [topic for topic in known if topic in wanted]
        if not shared:
            raise no_shared_topic(own, known, source=name, others=before)
        before += f" and {name}"
    kept = set(shared)
    left = [topic for topic in dict.fromkeys(topic for _, own in tables for topic in own) if topic not in kept]
    if left:
        names = preview([name for name, _ in tables])
        warn("topics-left-out", f"{count_of(len(left), 'topic')} not in all of {names}: left out ({preview(left)})")
    return shared


def find_prefix(longer: Collection[str], shorter: Collection[str]) -> str:
    """What all of the longer ids have before one of the shorter ids (`wt12-` in wt12-151 and 151); empty if nothing.

    At least half of the ids must fit, since 2001 and 1 have a common end by accident.
    """
    first, last, known = min(longer, default=""), max(longer, default=""), set(shorter)
    enough = max(1, min(len(longer), len(known)) / 2)
    prefixes = (first[:n] for n in range(1, len(first)) if last.startswith(first[:n]))  # of both, so of all between
    return next((p for p in prefixes if sum(one.removeprefix(p) in known for one in longer) >= enough), "")
