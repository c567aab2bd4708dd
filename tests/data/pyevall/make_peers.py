# ruff: noqa
"""Writes gold.json, run.json and peers.json: what PyEvALL 0.2.11 computes for a small random ranking.

It needs an environment of its own (it asks for old versions of numpy and pandas): pip install PyEvALL==0.2.11
"""

import json
import random
from pathlib import Path

from pyevall.evaluation import PyEvALLEvaluation
from pyevall.utils.utils import PyEvALLUtils

HERE = Path(__file__).parent
rng = random.Random(4)
gold = [(f"Q{q}", f"d{d}", rng.choice([0, 0, 1, 2])) for q in range(6) for d in range(12)]
run = [(f"Q{q}", f"d{d}", rank) for q in range(6) for rank, d in enumerate(rng.sample(range(15), 12), 1)]
for name, rows in (("gold", gold), ("run", run)):
    (HERE / f"{name}.json").write_text(json.dumps([{"test_case": t, "id": d, "value": v} for t, d, v in rows]) + "\n")
report = PyEvALLEvaluation().evaluate(
    str(HERE / "run.json"),
    str(HERE / "gold.json"),
    ["PrecisionAtK", "MRR", "MAP", "RPrecision"],
    **{PyEvALLUtils.PARAM_REPORT: PyEvALLUtils.PARAM_OPTION_REPORT_EMBEDDED},
)
kept = {}
for metric, found in report.report["metrics"].items():
    kept[metric] = {case["name"]: case["average"] for case in found["results"]["test_cases"]}
(HERE / "peers.json").write_text(json.dumps(kept) + "\n")
