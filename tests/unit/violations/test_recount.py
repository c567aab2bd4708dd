"""Situations and violations recounted by brute force with Fractions, on random collections."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F

import pytest

from diveval.analysis.violations import violations
from diveval.axioms.specification.constraints import DIVERSITY
from diveval.metrics.names import labels
from support.plain_violations import SEARCHES, K, alpha_dcg, draw, err_ia, find, precision, rbu
from support.present import present
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
METRICS = {
    f"RBU(p=0.9,e=0.01)@{K}": rbu(F(9, 10), F(1, 100), K),
    f"P@{K}": precision(K),
    f"ERR_IA@{K}": err_ia(K),
}


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
        after, punished, most = dict(means), 0, 0.0
        for run, lists in runs.items():
            for topic, names in lists.items():
                found = find(axiom, names, tables[topic], shares[topic])
                gains = [score(better, shares[topic]) - score(worse, shares[topic]) for _, better, worse, *_ in found]
                punished += sum(gain < -1e-12 for gain in gains)
                after[run] += min([0.0, *gains]) / 3
                most = min([most, *gains])
        row = counted.cell(counted.rows[0].metric, axiom)
        assert row.punished == punished
        if punished:
            assert present(row.after) - present(row.before) == pytest.approx(most, abs=1e-12)
        if any(r != x and abs(means[x] - value) < 1e-9 for r, value in after.items() for x in means):
            continue  # a tie, which rounding decides
        lost = {r: sum(after[r] < means[x] < means[r] for x in means if x != r) for r in runs}
        expected = (sum(n > 0 for n in lost.values()), max(lost.values()))
        assert (row.demoted, row.places) == (expected if punished else (0, 0))
        assert row.demoted_run is None if not any(lost.values()) else lost[str(row.demoted_run)] == expected[1]


@pytest.mark.parametrize("seed", range(times(20, 300)))
def test_sentences_are_those_of_the_rows_that_lose_most(seed: int) -> None:
    """Of each metric that lowers a score, the row with the largest fall, whose numbers the tests above recount."""
    (judged, runs, weights), *_ = draw(seed)
    counted = violations(judged, runs, list(METRICS), depth=K, weights=weights, gain="identity")
    said = {(one.kind, one.facts["metric"]): one for one in counted.statements}
    named = dict(zip(METRICS, labels(list(METRICS)), strict=True))
    for name, label in named.items():
        falls = {
            row.axiom: present(row.before) - present(row.after)
            for row in counted.rows
            if row.metric == name and row.before is not None
        }
        punished = {row.axiom: row.punished for row in counted.rows if row.metric == name}
        worst = said.pop(("violation-worst", label), None)
        lost = said.pop(("violation-places", label), None)
        if worst is None:
            assert not falls or max(falls.values()) <= 0
            continue
        axiom = worst.facts["axiom"]
        row = counted.cell(name, axiom)
        assert falls[axiom] == max(falls.values()) and punished[axiom] > 0
        assert all(worst.facts[key] == getattr(row, key) for key in worst.facts if key != "metric")
        assert (lost is None) == (not row.demoted)
        assert lost is None or all(lost.facts[key] == getattr(row, key) for key in lost.facts if key != "metric")
    assert said == {}


def test_tails_of_judged_documents_are_tails_too() -> None:
    """Documents judged not relevant end a list as unjudged ones do."""
    (row,) = violations({"1": {"a": {"d": 1, "n": 0}}}, {"1": ["d", "n"]}, "P@2", axioms=["Conf"]).rows
    assert (row.found, row.unrewarded) == (1, 1)
