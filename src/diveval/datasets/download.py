"""Downloads of real collections: from the cache, a folder, ir_datasets or the official address, once terms are accepted.

Every file is checked against its MD5 sum. Where no sum is published, the sum of the first download is recorded in
manifest.json and checked from then on: that finds later changes, but not a first copy that was wrong.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from diveval.argument_types import explain_types
from diveval.datasets.official import Dataset, RemoteFile, find
from diveval.datasets.transfer import PASSWORD_HELP, SIZE_LIMIT, Credentials, WrongSumError, fetch, matches, md5_of
from diveval.errors import InputError, UsageError, count_of, preview, quote, warn
from diveval.reading.lines import fields_of
from diveval.reading.source import Source
from diveval.reading.texts import parse_xml
from diveval.system.files import cache_folder, reading, write_atomically
from diveval.system.progress import Progress

MANIFEST = "manifest.json"


@explain_types
def get(
    name: str | Dataset,
    *,
    directory: str | Path | None = None,
    accept_terms: bool = False,
    source_dir: str | Path | None = None,
    runs: bool | str = False,
    progress: Progress | None = None,
) -> Path:
    """Make sure that a collection is on this machine, complete and verified, and return its folder.

    `runs` also gets the official runs: all of them, or those of one task such as "diversity". They need NIST's
    user name and password in DIVEVAL_TREC_USER and DIVEVAL_TREC_PASSWORD, which are sent to NIST and stored nowhere.
    `source_dir` takes files that are already on disk instead of downloading, checked against the same sums.
    """
    dataset = find(name) if isinstance(name, str) else name
    if dataset.by_hand:
        raise UsageError(
            "dataset-not-downloadable",
            f"{dataset.name} is {dataset.note}",
            hint=f"get it from {dataset.page} and read its files as they are",
        )
    wanted = [*dataset.files, *_choose_runs(dataset, runs)]
    folder = Path(directory) if directory else cache_folder() / "datasets" / dataset.name
    manifest = _Manifest.read(folder, dataset, accept_terms)
    job = _Job(dataset, folder, manifest, _folder(source_dir), progress)
    for file in wanted:
        job.obtain(file)
    job.make_judgments()
    job.conclude()
    return folder


def _choose_runs(dataset: Dataset, runs: bool | str) -> list[RemoteFile]:
    if isinstance(runs, str) and runs not in dataset.tasks:
        raise UsageError(
            "invalid-choice",
            f"{dataset.name} has no runs of task {quote(runs)}",
            hint=f"there is {', '.join(dataset.tasks)}",
        )
    if isinstance(runs, str):
        return [run for run in dataset.runs if run.task == runs]
    return list(dataset.runs) if runs else []


def _folder(source_dir: str | Path | None) -> Path | None:
    if source_dir is None:
        return None
    folder = Path(source_dir)
    if not folder.is_dir():
        raise UsageError("not-a-folder", f"{folder} is not a folder")
    return folder


@dataclass
class _Manifest:
    """The files of the folder with their sums; whether the terms were accepted."""

    path: Path
    dataset: str
    terms: str
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    rebuilt: bool = False  # it was unreadable, and the files beside it are known to be ours

    @classmethod
    def read(cls, folder: Path, dataset: Dataset, accept_terms: bool) -> _Manifest:
        terms = hashlib.blake2b(dataset.terms.encode("utf-8"), digest_size=16).hexdigest()
        path = folder / MANIFEST
        stored: dict[str, Any] = {}
        rebuilt = False
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            files = {name: {"md5": str(entry["md5"]), **entry} for name, entry in stored["files"].items()}
            belongs = stored["dataset"] == dataset.name
        except FileNotFoundError:
            files, belongs = {}, True
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if not folder.is_relative_to(cache_folder()):  # in a user's folder it may be a file of another program
                raise InputError(
                    "cannot-read", "cannot be read", hint="remove it to start over", source=str(path)
                ) from error
            warn("file-replaced", f"{path}: cannot be read, so it is made again from the files beside it")
            stored, files, belongs, rebuilt = {}, {}, True, True
        if not belongs:
            raise UsageError(
                "folder-not-empty",
                f"{folder} contains {quote(stored['dataset'])}",
                hint=f"give another folder for {dataset.name}",
            )
        if not accept_terms and stored.get("terms") != terms:
            raise UsageError(
                "terms-not-accepted", f"{dataset.name}: accept its terms of use first (--accept-terms). {dataset.terms}"
            )
        return cls(path, dataset.name, terms, files, rebuilt)

    def record(self, name: str, path: Path, source: str, *, listed: bool) -> None:
        """Record a file that is now in place, and write the manifest at once, so that an interruption loses nothing."""
        self.files[name] = {
            "md5": md5_of(path),
            "size": path.stat().st_size,
            "source": source,
            "sum": "listed" if listed else "first use",
        }
        content = {"dataset": self.dataset, "terms": self.terms, "files": self.files}
        write_atomically(self.path, json.dumps(content, indent=1, sort_keys=True) + "\n")


@dataclass
class _Job:
    """The work of one `get`."""

    dataset: Dataset
    folder: Path
    manifest: _Manifest
    source_dir: Path | None
    progress: Progress | None
    unsummed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def obtain(self, file: RemoteFile) -> None:
        """Make sure that one file is in the folder and is the right one."""
        target = self.folder / file.name
        if self._in_place(file, target):
            return
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                "cannot-write", f"{target.parent}: cannot be created: {error.strerror or error}"
            ) from error
        if self.source_dir is not None:
            self._take(file, target, self.source_dir)
        elif not (file.kind == "judgments" and self._take_from_ir_datasets(target)):
            self._download(file, target)

    def _in_place(self, file: RemoteFile, target: Path) -> bool:
        """Whether the file is there and unchanged. A file that diveval did not write is never overwritten."""
        if not target.exists():
            return False
        recorded = self.manifest.files.get(file.name)
        if recorded is None:
            if file.md5 and matches(target, file.md5):
                self.manifest.record(file.name, target, "found in place", listed=True)
                return True
            if self.manifest.rebuilt:
                return False
            raise UsageError(
                "folder-not-empty",
                f"{target} exists and is not a file of {self.dataset.name}",
                hint="give another folder",
            )
        if md5_of(target) == recorded["md5"]:
            return True
        warn("file-replaced", f"{target}: has changed since it was stored, so it is replaced")
        return False

    def _expect(self, file: RemoteFile) -> str:
        """The expected sum of a file: the published one, else the one recorded at the first download."""
        recorded = self.manifest.files.get(file.name, {})
        return file.md5 or (recorded["md5"] if recorded.get("sum") == "first use" else "")

    def _download(self, file: RemoteFile, target: Path) -> None:
        credentials = _credentials(file) if file.kind == "run" else None
        expected = self._expect(file)
        try:
            fetch(
                file.url,
                target,
                md5=expected,
                limit=file.size or SIZE_LIMIT,
                credentials=credentials,
                progress=self.progress,
            )
        except WrongSumError as error:
            if file.md5:
                raise
            changed = "it has changed at its source since the first download"
            raise InputError(
                "wrong-checksum", str(error), hint=f"{changed}, remove {self.folder} to accept that"
            ) from error
        self._note(file, target, file.url)

    def _take(self, file: RemoteFile, target: Path, source_dir: Path) -> None:
        """Copy a file from the given folder, under its own name or the official one."""
        official = Path(urlsplit(file.url).path).name
        names = dict.fromkeys([file.name, Path(file.name).name, official, f"runs/{official}"])
        source = next((source_dir / name for name in names if (source_dir / name).is_file()), None)
        if source is None:
            if file == self.dataset.files[0]:
                raise InputError("missing-files", f"contains none of {', '.join(names)}", source=str(source_dir))
            self.missing.append(official)
            return
        expected = self._expect(file)
        if expected and not matches(source, expected):
            raise InputError(
                "wrong-checksum", f"its MD5 sum is {md5_of(source)}, expected {expected}", source=str(source)
            )
        with reading(source):
            data = source.read_bytes()
        write_atomically(target, data)
        self._note(file, target, "folder")

    def _take_from_ir_datasets(self, target: Path) -> bool:
        """Write the judgments as ir_datasets has them; False if it is not installed or cannot give them."""
        if not self.dataset.ir_datasets:
            return False
        try:
            library = importlib.import_module("ir_datasets")
        except ImportError:
            return False
        try:
            rows = library.load(self.dataset.ir_datasets).qrels_iter()
            text = "".join(f"{r.query_id} {r.subtopic_id} {r.doc_id} {r.relevance}\n" for r in rows)
        except Exception as error:  # noqa: BLE001 - on any failure of ir_datasets, try the official address
            warn(
                "download-fallback",
                f"ir_datasets cannot give {self.dataset.ir_datasets} ({quote(error)}); using the official address",
            )
            return False
        data = text.encode("utf-8")
        write_atomically(target, gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
        # ir_datasets has checked NIST's sum itself; the file written here has other bytes.
        self.manifest.record(target.name, target, f"ir_datasets {self.dataset.ir_datasets}", listed=True)
        return True

    def _note(self, file: RemoteFile, target: Path, source: str) -> None:
        self.manifest.record(file.name, target, source, listed=bool(file.md5))
        if not file.md5:
            self.unsummed.append(file.name)

    def make_judgments(self) -> None:
        """Where only the truth data is published, write the judgments in it."""
        truth = next((file for file in self.dataset.files if file.kind == "truth"), None)
        if truth is None or any(file.kind == "judgments" for file in self.dataset.files):
            return
        source, target = self.folder / truth.name, self.folder / "qrels.txt"
        if self._in_place(RemoteFile("judgments", target.name, truth.url), target):
            return
        with Source.of(source).open() as opened:
            text = judgments_from_truth(opened.stream().read(), source=opened.name)
        write_atomically(target, text)
        self.manifest.record(target.name, target, f"made from {truth.name}", listed=False)

    def conclude(self) -> None:
        """Warn of files without a published sum, and of files that are missing in the source folder."""
        if self.unsummed:
            files = count_of(len(self.unsummed), "file")
            warn(
                "no-checksum",
                f"{self.dataset.name}: no sum is published for {files} ({preview(self.unsummed)}); the sums of this download"
                f" are recorded in {MANIFEST} and checked from now on",
            )
        if self.missing:
            files = count_of(len(self.missing), "file")
            warn(
                "missing-files",
                f"{self.source_dir}: does not contain {files} of {self.dataset.name} ({preview(self.missing)})",
            )


def _credentials(file: RemoteFile) -> Credentials:
    """NIST's user name and password, from the environment; they are used in the request and stored nowhere."""
    user, password = os.environ.get("DIVEVAL_TREC_USER", ""), os.environ.get("DIVEVAL_TREC_PASSWORD", "")
    if not user or not password:
        raise UsageError(
            "password-needed", f"{file.name}: official runs are behind a password: {PASSWORD_HELP}, or use --from"
        )
    if ":" in user:
        raise UsageError("password-needed", "DIVEVAL_TREC_USER: a user name has no colon")
    return user, password


# --- Dynamic Domain's truth data --------------------------------------------------------------------------------------


def judgments_from_truth(data: bytes, *, source: str = "truth data") -> str:
    """The passages of the truth data as `topic subtopic document passage rating`, one a line, tab-separated."""
    lines = []
    for topic in parse_xml(data, source=source).iter("topic"):
        for subtopic in topic.findall("subtopic"):
            for passage in subtopic.findall("passage"):
                fields = (
                    topic.get("id"),
                    subtopic.get("id"),
                    (passage.findtext("docno") or "").strip(),
                    passage.get("id"),
                    (passage.findtext("rating") or "").strip(),
                )
                where = f"topic {quote(topic.get('id'))}, passage {quote(passage.get('id'))}"
                if not all(fields):
                    raise InputError("missing-key", f"{where} lacks an id, a docno or a rating", source=source)
                spaced = [field for field in fields if len(fields_of(str(field))) != 1]
                if spaced:  # it would become two columns
                    raise InputError(
                        "unwritable-value", f"{where}: {quote(spaced[0])} contains white space", source=source
                    )
                lines.append("\t".join(map(str, fields)) + "\n")
    if not lines:
        raise InputError("empty-input", "contains no judged passage", source=source)
    return "".join(lines)
