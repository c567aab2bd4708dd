"""The content of files about answers: nuggets by query, and for each system labels, sentences, citations and criteria.

Everything is kept as written, in order: nuggets are identified by position (texts repeat), labels are words. Each
metric gives labels its own values, since tools disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from diveval.answers.judge_rules import Combination
from diveval.collection.joins import Match
from diveval.errors import InputError, UsageError, quote, suggestion


@dataclass(frozen=True)
class Nugget:
    """A fact that an answer should contain. ARGUE's nuggets are questions, for which one or all answers are needed."""

    text: str
    importance: Any = None
    answers: tuple[str, ...] = ()
    all_of: bool = False
    id: str = ""  # if the file gives one


@dataclass(frozen=True)
class Citation:
    """A document that a sentence cites; support 2, 1, 0 or in between, or −1 if not judged."""

    document: str
    support: float = -1  # between 0 and 2; a mean of judges may be a fraction
    relevant: bool | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, or a passage of a context: its text, citations, and label for each nugget."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    labels: Mapping[int | str, Any] = field(default_factory=dict)  # by position, or by the nugget's id
    tokens: float | None = None
    written: tuple[str, ...] = ()  # all citations in order, including indices out of range
    matches: tuple[tuple[str, tuple[str, ...]], ...] = ()  # ARGUE: (question, answers matched)
    needs_citation: bool | None = None
    first_instance: bool | None = None


@dataclass(frozen=True)
class AssignmentLine:
    """One line of a file of assignments: an answer or a passage with a label for every nugget."""

    query: str
    nuggets: tuple[Nugget, ...]
    labels: tuple[Any, ...]
    text: str | None = None  # None if the file does not give it
    document: str | None = None
    number: int = 0
    by_name: bool = False  # the nuggets are named by id or text, in no order


@dataclass(frozen=True)
class Criterion:
    """A criterion of a rubric with its verdict."""

    weight: float
    verdict: Any
    tier: str = ""
    type: str = ""


@dataclass(frozen=True)
class Passage:
    """A passage of a context for UDCG; None if the file does not give a value."""

    relevant: bool | None
    abstains: float | None


@dataclass
class System:
    """The material about one system, by query."""

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
    open_ended: bool = False  # `support` may lack sentences without citation at the end

    PARTS = ("lines", "labelled", "reports", "support", "judged", "texts", "graded", "contexts")

    def parts(self) -> list[str]:
        """The kinds of material it has."""
        return [name for name in self.PARTS if getattr(self, name)]

    def add(self, other: System) -> None:
        """Add another file's material about the same system, which must be of other kinds."""
        for name in other.parts():
            if getattr(self, name):
                raise InputError(
                    "duplicate-run",
                    f"run {quote(self.run_id)} has {name} in {self.source} already",
                    hint="a run has one file of a kind",
                    source=other.source,
                )
            setattr(self, name, getattr(other, name))
        self.open_ended = self.open_ended or other.open_ended


@dataclass
class AnswerFiles:
    """The content of one or several files: nuggets by query, and systems by name."""

    bank: dict[str, tuple[Nugget, ...]] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)
    bank_source: str = ""
    implied: dict[str, tuple[Nugget, ...]] = field(default_factory=dict)  # nuggets that tables of labels name
    judges: dict[str, AnswerFiles] = field(default_factory=dict)  # the same answers by the labels of one judge
    trials: dict[str, str] = field(default_factory=dict)  # run → the system whose answers it repeats
    joins: dict[tuple[str, str], Match] = field(default_factory=dict)  # by table and kind
    combined: Combination | None = None  # how labels of several judges became one
    notes: list[str] = field(default_factory=list)  # sentences about the files, for the results

    def system(self, name: str, source: str = "") -> System:
        """The system of a name, created if necessary."""
        return self.systems.setdefault(name, System(name, source))

    def select(self, systems: Sequence[str]) -> AnswerFiles:
        """The same nuggets with some of the systems; a trial goes with its system."""
        chosen: dict[str, System] = {}
        for name in systems:
            own = {run: one for run, one in self.systems.items() if name in (run, self.trials.get(run))}
            if not own:
                raise UsageError(
                    "unknown-run", f"no system is called {quote(name)}", hint=suggestion(name, self.systems)
                )
            chosen |= own
        judges = {
            judge: replace(one, systems={k: v for k, v in one.systems.items() if k in chosen})
            for judge, one in self.judges.items()
        }
        return replace(self, systems=chosen, judges=judges)

    def note(self, found: Match) -> None:
        """Keep what a join matched, once however often it is made."""
        self.joins[found.table, found.kind] = found

    def put(self, part: str, run: str, topic: str, value: tuple[Sentence, ...] | tuple[Passage, ...]) -> None:
        """Add a system's material of one of the `PARTS` for a topic, which must be new."""
        by_topic = getattr(self.system(run), part)
        if topic in by_topic:
            raise InputError("duplicate-topic", f"topic {quote(topic)} occurs twice for {run}")
        by_topic[topic] = value
