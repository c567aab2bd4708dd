"""Portions, premises at their limits, gains that doubles lose, equal means, and the text."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from diveval.analysis.violations import changes, pair_scoring, situations, violations
from diveval.analysis.violations.pair_scoring import group_rows
from diveval.analysis.violations.premises import within_limits
from diveval.axioms.specification.readings import CHARITABLE
from support.plain_violations import K, draw, find
from support.present import present
from support.refusals import refuses
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.mark.parametrize("seed", range(times(8, 200)))
def test_portions_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and lists are looked at a few at a time where memory is short; every count and example stays."""
    (judged, runs, weights), *_ = draw(seed)
    metrics = [f"RBU@{K}", f"alpha_nDCG@{K}", f"nDCG_IA@{K}", f"P@{K}"]

    def count() -> Any:
        return violations(judged, runs, metrics, depth=K, weights=weights, gain="identity")

    at_once = count()
    monkeypatch.setattr(changes, "LARGEST_ARRAY", 2 * K * 30)
    monkeypatch.setattr(situations, "LARGEST_ARRAY", 7)
    monkeypatch.setattr(pair_scoring, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(pair_scoring, "MOST", 2**5)
    assert count() == at_once


@pytest.mark.parametrize("base", [2, 3, 50])
def test_rows_are_grouped_as_tuples_are(base: int) -> None:
    """Rows of seventy columns that differ in few of them: more combinations than a number of 64 bits has."""
    rng = np.random.default_rng(base)
    rows = np.full((400, 70), base - 1)
    rows[np.arange(400), rng.integers(0, 70, 400)] = rng.integers(0, base, 400)
    first, group = group_rows(rows, base)
    texts = [tuple(row) for row in rows.tolist()]
    assert [texts[first[g]] for g in group] == texts
    assert len(first) == len(set(texts)) and all(texts.index(texts[at]) == at for at in first)


def test_aspects_with_other_ideals_are_outside_the_premises() -> None:
    """nDCG per aspect divides by each aspect's ideal: the charitable reading compares aspects with the same ideal only."""
    inside = outside = 0
    for seed in range(times(60, 1000)):
        (judged, runs, weights), tables, shares = draw(seed)
        counted = violations(judged, runs, f"nDCG_IA@{K}", depth=K, weights=weights, gain="identity")
        for axiom in ("Red", "MRed", "AspRel"):
            expected = found = 0
            for lists in runs.values():
                for topic, names in lists.items():
                    for within, better, worse, *_ in find(axiom, names, tables[topic], shares[topic]):
                        t, u = (next(a for a, r in enumerate(side[-1]) if r) for side in (worse, better))
                        ideals = [sorted(row[a] for row in tables[topic].values()) for a in (t, u)]
                        expected += within and ideals[0] == ideals[1]
                        found += within
            (row,) = (row for row in counted.rows if row.axiom == axiom)
            assert row.situations == expected, (seed, axiom)
            inside, outside = inside + expected, outside + found - expected
    assert inside and outside


def test_sums_next_to_one_are_added_without_rounding() -> None:
    """Ten times 0.1 is 1 and three thirds are, whatever doubles say; below 1 is below."""
    choices = [F(1, 10), F(1, 5), F(3, 10), F(1, 3), F(1, 6), F(1, 7), F(7, 10), F(0)]
    rng, near = np.random.default_rng(3), 0
    for _ in range(times(2000, 50_000)):
        exact = [choices[i] for i in rng.integers(0, len(choices), 10)]
        if rng.random() < 0.7:  # fill up to 1, or to a bit more or less
            exact = [r for n, r in enumerate(exact) if sum(exact[: n + 1]) < 1]
            exact.append(1 - sum(exact) + F(int(rng.integers(-1, 2)), 10**5))
        if exact[-1] < 0:
            continue
        sums = sum(exact)
        near += sums == 1
        listed = np.array([[[float(r) for r in exact]]])
        assert within_limits(listed, CHARITABLE).tolist() == [sums < 1], exact
    assert near > 100


@pytest.mark.parametrize(("documents", "depth"), [(12, 20), (75, 100)])
def test_gains_of_any_size_are_positive(documents: int, depth: int) -> None:
    """Behind twelve documents of relevance 1 − 2⁻¹⁵ a swap gains about 10⁻⁵⁵; behind 75 of them 10⁻³⁴¹, less than any double."""
    judged = {"1": {"a": {**{f"g{i:02}": 1 - 2**-15 for i in range(documents)}, "low": 0.25, "high": 0.5}}}
    run = {"1": [*(f"g{i:02}" for i in range(documents)), "low", "high"]}
    metric = f"RBU(p=0.9,e=0)@{depth}"
    (row,) = violations(judged, run, metric, axioms=["Pri"], gain="identity", depth=depth).rows
    assert (row.found, row.unrewarded) == (1, 0)


@pytest.mark.parametrize("effort", ["1e-14", "1e-20", "1e-40"])
def test_any_effort_rewards_cutting_the_tail(effort: str) -> None:
    """An effort that is lost beside a score of 0.9 still costs something; no effort costs nothing."""
    judged, run = {"1": {"a": {"d": 1}}}, {"1": ["d", "x", "y"]}
    counted = violations(judged, run, [f"RBU(p=0.9,e={effort})@5", "RBU(p=0.9,e=0)@5"], axioms=["Conf"])
    assert [(row.found, row.unrewarded, row.punished) for row in counted.rows] == [(1, 0, 0), (1, 1, 0)]


@pytest.mark.parametrize("p", ["0.01", "1e-20", "1e-110"])
def test_any_discount_rewards_a_swap(p: str) -> None:
    """A swap at ranks 3 and 4 gains p³ − p⁴, which is positive: beside p, and where p³ is below every double."""
    judged = {"1": {"a": {"d": 1, "e": 1}}}
    for ranking in (["d", "x", "y", "e"], ["u", "x", "y", "e"]):
        (row,) = violations(judged, {"1": ranking}, f"RBU(p={p},e=0)@4", axioms=["Pri"], depth=4).rows
        assert row.found and (row.unrewarded, row.punished) == (0, 0)


TINY = {
    "RBU(p=0.9,e=0.01)@3": 0,
    "ERR_IA@3": 0,
    "alpha_DCG@3": 0,
    "DCG_IA@3": 0,
    "ACT(limit=1)@3": 0,
    "ACT(limit=0.5)@3": 1,
    "ACT(limit=0.4)@3": 1,  # the first document fills the need: nothing behind it counts
}


@pytest.mark.parametrize("metric", TINY)
def test_the_order_of_tiny_documents_counts(metric: str) -> None:
    """A document of relevance 10⁻¹⁴ behind one of 10⁻¹⁵ should stand above it, beside a first document of 0.5."""
    judged = {"1": {"a": {"d": 0.5, "low": 1e-15, "high": 1e-14}}}
    (row,) = violations(judged, {"1": ["d", "low", "high"]}, metric, axioms=["Pri"], gain="identity", depth=3).rows
    assert (row.found, row.unrewarded, row.punished) == (1, TINY[metric], 0)


@pytest.mark.parametrize(("power", "rewarded"), [(1, False), (2, True), (0.5, False)])
def test_deep_compares_two_swaps(power: float, rewarded: bool) -> None:
    """Σ r (10 − i)^n: for n = 1 a swap gains the same at every rank, for n = 2 more at the top, for n = ½ less."""

    def discounted(ranking: Any) -> Any:
        return sum(float(max(row)) * (10 - i) ** power for i, row in enumerate(ranking.relevance))

    judged = {"1": {"a": {"d": 1, "e": 1}}}
    (row,) = violations(judged, {"1": ["x", "d", "y", "e"]}, discounted, axioms=["Deep"]).rows
    assert (row.found, row.unrewarded, row.punished) == (1, not rewarded, power < 1)


@pytest.mark.parametrize("reading", ["charitable", "as-written"])
def test_the_result_says_what_was_compared(reading: str) -> None:
    """Depth, runs, topics and reading; the depth has a limit, which is allowed."""
    judged = {"1": {"a": {"d": 1}}, "2": {"a": {"d": 1}}}
    result = violations(judged, {"1": ["x", "d"]}, "RBU@20", axioms=["Conf"], reading=reading, depth=100_000)
    assert (result.depth, result.runs, result.topics, result.reading) == (100_000, 1, 2, reading)
    with refuses("out-of-range"):
        violations(judged, {"1": ["x", "d"]}, "RBU@20", depth=100_001)
    lines = violations(judged, {"1": ["x", "d"]}, "RBU@20", reading=reading).to_text(150).splitlines()
    assert 80 < max(map(len, lines)) <= 150


def test_a_run_loses_its_place_to_one_that_scores_the_same() -> None:
    """Two runs with the same lists: each would fall behind the other, and both are counted."""
    judged = {"1": {"a": {"low": 1, "high": 3}}}
    runs = {name: {"1": ["x", "high", "low"]} for name in ("one", "two")} | {"last": {"1": ["x", "y"]}}
    (row,) = violations(judged, runs, "alpha_DCG(alpha=0.9)@4", axioms=["Pri"]).rows
    assert (row.demoted, row.places) == (2, 1)


def test_the_text_has_every_share_and_the_worst_example() -> None:
    """A table of all situations, one of those within the premises, and where a metric punishes most."""
    judged = {"1": {"a": {"low": 1, "high": 3}}, "2": {"a": {f"d{i}": 1 for i in range(6)}, "b": {"o": 2}}}
    runs = {
        "A": {"1": ["x", "high", "low", "y"], "2": ["d1", "o", "d2", "u"]},
        "B": {"1": ["low", "high"], "2": ["o", "d3"]},
    }
    result = violations(judged, runs, ["alpha_DCG(alpha=0.9)@4", "P@20", "RBU@20"])
    names = list(dict.fromkeys(row.axiom for row in result.rows))
    shown = [name for name in names if any(row.found for row in result.rows if row.axiom == name)]
    text = result.to_text(100)
    tables = [part.splitlines() for part in text.split("\n\n") if set(shown) <= set(part.splitlines()[0].split())]
    assert len(tables) == 2 and text.startswith("2 runs")
    for table, of, failed in zip(tables, ("found", "situations"), ("unrewarded", "violations"), strict=True):
        head, counts, rule, *lines = table
        assert head.split() == shown and set(rule) == {"-"} and len(rule) == max(map(len, (head, counts, *lines)))
        most = [max(getattr(row, of) for row in result.rows if row.axiom == name) for name in shown]
        assert [int(word.replace(",", "")) for word in counts.split()[1:]] == most
        for metric, line in zip(dict.fromkeys(row.metric for row in result.rows), lines, strict=True):
            cells = line.replace(" %", "%").split()[-len(shown) :]
            for name, cell in zip(shown, cells, strict=True):
                row = result.cell(metric, name)
                number = getattr(row, of)
                assert (cell == "–") == (number == 0)
                assert number == 0 or float(cell.rstrip("%")) / 100 == pytest.approx(
                    getattr(row, failed) / number, abs=5e-4
                )
    worst = max(
        (row for row in result.rows if row.metric == result.rows[0].metric and row.punished),
        key=lambda row: present(row.before) - present(row.after),
    )
    example = " ".join(text.split("\n\n")[-1].split())
    ranks = [str(worst.rank)] + ([str(worst.other_rank)] if worst.other_rank else [])
    for fact in (f"{worst.before:.4f}", f"{worst.after:.4f}", f"topic {worst.topic}", f"run {worst.run}", *ranks):
        assert fact in example
    assert all(not row.punished for row in result.rows if row.metric != worst.metric)
