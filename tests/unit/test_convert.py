"""Files that are written and read again are the same, except for losses that are reported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.cli import main
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.reading import read_judgments, read_run, read_weights
from diveval.reading.parquet import read_runs
from diveval.settings import OrderRule
from diveval.writing import JUDGMENT_TARGETS, RUN_TARGETS, judgments_content, runs_content
from support.refusals import is_warning, refuses

# Ids that every text format can represent: no white space, no leading # or byte-order mark.
ids = st.text(st.characters(exclude_categories=("Z", "C"), exclude_characters='"#'), min_size=1, max_size=4)
grades = st.integers(-2, 4)
cells = st.dictionaries(st.tuples(ids, ids, ids), grades, min_size=1, max_size=12)


def plain(judgments: Judgments) -> list[tuple[str, str, str, float]]:
    """Every judgment as a row."""
    return list(judgments.rows())


def save(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def needed_format(losses: Sequence[str], target: str) -> str | None:
    """The format, if the losses say that it has to be named to read the file again."""
    return target if any("-format" in loss for loss in losses) else None


def written(tmp_path_factory: pytest.TempPathFactory, content: str | bytes) -> Path:
    """A file with this content."""
    return save(tmp_path_factory.mktemp("written") / "file", content)


@pytest.mark.parametrize("target", JUDGMENT_TARGETS)
@settings(max_examples=40, deadline=None)
@given(cells=cells, weighted=st.booleans())
def test_judgments_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, target: Any, cells: Any, weighted: bool
) -> None:
    """Written and read again, judgments are the same except for the reported losses."""
    rows = [(*key, float(grade)) for key, grade in cells.items()]
    weights = {(t, a): 0.25 + len(a) for t, a, _, _ in rows} if weighted else None
    judgments = Judgments.from_rows(rows, weights=weights)
    text = judgments_content(judgments, target)
    again = read_judgments(written(tmp_path_factory, text.content), format=needed_format(text.losses, target))
    expected = plain(judgments)
    if any("negative" in loss for loss in text.losses):
        expected = [(t, a, d, max(g, 0.0)) for t, a, d, g in expected]
    assert plain(again) == expected
    assert any("aspect weights" in loss for loss in text.losses) == (
        weighted and target in ("trec", "ntcir", "dynamic-domain")
    )
    if target == "parquet":
        assert text.losses == ()
    if target == "parquet" or (target == "evall" and weighted):
        assert again.aspect_weights() == judgments.aspect_weights()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ids, ids, ids, grades), min_size=1, max_size=12))
def test_passages_survive_where_the_format_allows(tmp_path_factory: pytest.TempPathFactory, rows: Any) -> None:
    """Dynamic Domain and parquet keep several ratings of a document; other formats keep the best and report a loss."""
    judgments = Judgments.from_rows(((t, a, d, float(g)) for t, a, d, g in rows), repeats=True, format="dynamic-domain")
    repeated = len({row[:3] for row in rows}) < len(rows)
    for target in ("dynamic-domain", "parquet", "trec"):
        text = judgments_content(judgments, target)
        again = read_judgments(written(tmp_path_factory, text.content), format=needed_format(text.losses, target))
        if target == "trec":
            assert any("passages" in loss for loss in text.losses) == repeated
            best: dict[tuple[str, str, str], float] = {}
            for t, a, d, g in plain(judgments):
                best[t, a, d] = max(g, best.get((t, a, d), g))
            assert {row[:3]: row[3] for row in plain(again)} == best
        else:
            assert plain(again) == plain(judgments)
            assert again.format == "dynamic-domain"


scores = st.floats(-1e6, 1e6, allow_nan=False)


@st.composite
def runs(draw: Any, kind: str | None = None) -> Run:
    """A run as one of the readers makes it."""
    kind = kind or draw(st.sampled_from(["trec", "evall", "dynamic-domain"]))
    topics = {}
    for topic in sorted(draw(st.sets(ids, min_size=1, max_size=3))):
        documents = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
        count = len(documents)
        values = np.array(draw(st.lists(scores, min_size=count, max_size=count)))
        if kind == "trec":
            ranks = np.array(draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)))
            topics[topic] = TopicRun(documents, values, ranks if draw(st.booleans()) else None)
        elif kind == "evall":
            topics[topic] = TopicRun(documents)
        else:
            rounds = np.array(draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)))
            topics[topic] = TopicRun(documents, values, None, rounds)
    return Run("some", topics, "some", kind, "tag" if kind == "trec" else "")


def order_of(run: Run) -> dict[str, list[str]]:
    """Each topic's documents in ranking order."""
    rule = OrderRule()
    return {t: [listed.documents[i] for i in listed.order(rule)] for t, listed in run.topics.items()}


def assert_same(first: Run, second: Run) -> None:
    """Equal in every column."""
    assert list(first.topics) == list(second.topics)
    for topic, listed in first.topics.items():
        again = second.topics[topic]
        assert list(listed.documents) == list(again.documents)
        for column in ("scores", "ranks", "iterations"):
            before, after = getattr(listed, column), getattr(again, column)
            assert (before is None) == (after is None), column
            if before is not None:
                np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("target", RUN_TARGETS)
@settings(max_examples=40, deadline=None)
@given(run=runs())
def test_runs_survive_writing_and_reading(tmp_path_factory: pytest.TempPathFactory, target: Any, run: Any) -> None:
    """The order always survives; a run written in its own format or to parquet survives completely."""
    text = runs_content([run], target)
    again = read_run(written(tmp_path_factory, text.content), format=needed_format(text.losses, target))
    assert order_of(again) == order_of(run)
    if target == "parquet":
        assert text.losses == ()
        assert (again.name, again.format, again.tag) == (run.name, run.format, run.tag)
        assert_same(run, again)
    elif target == run.format:
        if all(listed.ranks is not None for listed in run.topics.values()) or target != "trec":
            assert [loss for loss in text.losses if "format" not in loss] == []
            assert_same(run, again)
    else:
        assert text.losses


def test_several_runs_share_a_parquet_file(tmp_path: Path) -> None:
    """Several runs are written to one file and read in the same order, each with its own columns."""
    many = [
        Run("b", {"2": TopicRun(["x", "y"], np.array([2.0, 1.0]))}, "b", "trec", "tag b"),
        Run("a", {"1": TopicRun(["x"]), "2": TopicRun(["z"])}, "a", "evall"),
    ]
    save(tmp_path / "all.parquet", runs_content(many, "parquet").content)
    again = read_runs(tmp_path / "all.parquet")
    assert [run.name for run in again] == ["b", "a"]
    for before, after in zip(many, again, strict=True):
        assert_same(before, after)
        assert (before.format, before.tag) == (after.format, after.tag)


@pytest.mark.parametrize(
    ("rows", "target", "refusal"),
    [
        ([("a b", "1", "d", 1.0)], "trec", ("unwritable-value",)),
        ([("#1", "1", "d", 1.0)], "trec", ("unwritable-value",)),
        ([("1", "1", "d\te", 1.0)], "evall", ("unwritable-value",)),
        ([("1", "1", "d", 0.5)], "ntcir", ("unwritable-value", "0.5")),
        ([("1", "1", "d", 1.0)], "tre", ("unknown-format", "tre")),
    ],
)
def test_an_id_or_grade_that_a_format_cannot_represent_is_refused(
    rows: Any, target: str, refusal: tuple[str, ...]
) -> None:
    """An id or grade that a format cannot represent, or an unknown format, is an error that names it."""
    with refuses(*refusal):
        judgments_content(Judgments.from_rows(rows), target)


QRELS = '"1"\t"x"\t"2"\t"a"\t"0.75"\n"1"\t"y"\t"-1"\t"b"\t"0.25"\n"2"\t"x"\t"1"\t"a"\t"1"\n'


def test_the_command_converts_and_reports_losses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """EvALL to TREC loses the weights with a warning; --weights-output writes them to a file."""
    (tmp_path / "gold").write_text(QRELS)
    assert main(["data", "convert", "qrels", str(tmp_path / "gold"), str(tmp_path / "q.txt"), "--to", "trec"]) == 0
    assert is_warning(capsys.readouterr().err, "information-lost", "q.txt")
    assert (tmp_path / "q.txt").read_text() == "1 a x 2\n1 b y -1\n2 a x 1\n"
    words = [
        "convert",
        "qrels",
        str(tmp_path / "gold"),
        "-",
        "--to",
        "dynamic-domain",
        "--weights-output",
        str(tmp_path / "w"),
    ]
    assert main(words) == 0
    assert capsys.readouterr().out == "1\ta\tx\t1\t2\n1\tb\ty\t1\t-1\n2\ta\tx\t1\t1\n"
    assert read_weights(tmp_path / "w") == {("1", "a"): 0.75, ("1", "b"): 0.25, ("2", "a"): 1.0}


def test_the_command_splits_and_joins_runs(tmp_path: Path) -> None:
    """Text runs go into one parquet file and back into a folder; a run's name never leads out of the folder."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 x 1 0.5 {name}\n1 Q0 y 2 0.25 {name}\n")
    sources = [str(tmp_path / "one.run"), str(tmp_path / "two.run")]
    assert main(["data", "convert", "run", *sources, str(tmp_path / "all.parquet")]) == 0
    assert main(["data", "convert", "run", str(tmp_path / "all.parquet"), str(tmp_path / "out")]) == 0
    for name in ("one", "two"):
        assert (tmp_path / "out" / f"{name}.run").read_text() == (tmp_path / f"{name}.run").read_text()
    evil = Run("../../evil", {"1": TopicRun(["x"], np.array([1.0]), np.array([1]))}, "", "trec", "t")
    other = Run("good", {"1": TopicRun(["x"], np.array([1.0]), np.array([1]))}, "", "trec", "t")
    save(tmp_path / "evil.parquet", runs_content([evil, other], "parquet").content)
    assert main(["data", "convert", "run", str(tmp_path / "evil.parquet"), str(tmp_path / "safe")]) == 0
    assert sorted(p.name for p in (tmp_path / "safe").iterdir()) == ["_.._evil.run", "good.run"]


def test_a_broken_parquet_file_is_one_error_line(tmp_path: Path) -> None:
    """A broken parquet file gives exit code 2 and one line on standard error."""
    (tmp_path / "broken").write_bytes(b"PAR1\x15\x00, and nothing more")
    program = [sys.executable, "-c", "import sys; from diveval.cli import main; sys.exit(main())", "data", "convert"]
    done = subprocess.run([*program, "qrels", str(tmp_path / "broken"), "-"], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert str(tmp_path / "broken") in done.stderr
