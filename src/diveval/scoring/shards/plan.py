"""The division of a parquet collection into shards: ranges of row groups if files are sorted by topic, else buckets."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import InputError, need
from diveval.reading.cells import takeable, texts_of
from diveval.reading.frames import JUDGMENT_COLUMNS, RUN_COLUMNS, match_columns, require_columns
from diveval.reading.parquet import for_arrow, join_chunks, note_of, refuse_bomb, run_name_of, valid_parquet
from diveval.reading.source import Source
from diveval.scoring.shards.one_shard import CollectionFacts, RunsOf, judgments_of
from diveval.settings import Options

BATCH = 250_000  # rows split into buckets at a time
Mapped = tuple[tuple[str, str], ...]  # the caller's names of columns


@dataclass(frozen=True)
class Piece:
    """The rows of some topics of a file: a bucket, or the topics after `above` up to `up_to`."""

    place: Source | Path  # a file, or a bucket
    above: str | None = None  # None: no limit
    up_to: str | None = None

    def read(self, wanted: tuple[str, ...], mapped: Mapped) -> Any:
        """An Arrow table under our column names."""
        if isinstance(self.place, Path):
            return _read_bucket(self.place)
        return File.open(self.place, wanted, mapped).between(self.above, self.up_to)


@dataclass(frozen=True)
class Shard:
    """Some topics: their judgments, and their rows in each file of runs."""

    judgments: Piece
    runs: tuple[Piece, ...]

    def read(self, mapped: Mapped = ()) -> tuple[Any, list[Any]]:
        """Judgments and runs as Arrow tables."""
        judgments = self.judgments.read(JUDGMENT_COLUMNS, mapped)
        return judgments, [piece.read(RUN_COLUMNS, mapped) for piece in self.runs]


@dataclass(frozen=True)
class Plan:
    """All shards, and the facts about the whole collection."""

    collection: CollectionFacts
    shards: tuple[Shard, ...]
    mapped: Mapped = ()


@dataclass(frozen=True, eq=False)
class File:
    """A parquet file with its columns under our names."""

    source: Source
    parquet: Any
    columns: dict[str, str]

    @classmethod
    def open(cls, source: Source, wanted: tuple[str, ...], mapped: Mapped = ()) -> File:
        """Open a file, cached per process and state of the file, since the footer of a large file is large."""
        return _open(source, wanted, mapped, source.state())

    @property
    def row_groups(self) -> int:
        return int(self.parquet.num_row_groups)

    @property
    def rows(self) -> int:
        return int(self.parquet.metadata.num_rows)

    @cached_property
    def note(self) -> dict[str, Any]:
        """The metadata that `diveval data convert` writes."""
        return note_of(self.parquet.schema_arrow.metadata, self.source.name)

    def group_batches(self) -> Iterator[list[int]]:
        """The row groups in lists of at most `BATCH` rows or one group: thousands of tiny ones take minutes one by one."""
        groups: list[int] = []
        rows = 0
        for group in range(self.row_groups):
            if groups and rows + self.rows_in(group) > BATCH:
                yield groups
                groups, rows = [], 0
            groups.append(group)
            rows += self.rows_in(group)
        if groups:
            yield groups

    def rows_in(self, group: int) -> int:
        return int(self.parquet.metadata.row_group(group).num_rows)

    def read(self, groups: Sequence[int], *, only: tuple[str, ...] | None = None) -> Any:
        """Some row groups as one table."""
        columns = {what: name for what, name in self.columns.items() if only is None or what in only}
        table = self.parquet.read_row_groups(list(groups), columns=list(columns.values()), use_threads=False)
        return _ours(join_chunks(table), columns)

    def bounds(self, what: str) -> list[tuple[Any, Any]] | None:
        """The least and greatest value of a column in each row group; None if the file has no statistics."""
        index = self.parquet.schema_arrow.get_field_index(self.columns[what])
        out = []
        for group in range(self.row_groups):
            statistics = self.parquet.metadata.row_group(group).column(index).statistics
            if statistics is None or not statistics.has_min_max:
                return None
            out.append((statistics.min, statistics.max))
        return out

    @cached_property
    def topic_bounds(self) -> list[tuple[Any, Any]] | None:
        """The first and last topic of each row group."""
        return self.bounds("topic")

    def sorted_by_topic(self) -> bool:
        """Whether row groups are in the order of topics, so that the rows of a topic are in adjacent groups."""
        bounds = self.topic_bounds
        return (
            bounds is not None
            and all(isinstance(high, str) for _, high in bounds)
            and all(before[1] <= after[0] for before, after in pairwise(bounds))
        )

    def between(self, above: str | None, up_to: str | None) -> Any:
        """The rows of the topics in (above, up_to], from the row groups that can contain them."""
        if above is None and up_to is None:
            return self.read(range(self.row_groups))
        bounds = self.topic_bounds or []
        groups = [
            group
            for group, (low, high) in enumerate(bounds)
            if (above is None or high > above) and (up_to is None or low <= up_to)
        ]
        table = self.read(groups)
        whole = all(
            (above is None or bounds[group][0] > above) and (up_to is None or bounds[group][1] <= up_to)
            for group in groups
        )
        if whole:
            return table
        topics = texts_of(table["topic"], "id (topic)", self.source.name)
        wanted = [(above is None or t > above) and (up_to is None or t <= up_to) for t in topics.names]
        kept = np.array(wanted, dtype=bool)[topics.codes]
        return table.filter(need("pyarrow", "arrow").array(kept))

    def batches(self) -> Iterator[Any]:
        """The whole file, one batch at a time."""
        arrow = need("pyarrow", "arrow")
        columns = list(self.columns.values())
        for groups in self.group_batches():
            if len(groups) > 1:
                yield self.read(groups)
                continue
            for batch in self.parquet.iter_batches(BATCH, row_groups=groups, columns=columns, use_threads=False):
                yield _ours(arrow.Table.from_batches([batch]), self.columns)


def _ours(table: Any, columns: Mapping[str, str]) -> Any:
    """A table with our column names, without metadata, and with columns that support `take`."""
    arrow = need("pyarrow", "arrow")
    return arrow.table({what: takeable(table[name]) for what, name in columns.items()})


@lru_cache(maxsize=16)
def _open(source: Source, wanted: tuple[str, ...], mapped: Mapped, stamp: tuple[int, ...] | None) -> File:
    parquet, name = need("pyarrow.parquet", "arrow"), source.name
    with source.open() as opened:  # an error for a file that cannot be read
        size = opened.size
    file = for_arrow(source.path)
    with valid_parquet(name):
        plain = parquet.ParquetFile(file)
        refuse_bomb(plain.metadata, file, size, name)
        names = list(plain.schema_arrow.names)
        columns = match_columns(names, dict(mapped), wanted=wanted)
        texts = [columns[what] for what in ("run", "topic", "aspect") if what in columns]
        file = parquet.ParquetFile(file, read_dictionary=texts)
    require_columns(names, columns, ("topic", "document", *(("grade",) if "grade" in wanted else ())), name)
    return File(source, file, columns)


def total_rows(sources: Sequence[Source], columns: Mapping[str, str] | None = None) -> int:
    """Rows of runs in all files."""
    return sum(File.open(source, RUN_COLUMNS, _freeze(columns)).rows for source in sources)


def _freeze(columns: Mapping[str, str] | None) -> Mapped:
    return tuple(sorted((columns or {}).items()))


def make_plan(
    judgments: Source,
    runs: Sequence[Source],
    scratch: Path,
    shard_rows: int,
    options: Options | None = None,
    columns: Mapping[str, str] | None = None,
) -> Plan:
    """Plan the shards; files of several shards that are not sorted by topic are first split into buckets."""
    mapped = _freeze(columns)
    truth = File.open(judgments, JUDGMENT_COLUMNS, mapped)
    files = [File.open(source, RUN_COLUMNS, mapped) for source in runs]
    for file in files:
        if not file.rows:
            raise InputError("empty-input", "is empty: it contains no row", source=file.source.name)
    together = sum(file.rows for file in files) <= shard_rows  # one shard: nothing has to be in any order
    if together or all(file.sorted_by_topic() for file in (truth, *files)):
        shards = tuple(_ranges(truth, files, shard_rows))
    else:
        shards = tuple(_buckets(truth, files, scratch, shard_rows))
    listed = tuple(RunsOf(file.source.name, tuple(_runs(file)), file.note, "parquet") for file in files)
    named = {
        what: what for what, _ in mapped
    }  # shards have our column names; mapped columns count as named by the user
    collection = CollectionFacts(listed, 0.0, judgments.name, bool(truth.note.get("repeats")), columns=named)
    highest = _highest(truth, Plan(collection, shards, mapped), options or Options())
    return Plan(replace(collection, highest=max(highest, 0.0)), shards, mapped)


def _runs(file: File) -> list[str]:
    """The runs of a file in the order of its metadata, then of their first rows; without a run column, the file's name."""
    if "run" not in file.columns:
        return [run_name_of(file.source)]
    runs: dict[str, None] = {}
    for groups in file.group_batches():
        column = texts_of(file.read(groups, only=("run",))["run"], "id (run)", file.source.name)
        first = np.full(len(column.names), len(column.codes))
        np.minimum.at(first, column.codes, np.arange(len(column.codes)))
        runs |= dict.fromkeys(column.names[int(i)] for i in np.argsort(first))
    noted = [run for run in file.note.get("runs", ()) if run in runs]
    return list(dict.fromkeys([*noted, *runs]))


def _highest(truth: File, plan: Plan, options: Options) -> float:
    """The highest grade, without that of duplicates that are dropped."""
    if options.judgment_duplicates in ("first", "last") and not plan.collection.repeats:
        tables = (shard.judgments.read(JUDGMENT_COLUMNS, plan.mapped) for shard in plan.shards)
        parts = (judgments_of(table, plan.collection, options) for table in tables if table.num_rows)
        return max((float(part.columns.grades.max(initial=0.0)) for part in parts), default=0.0)
    bounds = truth.bounds("grade")
    numbers = bounds is not None and all(isinstance(high, (int, float)) for _, high in bounds)
    if bounds is not None and numbers:
        return max((float(high) for _, high in bounds), default=0.0)
    compute = need("pyarrow.compute", "arrow")
    largest = [compute.max(truth.read(groups, only=("grade",))["grade"]).as_py() for groups in truth.group_batches()]
    return float(max((value for value in largest if value is not None), default=0.0))


def _ranges(truth: File, files: Sequence[File], shard_rows: int) -> Iterator[Shard]:
    """Ranges of topics that end with a row group of the largest file; together they cover every topic.

    A topic that continues in the next row group belongs to the range that ends with it: both ranges read that group.
    """
    largest = max(files, key=lambda file: file.rows)
    times = sum(file.rows for file in files) / max(largest.rows, 1)
    cuts: list[str] = []
    rows = 0
    several = largest.rows * times > shard_rows
    for group, (_, high) in enumerate((largest.topic_bounds or [])[:-1] if several else ()):
        rows += largest.rows_in(group)
        if rows * times >= shard_rows and (not cuts or high != cuts[-1]):
            cuts.append(high)
            rows = 0
    for above, up_to in pairwise([None, *cuts, None]):
        pieces = tuple(Piece(file.source, above=above, up_to=up_to) for file in files)
        yield Shard(Piece(truth.source, above=above, up_to=up_to), pieces)


# --- files in any order -----------------------------------------------------------------------------------------------


def _buckets(truth: File, files: Sequence[File], scratch: Path, shard_rows: int) -> Iterator[Shard]:
    """Shards of files in any order: the rows of each topic are written to one of several buckets."""
    count = max(1, -(-sum(file.rows for file in files) // shard_rows))
    judged = _scatter(truth, scratch, "judgments", count)
    listed = [_scatter(file, scratch, f"runs-{i}", count) for i, file in enumerate(files)]
    for bucket in range(count):
        if bucket in judged:
            pieces = tuple(Piece(paths.get(bucket, scratch / "none")) for paths in listed)
            yield Shard(Piece(judged[bucket]), pieces)


def _scatter(file: File, scratch: Path, what: str, count: int) -> dict[int, Path]:
    ipc = need("pyarrow.ipc", "arrow")
    streams: dict[int, Any] = {}
    paths: dict[int, Path] = {}
    try:
        for table in file.batches():
            for bucket, part in _split(_align(table), count, file.source.name):
                if bucket not in streams:
                    paths[bucket] = scratch / f"{what}-{bucket}.arrow"
                    options = ipc.IpcWriteOptions(compression="lz4")
                    streams[bucket] = ipc.new_stream(paths[bucket], part.schema, options=options)
                streams[bucket].write_table(part)
    finally:
        for stream in streams.values():
            stream.close()
    return paths


def _align(table: Any) -> Any:
    """A table with dictionary columns decoded, since dictionaries differ between batches."""
    arrow = need("pyarrow", "arrow")
    decoded = [
        column.cast(column.type.value_type) if arrow.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return arrow.table(dict(zip(table.column_names, decoded, strict=True)))


def _split(table: Any, count: int, source: str) -> Iterator[tuple[int, Any]]:
    topics = texts_of(table["topic"], "id (topic)", source)
    buckets = np.array([zlib.crc32(text.encode()) % count for text in topics.names], dtype=np.int64)
    of_row = buckets[topics.codes]
    order = np.argsort(of_row, kind="stable")
    bounds = np.searchsorted(of_row[order], np.arange(count + 1)).tolist()
    ordered = table.take(order)
    for bucket in np.unique(buckets).tolist():
        yield bucket, ordered.slice(bounds[bucket], bounds[bucket + 1] - bounds[bucket])


def _read_bucket(path: Path) -> Any:
    arrow, ipc = need("pyarrow", "arrow"), need("pyarrow.ipc", "arrow")
    if not path.exists():
        return arrow.table({name: arrow.array([], arrow.string()) for name in ("run", "topic", "document")})
    with path.open("rb") as stream:
        return ipc.open_stream(stream).read_all()
