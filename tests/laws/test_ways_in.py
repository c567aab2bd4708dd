"""Text, dicts, frames, Arrow, DuckDB and parquet, whole or in parts: one evaluation, with the same values, warnings and
errors to the last bit and letter."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate
from diveval.shards import evaluate_parquet
from support.shared import times
from support.ways_in import answer, draw, pa, pq, tables, ways

COLLECTIONS = times(40, 200)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COLLECTIONS, 20))
def test_every_way_in_is_one_evaluation(first: Any, tmp_path: Path) -> None:
    """A few of forty random collections, two hundred in `make thorough`: no way in has another value, warning or error."""
    for seed in sorted(random.sample(range(first, first + 20), times(4, 20))):
        drawn = draw(seed)
        answers = {name: answer(way) for name, way in ways(drawn, tmp_path / str(seed)).items()}
        for name, found in answers.items():
            if name.startswith("parquet in") and isinstance(found[0], str):
                assert isinstance(answers["text"][0], str), (
                    seed,
                    name,
                    found[0],
                )  # of two errors it may meet the other
                continue
            assert found == answers["text"], (seed, name, drawn.options)


@pytest.mark.slow
def test_the_collections_are_worth_it() -> None:
    """Among those collections are values, warnings and errors, and many kinds of both: their texts without what they
    say of one collection (numbers, names, lists)."""
    warned, refused, values = set[str](), set[str](), 0
    for seed in range(COLLECTIONS):
        drawn = draw(seed)
        judged, listed = tables(drawn)
        found, said = answer(
            lambda d=drawn, j=judged, r=listed: evaluate(j, r, d.metrics, weights=d.weights, **d.options)
        )
        warned |= {_kind(text) for text in said}
        refused |= {_kind(found)} if isinstance(found, str) else set()
        values += not isinstance(found, str)
    assert values > COLLECTIONS / 2
    assert len(warned) >= 12 and len(refused) >= times(3, 4), (warned, refused)


def _kind(text: str) -> str:
    """A message without what differs from case to case."""
    return re.sub(r"-?[0-9]+|'[^']*'|\(.*?\)", "", text)


def test_two_files_of_one_name_are_two_runs(tmp_path: Path) -> None:
    """Each under its path, in text and in parquet."""
    judged = pa.table({"topic": ["1"] * 2, "aspect": ["1"] * 2, "document": ["x", "y"], "grade": [1, 1]})
    pq.write_table(judged, tmp_path / "q.parquet")
    paths = [tmp_path / side / "x.parquet" for side in "ab"]
    for path, documents in zip(paths, (["x", "u", "v", "y"], ["x", "u", "v", "w"]), strict=True):
        path.parent.mkdir()
        pq.write_table(pa.table({"topic": ["1"] * 4, "document": documents, "score": [4, 3, 2, 1]}), path)
    whole = evaluate(tmp_path / "q.parquet", paths, "P@4")
    assert whole.runs == tuple(map(str, paths)) and whole.values.ravel().tolist() == [0.5, 0.25]
    parted = evaluate_parquet(tmp_path / "q.parquet", paths, "P@4", shard_rows=1)
    assert (parted.runs, parted.values.tolist()) == (whole.runs, whole.values.tolist())
