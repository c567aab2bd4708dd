"""What a metric must do, in plain words: words, the axioms behind them, and what common tasks need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from diveval.axioms.specification.constraints import AXIOMS
from diveval.errors import UsageError, quote, suggestion


@dataclass(frozen=True)
class Need:
    """One thing that a metric must do: a word, the question to ask, and the axioms that define it."""

    word: str
    question: str
    says: str
    axioms: tuple[str, ...]
    other_words: tuple[str, ...] = ()


NEEDS = {
    need.word: need
    for need in (
        Need(
            "grades",
            "Are some documents better than others, not only relevant or not?",
            "score the better document higher",
            ("Pri", "AspDiv"),
            ("graded", "priority", "relevance"),
        ),
        Need(
            "top",
            "Do people look at the top of the list first?",
            "count documents at the top more",
            ("Deep",),
            ("ranking", "order", "early"),
        ),
        Need(
            "patience",
            "Does nobody read to the end?",
            "limit what documents far down the list can add",
            ("DeepTh",),
            ("deep", "end"),
        ),
        Need(
            "first",
            "Does everybody read the first few?",
            "count relevant documents near the top rather than their order",
            ("CloseTh",),
            ("screen", "page"),
        ),
        Need(
            "length",
            "Do systems choose how much they show?",
            "penalise non-relevant documents at the end",
            ("Conf",),
            ("noise", "effort", "short", "stop", "confidence"),
        ),
        Need(
            "redundancy",
            "Does repetition annoy readers?",
            "reward aspects not yet covered",
            ("Red", "MRed"),
            ("diversity", "novelty", "coverage", "aspects"),
        ),
        Need(
            "enough",
            "Is one good answer to an aspect enough?",
            "stop rewarding an aspect once it is satisfied",
            ("Sat",),
            ("saturation", "satisfied"),
        ),
        Need(
            "weights",
            "Do some aspects matter more than others?",
            "follow the weights of the aspects",
            ("AspRel",),
            ("importance", "popularity", "profile"),
        ),
    )
}


@dataclass(frozen=True)
class Task:
    """A common task: what it needs, how many documents people look at on average, and how many are scored."""

    name: str
    says: str
    needs: tuple[str, ...]
    read: float
    cutoff: int


TASKS = {
    task.name: task
    for task in (
        Task(
            "web",
            "a page of results for ambiguous queries",
            ("top", "patience", "first", "redundancy"),
            10,
            20,
        ),
        Task(
            "mobile",
            "a small screen; systems choose how much they show",
            ("top", "patience", "length", "redundancy"),
            5,
            10,
        ),
        Task(
            "rag",
            "context for a language model: every document costs tokens",
            ("length", "redundancy", "enough"),
            5,
            10,
        ),
        Task(
            "recommendation",
            "genres or tastes as aspects, weighted by the user's profile",
            ("top", "patience", "redundancy", "weights"),
            10,
            10,
        ),
        Task(
            "track",
            "a shared task with a fixed depth and runs of many groups",
            ("top", "patience", "first", "redundancy", "enough"),
            10,
            20,
        ),
    )
}


def axioms_of(words: Iterable[str]) -> list[str]:
    """The axioms behind words: plain words, axioms' short names or their full titles, in the order of the axioms."""
    wanted = {axiom for word in plain_words(words) for axiom in (NEEDS[word].axioms if word in NEEDS else (word,))}
    return [name for name in AXIOMS if name in wanted]


def plain_words(words: Iterable[str]) -> list[str]:
    """Needs by their words and axioms by their short names, each once; commas, synonyms and titles are accepted."""
    meanings = _meanings()
    plain: dict[str, None] = {}
    for text in words:
        for word in text.split(","):
            key = " ".join(word.lower().replace("-", " ").split())
            if not key:
                continue
            if key not in meanings:
                every = f"words are {', '.join(NEEDS)}, axioms are {', '.join(AXIOMS)}"
                raise UsageError(
                    "invalid-choice", f"no need is called {quote(word.strip())}", hint=suggestion(key, meanings, every)
                )
            plain[meanings[key]] = None
    return list(plain)


def task_called(name: str) -> Task:
    """A task by its name."""
    if name not in TASKS:
        raise UsageError("invalid-choice", f"no task is called {quote(name)}", hint=suggestion(name, TASKS))
    return TASKS[name]


def _meanings() -> dict[str, str]:
    """Every accepted spelling, with the word or the axiom that it means."""
    out = {axiom.title.lower(): name for name, axiom in AXIOMS.items()}
    for need in NEEDS.values():
        out |= dict.fromkeys((need.word, *need.other_words), need.word)
    return out | {name.lower(): name for name in AXIOMS}
