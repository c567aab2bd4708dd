"""The studio's API, a track's scoring and Spark give the numbers and the errors of `evaluate`, under random settings."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.metrics.names import as_metrics
from diveval.scoring.evaluate import load_judgments, score_runs
from diveval.setting_table import SETTINGS, TABLE
from support.hostile import Hostile, draw
from support.late import late
from support.shared import times
from support.ways_to_a_number import (
    MEAN,
    Numbers,
    answer,
    are_two_faults,
    files,
    judged_table,
    numbers_of,
    run_table,
    write_texts,
)

COLLECTIONS = times(20, 200)


def drawn_for(settings: set[str], first: int) -> Iterator[tuple[int, Hostile]]:
    """Collections with only these settings, and efforts nowhere."""
    for seed in range(first, first + COLLECTIONS):
        drawn = draw(seed)
        yield seed, drawn.without(*(name for name in drawn.settings if name not in settings))


def weight_file(drawn: Hostile, folder: Path) -> Path | None:
    """The weights as a file."""
    if drawn.weights is None:
        return None
    path = folder / "weights"
    path.write_text("".join(f"{t} {a} {w!r}\n" for (t, a), w in drawn.weights.items()), encoding="utf-8")
    return path


# --- the studio -------------------------------------------------------------------------------------------------------


def studio(drawn: Hostile, folder: Path) -> Numbers | str:
    """The scores that the API returns, or the code of its error."""
    from diveval.studio.session import Studio
    from support.studio_client import Client

    qrels, runs = write_texts(drawn, folder)
    session = Studio([qrels, *runs], weights=weight_file(drawn, folder))
    try:
        client, options = Client(session), dict(drawn.settings)
        state = client.job("/api/collection", {"given": True, "options": options})
        if state["state"] == "failed":
            return str(state["code"])
        reply = client.post(
            "/api/scores", {"metrics": list(drawn.metrics), "per_topic": True, "options": options}
        ).json()
    finally:
        session.close()
    if "code" in reply:
        return str(reply["code"])
    out = {(run, metric, MEAN): value for run, row in reply["mean"].items() for metric, value in row.items()}
    for run, rows in reply["per_topic"].items():
        out |= {(run, metric, topic): value for metric, row in rows.items() for topic, value in row.items()}
    return out


def test_the_studio_gives_the_numbers_of_evaluate(tmp_path: Path) -> None:
    """Every number of the API is that of `evaluate`, bit for bit, or both have the same error."""
    pytest.importorskip("httpx")
    settings = {setting.name for setting in SETTINGS if setting.label}
    for seed, drawn in drawn_for(settings, 1000):
        folder = tmp_path / str(seed)
        found, reference = studio(drawn, folder), answer(files, drawn, folder)
        assert found == reference or are_two_faults(found, reference), (seed, drawn)


# --- tracks -----------------------------------------------------------------------------------------------------------


def tracked(drawn: Hostile, folder: Path) -> Numbers:
    """The scores of runs by the settings of a track's configuration."""
    from diveval.tracks.config import Config
    from diveval.tracks.scorings import options_of

    values = {**drawn.settings, "metrics": list(drawn.metrics), "official": as_metrics(drawn.metrics[0])[0].name}
    values["metrics"] = [metric.name for metric in as_metrics(values["metrics"])]
    scoring = "".join(f"{name} = {_toml(value)}\n" for name, value in values.items())
    needed = 'spec = 1\n[track]\nid = "law"\ntitle = "t"\ncontact = "a@b.c"\n[dates]\nopens = 2026-03-01T00:00:00Z\ncloses = 2026-06-01T00:00:00Z\n'
    text = f'{needed}[data]\ntopics = "topics.txt"\n[scoring]\n{scoring}'
    config = Config.parse(text.encode())
    qrels, runs = write_texts(drawn, folder)
    options = options_of(config)
    judgments = load_judgments(qrels, options, weight_file(drawn, folder))
    metrics = as_metrics(config["scoring.metrics"])
    return numbers_of(score_runs(judgments, {path.name: path for path in runs}, metrics, options))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).replace("'", '"') if isinstance(value, (int, float, list)) else f'"{value}"'


def test_a_track_gives_the_numbers_of_evaluate(tmp_path: Path) -> None:
    """The settings of a track's file give the numbers that they give in `evaluate`, bit for bit, or the same error."""
    settings = {setting.name for setting in SETTINGS if setting.tracks}
    for seed, drawn in drawn_for(settings, 3000):
        folder = tmp_path / str(seed)
        assert answer(tracked, drawn, folder) == answer(files, drawn, folder), (seed, drawn)


# --- Spark ------------------------------------------------------------------------------------------------------------


def joined(collections: list[Hostile]) -> Hostile:
    """Several collections as one: topics with prefixes, the settings and metrics of the first."""
    named = [one.prefixed(f"{i}_") for i, one in enumerate(collections)]
    weights = {key: w for one in named for key, w in (one.weights or {}).items()}
    return replace(
        named[0],
        judged=tuple(row for one in named for row in one.judged),
        runs={name: tuple(row for one in named for row in one.runs[name]) for name in named[0].runs},
        weights=weights or None,
    )


@pytest.mark.slow
def test_spark_gives_the_numbers_of_evaluate() -> None:
    """Every number of Spark is that of `evaluate` on the same tables, bit for bit, or both have the same error."""
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17")
    from pyspark.errors import PythonException

    from diveval.integrations import spark
    from support.spark import session

    running = session("local[1]")
    settings = set(TABLE) - {"efforts", "order", "ties"}
    several = [drawn for _, drawn in drawn_for(settings, 5000)]
    for start in range(0, COLLECTIONS, 5):
        drawn = joined(several[start : start + 5])
        runs = [run_table(drawn, name).to_pandas().assign(run=name).drop(columns="rank") for name in drawn.runs]

        def by_spark(one: Hostile, _: Path, listed: Any = runs) -> Numbers:
            frame = running.createDataFrame(late("pandas").concat(listed))
            judged = running.createDataFrame(judged_table(one).to_pandas())
            made = spark.evaluate(
                judgments=judged, runs=frame, metrics=list(one.metrics), weights=one.weights, **one.settings
            )
            return numbers_of(spark.to_scores(made))

        def by_evaluate(one: Hostile, _: Path, listed: Any = runs) -> Numbers:
            tables = judged_table(one), late("pandas").concat(listed)
            return numbers_of(diveval.evaluate(*tables, list(one.metrics), weights=one.weights, **one.settings))

        expected = answer(by_evaluate, drawn, Path())
        try:
            result = answer(by_spark, drawn, Path())
        except PythonException as error:  # of a worker, which has the text of diveval's error
            result = expected if isinstance(expected, str) and "diveval.errors." in str(error) else str(error)
        assert result == expected, (start, drawn)
