"""The matrix in the studio: the engine's verdicts, and counterexamples that play as they were found."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="the axiom engine needs z3")

from diveval.axioms import AXIOMS, check
from diveval.studio.catalogue import Catalogue
from diveval.studio.limits import Limits
from diveval.studio.playground import play

METRICS = ["RBU(p=0.99,e=0.05)@20", "ERR_IA@20", "P@20"]


@pytest.fixture(scope="module")
def matrix(loaded):
    """The matrix of three metrics."""
    return loaded.job("/api/axioms", {"metrics": METRICS})["result"]


def test_every_cell_is_the_engine_s_verdict(matrix):
    """Metric by metric, constraint by constraint, in the order of the paper."""
    assert [axiom["name"] for axiom in matrix["axioms"]] == list(AXIOMS)
    assert [(cell["metric"], cell["axiom"]) for cell in matrix["cells"]] == [(m, a) for m in METRICS for a in AXIOMS]
    by_name = {(cell["metric"], cell["axiom"]): cell for cell in matrix["cells"]}
    for axiom in ("Pri", "Conf"):
        verdict = check("ERR_IA@20", axiom, reading="charitable").as_dict()
        assert {**by_name["ERR_IA@20", axiom], "situation": None} == {**verdict, "situation": None}


def test_counterexamples_play_as_they_were_found(matrix):
    """In the playground, a metric does not do what the constraint wants in its own counterexample."""
    wants = {"rises": lambda d: d > 1e-12, "does not fall": lambda d: d >= -1e-12}
    situations = [(cell["metric"], cell["situation"]) for cell in matrix["cells"] if cell["situation"]]
    assert len(situations) >= 5
    for metric, situation in situations:
        rankings = [situation["before"], situation["after"]]
        before, after = play({"metrics": [metric], "rankings": rankings}, Catalogue().find, Limits())["results"]
        assert not wants[situation["expected"]](after["values"][metric] - before["values"][metric]), situation


def test_a_second_look_costs_nothing(loaded, matrix, monkeypatch):
    """Verdicts are kept for the session."""
    import diveval.axioms

    monkeypatch.setattr(diveval.axioms, "check", lambda *a, **k: pytest.fail("decided again"))
    assert loaded.job("/api/axioms", {"metrics": METRICS})["result"] == matrix


def test_another_reading_and_a_wrong_one(loaded):
    """as-written is decided on its own; other words are refused."""
    done = loaded.job("/api/axioms", {"metrics": ["P@20"], "reading": "as-written"})
    assert {cell["reading"] for cell in done["result"]["cells"]} == {"as-written"}
    assert loaded.post("/api/axioms", {"metrics": ["P@20"], "reading": "kind"}).status_code == 400


def test_what_cannot_be_decided_says_why(loaded):
    """A metric outside the engine's reach is `unknown` with a reason, and the others stand."""
    cells = loaded.job("/api/axioms", {"metrics": ["Judged@20"]})["result"]["cells"]
    assert {cell["verdict"] for cell in cells} <= {"unknown", "not-applicable"}
    assert all(cell["note"] or cell["evidence"] for cell in cells)
