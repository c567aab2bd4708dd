"""Measure the evaluation of recommendations, beside `evaluate`, a polars expression and RecTools.

Users have twenty recommended items, five ratings to predict and ten earlier ones. Each measurement is the CPU time of a new
process, without the creation of the frames.

Usage: python benchmarks/bench_recommend.py [--users N --items N] [--rectools PYTHON]
`--rectools` is a Python with RecTools, pandas and numpy: it pins other versions of libraries, so it needs an environment of
its own.
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
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np
import pandas as pd

LISTED, LATER, BEFORE, GENRES = 20, 5, 10, 18
SIX = ["nDCG@10", "alpha_nDCG@10", "ERR_IA@10", "ILD@10", "MIUF@10", "Calibration_JS@10"]
CATALOGUE = ("P@10", "AP@10", "nDCG@10", "ERR@10", "RBP")  # metrics that `evaluate` has too


def frames(users: int, items: int) -> tuple[pd.DataFrame, ...]:
    """Items with genres, earlier and later ratings, and recommended lists, from a fixed seed."""
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
    from rectools.metrics import MAP, MIUF, NDCG, IntraListDiversity, PairwiseHammingDistanceCalculator, calc_metrics

    def run(catalogue: Any, before: Any, later: Any, lists: Any) -> Any:
        features = catalogue.set_index("item_id").genres.str.get_dummies("|")
        named = {
            "nDCG@10": NDCG(k=10), "MAP@10": MAP(k=10), "MIUF@10": MIUF(k=10),
            "ILD@10": IntraListDiversity(k=10, distance_calculator=PairwiseHammingDistanceCalculator(features)),
        }  # fmt: skip
        return calc_metrics(named, lists, later, before, catalogue.item_id)

    return run


WORK: dict[str, Callable[[], Callable[..., Any]]] = {
    "all": lambda: _recommend(SIX, all=True),
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
    start = time.process_time()
    values = run(*tables)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "values": values}, default=float))


def main() -> None:
    """Print a line per measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000_000, help="for the six metrics together")
    parser.add_argument("--compared", type=int, default=200_000, help="users for the comparisons")
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--rectools", metavar="PYTHON", help="a Python with RecTools")
    parser.add_argument("--one", choices=list(WORK), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        _one(arguments.one, arguments.users, arguments.items)
        return
    seconds, peak, _ = measure("all", arguments.users, arguments.items)
    print(f"{arguments.users:,} users × {LISTED}, {', '.join(SIX)}: {seconds:.1f} CPU s, {peak:.0f} MB", flush=True)
    print(f"{arguments.compared:,} users × {LISTED}, CPU s:")
    for name in CATALOGUE:
        (ours, _, own), (theirs, _, values) = (
            measure(f"{how} {name}", arguments.compared, arguments.items) for how in ("recommend", "evaluate")
        )
        same = "same value" if own == values else f"{own} and {values}"
        print(f"  {name}: recommend {ours:.2f}, evaluate {theirs:.2f} ({ours / theirs:.2f}×, {same})", flush=True)
    seconds, _, values = measure("polars nDCG@10", arguments.compared, arguments.items)
    print(f"  nDCG@10 in polars: {seconds:.2f} ({values[0][0]:.6f})")
    if arguments.rectools:
        seconds, _, values = measure("rectools", arguments.compared, arguments.items, arguments.rectools)
        print(f"  RecTools, {', '.join(values)}: {seconds:.2f}")


if __name__ == "__main__":
    main()
