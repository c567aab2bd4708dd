"""Joins of tables by id: how many ids of one table the other has, which every result says and no result hides."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from diveval.errors import InputError, count_of, quote, share_text, warn

LEAST = 0.5  # share of ids below which two tables are not about the same things
EXAMPLES = 3
SINGLE = (
    "recommended items",
    "users",
    "rated items",
    "items of the history",
)  # kinds that are looked up in tables of different contents


@dataclass(frozen=True)
class Match:
    """How many of the `kind` (users, recommended items, queries) have a row in `table`."""

    table: str
    kind: str
    matched: int
    total: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 1 if nothing was looked up."""
        return self.matched / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.table}: {self.matched:,} of {self.total:,} {self.kind} matched ({share_text(self.share)})"


def match(table: str, kind: str, wanted: Iterable[str], given: Collection[str], *, effect: str | None) -> Match:
    """Look up ids in a table: a warning if some are not there, an error if fewer than half are.

    Args:
        table: what is joined, as the user calls it.
        kind: what the ids stand for, in the plural.
        wanted: the ids that are looked up.
        given: the ids that the table has.
        effect: what happens to an id without a row, for the warning; None: the caller warns.
    """
    ids, has = list(dict.fromkeys(wanted)), given if isinstance(given, set | frozenset | dict) else set(given)
    lost = [name for name in ids if name not in has]
    found = Match(table, kind, len(ids) - len(lost), len(ids))
    if found.share < LEAST:
        raise InputError(
            "ids-unmatched",
            f"only {found.matched:,} of {count_of(found.total, 'id', 'ids')} of {kind} are in it: looked up {_list(lost)}, it has"
            f" {_list(sorted(has - set(ids) if isinstance(has, set | frozenset) else set(has) - set(ids)))}",
            hint="write the same ids in both tables",
            source=table,
        )
    if lost and effect is not None:
        warn("ids-partly-matched", f"{found}; {len(lost):,} without a row {effect} ({_list(lost)})")
    return found


def describe_matches(matches: Iterable[Match]) -> list[str]:
    """A line per kind of join, over all tables that were joined."""
    by_kind: dict[str, list[Match]] = {}
    for found in matches:
        by_kind.setdefault(found.kind, []).append(found)
    out: list[str] = []
    for kind, own in by_kind.items():
        if len(own) == 1 or kind in SINGLE:
            out += map(str, own)
            continue
        whole = Match("", kind, sum(one.matched for one in own), sum(one.total for one in own))
        worst = min(own, key=lambda one: one.share)
        least = "" if worst.share == 1.0 else f"; least: {worst.table}, {share_text(worst.share)}"
        out.append(
            f"{whole.matched:,} of {whole.total:,} {kind} matched in {len(own)} tables ({share_text(whole.share)}{least})"
        )
    return out


def _list(ids: list[str]) -> str:
    """A few ids, quoted, since blanks and leading zeros are what usually differs."""
    more = ["…"] if len(ids) > EXAMPLES else []
    return ", ".join([*map(quote, ids[:EXAMPLES]), *more]) or "nothing else"
