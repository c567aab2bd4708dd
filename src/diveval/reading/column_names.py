"""Columns of tables by the names that people give them: those of a list of spellings, or those that the caller maps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from diveval.errors import InputError, UsageError, quote


class ColumnNames:
    """Our columns with their spellings, and the caller's mapping of them to the names in the tables.

    Each name that the caller maps must occur in at least one table, which `check` requires.
    """

    def __init__(self, spellings: Mapping[str, Sequence[str]], given: Mapping[str, str] | None = None) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise UsageError("wrong-type", f"columns maps our names to yours, got {quote(given)}")
        self.spellings, self.given = spellings, dict(given or {})
        unknown = [what for what in self.given if what not in spellings]
        if unknown:
            raise UsageError("unknown-column", f"columns names {', '.join(spellings)}, got {quote(unknown[0])}")
        self.unmet = set(self.given)

    def look_up(self, own: Sequence[str], wanted: Collection[str]) -> dict[str, str]:
        """A table's names for the wanted ones of our columns: the mapped name if it has it, else one of the spellings."""
        found = {}
        plain = {str(name).partition(":")[0]: name for name in reversed(own)} if _is_recbole(own) else {}
        lower = {"_".join(str(name).lower().split()): name for name in reversed(own)}
        for what in wanted:
            usual = self.spellings[what]
            asked = self.given.get(what)
            names = [name for name in (asked, *usual) if name in own]
            names += [names_of[name] for name in usual for names_of in (plain, lower) if name in names_of]
            if names:
                found[what] = str(names[0])
                self.unmet -= {what} if names[0] == asked else set()
        return found

    def find(self, own: Sequence[str], needed: Sequence[str], optional: Sequence[str]) -> dict[str, str]:
        """The columns that are asked for; a needed one that the table lacks is an error."""
        found = self.look_up(own, (*needed, *optional))
        for what in needed:
            if what not in found:
                raise InputError(
                    "missing-column",
                    f"the frame has no {what} column: expected one of {', '.join(self.spellings[what][:3])}, got"
                    f" {', '.join(own)}",
                    hint=f"name it with columns={{'{what}': …}}",
                )
        return found

    def check(self) -> None:
        """Raise an error for a name that no table has, which would otherwise be ignored."""
        for what in sorted(self.unmet):
            raise UsageError(
                "unknown-column", f"columns maps {what} to {self.given[what]!r}, but no table has that column"
            )


def strip_types(names: Sequence[str]) -> list[str]:
    """Headers without the types that RecBole writes."""
    return [name.partition(":")[0] for name in names] if _is_recbole(names) else list(names)


def _is_recbole(names: Sequence[str]) -> bool:
    """Whether every header names its type, as RecBole writes `user_id:token`."""
    types = ("token", "float", "token_seq", "float_seq")
    return bool(names) and all(str(name).partition(":")[2] in types for name in names)
