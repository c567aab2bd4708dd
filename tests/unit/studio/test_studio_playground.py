"""The playground: values are those of the library, and any request is answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diveval import parse
from diveval.axioms import check
from diveval.metrics import entries
from diveval.studio.playground import SITUATIONS
from support.characters import ANY
from support.refusals import refuses

from .conftest import play_request

OWN = [
    entry.metric({}, None if entry.cutoffs != "needed" else 5).name
    for entry in entries().values()
    if "." not in entry.name
]
VALUED = [name for name in OWN if parse(name).formula.has_exact]
grade = st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1)


@st.composite
def rankings(draw: Any) -> Any:
    """A ranking of up to eight documents and four aspects, with a bench."""
    aspects = draw(st.integers(1, 4))
    row = st.lists(grade, min_size=aspects, max_size=aspects)
    weights = draw(st.lists(st.floats(0, 10), min_size=aspects, max_size=aspects).filter(lambda w: sum(w) > 1e-6))
    return {"relevance": draw(st.lists(row, max_size=8)), "weights": weights, "bench": draw(st.lists(row, max_size=3))}


@given(rankings())
@settings(max_examples=60, deadline=None)
def test_values_are_those_of_the_library(ranking: Any) -> None:
    """Each value is that of the metric called on the rows, with the weights normalised to 1."""
    (result,) = play_request({"metrics": VALUED, "rankings": [ranking]})["results"]
    total = sum(ranking["weights"])
    weights = [w / total for w in ranking["weights"]]
    pool = [row for row in [*ranking["relevance"], *ranking["bench"]] if any(row)]
    for name in VALUED:
        assert result["values"][name] == parse(name)(ranking["relevance"], weights=weights, pool=pool), name
    assert result["notes"] == {}


@given(rankings())
@settings(max_examples=40, deadline=None)
def test_the_curve_ends_at_the_metric_and_stops_at_its_best(ranking: Any) -> None:
    """Utility after the last rank is RBU, and no rank is better than the stop."""
    walk = "RBU(p=0.9,e=0.1)"
    (result,) = play_request({"metrics": [walk], "rankings": [ranking], "walk": walk})["results"]
    utility = [0.0, *result["curve"]["utility"]]
    assert utility[-1] == pytest.approx(result["values"][walk], abs=1e-12)
    assert utility[result["stop"]] == max(utility)
    for gain, effort, left in zip(*(result["curve"][k] for k in ("gain", "effort", "utility")), strict=True):
        assert gain - effort == pytest.approx(left, abs=1e-12)


json_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(ANY, max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(ANY, max_size=8), inner, max_size=4),
    max_leaves=8,
)
fields = st.sampled_from(["metrics", "rankings", "walk", "relevance", "weights", "bench", "metric", "x"])
half_right = st.dictionaries(
    fields, json_value | rankings() | st.lists(rankings(), max_size=2) | st.just(["RBU", "P@5"])
)


@pytest.mark.slow
@given(half_right)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_request_is_answered_or_a_one_line_error(loaded_once: Any, body: Any) -> None:
    """JSON of any shape gives a result or a one-line error, never a 500."""
    answer = loaded_once.request("POST", "/api/playground", content=json.dumps(body).encode())
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 400:
        assert answer.json()["error"] and "\n" not in answer.json()["error"]


@pytest.fixture(scope="module")
def loaded_once(loaded: Any) -> Any:
    return loaded


def test_worked_example() -> None:
    """The setting of the paper gives 0.125536."""
    ranking = {"relevance": [[0.25, 0], [0, 0], [0.5, 0.25], [0, 0], [0, 0]], "weights": [0.5, 0.5]}
    (result,) = play_request({"metrics": ["RBU(p=0.8,e=0.05)"], "rankings": [ranking]})["results"]
    assert result["values"]["RBU(p=0.8,e=0.05)"] == pytest.approx(0.125536, abs=1e-12)


def test_a_metric_without_a_value_has_a_note() -> None:
    """Judged needs judgments; the other metrics have values."""
    ranking = {"relevance": [[1.0]], "weights": [1]}
    (result,) = play_request({"metrics": ["Judged@5", "RR"], "rankings": [ranking]})["results"]
    assert result["values"] == {"Judged@5": None, "RR": 1.0}
    assert "judgments" in result["notes"]["Judged@5"]


def test_too_many_documents_are_refused() -> None:
    """List and bench together have a limit."""
    body = {"metrics": ["P"], "rankings": [{"relevance": [[0.5]] * 40, "weights": [1], "bench": [[0.5]] * 21}]}
    with refuses("out-of-range", "60"):
        play_request(body)


# --- situations -------------------------------------------------------------------------------------------------------

HOLDS: dict[str, Callable[[float], bool]] = {
    "rises": lambda d: d > 0,
    "falls": lambda d: d < 0,
    "does not rise": lambda d: d <= 0,
}


def satisfies(metric: str, situation: Any) -> bool:
    """Whether a metric satisfies the constraint in its situation."""
    results = play_request({"metrics": [metric], "rankings": [situation["before"], situation["after"]]})["results"]
    before, after = (result["values"][metric] for result in results)
    return HOLDS[situation["expected"]](after - before)


def test_every_constraint_has_a_situation() -> None:
    """The ten constraints are in the order of the paper, each once."""
    paper = ["Pri", "Deep", "DeepTh", "CloseTh", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel"]
    assert [situation["key"] for situation in SITUATIONS] == paper


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s["key"])
def test_rbu_satisfies_each_constraint(situation: Any) -> None:
    """As the paper claims, RBU satisfies every situation of the playground."""
    assert satisfies("RBU(p=0.99,e=0.05)", situation)


THRESHOLDS = ("DeepTh", "CloseTh")  # which hold for some n, so that one example refutes nothing


@pytest.mark.parametrize(
    "metric", ["RBU@20", "EU@20", "ERR_IA@20", "alpha_nDCG@20", "NRBP", "nDCG_IA@20", "AP", "RBP_IA"]
)
def test_no_situation_refutes_what_is_proved(metric: str) -> None:
    """The page marks a constraint as refuted where its situation goes wrong: no metric that is proved to satisfy it does."""
    named = parse(metric).name
    for shape in SITUATIONS:
        if shape["key"] not in THRESHOLDS and check(named, shape["key"]).verdict == "holds":
            assert satisfies(named, shape), shape["key"]


def test_situations_meet_the_premises() -> None:
    """The relevance of an aspect's documents sums to less than 1, without which verdicts say nothing of a list; where the
    constraint is about a full relevance, and where it is about many documents, it cannot."""
    for shape in SITUATIONS:
        if shape["key"] in ("Sat", *THRESHOLDS):
            continue
        for side in (shape["before"], shape["after"]):
            assert all(sum(column) < 1 for column in zip(*side["relevance"], strict=True)), shape["key"]


@pytest.mark.parametrize(
    ("metric", "failed"),
    [
        ("P@4", {"Pri", "Conf", "Red", "AspRel"}),
        ("ERR_IA", {"CloseTh", "Conf"}),
        ("NRBP(p=0.8,alpha=0.5)", {"Conf", "MRed", "Sat", "AspRel"}),
        ("StRecall", {"Pri", "Conf", "AspDiv", "Red", "AspRel"}),
        ("RBP_IA(p=0.8)", {"Conf", "Red", "MRed", "Sat"}),
    ],
)
def test_situations_show_known_failures(metric: str, failed: Any) -> None:
    """Metrics that fail a constraint in Table 1 of the paper fail in its situation."""
    assert failed <= {situation["key"] for situation in SITUATIONS if not satisfies(metric, situation)}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s["key"])
def test_the_premises_of_situations_hold(situation: Any) -> None:
    """Both rankings have the same documents, and relevance is below 1 except for saturation."""
    before, after = (sorted([*one["relevance"], *one["bench"]]) for one in (situation["before"], situation["after"]))
    weights = situation["before"]["weights"]
    padding = [0.0 for _ in weights]
    assert [row for row in before if row != padding] == [row for row in after if row != padding]
    assert sum(weights) == pytest.approx(1)
    highest = max(max(row) for row in before)
    assert highest < 1 or situation["key"] == "Sat"
    if situation["key"] not in ("Conf", "Sat"):
        assert len(situation["before"]["relevance"]) == len(situation["after"]["relevance"])
