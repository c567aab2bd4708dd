"""Sentences of judges, plans, gates, boards, panels and pool audits: facts recomputed from labels, runs and scores."""

from __future__ import annotations

import importlib
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import pytest

import diveval
from diveval.results import statements as declared
from diveval.results.statements import Statement
from support.judged import Labels, make_labels, make_runs, quietly, spoil
from support.late import late

special = late("scipy.special")
METRICS = ["RBU(p=0.9,e=0.01)@5", "ERR_IA@5"]
TRUTH = make_labels(48)
MODEL = spoil(TRUTH, 0.3)
PEOPLE = {topic: TRUTH[topic] for topic in list(TRUTH)[::3]}
RUNS = make_runs(list(TRUTH), ["A", "B", "C"])
RUNS["good"] = {
    t: sorted(of["a"], key=lambda d, of=of: -of["a"][d] - of["b"][d])  # type: ignore[misc]
    for t, of in TRUTH.items()
}
PAIRS = list(combinations(RUNS, 2))
Check = Callable[..., Iterable[bool]]
CHECKS: dict[str, Check] = {}
SEEN: Counter[str] = Counter()


def checks(kind: str) -> Callable[[Check], Check]:
    """Declare the check of a kind, which gets its facts."""

    def declare(check: Check) -> Check:
        CHECKS[kind] = check
        return check

    return declare


def verify(said: Iterable[Statement], **known: Any) -> None:
    """Every statement against its check, of which there must be some; its wording accepts its facts."""
    listed = list(said)
    assert listed
    for one in listed:
        assert one.text
        compared = list(CHECKS[one.kind](known, **one.facts))
        assert compared and all(compared), (one.kind, one.facts)
        SEEN[one.kind] += 1


def t_test(d: list[float]) -> float:
    """The two-sided p of a mean of 0."""
    error = statistics.stdev(d) / math.sqrt(len(d))
    return 2 * float(special.stdtr(len(d) - 1, -abs(statistics.fmean(d)) / error))


def holm(ps: list[float]) -> list[float]:
    """Adjusted p by the definition, one by one."""
    order, out, worst = sorted(range(len(ps)), key=lambda i: ps[i]), [0.0] * len(ps), 0.0
    for step, i in enumerate(order):
        worst = max(worst, min(1.0, (len(ps) - step) * ps[i]))
        out[i] = worst
    return out


def values(labels: Labels, run: str, metric: str) -> dict[str, float]:
    """Scores by topic."""
    return dict(diveval.evaluate(labels, {run: RUNS[run]}, [metric]).per_topic(run, metric))


def gaps(labels: Labels, metric: str, topics: Iterable[str]) -> dict[tuple[str, str], list[float]]:
    """Differences by topic of every two runs."""
    by = {run: values(labels, run, metric) for run in RUNS}
    listed = list(topics)
    return {(a, b): [by[a][t] - by[b][t] for t in listed] for a, b in PAIRS}


def favours(metric: str) -> dict[tuple[str, str], list[float]]:
    """By pair and topic of people: the model's difference minus people's."""
    y, f = (gaps(labels, metric, PEOPLE) for labels in (PEOPLE, MODEL))
    return {pair: [b - a for a, b in zip(y[pair], f[pair], strict=True)] for pair in PAIRS}


def decided(by_pair: dict[tuple[str, str], list[float]]) -> set[tuple[str, str]]:
    """The pairs whose mean is not 0 by the t-test with Holm's correction."""
    adjusted = holm([t_test(d) for d in by_pair.values()])
    return {pair for pair, p in zip(by_pair, adjusted, strict=True) if p < 0.05}


@checks("judges-assumption")
def _(known: Any, n: int, rest: int, confidence: float) -> Iterable[bool]:
    yield (n, rest, confidence) == (len(PEOPLE), len(TRUTH) - len(PEOPLE), 0.95)


@checks("judges-saved")
def _(known: Any, metric: str, low: int, high: int, runs: int) -> Iterable[bool]:
    needed = []
    for run in RUNS:
        row = known["result"].row(run, metric)
        sd, n = statistics.stdev(values(PEOPLE, run, metric).values()), len(PEOPLE)
        while 2 * float(special.stdtrit(n - 1, 0.975)) * sd / math.sqrt(n) > (row.high - row.low) * (1 + 1e-12):
            n += 1
        needed.append(n - len(PEOPLE))
    yield (low, high, runs) == (min(needed), max(needed), len(RUNS))


@checks("judges-decided")
def _(known: Any, metric: str, pairs: int, test: str, people: int, model: int, both: int) -> Iterable[bool]:
    yield (pairs, test) == (len(PAIRS), "t")
    yield people == len(decided(gaps(PEOPLE, metric, PEOPLE)))
    yield model == len(decided(gaps(MODEL, metric, MODEL)))
    ps = []
    for a, b in PAIRS:
        row = known["result"].row(a, metric, b)
        error = (row.high - row.low) / 2 / float(special.stdtrit(len(PEOPLE) - 1, 0.975))
        ps.append(2 * float(special.stdtr(len(PEOPLE) - 1, -abs(row.estimate) / error)))
    yield both == sum(p < 0.05 for p in holm(ps))


@checks("judges-favour")
def _(known: Any, metric: str, pairs: int, significant: int, run: str, other: str, difference: float) -> Iterable[bool]:
    by_pair = favours(metric)
    strong = decided(by_pair)
    yield (pairs, significant) == (len(PAIRS), len(strong))
    if strong:
        top = max(abs(statistics.fmean(by_pair[pair])) for pair in strong)
        pair = (run, other) if (run, other) in by_pair else (other, run)
        sign = 1 if pair == (run, other) else -1
        yield abs(difference - top) < 1e-12 and abs(sign * statistics.fmean(by_pair[pair]) - difference) < 1e-12


@checks("judges-reversed")
def _(known: Any, metric: str, pairs: list[str]) -> Iterable[bool]:
    y, f = (gaps(labels, metric, PEOPLE) for labels in (PEOPLE, MODEL))
    either = decided(y) | decided(f)
    turned = [(a, b) for a, b in either if statistics.fmean(y[a, b]) * statistics.fmean(f[a, b]) < 0]
    yield sorted(pairs) == sorted(f"{a} and {b}" for a, b in turned)


@checks("judges-next")
def _(known: Any, run: str, other: str, metric: str, estimate: float, pairs: int, **more: Any) -> Iterable[bool]:
    rows = {pair: known["result"].row(pair[0], metric, pair[1]) for pair in PAIRS}
    yield pairs == len(PAIRS) and estimate == rows[run, other].estimate
    ratio = {pair: abs(row.estimate) / (row.high - row.low) for pair, row in rows.items() if not row.significant}
    yield ratio[run, other] == max(ratio.values())
    prices = {"people": 3.0, "model": 0.5}
    for kind, price in prices.items():
        count = more[kind]
        yield more[f"cost_{kind}"] == (None if count is None else count * price)
    known_costs = {kind: more[f"cost_{kind}"] for kind in prices if more[kind] is not None}
    yield not known_costs or more["cheapest"] == min(known_costs, key=lambda kind: known_costs[kind])


@checks("judges-unjudged")
def _(known: Any, run: str, share: float, depth: int) -> Iterable[bool]:
    people = known["people"]
    found = {}
    for name, of in RUNS.items():
        listed = [(t, d) for t in people for d in of[t][:depth]]
        found[name] = sum(any(d in labels for labels in people[t].values()) for t, d in listed) / len(listed)
    yield share == pytest.approx(min(found.values())) and found[run] == pytest.approx(share)


@pytest.fixture(scope="module")
def sparse() -> Labels:
    """People's labels without those of some documents."""
    return {t: {a: {d: g for d, g in of.items() if d != "d3"} for a, of in by.items()} for t, by in PEOPLE.items()}


def test_judges(sparse: Labels) -> None:
    """Every sentence of `judges`, and with unjudged documents the one about them."""
    result = quietly(lambda: diveval.judges(PEOPLE, MODEL, RUNS, METRICS, prices=(3.0, 0.5), resamples=200))
    verify(result.statements, result=result)
    thin = quietly(lambda: diveval.judges(sparse, MODEL, RUNS, METRICS[:1], resamples=200))
    (last,) = [one for one in thin.statements if one.kind == "judges-unjudged"]
    verify([last], people=sparse)


def smallest(sd: float, difference: float, power: float, level: float) -> int:
    """The fewest topics of a paired t-test with this power, counted up."""
    n = 2
    while True:
        critical, centre = float(special.stdtrit(n - 1, 1 - level / 2)), difference / sd * math.sqrt(n)
        found = 1 - float(special.nctdtr(n - 1, centre, critical)) + float(special.nctdtr(n - 1, centre, -critical))
        if found >= power:
            return n
        n += 1


@checks("plan")
def _(known: Any, metric: str, design: str, difference: float, sd: float, **more: Any) -> Iterable[bool]:
    yield design == "paired-t" and (metric or None) == known.get("metric") and difference == known["difference"]
    yield sd == pytest.approx(known["sd"])
    yield more["topics"] == smallest(sd, difference, more["power"], more["level"])


@checks("plan-all")
def _(known: Any, topics: dict[str, int], difference: float, power: float, level: float) -> Iterable[bool]:
    yield set(topics) == set(METRICS) and difference == 0.05
    for metric, count in topics.items():
        yield count == smallest(known["deviations"][metric], difference, power, level)


def test_plans() -> None:
    """Topics in sentences are the fewest with the power, by the deviations of the pilot's differences."""
    alone = quietly(lambda: diveval.plan(sd=0.2, difference=0.05, designs=["paired-t"]))
    verify([one for one in alone.statements if one.kind == "plan"], sd=0.2, difference=0.05)
    result = quietly(lambda: diveval.plan(TRUTH, RUNS, METRICS, difference=0.05))
    deviations = {
        metric: math.sqrt(statistics.fmean(statistics.variance(d) for d in gaps(TRUTH, metric, TRUTH).values()))
        for metric in METRICS
    }
    verify([one for one in result.statements if one.kind == "plan-all"], deviations=deviations)


@checks("gate")
def _(known: Any, outcome: str, counts: dict[str, int], deciding: dict[str, Any] | None) -> Iterable[bool]:
    found = {}
    for metric in METRICS:
        d = gaps(TRUTH, metric, TRUTH)[known["pair"]]
        d = [-x for x in d]  # candidate − baseline
        half = float(special.stdtrit(len(d) - 1, 0.975)) * statistics.stdev(d) / math.sqrt(len(d))
        error = statistics.stdev(d) / math.sqrt(len(d))
        worse = 2 * float(special.stdtr(len(d) - 1, (statistics.fmean(d) + known["margin"]) / error))
        found[metric] = statistics.fmean(d), half, min(1.0, worse)
    adjusted = dict(zip(found, holm([p for _, _, p in found.values()]), strict=True))
    outcomes = {
        metric: "pass"
        if mean - half >= -known["margin"]
        else "fail"
        if mean < -known["margin"] and adjusted[metric] < 0.05
        else "unclear"
        for metric, (mean, half, _) in found.items()
    }
    yield counts == {kind: sum(o == kind for o in outcomes.values()) for kind in ("pass", "fail", "unclear")}
    whole = next(kind for kind in ("fail", "unclear", "pass") if counts[kind])
    yield outcome == whole and (deciding is None) == (whole == "pass")
    if deciding is not None:
        yield outcomes[deciding["metric"]] == whole
        yield deciding["difference"] == pytest.approx(found[deciding["metric"]][0])


@pytest.mark.parametrize(("pair", "margin"), [(("A", "B"), 0.01), (("A", "B"), 0.9), (("B", "good"), 0.0)])
def test_gates(pair: tuple[str, str], margin: float) -> None:
    """Outcome, counts and the row that decided follow from the differences by topic."""
    base, candidate = pair
    runs = {base: RUNS[base]}, {candidate: RUNS[candidate]}
    result = quietly(lambda: diveval.gate(TRUTH, *runs, METRICS, margin=margin))
    assert len(result.statements) == 1
    verify(result.statements, pair=pair, margin=margin)


# Kinds whose facts are counted again beside the tests of their commands: test_pool_audit, test_board, test_panel.
ELSEWHERE = {"pool-effect", "board", "panel-labels", "panel-order"}


def test_every_kind_of_judging_has_a_check() -> None:
    """A new kind of sentence in `diveval.judging` without a check here or in the files named above fails."""
    for name in ("boards", "panel", "pool_audit"):
        importlib.import_module(f"diveval.judging.{name}")
    kinds = {kind for kind, wording in declared._WORDINGS.items() if wording.__module__.startswith("diveval.judging")}
    assert kinds == set(CHECKS) | ELSEWHERE
