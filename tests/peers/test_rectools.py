"""RecTools, run in an environment of its own on data drawn here, gives the numbers of `recommend.evaluate`.

It pins other versions of libraries: DIVEVAL_RECTOOLS names a Python that has it (`python -m venv`, `pip install rectools`).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from diveval.errors import capture_warnings
from diveval.recommend import evaluate
from support.late import late

pd = late("pandas")
PYTHON = os.environ.get("DIVEVAL_RECTOOLS")
SCRIPT = """
import json, sys
import pandas as pd
from rectools.metrics import CatalogCoverage, IntraListDiversity, MeanInvUserFreq, PairwiseHammingDistanceCalculator, Precision, calc_metrics
later, lists, before, items = (pd.read_csv(name + ".csv") for name in ("later", "lists", "before", "items"))
features = items.set_index("item_id")
metrics = {
    "P@5": Precision(k=5), "MIUF@5": MeanInvUserFreq(k=5), "CatalogueCoverage@5": CatalogCoverage(k=5, normalize=True),
    "ILD(distance=hamming)@5": IntraListDiversity(k=5, distance_calculator=PairwiseHammingDistanceCalculator(features)),
}
print(json.dumps({k: float(v) for k, v in calc_metrics(metrics, lists, later, before, items.item_id).items()}))
"""


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="DIVEVAL_RECTOOLS names no Python with RecTools")
@pytest.mark.parametrize("seed", range(3))
def test_rectools_gives_the_same_numbers(seed: int, tmp_path: Path) -> None:
    """Precision, novelty, diversity and coverage, with complete lists and users who all like something."""
    rng = np.random.default_rng(seed)
    users, items = range(40), np.arange(60)

    def draw(many: int) -> list[tuple[int, int]]:
        return [(user, int(item)) for user in users for item in rng.choice(items, many, replace=False)]

    later, before = (pd.DataFrame(draw(many), columns=["user_id", "item_id"]) for many in (4, 9))
    lists = pd.DataFrame(draw(5), columns=["user_id", "item_id"]).assign(
        rank=lambda frame: frame.groupby("user_id").cumcount() + 1
    )
    genres = pd.DataFrame(rng.integers(0, 2, (len(items), 6)), columns=list("ABCDEF"))
    genres["A"] = 1  # an item without genres is at distance 1 here
    genres.insert(0, "item_id", items)
    for name, frame in (("later", later), ("lists", lists), ("before", before), ("items", genres)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    done = subprocess.run([str(PYTHON), "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    with capture_warnings():
        ours = evaluate(
            later, lists, [*theirs], aspects=genres, history=before, catalogue=items.tolist(), profiles="uniform"
        )
    assert ours.mean()["run"] == {name: pytest.approx(value, abs=1e-12) for name, value in theirs.items()}
