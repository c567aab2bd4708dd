"""Measure the evaluation of recommendations: users with ten recommended items, five ratings to predict and ten earlier ones.

Usage: python benchmarks/bench_recommend.py [--users N --items N]
"""

from __future__ import annotations

import argparse
import os
import resource
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from diveval import recommend

LISTED, LATER, BEFORE, GENRES = 10, 5, 10, 18


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


def main() -> None:
    """Evaluate the default metrics and print the cost, without the creation of the frames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=20_000)
    arguments = parser.parse_args()
    catalogue, before, later, lists = frames(arguments.users, arguments.items)
    start = time.process_time()
    scores = recommend.evaluate(later, lists, aspects=catalogue, history=before)
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = len(before) + len(later) + len(lists)
    print(
        f"{arguments.users:,} users, {rows:,} rows, {len(scores.metrics)} metrics: {taken:.1f} CPU s, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
