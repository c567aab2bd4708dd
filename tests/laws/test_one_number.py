"""Every way to a number gives the number of `evaluate`, or the same error, on hostile collections and random settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import diveval
from support.hostile import Hostile, draw
from support.more_ways import MORE, STATISTICS
from support.shared import times
from support.ways_to_a_number import EXACTLY, MEAN, OTHERS, Numbers, answer, are_two_faults, files, numbers_of

COLLECTIONS, BATCH = times(200, 5000), 50
# Refusals that only recommenders have: tables that match in less than half of their ids, or no liked item at all.
JOINS = ("ids-unmatched", "nothing-relevant")


def expected_of(reference: Numbers, key: tuple[str, str, str]) -> float | None:
    """The number of `evaluate` for a key of another way."""
    run, metric, topic = key
    if run == "the best":
        return max(reference[name, metric, MEAN] for name in ("A", "B"))
    if " - " in run:  # a margin
        better, worse = run.split(" - ")
        return reference[better, metric, MEAN] - reference[worse, metric, MEAN]
    return reference.get((run, metric, topic.removesuffix(" in steps")))


def size_of(reference: Numbers, key: tuple[str, str, str]) -> float:
    """The largest number behind a value: an exact difference of means of 1e298 is not what is left of it in doubles."""
    run, metric, _ = key
    names = run.split(" - ") if " - " in run else []
    parts = [reference[name, metric, MEAN] for name in names]
    return max(1.0, *(abs(part) for part in (expected_of(reference, key) or 0.0, *parts)))


@pytest.mark.parametrize("first", range(0, COLLECTIONS, BATCH))
def test_every_way_gives_the_number_of_evaluate(first: int, tmp_path: Path) -> None:
    """Files, frames, parquet and dicts agree in every bit; exact and other ways agree to 1e-12; errors have one code."""
    for seed in range(first, first + BATCH):
        drawn = draw(seed)
        reference = answer(files, drawn, tmp_path / str(seed))
        assert reference is not None
        for name, way in EXACTLY.items():
            result = answer(way, drawn, tmp_path / str(seed))
            assert result in (None, reference), (seed, name, drawn)
        for name, way in OTHERS.items():
            result = answer(way, drawn, tmp_path / str(seed))
            if result is None or (name == "recommend" and result in JOINS):
                continue
            if isinstance(result, str) or isinstance(reference, str):
                assert result == reference, (seed, name, drawn)
                continue
            for key, value in result.items():
                expected = expected_of(reference, key)
                assert expected is not None and abs(value - expected) <= 1e-12 * size_of(reference, key), (
                    seed,
                    name,
                    key,
                    value,
                    expected,
                    drawn,
                )


def test_results_contain_the_numbers_of_evaluate(tmp_path: Path) -> None:
    """Losses, gates, audits, estimates, panels, comparisons, papers, studies and the command line agree with it."""
    seen = dict.fromkeys(MORE, 0)
    for seed in range(10_000, 10_000 + times(60, 600)):
        drawn = draw(seed)
        reference = answer(files, drawn, tmp_path / str(seed))
        assert reference is not None
        for name, way in MORE.items():
            result = answer(way, drawn, tmp_path / f"{seed}{name}")
            if result is None or result in STATISTICS:
                continue
            if isinstance(result, str) or isinstance(reference, str):
                assert result == reference or are_two_faults(result, reference), (seed, name, drawn)
                continue
            assert name != "command line" or set(result) == set(reference), (seed, drawn)
            for key, value in result.items():
                expected = expected_of(reference, key)
                assert expected is not None and abs(value - expected) <= 1e-12 * size_of(reference, key), (
                    seed,
                    name,
                    key,
                    value,
                    expected,
                    drawn,
                )
            seen[name] += len(result)
    assert min(seen.values()) > 0, seen


def test_topics_and_aspects_without_judgments_count(tmp_path: Path) -> None:
    """A topic or an aspect without a judgment scores like one in which an unseen document was judged not relevant."""
    for seed in range(times(60, 600)):
        drawn = draw(seed)
        settings = {k: v for k, v in drawn.settings.items() if k != "order"}
        metrics = [metric for metric in drawn.metrics if "@" in metric]  # others count judged documents
        if drawn.judged_twice or drawn.listed_twice or not metrics:
            continue
        results = []
        for cell in ({}, {"unseen": 0.0}):
            judged = {topic: {**aspects, "empty": cell} for topic, aspects in drawn.dict_judgments().items()}
            results.append(_scored({**judged, "another": {"x": cell}}, drawn, metrics, settings))
        assert results[0] == results[1], (seed, drawn)


def _scored(judgments: Any, drawn: Hostile, metrics: list[str], settings: Any) -> Any:
    return answer(
        lambda one, _: numbers_of(
            diveval.evaluate(judgments, one.dict_runs(), metrics, weights=_all_weights(one, judgments), **settings)
        ),
        drawn,
        Path(),
    )


def _all_weights(drawn: Hostile, judgments: Any) -> dict[tuple[str, str], float] | None:
    """The weights, and 1 for new aspects."""
    if drawn.weights is None:
        return None
    new = {(t, a): 1.0 for t, aspects in judgments.items() for a in aspects if a in ("empty", "x")}
    return {**new, **drawn.weights}
