"""Output in other tools' formats, for cases that the real files do not cover."""

from __future__ import annotations

from typing import Any

import numpy as np

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.metrics import parse
from diveval.results.printouts import evall_text, gdeval_text, ndeval_columns, ndeval_text, trec_text
from diveval.results.scores import Scores
from support.refusals import refuses, warns


def example(*names: Any, **choices: Any) -> Any:
    """Three judged topics, the third without a relevant document; a run with two of them and an unjudged one."""
    judgments = Judgments.from_rows([("2", "0", "a", 1), ("10", "0", "a", 1), ("11", "0", "a", 0)])
    run = Run.from_rows([(topic, "a", 1.0) for topic in ("2", "7", "11")], name="mine")
    with warns("missing-topics", "1", "3"):
        return evaluate(judgments, run, list(names), **choices), list(run.topics)


def test_the_21_columns_have_canonical_names() -> None:
    """ndeval's 21 columns are named as the metrics parse, for any α and β."""
    for columns in (ndeval_columns(), ndeval_columns(alpha=0.1, beta=0.8)):
        assert len(columns) == 21
        assert [parse(name).name for name in columns] == columns


def test_ndeval_prints_unjudged_topics_as_zeros() -> None:
    """Topics are sorted as numbers, and without -c the mean is over the two topics in both files."""
    scores, topics = example("ndeval.strec@5", "ndeval.NRBP", missing_topics="skip")
    assert ndeval_text(scores, run="mine", topics=topics, runid="tag").splitlines() == [
        "runid,topic,strec@5,NRBP",
        "tag,2,1.000000,0.750000",
        "tag,7,0.000000,0.000000",
        "tag,11,0.000000,0.000000",
        "tag,amean,0.500000,0.375000",
    ]


def test_ndeval_prints_nan_as_c_does() -> None:
    """nNRBP of a topic without a relevant document, and its mean, are printed as -nan."""
    scores, topics = example("ndeval.nNRBP")
    lines = ndeval_text(scores, run="mine", topics=topics).splitlines()
    assert lines[-2:] == ["mine,11,-nan", "mine,amean,-nan"]


def test_missing_topics_as_zero_equals_option_c() -> None:
    """The mean is over all judged topics, and the rows are those of the run."""
    scores, topics = example("ndeval.strec@5", "gdeval.ERR@20", missing_topics="zero")
    assert ndeval_text(scores, run="mine", topics=topics, metrics=["ndeval.strec@5"]).splitlines()[-1] == (
        "mine,amean,0.333333"
    )
    lines = gdeval_text(scores, run="mine", topics=topics, metrics=["gdeval.ERR@20"]).splitlines()
    assert lines == ["runid,topic,err@20", "mine,2,0.06250", "mine,amean,0.03125"]


def test_other_metrics_are_printed_under_their_full_name() -> None:
    """A name with a comma is quoted, so that the output stays valid CSV."""
    scores, topics = example("ndeval.strec@5", "RBU(p=0.99,e=0.05)@20")
    assert ndeval_text(scores, run="mine", topics=topics).splitlines()[0] == (
        'runid,topic,strec@5,"RBU(p=0.99,e=0.05)@20"'
    )


def test_trec_eval_sums_counts_and_averages_the_rest() -> None:
    """Topics are in byte order, names are padded to 22, `all` is last, and counts are integers."""
    scores, _ = example("trec_eval.num_ret", "trec_eval.map", "trec_eval.P_5", "RR", missing_topics="skip")
    assert trec_text(scores, run="mine").splitlines() == [
        "num_ret               \t11\t1",
        "map                   \t11\t0.0000",
        "P_5                   \t11\t0.0000",
        "RR                    \t11\t0.0000",
        "num_ret               \t2\t1",
        "map                   \t2\t1.0000",
        "P_5                   \t2\t0.2000",
        "RR                    \t2\t1.0000",
        "num_ret               \tall\t2",
        "map                   \tall\t0.5000",
        "P_5                   \tall\t0.1000",
        "RR                    \tall\t0.5000",
    ]
    assert len(trec_text(scores, run="mine", per_topic=False).splitlines()) == 4


def test_means_are_summed_sequentially() -> None:
    """A sequential sum of doubles is just below 0.34375, so trec_eval prints 0.3437 and not 0.3438."""
    values = np.array([0.4] * 13 + [0.1] * 3).reshape(1, 1, 16)
    topics = [f"{i:02d}" for i in range(16)]
    scores = Scores.of(values, runs=["r"], metrics=["trec_eval.P_10"], topics=topics)
    assert f"{scores.means[0, 0]:.4f}" == "0.3438"
    assert trec_text(scores, run="r", per_topic=False) == "P_10                  \tall\t0.3437\n"


def test_the_evall_report_has_a_dash_for_unjudged_topics() -> None:
    """The report has the program's header, quoted columns, four digits, and every judged topic."""
    scores, _ = example("evall.RBU(p=0.8,e=0.03)")
    text = evall_text(scores, run="mine", source="runs/mine", unjudged_topics=["7"])
    assert text.splitlines()[18:] == [
        '"Test Case"\t"RBU"',
        '"2"\t"0.0940"',
        '"10"\t"0.0000"',
        '"11"\t"-0.0060"',
        '"7"\t"-"',
    ]
    assert all(line.startswith("#") for line in text.splitlines()[:18])
    assert "#\t\t\t• runs/mine\n" in text


def test_a_run_without_scores_is_named() -> None:
    """An unknown run is refused with the most similar name."""
    scores, topics = example("ndeval.strec@5")
    with refuses("unknown-run"):
        ndeval_text(scores, run="mime", topics=topics)
