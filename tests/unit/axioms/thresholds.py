"""DeepTh and CloseTh under many settings and readings: `thresholds.jsonl` holds what is asked and what is said.

`python tests/unit/axioms/thresholds.py` decides the questions in the file again and writes the answers.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

from diveval.axioms import AS_WRITTEN, CHARITABLE, check

THRESHOLDS = Path(__file__).with_name("thresholds.jsonl")
READINGS = {
    reading.name: reading
    for reading in (
        AS_WRITTEN, CHARITABLE, replace(AS_WRITTEN, name="padded", padded=True), replace(AS_WRITTEN, name="half", r_c=F(1, 2)),
        replace(AS_WRITTEN, name="padded quarter", padded=True, r_c=F(1, 4)),
        replace(AS_WRITTEN, name="eventually", deep_threshold="eventually"),
        replace(AS_WRITTEN, name="uncut", cutoff_binds=False), replace(AS_WRITTEN, name="small", small_rc=True),
    )
}  # fmt: skip


def questions() -> list[tuple[str, str, str]]:
    """Metric, axiom, reading."""
    rows = [json.loads(line) for line in THRESHOLDS.read_text(encoding="utf-8").splitlines()]
    return [(row["asked"], row["axiom"], row["reading"]) for row in rows]


def answer(metric: str, axiom: str, reading: str) -> dict[str, Any]:
    """All that is said; the pairs shown here are found by exact scores, not by the solver."""
    said = check(metric, axiom, reading=READINGS[reading], time_limit=3600).as_dict()
    example, proof = said["counterexample"], said["proof"]
    if example is not None:
        said["counterexample"] = {key: example[key] for key in ("label", "setting", "cutoff", "scores")}
    if proof is not None:
        said["proof"] = {**proof, "steps": [f"[{step['by']}] {step['claim']}" for step in proof["steps"]]}
    return {"asked": metric, **{key: value for key, value in said.items() if value not in (None, "")}}


def write(asked: list[tuple[str, str, str]]) -> None:
    lines = [json.dumps(answer(*question), ensure_ascii=False) for question in asked]
    THRESHOLDS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write(questions())
