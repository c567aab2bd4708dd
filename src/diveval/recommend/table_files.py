"""Files of ratings, lists and items as Arrow tables: CSV with any separator, RecBole's atomic files, MovieLens' files
without a header, JSON lines and parquet.

Ids stay texts, so that 007 is not 7; other columns have the type that their cells have.
"""

from __future__ import annotations

import io
import re
from typing import Any

from diveval.errors import InputError, need, quote
from diveval.reading.cells import text_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.lines import strip_mark
from diveval.reading.records import Records, is_id
from diveval.reading.source import Source, SourceLike
from diveval.reading.texts import read_whole

IDS = ("user", "item", "run")
MARKS = ("\t", ";", "|", ",")  # between columns; the one that the header has most often
TWO_SIGNS = b"::"  # between MovieLens' columns, where CSV has one sign
UNIT = b"\x1f"  # takes its place, since no name has it
RATED = ("userId", "movieId", "rating", "timestamp")
FILM = ("movieId", "title", "date", "video date", "url")
GENRES = (
    "unknown Action Adventure Animation Children's Comedy Crime Documentary Drama Fantasy Film-Noir Horror Musical"
    " Mystery Romance Sci-Fi Thriller War Western"
)
# The first line of MovieLens' files without a header, their separator and columns: ratings.dat, movies.dat, u.data, u.item.
WITHOUT_HEADER = (
    (rb"\d+::\d+::[\d.]+::\d+", TWO_SIGNS, RATED),
    (rb"\d+::.+::[^:\d][^:]*", TWO_SIGNS, ("movieId", "title", "genres")),
    (rb"\d+\t\d+\t\d(\.\d)?\t\d{9,10}", b"\t", RATED),
    (rb"\d+\|.*(\|[01]){19}", b"|", (*FILM, *GENRES.split())),
)


def read_table(given: SourceLike, names: ColumnNames) -> Any:
    """One file as an Arrow table, whose ids are texts."""
    need("pyarrow", "arrow")
    source = Source.of(given)
    with source.open() as opened:
        data = read_whole(opened)
        parquet = opened.is_parquet
    if parquet:
        return need("pyarrow.parquet", "arrow").read_table(io.BytesIO(data))
    data = strip_mark(data, source.name)
    if not data.strip():
        raise InputError("empty-input", "is empty", source=source.name)
    if data.lstrip()[:1] in (b"{", b"["):
        table = _read_json(Source(source.name, source.place, data), names)
    else:
        first = data.split(b"\n", 1)[0].rstrip(b"\r")
        known = next((layout for layout in WITHOUT_HEADER if re.fullmatch(layout[0], first)), None)
        table = (
            _read_csv(data, first, names, source.name) if known is None else _read_movielens(data, *known[1:], source)
        )
    if not len(table):
        raise InputError("empty-input", "has no row below its header", source=source.name)
    return table


def _read_csv(data: bytes, first: bytes, names: ColumnNames, name: str) -> Any:
    """A table with a header; blanks behind separators and a column of row numbers without a name are left out."""
    arrow = need("pyarrow", "arrow")
    if TWO_SIGNS in first:
        data, first = data.replace(TWO_SIGNS, UNIT), first.replace(TWO_SIGNS, UNIT)
    head = first.decode("utf-8", errors="replace")
    mark = max((UNIT.decode(), *MARKS), key=head.count)
    raw = [cell[1:-1] if cell[:1] == cell[-1:] == '"' else cell for cell in head.split(mark)]
    header = [cell.strip().strip('"') for cell in raw]
    named = header[1:] if header[0] == "" else header  # pandas writes its index without a name
    if len(named) < 2 or not all(is_id(cell) for cell in named) or all(cell.isdigit() for cell in named):
        raise InputError(
            "wrong-header",
            f"expected a header that names the columns, such as user_id,item_id,rating, got {quote(head[:80])}",
            source=name,
            line=1,
        )
    found = names.look_up(header, IDS).values()
    table = _parse(data, mark, [one for one, cell in zip(raw, header, strict=True) if cell in found], name)
    if len(table.column_names) == len(header) and header != raw:
        compute = need("pyarrow.compute", "arrow")
        cells = [compute.utf8_trim_whitespace(c) if c.type == arrow.string() else c for c in table.columns]
        table = arrow.table(cells, names=header)
    return table.select(named) if len(named) < len(header) else table


def _read_movielens(data: bytes, mark: bytes, columns: tuple[str, ...], source: Source) -> Any:
    """One of MovieLens' files without a header, some of which are in Latin-1."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode("latin-1").encode()
    if mark == TWO_SIGNS:
        data, mark = data.replace(TWO_SIGNS, UNIT), UNIT
    return _parse(data, mark.decode(), ["userId", "movieId"], source.name, list(columns))


def _parse(data: bytes, mark: str, ids: list[str], name: str, header: list[str] | None = None) -> Any:
    """Rows as Arrow's CSV reader reads them; without a header in the file, cells have no quotes."""
    arrow, csv = need("pyarrow", "arrow"), need("pyarrow.csv", "arrow")
    try:
        return csv.read_csv(
            io.BytesIO(data),
            read_options=csv.ReadOptions(column_names=header),
            parse_options=csv.ParseOptions(
                delimiter=mark, newlines_in_values=header is None, quote_char='"' if header is None else False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(ids, arrow.string()), strings_can_be_null=False
            ),
        )
    except arrow.ArrowInvalid as error:
        raise InputError("cannot-parse", f"is no table that can be read: {error}", source=name) from None


def _read_json(source: Source, names: ColumnNames) -> Any:
    """JSON lines, or an array of objects."""
    arrow = need("pyarrow", "arrow")
    records = list(Records.of(source))
    header = list(dict.fromkeys(key for record in records for key in record))
    ids = names.look_up(header, IDS).values()
    columns = {name: [record.get(name) for record in records] for name in header}
    try:
        return arrow.table(
            {name: [text_of(v, f"id ({name})") for v in own] if name in ids else own for name, own in columns.items()}
        )
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
        raise InputError("cannot-parse", f"is no table that can be read: {error}", source=source.name) from None
    except InputError as error:
        raise error.place(source.name, None) from None


def read_runs(given: list[Any], names: ColumnNames) -> dict[str, Any] | Any:
    """The lists of several files by run: named by a column of the only file, else by the file or `NAME=file`."""
    tables = [(Source.of(path).run_name, read_table(path, names)) for path in given]
    if len(tables) == 1 and "run" in names.look_up(tables[0][1].schema.names, IDS):
        return tables[0][1]
    out: dict[str, Any] = {}
    for name, table in tables:
        if name in out:
            raise InputError("duplicate-run", f"two files are called {quote(name)}", hint="write NAME=file")
        out[name] = table
    return out


def read_items(path: SourceLike, names: ColumnNames) -> list[str]:
    """Ids, one per line, or the items of a table."""
    source = Source.of(path).read_once()
    with source.open() as opened:
        lines = [] if opened.is_parquet else [line.strip() for _, line in opened.lines(comments=False)]
    if lines and not _names_items(lines[0], names):
        return list(dict.fromkeys(lines))
    if len(lines) > 1 and not any(mark in lines[0] for mark in MARKS):  # a column with its name
        return list(dict.fromkeys(lines[1:]))
    table = read_table(source, names)
    column = names.find(table.schema.names, ("item",), ())["item"]
    return list(dict.fromkeys(text_of(item, f"id ({column})", source.name) for item in table[column].to_pylist()))


def _names_items(line: str, names: ColumnNames) -> bool:
    """Whether the first line of a file is a header with a column of items."""
    mark = max(MARKS, key=line.count)
    return "item" in names.look_up([cell.strip().strip('"') for cell in line.split(mark)], ("item",))
