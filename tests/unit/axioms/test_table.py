"""Every case the engine looks at, and every decision it comes to, against what is written down."""

from fractions import Fraction as F
from itertools import groupby

import plain
import pytest
import recorded
import table

from diveval.axioms.paper import ROWS

KNOWN = recorded.load()
DECISIONS, DOUBTS = recorded.lines(recorded.DECISIONS), recorded.lines(recorded.DOUBTS)
TRUTH = {tuple(line["asked"]): line for line in DECISIONS}


def few_at_once(lines):
    """In the order of the file, those of one metric and axiom together: mutants meet the quick ones first."""
    return [pytest.param(list(mine), id=name) for name, mine in groupby(lines, lambda line: " ".join(line["asked"][:2]))]


@pytest.mark.parametrize("lines", few_at_once(DECISIONS))
def test_decisions_are_those_written_down(lines):
    """To the last word, and by the same questions. A counterexample breaks the plain metric as well."""
    for line in lines:
        said, verdict = recorded.decided(line["asked"], KNOWN)
        assert said == line, f"{verdict.to_json()}\n{verdict}"
        example, metric = verdict.counterexample, line["asked"][0]
        if example is not None and metric in ROWS:  # the plain metrics are those of the rows
            scores = [
                plain.score(metric, rows, example.weights, example.pool, example.cutoff, dict(example.setting))
                for rows in (example.better, example.worse)
            ]
            assert scores[0] <= scores[1] if example.strict else scores[0] < scores[1], line
            assert all(
                abs(F(text) - score) <= F(1, 10**6) for text, score in zip(example.decimals, scores, strict=True)
            )


@pytest.mark.parametrize("lines", few_at_once(DOUBTS))
def test_doubts_lead_where_it_is_written(lines):
    """Without some answers of the solver nothing is claimed that is not so."""
    for line in lines:
        said, verdict = recorded.decided(line["asked"], KNOWN)
        assert said == line, f"{verdict.to_json()}\n{verdict}"
        *question, doubt = line["asked"]
        if not doubt.startswith("false"):
            assert said["verdict"] in ("unknown", TRUTH[tuple(question)]["verdict"]), line


def test_the_whole_matrix_is_the_one_written_down(whole):
    """All 400 cells at once, as z3 and several processes decide them."""
    for verdict in whole[0]:
        line = TRUTH[verdict.metric, verdict.axiom, verdict.reading]
        assert recorded.told(verdict).items() <= line.items(), verdict


def test_cases_are_those_written_down():
    """Rankings, weights and premises of each case, in the order they are asked."""
    assert list(table.cases()) == table.CASES.read_text(encoding="utf-8").splitlines()
