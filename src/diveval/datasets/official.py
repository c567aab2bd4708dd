"""The real diversity collections: contents, official address, checksums and terms of use of each.

Addresses and sums are in two tables beside this file. An empty sum means that none is published.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from diveval.argument_types import explain_types
from diveval.errors import UsageError, quote, suggestion

RESULTS_PAGE = "https://trec.nist.gov/results.html"
NTCIR_PAGE = "https://research.nii.ac.jp/ntcir/permission/perm-en.html"

TREC_TERMS = (
    "Judgments and topics are published by NIST for research. The submitted runs are in a protected area: NIST gives"
    f" a user name and a password after a signed agreement ({RESULTS_PAGE}). Publications must be fair, state the"
    " limits of the test and cite the proceedings; TREC results must not be used in advertising. The documents"
    " themselves (ClueWeb09, ClueWeb12, New York Times and others) are licensed by their owners and not part of this."
)
NTCIR_TERMS = (
    "NTCIR collections are for research only. NII hands them out free of charge after a signed user agreement, and"
    f" asks for a report of what was done with them ({NTCIR_PAGE})."
)


@dataclass(frozen=True)
class RemoteFile:
    """One file of a collection: the name it gets here, and where it comes from."""

    kind: str  # judgments, adhoc, topics, truth or run
    name: str
    url: str
    md5: str = ""  # empty: not known, recorded at the first download
    size: int | None = None
    task: str = ""  # of a run: the task it was submitted to


@dataclass(frozen=True)
class Dataset:
    """A collection of the catalogue. Its first file is indispensable."""

    name: str
    title: str
    page: str
    terms: str
    files: tuple[RemoteFile, ...] = ()
    runs: tuple[RemoteFile, ...] = ()
    ir_datasets: str = ""  # its name there, where ir_datasets has the judgments
    note: str = ""

    @property
    def by_hand(self) -> bool:
        """Whether it is available only on request from its owner."""
        return not self.files

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks its runs were submitted to."""
        return tuple(sorted({run.task for run in self.runs}))


def catalogue() -> list[Dataset]:
    """Every known collection, oldest first within its family."""
    return list(_catalogue())


@explain_types
def find(name: str) -> Dataset:
    """The collection of this name, or an error that lists the nearest."""
    by_name = {dataset.name: dataset for dataset in _catalogue()}
    if name not in by_name:
        raise UsageError("unknown-dataset", f"no dataset is called {quote(name)}", hint=suggestion(name, by_name))
    return by_name[name]


@lru_cache(maxsize=1)
def _catalogue() -> tuple[Dataset, ...]:
    files: dict[str, list[RemoteFile]] = {}
    for row in _table("files.csv"):
        size = int(row["size"]) if row["size"] else None
        files.setdefault(row["dataset"], []).append(RemoteFile(row["kind"], row["name"], row["url"], row["md5"], size))
    runs: dict[str, list[RemoteFile]] = {}
    for row in _table("trec_runs.csv"):
        runs.setdefault(row["dataset"], []).append(
            RemoteFile("run", f"runs/{row['run']}.gz", row["url"], row["md5"], task=row["task"])
        )
    trec = [*_web_track(), *_dynamic_domain()]
    filled = [replace(bare, files=tuple(files[bare.name]), runs=tuple(runs[bare.name])) for bare in trec]
    return (*filled, *_ntcir())


def _table(name: str) -> Iterator[dict[str, str]]:
    text = resources.files("diveval.datasets").joinpath(name).read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines()))


def _web_track() -> Iterator[Dataset]:
    notes = {
        2009: "aspect 0 marks documents that are relevant to nothing; the ad hoc task has sampled judgments only",
        2010: "lists relevant documents only; 48 of 50 topics",
        2013: "topics without aspects have the one aspect 0",
        2014: "topics without aspects have the one aspect 0",
    }
    for year in range(2009, 2015):
        corpus = "clueweb09/en" if year < 2013 else "clueweb12"
        page = f"web{year % 100:02d}" if year < 2011 else f"web{year}"
        yield Dataset(
            f"trec-web-{year}",
            f"TREC Web Track {year}",
            f"https://trec.nist.gov/data/{page}.html",
            TREC_TERMS,
            ir_datasets=f"{corpus}/trec-web-{year}/diversity",
            note=notes.get(year, ""),
        )


def _dynamic_domain() -> Iterator[Dataset]:
    notes = {
        2016: "31 subtopic ids are broken in the judgments as published",
        2017: "only the truth data is published; the judgments are made from it",
    }
    for year in range(2015, 2018):
        yield Dataset(
            f"trec-dd-{year}",
            f"TREC Dynamic Domain {year}",
            f"https://trec.nist.gov/data/domain{year}.html",
            TREC_TERMS,
            note=notes.get(year, ""),
        )


def _ntcir() -> Iterator[Dataset]:
    root = "https://research.nii.ac.jp/ntcir/permission"
    for name, title, page in (
        ("ntcir-9-intent", "NTCIR-9 INTENT", f"{root}/ntcir-9/perm-en-INTENT.html"),
        ("ntcir-10-intent-2", "NTCIR-10 INTENT-2", f"{root}/ntcir-10/perm-en-INTENT.html"),
        ("ntcir-11-imine", "NTCIR-11 IMine", NTCIR_PAGE),
        ("ntcir-12-imine-2", "NTCIR-12 IMine-2", f"{root}/ntcir-12/perm-en-IMine.html"),
    ):
        yield Dataset(name, title, page, NTCIR_TERMS, note="handed out by NII on application")
