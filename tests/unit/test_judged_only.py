"""`judged_only`: lists are scored without their unjudged documents, by every metric, with a warning that says how many."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval import recommend
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.errors import capture_warnings
from support.drawn import draw
from support.refusals import refuses

METRICS = ["RBU(p=0.9,e=0.01)@3", "α-nDCG@5", "ERR-IA", "P@2", "NRBP"]


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_runs_from_which_unjudged_documents_were_deleted(seed: int, tmp_path: Path) -> None:
    """By a table, by a file and by a compiled scan alike: deleting them beforehand gives the same scores and setup."""
    drawn = draw(seed, aspects=3)
    judged = {(topic, document) for topic, _, document, _ in drawn.judgments}
    kept = [row for row in drawn.run if (row[0], row[1]) in judged]
    judgments = Judgments.from_rows(drawn.judgments)
    path = tmp_path / "x.run"
    path.write_text("".join(f"{t} Q0 {d} {i} {s!r} x\n" for i, (t, d, s) in enumerate(drawn.run, 1)), encoding="utf-8")
    with capture_warnings():
        before = diveval.evaluate(judgments, Run.from_rows(kept), METRICS, order="score")
        for run in (Run.from_rows(drawn.run), path):
            after = diveval.evaluate(judgments, run, METRICS, judged_only=True, order="score")
            for t, topic in enumerate(after.topics):
                if topic in {row[0] for row in kept}:  # a list of unjudged documents is empty, not missing
                    np.testing.assert_array_equal(
                        after.values[0, :, t], before.values[0, :, before.topics.index(topic)]
                    )
            whole = diveval.evaluate(judgments, run, METRICS, order="score")
            assert list(after.setup.judged.values()) == list(whole.setup.judged.values())


def test_it_equals_the_parameter_of_trec_evals_measures() -> None:
    """`judged_only=yes` of a measure, which is tested against trec_eval -J, has the same bits as the option."""
    names = ["map", "ndcg", "P_5", "bpref", "Rprec", "recip_rank", "num_ret"]
    for seed in range(5):
        drawn = draw(seed, aspects=1)  # trec_eval takes a grade below 0 for unjudged
        judgments, run = Judgments.from_rows(drawn.judgments), Run.from_rows(drawn.run)
        with capture_warnings():
            by_option = diveval.evaluate(judgments, run, [f"trec_eval.{n}" for n in names], judged_only=True)
            by_measure = diveval.evaluate(judgments, run, [f"trec_eval.{n}(judged_only=yes)" for n in names])
        np.testing.assert_array_equal(by_option.values, by_measure.values)


def test_the_warning_says_how_many_documents_were_removed() -> None:
    """Two of three documents of one run and none of the other; without an unjudged document there is no warning."""
    judgments = {"1": {"a": {"d1": 1, "d2": 0}}}
    runs = {"A": {"1": ["x", "d1", "y"]}, "B": {"1": ["d2", "d1"]}}
    with capture_warnings() as notes:
        scores = diveval.evaluate(judgments, runs, "RR@10", judged_only=True)
    (note,) = [note for note in notes if note.code == "unjudged-removed"]
    assert re.findall(r"\d+\.?\d*", note.message) == ["0", "66.7"] and " A" in note.message
    assert scores.values[:, 0, 0].tolist() == [1.0, 0.5]
    assert scores.setup.judged == {"A": pytest.approx(1 / 3), "B": 1.0}
    with capture_warnings() as notes:
        diveval.evaluate(judgments, {"B": runs["B"]}, "RR@10", judged_only=True)
    assert not notes


def test_a_run_without_a_judged_document_is_still_reported() -> None:
    """Its lists become empty, which is not the same as a run that has no documents."""
    with capture_warnings() as notes:
        diveval.evaluate({"1": {"a": {"d1": 1}}}, {"1": ["x", "y"]}, "RR@10", judged_only=True)
    assert {note.code for note in notes} == {"no-judged-document", "unjudged-removed"}


def test_analyses_of_unjudged_documents_refuse_it() -> None:
    """Residuals, labels of unjudged documents and lists of recommendations need the documents that it removes."""
    judgments = {"1": {"a": {"d1": 1}}, "2": {"a": {"d1": 1}}}
    runs: Any = {"A": {"1": ["x", "d1"], "2": ["d1"]}, "B": {"1": ["d1"], "2": ["y"]}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with refuses("conflicting-options", "judged_only"):
            diveval.evaluate(judgments, runs, "RBU@5", judged_only=True, residuals=True)
        with refuses("conflicting-options", "judged_only"):
            diveval.conclude(judgments, runs, "RBU@5", unjudged="any", judged_only=True)
        with refuses("conflicting-options", "judged_only"):
            recommend.evaluate({"u": {"i": 5}}, {"u": ["i", "j"]}, "CatalogueCoverage@2", judged_only=True)
