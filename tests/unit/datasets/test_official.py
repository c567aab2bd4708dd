"""The catalogue of official collections: complete, well formed, and correct for the real files where available."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from diveval.datasets import catalogue, find, get
from diveval.datasets.transfer import check_address, matches
from support.refusals import refuses

REAL = Path(os.environ.get("DIVEVAL_REALDATA") or Path(__file__).parents[4] / "shared" / "data")


def test_the_catalogue_is_complete() -> None:
    """TREC Web 2009–2014, Dynamic Domain 2015–2017 and NTCIR's four diversity tasks are listed, each once."""
    names = [dataset.name for dataset in catalogue()]
    assert len(set(names)) == len(names)
    assert {f"trec-web-{year}" for year in range(2009, 2015)} <= set(names)
    assert {f"trec-dd-{year}" for year in range(2015, 2018)} <= set(names)
    assert sum(name.startswith("ntcir-") for name in names) == 4


def test_every_entry_is_well_formed() -> None:
    """Addresses are https, checksums are MD5 or empty, names stay inside the folder, terms are given."""
    for dataset in catalogue():
        assert check_address(dataset.page)
        assert len(dataset.terms) > 50
        files = [*dataset.files, *dataset.runs]
        assert len({file.name for file in files}) == len(files)
        assert len({file.url for file in files}) == len(files)
        for file in files:
            assert file.url.startswith("https://trec.nist.gov/")
            assert re.fullmatch(r"([0-9a-f]{32})?", file.md5)
            assert re.fullmatch(r"(runs/)?[A-Za-z0-9][A-Za-z0-9._-]*", file.name)
            assert (file.kind == "run") == file.name.startswith("runs/")


def test_the_first_file_holds_the_judgments() -> None:
    """Judgments come first; the files of every Web collection include the topics, and all have checksums."""
    for dataset in catalogue():
        if dataset.by_hand:
            continue
        assert dataset.files[0].kind == ("truth" if dataset.name == "trec-dd-2017" else "judgments")
        if dataset.name.startswith("trec-web"):
            assert {file.kind for file in dataset.files} >= {"judgments", "topics"}
            assert all(file.md5 and file.size for file in dataset.files)
            assert dataset.ir_datasets.endswith(f"/{dataset.name}/diversity")


def test_the_official_runs_are_complete() -> None:
    """Each collection has as many runs as the official list, and only those of DD 2016 and 2017 lack checksums."""
    counts = {dataset.name: len(dataset.runs) for dataset in catalogue() if dataset.runs}
    assert counts == {
        "trec-web-2009": 119,
        "trec-web-2010": 88,
        "trec-web-2011": 62,
        "trec-web-2012": 48,
        "trec-web-2013": 61,
        "trec-web-2014": 42,
        "trec-dd-2015": 32,
        "trec-dd-2016": 21,
        "trec-dd-2017": 11,
    }
    assert Counter(run.task for run in find("trec-web-2012").runs) == {"adhoc": 28, "diversity": 20}
    without_checksums = {d.name for d in catalogue() if d.runs and not all(run.md5 for run in d.runs)}
    assert without_checksums == {"trec-dd-2016", "trec-dd-2017"}


def test_an_unknown_name_gets_the_nearest() -> None:
    """The error for an unknown name suggests the nearest one."""
    with refuses("unknown-dataset", "trec-web-2041", "trec-web-2014"):
        find("trec-web-2041")


def test_a_collection_on_request_is_not_downloaded(tmp_path: Path) -> None:
    """For a collection handed out by agreement the error says where to request it."""
    with refuses("dataset-not-downloadable", "ntcir-10-intent-2", "NII", "perm-en-INTENT.html"):
        get("ntcir-10-intent-2", directory=tmp_path, accept_terms=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not (REAL / "web2011").is_dir(), reason="needs the real collections (set DIVEVAL_REALDATA)")
@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        ("trec-web-2009", "topics", "web2009/topics.xml"),
        ("trec-web-2010", "judgments", "web2010/qrels.diversity.txt"),
        ("trec-web-2010", "adhoc", "web2010/qrels.adhoc.txt"),
        ("trec-web-2010", "topics", "web2010/topics.xml"),
        ("trec-web-2011", "judgments", "web2011/qrels.diversity.raw.txt"),
        ("trec-web-2011", "adhoc", "web2011/qrels.adhoc.txt"),
        ("trec-web-2011", "topics", "web2011/topics.xml"),
    ],
)
def test_checksums_match_the_real_files(name: str, kind: str, path: str) -> None:
    """The checksums and sizes in the catalogue match the real files."""
    file = next(file for file in find(name).files if file.kind == kind)
    assert matches(REAL / path, file.md5)
    assert (REAL / path).stat().st_size == file.size


@pytest.mark.skipif(not (REAL / "web2010").is_dir(), reason="needs the real collections (set DIVEVAL_REALDATA)")
def test_a_real_collection_from_a_folder(tmp_path: Path) -> None:
    """trec-web-2010 is taken from files on disk under their official names, and its judgments are read."""
    source = tmp_path / "source"
    source.mkdir()
    names = ("qrels.diversity.txt", "qrels.adhoc.txt", "topics.xml")
    for file, path in zip(find("trec-web-2010").files, names, strict=True):
        (source / file.url.rsplit("/", 1)[1]).write_bytes((REAL / "web2010" / path).read_bytes())
    folder = get("trec-web-2010", directory=tmp_path / "new", accept_terms=True, source_dir=source)
    lines = (folder / "qrels.txt").read_text().splitlines()
    assert len({line.split()[0] for line in lines}) == 48


def test_names_end_in_gz_where_addresses_do() -> None:
    """A name ends in .gz exactly where the address does, since files are stored as served."""
    for dataset in catalogue():
        for file in (*dataset.files, *dataset.runs):
            assert file.name.endswith(".gz") == file.url.endswith(".gz"), file
