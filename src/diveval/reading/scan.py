"""From run files straight to rankings of judged documents, the way evaluation reads: compiled where it can, plain where
it must. The compiled scanner knows only what is usual; whatever else it meets, the plain reader reads the file again.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from diveval import ahead, timing
from diveval.errors import InputError
from diveval.judgments import Judgments, naturally
from diveval.options import Options
from diveval.rankings import Rankings, TopicRanking, rank
from diveval.reading import read_run, run_name
from diveval.reading.compiled import scanner_for
from diveval.reading.formats import run_format, sniff
from diveval.reading.lines import compression, numbered_lines, open_unpacked, source_name, steady
from diveval.runs import RUN_DUPLICATES, OrderRule
from diveval.scanner import SCAN_INTERLEAVED, SCAN_OK, random_key

_PIECE = 1 << 20

_judged_sets: weakref.WeakKeyDictionary[Judgments, Any] = weakref.WeakKeyDictionary()
_building = threading.Lock()


def read_rankings(
    judgments: Judgments,
    path: str | Path,
    orders: Sequence[OrderRule],
    options: Options,
    *,
    keep_documents: bool = False,
) -> dict[OrderRule, Rankings]:
    """One run file under each order asked for."""
    with steady(path):
        scanned = None if keep_documents else _scanned(judgments, path, orders, options)
    if scanned is not None:
        return scanned
    with timing.phase("reading"):
        run = read_run(path, format=options.run_format)
    with timing.phase("matching"):
        return {
            order: rank(judgments, run, order, duplicates=options.duplicates, keep_documents=keep_documents)
            for order in orders
        }


def _scanned(
    judgments: Judgments, path: str | Path, orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, Rankings] | None:
    """What the compiled scanner found, or None where the plain reader has to read."""
    scanner = scanner_for(path)
    if scanner is None or options.duplicates not in (None, *RUN_DUPLICATES) or not _is_trec(path, options):
        return None
    judged = _judged_set(judgments, scanner)
    if judged is None:
        return None
    codes = bytes(dict.fromkeys(_code(order) for order in orders))
    found = _found_ahead(path, judged, codes) or _found_now(scanner, path, judged, codes)
    return None if found is None else _rankings(found, path, orders, codes)


def _found_now(scanner: Any, path: str | Path, judged: Any, codes: bytes) -> Any | None:
    for collect in (False, True):  # a second time only where topics are interleaved
        scan = scanner.open(judged, codes, collect)
        status = _pour(scanner, scan, path)
        if status == SCAN_OK:
            with timing.phase("matching"):
                status, found = scanner.finish(scan)
            if status == SCAN_OK:
                return found
        if status != SCAN_INTERLEAVED:
            break
    return None


def _found_ahead(path: str | Path, judged: Any, codes: bytes) -> Any | None:
    """What is in this file, if it was scanned already as it would be scanned now."""
    under_way = ahead.current()
    found = None if under_way is None else under_way.take(str(path), judged, codes)
    if found is None:
        return None
    timing.add("reading", found.reading)
    timing.add("matching", found.seconds - found.reading)
    return found.found


def _is_trec(path: str | Path, options: Options) -> bool:
    if options.run_format is not None:
        return options.run_format == "trec"
    with timing.phase("reading"), closing(numbered_lines(path)) as lines:  # type: ignore[type-var]
        try:
            return sniff(lines, run_format, source_name(path))[0] == "trec"
        except InputError:  # the plain reader knows more formats, and words the complaint
            return False


def _judged_set(judgments: Judgments, scanner: Any) -> Any | None:
    """The judged set as the scanner wants it, built once; None if a name cannot be written as UTF-8."""
    with _building:
        if judgments not in _judged_sets:
            with timing.phase("matching"):
                topics = {name: topic.documents for name, topic in judgments.topics.items()}
                under_way = ahead.current()
                ready = None if under_way is None else under_way.judged_set(topics)
                try:
                    _judged_sets[judgments] = ready or scanner.judged_set(random_key(), list(topics.items()))
                except UnicodeEncodeError:
                    _judged_sets[judgments] = None
        return _judged_sets[judgments]


def _code(order: OrderRule) -> int:
    """Order in csrc/core.h."""
    if order.by == "score":
        return {"docno-desc": 0, "docno-asc": 1, "file": 2}[order.ties]
    return 3 if order.by == "rank" else 4


def _pour(scanner: Any, scan: Any, path: str | Path) -> int:
    """A file's bytes into a scan, unpacked on the way; the status tells whether they were usual."""
    with Path(path).open("rb", buffering=0) as raw:
        if compression(raw.read(6) or b"") is None:
            raw.seek(0)
            with timing.phase("matching"):
                status, reading = scanner.read(scan, raw.fileno())
            timing.add("reading", reading)
            timing.add("matching", -reading)
            return int(status)
    status = SCAN_OK
    with open_unpacked(path) as stream:
        while status == SCAN_OK:
            with timing.phase("reading"):
                piece = stream.read(_PIECE)
            if not piece:
                break
            with timing.phase("matching"):
                status = scanner.feed(scan, piece)
    return int(status)


def _rankings(
    found: Any, path: str | Path, orders: Sequence[OrderRule], codes: bytes
) -> dict[OrderRule, Rankings] | None:
    """The scanner's numbers as the plain reader would hand them on; None for a file without a line."""
    tag, contradictions, topics, hits = found
    if not topics:
        return None
    place = {name: i for i, (name, _, _) in enumerate(topics)}
    natural = naturally(place)
    unjudged = {name: topics[place[name]][2] for name in natural if topics[place[name]][1] < 0}
    out = {}
    for order in orders:
        in_order = hits[codes.index(_code(order))]
        starts, ranks, rows = (np.frombuffer(numbers, dtype=np.int64) for numbers in in_order)
        judged = {}
        for name in natural:
            i = place[name]
            if topics[i][1] >= 0:
                here = slice(starts[i], starts[i + 1])
                judged[name] = TopicRanking(ranks[here], rows[here], topics[i][2])
        out[order] = Rankings(run_name(path), judged, unjudged, order, source_name(path), tag, contradictions)
    return out
