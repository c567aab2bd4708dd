"""Fast paths of conclusions, compared with the plain declaration: sums, ideals, doubles and worth."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

from diveval import evaluate
from diveval.conclusions import conclude
from diveval.conclusions.exact_collection import NUMBERS, collection
from diveval.conclusions.label_grids import PairGrids
from diveval.conclusions.objectives import Lead, Objective, Systems
from diveval.conclusions.pairs import Algebra
from diveval.conclusions.ranges import as_ranged
from diveval.conclusions.sums import SumPolys
from diveval.conclusions.terms import ideal
from diveval.conclusions.unjudged_bounds import least
from diveval.exact.polynomials import Poly, Term
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.ranking import Ranking
from diveval.scoring.evaluate import rank_all
from diveval.settings import Options
from support.shared import times
from support.small_cases import draw


def _rows(rng: random.Random, documents: int, aspects: int = 3) -> list[list[Fraction]]:
    return [[Fraction(rng.choice([0, 0, 0, 1, 3]), 4) for _ in range(aspects)] for _ in range(documents)]


@pytest.mark.parametrize(
    "text",
    ["RBU(p=0.5..0.9,e=0..0.2)@4", "NRBP(p=0.2..0.9,alpha=0.1..0.9)", "EU(alpha=0..1,e=0..0.3)@5", "ERR_IA@3", "CT@4"],
)
def test_sums_skip_only_ranks_that_add_nothing(text: str) -> None:
    """Skipping ranks without relevance gives the polynomial of the declaration."""
    rng, metric = random.Random(text), as_ranged(text)
    formula, sums = metric.formula({}), SumPolys()
    assert isinstance(formula, Sum)
    for _ in range(20):
        ranking = Ranking.of(_rows(rng, rng.randint(0, 7)), weights=[Fraction(1, 3)] * 3, numbers=NUMBERS)
        assert sums.of(formula, ranking) == Term.of(formula.exact(ranking)).num


def test_greedy_ideals_by_kind_equal_the_declaration() -> None:
    """Treating equal documents as one kind gives the same ideal, including ties, duplicates and β = 0."""
    rng = random.Random(1)
    for _ in range(times(20, 60)):
        alpha = rng.choice([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(rng.randint(0, 20), 20)])
        formula: Any = as_ranged("alpha_nDCG(alpha=0..1)@6").formula({"alpha": alpha})
        assert isinstance(formula, Normalised)
        pool = [row for row in _rows(rng, rng.randint(0, 12)) if any(row)]
        ranking = Ranking.of([], weights=[Fraction(1, 3)] * 3, pool=pool, numbers=NUMBERS)
        plain = formula.attainable(ranking)
        assert ideal(formula, 0, ranking).num == Term.of(0 if plain is None else plain).num


def test_doubles_enclose_exact_values() -> None:
    """Bounds from precomputed values of each system contain the exact value of the pair."""
    rng = random.Random(2)
    for _ in range(40):
        polys = [
            [
                Poly(
                    {
                        (("p", k), ("w0", 1)) if k % 2 else (("p", k), ("w1", 1)): Fraction(rng.randint(-9, 9), 7)
                        for k in range(1, 6)
                    }
                )
                for _ in range(3)
            ]
            for _ in range(2)
        ]
        mixing: list[list[tuple[Fraction, ...]]] = [[(Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))]] * 3
        systems = Systems(polys, [("w0", "w1")] * 3, mixing, [[Fraction(1, 3)] * 3] * 2)
        pair = Lead(systems, 0, 1, lambda: Objective([]))
        at = Fraction(rng.randint(1, 99), 100)
        low, high, _ = pair.numeric(["p"], {}).enclose([at])
        (least, most), _ = pair.at({"p": at})
        assert low <= least <= most <= high
        assert high - low < 1e-12


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["nDCG_IA@3", "AP_IA@3", "ERR_IA@3"])
def test_any_weights_with_one_ideal_per_aspect(metric: str) -> None:
    """The least lead over all corners of the weights, scored by `evaluate`, agrees with the verdict."""
    rng, verdicts = random.Random(metric), set()
    for _ in range(12):
        case = draw(rng, topics=1)
        judgments, runs = case.judgments(), case.shapes()
        (row,) = conclude(judgments, runs, metric, any_weights=True, significance=False).rows
        leads = []
        for aspect in ("s0", "s1"):
            weights = {("t0", a): float(a == aspect) for a in ("s0", "s1")}
            if not any(r[aspect] > 0 for r in case.grades["t0"].values()):
                continue
            scored = evaluate(judgments, runs, metric, weights=weights)
            means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
            leads.append(means[row.better] - means[row.worse])
        verdicts.add(row.verdict)
        if row.verdict == "certain":
            assert min(leads) > 0
            assert row.margin == pytest.approx(min(leads))
        elif row.verdict == "flips":
            assert row.margin == pytest.approx(min(leads))
        else:
            assert min(leads) == pytest.approx(0.0, abs=1e-12)
    assert {"certain", "flips"} <= verdicts


@pytest.mark.filterwarnings("ignore")
def test_worth_is_the_largest_loss_of_lead() -> None:
    """The worth of a document is the largest share of the lead that its labels can remove."""
    rng, seen = random.Random(7), 0
    for _ in range(times(14, 40)):
        case = draw(rng, unjudged=2, topics=1, highest=2)
        case.grades["t0"]["dx"] = {"s0": 1, "s1": 1}  # every aspect has a relevant document
        judgments, runs = case.judgments(), case.shapes()
        found = conclude(judgments, runs, "ERR_IA@3", unjudged=True, worth=True, significance=False)
        (row,) = found.rows
        for listed in found.to_judge:
            seen += 1
            leads = []
            for grades in itertools.product(range(3), repeat=2):
                more = draw(random.Random(0))
                more.runs, more.weights = case.runs, case.weights
                label = dict(zip(("s0", "s1"), grades, strict=True))
                more.grades = {"t0": {**case.grades["t0"], listed.document: label}}
                scored = evaluate(more.judgments(), runs, "ERR_IA@3")
                means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
                leads.append(means[row.better] - means[row.worse])
            lead = leads[0]
            assert listed.worth == pytest.approx(min(1.0, (lead - min(leads)) / lead) if lead > 1e-12 else 1.0)
    assert seen > 10


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ["RBU(p=0.6..0.99,e=0..0.1)@4", "RBP_IA(p=0.5..0.9)", "EU(alpha=0.2..0.8)@3", "ERR@4"])
def test_grids_of_labellings_equal_topic_by_topic(text: str) -> None:
    """All labellings of a pair at once give the least difference of each topic, in every topic that is not left out."""
    rng, metric, compared = random.Random(text), as_ranged(text), 0
    for _ in range(times(15, 150)):
        case = draw(rng, unjudged=rng.randint(0, 3), topics=4, aspects=3, highest=rng.choice([1, 3]))
        case.grades["t3"] = {d: dict.fromkeys(row, 0) for d, row in case.grades["t3"].items()}  # every aspect is idle
        judgments, options = case.judgments(), Options(missing_topics=rng.choice(["worst", "zero", "skip"]))
        case.runs["b"].pop(f"t{rng.randint(0, 5)}", None)
        ranked = rank_all(judgments, case.shapes(), [metric.metric], options, keep_documents=True)
        labelling = Algebra(metric, collection(judgments, ranked, metric.metric, options)).labelling
        assert labelling is not None
        problems = labelling.problems(0, 1)
        grids, sides = PairGrids(labelling, problems, 0, 1), labelling.sides(labelling.formula)
        values = grids.least((sides, sides))
        for t in set(range(len(problems))) - set(grids.slow):
            low, reached, _ = least(labelling, problems[t], 0, 1)
            assert values[t] == pytest.approx(low, abs=1e-14) == pytest.approx(reached, abs=1e-14)
            compared += 1
    assert compared > 20
