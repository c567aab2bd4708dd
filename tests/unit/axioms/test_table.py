"""Most cells of the whole matrix, and every case behind them, against what is written down."""

from fractions import Fraction as F

import plain
import pytest
import table

from diveval.axioms import check
from diveval.axioms.paper import ROWS
from diveval.axioms.subjects import subject

CELLS = table.cells()
QUESTIONS = set(table.QUESTIONS.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("metric", [*ROWS, *table.SETTINGS])
def test_verdicts_are_those_written_down(metric):
    """Verdict, region, proof and notes; a counterexample breaks the plain metric as well, with the scores it tells."""
    mine = [cell for cell in CELLS if cell["metric"] == subject(metric).name]
    assert mine
    for cell in mine:
        with table.listening() as asked:
            verdict = check(metric, cell["axiom"], reading=cell["reading"])
        assert table.told(verdict) == cell
        if verdict.verdict == "holds":  # a proof from other premises, or of another claim, is another proof
            assert asked <= QUESTIONS, cell
        example = verdict.counterexample
        if example is not None and metric in ROWS:  # the plain metrics are those of the rows
            scores = [
                plain.score(metric, rows, example.weights, example.pool, example.cutoff, dict(example.setting))
                for rows in (example.better, example.worse)
            ]
            assert scores[0] <= scores[1] if example.strict else scores[0] < scores[1], cell
            assert all(
                abs(F(text) - score) <= F(1, 10**6) for text, score in zip(example.decimals, scores, strict=True)
            )


def test_cases_are_those_written_down():
    """Rankings, weights and premises of each case, in the order they are asked."""
    assert list(table.cases()) == table.CASES.read_text(encoding="utf-8").splitlines()
