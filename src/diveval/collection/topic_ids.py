"""The error for a run whose topics are not those of the judgments: ids of both, and what may explain the difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from diveval.errors import InputError, preview, quote


def no_shared_topic(given: Sequence[str], judged: Collection[str], *, source: str) -> InputError:
    """The error for a run with the topics `given`, none of which is judged."""
    message = f"has no topic in common with the judgments: it has {preview(given)}, they have {preview(list(judged))}"
    hint = "are they for the same collection?"
    if prefix := find_prefix(given, judged):
        hint = f"its topics begin with {quote(prefix)}, those of the judgments do not: remove it"
    elif prefix := find_prefix(judged, given):
        hint = f"the judgments' topics begin with {quote(prefix)}, those of the run do not: add it"
    return InputError("no-shared-topic", message, hint=hint, source=source)


def find_prefix(longer: Collection[str], shorter: Collection[str]) -> str:
    """What all of the longer ids have before one of the shorter ids (`wt12-` in wt12-151 and 151); empty if nothing.

    At least half of the ids must fit, since 2001 and 1 have a common end by accident.
    """
    first, last, known = min(longer, default=""), max(longer, default=""), set(shorter)
    enough = max(1, min(len(longer), len(known)) / 2)
    prefixes = (first[:n] for n in range(1, len(first)) if last.startswith(first[:n]))  # of both, so of all between
    return next((p for p in prefixes if sum(one.removeprefix(p) in known for one in longer) >= enough), "")
