"""Reading a table of scores: equal to the scores written, and one-line errors."""

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


def test_scores_are_read_back_exactly(small: Any, tmp_path: Path) -> None:
    """Names with commas and full doubles are read back; means are left out."""
    scores = evaluate(small.judgments, small.runs, ["RBU(p=0.9,e=0.05)", "alpha_nDCG@10"])
    scores.to_csv(tmp_path / "s.csv")
    from_file = read_scores(tmp_path / "s.csv")
    assert (from_file.runs, from_file.metrics, from_file.topics) == (scores.runs, scores.metrics, scores.topics)
    assert np.array_equal(from_file.values, scores.values) and from_file.counted.all()


def test_columns_in_any_order_and_compressed_files_are_read(tmp_path: Path) -> None:
    """The header names the columns, and additional columns are ignored."""
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
def test_an_invalid_file_is_a_one_line_error(tmp_path: Path, text: Any, message: str) -> None:
    """The error names the cell or the line and what was expected."""
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError) as error:
        read_scores(tmp_path / "s.csv")
    assert says(message, str(error.value)) and "\n" not in str(error.value)
