"""Reading a table of scores: equal to what was scored, and one clear line for whatever is off."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.errors import InputError
from diveval.meta import read_scores
from support.wording import says

HEADER = "run,metric,topic,value\n"


def test_what_evaluate_writes_is_read_to_the_last_bit(small: Any, tmp_path: Path) -> None:
    """Names with commas, full doubles, means left out."""
    scores = evaluate(small.judgments, small.runs, ["RBU(p=0.9,e=0.05)", "alpha_nDCG@10"])
    scores.to_csv(tmp_path / "s.csv")
    read = read_scores(tmp_path / "s.csv")
    assert (read.runs, read.metrics, read.topics) == (scores.runs, scores.metrics, scores.topics)
    assert np.array_equal(read.values, scores.values) and read.counted.all()


def test_columns_may_stand_in_any_order_and_the_file_may_be_packed(tmp_path: Path) -> None:
    """The header says which is which; more columns do no harm."""
    path = tmp_path / "s.csv.gz"
    path.write_bytes(gzip.compress(b"value,topic,run,note,metric\n0.5,1,A,x,m\n0.25,1,B,,m\n9,all,B,,m\n"))
    assert read_scores(path).values.tolist() == [[[0.5]], [[0.25]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "A,m,1,1\nA,m,2,1\nB,m,1,1\n", "run 'B', metric 'm', topic '2' has no value"),
        (HEADER + "A,m,1,1\nA,m,1,2\n", "run 'A', metric 'm', topic '1' has two values"),
        (HEADER + "A,m,1,nan\n", ":2: expected a value, a finite number, got 'nan'"),
        (HEADER + "A,m,1\n", ":2: expected 4 columns"),
        (HEADER + "A,m,all,1\n", "contains no score of a topic"),
        ("run,topic,score\nA,1,1\n", ":1: expected the header run,metric,topic,value"),
        ("", "expected the header run,metric,topic,value, got ''"),
    ],
)
def test_what_is_off_is_said_in_one_line(tmp_path: Path, text: Any, message: str) -> None:
    """Which cell or line, and what was expected."""
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError) as error:
        read_scores(tmp_path / "s.csv")
    assert says(message, str(error.value)) and "\n" not in str(error.value)
