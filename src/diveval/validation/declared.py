"""The topics and documents that a run is checked against, as a track declares them."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape, unescape
from pathlib import Path
from typing import Any

from diveval.errors import InputError, UsageError, need, quote
from diveval.system.files import reading

_NUMBER = re.compile(
    r"<topic\b[^>]*?\bnumber\s*=\s*[\"']([^\"']*)[\"'][^>]*>(.*?)</topic>|<num>(?:\s*Number:)?\s*([^<\s]+)(.*?)(?=<num>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TITLE = re.compile(r"<(?:query|title)\b[^>]*>\s*(?:Topic:)?\s*([^<]*)", re.IGNORECASE)
_INNER = re.compile(r"<!--.*?-->|<(?!(?:query|title)\b)(\w+)\b(?:[^>]*/>|[^>]*>.*?</\1\s*>)", re.DOTALL | re.IGNORECASE)
_SUFFIX = re.compile(r"(?:[#_.:-][0-9]+(?:[-:][0-9]+)?|\.[A-Za-z]{2,5})$")


class Topics(dict[str, str]):
    """The topics of a track, in their order, each with its query; "" where the file has none."""

    @classmethod
    def parse(cls, data: bytes, source: str) -> Topics:
        """One id per line (`id`, `id:query`, or `id` and query separated by a tab), JSON lines, or TREC topics.

        Only ids and queries are kept: the rest of a file of topics may be what a diversity task asks for.
        """
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                "not-utf8", f"byte {error.start + 1} is not UTF-8", hint="convert the file", source=source
            ) from None
        if text.lstrip().startswith("{"):
            pairs = _read_records(text, source)
        elif re.search(r"<num>|<topic\b", text, re.IGNORECASE):
            pairs = _read_tags(text)
        else:
            pairs = _read_list(text, source)
        topics = cls()
        for line, topic, query in pairs:
            if topic in topics:
                raise InputError(
                    "duplicate-topic", f"topic {quote(topic)} occurs twice", hint="keep one", source=source, line=line
                )
            topics[topic] = query
        if not topics:
            raise InputError("empty-input", "is empty: it contains no topic", source=source)
        return topics

    def as_bytes(self) -> bytes:
        """Ids and queries and nothing else, as TREC topics: a file of topics may also hold what runs are judged by."""
        rows = [f'<topic number="{escape(t)}"><query>{escape(query)}</query></topic>\n' for t, query in self.items()]
        return f"<topics>\n{''.join(rows)}</topics>\n".encode()

    @cached_property
    def _normal(self) -> dict[str, str | None]:
        normal: dict[str, str | None] = {}
        for topic in self:
            key = _normalise(topic)
            normal[key] = None if key in normal else topic
        return normal

    def suggest(self, topic: str) -> str | None:
        """The topic that differs from this text only by leading zeros, case or a prefix, if there is one."""
        return self._normal.get(_normalise(topic))


def _normalise(topic: str) -> str:
    number = re.search(r"([0-9]+)$", topic)
    return number[1].lstrip("0") or "0" if number else topic.casefold()


def _read_tags(text: str) -> list[tuple[int, str, str]]:
    from diveval.reading.texts import ASPECT_TAGS  # loads a parser of XML, and every `add` comes here

    tags = "|".join(ASPECT_TAGS)  # aspects may have ids and queries of their own
    aspect = re.compile(rf"<({tags})\b(?:[^>]*/>|[^>]*>.*?</\1\s*>)", re.DOTALL | re.IGNORECASE)
    text = aspect.sub(lambda match: "\n" * match[0].count("\n"), text)  # lines keep their numbers
    topics = []
    for match in _NUMBER.finditer(text):
        topic, body = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
        title = _TITLE.search(_INNER.sub("", body))
        query = " ".join(unescape(title[1]).split()) if title else ""
        topics.append((text.count("\n", 0, match.start()) + 1, unescape(topic).strip(), query))
    return topics


def _read_records(text: str, source: str) -> list[tuple[int, str, str]]:
    from diveval.reading.records import record_of
    from diveval.reading.texts import topic_from_record

    topics = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                topic, content = topic_from_record(record_of(line))
            except InputError as error:
                raise error.place(source, number) from None
            topics.append((number, topic, content.query))
    return topics


def _read_list(text: str, source: str) -> list[tuple[int, str, str]]:
    topics, with_aspects = [], dict[str, tuple[int, str, str]]()
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        shape = re.fullmatch(r"([^\s:]+)(?:[:\t]\s*(.*))?", bare)
        if shape is None or bare.startswith("["):
            raise InputError("wrong-columns", f"expected one topic id, got {quote(bare)}", source=source, line=number)
        topic, _, aspect = bare.partition("\t")
        if "\t" in aspect:  # `topic<TAB>aspect<TAB>text`, once for each aspect
            with_aspects.setdefault(topic, (number, topic, ""))
        else:
            topics.append((number, shape[1], (shape[2] or "").partition("\t")[0]))
    known = {topic for _, topic, _ in topics}
    return sorted([*topics, *(row for topic, row in with_aspects.items() if topic not in known)])


@dataclass(frozen=True)
class Documents:
    """Which document ids exist: a test and its description. Without a test every id is accepted."""

    contains: Callable[[str], object] | None = None
    description: str = "not checked"

    def suggest(self, document: str) -> str | None:
        """A known id close to an unknown one: without extension or passage suffix, or in another case."""
        if self.contains is None:
            return None
        bare = _SUFFIX.sub("", document)
        tries = (bare, _SUFFIX.sub("", bare), document.upper(), document.lower())
        return next((text for text in tries if text and text != document and self.contains(text)), None)


def documents_of(setting: str, read: Callable[[str], Path]) -> Documents:
    """`pattern:REGEX`, `list:FILE` (sorted by bytes, searched on disk), `ir_datasets:ID`, or nothing to check."""
    kind, _, rest = setting.partition(":")
    if not setting:
        return Documents()
    if kind == "pattern":
        pattern = re.compile(rest)
        return Documents(pattern.fullmatch, f"ids match {rest}")
    if kind == "list":
        return Documents(_search(read(rest)), f"ids listed in {Path(rest).name}")
    if kind == "ir_datasets":
        store = need("ir_datasets", "ir-datasets").load(rest).docs_store()
        return Documents(lambda document: _stored(store, document), f"ids of {rest} in ir_datasets")
    raise UsageError(
        "invalid-choice", f"documents are pattern:REGEX, list:FILE or ir_datasets:ID, got {quote(setting)}"
    )


def _stored(store: Any, document: str) -> bool:
    try:
        store.get(document)
    except KeyError:
        return False
    return True


def _search(path: Path) -> Callable[[str], bool]:
    """A test whether a text is a line of a file sorted by bytes, by binary search in the mapped file.

    A list of a whole collection has gigabytes, so it is never read into memory; `require_sorted` has checked its order.
    """
    with reading(path), path.open("rb") as stream:
        empty = path.stat().st_size == 0
        memory = b"" if empty else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def contains(text: str) -> bool:
        wanted, low, high = text.encode(), 0, len(memory)
        while low < high:
            middle = (low + high) // 2
            start = memory.rfind(b"\n", low, middle) + 1 or low
            end = memory.find(b"\n", middle, high)
            end = high if end < 0 else end
            line = memory[start:end].rstrip(b"\r")
            if line == wanted:
                return True
            low, high = (end + 1, high) if line < wanted else (low, start)
        return False

    return contains


def require_sorted(path: Path) -> None:
    """Refuse a list of documents whose lines are not sorted by bytes: it could not be searched."""
    before = b""
    with reading(path), path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            bare = line.rstrip(b"\r\n")
            if bare <= before and number > 1:
                got = f"{quote(bare.decode(errors='replace'))} after {quote(before.decode(errors='replace'))}"
                message = f"expected lines sorted by bytes, each once, got {got}"
                raise InputError(
                    "not-sorted", message, hint="sort it with LC_ALL=C sort -u", source=str(path), line=number
                )
            before = bare


def topics_of(ids: Iterable[str]) -> Topics:
    """Topics without queries."""
    return Topics(dict.fromkeys(ids, ""))
