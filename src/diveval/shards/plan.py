"""How a collection in parquet falls into shards: ranges of row groups where files are sorted by topic, else buckets."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import InputError, need, shown
from diveval.reading import run_name
from diveval.reading.frames import JUDGMENT_COLUMNS, NUMBERS, RUN_COLUMNS, known_columns
from diveval.reading.parquet import NOTE, refuse_bomb
from diveval.shards.columns import codes_of, text_column

BATCH = 250_000  # rows scattered at a time


@dataclass(frozen=True)
class Shard:
    """Where the rows of some topics are: two buckets, or the topics above one and up to another of sorted files."""

    runs: Path
    judgments: Path
    bucket: bool = False
    above: str | None = None  # None is without end
    up_to: str | None = None

    def read(self) -> tuple[Any, Any]:
        """Judgments and runs as Arrow tables under our column names."""
        if self.bucket:
            return _read_bucket(self.judgments), _read_bucket(self.runs)
        judgments, runs = File.open(self.judgments, JUDGMENT_COLUMNS), File.open(self.runs, RUN_COLUMNS)
        return judgments.between(self.above, self.up_to), runs.between(self.above, self.up_to)


@dataclass(frozen=True)
class Plan:
    """All shards, and what no shard knows by itself: the names of the runs and the highest grade."""

    judgments: Path
    names: tuple[str, ...]
    highest: float
    shards: tuple[Shard, ...]

    def without_shards(self) -> Plan:
        """What every worker needs to know."""
        return replace(self, shards=())


@dataclass(frozen=True, eq=False)
class File:
    """A parquet file with its columns under our names."""

    path: Path
    parquet: Any
    columns: dict[str, str]

    @classmethod
    def open(cls, path: Path, wanted: tuple[str, ...]) -> File:
        """Open once a process and state of the file; the footer of a large file is not small."""
        try:
            stamp = path.stat()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from error
        return _opened(path, wanted, (stamp.st_mtime_ns, stamp.st_size))

    @property
    def row_groups(self) -> int:
        return int(self.parquet.num_row_groups)

    def rows_in(self, group: int) -> int:
        return int(self.parquet.metadata.row_group(group).num_rows)

    def read(self, groups: Sequence[int], *, only: tuple[str, ...] | None = None) -> Any:
        """Some row groups as one table."""
        columns = {what: name for what, name in self.columns.items() if only is None or what in only}
        table = self.parquet.read_row_groups(list(groups), columns=list(columns.values()), use_threads=False)
        return table.select(list(columns.values())).rename_columns(list(columns))

    def bounds(self, what: str) -> list[tuple[Any, Any]] | None:
        """The least and greatest value of a column in each row group; None where the file does not say."""
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
        """Do row groups follow each other in the order of topics? Then a topic is in neighbouring ones only."""
        bounds = self.topic_bounds
        return bounds is not None and all(
            isinstance(here[1], str) and here[1] <= after[0] for here, after in pairwise(bounds)
        )

    def between(self, above: str | None, up_to: str | None) -> Any:
        """The rows of the topics in (above, up_to], from the row groups that can hold them."""
        bounds = self.topic_bounds or []
        groups = [
            group for group, (low, high) in enumerate(bounds)
            if (above is None or high > above) and (up_to is None or low <= up_to)
        ]  # fmt: skip
        table = self.read(groups)
        whole = all(
            (above is None or bounds[group][0] > above) and (up_to is None or bounds[group][1] <= up_to)
            for group in groups
        )
        if whole:
            return table
        topics = text_column(table, "topic")
        wanted = np.array(
            [(above is None or t > above) and (up_to is None or t <= up_to) for t in topics.dictionary.to_pylist()],
            dtype=bool,
        )
        return table.filter(need("pyarrow", "arrow").array(wanted[codes_of(topics)]))

    def batches(self) -> Iterator[Any]:
        """The whole file, a piece at a time."""
        arrow = need("pyarrow", "arrow")
        for batch in self.parquet.iter_batches(BATCH, columns=list(self.columns.values()), use_threads=False):
            table = arrow.Table.from_batches([batch])
            yield table.select(list(self.columns.values())).rename_columns(list(self.columns))


@lru_cache(maxsize=16)
def _opened(path: Path, wanted: tuple[str, ...], stamp: tuple[int, int]) -> File:
    arrow, parquet = need("pyarrow", "arrow"), need("pyarrow.parquet", "arrow")
    try:
        plain = parquet.ParquetFile(path)
        refuse_bomb(plain.metadata, path)
        found = known_columns(plain.schema_arrow.names)
        columns = {what: found[what] for what in wanted if what in found}
        texts = [columns[what] for what in ("run", "topic", "aspect") if what in columns]
        opened = parquet.ParquetFile(path, read_dictionary=texts)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = shown(" ".join(str(error).split()), 200)
        raise InputError(f"is not a readable parquet file: {reason}", source=str(path)) from error
    for what in ("topic", "document", *(("grade",) if "grade" in wanted else ())):
        if what not in columns:
            have = ", ".join(plain.schema_arrow.names)
            raise InputError(f"has no {what} column among {have}; rename the column", source=str(path))
    return File(path, opened, columns)


def make_plan(judgments: Path, runs: Sequence[Path], scratch: Path, shard_rows: int) -> Plan:
    """Decide how to cut, and scatter first where files are not sorted."""
    truth = File.open(judgments, JUDGMENT_COLUMNS)
    files = [File.open(path, RUN_COLUMNS) for path in runs]
    names = tuple(dict.fromkeys(name for file in files for name in _names(file)))
    if len(files) == 1 and truth.sorted_by_topic() and files[0].sorted_by_topic():
        shards = tuple(_ranges(truth, files[0], shard_rows))
    else:
        shards = tuple(_buckets(truth, files, scratch, shard_rows))
    return Plan(judgments, names, _highest(truth), shards)


def _names(file: File) -> list[str]:
    """The runs of a file: as it says, or as its run column holds them; without that, after the file."""
    if "run" not in file.columns:
        return [run_name(file.path).removesuffix(".parquet")]
    metadata = file.parquet.schema_arrow.metadata or {}
    if NOTE in metadata:
        return [str(name) for name in json.loads(metadata[NOTE]).get("runs", [])]
    found: dict[str, None] = {}
    for group in range(file.row_groups):
        found |= dict.fromkeys(text_column(file.read([group], only=("run",)), "run").dictionary.to_pylist())
    return sorted(found)


def _highest(truth: File) -> float:
    bounds = truth.bounds("grade")
    if bounds is not None:
        return max((float(high) for _, high in bounds), default=0.0)
    compute = need("pyarrow.compute", "arrow")
    found = [compute.max(truth.read([g], only=("grade",))["grade"]).as_py() for g in range(truth.row_groups)]
    return float(max((value for value in found if value is not None), default=0.0))


def _ranges(truth: File, runs: File, shard_rows: int) -> Iterator[Shard]:
    """Ranges of topics that end where a row group does; together they cover every topic there can be.

    A topic that goes on in the next row group belongs to the range that ends with it: that row group is read by both.
    """
    above: str | None = None
    rows = 0
    for group, (_, high) in enumerate((runs.topic_bounds or [])[:-1]):
        rows += runs.rows_in(group)
        if rows >= shard_rows and high != above:
            yield Shard(runs.path, truth.path, above=above, up_to=high)
            above, rows = high, 0
    yield Shard(runs.path, truth.path, above=above)


# --- files in any order -----------------------------------------------------------------------------------------------


def _buckets(truth: File, files: Sequence[File], scratch: Path, shard_rows: int) -> Iterator[Shard]:
    """Every topic's rows into one of as many buckets as shards are wanted."""
    total = sum(file.rows_in(group) for file in files for group in range(file.row_groups))
    count = max(1, -(-total // shard_rows))
    judged = _scatter([truth], scratch, "judgments", count, named=False)
    listed = _scatter(files, scratch, "runs", count, named=True)
    for bucket in range(count):
        if bucket in judged:
            yield Shard(listed.get(bucket, scratch / "none"), judged[bucket], bucket=True)


def _scatter(files: Sequence[File], scratch: Path, what: str, count: int, *, named: bool) -> dict[int, Path]:
    arrow, ipc = need("pyarrow", "arrow"), need("pyarrow.ipc", "arrow")
    streams: dict[int, Any] = {}
    paths: dict[int, Path] = {}
    wanted = RUN_COLUMNS if named else JUDGMENT_COLUMNS
    columns = [name for name in wanted if any(name in file.columns for file in files) or (named and name == "run")]
    try:
        for file in files:
            for table in file.batches():
                if named and "run" not in file.columns:
                    table = table.append_column("run", arrow.array(_names(file) * table.num_rows))
                for bucket, part in _split(_aligned(table, columns), count):
                    if bucket not in streams:
                        paths[bucket] = scratch / f"{what}-{bucket}.arrow"
                        options = ipc.IpcWriteOptions(compression="lz4")
                        streams[bucket] = ipc.new_stream(paths[bucket], part.schema, options=options)
                    streams[bucket].write_table(part)
    finally:
        for stream in streams.values():
            stream.close()
    return paths


def _aligned(table: Any, columns: Sequence[str]) -> Any:
    """The same columns and types for every file."""
    arrow = need("pyarrow", "arrow")
    kinds = {name: arrow.float64() if name in NUMBERS else arrow.string() for name in columns}
    held = [
        table[name].cast(kind) if name in table.column_names else arrow.nulls(table.num_rows, kind)
        for name, kind in kinds.items()
    ]
    return arrow.table(dict(zip(kinds, held, strict=True)))


def _split(table: Any, count: int) -> Iterator[tuple[int, Any]]:
    topics = text_column(table, "topic")
    buckets = np.array([zlib.crc32(text.encode()) % count for text in topics.dictionary.to_pylist()], dtype=np.int64)
    of_row = buckets[codes_of(topics)]
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
