"""Reading a table of scores: equal to the scores written, and one-line errors."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.meta import read_scores
from support.refusals import refuses

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
    ("text", "refusal"),
    [
        (HEADER + "A,m,1,1\nA,m,2,1\nB,m,1,1\n", ("missing-score", "B", "m", "2")),
        (HEADER + "A,m,1,1\nA,m,1,2\n", ("duplicate-score", "A", "m", "1")),
        (HEADER + "A,m,1,nan\n", ("not-a-number", "nan", "2")),
        (HEADER + "A,m,1\n", ("wrong-columns", "2", "4")),
        (HEADER + "A,m,all,1\n", ("empty-input",)),
        ("run,topic,score\nA,1,1\n", ("wrong-header", "1", "run,metric,topic,value")),
        ("", ("wrong-header", "run,metric,topic,value")),
    ],
)
def test_an_invalid_file_is_a_one_line_error(tmp_path: Path, text: Any, refusal: tuple[str, ...]) -> None:
    """The error names the cell or the line and what was expected."""
    (tmp_path / "s.csv").write_text(text)
    with refuses(*refusal):
        read_scores(tmp_path / "s.csv")
