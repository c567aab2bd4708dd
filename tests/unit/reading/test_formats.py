"""Every format is recognised by its content and read to the same judgments and runs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.reading import read_efforts, read_judgments, read_run, read_weights, run_name
from support.present import present
from support.refusals import refuses, warns

QRELS = "1 1 da 2\n1 1 db 0\n1 2 db 1\n2 1 dc -2\n2 1 dd 1\n"
RUN = "1 Q0 da 1 3.5 tag\n1 Q0 dx 2 2.5 tag\n1 Q0 db 3 1.5 tag\n2 Q0 dd 1 9e0 tag\n"


def write(tmp_path: Path, text: Any, name: str = "file") -> Any:
    """Write a file with these bytes; returns its path."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(judgments: Any) -> Any:
    """Judgments as a set of rows."""
    return set(judgments.rows())


EXPECTED = {
    ("1", "1", "da", 2.0),
    ("1", "1", "db", 0.0),
    ("1", "2", "db", 1.0),
    ("2", "1", "dc", -2.0),
    ("2", "1", "dd", 1.0),
}


@pytest.mark.parametrize(
    "text",
    [
        QRELS,
        QRELS.rstrip("\n"),
        QRELS.replace("\n", "\r\n"),
        QRELS.replace(" ", "\t"),
        QRELS.replace(" ", " \t  "),
        "\n\n# a comment\n" + QRELS.replace("\n", "\n\n"),
        "\ufeff" + QRELS,
        "  # indented comment\n" + QRELS,
        "".join(f"   {line}  \n" for line in QRELS.splitlines()),
    ],
    ids=["plain", "no-last-newline", "crlf", "tabs", "mixed", "blanks-comments", "bom", "indented-comment", "padded"],
)
def test_any_shape_of_white_space_reads_the_same(tmp_path: Path, text: Any) -> None:
    """Any number of spaces and tabs, CRLF, blank lines, comments and a BOM are accepted."""
    assert rows(read_judgments(write(tmp_path, text))) == EXPECTED


@pytest.mark.parametrize("method", ["gzip", "bz2", "xz", "zstd"])
def test_compression_is_recognised_by_content(tmp_path: Path, method: str) -> None:
    """gz, bz2, xz and zst are decompressed whatever the file name."""
    zstandard = pytest.importorskip("zstandard")
    compress = {
        "gzip": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    assert rows(read_judgments(write(tmp_path, compress[method](QRELS.encode()), "any.name"))) == EXPECTED


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert read_run("-").topics["1"].documents == ["da", "dx", "db"]


def test_ids_may_be_any_text(tmp_path: Path) -> None:
    """Topics, aspects and documents may use any script, quotes, commas and no-break spaces."""
    text = 'тема,1 "a" doc-é\u00a0x 1\nтема,1 b #doc 2\n'
    assert rows(read_judgments(write(tmp_path, text))) == {
        ("тема,1", '"a"', "doc-é\u00a0x", 1.0),
        ("тема,1", "b", "#doc", 2.0),
    }


def test_evall_judgments_and_run(tmp_path: Path) -> None:
    """Five tab-separated columns, quoted or not, include the aspect weights; two are a run in file order."""
    text = '"1"\t"da"\t"2"\t"x"\t"0.7"\n"1"\t"db"\t"1"\t"y"\t"0.3"\n'
    for version in (text, text.replace('"', "")):
        judgments = read_judgments(write(tmp_path, version))
        assert judgments.format == "evall"
        assert judgments.aspect_weights() == {("1", "x"): 0.7, ("1", "y"): 0.3}
        assert rows(judgments) == {("1", "x", "da", 2.0), ("1", "y", "db", 1.0)}
    run = read_run(write(tmp_path, '"1"\t"db"\n"1"\t"da"\n'))
    assert run.format == "evall" and run.topics["1"].documents == ["db", "da"]


def test_evall_rows_of_another_weight_are_left_out(tmp_path: Path) -> None:
    """A row whose weight differs from the first of its aspect is ignored, with a warning."""
    path = write(tmp_path, "1\tda\t2\tx\t0.7\n1\tdb\t1\tx\t0.3\n")
    with warns("conflicting-weights", "1"):
        assert rows(read_judgments(path)) == {("1", "x", "da", 2.0)}


def test_ntcir_levels_and_intent_probabilities(tmp_path: Path) -> None:
    """Dqrels grades are L0, L1, …; Iprob is the file of weights."""
    path = write(tmp_path, "0001 0 da L0\n0001 1 db L3\n")
    weights = write(tmp_path, "0001 1 0.25\n", "iprob")
    judgments = read_judgments(path, weights=weights)
    assert judgments.format == "ntcir" and ("0001", "1", "db", 3.0) in rows(judgments)
    assert judgments.aspect_weights() == {("0001", "1"): 0.25}


def test_dynamic_domain_passages_are_all_kept(tmp_path: Path) -> None:
    """A document may have several passages for a subtopic; its grade is the best one."""
    path = write(tmp_path, "DD1\tDD1.1\tda\t100\t2\nDD1\tDD1.1\tda\t101\t4\nDD1\tDD1.2\tdb\t102\t1\n")
    judgments = read_judgments(path)
    topic = judgments.topics["DD1"]
    assert judgments.format == "dynamic-domain" and len(topic.grades) == 3
    assert topic.matrix().max() == 4
    run = read_run(write(tmp_path, "DD1\t0\tda\t1.5\t1\tDD1.1:2|DD1.1:4\nDD1\t1\tdz\t0.5\t0\t\n", "run"))
    assert run.format == "dynamic-domain" and present(run.topics["DD1"].iterations).tolist() == [0, 1]


def test_a_trec_run_keeps_scores_ranks_and_tag(tmp_path: Path) -> None:
    """Six columns are read; ranks that are not numbers are ignored."""
    run = read_run(write(tmp_path, RUN, "input.x.run.gz"))
    assert (run.name, run.tag, run.format) == ("x", "tag", "trec")
    topic = run.topics["1"]
    assert present(topic.scores).tolist() == [3.5, 2.5, 1.5] and present(topic.ranks).tolist() == [1, 2, 3]
    assert read_run(write(tmp_path, "1 Q0 d - 1 t\n")).topics["1"].ranks is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b.run.gz", "b"),
        ("input.CiirAll1.gz", "CiirAll1"),
        ("x.txt", "x"),
        ("plain", "plain"),
        ("v1.2", "v1.2"),
        ("-", "stdin"),
    ],
)
def test_a_run_is_named_after_its_file(name: str, expected: str) -> None:
    """Extensions for compression and file type are not part of the name."""
    assert run_name(name) == expected


BAD_JUDGMENTS = [
    ("", ("empty-input",)),
    ("# only a comment\n", ("empty-input",)),
    ("1 1 d\n", ("wrong-columns", "1", "4", "5", "3")),
    ("1 1 d 1\n1 1 d\n", ("wrong-columns", "2", "4", "3")),
    ("1 1 d x\n", ("not-a-number", "x", "1")),
    ("1 1 d nan\n", ("not-a-number", "nan")),
    ("1 1 d inf\n", ("not-a-number", "inf")),
    ("1 1 d 1_0\n", ("not-a-number", "1_0")),
    ("1 1 d 1\n1 1 d 2\n", ("conflicting-grades", "1", "2")),
    ("1 Q0 d 1 0.5 tag\n", ("wrong-columns",)),
    ("1 doc 1 0 0.25\n", ("ambiguous-format", "--qrels-format")),
    (b"1 1 \xff 1\n", ("not-utf8", "1", "5", "UTF-8")),
    ("1 1 d 1\n".encode("utf-16"), ("not-utf8", "UTF-16")),
    (gzip.compress(QRELS.encode())[:-9], ("broken-compression",)),
]


BAD_RUNS = [
    ("", ("empty-input",)),
    ("1 Q0 d 1 x tag\n", ("not-a-number", "x", "1", "5")),
    ("1 Q0 d 1 nan tag\n", ("not-a-number", "nan")),
    ("1 Q0 d 1 -inf tag\n", ("not-a-number", "-inf")),
    ("1 Q0 d 1 1 t\n1 Q0 e 2 0.5\n", ("wrong-columns", "2", "6")),
    ("1 1 d 1\n", ("ambiguous-format",)),
    ("1 Q0 d 1 " + "9" * 400 + " t\n", ("not-a-number",)),
]


BAD = [(read, *case) for read, cases in ((read_judgments, BAD_JUDGMENTS), (read_run, BAD_RUNS)) for case in cases]


@pytest.mark.parametrize(
    ("read", "text", "refusal"),
    BAD,
    ids=[f"{read.__name__} {refusal[0]} {i}" for i, (read, _, refusal) in enumerate(BAD)],
)
def test_an_invalid_file_is_a_one_line_error(tmp_path: Path, read: Any, text: Any, refusal: tuple[str, ...]) -> None:
    """The error gives the file, the line, what was expected and what was found."""
    path = write(tmp_path, text)
    with refuses(*refusal, source=str(path)):
        read(path)


def test_a_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    """Each is an error with its reason."""
    with refuses("is-a-folder"):
        read_judgments(tmp_path)
    with refuses("cannot-read"):
        read_run(tmp_path / "none")


def test_an_unknown_format_gets_the_nearest(tmp_path: Path) -> None:
    """The error for an unknown format suggests the nearest one."""
    with refuses("unknown-format"):
        read_run(write(tmp_path, RUN), format="trek")


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("1 a -1\n", ("invalid-weight", "-1", "1")),
        ("1 a nan\n", ("not-a-number", "nan", "1")),
        ("1 a 1\n1 a 2\n", ("conflicting-weights", "1", "a", "2")),
        ("1 a\n", ("wrong-columns", "1", "3")),
        ("", ("empty-input",)),
    ],
)
def test_invalid_weights_are_errors(tmp_path: Path, text: str, refusal: tuple[str, ...]) -> None:
    """Negative, NaN, contradicting, short or absent weights are errors."""
    with refuses(*refusal):
        read_weights(write(tmp_path, text))


def test_weights_for_another_collection_or_missing_aspects_are_errors(tmp_path: Path) -> None:
    """The weights must cover the topics and every aspect that has a relevant document."""
    path = write(tmp_path, QRELS)
    with refuses("no-shared-topic"):
        read_judgments(path, weights={("9", "1"): 1.0})
    from diveval.settings import RelevanceRule

    with refuses("missing-weights", "2"):
        read_judgments(path, weights={("1", "1"): 1.0, ("2", "1"): 1.0}).relevance(RelevanceRule())
    with warns("missing-weights", "1", "2"):
        read_judgments(path, weights={("1", "1"): 1.0, ("1", "2"): 1.0})


def test_efforts_by_document_and_unit(tmp_path: Path) -> None:
    """Efforts are costs divided by a unit or by their mean; other documents have the default."""
    path = write(tmp_path, "da 100\ndb 300\n")
    assert read_efforts(path, unit=None).of("db") == 1.5
    assert read_efforts(path, unit=50.0, default=2.0).of("zz") == 2.0
    with refuses("wrong-columns", "2"):
        read_efforts(write(tmp_path, "da\n"))


def test_repeated_judgments(tmp_path: Path) -> None:
    """The same grade twice is a warning; different grades are an error unless a rule is chosen."""
    with warns("duplicate-judgment", "1"):
        read_judgments(write(tmp_path, "1 1 d 1\n1 1 d 1\n"))
    path = write(tmp_path, "1 1 d 1\n1 1 d 3\n1 1 d 2\n")
    grades = {rule: next(iter(rows(read_judgments(path, duplicates=rule))))[3] for rule in ("max", "first", "last")}
    assert grades == {"max": 3.0, "first": 1.0, "last": 2.0}


def test_natural_order_of_topics(tmp_path: Path) -> None:
    """Topics are in numeric order if all are numbers, otherwise in text order."""
    assert list(read_judgments(write(tmp_path, "10 1 d 1\n9 1 d 1\n")).topics) == ["9", "10"]
    assert list(read_judgments(write(tmp_path, "b 1 d 1\n10 1 d 1\n9 1 d 1\n")).topics) == ["10", "9", "b"]


def test_scores_are_doubles(tmp_path: Path) -> None:
    """16777216 and 16777217 differ, which they would not in single precision."""
    run = read_run(write(tmp_path, "1 Q0 a 1 16777216 t\n1 Q0 b 2 16777217 t\n"))
    assert np.diff(present(run.topics["1"].scores)).tolist() == [1.0]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("1\tQ0 d1 1 2.0 x\n1\tQ0 d2 2 1.0 x\n", "trec"),
        ("1 Q0 d1 1 2.0\tx\n", "trec"),
        ("1\td1\n1\td2\n", "evall"),
        ("1\ta document of six words here\n", "evall"),
        ("1 Q0 d1\t1 2.0\t7\n", "trec"),
        ("1 Q0 d,1 1 2.0 a,3\n", "trec"),
        ("1\td1\t1\n", "pyevall"),
        ("1 0 d1 1 1 tag\n", "trec"),
        ("DD1 0 d1 3 1 DD1.1:3\n", "dynamic-domain"),
    ],
)
def test_tabs_and_commas_do_not_make_another_format(tmp_path: Path, content: str, format: str) -> None:
    """The complete line decides: six columns with a score are TREC's, whatever separates them."""
    assert read_run(write(tmp_path, content)).format == format


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("1\t1\t101\t1\t1\n1\t2\t102\t1\t1\n1\t3\t103\t0\t1\n", None),  # or TREC's with numbers as documents
        ("1\t1\t7\t1\t5\n1\t2\t7\t0\t5\n", None),
        ("1\ta\t101\t1\t1\n1\ta\t102\t1\t1\n1\tb\t101\t0\t1\n", None),
        ("1\t101\t1\t1\t0.5\n1\t101\t1\t2\t0.5\n", "evall"),  # one grade for two aspects
        ("1\t101\t1\tdrama\t1\n1\t102\t0\tdrama\t1\n", "evall"),
        ("1\td1\t1\t1\t1\n1\td2\t0\t1\t1\n", "evall"),
        ('"1"\t"101"\t"1"\t"0"\t"1"\n', "evall"),
    ],
)
def test_five_tab_separated_columns_are_evalls_only_if_unambiguous(
    tmp_path: Path, content: str, format: str | None
) -> None:
    """If numbers could be documents or grades, the reader asks for the format."""
    path = write(tmp_path, content)
    if format is None:
        with refuses("ambiguous-format", "--qrels-format"):
            read_judgments(path)
    else:
        assert read_judgments(path).format == format


def test_the_format_option_resolves_an_ambiguous_file(tmp_path: Path) -> None:
    """A file that fits two formats is an error that names the option, and the option decides."""
    path = write(tmp_path, "1\tQ0 d1 1 2.0 x\n1\td2\n")
    with refuses("ambiguous-format", "--run-format"):
        read_run(path)
    assert list(read_run(path, format="evall").topics["1"].documents) == ["Q0 d1 1 2.0 x", "d2"]
    five = write(tmp_path, "1 0 d1 1 0.5\n1 0 d2 0 0.25\n")
    with refuses("ambiguous-format", "--qrels-format"):
        read_judgments(five)
    assert read_judgments(five, format="dynamic-domain").highest == 0.5
    assert read_judgments(write(tmp_path, "DD1 DD1.1 d1 7 2\n")).format == "dynamic-domain"


@pytest.mark.parametrize(
    "content",
    [
        "1\t1 d1\t1\n2\t1 d4\t1\n",  # PyEvALL's, or TREC's
        "1\t0\td1\t1\t1\n",  # Dynamic Domain's, or TREC's with a column more
        "1\t0\t17\t1\t1\n1\t0\t18\t1\t1\n",  # EvALL's, or TREC's with a column more
    ],
)
def test_ambiguous_judgments_are_an_error(tmp_path: Path, content: str) -> None:
    """The error names the option that gives the format."""
    with refuses("ambiguous-format", "--qrels-format"):
        read_judgments(write(tmp_path, content))


@pytest.mark.parametrize(
    "content",
    [
        "1\td1 2.0\n1\td2 1.0\n",  # a document with a blank, or a score
        "1\t0\td1\t1\n",  # a round of Dynamic Domain, or judgments
        "1 0 d1 0.5\n",
        "1 0 d1 1 1\n",  # or TREC's, without the tag
        "1 0 d1 1 1 run:1\n",
        "1\tQ0 d1 1 2.0\t7\n1\td2\t2\n1\td3\t3\n",
    ],
)
def test_ambiguous_runs_are_an_error(tmp_path: Path, content: str) -> None:
    """The error names the option that gives the format."""
    with refuses("ambiguous-format", "--run-format"):
        read_run(write(tmp_path, content))


def test_judgments_of_three_columns_get_a_hint_about_the_aspect(tmp_path: Path) -> None:
    """Without the aspect column the error says which column is missing; it is no hint for other widths."""
    for text, hinted in (("1 d1 1\n", True), ("1 d1\n", False)):
        (tmp_path / "q").write_text(text)
        with refuses("wrong-columns") as caught:
            read_judgments(tmp_path / "q")
        assert ("aspect" in caught.value.hint) == hinted
