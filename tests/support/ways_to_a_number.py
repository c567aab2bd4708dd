"""Every function that gives scores of a hostile collection, each as numbers by (run, metric, topic)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import diveval
from diveval import recommend
from diveval.analysis.stopping import stopping_points
from diveval.conclusions import conclude
from diveval.errors import DivevalError
from diveval.metrics.names import as_metrics
from diveval.reading.objects import as_runs
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.settings import Options
from support.hostile import Hostile
from support.late import late_or_skip

pa = late_or_skip("pyarrow")
pq = late_or_skip("pyarrow.parquet")
pd = late_or_skip("pandas")

Key = tuple[str, str, str]  # run, metric, topic; the topic of a mean is MEAN
MEAN, ALL = "mean of topics", 10**6
Numbers = dict[Key, float]
Way = Callable[
    [Hostile, Path], "Numbers | str | None"
]  # None: the way cannot express the collection; a text: the code of an error


def numbers_of(scores: Any) -> Numbers:
    """The values that count, and the means."""
    out = {}
    for r, run in enumerate(scores.runs):
        for m, metric in enumerate(scores.metrics):
            out[run, metric, MEAN] = float(scores.means[r, m])
            for t, topic in enumerate(scores.topics):
                if scores.counted[r, m, t]:
                    out[run, metric, topic] = float(scores.values[r, m, t])
    return out


def _table(rows: Iterable[tuple[Any, ...]], names: str) -> Any:
    columns = list(zip(*rows, strict=True))
    return pa.table(dict(zip(names.split(), map(list, columns), strict=True)))


def judged_table(drawn: Hostile) -> Any:
    return _table(drawn.judged, "topic aspect document grade")


def run_table(drawn: Hostile, name: str) -> Any:
    return _table(drawn.runs[name], "topic document rank score")


def write_texts(drawn: Hostile, folder: Path) -> tuple[Path, list[Path]]:
    """The collection as text files."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels, paths = folder / "qrels", [folder / name for name in drawn.runs]
    qrels.write_text("".join(f"{t} {a} {d} {g!r}\n" for t, a, d, g in drawn.judged), encoding="utf-8")
    for path, rows in zip(paths, drawn.runs.values(), strict=True):
        path.write_text("".join(f"{t} Q0 {d} {r} {s!r} tag\n" for t, d, r, s in rows), encoding="utf-8")
    return qrels, paths


def _evaluate(drawn: Hostile, judgments: Any, runs: Any) -> Numbers:
    return numbers_of(diveval.evaluate(judgments, runs, list(drawn.metrics), weights=drawn.weights, **drawn.settings))


# --- evaluate itself --------------------------------------------------------------------------------------------------


def files(drawn: Hostile, folder: Path) -> Numbers:
    qrels, paths = write_texts(drawn, folder)
    return _evaluate(drawn, qrels, paths)


def tables(drawn: Hostile, folder: Path) -> Numbers:
    return _evaluate(drawn, judged_table(drawn), {name: run_table(drawn, name) for name in drawn.runs})


def frames(drawn: Hostile, folder: Path) -> Numbers:
    return _evaluate(
        drawn, judged_table(drawn).to_pandas(), {name: run_table(drawn, name).to_pandas() for name in drawn.runs}
    )


def parquet(drawn: Hostile, folder: Path) -> Numbers:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(judged_table(drawn), folder / "q.parquet", row_group_size=5)
    runs = {name: folder / f"{name}.parquet" for name in drawn.runs}
    for name, path in runs.items():
        pq.write_table(run_table(drawn, name), path, row_group_size=4)
    numbers = _evaluate(drawn, folder / "q.parquet", list(runs.values()))
    return {(Path(run).stem, metric, topic): value for (run, metric, topic), value in numbers.items()}


def dicts(drawn: Hostile, folder: Path) -> Numbers | None:
    if drawn.judged_twice or drawn.listed_twice or drawn.settings.get("order") == "rank":
        return None  # a dict has no ranks and no repetitions
    return _evaluate(drawn, drawn.dict_judgments(), drawn.dict_runs())


# --- other functions --------------------------------------------------------------------------------------------------


def recommended(drawn: Hostile, folder: Path) -> Numbers | None:
    """Topics as users, documents as items, and aspects as the genres of items."""
    weights = drawn.weights
    if drawn.genres is None or (weights is not None and not _positive(drawn)):
        return None  # a genre without a weight is no error there: its weight is 0
    ratings = {(t, d): g for t, _, d, g in drawn.judged}
    frame = _table([(*pair, g) for pair, g in ratings.items()], "user_id item_id rating")
    runs = {name: run_table(drawn, name).rename_columns(["user_id", "item_id", "rank", "score"]) for name in drawn.runs}
    profiles: Any = "uniform"
    if weights is not None:
        profiles = {t: {a: w for (u, a), w in weights.items() if u == t} for t in {t for t, _ in weights}}
    scores = recommend.evaluate(
        frame, runs, list(drawn.metrics), aspects=drawn.genres, profiles=profiles, **drawn.settings
    )
    return numbers_of(scores)


def _positive(drawn: Hostile) -> bool:
    """Whether every aspect of every topic has a weight above 0."""
    return all((drawn.weights or {}).get(row[:2], 0.0) > 0 for row in drawn.judged)


def _loaded(drawn: Hostile) -> tuple[Any, list[Any], Options]:
    options = Options.of(**drawn.settings)
    runs = as_runs({name: run_table(drawn, name) for name in drawn.runs})
    return load_judgments(judged_table(drawn), options, drawn.weights), runs, options


def concluded(drawn: Hostile, folder: Path) -> Numbers:
    """The margin between the two runs at one setting of the parameters, for the metric with effort."""
    judgments, runs, options = _loaded(drawn)
    result = conclude(judgments, runs, drawn.metrics[0], options=options, significance=False)
    (row,) = result.rows
    return {(f"{row.better} - {row.worse}", row.metric, MEAN): row.margin}


def stopped(drawn: Hostile, folder: Path) -> Numbers:
    """The utility of complete lists, for the metric with effort."""
    judgments, runs, options = _loaded(drawn)
    (metric,) = as_metrics(drawn.metrics[0])
    rankings = rank_all(judgments, runs, [metric], options, keep_documents=False)
    stops = stopping_points(judgments, rankings, metric, options)
    return {(stop.run, metric.name, stop.topic): stop.utility_of_all for stop in stops}


def explained(drawn: Hostile, folder: Path) -> Numbers:
    """Means, the scores of topics that decide, and the sums of the steps that earn them."""
    judgments, runs, options = _loaded(drawn)
    why = diveval.why(judgments, runs[0], runs[1], list(drawn.metrics), options=options, axioms=False, topics=ALL)
    out: Numbers = {}
    whole = (
        drawn.settings.get("missing_topics") != "skip"
    )  # otherwise the means are over the topics that both runs have
    for m, metric in enumerate(why.metrics):
        if whole:
            out |= {(why.run, metric, MEAN): why.means[m][0], (why.other, metric, MEAN): why.means[m][1]}
        for reason in why.topics:
            for side in reason.sides[m]:
                out[side.run, metric, reason.topic] = side.score
                out[side.run, metric, f"{reason.topic} in steps"] = sum(step.value for step in side.steps)
    return out


def violated(drawn: Hostile, folder: Path) -> Numbers | None:
    """The scores of lists before two documents are exchanged."""
    if "efforts" in drawn.settings:
        return None
    judgments, runs, options = _loaded(drawn)
    found = diveval.violations(judgments, runs, list(drawn.metrics), depth=30, options=options)
    rows = [row for row in found.rows if row.axiom.startswith("Pri") and row.before is not None]
    return {(str(row.run), row.metric, str(row.topic)): float(row.before or 0.0) for row in rows}


EXACTLY: dict[str, Way] = {"tables": tables, "frames": frames, "parquet": parquet, "dicts": dicts}
OTHERS: dict[str, Way] = {
    "recommend": recommended,
    "conclude": concluded,
    "stopping": stopped,
    "why": explained,
    "violations": violated,
}


def answer(way: Way, drawn: Hostile, folder: Path) -> Numbers | str | None:
    """Numbers, or the code of the error."""
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("ignore")
        try:
            return way(drawn, folder)
        except DivevalError as error:
            return str(getattr(error, "code", "") or type(error).__name__)


# Two faults of one collection, of which either may be found first: one of a run, and one of the judgments.
OF_RUNS, OF_JUDGMENTS = (
    {"duplicate-document"},
    {"grade-above-gmax", "grade-too-high", "weights-all-zero", "missing-weights"},
)


def are_two_faults(first: object, second: object) -> bool:
    """Whether these are the codes of a fault of a run and of one of the judgments."""
    both = {str(first), str(second)}
    return bool(both & OF_RUNS and both & OF_JUDGMENTS)
