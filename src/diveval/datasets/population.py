"""The topics of a synthetic collection, and its systems, each with its own behaviour."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def digits(numbers: NDArray[np.integer], width: int) -> Bytes:
    """Each number as `width` ASCII digits, one row a number."""
    powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
    return (numbers[:, None].astype(np.int64) // powers % 10 + ord("0")).astype(np.uint8)


def run_lines(topic: str, documents: NDArray[np.bytes_], scores: NDArray[np.int32], tag: str) -> bytes:
    """Six columns, `topic Q0 document rank score tag`; scores are ten-thousandths between 10 and 100."""
    count = len(documents)
    names = documents[:, None].view(np.uint8)
    value = digits(scores, 6)
    blocks: list[bytes] = []
    width = 1
    # Ranks of one width share one line length, so each such block is a plain matrix.
    while (first := 10 ** (width - 1)) <= count:
        last = min(count, 10**width - 1)
        rows = slice(first - 1, last)
        ranks = digits(np.arange(first, last + 1), width)
        score: list[str | Bytes] = [value[rows, :2], ".", value[rows, 2:]]
        blocks.append(_matrix(len(ranks), [f"{topic} Q0 ", names[rows], " ", ranks, " ", *score, f" {tag}\n"]))
        width += 1
    return b"".join(blocks)


def qrels_lines(topic: str, documents: NDArray[np.bytes_], grades: NDArray[np.int8]) -> bytes:
    """Four columns, `topic aspect document grade`: every aspect of every document, grades of one digit."""
    count, aspects = grades.shape
    names = np.repeat(documents, aspects)[:, None].view(np.uint8)
    numbers = digits(np.tile(np.arange(1, aspects + 1), count), 1)
    grade = digits(grades.reshape(-1), 1)
    return _matrix(count * aspects, [f"{topic} ", numbers, " ", names, " ", grade, "\n"])


def _matrix(count: int, parts: list[str | Bytes]) -> bytes:
    """`count` lines of equal length, put together column by column."""
    columns = [np.frombuffer(p.encode("utf-8"), np.uint8) if isinstance(p, str) else p for p in parts]
    lines = np.empty((count, sum(column.shape[-1] for column in columns)), np.uint8)
    at = 0
    for column in columns:
        lines[:, at : at + column.shape[-1]] = column
        at += column.shape[-1]
    return lines.tobytes()


# --- topics and systems -----------------------------------------------------------------------------------------------


DEEPEST = 100_000
SCORE_FLOOR, SCORE_CEILING = 100_000, 999_999  # ten-thousandths: 10.0000 to 99.9999, all of one width

CERTAIN = 10.0  # no guess reaches this belief

# Of the aspects a document is about, how many are graded 0 to 4: skewed as assessors' grades are.
GRADE_SHARES = (0.45, 0.34, 0.13, 0.065, 0.015)
RELEVANCE = np.array([0, 1, 3, 7, 15]) / 16  # (2^g − 1) / 2^4


@dataclass(frozen=True)
class SyntheticTopic:
    """A topic's documents; the first rows are about it and have hidden grades, all others are not relevant."""

    name: str
    hundredths: NDArray[np.int64]  # aspect weights, in hundredths
    documents: NDArray[np.bytes_]
    grades: NDArray[np.int8]  # document × aspect
    aspect: NDArray[np.int64]  # the aspect a document is mostly about
    pull: NDArray[np.float64]  # how easily any system finds a document
    ease: float  # how easy the topic is

    def grades_of_all(self, rows: NDArray[np.int32]) -> NDArray[np.int8]:
        """The grades of these documents, 0 for those that are not about the topic."""
        grades = np.zeros((len(rows), self.grades.shape[1]), np.int8)
        about = rows < len(self.grades)
        grades[about] = self.grades[rows[about]]
        return grades


@dataclass(frozen=True)
class SystemHabits:
    """The behaviour of a system."""

    name: str
    skill: float  # how well it tells useful documents from others; 0 cannot at all
    diversity: float  # how hard it avoids an aspect it has already shown
    focus: float  # 0 serves all aspects by their weight, 1 knows only one reading of the query
    length: int  # documents it returns at most
    confident: bool = False  # stops where its own score says that the rest is not worth reading
    perfect: bool = False  # knows the hidden grades
    steady: bool = False  # returns its full length whatever the topic


def population(count: int, depth: int, rng: np.random.Generator, *, full: bool) -> tuple[SystemHabits, ...]:
    """`count` systems: five with a telling name, then others drawn at random."""
    short = max(1, min(depth, 25))
    named = [
        SystemHabits("diverse", 2.2, 4.0, 0.0, depth),
        SystemHabits("redundant", 1.8, 0.0, 0.95, depth),
        SystemHabits("short-confident", 2.4, 1.2, 0.1, short, confident=True),
        SystemHabits("random", 0.0, 0.0, 0.0, depth),
        SystemHabits("perfect", 1.0, 1.0, 0.0, depth, perfect=True),
    ]
    width = max(2, len(str(count)))
    drawn = []
    for number in range(len(named) + 1, count + 1):
        kind = rng.random()
        if kind < 0.6:
            length = depth
        elif kind < 0.85:
            length = int(rng.integers(max(1, depth // 10), depth + 1))
        else:
            length = int(rng.integers(1, min(depth, 60) + 1))
        skill, diversity, focus = 0.4 + 2.0 * rng.beta(2.5, 2.0), 4.0 * rng.random() ** 2, rng.beta(1.2, 2.5)
        drawn.append(SystemHabits(f"sys{number:0{width}d}", skill, diversity, focus, length))
    chosen = (named + drawn)[:count]
    if full:
        chosen = [replace(system, length=depth, steady=True) for system in chosen]
    return tuple(chosen)


def make_topic(name: str, depth: int, rng: np.random.Generator) -> SyntheticTopic:
    """Draw a topic: 3 to 6 weighted aspects, a few hundred documents about it, and thousands of others."""
    aspects = int(rng.integers(3, 7))
    hundredths = 5 + rng.multinomial(100 - 5 * aspects, rng.dirichlet(np.full(aspects, 2.0)))
    about = int(rng.integers(150, 401))
    total = about + depth + depth // 2 + 3000
    # Aspects with many documents are not those with large weights: without that gap, diversity would not matter.
    popularity = 0.3 * hundredths / 100 + 0.7 * rng.dirichlet(np.ones(aspects))
    aspect = rng.choice(aspects, size=about, p=popularity / popularity.sum())
    aspect[: 2 * aspects] = np.tile(np.arange(aspects), 2)
    covered = rng.random((about, aspects)) < 0.06
    covered[np.arange(about), aspect] = True
    grades = np.where(covered, rng.choice(5, size=covered.shape, p=GRADE_SHARES), 0).astype(np.int8)
    grades[np.arange(aspects), aspect[:aspects]] = np.maximum(1, grades[np.arange(aspects), aspect[:aspects]])
    pull = rng.standard_normal(total)
    pull[:about] += 1.0
    ease = 0.5 + rng.beta(2.0, 2.0)
    return SyntheticTopic(name, hundredths, document_names(total, rng), grades, aspect, pull, ease)


def document_names(count: int, rng: np.random.Generator) -> NDArray[np.bytes_]:
    """Distinct names in the manner of ClueWeb09, such as clueweb09-en0000-15-04138."""
    files, pages = 100, 45_000
    codes = np.unique(rng.integers(0, 134 * files * pages, size=count + count // 10 + 100))
    codes = rng.permutation(codes)[:count]
    names = np.empty((count, 25), np.uint8)
    names[:] = np.frombuffer(b"clueweb09-en0000-00-00000", np.uint8)
    names[:, 12:16] = digits(codes // (files * pages), 4)
    names[:, 17:19] = digits(codes // pages % files, 2)
    names[:, 20:25] = digits(codes % pages, 5)
    return names.view("S25").reshape(count)


def rank(
    system: SystemHabits, topic: SyntheticTopic, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """A system's answer: the rows of its documents, best first, and their scores in ten-thousandths."""
    belief = rng.standard_normal(len(topic.documents))
    if system.perfect:
        ideal = _ideal(topic)
        belief[ideal] = CERTAIN + np.arange(len(ideal), 0, -1)
    elif system.skill > 0:
        belief += topic.pull
        belief[: len(topic.grades)] += system.skill * topic.ease * _usefulness(system, topic, rng)
    order = _best(belief, min(system.length, len(belief)) + 200)
    if system.diversity > 0 and not system.perfect:
        belief[order] -= system.diversity * _fatigue(order, topic, rng)
        order = order[np.argsort(-belief[order], kind="stable")]
    order = order[: _length(system, belief[order], rng)]
    return order.astype(np.int32), _scores(belief[order])


def _usefulness(system: SystemHabits, topic: SyntheticTopic, rng: np.random.Generator) -> NDArray[np.float64]:
    """The system's estimate of each document about the topic, without noise."""
    reading = np.zeros(len(topic.hundredths))
    # One interpretation of the query, more often one with many documents.
    reading[topic.aspect[rng.integers(len(topic.aspect))]] = 1.0
    taste = (1 - system.focus) * topic.hundredths / 100 + system.focus * reading
    gain = np.sqrt(RELEVANCE)[topic.grades] @ taste
    useful: NDArray[np.float64] = 3.6 * gain
    return useful


def _fatigue(order: NDArray[np.int64], topic: SyntheticTopic, rng: np.random.Generator) -> NDArray[np.float64]:
    """For each document, how much of its aspect is above it: c / (c + 2), with c documents of the aspect above.

    A system takes one document in ten for another aspect, and assigns an aspect to documents that have none.
    """
    seen = topic.aspect[rng.integers(0, len(topic.aspect), size=len(order))]
    right = (order < len(topic.aspect)) & (rng.random(len(order)) < 0.9)
    seen[right] = topic.aspect[order[right]]
    before = np.zeros(len(order))
    for aspect in range(len(topic.hundredths)):
        at = np.flatnonzero(seen == aspect)
        before[at] = np.arange(len(at))
    return before / (before + 2.0)


def _ideal(topic: SyntheticTopic) -> NDArray[np.int64]:
    """The relevant documents, each chosen for what it adds: Σ_t w(t) · r(d,t) · Π_{above} (1 − r)."""
    relevance = RELEVANCE[topic.grades]
    left = topic.hundredths / 100
    rows = np.flatnonzero(relevance.any(axis=1))
    chosen = []
    while len(rows):
        best = int(np.argmax(relevance[rows] @ left))
        chosen.append(rows[best])
        left = left * (1 - relevance[rows[best]])
        rows = np.delete(rows, best)
    return np.array(chosen, np.int64)


def _best(belief: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The rows of the `count` highest values, highest first."""
    every = np.arange(len(belief))
    rows = np.sort(np.argpartition(-belief, count)[:count]) if count < len(belief) else every
    return rows[np.argsort(-belief[rows], kind="stable")]


def _length(system: SystemHabits, belief: NDArray[np.float64], rng: np.random.Generator) -> int:
    """How many documents the system returns for this topic."""
    wanted = system.length
    if system.steady:
        return wanted
    if system.perfect:
        wanted = int(np.count_nonzero(belief > CERTAIN))
    elif system.confident:
        wanted = int(np.count_nonzero(belief > 0.55 * belief[0]))
    elif rng.random() < 0.1:
        # In one topic out of ten there are fewer results.
        wanted = int(rng.integers((wanted + 1) // 2, wanted + 1))
    return max(1, min(wanted, system.length))


def _scores(belief: NDArray[np.float64]) -> NDArray[np.int32]:
    """Beliefs as strictly falling scores of one printed width, so that rank and score never contradict."""
    count = len(belief)
    low, high = float(belief[-1]), float(belief[0])
    spread = SCORE_CEILING - SCORE_FLOOR - count
    scaled = SCORE_FLOOR + count + np.floor(spread * (belief - low) / max(high - low, 1e-9)).astype(np.int64)
    steps = np.arange(count)
    return (np.minimum.accumulate(scaled + steps) - steps).astype(np.int32)
