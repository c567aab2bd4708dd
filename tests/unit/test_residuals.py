"""Residuals, repeated documents, the order that other tools use, and topics too large for memory."""

from __future__ import annotations

import tracemalloc
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run
from diveval.metrics import parse
from diveval.setting_table import Ties
from diveval.settings import Options, OrderRule
from support.present import present
from support.refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@settings(max_examples=40, deadline=None)
@given(
    documents=st.lists(st.sampled_from("abcdxyz"), min_size=1, max_size=12), rule=st.sampled_from(["first", "blank"])
)
def test_the_residual_of_a_run_with_repeated_documents(documents: list[str], rule: Literal["first", "blank"]) -> None:
    """Value plus residual is the value with unjudged documents relevant at their first rank; repeats follow the rule."""
    judged = {"a": 1, "b": 0, "c": 1}
    run = Run.from_rows([("1", d, float(-i)) for i, d in enumerate(documents)], name="r")
    names = ["P@5", "RR", "DCG"]
    scores = evaluate({"1": {"t": judged}}, run, names, duplicates=rule, gain="binary", residuals=True)
    seen: set[str] = set()
    rows = []
    for document in documents:
        if document in seen:
            rows += [[0.0]] if rule == "blank" else []
        else:
            rows.append([float(judged.get(document, 1))])
        seen.add(document)
    for m, name in enumerate(names):
        assert scores.values[0, m, 0] + scores.values[0, m + 3, 0] == pytest.approx(parse(name)(rows))


def test_a_ranking_records_the_ranks_of_repeats() -> None:
    """The ranks of repeated documents are in each topic's ranking and in columns built from such rankings."""
    judgments = Judgments.from_rows([("1", "t", "a", 1), ("2", "t", "a", 1)])
    run = Run.from_rows([("1", d, float(-i)) for i, d in enumerate("axaxa")] + [("2", "a", 1.0)])
    ranked = rank(judgments, run, OrderRule(), duplicates="blank")
    assert present(ranked.topics["1"].blanks).tolist() == [3, 4, 5]
    again = type(ranked.columns(judgments)).of([ranked.topics["1"], ranked.topics["2"]])
    assert (present(again.blank_starts).tolist(), present(again.blanks).tolist()) == ([0, 3, 3], [3, 4, 5])


@pytest.mark.parametrize("ties", ["docno-asc", "docno-desc", "file"])
def test_ties_change_nothing_for_tools_that_use_the_file_or_the_rank(ties: Ties) -> None:
    """`ties` changes no value of tools that use the order of the file or the rank; it changes ours."""
    judgments = {"1": {"t": {"a": 1, "c": 1}}}
    run = Run.from_rows([("1", d, 1.0) for d in "bac"])
    names = ["cwl.RR", "ntcireval.D_nDCG@2", "evall.RBU", "dd.ERR", "crux.Cov@1"]
    assert (evaluate(judgments, run, names, ties=ties).values == evaluate(judgments, run, names).values).all()
    assert (
        evaluate(judgments, run, "RR", ties=ties).values.item()
        == {"docno-asc": 1.0, "docno-desc": 1.0, "file": 0.5}[ties]
    )


def test_a_topic_too_large_for_memory_is_refused() -> None:
    """14,000 aspects × 14,000 documents are an error, with the option to allow them, before the arrays are allocated."""
    judgments = Judgments.from_rows([("1", f"a{i}", f"d{i}", 1) for i in range(14_000)])
    run = Run.from_rows([("1", "d1", 1.0)])
    tracemalloc.start()
    with refuses("topic-too-large", "14000", "×", "6.3", "GB", "--largest-topic", "196000000"):
        evaluate(judgments, run, ["alpha_nDCG@20", "RBU"])
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    small = Judgments.from_rows([("1", f"a{i}", f"d{i}", 1) for i in range(20)])
    with refuses("topic-too-large", "--largest-topic", "400"):
        evaluate(small, run, "RBU", largest_topic=399)
    assert np.isfinite(evaluate(small, run, "RBU", largest_topic=400).values).all()
    for wrong, code in ((0, "out-of-range"), (1.5, "out-of-range"), (True, "not-a-number"), ("9", "not-a-number")):
        with refuses(code, "largest_topic", 1):
            Options(largest_topic=wrong)  # type: ignore[arg-type]
