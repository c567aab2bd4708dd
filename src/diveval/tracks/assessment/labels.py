"""`diveval track labels`: labels that assessors send back, what they agree on, and the judgments they make."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from diveval.collection.columns import naturally
from diveval.collection.judgments import Judgments
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES, SEED
from diveval.errors import DivevalError, InputError, UsageError, capture_warnings, preview, quote, suggestion
from diveval.judging.labels import LabelAgreement, compare_labels
from diveval.reading.judge_labels import most_frequent
from diveval.results.table_text import csv_text
from diveval.tracks import disk
from diveval.tracks.assessment.pool import HEADER, POOL, Pool, read_pool, unquote_formula
from diveval.tracks.folder import Track
from diveval.tracks.offered import read_named, refuse_own
from diveval.tracks.record import expecting

LABELS, MERGED = "private/labels", "private/qrels-from-labels.txt"
LARGEST = 1 << 28  # bytes of a file of labels
Merge = Literal["majority", "highest", "lowest"]
MERGES: tuple[Merge, ...] = ("majority", "highest", "lowest")
Item = tuple[str, str, str]  # topic, aspect, document
Labels = dict[Item, int]


@dataclass(frozen=True)
class AssessorStatus:
    """How far an assessor is with the newest pool, and the labels of earlier pools."""

    assessor: str
    labels: int
    asked: int
    missing: int  # items of the newest pool without a label


@dataclass(frozen=True)
class LabelReport:
    """The answer of the command."""

    assessors: tuple[AssessorStatus, ...]
    agreement: tuple[LabelAgreement, ...]
    unpaired: tuple[str, ...]  # pairs of assessors without an item in common
    judgments: int  # lines of the merged file
    disputed: int  # items with different labels
    added: Mapping[str, int] = field(default_factory=dict)  # by file
    changed: Mapping[str, int] = field(default_factory=dict)  # by file: labels that were another before

    def as_json(self) -> dict[str, Any]:
        return {
            "assessors": [vars(one) for one in self.assessors],
            "agreement": [one.as_dict() for one in self.agreement],
            "unpaired": list(self.unpaired),
            "judgments": self.judgments,
            "disputed": self.disputed,
            "added": dict(self.added),
            "changed": dict(self.changed),
            "file": MERGED,
        }


def take_labels(
    track: Track,
    paths: Sequence[Path],
    *,
    assessor: str | None = None,
    merge: Merge = "majority",
    wait: float = 30.0,
) -> LabelReport:
    """Take files of labels, all or none, and write the judgments that all labels make; without files only report.

    A file says whose labels it has. `assessor`: who sent it, so that labels in the name of anyone else are refused.
    """
    pool = read_pool(track)
    if pool is None:
        raise UsageError("step-not-done", "there is no pool yet", hint="run `diveval track pool --depth K` first")
    with track.writing(wait):
        known = {name: dict[Item, int]() for name in pool.assessors} | read_kept(track)
        added, changed = dict[str, int](), dict[str, int]()
        touched = set[str]()
        for path in paths:
            refuse_own(track.folder, path, None)
            rows = _read(path, pool, known)
            others = {name for name, _ in rows} - {assessor or next(iter(rows))[0]}
            if others:
                what = (
                    f"has labels of {preview(sorted(others))} too"
                    if assessor is None
                    else f"is not by {assessor} alone"
                )
                hint = "send a file per assessor"
                raise InputError("conflicting-assessors", what, hint=hint, source=str(path))
            added[str(path)] = changed[str(path)] = 0
            for (name, item), label in rows.items():
                before = known[name].get(item)
                added[str(path)] += before is None
                changed[str(path)] += before not in (None, label)
                known[name][item] = label
                touched |= {name} if before != label else set()
        for name in sorted(touched):
            data = _table(name, known[name])
            # Under its sum, before the event: a kill in between leaves a file that no event names, which is harmless.
            keyed, total = _key(track, name), track.secret.sum("labels", data)
            disk.write(track.path(f"{LABELS}/{total}.csv"), data, mode=0o600)
            track.add("labelled", assessor=keyed, labels=len(known[name]), sum=total)
        merged, disputed = merge_labels(known.values(), merge)
        if merged:
            disk.write(track.path(track.place(MERGED)), _qrels(merged), mode=0o600)
    agreement, unpaired = measure_agreement({name: labels for name, labels in known.items() if labels})
    status = tuple(_status(pool, name, labels) for name, labels in known.items())
    return LabelReport(status, agreement, unpaired, len(merged), disputed, added, changed)


def _key(track: Track, assessor: str) -> str:
    """An assessor in the record, which has no names."""
    return "a-" + track.secret.sum("assessor", assessor.encode())[:12]


def _status(pool: Pool, name: str, labels: Labels) -> AssessorStatus:
    asked = {(t, a, d) for t in pool.assessors.get(name, ()) for a in pool.aspects[t] for d in pool.documents[t]}
    return AssessorStatus(name, len(labels), len(asked), len(asked - labels.keys()))


# --- reading ----------------------------------------------------------------------------------------------------------


def _read(path: Path, pool: Pool, known: Mapping[str, Labels]) -> dict[tuple[str, Item], int]:
    """The labels of a file; lines with an empty label are items that are not labelled yet."""
    source = str(path)
    try:
        text = read_named(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as CSV in UTF-8"
        raise InputError("not-utf8", f"byte {error.start + 1} is not UTF-8", hint=hint, source=source) from None
    separator = next((mark for mark in ",;\t" if mark.join(HEADER) == text.partition("\n")[0].strip()), None)
    if separator is None:
        expected = f"expected the header {','.join(HEADER)}, got {quote(text.partition(chr(10))[0].strip())}"
        raise InputError("wrong-header", expected, source=source, line=1)
    rows: dict[tuple[str, Item], int] = {}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    next(reader)
    try:
        for cells in reader:
            if not "".join(cells).strip():
                continue
            try:
                found = _row([cell.strip() for cell in cells], pool, known)
            except InputError as error:
                raise error.place(source, reader.line_num) from None
            if found is None:
                continue
            key, label = found
            if key in rows:
                message = f"{' '.join(key[1])} is labelled twice by {key[0]}"
                raise InputError("duplicate-judgment", message, hint="keep one", source=source, line=reader.line_num)
            rows[key] = label
    except csv.Error as error:
        raise InputError("cannot-parse", f"is not CSV: {error}", source=source, line=reader.line_num) from None
    if not rows:
        raise InputError("empty-input", "contains no label", hint="fill in the column label", source=source)
    return rows


def _row(cells: Sequence[str], pool: Pool, known: Mapping[str, Labels]) -> tuple[tuple[str, Item], int] | None:
    """One line: it must be an item that this assessor was given, now or before, and a label of the scale."""
    if len(cells) != len(HEADER):
        raise InputError("wrong-columns", f"expected {len(HEADER)} columns ({', '.join(HEADER)}), got {len(cells)}")
    assessor, topic, aspect, document = map(unquote_formula, cells[:-1])
    label = cells[-1]
    if assessor not in known:
        raise InputError("unknown-assessor", f"{quote(assessor)} has no pool", hint=suggestion(assessor, known))
    item = topic, aspect, document
    if item not in known[assessor]:
        if topic not in pool.assessors.get(assessor, ()):
            what = f"topic {quote(topic)} was not given to {assessor}"
            raise InputError("unknown-topic", what, hint=suggestion(topic, pool.documents))
        if aspect not in pool.aspects[topic]:
            hint = suggestion(aspect, pool.aspects[topic])
            raise InputError("unknown-aspect", f"topic {quote(topic)} has no aspect {quote(aspect)}", hint=hint)
        if document not in pool.documents[topic]:
            hint = suggestion(document, pool.documents[topic])
            raise InputError(
                "unknown-document", f"{quote(document)} is not in the pool of topic {quote(topic)}", hint=hint
            )
    if not label:
        return None
    highest = pool.settings["highest"]
    if not (label.isascii() and label.isdecimal() and len(label) < 3 and int(label) <= highest):
        raise InputError("wrong-value", f"a label is 0 to {highest}, got {quote(label)}")
    return (assessor, item), int(label)


def read_kept(track: Track) -> dict[str, Labels]:
    """The labels of every assessor, each from the file that the newest event about her names."""
    newest = {event["assessor"]: event["sum"] for event in track.events("labelled")}
    out = {}
    for total in newest.values():
        path = track.path(f"{LABELS}/{total}.csv")
        data = path.read_bytes() if path.is_file() else b""
        if track.secret.sum("labels", data) != total:
            what = "differs from the record" if data else "is missing"
            raise InputError("differs-from-record", what, hint="restore it from a copy", source=str(path))
        with expecting("a table of labels", str(path)):
            rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
            out[rows[0]["assessor"]] = {
                (row["topic"], row["aspect"], row["document"]): int(row["label"]) for row in rows
            }
    return out


def _table(assessor: str, labels: Labels) -> bytes:
    return csv_text(HEADER, [(assessor, *item, label) for item, label in sorted(labels.items())]).encode()


# --- agreement and judgments ------------------------------------------------------------------------------------------


def measure_agreement(labels: Mapping[str, Labels]) -> tuple[tuple[LabelAgreement, ...], tuple[str, ...]]:
    """Every pair of assessors who labelled some item both."""
    measured, unpaired = [], []
    judges = {name: _judgments(one, name) for name, one in labels.items()}
    for first, second in combinations(labels, 2):
        if not labels[first].keys() & labels[second].keys():
            unpaired.append(f"{first} and {second}")
            continue
        with capture_warnings():  # items of one assessor only are counted in the result
            found = compare_labels(
                judges[first],
                judges[second],
                (first, second),
                confidence=CONFIDENCE,
                resamples=QUICK_RESAMPLES,
                seed=SEED,
            )
        measured.append(found)
    return tuple(measured), tuple(unpaired)


def _judgments(labels: Labels, name: str) -> Judgments:
    return Judgments.from_rows(((t, a, d, float(label)) for (t, a, d), label in labels.items()), source=name)


def merge_labels(labels: Iterable[Labels], merge: Merge) -> tuple[Labels, int]:
    """One label per item, and how many items have different ones; a majority that is equal takes the lower label."""
    by_item: dict[Item, list[int]] = {}
    for one in labels:
        for item, label in one.items():
            by_item.setdefault(item, []).append(label)
    disputed = sum(len(set(given)) > 1 for given in by_item.values())
    if merge == "majority":
        return {item: most_frequent(given)[0] for item, given in by_item.items()}, disputed
    pick = max if merge == "highest" else min
    return {item: pick(given) for item, given in by_item.items()}, disputed


def _qrels(merged: Labels) -> bytes:
    """TREC judgments, topics and aspects in natural order."""
    order = {name: place for place, name in enumerate(naturally({part for item in merged for part in item[:2]}))}
    rows = sorted(merged.items(), key=lambda row: (order[row[0][0]], order[row[0][1]], row[0][2]))
    wrong = [part for item in merged for part in item if len(part.split()) != 1]
    if wrong:
        raise InputError("wrong-value", f"an id with a blank cannot stand in TREC judgments: {preview(wrong)}")
    return "".join(f"{topic} {aspect} {document} {label}\n" for (topic, aspect, document), label in rows).encode()


def check_kept(track: Track) -> list[tuple[str, str]]:
    """For `verify`: every file of the pool and of labels that is not the recorded one, with the reason."""
    wrong, totals = [], {event["sum"] for event in track.events("labelled")}
    for what, read in ((track.place(POOL), lambda: read_pool(track)), (LABELS, lambda: read_kept(track))):
        try:
            read()
        except DivevalError as error:
            wrong.append((what, error.message))
    for total in sorted(totals):  # earlier labels, before a correction, are kept too
        path = track.path(f"{LABELS}/{total}.csv")
        if not path.is_file() or track.secret.sum("labels", path.read_bytes()) != total:
            wrong.append((f"{LABELS}/{total}.csv", "is not what was recorded"))
    return wrong
