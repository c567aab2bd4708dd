"""Measure the evaluation of recommendations, beside `evaluate`, a polars expression and RecTools.

Users have twenty recommended items, five ratings to predict and ten earlier ones. Each measurement is the CPU time of a new
process, without the creation of the frames and without loading libraries.

Usage: python benchmarks/bench_recommend.py [--users N --items N] --one WHAT prints a line of JSON
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from workload import DATA

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

LISTED, LATER, BEFORE, GENRES = 20, 5, 10, 18
SIX = ["nDCG@10", "alpha_nDCG@10", "ERR_IA@10", "ILD@10", "MIUF@10", "Calibration_JS@10"]
CATALOGUE = ("P@10", "AP@10", "nDCG@10", "ERR@10", "RBP")  # metrics that `evaluate` has too


def frames(users: int, items: int) -> tuple[pd.DataFrame, ...]:
    """Items with genres, earlier and later ratings, and recommended lists, from a fixed seed."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(5)
    first = rng.integers(0, items, users)
    step = rng.integers(1, items // (LISTED + LATER + BEFORE), users)  # a user's items are all different
    chosen = (first[:, None] + step[:, None] * np.arange(BEFORE + LATER + LISTED)) % items

    def rows(columns: slice) -> tuple[np.ndarray, np.ndarray]:
        part = chosen[:, columns]
        return np.repeat(np.arange(users), part.shape[1]), part.ravel()

    def rated(columns: slice) -> pd.DataFrame:
        user, item = rows(columns)
        return pd.DataFrame({"user_id": user, "item_id": item, "rating": rng.integers(1, 6, len(user))})

    # Some of the later items are recommended.
    user, item = rows(slice(BEFORE + 2, BEFORE + 2 + LISTED))
    lists = pd.DataFrame({"user_id": user, "item_id": item, "rank": np.tile(np.arange(1, LISTED + 1), users)})
    genres = [f"g{one}|g{other}" for one, other in rng.integers(0, GENRES, (items, 2))]
    catalogue = pd.DataFrame({"item_id": np.arange(items), "genres": genres})
    return catalogue, rated(slice(BEFORE)), rated(slice(BEFORE, BEFORE + LATER)), lists


def _recommend(metrics: list[str], **tables: Any) -> Callable[..., Any]:
    from diveval import recommend

    return lambda catalogue, before, later, lists: recommend.evaluate(
        later, lists, metrics, **({"aspects": catalogue, "history": before} if tables.get("all") else {})
    ).means.tolist()


def _evaluate(metric: str) -> Callable[..., Any]:
    import diveval

    def run(catalogue: Any, before: Any, later: Any, lists: Any) -> Any:
        names = {"topic": "user_id", "document": "item_id", "grade": "rating"}
        return diveval.evaluate(later, lists, metric, columns=names).means.tolist()

    return run


def _polars() -> Callable[..., Any]:
    import polars as pl

    def run(catalogue: Any, before: Any, later: Any, lists: Any) -> Any:
        """nDCG@10 with the gain 2^r − 1, as one query."""
        discount = 1 / (pl.col("rank") + 1).log(2)
        gain = 2.0 ** pl.col("rating") - 1
        rated, shown = pl.from_pandas(later), pl.from_pandas(lists).filter(pl.col("rank") <= 10)
        best = rated.with_columns(rank=pl.col("rating").rank("ordinal", descending=True).over("user_id"))
        ideal = best.filter(pl.col("rank") <= 10).group_by("user_id").agg(ideal=(gain * discount).sum())
        found = shown.join(rated, on=["user_id", "item_id"]).group_by("user_id").agg(found=(gain * discount).sum())
        table = ideal.join(found, on="user_id", how="left").with_columns(pl.col("found").fill_null(0.0))
        return [[table.select((pl.col("found") / pl.col("ideal")).mean()).item()]]

    return run


def _rectools() -> Callable[..., Any]:
    from rectools.metrics import (
        MAP,
        NDCG,
        IntraListDiversity,
        MeanInvUserFreq,
        PairwiseHammingDistanceCalculator,
        calc_metrics,
    )

    def run(catalogue: Any, before: Any, later: Any, lists: Any) -> Any:
        features = catalogue.set_index("item_id").genres.str.get_dummies("|")
        named = {
            "nDCG@10": NDCG(k=10), "MAP@10": MAP(k=10), "MIUF@10": MeanInvUserFreq(k=10),
            "ILD@10": IntraListDiversity(k=10, distance_calculator=PairwiseHammingDistanceCalculator(features)),
        }  # fmt: skip
        return calc_metrics(named, lists, later, before, catalogue.item_id)

    return run


WORK: dict[str, Callable[[], Callable[..., Any]]] = {
    "all": lambda: _recommend(SIX, all=True),
    "four": lambda: _recommend(["nDCG@10", "AP@10", "ILD@10", "MIUF@10"], all=True),
    **{f"recommend {name}": (lambda name=name: _recommend([name])) for name in CATALOGUE},
    **{f"evaluate {name}": (lambda name=name: _evaluate(name)) for name in CATALOGUE},
    "polars nDCG@10": _polars,
    "rectools": _rectools,
}


def measure(what: str, users: int, items: int, python: str = sys.executable) -> tuple[float, float, Any]:
    """CPU seconds, peak in MB and the values of one piece of work, in a process of its own."""
    words = [python, __file__, "--users", str(users), "--items", str(items), "--one", what]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["seconds"], answer["megabytes"], answer["values"]


def _one(what: str, users: int, items: int) -> None:
    run, tables = WORK[what](), frames(users, items)
    run(*frames(200, 500))  # loads every library
    start = time.process_time()
    values = run(*tables)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "values": values}, default=float))


def python_with_rectools() -> str | None:
    """A Python with RecTools, which pins other versions of libraries: $DIVEVAL_RECTOOLS, or an environment in
    benchmarks/data that is made on first use; None if it cannot be installed."""
    if named := os.environ.get("DIVEVAL_RECTOOLS"):
        return named
    python = DATA / "rectools" / "bin" / "python"
    if not (DATA / "rectools" / "made").exists():
        for command in (
            [sys.executable, "-m", "venv", DATA / "rectools"],
            [python, "-m", "pip", "-q", "install", "rectools"],
        ):
            if subprocess.run(command, capture_output=True, check=False).returncode:
                return None
        (DATA / "rectools" / "made").touch()
    return str(python)


def measure_all(session: Any) -> None:
    """The rows of recommendation lists: beside `evaluate` on the same frames, polars and RecTools."""
    million, compared = (20_000, 10_000) if session.quick else (1_000_000, 200_000)
    items = 20_000
    seconds, megabytes, _ = measure("all", million, items)
    job = f"{million:,} users × {LISTED}, {', '.join(name.split('@')[0] for name in SIX)}"
    session.limit(job, seconds, "CPU s", 20)
    session.limit("the same: memory", megabytes, "MB", 3000)
    costs = {what: measure(what, compared, items)[0] for what in ("recommend nDCG@10", "evaluate nDCG@10")}
    for name in CATALOGUE:
        for _ in range(min(2, session.rounds)):
            for how in ("recommend", "evaluate"):
                what = f"{how} {name}"
                costs[what] = min(measure(what, compared, items)[0], costs.get(what, float("inf")))
        job, beside = f"{compared:,} users × {LISTED}, {name}, `recommend`", costs[f"evaluate {name}"]
        session.within(job, costs[f"recommend {name}"], "`evaluate`", beside, 1.3)
    own = costs["recommend nDCG@10"]
    session.limit(f"{compared:,} users × {LISTED}, nDCG@10", own, "CPU s", 1.8)
    theirs = min(measure("polars nDCG@10", compared, items)[0] for _ in range(min(2, session.rounds)))
    session.faster(f"{compared:,} users × {LISTED}, nDCG@10", own, "a query in polars", theirs, 1)
    if python := python_with_rectools():
        ours, theirs = (
            measure(*what)[0] for what in (("four", compared, items), ("rectools", compared, items, python))
        )
        session.faster(f"{compared:,} users × {LISTED}, nDCG, AP, ILD and MIUF", ours, "RecTools", theirs, 1)
    else:
        session.section.lacks.append("RecTools could not be installed in an environment of its own")


def main() -> None:
    """One measurement as a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--one", choices=list(WORK), default="all")
    arguments = parser.parse_args()
    _one(arguments.one, arguments.users, arguments.items)


if __name__ == "__main__":
    main()
