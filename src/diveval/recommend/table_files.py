"""Files of ratings, lists and items as Arrow tables: CSV with any separator, RecBole's atomic files, parquet.

Ids stay texts, so that 007 is not 7; other columns have the type that their cells have.
"""

from __future__ import annotations

import io
from os import fspath
from typing import Any

from diveval.collection.columns import Names
from diveval.errors import InputError, need, quote
from diveval.reading.column_names import ColumnNames
from diveval.reading.records import is_id
from diveval.reading.source import Source, SourceLike
from diveval.reading.texts import read_whole

IDS = ("user", "item", "run")
MARKS = ("\t", ";", "|", ",")  # between columns; the one that the header has most often


def read_table(given: SourceLike, names: ColumnNames) -> Any:
    """One file as an Arrow table, whose ids are texts."""
    arrow = need("pyarrow", "arrow")
    source = Source.of(given)
    if source.is_parquet():
        parquet = need("pyarrow.parquet", "arrow")
        with source.open() as opened:
            return parquet.read_table(io.BytesIO(read_whole(opened)))
    with source.open() as opened:
        data = read_whole(opened)
    head = data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    mark = max(MARKS, key=head.count)
    header = [name.strip().strip('"') for name in head.split(mark)]
    if len(header) < 2 or not all(is_id(name) for name in header) or all(name.isdigit() for name in header):
        raise InputError(
            "wrong-header",
            f"expected a header that names the columns, such as user_id,item_id,rating, got {quote(head[:80])}",
            source=source.name,
            line=1,
        )
    found = names.look_up(header, IDS)
    csv = need("pyarrow.csv", "arrow")
    try:
        table = csv.read_csv(
            io.BytesIO(data),
            parse_options=csv.ParseOptions(delimiter=mark, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={name: arrow.string() for name in found.values()}, strings_can_be_null=False
            ),
        )
    except arrow.ArrowInvalid as error:
        raise InputError("cannot-parse", f"is no table that can be read: {error}", source=source.name) from None
    if not len(table):
        raise InputError("empty-input", "has no row below its header", source=source.name)
    return table


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


def read_items(path: SourceLike) -> list[str]:
    """Ids, one per line."""
    with Source.of(path).open() as opened:
        ids = [line.strip() for _, line in opened.lines(comments=False)]
    if not ids:
        raise InputError("empty-input", "has no id", source=fspath(path) if not isinstance(path, Source) else path.name)
    return list(Names.of(ids))
