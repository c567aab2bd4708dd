"""The existential constraints under single settings, given r_c, padding and cutoffs."""

import json

import pytest
import thresholds

LINES = [json.loads(line) for line in thresholds.THRESHOLDS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("metric", list(dict.fromkeys(line["asked"] for line in LINES)))
def test_thresholds_are_those_written_down(metric):
    """Verdict, region with its numbers, proof and the pair that comes closest."""
    for line in LINES:
        if line["asked"] == metric:
            assert thresholds.answer(metric, line["axiom"], line["reading"]) == line
