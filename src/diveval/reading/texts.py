"""Text for ids: queries and aspects of topics, and titles, snippets and addresses of documents.

Topics come as XML (TREC Web, NTCIR, Dynamic Domain), JSON lines or tab-separated lines; documents as JSON lines or
tab-separated lines. Text is only displayed: no score depends on it, and an id without text is shown as the id.

XML that declares document types or entities is rejected. Entities can expand a kilobyte of XML to gigabytes (billion
laughs, quadratic blow-up) or make the parser read other files and addresses (external entities, external DTDs), and no
topics file needs them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.etree.ElementTree import (
    Element,  # used as a type only
    TreeBuilder,  # builds a tree, does not parse
)
from xml.parsers import expat  # parse_xml rejects declarations

from diveval.errors import InputError, count_of, quote, shorten
from diveval.reading.lines import BOM
from diveval.reading.records import record_of
from diveval.reading.source import OpenSource, Source, SourceLike

DEEPEST = 100  # nested elements; topics files have five


def parse_xml(data: bytes, *, source: str = "XML", doctype: bool = False) -> Element:
    """The root element, or an error. Names keep their prefixes, since namespaces are not used.

    With `doctype` a document type may declare elements and attributes, as the Web Track's topics do; entities and
    external declarations are still rejected.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    builder = TreeBuilder()
    depth = 0

    def refuse(*_: object) -> NoReturn:
        raise InputError(
            "unsafe-xml",
            "declares a document type (<!DOCTYPE …>) or an entity, with which XML can exhaust memory or read other"
            " files",
            hint="remove the declaration",
            source=source,
            line=parser.CurrentLineNumber,
        )

    def internal(name: str, system: str | None, public: str | None, subset: bool) -> None:
        if system or public:
            refuse()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            line = parser.CurrentLineNumber
            raise InputError("unsafe-xml", f"has elements nested more than {DEEPEST} deep", source=source, line=line)
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    # Entities can only be declared within a document type; they are rejected separately, since `doctype` allows one.
    parser.StartDoctypeDeclHandler = internal if doctype else refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(data, True)
    except InputError:  # from the handlers above; InputError is a ValueError too
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an unknown or unsupported encoding
        raise InputError("cannot-parse", f"is not valid XML: {error}", source=source) from error
    return builder.close()


# --- text of topics and documents -------------------------------------------------------------------------------------


LARGEST_XML = 64 << 20  # bytes of a topics file
TOPIC_TAGS = ("topic", "query", "top", "item")
ASPECT_TAGS = ("subtopic", "intent", "aspect", "fls", "facet")
ASPECT_KEYS = ("aspects", "subtopics", "intents")
IDS = ("number", "id", "num", "topic_id", "query_id", "qid", "topic")
QUERIES = ("query", "title", "content", "text", "name", "topic_name")
DESCRIPTIONS = ("description", "desc", "narrative", "background")
DOCUMENT_IDS = ("id", "docid", "doc_id", "docno", "document", "document_id", "_id")
SNIPPETS = ("snippet", "text", "abstract", "contents", "content", "body", "passage")
LONGEST = 2_000  # characters kept of one text


@dataclass(frozen=True)
class TopicText:
    """The text of a topic."""

    query: str = ""
    description: str = ""
    aspects: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DocumentText:
    """The text of a document."""

    title: str = ""
    snippet: str = ""
    url: str = ""


@dataclass(frozen=True)
class Texts:
    """The texts of topics and documents; empty if no files were given."""

    topics: Mapping[str, TopicText] = field(default_factory=dict)
    documents: Mapping[str, DocumentText] = field(default_factory=dict)

    def query(self, topic: str) -> str:
        """The topic's query, empty if there is none."""
        text = self.topics.get(topic)
        return text.query if text else ""


def read_texts(
    topics: SourceLike | None = None,
    documents: SourceLike | None = None,
    *,
    wanted: Collection[str] | None = None,
    longest: int = LONGEST,
) -> Texts:
    """Texts of topics and documents. Only `wanted` documents are kept, so that a file of millions needs little memory.

    `longest`: the characters kept of the text of a document.
    """
    return Texts(
        {} if topics is None else read_topics(topics),
        {} if documents is None else read_documents(documents, wanted, longest),
    )


def read_topics(path: SourceLike) -> dict[str, TopicText]:
    """Topics by id. The first character other than white space decides: `<` XML, `{` JSON lines, else tabs."""
    with Source.of(path).read_once().open() as opened:
        source, start = opened.name, _first_character(opened)
        if start == "<":
            found = dict(_from_xml(read_whole(opened), source))
        elif start == "{":
            found = _join(map(topic_from_record, _records(opened)))
        else:
            found = _join(_topic_from_columns(text) for _, text in opened.placed(opened.lines()))
        if not found:
            hint = "expected XML, JSON lines or `topic<TAB>query`"
            raise InputError("empty-input", "contains no topic", hint=hint, source=source)
    return found


def mentions_aspects(data: bytes) -> bool:
    """Whether a file of topics seems to have aspects, in whatever format, also where it cannot be read."""
    shapes = (rf"<({'|'.join(ASPECT_TAGS)})\b", rf'"({"|".join(ASPECT_KEYS)})"\s*:', r"^[^\t\n]+\t[^\t\n]+\t")
    return any(re.search(shape.encode(), data, re.IGNORECASE | re.MULTILINE) for shape in shapes)


def read_documents(
    path: SourceLike, wanted: Collection[str] | None = None, longest: int = LONGEST
) -> dict[str, DocumentText]:
    """Documents by id: JSON lines with id, title, snippet and url, or the same four as tab-separated columns."""
    found: dict[str, DocumentText] = {}
    seen = 0
    with Source.of(path).read_once().open() as opened:
        rows = _documents_from_records if _first_character(opened) == "{" else _documents_from_columns
        for name, text in rows(opened, longest):
            seen += 1
            if not name:
                raise InputError("missing-id", "expected a document's id, got nothing")
            if wanted is None or name in wanted:
                found[name] = text
        if not seen:
            hint = "expected JSON lines or `id<TAB>title<TAB>snippet<TAB>url`"
            raise InputError("empty-input", "contains no document", hint=hint, source=opened.name)
    return found


# --- XML --------------------------------------------------------------------------------------------------------------


def read_whole(opened: OpenSource) -> bytes:
    """The bytes of a topics file, up to a limit."""
    data = opened.stream().read(LARGEST_XML + 1)
    if len(data) > LARGEST_XML:
        what = f"is larger than {LARGEST_XML} bytes, the limit for topics"
        raise InputError("file-too-large", what, source=opened.name)
    return data


def _from_xml(data: bytes, source: str) -> Iterator[tuple[str, TopicText]]:
    """Every element with the tag of a topic and an id, as an attribute or a child element."""
    for element in parse_xml(data, source=source, doctype=True).iter():
        name = _find_text(element, IDS) if element.tag.lower() in TOPIC_TAGS else ""
        if not name:
            continue
        aspects = {}
        for place, child in enumerate((c for c in element.iter() if c.tag.lower() in ASPECT_TAGS), 1):
            aspects[_find_text(child, IDS) or str(place)] = _cut(_find_text(child, QUERIES) or child.text or "")
        yield name, TopicText(_cut(_find_text(element, QUERIES)), _cut(_find_text(element, DESCRIPTIONS)), aspects)


def _find_text(element: Element, names: Iterable[str]) -> str:
    """The text of the first of some names that is an attribute or a child with text."""
    children = {child.tag.lower(): child for child in reversed(element)}
    attributes = {key.lower(): value for key, value in element.attrib.items()}
    for name in names:
        child = children.get(name)
        text = attributes.get(name) or (child is not None and _plain("".join(child.itertext())))
        if text:
            return _plain(text)
    return ""


# --- JSON lines -------------------------------------------------------------------------------------------------------


def _records(opened: OpenSource) -> Iterator[dict[str, Any]]:
    return (record_of(text) for _, text in opened.placed(opened.lines()))


def topic_from_record(record: dict[str, Any]) -> tuple[str, TopicText]:
    """The id and the text of a topic given as a JSON object."""
    name = _first(record, IDS)
    if not name:
        raise InputError("missing-id", f"expected a topic's id under one of {', '.join(IDS)}")
    given: Any = next((record[key] for key in ASPECT_KEYS if key in record), {})
    if isinstance(given, Mapping):
        aspects = {str(key): _cut(str(value)) for key, value in given.items()}
    elif isinstance(given, list):
        aspects = dict(_aspect(item, place) for place, item in enumerate(given, 1))
    else:
        raise InputError("wrong-value", f"expected aspects as an object or a list, got {quote(given)}")
    return name, TopicText(_cut(_first(record, QUERIES)), _cut(_first(record, DESCRIPTIONS)), aspects)


def _aspect(item: Any, place: int) -> tuple[str, str]:
    """An aspect in a list: an object with its own id, or a text numbered by its position."""
    if isinstance(item, Mapping):
        return _first(item, ("aspect", *IDS)) or str(place), _cut(_first(item, QUERIES) or _first(item, DESCRIPTIONS))
    return str(place), _cut(str(item))


def _first(record: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((_plain(str(record[name])) for name in names if record.get(name) not in (None, "")), "")


def _documents_from_records(opened: OpenSource, longest: int) -> Iterator[tuple[str, DocumentText]]:
    for record in _records(opened):
        text = DocumentText(
            _cut(_first(record, ("title",))), _cut(_first(record, SNIPPETS), longest), _first(record, ("url",))
        )
        yield _first(record, DOCUMENT_IDS), text


# --- tabs -------------------------------------------------------------------------------------------------------------


def _topic_from_columns(text: str) -> tuple[str, TopicText]:
    """`topic<TAB>query`, or `topic<TAB>aspect<TAB>text`; a file may contain both."""
    columns = [column.strip() for column in text.split("\t")]
    if len(columns) == 2 and columns[0]:
        return columns[0], TopicText(_cut(columns[1]))
    if len(columns) == 3 and columns[0] and columns[1]:
        return columns[0], TopicText(aspects={columns[1]: _cut(columns[2])})
    raise InputError(
        "wrong-columns",
        f"expected `topic<TAB>query` or `topic<TAB>aspect<TAB>text`, got {count_of(len(columns), 'column')}: {quote(text)}",
    )


def _join(rows: Iterable[tuple[str, TopicText]]) -> dict[str, TopicText]:
    """Lines of one topic together: the first query and description, all aspects."""
    found: dict[str, TopicText] = {}
    for name, text in rows:
        old = found.get(name, TopicText())
        found[name] = TopicText(
            old.query or text.query, old.description or text.description, {**text.aspects, **old.aspects}
        )
    return found


def _documents_from_columns(opened: OpenSource, longest: int) -> Iterator[tuple[str, DocumentText]]:
    for _, text in opened.placed(opened.lines()):
        name, *columns = (column.strip() for column in text.split("\t"))
        if not 1 <= len(columns) <= 3:
            raise InputError(
                "wrong-columns",
                f"expected `id<TAB>title<TAB>snippet<TAB>url`, got {count_of(len(columns) + 1, 'column')}: {quote(text)}",
            )
        title, snippet, url = [*columns, "", ""][:3]
        yield name, DocumentText(_cut(title), _cut(snippet, longest), url)


# --- helpers ----------------------------------------------------------------------------------------------------------


def _first_character(opened: OpenSource) -> str:
    if opened.stream().read(1 << 16).removeprefix(BOM).lstrip().startswith(b"<"):
        return "<"  # before lines are looked at: XML may have any line ends
    return next((text.lstrip()[:1] for _, text in opened.lines()), "")


def _plain(text: str) -> str:
    """On one line, without white space at the ends."""
    return " ".join(text.split())


def _cut(text: str, longest: int = LONGEST) -> str:
    return shorten(_plain(text), longest)
