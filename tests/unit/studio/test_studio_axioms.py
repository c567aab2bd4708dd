"""The axiom matrix in the studio: the verdicts of the engine, and counterexamples that can be replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3", reason="the axiom engine needs z3")

from diveval.axioms import AXIOMS, check
from diveval.axioms.proof import scheduler
from diveval.axioms.proof.scheduler import Cell, Scheduler
from diveval.studio import constraint_jobs
from diveval.studio.limits import Limits
from diveval.studio.metric_forms import Catalogue
from diveval.views.axiom_matrix import show_cell

from .conftest import play_request

METRICS = ["RBU(p=0.99,e=0.05)@20", "ERR_IA@20", "P@20"]


@pytest.fixture(scope="module")
def matrix(loaded: Any) -> Any:
    """The matrix of three metrics, with enough time on a slow machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constraint_jobs, "SECONDS", 120.0)
        return loaded.job("/api/axioms", {"metrics": METRICS})["result"]


@pytest.mark.slow
def test_every_cell_is_the_verdict_of_the_engine(matrix: Any) -> None:
    """Rows are the metrics, columns the axioms in the order of the paper."""
    assert [axiom["name"] for axiom in matrix["axioms"]] == list(AXIOMS)
    assert [row["metric"] for row in matrix["rows"]] == METRICS
    cells = dict(zip(AXIOMS, matrix["rows"][1]["cells"], strict=True))
    for axiom in ("Pri", "Conf"):
        verdict = show_cell(check("ERR_IA@20", axiom, reading="charitable").as_dict())
        assert {**cells[axiom], "situation": None} == {**json.loads(json.dumps(verdict)), "situation": None}


@pytest.mark.slow
def test_counterexamples_can_be_replayed(matrix: Any) -> None:
    """In the playground a metric violates the axiom in its own counterexample."""
    holds = {"rises": lambda d: d > 1e-12, "does not fall": lambda d: d >= -1e-12}
    situations = [
        (row["metric"], cell["situation"]) for row in matrix["rows"] for cell in row["cells"] if cell["situation"]
    ]
    assert len(situations) >= 5
    for metric, situation in situations:
        rankings = [situation["before"], situation["after"]]
        before, after = play_request({"metrics": [metric], "rankings": rankings})["results"]
        assert not holds[situation["expected"]](after["values"][metric] - before["values"][metric]), situation


def test_verdicts_are_cached(loaded: Any, matrix: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts are kept for the session."""
    import diveval.axioms

    monkeypatch.setattr(diveval.axioms, "check", lambda *a, **k: pytest.fail("decided again"))
    assert loaded.job("/api/axioms", {"metrics": METRICS})["result"] == matrix


def test_readings(loaded: Any) -> None:
    """as-written is decided separately; an unknown reading is an error."""
    done = loaded.job("/api/axioms", {"metrics": ["P@20"], "reading": "as-written"})
    assert done["result"]["reading"] == "as-written"
    assert loaded.post("/api/axioms", {"metrics": ["P@20"], "reading": "kind"}).status_code == 400


def test_verdicts_come_from_the_cache_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts that `diveval axioms` has decided are read from disk by a new studio."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    metric = Catalogue().find("P@20")
    Scheduler().decide([Cell.of(metric, axiom, "charitable") for axiom in AXIOMS])
    monkeypatch.setattr(scheduler, "run_cells", lambda *a, **k: iter(()))
    result = constraint_jobs.decide_axioms(Scheduler(), [metric], "charitable", Limits(), lambda *a: None)
    assert [cell["verdict"] for cell in result["rows"][0]["cells"]].count("unknown") == 0


def test_a_matrix_is_cancelled_between_queries() -> None:
    """Deciding asks at every query whether it is cancelled, and ends with the exception that says so."""
    calls = []

    class StopNowError(Exception):
        pass

    def step(what: str, done: int, total: int) -> None:
        calls.append(done)
        if len(calls) > 20:
            raise StopNowError

    metric = Catalogue().find("RBU(p=0.99,e=0.05)@20")
    with pytest.raises(StopNowError):
        constraint_jobs.decide_axioms(Scheduler(cached=False), [metric], "charitable", Limits(), step)
    assert max(calls) < 20 == len(calls) - 1


def test_metrics_without_an_exact_form_are_named_beside_the_matrix(loaded: Any) -> None:
    """A rule by column has no row; a note names it."""
    found = loaded.job("/api/axioms", {"metrics": ["Rprec", "P@20", "Judged@20"]})["result"]
    assert [row["metric"] for row in found["rows"]] == ["P@20"]
    assert any("Rprec" in note and "Judged@20" in note for note in found["notes"])
