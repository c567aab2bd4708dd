"""The matrix in the studio: the engine's verdicts, and counterexamples that play as they were found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3", reason="the axiom engine needs z3")

from diveval.axioms import AXIOMS, check
from diveval.studio import jobs
from diveval.studio.limits import Limits
from diveval.studio.metric_forms import Catalogue
from diveval.views.axiom_matrix import shown_cell

from .conftest import played

METRICS = ["RBU(p=0.99,e=0.05)@20", "ERR_IA@20", "P@20"]


@pytest.fixture(scope="module")
def matrix(loaded: Any) -> Any:
    """The matrix of three metrics, with time enough on a slow machine."""
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(jobs, "SECONDS", 120.0)
        return loaded.job("/api/axioms", {"metrics": METRICS})["result"]


@pytest.mark.slow
def test_every_cell_is_the_engine_s_verdict(matrix: Any) -> None:
    """Metric by metric, constraint by constraint, in the order of the paper."""
    assert [axiom["name"] for axiom in matrix["axioms"]] == list(AXIOMS)
    assert [row["metric"] for row in matrix["rows"]] == METRICS
    cells = dict(zip(AXIOMS, matrix["rows"][1]["cells"], strict=True))
    for axiom in ("Pri", "Conf"):
        verdict = shown_cell(check("ERR_IA@20", axiom, reading="charitable").as_dict())
        assert {**cells[axiom], "situation": None} == {**json.loads(json.dumps(verdict)), "situation": None}


@pytest.mark.slow
def test_counterexamples_play_as_they_were_found(matrix: Any) -> None:
    """In the playground, a metric does not do what the constraint wants in its own counterexample."""
    wants = {"rises": lambda d: d > 1e-12, "does not fall": lambda d: d >= -1e-12}
    situations = [
        (row["metric"], cell["situation"]) for row in matrix["rows"] for cell in row["cells"] if cell["situation"]
    ]
    assert len(situations) >= 5
    for metric, situation in situations:
        rankings = [situation["before"], situation["after"]]
        before, after = played({"metrics": [metric], "rankings": rankings})["results"]
        assert not wants[situation["expected"]](after["values"][metric] - before["values"][metric]), situation


def test_a_second_look_costs_nothing(loaded: Any, matrix: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts are kept for the session."""
    import diveval.axioms

    monkeypatch.setattr(diveval.axioms, "check", lambda *a, **k: pytest.fail("decided again"))
    assert loaded.job("/api/axioms", {"metrics": METRICS})["result"] == matrix


def test_another_reading_and_a_wrong_one(loaded: Any) -> None:
    """as-written is decided on its own; other words are refused."""
    done = loaded.job("/api/axioms", {"metrics": ["P@20"], "reading": "as-written"})
    assert done["result"]["reading"] == "as-written"
    assert loaded.post("/api/axioms", {"metrics": ["P@20"], "reading": "kind"}).status_code == 400


def test_what_cannot_be_decided_says_why(loaded: Any) -> None:
    """A metric outside the engine's reach is `unknown` with a reason, and the others stand."""
    cells = loaded.job("/api/axioms", {"metrics": ["Judged@20"]})["result"]["rows"][0]["cells"]
    assert {cell["verdict"] for cell in cells} <= {"unknown", "not-applicable"}
    assert all(cell.get("note") or cell.get("evidence") for cell in cells)


def test_verdicts_come_from_the_command_line_s_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `diveval axioms` decided before is read from the disk, also by a studio that was just started."""
    from diveval.axioms.proof import scheduler
    from diveval.studio.jobs import LiveMatrix

    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    metric = Catalogue().find("P@20")
    for axiom in AXIOMS:
        scheduler.answer(scheduler.Cell.of(metric, axiom, "charitable"))
    monkeypatch.setattr(scheduler, "decide", lambda *a, **k: pytest.fail("decided again"))
    found = LiveMatrix(Limits()).of([metric], "charitable", lambda *a: None)
    assert [cell["verdict"] for cell in found["rows"][0]["cells"]].count("unknown") == 0
