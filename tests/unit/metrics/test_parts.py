"""The parts of metrics, one at a time: ranges, single rankings, ideals, costs, user functions."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from diveval.metrics import as_metric, as_metrics, parse
from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Decay,
    Flat,
    Geometric,
    Log,
    Overall,
    Reciprocal,
    ShiftedLog,
)
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.ideal import ArrayFloats, Greedy, greedy_generic
from diveval.metrics.metric import Metric, Parameter, UserFormula
from diveval.metrics.numbers import Floats, exactly, is_zero
from diveval.metrics.optimum import optimum
from diveval.metrics.ranking import Ranking
from diveval.metrics.subtopics import SubtopicReciprocalRank
from support.refusals import has_facts, refusal_of, refuses

# --- parameters and their ranges ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "shown", "inside", "outside"),
    [
        (Parameter("x", 0.5, "", 0, 1), "[0, 1]", ["0", "0.5", "1"], ["-0.001", "1.001", "inf", "nan", "-inf", "x"]),
        (Parameter("x", 0.5, "", 0, 1, True), "(0, 1]", ["0.001", "1"], ["0", "1.001", "-1"]),
        (Parameter("x", 0.5, "", 0, 1, False, True), "[0, 1)", ["0", "0.999"], ["1", "2"]),
        (Parameter("x", 0.5, "", 0, 1, True, True), "(0, 1)", ["0.5"], ["0", "1"]),
        (Parameter("x", 0.5, "", 0.25), "[0.25, ∞)", ["0.25", "1e9"], ["0.2", "inf"]),
        (Parameter("x", 0.5, "", high=3), "(−∞, 3]", ["-1e9", "3"], ["3.5", "-inf"]),
        (Parameter("x", 0.5, ""), "(−∞, ∞)", ["-7", "7"], ["inf", "-inf", "nan"]),
        (Parameter("x", "a", "", choices=("a", "b")), "{a, b}", ["a", "b"], ["c", "A", ""]),
    ],
)
def test_a_range_is_shown_and_checked(parameter: Any, shown: str, inside: list[str], outside: list[str]) -> None:
    """Each end is open or closed; the error for a value outside names the parameter and the value."""
    assert parameter.range == shown
    for text in inside:
        value = parameter.parse(text, "M")
        assert value == (text if parameter.choices else float(text))
    for text in outside:
        error = refusal_of(parameter.parse, text, "M")
        assert error.code in ("invalid-choice" if parameter.choices else "not-a-number", "out-of-range")
        assert has_facts(str(error), "M: x", repr(text))


def test_integers_stay_integers_if_the_default_is_one() -> None:
    """`level=2` is the int 2, `level=2.5` a float; with a float as default all values are floats."""
    integer, real = Parameter("x", 1, "", 1), Parameter("x", 1.0, "", 1)
    assert [type(integer.parse(text, "M")) for text in ("2", "2.5")] == [int, float]
    assert type(real.parse("2", "M")) is float


# --- one ranking ----------------------------------------------------------------------------------------------------


def test_a_ranking_from_rows() -> None:
    """Weights are uniform and the pool is the ranking itself unless given; doubles stay doubles."""
    plain = Ranking.of([[1, 0], [0.5, 0.25], [0, 0]])
    assert (len(plain), plain.aspects) == (3, 2)
    assert plain.weights.tolist() == [0.5, 0.5] and plain.weights.dtype == plain.relevance.dtype == np.float64
    assert plain.pool is plain.relevance and isinstance(plain.numbers, Floats)
    full = Ranking.of([[1, 0]], weights=[0.25, 0.75], pool=[[1, 0], [0, 1], [1, 1]])
    assert full.weights.tolist() == [0.25, 0.75] and full.pool.tolist() == [[1, 0], [0, 1], [1, 1]]


def test_an_empty_ranking_is_as_wide_as_its_weights() -> None:
    """Without rows the weights give the number of aspects; without weights it is one."""
    assert Ranking.of([], weights=[0.5, 0.25, 0.25]).relevance.shape == (0, 3)
    assert (Ranking.of([]).relevance.shape, Ranking.of([]).weights.tolist()) == ((0, 1), [1.0])


def test_a_metric_is_called_with_weights_and_a_pool() -> None:
    """`metric(rows, weights=…, pool=…)` gives the value computed manually."""
    rows, weights, pool = [[1, 0], [0, 1]], [0.25, 0.75], [[1, 0], [0, 1], [1, 1]]
    log3 = 1 / np.log2(3)
    assert parse("nDCG_IA")(rows, weights=weights, pool=pool) == pytest.approx((0.25 + 0.75 * log3) / (1 + log3))
    assert parse("DCG_IA")(rows, weights=weights) == pytest.approx(0.25 + 0.75 * log3)
    assert parse("DCG_IA")(rows) == pytest.approx(0.5 + 0.5 * log3)
    assert str(parse("P@5")) == "P@5" and parse("P@5").cutoff == 5


def test_a_double_is_read_as_its_decimal() -> None:
    """0.05 is 1/20, also as a numpy double; integers and fractions are unchanged."""
    assert [exactly(v) for v in (0.05, np.float64(0.05), 3, F(1, 3))] == [F(1, 20), F(1, 20), F(3), F(1, 3)]


class Term:
    """Equal to everything, as a term of a solver may be."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_only_a_plain_zero_is_zero() -> None:
    """Zeros of every number type are zero; objects that only compare equal to 0 are not."""
    assert [is_zero(value) for value in (0, 0.0, -0.0, F(0), np.float64(0), False)] == [True] * 6
    assert [is_zero(value) for value in (1, 0.5, F(1, 9), np.float64(1e-300), Term(), "0", None)] == [False] * 7


def test_a_share_of_aspects_is_rounded_up() -> None:
    """0.7 of ten is seven although 0.7 · 10 is slightly more; a share is at least one aspect."""
    cases = [(1, 4), (1.0, 1), (0.7, 10), (0.5, 3), (0.5, 4), (0.01, 5), (F(1, 3), 3), (0.71, 10)]
    assert [SubtopicReciprocalRank(coverage=c).count_needed(n) for c, n in cases] == [4, 1, 7, 2, 2, 1, 1, 8]


def test_the_five_operations_on_doubles() -> None:
    """Strictly above 0, strictly below a limit, maximum, conversion and inverse logarithm, for doubles and arrays."""
    one, many = Floats(), ArrayFloats()
    assert [one.positive(v) for v in (-1, 0, 1e-9)] == [0.0, 0.0, 1.0]
    assert [one.below(v, 2) for v in (1, 2, 3)] == [1.0, 0.0, 0.0]
    assert (one.largest([1, 3, 2]), one.of("0.5"), one.inverse_log(8)) == (3.0, 0.5, 1 / 3)
    assert many.positive(np.array([-1.0, 0.0, 0.5])).tolist() == [0.0, 0.0, 1.0]
    assert many.below(np.array([1.0, 2.0, 3.0]), 2.0).tolist() == [1.0, 0.0, 0.0]
    assert many.largest([np.array([1.0, 5.0]), np.array([3.0, 2.0])]).tolist() == [3.0, 5.0]
    assert (many.of("0.5"), many.inverse_log(8)) == (0.5, 1 / 3)


# --- discounts and novelty ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "discount",
    [
        Log(),
        ShiftedLog(),
        Reciprocal(),
        Flat(),
        Geometric(0.8),
        Geometric(0.5, start=0),
        Geometric(0.9, 0, True),
        Geometric(1.0),
        Geometric(0.0, 0),
        Geometric(0.75, 2, True),
    ],
)
def test_the_fast_forms_of_a_discount_equal_its_definition(discount: Any) -> None:
    """Table, one rank, all ranks and sums agree; rank 0 is padding and counts nothing."""
    values = discount.along(7, Floats())
    assert [discount.at(i, Floats()) for i in range(1, 8)] == pytest.approx(values)
    assert discount.table(7).tolist() == pytest.approx([0.0, *values])
    sums = [sum(values[:n]) for n in (0, 3, 7, 1)]
    assert discount.total(np.array([0, 3, 7, 1])).tolist() == pytest.approx(sums, abs=1e-15)
    assert discount.total(np.array([], dtype=np.int64)).tolist() == []


@pytest.mark.parametrize(
    "novelty", [Always(), Cascade(), Decay(0.5), Decay(0.25, 0.75), Decay(F(1, 2), 1), Decay(1, 2)]
)
def test_the_fast_form_of_a_novelty_equals_its_definition(novelty: Any) -> None:
    """It works along the last axis of several columns; a cube filled exactly to its limit is full."""
    columns = np.array([[0.5, 0.25, 0.25, 1.0, 0.5], [1.0, 0.5, 0.0, 0.25, 1.0], [0.25, 0.5, 0.5, 0.5, 0.75]])
    expected = [novelty.along(column.tolist(), Floats()) for column in columns]
    assert novelty.table(columns).tolist() == [pytest.approx(column) for column in expected]
    assert novelty.table(columns[:, :0]).shape == (3, 0)


# --- ideals ---------------------------------------------------------------------------------------------------------


def greedy(pool: Any, weights: Any, novelty: Any, effort: Any) -> Any:
    """The greedy list of one topic: its net gains at the first ranks."""
    block = Greedy(pool[:, np.newaxis], weights[:, np.newaxis], novelty, effort[np.newaxis])
    return lambda count: block.first(count)[0]


def best_by_enumeration(pool: Any, weights: Any, novelty: Any, effort: Any, discounts: Any) -> Any:
    """The best value of all orders and lengths."""
    best, numbers = 0.0, Floats()
    for count in range(1, len(discounts) + 1):
        for order in permutations(range(pool.shape[1]), count):
            states, total = [novelty.begin(numbers) for _ in weights], 0.0
            for discount, d in zip(discounts, order, strict=False):
                gain = sum(
                    w * r * novelty.factor(s, numbers) for w, r, s in zip(weights, pool[:, d], states, strict=True)
                )
                total += discount * (gain - effort[d])
                states = [novelty.after(s, r, numbers) for s, r in zip(states, pool[:, d], strict=True)]
            best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("novelty", [Cascade(), Decay(0.5), Decay(0.5, 1.0), Always()])
def test_the_optimum_equals_full_enumeration(seed: int, novelty: Any) -> None:
    """Branch and bound finds the best order, also with effort, copies and fewer ranks than documents."""
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 5, (2, 4)) / 4
    pool[:, 3] = pool[:, 0]
    weights = np.array([0.7, 0.3])
    effort = np.full(4, 0.1) if seed % 2 else rng.integers(0, 3, 4) / 5
    discounts = 0.7 ** np.arange(2.0 + seed % 3)
    expected = best_by_enumeration(pool, weights, novelty, effort, discounts)
    assert optimum(pool, weights, novelty, effort, discounts) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_may_take_all_copies_of_a_document(seed: int) -> None:
    """With two documents that occur twice and one that occurs once, it still equals the enumeration."""
    rng = np.random.default_rng(seed)
    pool = (rng.integers(0, 5, (3, 3)) / 4)[:, [0, 1, 0, 2, 1]]
    weights, discounts = np.array([0.5, 0.3, 0.2]), 0.99 ** np.arange(4.0)
    expected = best_by_enumeration(pool, weights, Decay(0.5), np.zeros(5), discounts)
    assert optimum(pool, weights, Decay(0.5), np.zeros(5), discounts) == pytest.approx(expected, abs=1e-12)


def test_an_unproven_optimum_is_none() -> None:
    """With too few steps the result is None; exactly enough steps suffice."""
    pool = np.array([[1.0, 0.75, 0.5, 0.25], [0.25, 0.5, 0.75, 1.0]])
    arguments = (pool, np.array([0.5, 0.5]), Decay(0.5), np.zeros(4), 0.9 ** np.arange(4.0))
    assert optimum(*arguments, steps=1) is None
    least = next(steps for steps in range(1, 200) if optimum(*arguments, steps=steps) is not None)
    assert optimum(*arguments, steps=least) == optimum(*arguments) == pytest.approx(best_by_enumeration(*arguments))


@pytest.mark.parametrize("novelty", [Cascade(), Decay(0.5), Decay(0.25, 0.75), Always()])
def test_the_greedy_list_extends_on_demand(novelty: Any) -> None:
    """Requests for 1, 3 and all ranks give prefixes of one list, without documents that do not repay their effort."""
    pool = np.array([[0.5, 0.25, 1.0, 0.0, 0.25], [0.25, 0.25, 0.0, 0.125, 0.75]])
    weights, effort = np.array([0.5, 0.5]), np.array([0.05, 0.125, 0.05, 0.0625, 0.05])
    complete = greedy(pool, weights, novelty, effort)(None)
    extended = greedy(pool, weights, novelty, effort)
    for count in (0, 1, 3, 9, None):
        assert extended(count).tolist() == complete[:count].tolist()
    generic = greedy_generic(pool.T.tolist(), weights.tolist(), novelty, effort.tolist(), Floats(), None)
    assert complete.tolist() == pytest.approx(generic)
    first_two = greedy_generic(pool.T.tolist(), weights.tolist(), novelty, effort.tolist(), Floats(), 2)
    assert first_two == pytest.approx(generic[:2])
    assert (complete > 0).all() and len(complete) < 5  # the gain of document 3 is 0.125 · 0.5, exactly its cost
    assert effort.tolist() == [0.05, 0.125, 0.05, 0.0625, 0.05]  # the argument is not modified


def test_of_equal_gains_the_first_of_the_pool_is_taken() -> None:
    """Gains that differ in the last bits only are equal; an empty pool gives an empty list."""
    pool = np.array([[0.5, 0.5 * (1 + 1e-14), 0.0], [0.25, 0.0, 0.5]])
    gains = greedy(pool, np.array([1.0, 0.0]), Decay(0.5), np.zeros(3))
    assert gains(1).tolist() == [0.5]
    assert greedy(np.zeros((2, 0)), np.ones(2), Cascade(), np.zeros(0))(None).tolist() == []


@pytest.mark.parametrize("novelty", [Cascade(), Decay(0.5), Always()])
def test_a_document_worth_exactly_its_effort_is_not_taken(novelty: Any) -> None:
    """It adds nothing; a document with a larger gain is taken."""
    for gain, taken in ((0.5, []), (0.75, [0.25])):
        pool, effort = np.array([[gain]]), np.array([0.5])
        assert greedy(pool, np.ones(1), novelty, effort)(None).tolist() == taken
        assert greedy_generic(pool.T.tolist(), [1.0], novelty, effort.tolist(), Floats(), None) == taken


# --- a batch with costs ---------------------------------------------------------------------------------------------


def costly() -> Any:
    """Two systems over two aspects, with a cost per document; the second returns two documents only."""
    return Batch.of_topic(
        relevance=np.array([[[0.5, 1.0], [0.0, 0.25]], [[0.25, 0.0], [0.75, 0.0]]]),
        ranks=np.array([[1, 3], [2, PADDING]]),
        lengths=np.array([4, 2]),
        weights=np.array([0.25, 0.75]),
        pool=np.array([[0.5, 1.0, 0.0], [0.25, 0.0, 0.75]]),
        costs=np.array([[1.0, 2.0, 0.5, 4.0], [3.0, 1.0, 0.0, 0.0]]),
        pool_costs=np.array([0.5, 1.0, 2.0]),
    )


def test_costs_multiply_effort() -> None:
    """Each document has its own effort, under several discounts of one batch, with and without a cutoff."""
    batch = costly()
    for discount in (Flat(), Geometric(0.5)):
        ranks = discount.table(4)[1:]
        for cutoff in (None, 1, 3):
            seen = [4, 2] if cutoff is None else [min(cutoff, 4), min(cutoff, 2)]
            free = Sum(Aspects(), discount, Always(), 0, cutoff=cutoff).score(batch)
            paid = Sum(Aspects(), discount, Always(), 0.1, cutoff=cutoff).score(batch)
            expected = [0.1 * (ranks[:m] * batch.costs[s, :m]).sum() for s, m in enumerate(seen)]
            assert (free - paid).tolist() == pytest.approx(expected)


def test_one_system_is_a_ranking_with_its_costs() -> None:
    """The ranking of a system has unjudged documents as rows of 0, the weights, the pool and both kinds of cost."""
    first, second = costly().ranking(0), costly().ranking(1)
    assert first.relevance.tolist() == [[0.5, 0.25], [0, 0], [1.0, 0.0], [0, 0]]
    assert second.relevance.tolist() == [[0, 0], [0.0, 0.75]]
    assert (first.costs.tolist(), second.costs.tolist()) == ([1.0, 2.0, 0.5, 4.0], [3.0, 1.0])
    assert first.pool.tolist() == [[0.5, 0.25], [1.0, 0.0], [0.0, 0.75]]
    assert (first.pool_costs.tolist(), first.weights.tolist()) == ([0.5, 1.0, 2.0], [0.25, 0.75])
    for formula in (
        Sum(Aspects(), Geometric(0.5), Cascade(), 0.1),
        Normalised(sum=Sum(Aspects(), Log(), Decay(0.5), 0.1)),
    ):
        exact = [formula.exact(costly().ranking(s)) for s in range(2)]
        assert formula.score(costly()).tolist() == pytest.approx(exact)


def test_running_totals_are_read_at_the_cutoff() -> None:
    """The value is the running total at the last hit within the cutoff, 0 without one."""
    batch = costly()
    running = np.cumsum(batch.relevance, axis=-1)
    assert batch.at_cutoff(running, 2).tolist() == [[0.5, 0.0], [0.25, 0.75]]
    assert batch.at_cutoff(running, 1).tolist() == [[0.5, 0.0], [0.25, 0.0]]
    assert batch.hits_within(None).tolist() == [2, 1] and batch.hits_within(2).tolist() == [1, 1]
    assert batch.lookup.tolist() == [[1, 3], [2, 0]]
    assert (batch.visible(3).tolist(), batch.visible(None).tolist()) == ([3, 2], [4, 2])
    assert batch.at_cutoff(np.zeros((2, 2, 0)), 5).tolist() == [[0, 0], [0, 0]]


def test_deep_ranks_have_their_discount() -> None:
    """Lists beyond the first thousand ranks work, also with tables computed for shorter ones."""
    tables: dict[object, object] = {}
    for length in (3, 1000, 1001, 2500):
        deep = Batch.of_topic(
            np.ones((1, 1, 1)), np.array([[length]]), np.array([length]), np.ones(1), np.ones((1, 1)), tables=tables
        )
        assert deep.discounts(Reciprocal()).tolist() == [[1 / length]]


# --- user functions -------------------------------------------------------------------------------------------------


class Callable_:
    """A metric that is an object."""

    def __call__(self, ranking: Any) -> Any:
        return ranking.relevance[0, 0]


def test_anything_callable_is_a_metric_with_a_name() -> None:
    """A function has its own name, an object that of its class."""

    def first(ranking: Any) -> Any:
        return ranking.relevance[0, 0]

    assert (as_metric(first).name, as_metric(Callable_()).name) == ("first", "Callable_")
    assert [m.name for m in as_metrics(first)] == ["first"]
    assert [m.name for m in as_metrics([first, Callable_(), first])] == ["first", "Callable_"]
    assert [m.name for m in as_metrics(parse("P@5"))] == ["P@5"]
    formula = Sum(Overall(), Log())
    assert [m.formula for m in as_metrics(formula)] == [formula]
    named = Metric("mine", formula)
    assert as_metric(named) is named
    assert as_metric(first)([[0.5, 0.0]]) == 0.5


@pytest.mark.parametrize(
    ("function", "refusal"),
    [
        (lambda ranking: 1 / 0, ("metric-failed", "ZeroDivisionError")),
        (lambda ranking: float("nan"), ("metric-failed",)),
        (lambda ranking: -np.inf, ("metric-failed", "-inf")),
    ],
)
def test_the_error_of_a_failing_function_names_it(function: Any, refusal: tuple[str, ...]) -> None:
    """The error gives the name of the metric and the reason."""
    with refuses(*refusal, "mine"):
        UserFormula(function=function, name="mine").score(costly())


def test_a_function_is_called_for_each_system() -> None:
    """It returns one value per list."""
    assert UserFormula(function=len).score(costly()).tolist() == [4.0, 2.0]
