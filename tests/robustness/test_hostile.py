"""Inputs of hostile shape or size: pipes, ids of a megabyte, ids that are markup, files that change while they are
read, and very many aspects, documents and runs. `make hostile` runs the largest.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate
from diveval.cli import main
from diveval.reading import lines, read_judgments, read_run, scan
from support.refusals import is_refusal, refuses, warns

FULL = os.environ.get("DIVEVAL_HOSTILE") == "1"
Q = "1 1 da 2\n1 2 db 1\n2 1 dc 1\n"
R = "1 Q0 da 1 2 tag\n1 Q0 db 2 1 tag\n2 Q0 dc 1 1 tag\n"


@pytest.fixture(params=["scanner", "plain"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The compiled scanner and the Python reader."""
    monkeypatch.setenv("DIVEVAL_PLAIN_READER", "1" if request.param == "plain" else "")
    return request.param


def files(folder: Any, **contents: Any) -> Any:
    """Write files by name; their paths."""
    for name, content in contents.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [str(folder / name) for name in contents]


def scores(words: Any, capsys: pytest.CaptureFixture[str]) -> Any:
    """The output of `evaluate -f csv` by run, metric and topic."""
    assert main(["evaluate", *words, "-q", "-f", "csv"]) == 0, capsys.readouterr().err
    csv.field_size_limit(10_000_000)
    return {tuple(row[:3]): float(row[3]) for row in list(csv.reader(io.StringIO(capsys.readouterr().out)))[1:]}


# --- pipes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compressed", [False, True], ids=["text", "gz"])
@pytest.mark.parametrize(
    "words",
    [
        "evaluate {q} {r} -m RBU -m trec_eval.map",
        "check {q} {r}",
        "evaluate {q} {r} --stop",
        "data simulate {q} {r} --grades -o {out}",
        "data convert run {r} {out}",
    ],
)
def test_a_pipe_gives_the_same_output_as_a_file(
    words: str, compressed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FIFOs for judgments and run, compressed or not, give the same output as files and are read only once."""
    pack = gzip.compress if compressed else bytes
    paths = files(tmp_path, q=Q, r=R)
    piped = tmp_path / "pipes"
    piped.mkdir()
    for name, content in (("q", Q), ("r", R)):
        os.mkfifo(piped / name)
        if "{" + name + "}" in words:
            threading.Thread(target=(piped / name).write_bytes, args=(pack(content.encode()),), daemon=True).start()
    assert main(words.format(q=paths[0], r=paths[1], out=tmp_path / "a").split()) == 0
    expected = _words(capsys.readouterr().out.replace(str(tmp_path / "a"), "OUT").replace(str(tmp_path), ""))
    assert main(words.format(q=piped / "q", r=piped / "r", out=tmp_path / "b").split()) == 0
    assert _words(capsys.readouterr().out.replace(str(tmp_path / "b"), "OUT").replace(str(piped), "")) == expected


def _words(text: Any) -> Any:
    """The words of an output, whatever the width of its columns."""
    return re.sub(r"-{3,}", "---", text).split()


# --- ids --------------------------------------------------------------------------------------------------------------

UNUSUAL = [
    '"quoted"',
    "a,b",
    "<script>alert(1)</script>",
    "&amp;",
    "\x01\x02",
    "\x1b[31mred",
    "';drop",
    "a=b",
    "日本語",
    "\u202eabc",
    "\u00a0",
    "%s{}",
    "-",
    "NaN",
    "0" * 400,
]


def test_ids_of_any_characters_are_supported(reader: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids with quotes, commas, control characters, markup or other scripts are scored, and appear in CSV and JSON."""
    q, r = files(
        tmp_path,
        q="".join(f"{topic} {topic} {document} 1\n" for topic in UNUSUAL for document in UNUSUAL),
        r="".join(f"{topic} Q0 {document} {i} {-i} t\n" for topic in UNUSUAL for i, document in enumerate(UNUSUAL)),
    )
    assert scores([q, r, "-m", "P@15"], capsys) == {("r", "P@15", topic): 1.0 for topic in [*UNUSUAL, "all"]}
    assert main(["evaluate", q, r, "-m", "P@15", "-q", "-f", "json"]) == 0
    out = capsys.readouterr().out
    assert all(json.dumps(topic)[1:-1] in out or topic in out for topic in UNUSUAL)


def test_ids_of_a_megabyte_are_read_and_shortened_in_errors(
    reader: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Topics, aspects, documents and tags of 1 MB are scored like short ones; an error about one is short."""
    big = "x" * 1_000_000
    q, r, twice = files(
        tmp_path,
        q=f"{big} 1 da 1\n1 {big} db 1\n2 1 {big} 1\n",
        r=f"{big} Q0 da 1 1 t\n1 Q0 db 1 1 {big}\n2 Q0 {big} 1 1 t\n",
        twice=f"1 Q0 {big} 1 1 t\n1 Q0 {big} 2 1 t\n",
    )
    assert scores([q, r, "-m", "RR"], capsys) == {("r", "RR", topic): 1.0 for topic in ("1", "2", big, "all")}
    assert main(["evaluate", q, twice, "-m", "RR"]) == 2
    error = capsys.readouterr().err
    assert len(error) < 500 and "--duplicates" in error


def test_a_line_without_end_is_refused(
    reader: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line longer than the plain reader's limit (here 1 MB) is refused; the scanner has a limit of its own, 16 MB."""
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 20)
    q, r = files(tmp_path, q=Q, r="1 Q0 " + "x" * (1 << 20) + " 1 1 t\n")
    assert main(["evaluate", q, r, "-m", "RR", "--run-format", "trec"]) == (0 if reader == "scanner" else 2)
    capsys.readouterr()
    assert main(["evaluate", q, r, "-m", "RR"]) == 2
    assert is_refusal(capsys.readouterr().err, "line-too-long", "1048576")


# --- files that change ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["grows", "is cut"])
@pytest.mark.parametrize("read", [read_judgments, read_run], ids=["judgments", "run"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    read: Any, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the change, whatever else is wrong with the content that was read."""
    text = Q if read is read_judgments else R
    (path,) = files(tmp_path, f=text)
    original = lines.number_lines

    def changing(*words: Any, **named: Any) -> Iterator[Any]:
        for number, line in original(*words, **named):
            yield number, line
            if number == 1:
                with Path(path).open("r+b") as stream:
                    if change == "grows":
                        stream.seek(0, 2)
                        stream.write(b"half a li")
                    elif change == "is cut":
                        stream.truncate(len(text) - 3)

    monkeypatch.setattr("diveval.reading.source.number_lines", changing)
    with refuses("file-changed"):
        read(path)


def test_a_run_that_changes_while_it_is_scanned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scanner, which reads a file in one call, notices that it has grown."""
    pytest.importorskip("diveval._scanner", reason="the scanner is not built")
    q, r = files(tmp_path, q=Q, r=R)
    feed = scan._feed

    def changing(*words: Any) -> Any:
        status = feed(*words)
        with Path(r).open("ab") as stream:
            stream.write(b"half a li")
        return status

    monkeypatch.setattr(scan, "_feed", changing)
    with refuses("file-changed"):
        evaluate(q, r, "RR")


def test_a_warning_about_unusual_ids_is_one_short_line(tmp_path: Path) -> None:
    """Control characters are escaped and long ids shortened in the warning about missing topics."""
    q, r = files(tmp_path, q=Q + "\x1b[31mred a da 1\n" + "y" * 10_000 + " a da 1\n", r=R)
    with warns("missing-topics") as caught:
        evaluate(q, r, "RR")
    (line,) = [str(warning.message) for warning in caught]
    assert line.isprintable() and len(line) < 400


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_a_cutoff_of_10_to_the_12_needs_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables are as long as the lists, not as the cutoff, and the values are those without a cutoff."""
    q, r = files(tmp_path, q=Q, r=R)
    names = ["RBU", "alpha_nDCG", "nDCG", "ERR", "D#-nDCG", "StRecall", "EU", "CT", "AP", "RBP", "nRBU", "P"]
    asked = [word for name in names for word in ("-m", f"{name}@1000000000000")]
    deep = scores([q, r, *asked], capsys)
    plain = scores([q, r, *[word for name in names[:-1] for word in ("-m", name)]], capsys)
    assert [v for (_, m, t), v in deep.items() if t == "all" and not m.startswith("P@")] == [
        v for (*_, t), v in plain.items() if t == "all"
    ]


@pytest.mark.parametrize(
    "count", [20_000, pytest.param(100_000, marks=pytest.mark.skipif(not FULL, reason="make hostile"))]
)
def test_very_many_aspects(count: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """10^5 aspects of one topic are scored correctly; with as many documents the topic is refused."""
    q, r, both = files(
        tmp_path,
        q="".join(f"1 a{i} d{i % 10} 1\n" for i in range(count)),
        r="".join(f"1 Q0 d{i} {i} {-i} t\n" for i in range(5)),
        both="".join(f"1 a{i} d{i} 1\n" for i in range(count)),
    )
    assert scores([q, r, "-m", "StRecall"], capsys)["r", "StRecall", "all"] == pytest.approx(0.5)
    assert main(["evaluate", both, r, "-m", "StRecall"]) == 2
    error = capsys.readouterr().err
    assert f"{count} aspects" in error and "--largest-topic" in error


@pytest.mark.parametrize(
    "count", [100_000, pytest.param(1_000_000, marks=pytest.mark.skipif(not FULL, reason="make hostile"))]
)
def test_a_topic_of_a_million_documents(count: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """10^6 documents of one topic, all judged and in reverse order, are scored correctly."""
    q, r = files(
        tmp_path,
        q="".join(f"1 {i % 5} d{i} {i % 2}\n" for i in range(count)),
        r="".join(f"1 Q0 d{i} 0 {i} t\n" for i in range(count)),
    )
    values = scores([q, r, "-m", f"P@{count}", "-m", "RR", "-m", "RBU", "-m", "alpha_nDCG@20"], capsys)
    assert values["r", f"P@{count}", "all"] == 0.5 and values["r", "RR", "all"] == 1.0


@pytest.mark.parametrize(
    "count", [300, pytest.param(10_000, marks=pytest.mark.skipif(not FULL, reason="make hostile"))]
)
def test_very_many_runs_of_the_same_name(count: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """10^4 runs of the same name are all scored, and named by their paths."""
    runs = []
    for i in range(count):
        (tmp_path / str(i)).mkdir()
        runs += files(tmp_path / str(i), r=R)
    (q,) = files(tmp_path, q=Q)
    values = scores([q, *runs, "-m", "RR"], capsys)
    assert len(values) == 3 * count and {name for name, *_ in values} == set(runs)
    assert main(["evaluate", "--stop", q, *runs, "-f", "csv"]) == 0
    assert capsys.readouterr().out.count("\n") == 3 * count + 1


@pytest.mark.skipif(not FULL, reason="make hostile")
@pytest.mark.parametrize("kind", ["judgments", "run"])
def test_a_compressed_file_of_ten_gigabytes_is_refused_early(
    kind: str, reader: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """10 MB that decompress to 10 GB of lines are refused."""
    q, r = files(tmp_path, q=Q, r=R)
    line = b"#" * 1023 + b"\n"
    member = gzip.compress(line * 102_400)
    with (tmp_path / "bomb.gz").open("wb") as stream:
        stream.write(gzip.compress((Q if kind == "judgments" else R).encode()))
        for _ in range(100):
            stream.write(member)
    words = [str(tmp_path / "bomb.gz"), r] if kind == "judgments" else [q, str(tmp_path / "bomb.gz")]
    assert main(["evaluate", *words, "-m", "RR"]) == 2
    assert is_refusal(capsys.readouterr().err, "file-too-large", 200)
