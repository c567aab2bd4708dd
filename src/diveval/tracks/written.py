"""Verification of files: those that tasks keep together, and what a track publishes, from the site to the exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from diveval import __version__
from diveval.errors import DivevalError, count_of
from diveval.system.files import file_sum
from diveval.tracks.disk import CHECKSUMS, MARKER, read_checksums
from diveval.tracks.folder import CONFIGS, JUDGMENT_FILES, KEPT, Track
from diveval.tracks.record import Record, sha256
from diveval.tracks.site import PAGES, PRIVATE, REPORT, contents, team_pages

SAME, DIFFERS, EARLIER, ORPHAN = "same", "differs", "earlier", "orphan"
NOT_AS_NAMED = "has another sum than its name"
Item = dict[str, str]


def item(what: str, result: str, why: str = "") -> Item:
    """One line of the result."""
    return {"what": what, "result": result} | ({"why": why} if why else {})


def check_store(views: Sequence[Track], record: Record, items: list[Item]) -> None:
    """Check that an event of some task names every file that the tasks keep together."""
    folder, named_by_events = views[0].folder, set[str]()
    for view in views:
        for submission in view.state.submissions.values():
            with suppress(DivevalError):
                info = view.info(submission)
                named_by_events |= {info.sha256, info.meta}
    for path in _files(folder / "store"):
        if path.name not in named_by_events:
            intact = sha256(path.read_bytes()) == path.name
            why = "no event names it; an interrupted command left it" if intact else NOT_AS_NAMED
            items.append(item(f"store/{path.name}", ORPHAN if intact else DIFFERS, why))
    wrong = {path: NOT_AS_NAMED for path in _files(folder / CONFIGS) if sha256(path.read_bytes()) != path.stem}
    for path in _files(folder / KEPT):
        data = path.read_bytes()
        if path.name not in {view.secret.sum(label, data) for view in views for label in JUDGMENT_FILES.values()}:
            wrong[path] = NOT_AS_NAMED
    torn = {event["sum"] for event in record.where("repaired")}
    for path in sorted(folder.glob("private/torn-*")):
        if sha256(path.read_bytes()) not in torn:
            wrong[path] = "no event names it"
    for path in _files(folder / "private/feedback"):
        if not any(_is_reported(view, path) for view in views):
            wrong[path] = "differs from the record"
    items += [item(path.relative_to(folder).as_posix(), DIFFERS, why) for path, why in wrong.items()]


def _is_reported(track: Track, path: Path) -> bool:
    """Whether the record has every report of a file of feedback."""
    reported = {(event["submission"], event["sum"]) for event in track.events("feedback")}
    try:
        rows = [(row["submission"], row["value"].encode()) for row in json.loads(path.read_bytes())]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False
    return all((name, track.secret.sum("feedback", value)) in reported for name, value in rows)


def _files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.name.startswith("."))


def check_written(track: Track, record: Record, items: list[Item]) -> None:
    """Check the sums of published folders, and build the site again if it belongs to this state of the record."""
    site, exported = track.config["site.out"], track.path(track.config["export.out"])
    places = [site, PRIVATE, PAGES]
    exports = [path for view in track.views() for path in sorted((exported / view.task).glob("*"))]
    places += [path.relative_to(track.folder).as_posix() for path in exports if path.is_dir()]
    for place in places:
        if track.path(place).is_dir():
            items += _check_listed(track.path(place), place)
    if any(checked["result"] == DIFFERS for checked in items):
        return  # a site built from files that differ would differ too
    makers: dict[str, Callable[[], dict[str, bytes]]] = {
        site: lambda: contents(track),
        PRIVATE: lambda: contents(track, private=True),
        PAGES: lambda: team_pages(track),
    }
    for place, make in makers.items():
        try:
            items += _check_built(track.path(place), place, record, make)
        except DivevalError as error:
            items.append(item(place, DIFFERS, str(error)))


def _check_listed(folder: Path, place: str) -> list[Item]:
    """The files of a folder against the sums that were written with them."""
    listed = read_checksums(folder)
    if listed is None:
        return [item(f"{place}/{CHECKSUMS}", DIFFERS, "is not a list of sums; write the folder again")]
    wrong = [name for name in listed if not (folder / name).is_file() or file_sum(folder / name) != listed[name]]
    foreign = sorted(name for name in below(folder) if name not in listed and name != CHECKSUMS)
    kept = [item(f"{place}/{name}", ORPHAN, "was not written by the track, and is kept") for name in foreign]
    if wrong:
        why = f"does not have the sum in {place}/{CHECKSUMS}"
        return [*kept, *(item(f"{place}/{name}", DIFFERS, why) for name in sorted(wrong))]
    return [
        *kept,
        item(place, SAME, f"{count_of(len(listed), 'file has its sum', 'files have the sums')} in {CHECKSUMS}"),
    ]


def _check_built(folder: Path, place: str, record: Record, make: Callable[[], dict[str, bytes]]) -> list[Item]:
    """Compare the folder with what would be written now; not for a site of an earlier record or version."""
    pages = sorted(folder.rglob("*.html")) if folder.is_dir() else []
    mark = f'content="diveval {__version__}"'.encode()
    if not pages or mark not in pages[0].read_bytes()[:4000]:
        return []
    if not belongs_to(folder, record):
        return [item(place, EARLIER, "is of an earlier state of the record; `diveval track site` writes it again")]
    fresh = make()
    different = []
    listed = read_checksums(folder) or {}
    for name in sorted({*listed, *fresh} - {CHECKSUMS, MARKER}):
        if Path(name).name == REPORT:
            continue
        have = (folder / name).read_bytes() if (folder / name).is_file() else None
        if have != fresh.get(name):
            why = "differs from what the track gives; `diveval track site` writes it again"
            different.append(item(f"{place}/{name}", DIFFERS, why))
    return different


def belongs_to(folder: Path, record: Record) -> bool:
    """Whether a site was written after the newest event of a record."""
    records = [folder / "record.html", folder / "data/record.jsonl", *sorted(folder.rglob("index.html"))]
    return any(path.is_file() and _is_of(path, record.head) for path in records)


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _is_of(path: Path, head: str) -> bool:
    """Whether a page of the record, or a copy of the record, ends with the newest event."""
    data = path.read_bytes()
    if path.suffix == ".html":
        return head.encode() in data
    return sha256(data.rstrip(b"\n").rpartition(b"\n")[2]) == head
