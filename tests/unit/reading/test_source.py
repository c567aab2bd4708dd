"""One place opens inputs: every kind of source gives the same result, is opened once and is named by its own name."""

from __future__ import annotations

import builtins
import gzip
import io
import os
import re
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval import evaluate
from diveval.errors import InputError, capture_warnings
from diveval.reading import read_judgments, read_run
from diveval.reading.lines import LONGEST_LINE
from diveval.reading.parquet import decoded_bytes
from diveval.reading.source import Source, read_lines
from diveval.system import scanner
from support.refusals import refusal_of, refuses

QRELS = "1 a d1 1\n1 b d2 2\n2 a d3 1\n"
RUN = "1 Q0 d1 1 3 t\n1 Q0 d2 2 2 t\n2 Q0 d3 1 1 t\n"
needs_compiler = pytest.mark.skipif(scanner.module() is None, reason="needs the compiled scanner")


def zipped(text: str, *more: str) -> bytes:
    """A zip archive of one file, or of several."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate((text, *more)):
            archive.writestr(f"{number}.run", content)
    return made.getvalue()


def code_of(read: Any, *words: Any, **named: Any) -> str:
    """The code of the error that a call ends with."""
    return refusal_of(read, *words, **named).code


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode()), zipped])
def test_files_and_bytes_are_read_alike(pack: Any, tmp_path: Path) -> None:
    """A file, and its bytes in memory, plain or packed, give the scores of the text."""
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "a.run").write_bytes(pack(RUN))
    expected = evaluate(tmp_path / "q", {"a": {"1": {"d1": 3, "d2": 2}, "2": {"d3": 1}}}, "nDCG@5").values
    for run in (tmp_path / "a.run", Source.from_bytes(pack(RUN), "a.run")):
        scores = evaluate(Source.from_bytes(QRELS.encode(), "q"), [run], "nDCG@5")
        assert list(scores.runs) == ["a"] and np.array_equal(scores.values, expected)


def test_standard_input_is_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is standard input, also if it is parquet."""
    table = pa.table({"topic": ["1"], "document": ["d1"], "score": [1.0]})
    made = io.BytesIO()
    pq.write_table(table, made)
    for data in (b"1 Q0 d1 1 1 t\n", made.getvalue()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert list(read_run("-").topics["1"].documents) == ["d1"]


def test_a_pipe_is_read_to_memory_where_it_is_needed_twice(tmp_path: Path) -> None:
    """`read_once` of a named pipe has its content, and can be opened again."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(RUN,))
    writer.start()
    source = Source.of(pipe).read_once()
    writer.join()
    assert [list(read_run(source).topics) for _ in range(2)] == [["1", "2"]] * 2


def test_errors_name_the_source(tmp_path: Path) -> None:
    """An error has the name and the line of the source, whatever the source is."""
    (tmp_path / "upload").write_text("1 Q0 d1 1 x t\n")
    data = Source.from_bytes(b"1 Q0 d1 1 x t\n", "member.run")
    for source in (data, Source("member.run", str(tmp_path / "upload"))):
        with refuses("not-a-number", source="member.run", line=1):
            read_run(source)
    assert code_of(read_run, Source.from_bytes(zipped(RUN, RUN), "two.zip")) == "wrong-number-of-runs"


@pytest.mark.parametrize("plain", ["0", "1"])
@pytest.mark.parametrize("interleaved", [False, True])
def test_an_input_is_opened_once(
    plain: str, interleaved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Detection of parquet and format, scanning and a second scan use one handle per file."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)
    text = RUN + "1 Q0 d9 3 1 t\n" if interleaved else RUN
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(text.encode()))
    opened: list[str] = []
    original = io.open

    def counting(file: Any, *words: Any, **named: Any) -> Any:
        opened.append(Path(file).name if isinstance(file, (str, Path)) else "")
        return original(file, *words, **named)

    monkeypatch.setattr(io, "open", counting)
    monkeypatch.setattr(builtins, "open", counting)
    evaluate(tmp_path / "qrels.txt", [tmp_path / "a.run", tmp_path / "b.run.gz"], "nDCG@5")
    assert [opened.count(name) for name in ("qrels.txt", "a.run", "b.run.gz")] == [1, 1, 1]


# --- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", ["0", "1"])
@pytest.mark.parametrize("prefix", ["", "# a comment\r"])
def test_line_ends_of_cr_are_an_error(plain: str, prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose lines end with CR only is one line, and is refused by both readers and in every format."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)
    files = {"trec": RUN, "evall": "1\td1\n1\td2\n", "dynamic-domain": "DD1 0 d1 3.5\nDD1 1 d2 2.5\n"}
    for format, text in files.items():
        (tmp_path / "cr.run").write_bytes((prefix + text.replace("\n", "\r")).encode())
        assert code_of(read_run, tmp_path / "cr.run", format=format) == "cr-line-ends"
    (tmp_path / "q").write_bytes((prefix + QRELS.replace("\n", "\r")).encode())
    assert code_of(read_judgments, tmp_path / "q") == "cr-line-ends"


lines_of_runs = st.lists(
    st.tuples(
        st.sampled_from(["1 Q0 {} 1 3 t", "2 Q0 {} 2 2.5 t", "1\tQ0\t{}\t1\t3\tt", "2 Q0 {} 1 1 my tag"]),
        st.sampled_from(["\n", "\r\n", "\r", "", " ", "\x0b"]),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("plain", ["0", "1"])
@settings(max_examples=150, deadline=None)
@given(lines=lines_of_runs)
def test_no_line_of_a_run_is_lost(plain: str, lines: list[tuple[str, str]]) -> None:
    """A run that is accepted has a document for every line, counted without the readers; so two readers that share a
    fault do not hide it."""
    text = "".join(line.format(f"d{number}") + end for number, (line, end) in enumerate(lines))
    expected = set(re.findall(r"\bd[0-9]+\b", text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(scanner.PLAIN_VARIABLE, plain)
        try:
            run = read_run(Source.from_bytes(text.encode(), "a.run"), format="trec")
        except InputError:
            return
    assert {document for topic in run.topics.values() for document in topic.documents} == expected


@pytest.mark.parametrize("plain", ["0", "1"])
def test_further_columns_are_a_tag_with_blanks_or_an_error(plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns after the score are the tag if they are the same on every line and fewer than a second line has."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)

    def read(*tags: str) -> Any:
        text = "".join(f"1 Q0 d{number} {number} {9 - number} {tag}\n" for number, tag in enumerate(tags))
        return read_run(Source.from_bytes(text.encode(), "a.run"))

    assert read("my run", "my  run").tag == "my run"
    assert read("a b c d e", "a b c d e").tag == "a b c d e"
    assert read("one", "two").tag == "one"
    for tags in (("my run", "your run"), ("my", "your run"), ("my run", "your"), ("a b c d e f",) * 2):
        assert code_of(read, *tags) == "wrong-columns"
    for tags in (("my run", "my"), ("my", "my run"), ("my run", "my walk")):  # trec_eval ignores what follows the tag
        with capture_warnings() as notes:
            assert read(*tags).tag == "my"
        assert [note.code for note in notes] == ["wrong-columns"]


@pytest.mark.parametrize("plain", ["0", "1"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_byte_order_mark_is_no_part_of_a_topic(plain: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a file of a single line without a line end."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)
    for read, text in ((read_judgments, "1 a d1 1"), (read_run, "1 Q0 d1 1 1 t")):
        assert list(read(Source.from_bytes(f"\ufeff{text}{end}".encode(), "f")).topics) == ["1"]


@pytest.mark.parametrize("plain", ["0", "1"])
@pytest.mark.parametrize("fill", [" ", "x"])
def test_both_readers_have_the_same_limit_of_a_line(plain: str, fill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line behind those that are looked at for the format is refused if it is too long, and only then."""
    monkeypatch.setenv(scanner.PLAIN_VARIABLE, plain)
    before = "".join(f"1 Q0 d{number} {number} {99 - number} t\n" for number in range(70))
    last = "1 Q0 last 70 1 t"
    for length, fits in ((LONGEST_LINE, True), (LONGEST_LINE + 1, False)):
        line = last + fill * (length - len(last) - 1) + "\n"
        source = Source.from_bytes((before + line).encode(), "a.run")
        if fits:
            assert len(read_run(source, format="trec").topics["1"].documents) == 71
        else:
            assert code_of(read_run, source, format="trec") == "line-too-long"
            assert code_of(evaluate, {"1": {"d1": 1}}, source, "nDCG") == "line-too-long"


def test_a_replaced_file_is_read_to_its_end(tmp_path: Path) -> None:
    """A file that another one replaces while it is read gives its own content, not a mixture."""
    path = tmp_path / "a.run"
    path.write_text(RUN)
    lines = read_lines(path)
    first = next(lines)
    (tmp_path / "other").write_text(RUN.replace("d", "x"))
    (tmp_path / "other").replace(path)
    assert "".join(f"{text}\n" for _, text in (first, *lines)) == RUN


# --- the size of parquet ----------------------------------------------------------------------------------------------


def bomb(rows: int, text: str, **options: Any) -> bytes:
    """A parquet file in which every row has the same document."""
    made = io.BytesIO()
    table = {"topic": ["1"] * rows, "document": [text] * rows, "score": np.arange(float(rows)), "grade": [1.0] * rows}
    pq.write_table(pa.table(table), made, **options)
    return made.getvalue()


@pytest.mark.parametrize(
    "options",
    [{}, {"use_dictionary": False, "column_encoding": {"document": "DELTA_BYTE_ARRAY"}}, {"row_group_size": 500}],
    ids=["dictionary", "delta", "row groups"],
)
def test_parquet_that_decodes_to_too_much_is_refused(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file with a long id in every row is refused before it is decoded, by every reader."""
    monkeypatch.setattr("diveval.reading.parquet.UNSUSPECTED_BYTES", 20 << 20)
    data = bomb(4000, "x" * 20_000, **options)
    assert len(data) < 200_000
    for read in (read_run, read_judgments):
        assert code_of(read, Source.from_bytes(data, "a.parquet")) == "file-too-large"


def test_the_decoded_size_is_a_bound() -> None:
    """It is never below the size of the decoded texts, and above the limit only if they are."""
    for options in ({}, {"use_dictionary": False}, {"row_group_size": 7}):
        data = bomb(1000, "y" * 30, **options)
        file = pq.ParquetFile(io.BytesIO(data))
        assert decoded_bytes(file.metadata, io.BytesIO(data), 1 << 30) >= 31_000
        for limit, above in ((30_000, True), (100_000, False)):
            assert (decoded_bytes(file.metadata, io.BytesIO(data), limit) > limit) == above
