"""The compiled scanner and the plain reader agree on generated and damaged files, under every order."""

from __future__ import annotations

import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.collection.columns import Names, sort_positions
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.errors import InputError
from diveval.reading import read_judgments, scan
from diveval.settings import Options, OrderRule
from diveval.system import scanner
from support.shared import times

pytestmark = pytest.mark.skipif(scanner.module() is None, reason="the compiled scanner is not built here")

NAMES = ["a", "b", "B", "d1", "d10", "d2", "é", "\u20ac", "\U0001f600", "z" * 20, "clueweb09-en0000-00-00001", "-1"]
TOPICS = ["1", "2", "10", "x", "topic-with-a-long-name"]
JUDGMENTS = Judgments.from_rows([(t, "1", d, 1.0) for t in TOPICS[:4] for d in NAMES[::2]])
ORDERS = [
    OrderRule(),
    OrderRule("score", "docno-asc"),
    OrderRule("score", "file"),
    OrderRule("rank"),
    OrderRule("file"),
]

gaps = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\x0b", "\r"])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n# note\n"])
scores = st.one_of(
    st.integers(-3, 3).map(str),
    st.integers(0, 99999).map(lambda n: f"{n / 1000:.3f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1).map(lambda x: f"{x:.19f}"),
    st.sampled_from(["1e5", "+.5", "5.", "-0", "0.1e-2", "nan", "1_0", "0x1", "", "1e400", "\u0661"]),
)
ranks = st.one_of(st.integers(-2, 12).map(str), st.sampled_from(["1", "+1", "1.0", "x", "9" * 18, "9" * 19]))


@st.composite
def run_files(draw: Any) -> bytes:
    """A run of a few topics, regular or irregular, with distinct or repeated documents."""
    tidy = draw(st.booleans())
    unique = draw(st.booleans())
    lines = []
    for topic in draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=4, unique=draw(st.booleans()))):
        names = st.lists(st.sampled_from(NAMES), max_size=8, unique=unique)
        for place, name in enumerate(draw(names), 1):
            rank = str(place) if tidy else draw(ranks)
            score = f"{9 - place}.5" if tidy and draw(st.booleans()) else draw(scores)
            fields = [topic, "Q0", name, rank, score, "tag"]
            lines.append((" " if tidy else draw(gaps)).join(fields) + ("\n" if tidy else draw(ends)))
    return "".join(lines).encode()


@st.composite
def damaged(draw: Any, files: st.SearchStrategy[bytes]) -> bytes:
    """A file with a few bytes changed, added or removed."""
    content = bytearray(draw(files))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(content)))
        content[at : at + draw(st.integers(0, 3))] = draw(
            st.one_of(st.binary(max_size=3), st.sampled_from([b"\n", b" ", b"#", b"\xef\xbb\xbf", b"\x00", b"\xff"]))
        )
    return bytes(content)


def facts(rankings: Rankings) -> object:
    topics = [(n, t.ranks.tolist(), t.rows.tolist(), t.length) for n, t in rankings.topics.items()]
    return topics, list(rankings.unjudged_topics.items()), rankings.tag, rankings.contradictions, rankings.name


def both(read: Any) -> tuple[object, object]:
    """The results or errors of the compiled and the plain reader, each with its warnings."""
    results: list[object] = []
    for plain in ("0", "1"):
        os.environ[scanner.PLAIN_VARIABLE] = plain
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = read()
            except InputError as error:
                result = str(error)
            finally:
                del os.environ[scanner.PLAIN_VARIABLE]
        results.append((result, [(note.category, str(note.message)) for note in caught]))
    return results[0], results[1]


def on_file(content: bytes, read: Any) -> tuple[object, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        path.write_bytes(content)
        return both(lambda: read(path))


@pytest.mark.slow
@settings(deadline=None, max_examples=250)
@given(damaged(run_files()), st.sampled_from(ORDERS), st.sampled_from([None, "trec"]))
def test_runs_are_read_the_same(content: bytes, order: OrderRule, named: str | None) -> None:
    """Both readers give the same ranking or the same error for every file."""
    options = Options(run_format=named)
    fast, plain = on_file(content, lambda path: facts(scan.read_rankings(JUDGMENTS, path, [order], options)[order]))
    assert fast == plain


MANY = Judgments.from_rows([(t, "1", f"d{i}", 1.0) for t in ("1", "20") for i in range(0, 400, 3)])


def similar_lines(seed: int) -> bytes:
    """Lines that mostly differ in document and digits only, as in most runs."""
    rng = random.Random(seed)
    gap, end = rng.choice([" ", " ", "\t", "  ", " \t"]), rng.choice(["\n", "\n", "\r\n", " \n"])
    places, tag, name = (
        rng.choice([0, 1, 4, 9]),
        rng.choice(["t", "a-tag" * 8, "x" * 60]),
        rng.choice(["d", "doc" * 25]),
    )
    steps = rng.choice([[1], [1, 1, 1, 0], [0], [1, 1, 1, 1, 1, -1]])
    lines = []
    for topic in rng.sample(["1", "20", "unjudged", "topic" * 14], rng.randint(1, 3)):
        documents = rng.sample(range(400), rng.randint(1, 160))
        if rng.random() < 0.2:
            documents.append(rng.choice(documents))
        rank, units = rng.choice([0, 1, 95, 99995, -5, 10**9]), rng.choice([99, 1005, 12345678])
        for number in documents:
            rank += 1 if rng.random() < 0.98 else rng.choice([-1, 0])
            units -= rng.choice(steps)
            document = f"{name}{number}" if rng.random() < 0.99 else f"{name}{number}\u20ac"
            score = f"{units / 10**places:.{places}f}" if rng.random() < 0.99 else rng.choice(["1e1", "5.", "x", "+1"])
            fields = [topic, "Q0", document, str(rank) if rng.random() < 0.99 else rng.choice(["1.0", "x"]), score, tag]
            lines.append(gap.join(fields) + (end if rng.random() < 0.99 else rng.choice(["\n\n", "\n# note\n", "\n"])))
    content = bytearray("".join(lines).encode())
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        at = rng.randrange(len(content))
        content[at : at + rng.randint(0, 2)] = rng.choice(
            [b"", b" ", b"\n", b"#", b"\x00", b"\xff", b"7", b"-", b"\x7f"]
        )
    return bytes(content)


@pytest.mark.parametrize("part", range(4))
def test_similar_lines_are_read_the_same(part: int) -> None:
    """Both readers agree on sequences of similar lines and where they end."""
    options = Options(run_format="trec")
    for seed in range(100 * part, 100 * part + 100):
        order = ORDERS[seed % len(ORDERS)]
        read = lambda path: facts(scan.read_rankings(MANY, path, [order], options)[order])  # noqa: E731
        fast, plain = on_file(similar_lines(seed), read)
        assert fast == plain, seed


@pytest.mark.parametrize("part", range(4))
def test_lines_longer_than_a_block_are_read_the_same(part: int) -> None:
    """Both readers agree on lines around a line that is longer than a block of the scanner, whatever its fields are."""
    options, long = Options(run_format="trec"), "x" * 20000
    for seed in range(times(10, 100) * part, times(10, 100) * (part + 1)):
        rng = random.Random(seed)
        lines = similar_lines(seed).splitlines(keepends=True)
        for _ in range(rng.choice([1, 1, 2])):
            fields = [
                rng.choice(["1", "20", "new"]),
                "Q0",
                f"d{rng.randrange(400)}",
                "7",
                f"{rng.randrange(99)}.5",
                "t",
            ]
            fields[rng.choice([0, 1, 2, 5])] += long
            lines.insert(rng.randint(0, len(lines)), " ".join(fields).encode() + b"\n")
        order = ORDERS[seed % len(ORDERS)]
        read = lambda path: facts(scan.read_rankings(MANY, path, [order], options)[order])  # noqa: E731
        fast, plain = on_file(b"".join(lines), read)
        assert fast == plain, seed


@settings(deadline=None, max_examples=150)
@given(st.lists(scores, min_size=2, max_size=6))
def test_numbers_are_read_the_same(texts: list[str]) -> None:
    """Scores order documents as Python's floats do, to the last bit."""
    content = "".join(f"1 Q0 {NAMES[2 * i]} {i} {text} t\n" for i, text in enumerate(texts)).encode()
    options, order = Options(run_format="trec"), OrderRule()
    fast, plain = on_file(content, lambda path: facts(scan.read_rankings(JUDGMENTS, path, [order], options)[order]))
    assert fast == plain


@st.composite
def judgment_files(draw: Any) -> bytes:
    """Judgments of four columns, most of them distinct."""
    cells = st.tuples(st.sampled_from(TOPICS), st.sampled_from(["1", "2", "10", "b"]), st.sampled_from(NAMES))
    grades = st.sampled_from(["0", "1", "2", "-2", "4", "0.5", "L1", "1e1"])
    rows = draw(st.lists(cells, min_size=1, max_size=20, unique=draw(st.booleans())))
    gap, end = draw(gaps), draw(ends)
    return "".join(gap.join([*cell, draw(grades)]) + end for cell in rows).encode()


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@given(damaged(judgment_files()), st.sampled_from([None, "trec"]))
def test_judgments_are_read_the_same(content: bytes, named: str | None) -> None:
    """Both readers give the same table or the same error for every file of judgments."""

    def read(path: Path) -> object:
        judgments = read_judgments(path, format=named)
        arrays = [(t.rows.tolist(), t.columns.tolist(), t.grades.tolist()) for t in judgments.topics.values()]
        shapes = [(name, t.documents, t.aspects) for name, t in judgments.topics.items()]
        return shapes, arrays, judgments.format, judgments.source

    fast, plain = on_file(content, read)
    assert fast == plain


@given(
    start=st.sampled_from(["", "a", "doc-0000001-", "\u00e9" * 9]),
    ends=st.sets(st.text("ab0\x7f\u00e9\x00", max_size=12), min_size=1, max_size=60),
)
def test_names_are_sorted_as_in_python(start: str, ends: set[str]) -> None:
    """The compiled order of names, few or many, with any common prefix, is that of sorted()."""
    listed = [start + end for end in ends]
    order = sorted(listed)
    assert sort_positions(Names.of(listed)).tolist() == [order.index(name) for name in listed]
