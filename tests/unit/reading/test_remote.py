"""Remote files are read like local ones, in every format; one that cannot be fetched is a one-line error."""

from __future__ import annotations

import builtins
import gzip
import sys
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.answers import evaluate as score_answers
from diveval.cli import main
from diveval.reading import read_judgments, read_run, read_weights
from diveval.scoring.shards import evaluate_parquet, evaluate_to_parquet
from support.refusals import refuses

fsspec = pytest.importorskip("fsspec")
QRELS = "1 a d 1\n1 b e 2\n2 a d 1\n"
RUN = "1 Q0 e 1 2.0 t\n1 Q0 d 2 1.0 t\n2 Q0 d 1 1.0 t\n"


def put(name: Any, data: Any) -> Any:
    """Write a file to fsspec's memory; returns its address."""
    address = f"memory://diveval-tests/{name}"
    with fsspec.open(address, "wb") as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())
    return address


def test_text_compressed_files_and_weights_are_read_from_an_address(tmp_path: Path) -> None:
    """Scores are those of the local files; the run is named after its address."""
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    expected = diveval.evaluate(tmp_path / "q.txt", tmp_path / "a.run", ["RBU@2", "alpha_nDCG@2"])
    remote = diveval.evaluate(put("q1.txt", QRELS), [put("x/a.run", RUN)], ["RBU@2", "alpha_nDCG@2"])
    compressed = diveval.evaluate(
        put("q1.txt.gz", gzip.compress(QRELS.encode())),
        put("a.run.gz", gzip.compress(RUN.encode())),
        ["RBU@2", "alpha_nDCG@2"],
    )
    assert remote.mean() == expected.mean() == compressed.mean()
    assert remote.runs == ("a",)
    assert read_weights(put("w.txt", "1 a 0.5\n1 b 0.5\n")) == {("1", "a"): 0.5, ("1", "b"): 0.5}
    assert len(read_judgments(put("q3.txt", QRELS))) == 2 and list(read_run(put("b.run", RUN)).topics) == ["1", "2"]


def test_parquet_and_answers_are_read_from_an_address(tmp_path: Path) -> None:
    """Parquet judgments and files of answers give the same as local files."""
    pytest.importorskip("pyarrow")
    (tmp_path / "q.txt").write_text(QRELS)
    assert main(["data", "convert", "qrels", str(tmp_path / "q.txt"), str(tmp_path / "q.parquet")]) == 0
    address = put("q.parquet", (tmp_path / "q.parquet").read_bytes())
    assert list(read_judgments(address).rows()) == list(read_judgments(tmp_path / "q.txt").rows())
    line = '{"qid": "1", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}]}'
    assert score_answers([put("s.jsonl", line)], ["nuggetizer.all"]).mean() == {"s": {"nuggetizer.all": 1.0}}


def test_parquet_judgments_and_runs_are_read_from_an_address(tmp_path: Path) -> None:
    """If all files are parquet another path reads them: in `evaluate`, in shards, and into a file."""
    pytest.importorskip("pyarrow")
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    for kind, name in (("qrels", "q.txt"), ("run", "a.run")):
        assert main(["data", "convert", kind, str(tmp_path / name), str(tmp_path / f"{name}.parquet")]) == 0
    judgments, run = (
        put(f"{name}.parquet", (tmp_path / f"{name}.parquet").read_bytes()) for name in ("q.txt", "a.run")
    )
    expected = diveval.evaluate(tmp_path / "q.txt", tmp_path / "a.run", ["RBU@2"]).values.tolist()
    assert diveval.evaluate(judgments, run, ["RBU@2"]).values.tolist() == expected
    assert evaluate_parquet(judgments, [run], ["RBU@2"]).values.tolist() == expected
    assert evaluate_to_parquet(judgments, run, ["RBU@2"], tmp_path / "s.parquet").is_file()


def test_addresses_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """QRELS and RUN may be addresses, also with a given name; an error names the address and the line."""
    assert main(["evaluate", put("q4.txt", QRELS), "mine=" + put("c.run", RUN), "-m", "StRecall@2", "-f", "csv"]) == 0
    assert "mine,StRecall@2,all,1.0" in capsys.readouterr().out
    assert main(["evaluate", put("q5.txt", QRELS + "1 a d\n"), put("c.run", RUN)]) == 2
    assert "memory://diveval-tests/q5.txt:4" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["memory://diveval-tests/none", "nosuch://a/b"])
def test_a_file_that_cannot_be_fetched_is_a_one_line_error(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file or an unknown scheme exits with 2 and names the address."""
    assert main(["evaluate", address, "x.run"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"diveval: error[download-failed]: {address}: ") and error.count("\n") == 1


@pytest.mark.parametrize("address", ["s3://bucket/qrels.txt", "hf://datasets/x/qrels.txt"])
def test_without_fsspec_the_error_gives_the_install_command(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra to install."""
    original = builtins.__import__

    def without_fsspec(name: Any, *more: Any, **named: Any) -> Any:
        if name.split(".")[0] == "fsspec":
            raise ImportError(name)
        return original(name, *more, **named)

    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setattr(builtins, "__import__", without_fsspec)
    with refuses("missing-extra", "diveval[remote]"):
        read_judgments(address)


@pytest.mark.parametrize(
    ("address", "library"), [("s3://bucket/qrels.txt", "s3fs"), ("hf://datasets/x/q", "huggingface_hub")]
)
def test_without_the_library_of_a_scheme_the_error_gives_the_install_command(
    address: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If fsspec lacks the library for a scheme, the error names it."""
    fsspec = pytest.importorskip("fsspec")

    def missing(*given: Any, **named: Any) -> Any:
        raise ImportError("of that storage")

    monkeypatch.setattr(fsspec, "open", missing)
    with refuses("download-failed", library):
        read_judgments(address)
