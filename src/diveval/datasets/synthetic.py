"""A synthetic collection from a seed, to try, test and time everything without real data.

It is pooled as at TREC: documents have hidden grades, systems with different behaviour rank them, and only documents
near the top of some ranking (and a few others) are judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape  # writes XML, parses none

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.collection.scenarios import generator
from diveval.datasets.population import (
    DEEPEST,
    SyntheticTopic,
    SystemHabits,
    make_topic,
    population,
    qrels_lines,
    rank,
    run_lines,
)
from diveval.errors import UsageError, quote
from diveval.results.table_text import csv_text
from diveval.system.files import write_atomically

FIRST_TOPIC = 101
SCORE_UNIT = 10_000  # scores are integers in ten-thousandths, so that printing them loses nothing

SUBJECTS = (
    "jaguar",
    "mercury",
    "java",
    "python",
    "saturn",
    "phoenix",
    "apollo",
    "orion",
    "eclipse",
    "falcon",
    "amazon",
    "delta",
    "atlas",
    "titan",
    "nova",
    "avocado",
    "lantern",
    "harbour",
    "glacier",
    "compass",
    "saffron",
    "orchid",
    "walnut",
    "canyon",
    "meadow",
    "volcano",
    "lagoon",
    "prairie",
    "violin",
    "accordion",
    "marathon",
    "origami",
    "chess",
    "fencing",
    "kayak",
    "bonsai",
    "mosaic",
    "tapestry",
    "pottery",
    "calligraphy",
    "asthma",
    "migraine",
    "insulin",
    "vitamin",
    "allergy",
    "mortgage",
    "pension",
    "tariff",
    "patent",
    "census",
)
FACETS = ("history", "prices", "pictures", "reviews", "where to find", "how to start", "news", "safety")

Ranked = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True)
class Synthetic:
    """A synthetic collection in memory."""

    topics: tuple[SyntheticTopic, ...]
    systems: tuple[SystemHabits, ...]
    pools: tuple[NDArray[np.int32], ...]
    rankings: dict[str, tuple[Ranked, ...]]

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """Topic → aspect → weight; the weights of a topic sum to 1."""
        return {
            topic.name: {str(aspect + 1): int(weight) / 100 for aspect, weight in enumerate(topic.hundredths)}
            for topic in self.topics
        }

    def judgments(self) -> Iterator[tuple[str, str, str, int]]:
        """Rows (topic, aspect, document, grade): every aspect of every judged document."""
        for topic, pool in zip(self.topics, self.pools, strict=True):
            judged = zip(topic.documents[pool].tolist(), topic.grades_of_all(pool).tolist(), strict=True)
            for document, grades in judged:
                for aspect, grade in enumerate(grades, 1):
                    yield topic.name, str(aspect), document.decode("ascii"), grade

    def run(self, system: str) -> dict[str, list[tuple[str, float]]]:
        """One system's answer: topic → [(document, score)], best first."""
        if system not in self.rankings:
            names = ", ".join(self.rankings)
            raise UsageError("unknown-run", f"the collection has no system {quote(system)}", hint=f"it has {names}")
        return {
            topic.name: [
                (document.decode("ascii"), score / SCORE_UNIT)
                for document, score in zip(topic.documents[rows].tolist(), scores.tolist(), strict=True)
            ]
            for topic, (rows, scores) in zip(self.topics, self.rankings[system], strict=True)
        }

    @property
    def runs(self) -> dict[str, dict[str, list[tuple[str, float]]]]:
        """Every system's answer; for deep rankings ask for one `run` at a time instead."""
        return {name: self.run(name) for name in self.rankings}


@explain_types
def synthesize(
    *, topics: int = 50, systems: int = 30, depth: int = 1000, seed: int = 1, full: bool = False
) -> Synthetic:
    """Make a collection in memory. With `full` every list has `depth` documents, as the speed benchmark needs."""
    counts = (("topics", topics, 1), ("systems", systems, 1), ("depth", depth, 1), ("seed", seed, 0))
    for name, value, least in counts:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise UsageError("out-of-range", f"{name} must be a whole number of at least {least}, got {quote(value)}")
    if depth > DEEPEST:
        raise UsageError("out-of-range", f"depth must be at most {DEEPEST}, got {depth}")
    habits = population(systems, depth, generator(seed, "systems"), full=full)
    made = tuple(
        make_topic(str(number), depth, generator(seed, "topic", str(number)))
        for number in range(FIRST_TOPIC, FIRST_TOPIC + topics)
    )
    rankings = {
        system.name: tuple(rank(system, topic, generator(seed, system.name, topic.name)) for topic in made)
        for system in habits
    }
    pools = tuple(
        _pool(topic, [ranked[number][0] for ranked in rankings.values()], generator(seed, "pool", topic.name))
        for number, topic in enumerate(made)
    )
    return Synthetic(made, habits, pools, rankings)


@explain_types
def make_collection(
    directory: str | Path,
    *,
    topics: int = 50,
    systems: int = 30,
    depth: int = 1000,
    seed: int = 1,
    full: bool = False,
) -> Path:
    """Write a synthetic collection in TREC formats and return its folder.

    qrels.txt (topic aspect doc grade), weights.txt (topic aspect weight), topics.xml, runs/*.run (6 columns),
    and systems.csv with the behaviour of each system. The same arguments write the same bytes.
    """
    folder = Path(directory)
    runs = folder / "runs"
    nearest = next(path for path in (runs, *runs.parents) if path.exists())
    if not nearest.is_dir():  # report it before the work, not after
        raise UsageError("cannot-write", f"{folder}: cannot be created: {nearest} is a file")
    made = synthesize(topics=topics, systems=systems, depth=depth, seed=seed, full=full)
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("cannot-write", f"{folder}: cannot be created: {error.strerror or error}") from error
    others = sorted({path.name for path in runs.glob("*.run")} - {f"{name}.run" for name in made.rankings})
    if others:
        raise UsageError(
            "folder-not-empty",
            f"{runs} contains {quote(others[0])}, which is not of this collection",
            hint="give another folder",
        )
    for system, ranked in made.rankings.items():
        parts = (
            run_lines(topic.name, topic.documents[rows], scores, system)
            for topic, (rows, scores) in zip(made.topics, ranked, strict=True)
        )
        write_atomically(runs / f"{system}.run", b"".join(parts))
    judged = (
        qrels_lines(topic.name, topic.documents[pool], topic.grades_of_all(pool))
        for topic, pool in zip(made.topics, made.pools, strict=True)
    )
    write_atomically(folder / "qrels.txt", b"".join(judged))
    weights = (
        f"{topic} {aspect} {weight:.2f}\n" for topic, given in made.weights.items() for aspect, weight in given.items()
    )
    write_atomically(folder / "weights.txt", "".join(weights))
    write_atomically(folder / "topics.xml", _topics_xml(made.topics))
    write_atomically(folder / "systems.csv", _systems_csv(made.systems))
    return folder


def _pool(topic: SyntheticTopic, tops: list[NDArray[np.int32]], rng: np.random.Generator) -> NDArray[np.int32]:
    """The judged documents of a topic: the best rank in any system decides, and a few others are added.

    One relevant document of each aspect is always judged, since an aspect without judgments would not exist.
    """
    size = min(int(rng.triangular(200, 450, 494)), len(topic.documents))
    best = np.full(len(topic.documents), np.iinfo(np.int32).max, np.int32)
    for rows in tops:
        np.minimum.at(best, rows, np.arange(len(rows), dtype=np.int32))
    shuffled = rng.permutation(len(best))
    others = size // 10
    by_rank = shuffled[np.argsort(best[shuffled], kind="stable")]
    pool = by_rank[: size - others]
    left = by_rank[size - others :]
    # The others are documents about the topic as far as possible, as assessors would find them.
    pool = np.concatenate([pool, left[np.argsort(left >= len(topic.grades), kind="stable")][:others]])
    needed = [int(np.argmax(topic.grades[:, aspect])) for aspect in range(topic.grades.shape[1])]
    return np.sort(np.union1d(pool, needed)).astype(np.int32)


def _topics_xml(topics: tuple[SyntheticTopic, ...]) -> str:
    """Topics in the Web Track's form, with a plain name for each aspect."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<webtrack>"]
    for number, topic in enumerate(topics):
        turn = number // len(SUBJECTS)
        query = SUBJECTS[number % len(SUBJECTS)] + (f" {turn + 1}" if turn else "")
        lines.append(f'  <topic number="{escape(topic.name)}" type="faceted">')
        lines.append(f"    <query>{escape(query)}</query>")
        lines.append(f"    <description>What is there to know about {escape(query)}?</description>")
        for aspect in range(len(topic.hundredths)):
            facet = FACETS[(number + aspect) % len(FACETS)]
            text = escape(f"{query}: {facet}")
            lines.append(f'    <subtopic number="{aspect + 1}" type="inf">{text}</subtopic>')
        lines.append("  </topic>")
    return "\n".join([*lines, "</webtrack>", ""])


def _systems_csv(systems: tuple[SystemHabits, ...]) -> str:
    """The behaviour of each system, to check an analysis against the truth."""
    rows = ([s.name, f"{s.skill:.3f}", f"{s.diversity:.3f}", f"{s.focus:.3f}", s.length] for s in systems)
    return csv_text(["system", "skill", "diversity", "focus", "length"], rows)
