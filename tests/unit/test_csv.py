"""The CSV of scores equals the output of Python's csv module for the same rows."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.results.scores import Scores
from diveval.results.tables import csv_text

NAMES = st.lists(st.text(st.sampled_from("ab,\"\t\n\r #'é"), max_size=4), min_size=1, max_size=4, unique=True)


def written(scores: Scores, separator: str) -> str:
    """The CSV of scores by csv.writer."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(["run", "metric", "topic", "value"])
    writer.writerows([run, metric, topic, repr(value)] for run, metric, topic, value in scores.rows())
    return stream.getvalue()


@settings(deadline=None)
@given(runs=NAMES, metrics=NAMES, topics=NAMES, data=st.data(), separator=st.sampled_from(",\t"))
def test_csv_equals_the_output_of_the_csv_module(
    runs: Any, metrics: Any, topics: Any, data: Any, separator: Any
) -> None:
    """Equal for names with separators, quotes and line ends, empty names, values of any size, and topics left out."""
    import numpy as np

    shape = (len(runs), len(metrics), len(topics))
    size = int(np.prod(shape))
    values = data.draw(st.lists(st.floats(allow_nan=True), min_size=size, max_size=size))
    counted = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    finite = np.nan_to_num(np.array(values), posinf=1e300, neginf=-1e300) / 16
    scores = Scores.of(
        finite.reshape(shape), runs=runs, metrics=metrics, topics=topics, counted=np.array(counted).reshape(shape)
    )
    assert csv_text(scores, per_topic=True, separator=separator) == written(scores, separator)


@settings(deadline=None, max_examples=200)
@given(
    values=st.lists(st.one_of(st.floats(1e-5, 11), st.floats(0, 1), st.integers(0, 4096).map(lambda n: n / 2048))),
    digits=st.integers(1, 17),
)
def test_the_compiled_writer_prints_numbers_as_repr_does(values: Any, digits: int) -> None:
    """The compiled writer prints scores, their neighbours and rounded scores as repr and the Python writer do."""
    import numpy as np

    every = np.array([w for v in values for w in (v, np.nextafter(v, 99), np.nextafter(v, -99), round(v, digits), -v)])
    scores = Scores.of(every.reshape(1, 1, -1), runs=["r"], metrics=["m"], topics=[str(i) for i in range(len(every))])
    text = csv_text(scores, per_topic=True)
    assert [line.rsplit(",", 1)[1] for line in text.splitlines()[1:-1]] == [repr(v) for v in every.tolist()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVEVAL_PLAIN_READER", "1")
        assert csv_text(scores, per_topic=True) == text
