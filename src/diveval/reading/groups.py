"""The groups of documents, for measures of group fairness: memberships and targets from every shape of table.

A table has the columns topic (optional), document, attribute, group and share; a document called `*` is the target.
NTCIR's files have a topic, a document and a share for each group on a line (`NAME.gmemb`), and the target beside them, a
share on each line (`NAME.golddistr`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from diveval.argument_types import explain_types
from diveval.errors import InputError, UsageError, need, quote, suggestion
from diveval.reading.cells import float_of, is_na, text_of
from diveval.reading.frames import is_frame, materialise, names_of, wrap
from diveval.reading.lines import fields, number_of, split_line
from diveval.reading.records import records_of
from diveval.reading.source import Source
from diveval.settings import GroupedTopic, Groups

TARGET = "*"  # in place of a document
NEEDED = ("document", "attribute", "group", "share")
NEAR_ONE = 1e-3  # how far a document's shares may add up from 1, as printed with few digits
Row = tuple[str, str, str, str, float]  # topic (empty: every topic), document, attribute, group, share


@explain_types
def read_groups(
    shape: Groups | str | PathLike[str] | Iterable[object], *, ordinal: Sequence[str] | str | None = None
) -> Groups:
    """The groups of documents, for `document_groups=`.

    Args:
        shape: a file (.gmemb, .csv, .tsv, .jsonl, .parquet), a folder of .gmemb files, a frame, or rows of topic,
            document, attribute, group and share.
        ordinal: attributes whose groups have an order, which is that of the file.
    """
    if isinstance(shape, Groups):
        if ordinal:
            raise UsageError(
                "conflicting-options", "groups that are read already have their order: give it to read_groups"
            )
        return shape
    named = [name.strip() for name in ordinal.split(",")] if isinstance(ordinal, str) else list(ordinal or ())
    source = str(shape) if isinstance(shape, (str, PathLike)) else "groups"
    return _Grouping(list(_rows_of(shape)), source).build(named)


def _rows_of(shape: Any) -> Iterator[Row]:
    """The rows of any shape."""
    if isinstance(shape, (str, PathLike)):
        path = Path(shape)
        files = sorted(path.glob("*.gmemb")) if path.is_dir() else [path]
        if not files:
            raise InputError(
                "no-groups", "has no .gmemb file", hint="give a file, or a folder of them", source=str(path)
            )
        for file in files:
            yield from _rows_of_file(file)
    elif is_frame(shape):
        yield from _rows_of_frame(shape)
    elif isinstance(shape, Iterable) and not isinstance(shape, Mapping):
        for row in shape:
            yield _row(row if isinstance(row, Mapping) else _name_cells(row))
    else:
        raise UsageError("wrong-type", f"groups are a path, a frame or rows, got {quote(shape)}")


def _rows_of_file(path: Path) -> Iterator[Row]:
    if path.suffix == ".gmemb":
        yield from _ntcir_rows(path)
    elif path.suffix == ".parquet":
        yield from _rows_of_frame(need("pyarrow.parquet", "arrow").read_table(path))
    else:
        with Source.of(path).open() as opened:
            lines = opened.placed(opened.lines())
            if path.suffix in (".json", ".jsonl"):
                for _, record in records_of(lines, opened.name):
                    yield _row(record)
            else:
                yield from _table_rows(lines, opened.name)


def _table_rows(lines: Iterable[tuple[int, str]], source: str) -> Iterator[Row]:
    """Rows of text with a header, separated by tabs, semicolons or commas."""
    numbered = iter(lines)
    _, header = next(numbered, (0, ""))
    mark = next((mark for mark in "\t;," if mark in header), ",")
    names = [name.strip() for name in fields(header, mark)]
    _require(names, source)
    for number, text in numbered:
        cells = fields(text, mark)
        if len(cells) != len(names):
            message = f"expected {len(names)} columns as in the header, got {len(cells)}"
            raise InputError("wrong-columns", message, source=source, line=number)
        yield _row(dict(zip(names, cells, strict=True)))


def _rows_of_frame(frame: Any) -> Iterator[Row]:
    table = materialise(frame)
    _require(names_of(table), "groups")
    wrapped = wrap(table)
    wrapped = wrapped.collect() if hasattr(wrapped, "collect") else wrapped
    columns = {name: wrapped[name].to_list() for name in (*NEEDED, *({"topic"} & {*wrapped.columns}))}
    for values in zip(*columns.values(), strict=True):
        yield _row(dict(zip(columns, values, strict=True)))


def _require(names: Sequence[str], source: str) -> None:
    absent = [name for name in NEEDED if name not in names]
    if absent:
        hint = suggestion(absent[0], names, f"a table of groups has the columns topic, {', '.join(NEEDED)}")
        raise InputError("missing-column", f"has no column {absent[0]}", hint=hint, source=source)


def _name_cells(row: Any) -> Mapping[str, Any]:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) not in (4, 5):
        raise UsageError("wrong-shape", f"a row is topic, {', '.join(NEEDED)}, got {quote(row)}")
    return dict(zip(("topic", *NEEDED) if len(row) == 5 else NEEDED, row, strict=True))


def _row(record: Mapping[str, Any]) -> Row:
    _require(list(record), "")
    topic = record.get("topic", "")
    share = record["share"]
    number = number_of(share, "a share") if isinstance(share, str) else float_of(share)
    if not 0 <= number <= 1:
        raise InputError("out-of-range", f"a share lies between 0 and 1, got {quote(share)}")
    texts = [text_of(record[name], name) for name in NEEDED[:3]]
    return ("" if is_na(topic) or topic in ("", TARGET) else text_of(topic), *texts, number)  # type: ignore[return-value]


def _ntcir_rows(path: Path) -> Iterator[Row]:
    """Memberships as NTCIREVAL reads them, and the target beside them. Groups are numbered from 1."""
    attribute = path.stem.rpartition(".")[2]
    with Source.of(path).open() as opened:
        for _, text in opened.placed(opened.lines()):
            topic, document, *shares = text.split()
            for group, share in enumerate(shares, 1):
                yield _row(dict(zip(("topic", *NEEDED), (topic, document, attribute, f"{group}", share), strict=True)))
    target = path.with_name(f"{attribute}.golddistr")
    if target.exists():
        with Source.of(target).open() as opened:
            for group, (_, text) in enumerate(opened.placed(opened.lines()), 1):
                (share,) = split_line(text, 1, "a share")
                yield _row({"document": TARGET, "attribute": attribute, "group": f"{group}", "share": share})


class _Grouping:
    """Rows by attribute, topic and document."""

    def __init__(self, rows: Sequence[Row], source: str) -> None:
        if not rows:
            raise InputError("no-groups", "is empty: it contains no group", source=source)
        self.source = source
        self.shares: dict[tuple[str, str], dict[str, dict[str, float]]] = {}  # (attribute, topic) → document → group
        self.groups: dict[str, dict[str, None]] = {}
        for topic, document, attribute, group, share in rows:
            self.groups.setdefault(attribute, {})[group] = None
            of_document = self.shares.setdefault((attribute, topic), {}).setdefault(document, {})
            if of_document.setdefault(group, share) != share:
                name = f"document {quote(document)}: its share in {attribute} {quote(group)}"
                raise InputError("conflicting-groups", f"{name} is given twice", hint="keep one", source=source)

    def build(self, ordinal: Sequence[str]) -> Groups:
        unknown = [name for name in ordinal if name not in self.groups]
        if unknown:
            hint = suggestion(unknown[0], self.groups)
            raise InputError(
                "unknown-attribute", f"has no attribute {quote(unknown[0])}", hint=hint, source=self.source
            )
        topics: dict[str, list[GroupedTopic]] = {}
        for (attribute, topic), documents in self.shares.items():
            names = tuple(self.groups[attribute])
            own = {d: self._check(d, attribute, names, shares) for d, shares in documents.items() if d != TARGET}
            if own:
                target = documents.get(TARGET) or self.shares.get((attribute, ""), {}).get(TARGET)
                wanted = self._check(TARGET, attribute, names, target or dict.fromkeys(names, 1.0 / len(names)))
                topics.setdefault(topic, []).append(GroupedTopic(attribute, names, wanted, attribute in ordinal, own))
        return Groups(topics)

    def _check(
        self, document: str, attribute: str, names: Sequence[str], shares: Mapping[str, float]
    ) -> tuple[float, ...]:
        """Shares in the order of the groups; they add up to 1."""
        total = sum(shares.values())
        if abs(total - 1) > NEAR_ONE:
            what = f"the target of {attribute}" if document == TARGET else f"document {quote(document)} in {attribute}"
            message = f"the shares of {what} add up to {total:g}"
            raise InputError(
                "out-of-range", message, hint="shares are probabilities: they add up to 1", source=self.source
            )
        return tuple(shares.get(name, 0.0) for name in names)
