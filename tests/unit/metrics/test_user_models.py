"""C, W and L: their laws, cwl_eval's numbers, and that a metric is what its user gains."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.metrics import entries, parse
from diveval.metrics.ranking import Ranking
from diveval.metrics.user_models import HORIZON, expect_all, reach, share_attention, stop_at
from support.refusals import is_refusal, refuses
from support.shared import times

RNG = np.random.default_rng(5)
SUMS = ("DCG@7", "RBP(p=0.7)", "ERR@9", "RBU(p=0.8,e=0)", "EU(alpha=0.3,e=0)@8", "NRBP(p=0.6,alpha=0.4)", "alpha_DCG@5")


def _gains(length: int = 12) -> Any:
    return np.round(RNG.random(length) * (RNG.random(length) < 0.5), 3)


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_over_ranks_is_the_first_discount_times_the_expected_gain(name: str) -> None:
    """Σ discount · relevance · novelty is discount(1) · ETU of the user that the metric has, for one aspect."""
    metric = parse(name)
    for _ in range(times(3, 50)):
        gains = _gains()
        column = np.concatenate([gains, np.zeros(HORIZON - len(gains))])
        total = metric.formula.as_sum
        goes_on = metric.formula.goes_on(column)
        assert total is not None and goes_on is not None
        expected = total.discount.table(1)[1] * (reach(goes_on, column.shape) * column).sum()
        assert float(metric.exact(Ranking.of(gains[:, np.newaxis]))) == pytest.approx(expected)


def test_precision_rr_and_ap_are_what_their_users_gain() -> None:
    """P@k and RR are EU on binary gains; AP is EU over the retrieved documents."""
    for _ in range(times(3, 50)):
        gains = (RNG.random(12) < 0.4).astype(float)
        gains[3] = 1.0
        column = np.concatenate([gains, np.zeros(HORIZON - 12)])
        rows = gains[:, np.newaxis]
        for name in ("P@7", "RR", "AP"):
            goes_on = parse(name).formula.goes_on(column)
            assert goes_on is not None
            value = float(parse(name).exact(Ranking.of(rows, pool=rows)))
            assert expect_all(column, goes_on).utility == pytest.approx(value), name


@pytest.mark.parametrize("name", [name for name, entry in entries().items() if not entry.needs_groups])
def test_vectors_are_probabilities(name: str) -> None:
    """C and W lie in [0, 1], W sum to 1, and L to at most 1, for every metric that has a user."""
    entry = entries()[name]
    formula = entry.metric({}, 5 if entry.cutoffs else None).formula
    column = np.concatenate([_gains(), np.zeros(30)])
    goes_on = formula.goes_on(column)
    if goes_on is None:
        return
    assert goes_on.shape == column.shape and (goes_on >= 0).all() and (goes_on <= 1).all()
    assert share_attention(goes_on).sum() == pytest.approx(1)
    assert stop_at(goes_on).sum() <= 1 + 1e-12


def test_the_tools_numbers() -> None:
    """The vectors and the five quantities are those of cwl_eval."""
    rankings = pytest.importorskip("cwl.ruler.ranking")
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
    peers = {
        "cwl.P@5": ruler.PrecisionCWLMetric(5),
        "cwl.RBP(theta=0.7)": ruler.RBPCWLMetric(0.7),
        "cwl.RR": ruler.RRCWLMetric(),
        "cwl.SDCG@6": ruler.NDCGCWLMetric(6),
        "cwl.AP": ruler.APCWLMetric(),
        "cwl.INST(T=2)": ruler.INSTCWLMetric(2.0),
        "cwl.INSQ(T=2)": ruler.INSQCWLMetric(2.0),
        "cwl.BPM(T=2)@6": ruler.BPMCWLMetric(2.0, 6),
        "cwl.NERR10(p=0.8)": ruler.NERReq10CWLMetric(0.8),
        "RBP(p=0.7)": ruler.RBPCWLMetric(0.7),
        "P@5": ruler.PrecisionCWLMetric(5),
    }
    for name, peer in peers.items():
        gains = _gains()
        gains[1] = 0.5
        ranking = rankings.Ranking("1", gains.tolist(), [1.0] * len(gains), max_n=HORIZON, min_cost=1.0, max_cost=1.0)
        peer.measure(ranking)
        model = diveval.user_model(name, gains.tolist())
        np.testing.assert_allclose(model.goes_on, peer.c_vector(ranking)[: len(gains)], atol=1e-12, err_msg=name)
        np.testing.assert_allclose(model.attention, peer.w_vector(ranking)[: len(gains)], atol=1e-12, err_msg=name)
        np.testing.assert_allclose(model.stops, peer.l_vector(ranking)[: len(gains)], atol=1e-12, err_msg=name)
        quantities = (peer.expected_utility, peer.expected_total_utility, peer.expected_total_cost, peer.expected_items)
        ours = (model.utility, model.total_utility, model.total_cost, model.items)
        assert ours == pytest.approx(quantities), name


def test_the_quantities_of_a_collection() -> None:
    """`quantity` gives what cwl_eval reports: RBP's user sees 1/(1 − θ) documents of a thousand."""
    names = [f"cwl.RBP(theta=0.5,quantity={what})" for what in ("EU", "ETU", "EC", "ED")]
    scores = diveval.evaluate({"1": {"a": 1}}, {"r": {"1": ["a", "x"]}}, names)
    assert [scores.per_topic("r", name)["1"] for name in scores.metrics] == pytest.approx([0.5, 1.0, 1.0, 2.0])


def test_the_command_line_shows_the_user(capsys: Any) -> None:
    """`--cwl` prints C, W and L; `--gains` sets the list; other metrics and gains are refused."""
    from diveval.cli import main

    assert main(["metrics", "RBU(p=0.8,e=0.1)", "--cwl", "--gains", "0.5,0,1", "-f", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["goes_on"] == pytest.approx([0.4, 0.8, 0.0]) and shown["effort"] == 0.1
    assert main(["metrics", "P@2", "--cwl"]) == 0
    assert "0.5000" in capsys.readouterr().out
    for arguments, code in (
        (["StRecall", "--cwl"], "no-user-model"),
        (["RBU", "--cwl", "--gains", "x"], "not-a-number"),
        (["RBU", "--cwl", "--gains", "2"], "out-of-range"),
        (["--cwl"], "missing-argument"),
    ):
        assert main(["metrics", *arguments]) == 2
        assert is_refusal(capsys.readouterr().err, code)
    with refuses("out-of-range"):
        diveval.user_model("RBU", [])
