"""Obtaining a collection from a server, a folder, ir_datasets or the cache; files are verified by checksum."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from diveval.datasets import Dataset, RemoteFile, get, transfer
from diveval.system.files import cache_folder
from support.refusals import refuses, warns

if TYPE_CHECKING:
    from .conftest import Server

QRELS = b"1 1 d1 1\n1 2 d2 0\n"
TOPICS = b"<webtrack/>\n"
RUN = gzip.compress(b"1 Q0 d1 1 2.0 best\n", mtime=0)
TRUTH = b"""<trec_dd><domain id="1" name="x"><topic id="DD17-1" name="t"><description>d</description>
<subtopic id="1" name="s"><passage id="7"><docno> 12 </docno><rating>3</rating><text>..</text></passage>
<passage id="8"><docno>13</docno><rating>0</rating></passage></subtopic></topic></domain></trec_dd>"""


class Row(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def md5(data: bytes) -> str:
    """The MD5 checksum of some bytes."""
    return hashlib.md5(data).hexdigest()


@pytest.fixture
def dataset(server: Server) -> Dataset:
    """A collection of two files and two runs on the local server; one run has no checksum."""
    locked = server.serve("input.a.gz", RUN, password="Basic bmlzdDpwdw==")
    return Dataset(
        "mini",
        "A small collection",
        f"{server.address}/page",
        "For tests only.",
        files=(
            RemoteFile("judgments", "qrels.txt", server.serve("q.final", QRELS), md5(QRELS), len(QRELS)),
            RemoteFile("topics", "topics.xml", server.serve("t.xml", TOPICS), md5(TOPICS)),
        ),
        runs=(
            RemoteFile("run", "runs/a.gz", locked, md5(RUN), task="adhoc"),
            RemoteFile("run", "runs/b.gz", server.serve("input.b.gz", RUN), task="diversity"),
        ),
    )


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder except the manifest."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_collection_is_downloaded(dataset: Dataset, tmp_path: Path) -> None:
    """The files have their names, and the manifest records the source and the checksum of each."""
    folder = get(dataset, directory=tmp_path / "new", accept_terms=True)
    assert folder == tmp_path / "new"
    assert content(folder) == {"qrels.txt": QRELS, "topics.xml": TOPICS}
    recorded = json.loads((folder / "manifest.json").read_text())["files"]["qrels.txt"]
    assert recorded == {"md5": md5(QRELS), "size": len(QRELS), "source": dataset.files[0].url, "sum": "listed"}


def test_terms_must_be_accepted_first(dataset: Dataset, server: Server, tmp_path: Path) -> None:
    """Nothing is fetched before the terms are accepted; the error shows them; accepting them once is enough."""
    with refuses("terms-not-accepted", "--accept-terms"):
        get(dataset, directory=tmp_path)
    assert server.requests == []
    get(dataset, directory=tmp_path, accept_terms=True)
    get(dataset, directory=tmp_path)
    with refuses("terms-not-accepted"):
        get(replace(dataset, terms="New terms."), directory=tmp_path)


def test_the_second_call_uses_the_cache(dataset: Dataset, server: Server, tmp_path: Path) -> None:
    """A file that is present and unchanged is not requested again."""
    get(dataset, directory=tmp_path, accept_terms=True)
    before = len(server.requests)
    server.files.clear()
    get(dataset, directory=tmp_path)
    assert len(server.requests) == before


def test_a_changed_file_is_fetched_again(dataset: Dataset, server: Server, tmp_path: Path) -> None:
    """A file that was changed on disk fails its checksum and is fetched again, with a warning."""
    get(dataset, directory=tmp_path, accept_terms=True)
    (tmp_path / "qrels.txt").write_bytes(QRELS.replace(b"d1", b"dX"))
    with warns("file-replaced"):
        get(dataset, directory=tmp_path)
    assert (tmp_path / "qrels.txt").read_bytes() == QRELS
    assert [path for path, _ in server.requests].count("/q.final") == 2


def test_a_file_with_a_wrong_checksum_is_not_stored(dataset: Dataset, server: Server, tmp_path: Path) -> None:
    """Different bytes of the right size are an error, and nothing is stored."""
    server.serve("q.final", QRELS.replace(b"d1", b"dX"))
    with refuses("wrong-checksum", md5(QRELS)):
        get(dataset, directory=tmp_path, accept_terms=True)
    assert content(tmp_path) == {}


def test_a_file_of_the_user_is_not_overwritten(dataset: Dataset, tmp_path: Path) -> None:
    """A file of the same name that diveval did not fetch is an error, unless it is the right file."""
    (tmp_path / "topics.xml").write_bytes(TOPICS)
    (tmp_path / "qrels.txt").write_bytes(b"mine")
    with refuses("folder-not-empty", "qrels.txt"):
        get(dataset, directory=tmp_path, accept_terms=True)
    assert (tmp_path / "qrels.txt").read_bytes() == b"mine"
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    get(dataset, directory=tmp_path, accept_terms=True)
    assert json.loads((tmp_path / "manifest.json").read_text())["files"]["qrels.txt"]["source"] == "found in place"


def test_runs_need_the_password(
    dataset: Dataset, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Official runs are fetched with the password from the environment, which is stored nowhere."""
    monkeypatch.delenv("DIVEVAL_TREC_USER", raising=False)
    monkeypatch.delenv("DIVEVAL_TREC_PASSWORD", raising=False)
    with refuses("password-needed", "runs/a.gz", "DIVEVAL_TREC_USER"):
        get(dataset, directory=tmp_path, accept_terms=True, runs="adhoc")
    monkeypatch.setenv("DIVEVAL_TREC_USER", "nist")
    monkeypatch.setenv("DIVEVAL_TREC_PASSWORD", "pw")
    get(dataset, directory=tmp_path, accept_terms=True, runs="adhoc")
    assert set(content(tmp_path)) == {"qrels.txt", "topics.xml", "runs/a.gz"}
    assert all("bmlzdDpwdw" not in path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file())
    sent = {path: "Authorization" in headers for path, headers in server.requests}
    assert sent == {"/q.final": False, "/t.xml": False, "/input.a.gz": True}
    monkeypatch.setenv("DIVEVAL_TREC_USER", "a:b")
    with refuses("password-needed"):
        get(dataset, directory=tmp_path, runs=True)


def test_runs_by_task(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task selects its runs; the error for an unknown task lists the known ones."""
    monkeypatch.setenv("DIVEVAL_TREC_USER", "nist")
    monkeypatch.setenv("DIVEVAL_TREC_PASSWORD", "pw")
    with refuses("invalid-choice", "risk"):
        get(dataset, directory=tmp_path, accept_terms=True, runs="risk")
    with warns("no-checksum", "runs/b.gz"):
        get(dataset, directory=tmp_path, accept_terms=True, runs=True)
    assert {"runs/a.gz", "runs/b.gz"} <= set(content(tmp_path))


def test_without_a_published_checksum_the_first_one_counts(
    dataset: Dataset, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checksum of the first download is recorded: a deleted file must come back the same."""
    without_checksum = replace(dataset, files=(replace(dataset.files[0], md5=""),))
    with warns("no-checksum", "qrels.txt"):
        get(without_checksum, directory=tmp_path, accept_terms=True)
    (tmp_path / "qrels.txt").unlink()
    server.serve("q.final", QRELS.replace(b"d1", b"dX"))
    with refuses("wrong-checksum"):
        get(without_checksum, directory=tmp_path)
    server.serve("q.final", QRELS)
    with warns("no-checksum"):
        get(without_checksum, directory=tmp_path)
    assert (tmp_path / "qrels.txt").read_bytes() == QRELS


def test_files_are_taken_from_a_folder(dataset: Dataset, server: Server, tmp_path: Path) -> None:
    """--from takes files by their official or their local name, checks them and sends no request."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "q.final").write_bytes(QRELS)
    (source / "topics.xml").write_bytes(TOPICS)
    get(dataset, directory=tmp_path / "new", accept_terms=True, source_dir=source)
    assert content(tmp_path / "new") == {"qrels.txt": QRELS, "topics.xml": TOPICS}
    assert server.requests == []


def test_files_on_disk_that_are_wrong_or_missing(dataset: Dataset, tmp_path: Path) -> None:
    """A wrong checksum, missing judgments and a missing folder are errors; missing runs are a warning."""
    source = tmp_path / "source"
    with refuses("not-a-folder"):
        get(dataset, directory=tmp_path / "new", accept_terms=True, source_dir=source)
    source.mkdir()
    with refuses("missing-files", "qrels.txt", "q.final"):
        get(dataset, directory=tmp_path / "new", accept_terms=True, source_dir=source)
    (source / "q.final").write_bytes(b"other")
    with refuses("wrong-checksum", md5(b"other"), md5(QRELS)):
        get(dataset, directory=tmp_path / "new", accept_terms=True, source_dir=source)
    (source / "q.final").write_bytes(QRELS)
    (source / "runs").mkdir()
    (source / "runs" / "input.a.gz").write_bytes(RUN)
    with warns("missing-files", "t.xml", "input.b.gz"):
        get(dataset, directory=tmp_path / "new", accept_terms=True, source_dir=source, runs=True)
    assert content(tmp_path / "new") == {"qrels.txt": QRELS, "runs/a.gz": RUN}


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz"])
def test_judgments_come_from_ir_datasets_first(
    dataset: Dataset, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Judgments that ir_datasets has are taken from it, in the official columns; other files are fetched."""
    rows = [Row("1", "d1", 1, "1"), Row("1", "d2", 0, "2")]
    loaded: list[str] = []

    def load(dataset_id: str) -> SimpleNamespace:
        loaded.append(dataset_id)
        return SimpleNamespace(qrels_iter=lambda: iter(rows))

    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load))
    in_ir_datasets = replace(
        dataset, ir_datasets="x/diversity", files=(replace(dataset.files[0], name=name), dataset.files[1])
    )
    for _ in range(2):
        get(in_ir_datasets, directory=tmp_path, accept_terms=True)
    data = (tmp_path / name).read_bytes()
    assert (gzip.decompress(data) if name.endswith("gz") else data) == QRELS
    assert loaded == ["x/diversity"]
    assert [path for path, _ in server.requests] == ["/t.xml"]


def test_a_failure_of_ir_datasets_falls_back_to_the_download(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If ir_datasets is not installed or fails, judgments come from the official address."""
    in_ir_datasets = replace(dataset, ir_datasets="x/diversity")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    get(in_ir_datasets, directory=tmp_path / "absent", accept_terms=True)
    assert (tmp_path / "absent" / "qrels.txt").read_bytes() == QRELS
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=lambda _: 1 / 0))
    with warns("download-fallback", "division by zero", "ir_datasets", "x/diversity"):
        get(in_ir_datasets, directory=tmp_path / "broken", accept_terms=True)
    assert (tmp_path / "broken" / "qrels.txt").read_bytes() == QRELS


@pytest.mark.parametrize("compressed", [False, True])
def test_judgments_are_made_from_truth_data(server: Server, tmp_path: Path, compressed: bool) -> None:
    """Where only truth data is published, its passages become lines of judgments."""
    data = gzip.compress(TRUTH, mtime=0) if compressed else TRUTH
    name = "truth.xml.gz" if compressed else "truth.xml"
    dataset = Dataset(
        "dd", "", "", "Terms.", files=(RemoteFile("truth", name, server.serve("truth", data), md5(data)),)
    )
    for _ in range(2):
        get(dataset, directory=tmp_path, accept_terms=True)
    assert (tmp_path / "qrels.txt").read_text() == "DD17-1\t1\t12\t7\t3\nDD17-1\t1\t13\t8\t0\n"


@pytest.mark.parametrize(
    ("truth", "refusal"),
    [
        (b"<a><b></a>", ("cannot-parse", "XML")),
        (b"<a/>", ("empty-input",)),
        (TRUTH.replace(b"<rating>3</rating>", b""), ("missing-key", "DD17-1", "7")),
    ],
)
def test_invalid_truth_data_is_an_error(server: Server, tmp_path: Path, truth: bytes, refusal: tuple[str, ...]) -> None:
    """Truth data that cannot be read is an error, and no judgments are written."""
    dataset = Dataset(
        "dd", "", "", "Terms.", files=(RemoteFile("truth", "t.xml", server.serve("truth", truth), md5(truth)),)
    )
    with refuses(*refusal):
        get(dataset, directory=tmp_path, accept_terms=True)
    assert not (tmp_path / "qrels.txt").exists()


def test_a_folder_belongs_to_one_collection(dataset: Dataset, tmp_path: Path) -> None:
    """Two collections cannot share a folder, and an invalid manifest is an error."""
    get(dataset, directory=tmp_path, accept_terms=True)
    with refuses("folder-not-empty", "mini"):
        get(replace(dataset, name="maxi"), directory=tmp_path, accept_terms=True)
    for broken in ("{", "[]", '{"files": 3, "dataset": "mini"}'):
        (tmp_path / "manifest.json").write_text(broken)
        with refuses("cannot-read", "manifest.json"):
            get(dataset, directory=tmp_path, accept_terms=True)


def test_where_the_cache_is(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DIVEVAL_CACHE comes before XDG_CACHE_HOME, that before the home folder; a relative XDG path is ignored."""
    monkeypatch.delenv("DIVEVAL_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / "home" / ".cache" / "diveval"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "diveval"
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path / "own"))
    assert get(dataset, accept_terms=True) == tmp_path / "own" / "datasets" / "mini"


def test_files_fetched_before_a_failure_are_kept(
    dataset: Dataset, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were complete before a failure are not fetched again."""
    monkeypatch.setattr(transfer, "ATTEMPTS", 1)
    server.files["t.xml"].statuses.append(500)
    with refuses("download-failed"):
        get(dataset, directory=tmp_path, accept_terms=True)
    get(dataset, directory=tmp_path)
    assert [path for path, _ in server.requests] == ["/q.final", "/t.xml", "/t.xml"]
