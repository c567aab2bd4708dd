"""Random collections with common faults of files, and every kind of input by which they can be evaluated."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from diveval import evaluate
from diveval.errors import DivevalError, DivevalWarning
from diveval.scoring.shards import evaluate_parquet
from diveval.settings import Options
from diveval.system import scanner
from support.late import late_or_skip

pa = late_or_skip("pyarrow")
pl = late_or_skip("polars")
pq = late_or_skip("pyarrow.parquet")
duckdb = late_or_skip("duckdb")
dataset = late_or_skip("pyarrow.dataset")
for also in ("pandas", "narwhals"):
    late_or_skip(also)

FIRST = "RBU(p=0.9,e=0.02)@10"
OTHERS = [
    "alpha_nDCG(alpha=0.5)@5",
    "ERR_IA@5",
    "P@3",
    "AP",
    "nDCG@10",
    "ndeval.alpha_nDCG@10",
    "evall.RBU(p=0.8,e=0.03)",
]
DOCUMENTS = ["d1", "d2", "d10", "D3", "é", "\u20ac5", "\U0001f600", "x" * 40, "0", "-7", "a:b|c"]
JUDGED = ("topic", "aspect", "document", "grade")
LISTED = ("topic", "document", "rank", "score")


@dataclass
class Drawn:
    """Judgments and two runs of one name, as rows; weights; options."""

    judgments: list[tuple[str, str, str, float]]
    runs: list[list[tuple[str, str, int, float]]]
    weights: dict[tuple[str, str], float] | None
    options: dict[str, Any]
    metrics: list[str]


def draw(seed: int) -> Drawn:
    """Ties, repeated rows, missing and unjudged topics, negative grades, contradictions of rank and score.

    Each collection has two metrics, so that every metric is used with many collections: inputs differ in what they
    read, not in formulas.
    """
    rng = np.random.default_rng(seed)
    topics = [["1", "2", "10"], ["a", "10", "9"], ["all", "été", "7"]][seed % 3]
    lowest = -2 if rng.random() < 0.3 else 0
    highest = 0 if rng.random() < 0.08 else int(rng.integers(1, 4))
    judgments = []
    for topic in topics:
        for aspect in rng.permutation(["1", "2", "10", "z"])[: rng.integers(1, 4)]:
            for document in rng.permutation(DOCUMENTS)[: rng.integers(1, 8)]:
                row = (topic, str(aspect), str(document), float(rng.integers(lowest, highest + 1)))
                judgments += [row] * (2 if rng.random() < 0.05 else 1)
                if rng.random() < 0.01:
                    judgments.append((*row[:3], row[3] + 1))
    if rng.random() < 0.5:
        judgments = [judgments[i] for i in rng.permutation(len(judgments))]
    runs = []
    for _ in range(2):
        rows = []
        for topic in [*topics, "unjudged"]:
            if rng.random() < 0.2:
                continue
            documents = rng.permutation([*DOCUMENTS, "u1", "u2"])[: rng.integers(1, 10)].tolist()
            documents += documents[:1] if rng.random() < 0.06 else []
            for rank, document in enumerate(documents, 1):
                shown = rank if rng.random() < 0.9 else int(rng.integers(1, 9))
                rows.append(
                    (topic, document, shown, float(rng.integers(0, 5)) / 2 if rng.random() < 0.5 else 10.0 - rank)
                )
        rows = rows or [("unjudged", "u1", 1, 1.0)]
        runs.append([rows[i] for i in rng.permutation(len(rows))] if rng.random() < 0.4 else rows)
    weights = None
    if rng.random() < 0.4:
        left_out = topics[0] if rng.random() < 0.2 else ""
        named = {(topic, aspect) for topic, aspect, _, _ in judgments if rng.random() < 0.97 and topic != left_out}
        weights = {pair: float(rng.integers(0, 4)) for pair in sorted(named)} or None
    choices: dict[str, list[str | None]] = {
        "duplicates": [None, None, "first", "blank"],
        "judgment_duplicates": ["error", "error", "max", "first", "last"],
        "order": [None, None, "rank", "file", "score"],
        "ties": [None, "docno-asc", "file"],
        "missing_topics": [None, "zero", "skip"],
        "gain": ["exponential", "linear", "binary"],
        "gmax": ["file", "per-aspect"],
    }
    options = {name: values[int(rng.integers(len(values)))] for name, values in choices.items()}
    return Drawn(judgments, runs, weights, options, [FIRST, OTHERS[seed % len(OTHERS)]])


def tables(drawn: Drawn) -> tuple[Any, list[Any]]:
    """The collection as Arrow tables."""
    judged = pa.table(dict(zip(JUDGED, map(list, zip(*drawn.judgments, strict=True)), strict=True)))
    return judged, [pa.table(dict(zip(LISTED, map(list, zip(*rows, strict=True)), strict=True))) for rows in drawn.runs]


def texts(drawn: Drawn, folder: Path) -> tuple[Path, list[Path]]:
    """The collection as text files in a new folder."""
    folder.mkdir()
    qrels, runs = folder / "q", [folder / side / "x.run" for side in "ab"]
    qrels.write_text("".join(f"{t} {a} {d} {g!r}\n" for t, a, d, g in drawn.judgments), encoding="utf-8")
    for path, rows in zip(runs, drawn.runs, strict=True):
        path.parent.mkdir()
        path.write_text("".join(f"{t} Q0 {d} {r} {s!r} tag\n" for t, d, r, s in rows), encoding="utf-8")
    return qrels, runs


def ways(drawn: Drawn, folder: Path) -> dict[str, Any]:
    """Every kind of input, as a function without arguments that evaluates; files are in a new folder."""
    judged, listed = tables(drawn)
    every = [judged, *listed]
    qrels, runs = texts(drawn, folder)
    pq.write_table(judged, folder / "q.parquet", row_group_size=5)
    parquet = [folder / side / "x.parquet" for side in "ab"]
    for table, path in zip(listed, parquet, strict=True):
        pq.write_table(table, path, row_group_size=4)
    metrics, weights = drawn.metrics, drawn.weights

    def given(judgments: Any, runs: Any) -> Any:
        return lambda: evaluate(judgments, runs, metrics, weights=weights, **drawn.options)

    def plain() -> Any:
        os.environ[scanner.PLAIN_VARIABLE] = "1"
        try:
            return evaluate(qrels, runs, metrics, weights=weights, **drawn.options)
        finally:
            del os.environ[scanner.PLAIN_VARIABLE]

    ids = ("topic", "aspect", "document")

    def cast(table: Any, kind: Any) -> Any:
        return pa.table({name: table[name].cast(kind) if name in ids else table[name] for name in table.column_names})

    def parts(rows: int, *, of_views: bool = False) -> Any:
        options, paths = Options.of(**drawn.options), [folder / "q.parquet", *parquet]
        if of_views:
            paths = [path.with_name(f"views-{path.name}") for path in paths]
            for path, table in zip(paths, every, strict=True):
                pq.write_table(cast(table, pa.string_view()), path, row_group_size=4)
        return lambda: evaluate_parquet(paths[0], paths[1:], metrics, options=options, weights=weights, shard_rows=rows)

    def pieces(table: Any) -> Any:
        return pa.concat_tables([table.slice(i, 2) for i in range(0, len(table), 2)])

    def sliced(table: Any) -> Any:
        return pa.concat_tables([table.slice(0, 1), table]).combine_chunks().slice(1)

    connection = duckdb.connect()
    frames, series = [table.to_pandas() for table in every], [pl.from_arrow(table) for table in every]

    def typed(kind: Any) -> Any:
        of_kind = [frame.astype({name: kind for name in ids if name in frame.columns}) for frame in frames]
        return given(of_kind[0], of_kind[1:])

    indices = pa.dictionary(pa.int8(), pa.string())
    other = {"topic": "T", "aspect": "A", "document": "D", "grade": "G", "rank": "R", "score": "S"}
    return {
        "dictionaries": given(cast(judged, indices), [cast(table, indices) for table in listed]),
        "dictionaries in pieces": given(pieces(cast(judged, indices)), [pieces(cast(t, indices)) for t in listed]),
        "wide offsets": given(cast(judged, pa.large_string()), [cast(t, pa.large_string()) for t in listed]),
        "views": given(cast(judged, pa.string_view()), [cast(t, pa.string_view()) for t in listed]),
        "views in pieces": given(
            pieces(cast(judged, pa.string_view())), [pieces(cast(t, pa.string_view())) for t in listed]
        ),
        "slices": given(sliced(judged), [sliced(table) for table in listed]),
        "datasets": given(dataset.dataset(judged), [dataset.dataset(table) for table in listed]),
        "pandas categories": typed("category"),
        "pandas objects": typed(object),
        "polars whole": given(series[0], series[1:]),
        "columns named": lambda: evaluate(
            judged.rename_columns([other[name] for name in judged.column_names]),
            [table.rename_columns([other[name] for name in table.column_names]) for table in listed],
            metrics,
            weights=weights,
            columns=other,
            **drawn.options,
        ),
        "names known": given(
            judged.rename_columns(["user_id", "subtopic_id", "item_id", "rating"]),
            [table.rename_columns(["qid", "docno", "rank", "prediction"]) for table in listed],
        ),
        "text": given(qrels, runs),
        "plain text": plain,
        "pandas": given(frames[0], frames[1:]),
        "polars": given(series[0], [one.lazy() for one in series[1:]]),
        "arrow": given(judged, listed),
        "arrow streams": lambda: evaluate(
            judged.to_reader(3), [t.to_reader(2) for t in listed], metrics, weights=weights, **drawn.options
        ),
        "arrow batches": given(
            judged.combine_chunks().to_batches()[0], [t.combine_chunks().to_batches()[0] for t in listed]
        ),
        "duckdb": given(connection.from_arrow(judged), [connection.from_arrow(table) for table in listed]),
        "run column": given(
            judged,
            pa.concat_tables(
                [table.append_column("run", pa.array([f"run{i}"] * len(table))) for i, table in enumerate(listed, 1)]
            ),
        ),
        "parquet": given(folder / "q.parquet", parquet),
        "parquet in one part": parts(10**6),
        "parquet in parts": parts(3),
        "parquet in parts of views": parts(3, of_views=True),
    }


def answer(way: Any) -> tuple[Any, list[str]]:
    """Values and warnings, or the error, without the names of files, which differ."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scores = way()
            result: Any = (
                scores.topics,
                scores.metrics,
                scores.values.tolist(),
                scores.counted.tolist(),
                scores.means.tolist(),
            )
        except DivevalError as error:
            return bare(str(error)), []  # warnings before an error may differ
    return result, sorted(bare(str(w.message)) for w in caught if issubclass(w.category, DivevalWarning))


def bare(text: str) -> str:
    """A message without the name of its file."""
    return re.sub(r"^(\S*/\S*|run\d*|judgments|weights): ", "", text)
