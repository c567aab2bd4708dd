"""What files say about answers: nuggets by query, and for each system its labels, sentences, citations and criteria.

Everything is kept as written, in order: a nugget is its position in the list (texts repeat), a label its word. The
metrics decide what a word is worth, since tools disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diveval.errors import InputError, shown


@dataclass(frozen=True)
class Nugget:
    """A fact an answer should hold. ARGUE's nuggets are questions with answers: any of them counts, or all together."""

    text: str
    importance: Any = None
    answers: tuple[str, ...] = ()
    all_of: bool = False
    id: str = ""  # where the file gives one


@dataclass(frozen=True)
class Citation:
    """A document a sentence cites; support 2, 1, 0, or −1 for not judged."""

    document: str
    support: int = -1
    relevant: bool | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, or a passage of a context: its text, what it cites, and its label for each nugget."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    labels: Mapping[int | str, Any] = field(default_factory=dict)  # by position, or by the nugget's id
    tokens: float | None = None
    written: tuple[str, ...] = ()  # every citation at its place, an index that points nowhere by its number
    matches: tuple[tuple[str, tuple[str, ...]], ...] = ()  # ARGUE: (question, answers matched)
    needs_citation: bool | None = None
    first_instance: bool | None = None


@dataclass(frozen=True)
class AssignmentLine:
    """One line of a file of assignments: an answer or a passage with a label for every nugget."""

    query: str
    nuggets: tuple[Nugget, ...]
    labels: tuple[Any, ...]
    text: str | None = None  # None where the file does not give it
    document: str | None = None
    number: int = 0


@dataclass(frozen=True)
class Criterion:
    """A criterion of a rubric with its verdict."""

    weight: float
    verdict: Any
    tier: str = ""
    type: str = ""


@dataclass(frozen=True)
class Passage:
    """A passage of a context as UDCG sees it; None where the file does not say."""

    relevant: bool | None
    abstains: float | None


@dataclass
class System:
    """All that is known about one system, by query."""

    run_id: str
    source: str = ""
    lines: list[AssignmentLine] = field(default_factory=list)  # nuggetizer: labels of whole answers, or of passages
    labelled: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)  # labels by sentence
    reports: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)  # ARGUE
    support: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)  # citations with support
    judged: dict[str, dict[tuple[int, int], int]] = field(default_factory=dict)  # support by (sentence, citation)
    texts: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)  # --answers
    graded: list[tuple[str, tuple[Criterion, ...]]] = field(default_factory=list)  # (query, rubric) of each answer
    contexts: dict[str, tuple[Passage, ...]] = field(default_factory=dict)  # UDCG

    PARTS = ("lines", "labelled", "reports", "support", "judged", "texts", "graded", "contexts")

    def parts(self) -> list[str]:
        """Which kinds of material it has."""
        return [name for name in self.PARTS if getattr(self, name)]

    def add(self, other: System) -> None:
        """Take over another file's material about the same system, which must be of other kinds."""
        for name in other.parts():
            if getattr(self, name):
                raise InputError(
                    f"run {shown(self.run_id)} has {name} in {self.source} already; a run has one file of a kind",
                    source=other.source,
                )
            setattr(self, name, getattr(other, name))


@dataclass
class Material:
    """What one file or several hold: nuggets by query, and systems by name."""

    bank: dict[str, tuple[Nugget, ...]] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)
    bank_source: str = ""

    def system(self, name: str, source: str = "") -> System:
        """The system of a name, made on first demand."""
        return self.systems.setdefault(name, System(name, source))

    def put(self, part: str, run: str, topic: str, value: tuple[Sentence, ...] | tuple[Passage, ...]) -> None:
        """What a system has for a topic in one of its `PARTS` by topic; the topic must be new there."""
        held = getattr(self.system(run), part)
        if topic in held:
            raise InputError(f"topic {shown(topic)} occurs twice for {run}")
        held[topic] = value
