"""Runs that are nearly the same, against the definition in plain Python and the attacks that made two files differ."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.analysis.overlap import CLOSE, find_close_pairs
from support.shared import times

LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def average_overlap(one: Sequence[str], two: Sequence[str], depth: int) -> float:
    """The definition: the mean over d of |first d of both| / d, down to the longer list."""
    one, two = one[:depth], two[:depth]
    end = max(len(one), len(two))
    return sum(len({*one[:d]} & {*two[:d]}) / d for d in range(1, end + 1)) / end


@given(st.lists(st.tuples(LISTS, LISTS, LISTS), min_size=1, max_size=3), st.integers(1, 9))
@settings(max_examples=times(60, 1000), deadline=None)
def test_overlap_is_its_definition(topics: list[tuple[list[str], list[str], list[str]]], depth: int) -> None:
    """The mean over the topics that either run has, for every pair of runs."""
    runs = {name: {str(t): one[i] for t, one in enumerate(topics) if one[i]} for i, name in enumerate("xyz")}
    found = {(pair.first, pair.second): pair for pair in find_close_pairs(runs, depth=depth, least=0.0)}
    for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
        either = [t for t in map(str, range(len(topics))) if t in runs[a] or t in runs[b]]
        if not either:
            assert (a, b) not in found
            continue
        values = [average_overlap(runs[a].get(t, []), runs[b].get(t, []), depth) for t in either]
        assert found[a, b].overlap == pytest.approx(sum(values) / len(values), abs=1e-6)
        same = [t for t in either if runs[a].get(t, [])[:depth] == runs[b].get(t, [])[:depth]]
        assert (found[a, b].identical, found[a, b].topics) == (len(same), len(either))


CUTS = ("cut to ten", "most topics", "own ones in front", "most topics copied")


@pytest.mark.parametrize(
    "attack", ["nothing", "one line dropped", "first of each topic dropped", "neighbours swapped", *CUTS]
)
def test_a_copy_is_found_whatever_was_changed(attack: str) -> None:
    """A copy with a line less, without its first documents or with swapped neighbours is close; another system is not."""
    draws = random.Random(1)
    base = {str(t): [f"d{n}" for n in range(60)] for t in range(10)}
    copy = {topic: list(documents) for topic, documents in base.items()}
    if attack == "one line dropped":
        del copy["3"][0]
    for documents in copy.values():
        if attack.startswith("first"):
            del documents[0]
        if attack.startswith("neighbours"):
            for place in range(0, 60, 2):
                documents[place : place + 2] = reversed(documents[place : place + 2])
    if attack == "cut to ten":
        copy = {topic: documents[:10] for topic, documents in copy.items()}
    if attack == "most topics":
        copy = {topic: copy[topic] for topic in list(copy)[:6]}
    if attack == "own ones in front":
        copy = {topic: ["x", "y", "z", *documents] for topic, documents in copy.items()}
    if attack == "most topics copied":
        copy |= {topic: draws.sample(copy[topic], 60) for topic in list(copy)[6:]}
    other = {topic: draws.sample(documents, 60) for topic, documents in base.items()}
    (pair,) = find_close_pairs({"base": base, "copy": copy, "other": other})
    assert (pair.first, pair.second) == ("base", "copy")
    assert max(pair.overlap, pair.common) >= CLOSE or pair.identical * 2 > pair.topics
    assert attack in CUTS or pair.overlap >= CLOSE


@given(LISTS, LISTS)
@settings(max_examples=times(60, 1000), deadline=None)
def test_the_common_part_is_its_definition(one: list[str], two: list[str]) -> None:
    """The share of the shorter list in the other, times the overlap of both lists without other documents."""
    same = {"2": ["a"], "3": ["a"]}
    found = find_close_pairs({"x": {"1": one, **same}, "y": {"1": two, **same}}, least=0.0)
    topics = [([*one], [*two])] * bool(one and two) + [(["a"], ["a"])] * 2
    values = []
    for x, y in topics:
        of_x, of_y = [d for d in x if d in y], [d for d in y if d in x]
        values.append(average_overlap(of_x, of_y, 50) * len(of_x) / min(len(x), len(y)) if of_x else 0.0)
    assert found[0].common == pytest.approx(sum(values) / len(values), abs=1e-6)
