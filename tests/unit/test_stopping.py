"""The rank at which a reader should stop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.analysis.stopping import mean_stop, stopping_points
from diveval.cli import main
from diveval.metrics import parse
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.settings import Options
from support.refusals import refuses
from support.shared import times
from support.small import small_collections


def stops(judgments: Any, runs: Any, metric: Any, **choices: Any) -> Any:
    """Stopping points from dicts."""
    options, asked = Options.of(**choices), parse(metric)
    truth = load_judgments(judgments, options)
    return stopping_points(truth, rank_all(truth, runs, [asked], options, keep_documents=False), asked, options)


@settings(max_examples=40, deadline=None)
@given(small=small_collections())
def test_no_prefix_is_better_than_the_stopping_rank(small: Any) -> None:
    """The utility at the stopping rank is the largest over all prefixes, the empty one included."""
    truth = diveval.as_judgments(small.judgments()).with_weights(small.weight_map())
    (stop,) = stops(truth, small.run(), "RBU(p=0.9,e=0.1)", gain="identity")
    utilities = [0.0] + [
        float(diveval.evaluate(truth, small.run(), f"RBU(p=0.9,e=0.1)@{k}", gain="identity").values[0, 0, 0])
        for k in range(1, len(small.ranking) + 1)
    ]
    assert stop.utility == pytest.approx(max(utilities), abs=1e-14)
    assert utilities[stop.rank] == pytest.approx(max(utilities), abs=1e-14)
    assert stop.utility_of_all == pytest.approx(utilities[-1], abs=1e-14)


def test_a_list_without_relevant_documents_stops_at_rank_0() -> None:
    """No prefix has positive utility, so the rank is 0 and the utility 0."""
    (stop,) = stops({"1": {"a": {"d": 1}}}, {"1": ["x", "y"]}, "RBU")
    assert (stop.rank, stop.utility, stop.length) == (0, 0.0, 2) and stop.utility_of_all < 0
    assert mean_stop([stop], "run").topic == "all"


def test_a_metric_without_effort_has_no_stopping_rank() -> None:
    """AP raises a UsageError."""
    with refuses("metric-needs-effort"):
        stops({"1": {"a": {"d": 1}}}, {"1": ["d"]}, "AP")


@st.composite
def priced_cases(draw: st.DrawFn) -> Any:
    """Two topics of one aspect, a list for each, the tokens of its documents, a budget and e."""
    listed = {topic: draw(st.permutations(["d", "e", "f", "g"]))[: draw(st.integers(1, 4))] for topic in ("1", "2")}
    grades = {topic: {"a": {d: draw(st.integers(0, 1)) for d in "defg"}} for topic in listed}
    grades["1"]["a"]["d"] = 1  # at least one topic counts
    costs = {document: draw(st.integers(1, 30)) for document in "defg"}
    return grades, listed, costs, draw(st.integers(1, 90)), draw(st.sampled_from([0, 0.02, 0.2]))


@settings(max_examples=times(30, 200), deadline=None)
@given(case=priced_cases())
def test_one_stop_under_a_budget_is_the_best_that_fits(case: Any) -> None:
    """No cutoff that every topic can pay has a higher mean; no prefix that a topic can pay beats its oracle stop."""
    truth, run, costs, budget, effort = case
    metric = f"RBU(p=0.9,e={effort})"

    def value(topic: int, k: int) -> float:
        """RBU of the first k documents, by hand: one aspect, binary grades, 7 tokens to an effort of e."""
        total, waiting = 0.0, True
        for i, document in enumerate(run[str(topic)][:k], 1):
            hit = waiting and truth[str(topic)]["a"].get(document, 0) > 0
            waiting = waiting and not hit
            total += 0.9**i * (hit - effort * costs[document] / 7)
        return total

    def spent(topic: int, k: int) -> int:
        return sum(costs[document] for document in run[str(topic)][:k])

    topics = [topic for topic in (1, 2) if any(truth[str(topic)]["a"].values())]
    longest = max(len(listed) for listed in run.values())
    found = diveval.stopping_ranks(
        truth, run, metric, budget=budget, gain="binary", efforts=costs, effort_unit=7.0, empty_topics="skip"
    )
    assert [stop.topic for stop in found] == [str(topic) for topic in topics]
    fixed = {
        k: sum(value(topic, k) for topic in topics) / len(topics)
        for k in range(longest + 1)
        if all(spent(topic, k) <= budget for topic in topics)
    }
    mean = found.rows[-1]
    assert mean.fixed_rank in fixed and mean.fits == max(fixed)
    assert mean.fixed_utility == pytest.approx(fixed[mean.fixed_rank], abs=1e-12)
    assert mean.fixed_utility == pytest.approx(max(fixed.values()), abs=1e-12)
    for topic, stop in zip(topics, found, strict=True):
        own = {k: value(topic, k) for k in range(len(run[str(topic)]) + 1) if spent(topic, k) <= budget}
        assert stop.rank in own and stop.fits == max(own)
        assert stop.utility == pytest.approx(max(own.values()), abs=1e-12)
    assert mean.fixed_utility is not None
    assert mean.utility >= mean.fixed_utility - 1e-12


def test_a_budget_needs_costs_and_a_number() -> None:
    """Without costs of documents, or with a budget that is not above 0, an error says so."""
    truth, run = {"1": {"a": {"d": 1}}}, {"1": ["d"]}
    with refuses("option-not-applicable"):
        diveval.stopping_ranks(truth, run, budget=100)
    for wrong in (0, -1, float("nan"), float("inf"), "100", True):
        with refuses("out-of-range"):
            diveval.stopping_ranks(truth, run, budget=wrong, efforts={"d": 3.0})  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*no effort of their own")
def test_a_document_without_a_cost_fits_no_budget() -> None:
    """A document that the costs lack is an error, since it would count as almost free."""
    with refuses("missing-value"):
        diveval.stopping_ranks({"1": {"a": {"d": 1}}}, {"1": ["d", "x"]}, budget=100, efforts={"d": 3.0})


def test_the_command_takes_a_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--budget` gives what Python gives; without `--stop` it is refused."""
    files = {"qrels.txt": "1 a d 1\n1 a e 0\n", "run.tsv": "1\te\n1\td\n", "tokens.txt": "d 5\ne 6\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    words = ["evaluate", *(str(tmp_path / name) for name in list(files)[:2])]
    words += ["--effort-file", str(tmp_path / "tokens.txt"), "-m", "RBU(p=0.9,e=0)"]
    for budget, rank, fits in (("11", 2, 2), ("10", 0, 1), ("5", 0, 0)):
        assert main([*words, "--stop", "--budget", budget, "-f", "json"]) == 0
        last = json.loads(capsys.readouterr().out)["rows"][-1]
        assert (last["fixed_rank"], last["fits"]) == (rank, fits)
    assert main([*words, "--budget", "10"]) == 2
    assert "error[option-not-applicable]" in capsys.readouterr().err
