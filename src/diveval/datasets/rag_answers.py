"""A synthetic RAG evaluation as people have it in spreadsheets: facts, labels by sentence of a person and a model, citations,
and what the retrievers returned. All texts are invented; the systems differ in known ways.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diveval.collection.scenarios import generator
from diveval.errors import UsageError, quote
from diveval.system.files import write_atomically


@dataclass(frozen=True)
class _System:
    """How a system answers: what share of facts it finds, how many sentences it writes, and how well it cites."""

    name: str
    vital: float
    okay: float
    filler: int  # sentences that support nothing new
    words: int  # of a sentence
    cites: float  # share of citations that support their sentence
    passages: float  # how early its retriever finds what supports the facts


SYSTEMS = (
    _System("short", 0.60, 0.20, 0, 16, 0.80, 0.6),
    _System("cited", 0.72, 0.35, 1, 19, 0.92, 0.8),
    _System("long", 0.78, 0.55, 5, 27, 0.70, 0.7),
)
LEVELS = ("not_support", "partial_support", "support")
DEPTH = 10  # passages of a context
JUDGED = 3  # the person labels one question of so many
THINGS = [
    "a bridge",
    "a vaccine",
    "a railway",
    "a comet",
    "a treaty",
    "a reef",
    "an orchestra",
    "a dam",
    "a language",
    "a satellite",
]
ABOUT = [
    "its cost",
    "its age",
    "who built it",
    "who opposed it",
    "what it replaced",
    "its size",
    "its risks",
    "its future",
]


def make_rag(directory: str | Path, *, questions: int = 30, seed: int = 1) -> Path:
    """Write facts.csv, labels.csv, people.csv, citations.csv, contexts.jsonl, tokens.txt and a run per retriever.

    `labels.csv` has a model's labels of all answers, `people.csv` a person's of a third of the questions. The same
    arguments write the same bytes.
    """
    for name, value, least in (("questions", questions, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise UsageError("out-of-range", f"{name} must be a whole number of at least {least}, got {quote(value)}")
    rng, folder = generator(seed, "rag"), Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("cannot-write", f"{folder}: cannot be created: {error.strerror or error}") from error
    facts, labels, people = (
        ["question,nugget,text,importance"],
        ["question,system,sentence,tokens,nugget,label"],
        list[str](),
    )
    citations, contexts, tokens = ["question,system,sentence,citation,support"], list[str](), list[str]()
    runs: dict[str, list[str]] = {system.name: [] for system in SYSTEMS}
    people.append(labels[0])
    for number in range(1, questions + 1):
        question, count = f"q{number:02d}", int(rng.integers(4, 8))
        vital = int(rng.integers(2, 4))
        thing, easy = THINGS[int(rng.integers(len(THINGS)))], float(rng.normal(0, 0.12))
        for fact in range(count):
            importance = "vital" if fact < vital else "okay"
            facts.append(f"{question},{question}-{fact + 1},{thing}: {ABOUT[fact]},{importance}")
        support = _contexts(question, count, rng, contexts, tokens)
        for system in SYSTEMS:
            shares = [
                min(1.0, max(0.0, (system.vital if fact < vital else system.okay) + easy)) for fact in range(count)
            ]
            written = _write(shares, system, rng)
            for place, (levels, length) in enumerate(written, 1):
                for fact in range(count):
                    start = f"{question},{system.name},{place},{length},{question}-{fact + 1}"
                    labels.append(f"{start},{LEVELS[_misread(levels[fact], 0.10, rng)]}")
                    if number % JUDGED == 1:
                        people.append(f"{start},{LEVELS[_misread(levels[fact], 0.02, rng)]}")
                told = rng.random() < system.cites
                citations.append(
                    f"{question},{system.name},{place},{question}-p{rng.integers(1, 15)},{'full' if told else 'none'}"
                )
            runs[system.name] += _retrieve(question, support, system, rng)
    for name, lines in (("facts.csv", facts), ("labels.csv", labels), ("people.csv", people), ("citations.csv", citations),
                        ("contexts.jsonl", contexts), ("tokens.txt", tokens), *((f"{n}.tsv", own) for n, own in runs.items())):  # fmt: skip
        write_atomically(folder / name, "".join(line + "\n" for line in lines))
    return folder


def _write(shares: list[float], system: _System, rng: np.random.Generator) -> list[tuple[list[int], int]]:
    """The sentences of an answer: how well each supports every fact, and its tokens."""
    sentences = []
    for fact, share in enumerate(shares):
        if rng.random() < share:
            levels = [0] * len(shares)
            levels[fact] = 1 if rng.random() < 0.25 else 2
            sentences.append(levels)
    for _ in range(system.filler if sentences else system.filler + 1):
        levels = [0] * len(shares)
        if sentences and rng.random() < 0.5:  # says again what was said
            levels = list(sentences[int(rng.integers(len(sentences)))])
        sentences.insert(int(rng.integers(len(sentences) + 1)), levels)
    return [(levels, int(max(4, rng.normal(system.words, 4)))) for levels in sentences]


def _misread(level: int, share: float, rng: np.random.Generator) -> int:
    """The label of a judge who is wrong now and then, by one step."""
    if rng.random() >= share:
        return level
    return 1 if level != 1 else int(rng.choice([0, 2]))


def _contexts(
    question: str, count: int, rng: np.random.Generator, contexts: list[str], tokens: list[str]
) -> dict[int, list[str]]:
    """Which passages support each fact; their lengths."""
    support: dict[int, list[str]] = {}
    for fact in range(count):
        chosen = rng.choice(14, int(rng.integers(1, 4)), replace=False) + 1
        support[fact] = [f"{question}-p{place}" for place in sorted(chosen.tolist())]
        contexts.append(json.dumps({"query": question, "nugget": f"{question}-{fact + 1}", "support": support[fact]}))
    tokens += [f"{question}-p{place} {int(rng.integers(80, 400))}" for place in range(1, 15)]
    return support


def _retrieve(question: str, support: dict[int, list[str]], system: _System, rng: np.random.Generator) -> list[str]:
    """A ranking of the passages, useful ones earlier the better the retriever."""
    useful = {passage for own in support.values() for passage in own}
    names = [f"{question}-p{place}" for place in range(1, 15)]
    worth = [rng.random() + (system.passages if name in useful else 0.0) for name in names]
    return [f"{question}\t{names[place]}" for place in np.argsort(worth, kind="stable")[::-1][:DEPTH]]
