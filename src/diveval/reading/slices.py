"""Slices: named groups of topics, from a mapping, a table, JSON lines or a topics file in XML."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import InputError, UsageError, preview, suggestion, warn
from diveval.reading.cells import is_nothing, text_of
from diveval.reading.column_names import strip_types
from diveval.reading.records import record_of
from diveval.reading.source import Source
from diveval.reading.texts import IDS, TOPIC_TAGS, parse_xml, read_whole

USERS = ("user_id", "userId", "user", "uid")  # ids of topics of recommenders
SlicesLike = Mapping[str, str] | str | PathLike[str]


def as_slices(given: SlicesLike | None, topics: Sequence[str]) -> dict[str, frozenset[str]]:
    """Each slice with its topics, in the order of the topics; slices without a judged topic are left out."""
    if given is None:
        return {}
    named = as_groups(given)
    groups: dict[str, list[str]] = {}
    for topic in topics:
        if named.get(topic):
            groups.setdefault(named[topic], []).append(topic)
    if not groups:
        raise no_shared_topic(named, topics, source="slices")
    without = [topic for topic in topics if not named.get(topic)]
    if without:
        warn("topics-left-out", f"{len(without)} of {len(topics)} topics are in no slice ({preview(without)})")
    return {name: frozenset(own) for name, own in groups.items()}


def as_groups(given: SlicesLike) -> dict[str, str]:
    """The group of each topic, or of each run, from a mapping or a file."""
    if isinstance(given, Mapping):
        return {text_of(item): str(name) for item, name in given.items() if not is_nothing(name)}
    if isinstance(given, str | PathLike):
        return read_slices(str(given))
    raise UsageError("wrong-type", f"groups are a mapping or a file, got {type(given).__name__}")


def read_slices(text: str) -> dict[str, str]:
    """`FILE` or `FILE:COLUMN` as topic → slice."""
    path, mark, column = text.rpartition(":")
    if not mark or Path(text).exists():
        path, column = text, ""
    with Source.of(path).open() as opened:
        data = read_whole(opened)
    start = data.lstrip()[:1]
    records = _of_xml(data, path) if start == b"<" else _of_json(data) if start == b"{" else _of_table(data)
    if not records:
        raise InputError("empty-input", "contains no topic", source=path)
    names = list(dict.fromkeys(key for record in records for key in record))
    key = next((name for name in (*IDS, *USERS) if name in names), names[0])
    values = [name for name in names if name != key]
    if not values:
        raise InputError("missing-column", "has no column besides the topic", source=path)
    if column and column not in values:
        raise InputError("unknown-column", f"has no column {column!r}", hint=suggestion(column, values), source=path)
    chosen = column or values[0]
    return {record[key]: record.get(chosen, "") for record in records if record.get(key)}


def _of_table(data: bytes) -> list[dict[str, str]]:
    lines = data.decode("utf-8-sig", errors="replace").splitlines()
    mark = "\t" if lines and "\t" in lines[0] else ","
    head, *rows = [*csv.reader(lines, delimiter=mark)] or [[]]
    names = strip_types([name.strip() for name in head])
    return [dict(zip(names, map(str.strip, row), strict=False)) for row in rows if row]


def _of_json(data: bytes) -> list[dict[str, str]]:
    lines = [line for line in data.decode("utf-8-sig", errors="replace").splitlines() if line.strip()]
    return [{str(key): str(value) for key, value in record_of(line).items()} for line in lines]


def _of_xml(data: bytes, source: str) -> list[dict[str, str]]:
    """Attributes and texts of each topic's element."""
    root = parse_xml(data, source=source, doctype=True)
    return [
        {**{child.tag: (child.text or "").strip() for child in element}, **element.attrib}
        for element in root.iter()
        if element.tag in TOPIC_TAGS and element is not root and (element.attrib or len(element))
    ]
