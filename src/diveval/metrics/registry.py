"""Metrics by name. Every catalogue is a registry, so spellings, suggestions and errors follow one rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from diveval.errors import UsageError, quote, suggestion
from diveval.metrics.metric import GREEK


class Named(Protocol):
    """An entry of a catalogue."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


E = TypeVar("E", bound=Named)


def simplify_name(name: str) -> str:
    """A spelling in lower case, without hyphens, underscores, white space and Greek letters."""
    for letter, word in GREEK.items():
        name = name.replace(letter, word)
    return re.sub(r"[-_\s]", "", name).lower()


@dataclass(frozen=True, eq=False)
class Registry(Generic[E]):
    """The entries of one catalogue, loaded when the first name is looked up."""

    load: Callable[[], Iterable[E]]
    noun: str = "metric"

    @cached_property
    def entries(self) -> dict[str, E]:
        """The entries by canonical name."""
        return {entry.name: entry for entry in self.load()}

    @cached_property
    def _spellings(self) -> dict[str, E]:
        entries = self.entries.items()
        return {simplify_name(word): entry for name, entry in entries for word in (*entry.aliases, name)}

    def get(self, name: str) -> E | None:
        """The entry of a name or alias, in any spelling."""
        return self._spellings.get(simplify_name(name))

    def refuse(self, name: str, names: Iterable[str], listing: str = "") -> UsageError:
        """The error for a name that nothing has, with the closest of `names`; `listing` says where all are listed."""
        return UsageError(
            "unknown-metric", f"no {self.noun} is called {quote(name)}", hint=suggestion(name, names, listing)
        )
