"""Situations and violations recounted by brute force with Fractions, on random collections."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest

from diveval.analysis.violations import violations
from diveval.axioms.specification.constraints import DIVERSITY
from support.plain_violations import SEARCHES, Document, alpha_dcg, err_ia, find, precision, rbu
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
K = 12
METRICS = {
    f"RBU(p=0.9,e=0.01)@{K}": rbu(F(9, 10), F(1, 100), K),
    f"P@{K}": precision(K),
    f"ERR_IA@{K}": err_ia(K),
}
# Grades are relevance itself ("identity"): few levels, so that equal documents abound; small ones, so that the
# charitable premises hold; large ones, so that gains fall below the last digit of a double; and 1, which saturates.
LEVELS = (("1/10", "1/5"), ("15/16", "7/8"), ("1", "1/2"), ("1/8", "1/4", "1/2"), ("1",), ("1/16",))
Collection = tuple[
    dict[str, dict[str, dict[str, float]]], dict[str, dict[str, list[str]]], dict[tuple[str, str], float]
]


def draw(seed: int) -> tuple[Collection, dict[str, dict[str, Document]], dict[str, list[F]]]:
    """Judgments, runs and weights as diveval takes them, and as Fractions."""
    rng = np.random.default_rng(seed)
    levels = LEVELS[seed % len(LEVELS)]
    aspects = ["a", "b", "c"][: int(rng.integers(1, 4))]
    judged: dict[str, dict[str, dict[str, float]]] = {}
    tables: dict[str, dict[str, Document]] = {}
    shares: dict[str, list[F]] = {}
    weights: dict[tuple[str, str], float] = {}
    for topic in ("1", "2", "3"):
        documents = [f"d{i}" for i in range(int(rng.integers(1, 9)))]
        table = {d: tuple(_level(rng, levels, single=rng.random() < 0.7, own=aspects)) for d in documents}
        if topic == "3" and rng.random() < 0.5:  # a topic without a relevant document
            table = dict.fromkeys(documents, (F(0),) * len(aspects))
        judged[topic] = {a: {d: float(table[d][t]) for d in documents} for t, a in enumerate(aspects)}
        kept = [t for t in range(len(aspects)) if any(row[t] for row in table.values())]
        tables[topic] = {d: tuple(row[t] for t in kept) for d, row in table.items()}
        given = [int(x) for x in rng.choice([1, 1, 2], size=len(aspects))]
        shares[topic] = [F(given[t], sum(given[u] for u in kept)) for t in kept]
        weights |= {(topic, a): float(given[t]) for t, a in enumerate(aspects)}
    runs = {name: {t: _ranked(rng, list(tables[t])) for t in tables} for name in ("A", "B", "C")}
    return (judged, runs, weights), tables, shares


def _level(rng: np.random.Generator, levels: tuple[str, ...], single: bool, own: list[str]) -> list[F]:
    row = [F(str(rng.choice(levels))) if rng.random() < 0.6 else F(0) for _ in own]
    keep = int(rng.integers(len(own)))
    return [r if not single or t == keep else F(0) for t, r in enumerate(row)]


def _ranked(rng: np.random.Generator, documents: list[str]) -> list[str]:
    order = [str(d) for d in rng.permutation([*documents, "u1", "u2", "u3"])]
    return order[: int(rng.integers(1, K + 1))]


@pytest.mark.parametrize("seed", range(times(60, 1000)))
def test_counts_are_those_of_a_loop_over_fractions(seed: int) -> None:
    """Found, within the premises of both readings, not rewarded, punished, and the example, which gains least of all."""
    (judged, runs, weights), tables, shares = draw(seed)
    reading = "as-written" if seed % 3 == 2 else "charitable"
    counted = violations(judged, runs, list(METRICS), depth=K, weights=weights, gain="identity", reading=reading)
    for axiom in SEARCHES:
        for name, score in METRICS.items():
            tally, gains = Counter[str](), dict[tuple[str, str, int, int | None], F]()
            scores: dict[tuple[str, str, int, int | None], tuple[F, F]] = {}
            for run, lists in runs.items():
                for topic, names in lists.items():
                    situations = find(axiom, names, tables[topic], shares[topic], charitable=reading == "charitable")
                    for within, better, worse, strict, rank, other in situations:
                        after, before = score(better, shares[topic]), score(worse, shares[topic])
                        gain, place = after - before, (topic, run, rank, other or None)
                        failed = gain <= 0 if strict else gain < 0
                        blind = name.startswith("P@") and axiom in DIVERSITY and reading == "charitable"
                        inside = within and not blind
                        tally.update(found=1, unrewarded=failed, situations=inside, violations=failed and inside)
                        tally["punished"] += gain < 0
                        if failed and gain <= gains.get(place, F(0)):
                            gains[place], scores[place] = gain, (before, after)
            row = counted.cell(name, axiom)
            got = {what: getattr(row, what) for what in ("found", "unrewarded", "situations", "violations")}
            assert got == {what: tally[what] for what in got}, (name, axiom)
            assert row.share == (tally["violations"] / tally["situations"] if tally["situations"] else None)
            if not gains:
                assert row.topic is None and row.punished == 0
                continue
            assert row.punished == tally["punished"]
            place = (str(row.topic), str(row.run), int(row.rank or 0), row.other_rank)
            assert gains[place] == pytest.approx(min(gains.values()), abs=1e-15), (name, axiom)
            assert (row.before, row.after) == pytest.approx(tuple(map(float, scores[place])), abs=1e-12)
            names = runs[place[1]][place[0]]
            listed = [names[at - 1] if at and at <= len(names) else None for at in (row.rank, row.other_rank)]
            assert [row.document, row.other_document] == listed


@pytest.mark.parametrize("seed", range(times(60, 1000)))
def test_demotions_are_those_of_a_loop_over_fractions(seed: int) -> None:
    """Each run loses in each topic the worst punishment; the runs that would then be ahead of it are counted."""
    (judged, runs, weights), tables, shares = draw(seed)
    name, score = f"alpha_DCG@{K}", alpha_dcg(K)
    counted = violations(judged, runs, name, depth=K, weights=weights, gain="identity")
    means = {r: sum(score(tuple(tables[t].get(d, (F(0),) * len(shares[t])) for d in x), shares[t]) for t, x in lists.items()) / 3
             for r, lists in runs.items()}  # fmt: skip
    for axiom in ("Pri", "Deep", "AspDiv", "MRed"):
        after, punished = dict(means), 0
        for run, lists in runs.items():
            for topic, names in lists.items():
                found = find(axiom, names, tables[topic], shares[topic])
                gains = [score(better, shares[topic]) - score(worse, shares[topic]) for _, better, worse, *_ in found]
                punished += sum(gain < -1e-12 for gain in gains)
                after[run] += min([0.0, *gains]) / 3
        row = counted.cell(counted.rows[0].metric, axiom)
        assert row.punished == punished
        if any(r != x and abs(means[x] - value) < 1e-9 for r, value in after.items() for x in means):
            continue  # a tie, which rounding decides
        lost = {r: sum(after[r] < means[x] < means[r] for x in means if x != r) for r in runs}
        expected = (sum(n > 0 for n in lost.values()), max(lost.values()))
        assert (row.demoted, row.places) == (expected if punished else (0, 0))
        assert row.demoted_run is None if not any(lost.values()) else lost[str(row.demoted_run)] == expected[1]


def test_gains_of_any_size_are_positive() -> None:
    """RBU rewards a swap behind twelve documents of relevance 1 − 2⁻¹⁵, which gains about 10⁻⁵⁵."""
    full = 1 - 2**-15
    judged = {"1": {"a": {**{f"g{i}": full for i in range(12)}, "low": 0.25, "high": 0.5}}}
    run = {"1": [*(f"g{i}" for i in range(12)), "low", "high"]}
    (row,) = violations(judged, run, "RBU(p=0.9,e=0.01)@20", axioms=["Pri"], gain="identity").rows
    assert (row.found, row.unrewarded) == (1, 0)


def test_tails_of_judged_documents_are_tails_too() -> None:
    """Documents judged not relevant end a list as unjudged ones do."""
    (row,) = violations({"1": {"a": {"d": 1, "n": 0}}}, {"1": ["d", "n"]}, "P@2", axioms=["Conf"]).rows
    assert (row.found, row.unrewarded) == (1, 1)
