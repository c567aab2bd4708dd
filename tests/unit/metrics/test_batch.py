"""The data that all systems of a topic share: computed once, read at any cutoff, an error if arrays do not fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.metrics import Ranking, entries, parse
from diveval.metrics.algebra import Aspects, Decay, GlobalGain, Log, Overall, running
from diveval.metrics.batch import PADDING, Batch, once, share
from diveval.metrics.ideal import Greedy
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.optimum import optimum

WEIGHTS = [0.25, 0.75]


def batch(*, pool: int = 2, weights: Any = WEIGHTS, **more: Any) -> Any:
    """Three systems over two aspects: two hits, one hit, none; four, two and three documents long."""
    relevance = np.array([[[0.5, 1.0], [0.0, 0.0], [0.0, 0.0]], [[0.25, 0.0], [0.75, 0.0], [0.0, 0.0]]])
    ranks = np.array([[1, 3], [2, PADDING], [PADDING, PADDING]])
    best = np.array([[0.5, 1.0, 0.0], [0.25, 0.0, 0.75], [0.5, 0.5, 0.5]])[:pool]
    return Batch.of_topic(relevance, ranks, np.array([4, 2, 3]), np.array(weights), best, **more)


# --- cached values --------------------------------------------------------------------------------------------------


def test_values_are_cached_by_function_and_arguments() -> None:
    """Other arguments and other functions have their own cached values."""
    calls = []

    @once
    def sums(of: Batch, a: int, b: int) -> int:
        calls.append((a, b, of.rows))
        return a + b

    @once
    def products(of: Batch, a: int, b: int) -> int:
        return a * b

    topic = batch()
    assert [sums(topic, 2, 3), sums(topic, 2, 3), sums(topic, 3, 3), products(topic, 2, 3)] == [5, 5, 6, 6]
    assert calls == [(2, 3, 3), (3, 3, 3)]
    assert sums(batch(), 2, 3) == 5 and len(calls) == 3


@pytest.mark.parametrize(
    ("name", "steps"),
    [("nRBU(ideal=greedy)@2", 2), ("alpha_nDCG", 3), ("ndeval.alpha_nDCG@2", 2), ("ndeval.nERR_IA@9", 3)],
)
def test_an_ideal_list_is_computed_once_for_all_systems(monkeypatch: pytest.MonkeyPatch, name: str, steps: int) -> None:
    """It is computed as far as the cutoff needs it, and shared by batches of the same topic."""
    calls = []
    extend = Greedy._extend

    def counted(self: Greedy) -> None:
        calls.append(1)
        extend(self)

    monkeypatch.setattr(Greedy, "_extend", counted)
    alone = parse(name).score(batch()).tolist()
    together: dict[object, object] = {}
    assert len(calls) == steps
    assert [parse(name).score(batch(pool_kept=together)).tolist() for _ in range(2)] == [alone] * 2
    assert len(calls) == 2 * steps


def test_a_table_is_recomputed_only_if_it_is_too_short() -> None:
    """It reaches about a thousand ranks beyond the one requested, and is shared by all topics."""
    calls = []

    def squares(scale: Any, longest: Any) -> Any:
        calls.append((scale, longest))
        return scale * np.arange(longest + 1.0) ** 2

    tables: dict[object, object] = {}
    for longest in (0, 3, 1023, 1024, 2047, 5):
        table = batch(tables=tables).table(squares, 2.0, longest=longest)
        assert table[longest] == 2.0 * longest**2
    batch(tables=tables).table(squares, 3.0, longest=4)
    assert calls == [(2.0, 1023), (2.0, 2047), (3.0, 1023)]


def test_equal_parts_are_one_key() -> None:
    """Equal parts give the same object, different parts another."""
    assert share(Aspects(), Log()) is share(Aspects(), Log())
    assert share(Aspects(), Log()) is not share(Aspects(weighted=False), Log())
    assert share(Log(), 5).parts == (Log(), 5)


def test_worked_values_of_a_batch() -> None:
    """Padding looks up rank 0, divides by 1 and is never first; the overall column is the best of the aspects."""
    topic = batch()
    assert topic.lookup.tolist() == [[1, 3], [2, 0], [0, 0]]
    assert topic.divisors.tolist() == [[1, 3], [2, 1], [1, 1]]
    assert topic.first_ranks(Aspects()).tolist() == [[1, PADDING, PADDING], [1, 2, PADDING]]
    assert topic.first_ranks(Overall()).tolist() == [[1, 2, PADDING]]
    assert topic.by_channel(Overall()).tolist() == [[[0.5, 1.0], [0.75, 0.0], [0.0, 0.0]]]
    assert topic.by_channel(GlobalGain()).tolist() == [[[0.3125, 0.25], [0.5625, 0.0], [0.0, 0.0]]]
    assert topic.pool_by_channel(Overall()).tolist() == [[[0.5, 1.0, 0.75]]]
    assert topic.gain(Aspects(), Decay(0.5)).tolist() == [[0.125 + 0.1875, 0.125], [0.5625, 0.0], [0.0, 0.0]]
    assert topic.discounts(Log()).tolist() == [[1.0, 0.5], [1 / np.log2(3), 0.0], [0.0, 0.0]]
    assert [topic.hits_within(k).tolist() for k in (1, 2, 3, 9, None)] == [[1, 0, 0], [1, 1, 0], *[[2, 1, 0]] * 3]
    assert running(topic.relevance).tolist() == [[[0.5, 1.5], [0, 0], [0, 0]], [[0.25, 0.25], [0.75, 0.75], [0, 0]]]
    assert running(topic.relevance > 0.0).tolist() == [[[1, 2], [0, 0], [0, 0]], [[1, 1], [1, 1], [0, 0]]]


def test_costs_are_summed_down_to_each_rank() -> None:
    """Σ_{i≤m} cost(i)/log2(i+1) for every m, 0 for m = 0."""
    costs = np.array([[1.0, 2.0, 0.5, 4.0], [3.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
    topic = batch(costs=costs)
    for depth in range(5):
        expected = [sum(costs[s, i] / np.log2(i + 2) for i in range(depth)) for s in range(3)]
        assert topic.effort(Log(), np.full(3, depth)).tolist() == pytest.approx(expected)


# --- arrays that do not fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ndeval.MAP_IA", "ntcireval.IA_nDCG@5", "ntcireval.IA_ERR@5", "AP_IA", "nDCG_IA"])
def test_a_pool_of_other_aspects_is_refused(name: str) -> None:
    """Two aspects in the run and three in the pool are an error."""
    assert parse(name).score(batch()).shape == (3,)
    with pytest.raises(ValueError, match=r"zip\(\)|broadcast"):
        parse(name).score(batch(pool=3))


@pytest.mark.parametrize("name", ["ntcireval.IA_nDCG@5", "ntcireval.D_nDCG@5", "P_IA", "RR_IA@2"])
def test_weights_of_other_aspects_are_refused(name: str) -> None:
    """One weight or three for two aspects are an error."""
    for weights in ([1.0], [0.25, 0.5, 0.25]):
        with pytest.raises(ValueError, match=r"zip\(\)"):
            parse(name).score(batch(weights=weights))


@pytest.mark.parametrize("width", [1, 3])
def test_rows_of_other_aspects_are_refused(width: int) -> None:
    """SRR of a ranking with more or fewer aspects than weights is an error."""
    with pytest.raises(ValueError, match=r"zip\(\)"):
        parse("SRR").exact(Ranking(np.ones((2, width)), np.ones(2), np.ones((1, width))))


# --- empty input ----------------------------------------------------------------------------------------------------


def empty(systems: Any, aspects: int = 0) -> Any:
    """A topic without a relevant document, for any number of systems."""
    return Batch.of_topic(
        np.zeros((aspects, systems, 0)),
        np.zeros((systems, 0), dtype=np.int64),
        np.full(systems, 3),
        np.zeros(aspects),
        np.zeros((aspects, 0)),
    )


NEED_JUDGMENTS = (
    "cubetest.",
    "dd.nSDCG",
    "Judged",
    "freshstack.",
    "Bpref",
    "infAP",
    "dCompat",
    "ntcireval.bpref",
    "ntcireval.GF",
    "SourceCrowding",
    *tuple(
        f"trec_eval.{name}"
        for name in ("bpref", "gm_bpref", "infAP", "Rndcg", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj")
    ),
)
# What trec_eval prints for a list of three documents.
OF_AN_EMPTY_TOPIC = {
    "trec_eval.num_ret": 3.0,
    "trec_eval.num_q": 1.0,
    "trec_eval.utility": -3.0,
    "trec_eval.gm_map": math.log(0.00001),
}


@pytest.mark.parametrize("name", [name for name in entries() if not name.startswith(NEED_JUDGMENTS)])
def test_a_topic_without_relevance_and_a_batch_without_systems(name: Any) -> None:
    """Each system scores 0 (less effort, or what the other tool prints), and no system gives an empty array."""
    entry = entries()[name]
    for cutoff in (None, 1, 7) if entry.cutoffs is True else (None,) if entry.cutoffs is False else (1, 7):
        metric = entry.metric({}, cutoff)
        with np.errstate(divide="raise"):
            assert metric.score(empty(0)).tolist() == []
            scored = metric.score(empty(2))
        if name in ("RBU", "EU", "evall.RBU"):
            assert (scored < 0).all()
        elif name in ("ndeval.nNRBP", "ir_measures.Accuracy"):
            assert np.isnan(scored).all()
        elif name in OF_AN_EMPTY_TOPIC:
            assert scored.tolist() == [OF_AN_EMPTY_TOPIC[name]] * 2
        elif name == "dd.RR_at_recall":
            assert scored.tolist() == [1.0, 1.0]
        else:
            assert scored.tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_residuals_of_a_topic_without_relevance() -> None:
    """Without aspects nothing can be gained, so residuals are 0 and the scores are unchanged."""
    judgments = {"1": {"a": {"d1": 1}, "b": {"d2": 2}}, "2": {"a": {"d3": 0}}}
    runs = {"x": {"1": ["d1", "u"], "2": ["u", "v", "w"]}, "y": {"1": ["u", "d2"], "2": ["d3"]}}
    own = [entry for entry in entries().values() if "." not in entry.name and not entry.needs_groups]
    metrics = [
        entry.metric({}, k if entry.cutoffs else None)
        for entry in own
        for k in (2, None)
        if k or entry.cutoffs != "needed"
    ]
    names = list(dict.fromkeys(metric.name for metric in metrics if not metric.formula.sees_judged))
    with_residuals = evaluate(judgments, runs, names, residuals=True)
    plain = evaluate(judgments, runs, names)
    count = len(plain.metrics)
    assert np.isfinite(with_residuals.values).all()
    assert (with_residuals.values[:, :count] == plain.values).all()
    assert (with_residuals.values[:, count:, 1] == 0.0).all()
    assert (with_residuals.values[:, count:, 0] > 0.0).any(axis=1).all()


# --- limits -----------------------------------------------------------------------------------------------------------


def test_the_search_for_an_optimum_respects_its_steps() -> None:
    """One document at one rank takes exactly one step."""
    arguments = (np.array([[1.0]]), np.ones(1), Decay(0.5), np.zeros(1), np.ones(1))
    assert (optimum(*arguments, steps=0), optimum(*arguments, steps=1)) == (None, 1.0)


def test_whole_numbers_are_written_without_a_point_below_10_to_the_15() -> None:
    """999999999999999 is written as an integer, 10^15 and 0.5 as floats."""
    entry = Entry("M", lambda x: parse("P").formula, "", "", "", (Parameter("x", 1, ""),))
    texts = ("999999999999999", "-999999999999999", "1e15", "-1e15", "0.5")
    values = [Parameter("x", 1, "").parse(text, "M") for text in texts]
    assert [type(value) for value in values] == [int, int, float, float, float]
    written = [entry.metric({"x": float(text)}, None).name for text in texts]
    assert written == [
        "M(x=999999999999999)",
        "M(x=-999999999999999)",
        "M(x=1000000000000000.0)",
        "M(x=-1000000000000000.0)",
        "M(x=0.5)",
    ]
