"""Several judges: agreement of labels equals published values, and conclusions match plain means."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any, Literal

import pytest

from diveval import evaluate
from diveval.conclusions import conclude
from diveval.reading.objects import as_judgments
from diveval.stats.agreement import cohen_kappa, krippendorff
from support.shared import times

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [[v for v in column if v is not None] for column in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_krippendorff_gives_the_published_values(level: Literal["nominal", "ordinal"], expected: float) -> None:
    """α equals the values of the worked example in Krippendorff's paper."""
    assert krippendorff(UNITS, level) == pytest.approx(expected, abs=5e-4)


def test_krippendorff_is_undefined_without_variation() -> None:
    """α is None with a single grade or without a unit with two labels."""
    assert krippendorff([[1, 1], [1, 1]], "nominal") is None
    assert krippendorff([[1], [2]], "ordinal") is None


def test_kappa_is_undefined_without_variation() -> None:
    """κ is None without labels or with a single grade."""
    assert cohen_kappa([]) is None
    assert cohen_kappa([(1, 1), (1, 1)]) is None


def _random_case(rng: random.Random) -> Any:
    """Two judges of one small collection, and two runs."""
    documents = [f"d{i}" for i in range(5)]
    judges = [{t: {a: {d: rng.randint(0, 2) for d in documents} for a in "xy"} for t in ("1", "2")} for _ in range(2)]
    for judge in judges:
        judge["1"]["x"]["d0"] = 2  # the highest grade is the same for both
    runs = {
        name: {t: {d: -float(i) for i, d in enumerate(rng.sample(documents, 4))} for t in ("1", "2")} for name in "ab"
    }
    return judges, runs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_conclusions_over_judges_agree_with_plain_means() -> None:
    """A certain lead is positive under every judge, a flip is negative under some, and the margin is the least lead."""
    rng = random.Random(5)
    counts = {"certain": 0, "flips": 0, "undecided": 0}
    for _ in range(times(12, 60)):
        judges, runs = _random_case(rng)
        judgments = [as_judgments(judge) for judge in judges]
        row, *_ = conclude(judgments[0], runs, "RBU(p=0.8,e=0.05)@3", judges=judgments[1:], significance=False).rows
        leads = []
        for judge in judges:
            means = dict(zip("ab", evaluate(judge, runs, "RBU(p=0.8,e=0.05)@3").means[:, 0].tolist(), strict=True))
            leads.append(means[row.better] - means[row.worse])
        if row.verdict == "certain":
            assert min(leads) > 0
            assert row.margin == pytest.approx(min(leads))
        elif row.verdict == "flips":
            assert min(leads) < 0
            assert row.margin == pytest.approx(min(leads))
        else:
            assert min(leads) == pytest.approx(0, abs=1e-12)
        counts[row.verdict] += 1
    assert counts["certain"] > 2
    assert counts["flips"] > 2


@pytest.mark.filterwarnings("ignore")
def test_agreement_names_topics_with_differences() -> None:
    """Labels are compared where both judges gave one; only topics with differences are named."""
    first = {"1": {"x": {"d0": 2, "d1": 1}}, "2": {"x": {"d0": 2, "d1": 0}}}
    second = {"1": {"x": {"d0": 2, "d1": 1}}, "2": {"x": {"d0": 0, "d1": 1, "d2": 2}}}
    runs = {"a": {"1": {"d0": 2.0, "d1": 1.0}, "2": {"d0": 2.0, "d1": 1.0}}, "b": {"1": {"d1": 2.0}, "2": {"d1": 2.0}}}
    result = conclude(as_judgments(first), runs, "nDCG@3", judges=[as_judgments(second)], significance=False)
    assert result.judges is not None
    (pair,) = result.judges.pairs
    assert (pair.labels, pair.same) == (4, 0.5)
    assert result.judges.topics == (("2", 1.0),)
    assert result.rows[0].doubt == "judges"


@pytest.mark.filterwarnings("ignore")
def test_certain_under_all_doubts_is_certain_under_each() -> None:
    """A conclusion that is certain under `all` is certain under each doubt and judge."""
    rng, certain = random.Random(11), 0
    for _ in range(times(8, 20)):
        judges, runs = _random_case(rng)
        judgments = [as_judgments(judge) for judge in judges]
        rows = conclude(judgments[0], runs, "RBU(p=0.5..0.9,e=0..0.1)@3", judges=judgments[1:], significance=False).rows
        verdicts = {row.doubt: row.verdict for row in rows}
        if verdicts["all"] == "certain":
            certain += 1
            assert verdicts["parameters"] == verdicts["judges"] == "certain"
            for judge, p, e in [(j, p, e) for j in judges for p in (0.5, 0.7, 0.9) for e in (0, 0.05, 0.1)]:
                means = dict(zip("ab", evaluate(judge, runs, f"RBU(p={p},e={e})@3").means[:, 0].tolist(), strict=True))
                assert means[rows[0].better] > means[rows[0].worse]
    assert certain


def test_the_graph_has_the_transitive_reduction() -> None:
    """Edges implied by two others are left out, and no conclusion is lost."""
    from diveval.conclusions.drawings import layers, reduce_order, svg

    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]
    assert reduce_order(edges) == [("a", "b"), ("a", "d"), ("b", "c")]
    assert layers("abcd", edges) == [["a"], ["b", "d"], ["c"]]
    drawing = svg("abcd", edges, "<title>")
    assert drawing.count("<path") == 3
    assert all(f">{s}</text>" in drawing for s in "abcd")
    reached = {(a, c) for (a, b), (x, c) in combinations(reduce_order(edges), 2) if b == x} | set(reduce_order(edges))
    assert set(edges) <= reached
