"""The studio's view on labels and topics: pool, topics needed, a model's labels and a gate are the library's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.judging.planning import trace_power
from diveval.studio.session import Studio
from support.judged import quietly

METRICS = ["RBU(p=0.9,e=0.05)@20", "P@10"]


def test_pool_and_topics_needed(loaded: Any, files: Any) -> None:
    """Without further input: every row of `audit_pool`, and the smallest differences that topics find."""
    result = loaded.job("/api/jobs", {"kind": "judging", "metrics": METRICS})["result"]
    given = files["judgments"], files["runs"], METRICS
    audit = quietly(lambda: diveval.audit_pool(*given, weights=files["weights"]))
    assert [(row["run"], row["metric"], row["effect"], row["low"]) for row in result["pool"]["rows"]] == [
        (row.run, row.metric, row.effect, row.low) for row in audit.rows
    ]
    curve = quietly(lambda: trace_power(diveval.evaluate(*given, weights=files["weights"])))
    assert [row["smallest"] for row in result["power"]["rows"]] == [point.smallest for point in curve]
    assert result["judges"] is None and result["gate"] is None


def test_a_model_and_a_gate(files: Any, client_of: Any, tmp_path: Path) -> None:
    """A model's labels that were uploaded, and a baseline: the agreement is that of `judges`, and each run has an outcome."""
    lines = files["judgments"].read_text().splitlines()
    model = tmp_path / "model.qrels"
    model.write_text("".join(line[:-1] + ("0" if i % 5 == 0 else line[-1]) + "\n" for i, line in enumerate(lines)))
    client = client_of(Studio([files["judgments"], *files["runs"]], weights=files["weights"]))
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    number = client.upload("model.qrels", model.read_bytes()).json()["id"]
    base, *others = client.studio.open_collection().runs
    asked = {"kind": "judging", "metrics": METRICS, "model": number, "baseline": base, "margin": 0.02}
    result = client.job("/api/jobs", asked)["result"]
    found = quietly(lambda: diveval.judges(files["judgments"], model, files["runs"], METRICS, weights=files["weights"]))
    assert [one["confusion"] for one in result["judges"]["agreement"]] == [
        [list(row) for row in one.confusion] for one in found.agreement
    ]
    assert [(row["run"], row["estimator"], row["estimate"]) for row in result["judges"]["rows"]] == [
        (row.run, row.estimator, row.estimate) for row in found.rows if not row.against
    ]
    assert {row["run"] for row in result["gate"]["rows"]} == set(others)


@pytest.mark.parametrize(
    ("more", "code"),
    [({"model": 999}, "unknown-resource"), ({"margin": -1}, "out-of-range"), ({"baseline": 3}, "wrong-type")],
)
def test_wrong_choices_are_refused_at_once(loaded: Any, more: dict[str, Any], code: str) -> None:
    """A file that is not there and a margin below 0 are errors of the request, not of a job."""
    answer = loaded.post("/api/jobs", {"kind": "judging", "metrics": METRICS, **more})
    assert answer.status_code in (400, 404) and answer.json()["code"] == code
