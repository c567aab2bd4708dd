"""Pools: which documents, what judgments cover, and what leaving a group's own documents out does, against brute force."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.judging.pools import audit_pool, build_pool, find_own_documents, order_by_effect, top_documents
from diveval.metrics.names import parse
from diveval.settings import Options, OrderRule
from support.shared import times

RULE = OrderRule()
GROUPS = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}


def collection(seed: int) -> tuple[Judgments, dict[str, Run], list[tuple[str, str, str, float]]]:
    """Two topics with up to three aspects, and four runs of three groups over twelve documents, with equal scores."""
    draws = random.Random(seed)
    rows = []
    for topic in ("1", "2"):
        for number in range(12):
            if draws.random() < 0.7:
                for aspect in range(1, draws.randint(2, 4)):
                    rows.append((topic, str(aspect), f"d{number:02d}", float(draws.randint(0, 2))))
    rows.append(("1", "1", "dx", 2.0))
    rows.append(("2", "1", "dx", 2.0))
    runs = {}
    for name in GROUPS:
        lines = []
        for topic in ("1", "2"):
            for number in draws.sample(range(12), draws.randint(1, 9)):
                lines.append((topic, f"d{number:02d}", float(draws.randint(0, 5))))
        runs[name] = Run.from_rows(lines, name=name)
    return Judgments.from_rows(rows), runs, rows


def first(run: Run, topic: str, depth: int) -> list[str]:
    """The first documents by the default order, in plain Python: score, then id, both descending."""
    if topic not in run.topics:
        return []
    lines = run.topics[topic]
    assert lines.scores is not None
    pairs = sorted(zip(lines.scores.tolist(), lines.documents, strict=True), reverse=True)
    return [document for _, document in pairs[:depth]]


@given(st.integers(0, 10**6), st.integers(1, 6))
@settings(max_examples=times(25, 400), deadline=None)
def test_a_pool_is_the_union_of_first_documents(seed: int, depth: int) -> None:
    """Each pooled document has its best rank and the number of runs that have it there; better ranks come first."""
    _, runs, _ = collection(seed)
    expected: dict[tuple[str, str], list[int]] = {}
    for run in runs.values():
        for topic in ("1", "2"):
            for rank, document in enumerate(first(run, topic, depth), 1):
                expected.setdefault((topic, document), []).append(rank)
    pooled = build_pool(runs.values(), RULE, depth)
    assert {(one.topic, one.document): (one.rank, one.runs) for one in pooled} == {
        pair: (min(ranks), len(ranks)) for pair, ranks in expected.items()
    }
    assert [one.rank for one in pooled] == sorted(one.rank for one in pooled)


def test_a_repeated_document_counts_once() -> None:
    """A list that repeats a document contributes as many different documents as the depth."""
    run = Run.from_rows([("1", "d1", 9.0), ("1", "d1", 8.0), ("1", "d2", 7.0), ("1", "d3", 6.0)])
    assert top_documents(run, RULE, 2) == {"1": ["d1", "d2"]}


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(["alpha_nDCG@5", "RBU(p=0.9,e=0.02)@5", "nDCG@5"]))
@settings(max_examples=times(15, 300), deadline=None)
def test_the_audit_agrees_with_judgments_that_were_never_made(seed: int, depth: int, metric: str) -> None:
    """Coverage is the mean share of judged first documents; a run's second score is that with the lines of its own documents deleted."""
    judgments, runs, rows = collection(seed)
    judged = {(topic, document) for topic, _, document, _ in rows}
    tops = {name: {(t, d) for t in ("1", "2") for d in first(run, t, depth)} for name, run in runs.items()}
    coverage, effects = audit_pool(judgments, runs, GROUPS, parse(metric), Options.of(gmax=2.0), depth)
    for run, share in coverage.items():
        shown = [[pair for pair in tops[run] if pair[0] == topic] for topic in dict.fromkeys(row[0] for row in rows)]
        shares = [sum(pair in judged for pair in own) / max(len(own), 1) for own in shown]
        assert share == pytest.approx(sum(shares) / len(shares))
    for effect in effects:
        others = set().union(*(tops[name] for name, group in GROUPS.items() if group != effect.group))
        mine = set().union(*(tops[name] for name, group in GROUPS.items() if group == effect.group))
        own = (mine & judged) - others
        assert effect.documents == len(own)
        # A weight of an aspect that loses its documents stays: it is given, and uniform over the aspects as judged.
        names = {(t, a) for t, a, _, _ in rows}
        counts = {t: sum(topic == t for topic, _ in names) for t, _ in names}
        weights = {(t, a): 1.0 / counts[t] for t, a in names}
        kept = [row for row in rows if (row[0], row[2]) not in own]
        rest = Judgments.from_rows(kept).with_unjudged({t: [a for u, a in names if u == t] for t in ("1", "2")})
        again = evaluate(rest, {effect.run: runs[effect.run]}, metric, weights=weights, gmax=2.0)
        whole = evaluate(judgments, {effect.run: runs[effect.run]}, metric, gmax=2.0)
        assert effect.value == pytest.approx(whole.mean()[effect.run][parse(metric).name], abs=1e-12)
        assert effect.without == pytest.approx(again.mean()[effect.run][parse(metric).name], abs=1e-12)


def test_a_group_alone_owns_what_only_its_runs_have() -> None:
    """A document that two runs of one group share is the group's own; one that two groups share is nobody's."""
    from diveval.scoring.evaluate import rank_all

    judgments = Judgments.from_rows([("1", "1", name, 1.0) for name in ("x", "y", "z")])
    lines = {"a1": "xy", "a2": "x", "b1": "yz", "c1": "q"}
    runs = {
        name: Run.from_rows([("1", d, 9.0 - i) for i, d in enumerate(text)], name=name) for name, text in lines.items()
    }
    metric = parse("nDCG@5")
    (rankings,) = rank_all(judgments, runs, [metric], Options(), keep_documents=False).values()
    own = find_own_documents(judgments, list(rankings), GROUPS, 5)
    assert own == {"a": {"1": ["x"]}, "b": {"1": ["z"]}, "c": {}}


def test_the_order_by_effect_is_that_of_conclusions() -> None:
    """Documents come in the order of `to_judge`, those without an effect after them in their own order."""
    from diveval.conclusions.all_pairs import conclude

    judgments, runs, _ = collection(7)
    pooled = build_pool(runs.values(), RULE, 9)
    listed = conclude(judgments, list(runs.values()), "RBU(p=0.9,e=0.02)@5", unjudged="any", worth=True).to_judge
    order = order_by_effect(pooled, judgments, list(runs.values()), "RBU(p=0.9,e=0.02)@5", Options())
    worthy = [(one.topic, one.document) for one in listed]
    got = [(one.topic, one.document) for one in order]
    assert worthy
    assert got[: len(worthy)] == [pair for pair in worthy if pair in got]
    rest = [(one.topic, one.document) for one in pooled if (one.topic, one.document) not in worthy]
    assert got[len(worthy) :] == rest
