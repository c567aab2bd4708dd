"""Text, dicts, frames, Arrow, DuckDB and parquet, complete or in parts, give exactly the same values, warnings and
errors."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate
from diveval.scoring.shards import evaluate_parquet
from support.shared import times
from support.ways_in import answer, draw, pa, pq, tables, ways

COLLECTIONS = times(40, 200)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COLLECTIONS, 20))
def test_every_input_path_gives_the_same_result(first: Any, tmp_path: Path) -> None:
    """On random collections, every input path gives the values, warnings and errors of text files."""
    for seed in sorted(random.sample(range(first, first + 20), times(4, 20))):
        drawn = draw(seed)
        results = {name: answer(path) for name, path in ways(drawn, tmp_path / str(seed)).items()}
        for name, result in results.items():
            if name.startswith("parquet in") and isinstance(result[0], str):  # of two errors it may report the other
                assert isinstance(results["text"][0], str), (seed, name, result[0])
                continue
            assert result == results["text"], (seed, name, drawn.options)


@pytest.mark.slow
def test_the_random_collections_cover_many_cases() -> None:
    """The random collections give values, and many kinds of warnings and errors."""
    warned, refused, values = set[str](), set[str](), 0
    for seed in range(COLLECTIONS):
        drawn = draw(seed)
        judged, listed = tables(drawn)
        result, warnings = answer(
            lambda d=drawn, j=judged, r=listed: evaluate(j, r, d.metrics, weights=d.weights, **d.options)
        )
        warned |= {_kind(text) for text in warnings}
        refused |= {_kind(result)} if isinstance(result, str) else set()
        values += not isinstance(result, str)
    assert values > COLLECTIONS / 2
    assert len(warned) >= 12 and len(refused) >= times(3, 4), (warned, refused)


def _kind(text: str) -> str:
    """A message without numbers, names and lists, which differ between collections."""
    return re.sub(r"-?[0-9]+|'[^']*'|\(.*?\)", "", text)


def test_files_with_the_same_name_are_separate_runs(tmp_path: Path) -> None:
    """Parquet runs with the same file name are named by their paths, read at once or in parts."""
    judged = pa.table({"topic": ["1"] * 2, "aspect": ["1"] * 2, "document": ["x", "y"], "grade": [1, 1]})
    pq.write_table(judged, tmp_path / "q.parquet")
    paths = [tmp_path / side / "x.parquet" for side in "ab"]
    for path, documents in zip(paths, (["x", "u", "v", "y"], ["x", "u", "v", "w"]), strict=True):
        path.parent.mkdir()
        pq.write_table(pa.table({"topic": ["1"] * 4, "document": documents, "score": [4, 3, 2, 1]}), path)
    complete = evaluate(tmp_path / "q.parquet", paths, "P@4")
    assert complete.runs == tuple(map(str, paths)) and complete.values.ravel().tolist() == [0.5, 0.25]
    sharded = evaluate_parquet(tmp_path / "q.parquet", paths, "P@4", shard_rows=1)
    assert (sharded.runs, sharded.values.tolist()) == (complete.runs, complete.values.tolist())
