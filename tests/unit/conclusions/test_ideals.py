"""Greedy ideals over ranges and exact sums, compared with the plain declaration in exact arithmetic."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from diveval.conclusions.exact_collection import NUMBERS, ExactCollection, collection
from diveval.conclusions.ideals import Walk
from diveval.conclusions.ranges import as_ranged
from diveval.conclusions.sums import DIGITS, FINE, Rounder, SumPolys
from diveval.conclusions.terms import score_symbolically
from diveval.exact.logs import bounds
from diveval.exact.poly import sum_polys
from diveval.exact.polynomials import Poly, Term
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.ranking import Ranking
from diveval.scoring.evaluate import rank_all
from diveval.settings import Options
from support.shared import times
from support.small_cases import draw

pytestmark = pytest.mark.slow(seconds=0.2)  # together: `make check` leaves the file out

BETAS = [0.0, 1e-12, 3e-10, 1e-9, 1e-7, 1e-6, 1e-4, 0.01, 0.25, 0.5, 2 / 3, 0.75, 0.999, 1 - 1e-7, 1 - 1e-9, 1.0]


def _pool(rng: random.Random) -> list[tuple[Fraction, ...]]:
    """Documents of few kinds, so that there are ties and duplicates."""
    aspects = rng.randint(1, 4)
    kinds = [tuple(Fraction(rng.choice([0, 0, 1, 1, 3, 7]), 8) for _ in range(aspects)) for _ in range(6)]
    kinds = [kind for kind in kinds if any(kind)]
    return [rng.choice(kinds) for _ in range(rng.randint(1, 24))] if kinds else []


@pytest.mark.parametrize("seed", range(times(5, 40)))
def test_pieces_contain_the_ideal_for_every_beta(seed: int) -> None:
    """At any β, including breakpoints and both ends, the exact greedy ideal equals its piece or is within its bounds."""
    rng = random.Random(seed)
    pool = _pool(rng)
    metric = as_ranged("alpha_nDCG(alpha=0..1)@8")
    formula: Any = metric.formula({"alpha": Fraction(1, 2)})
    assert isinstance(formula, Normalised)
    places: dict[tuple[float, ...], list[int]] = {}
    for i, row in enumerate(pool):
        places.setdefault(tuple(map(float, row)), []).append(i)
    depth = min(len(pool), 8)
    kinds = np.array(list(places)).reshape(len(places), len(pool[0]) if pool else 1)
    pieces = Walk(kinds, list(places.values()), formula.sum.discount.table(8)[1 : depth + 1]).cut(0.0, 1.0)
    random_betas = [rng.random() for _ in range(10)] + [rng.random() ** 6 for _ in range(5)]
    for beta in [*BETAS, *random_betas, *rng.sample(pieces.ends.tolist(), min(12, len(pieces.ends)))]:
        at_beta: Any = metric.formula({"alpha": 1 - Fraction(beta)})
        width = len(pool[0]) if pool else 1
        ranking = Ranking.of([], weights=[Fraction(1, width)] * width, pool=pool, numbers=NUMBERS)
        best = at_beta.attainable(ranking)
        exact = float(bounds(Term.of(0 if best is None else best).num.terms, 30)[0])
        indices = {int(pieces.at(np.array([beta + x]))[0]) for x in (-1e-16, 0.0, 1e-16)}
        found = []
        for i in indices:
            value = float(pieces.coefficients[i] @ beta ** np.arange(float(pieces.coefficients.shape[1])))
            found.append((value, value) if pieces.known[i] else (float(pieces.low[i]), float(pieces.high[i])))
        near = 1e-11 * max(exact, 1e-300)
        assert any(low - near <= exact <= high + near for low, high in found), (beta, exact, found)


def test_pieces_are_few_and_mostly_known() -> None:
    """Over the full range of β, pieces without a known list are narrow in total."""
    rng = random.Random(3)
    for _ in range(10):
        pool = _pool(rng)
        places: dict[tuple[float, ...], list[int]] = {}
        for i, row in enumerate(pool):
            places.setdefault(tuple(map(float, row)), []).append(i)
        discounts = 1 / np.log2(np.arange(2.0, 2.0 + min(len(pool), 20)))
        pieces = Walk(np.array(list(places)), list(places.values()), discounts).cut(0.0, 1.0)
        width = np.diff(pieces.ends)
        assert width[~pieces.known].sum() < 1e-5
        assert width.sum() == pytest.approx(1)


def _collection(rng: random.Random, metric: str) -> ExactCollection:
    case = draw(rng, topics=2, aspects=3, highest=3)
    judgments, options, parsed = case.judgments(), Options.of(), as_ranged(metric).metric
    ranked = rank_all(judgments, case.shapes(), [parsed], options, keep_documents=True)
    return collection(judgments, ranked, parsed, options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "RBU(p=0.5..0.9,e=0..0.2)@3",
        "RBU(p=0.8,e=0.1)",
        "ERR_IA@3",
        "RBP_IA(p=0.2..0.9)@3",
        "alpha_DCG(alpha=0..1)@4",
        "NRBP(p=0.2..0.9,alpha=0.1..0.9)",
        "EU(alpha=0..1,e=0..0.3)@3",
        "EU(alpha=0.3)@3",
        "CT@4",
        "CT(alpha=0..1,limit=0.5)@4",
    ],
)
def test_sums_with_shared_work_equal_the_declaration(text: str, weights: bool) -> None:
    """Shared work gives the polynomial of the declaration, with symbolic or given weights."""
    rng, formula = random.Random(text), as_ranged(text).formula({})
    assert isinstance(formula, Sum)
    for _ in range(times(3, 8)):
        generated = _collection(rng, text)
        for topic in generated.topics:
            symbols = [Term.symbol(f"w{i}") for i in range(len(topic.aspects))] if weights else None
            sums = SumPolys()
            for s in range(len(generated.systems)):
                ranking = topic.ranking(s, generated.depth, generated.filler(topic), symbols)
                assert sums.of(formula, ranking) == Term.of(formula.exact(ranking)).num


@pytest.mark.filterwarnings("ignore")
def test_means_at_a_point_equal_means_of_scores_there() -> None:
    """Evaluating means at a point equals averaging the scores at that point."""
    rng, metric = random.Random(5), as_ranged("RBU(p=0.5..0.9,e=0..0.2)@3")
    for _ in range(10):
        scored = score_symbolically(_collection(rng, metric.name), metric, {})
        point = {"p": Fraction(rng.randint(50, 90), 100), "e": Fraction(rng.randint(0, 20), 100)}
        there = scored.at(point)
        for s, mean in enumerate(there.means):
            plain = Poly({})
            for row in scored.polys:
                plain = plain + row[s].at(point) * Poly.constant(Fraction(1, len(scored.polys)))
            assert mean == plain
            assert [row[s] for row in there.polys] == [row[s].at(point) for row in scored.polys]


def test_sums_over_a_common_denominator() -> None:
    """Sums over a common denominator equal plain sums of polynomials."""
    rng = random.Random(8)
    for _ in range(30):
        polys = [
            Poly({(("p", k),): Fraction(rng.randint(-9, 9), rng.randint(1, 60)) for k in range(1, 5)}) for _ in range(6)
        ]
        total = Poly({})
        for poly in polys:
            total = total + poly
        assert sum_polys(polys, Fraction(2, 7)) == total * Poly.constant(Fraction(2, 7))


def test_rounded_scores_are_within_their_radius() -> None:
    """With ideals and logarithms substituted, the exact value is within the radius, and the radius is tiny."""
    rng = random.Random(9)
    for _ in range(times(10, 40)):
        middle = Fraction(rng.randint(1, 999), 1000)
        rounder = Rounder({"N0": (middle, Fraction(0))})
        terms = {(("L3", 1), ("N0", 1)): 0, (("N0", 1),): 0, (("L5", 2), ("beta", 3)): 0, (("L3", 1),): 0}
        poly = Poly({m: Fraction(rng.randint(-99, 99), rng.randint(1, 50)) for m in terms})
        rounded, radius = rounder.substitute(poly)
        point = {"N0": middle, "beta": Fraction(rng.randint(0, 10), 10)}
        low, high = bounds(poly.at(point).terms, 2 * DIGITS)
        value = rounded.at(point).value
        assert value is not None
        assert value - radius <= low <= high <= value + radius
        assert radius < Fraction(10**6, FINE)
