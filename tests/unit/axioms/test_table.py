"""The cells of the whole matrix, and every case behind them, against what is written down."""

import os
from fractions import Fraction as F

import plain
import pytest
import table

from diveval.axioms import check
from diveval.axioms.paper import ROWS
from diveval.axioms.subjects import subject

CELLS, SLOW_CELLS = table.cells(table.CELLS), table.cells(table.SLOW_CELLS)
QUESTIONS, SLOW_QUESTIONS = (
    set(path.read_text(encoding="utf-8").splitlines()) for path in (table.QUESTIONS, table.SLOW_QUESTIONS)
)


def decided(metric, cell):
    """One cell decided again, and held to what is written: verdict, region, proof, notes and what z3 was asked."""
    with table.listening() as asked:
        verdict = check(metric, cell["axiom"], reading=cell["reading"])
    assert table.told(verdict) == cell
    if verdict.verdict == "holds":  # a proof from other premises, or of another claim, is another proof
        assert {table.digest(question) for question in asked - QUESTIONS} <= SLOW_QUESTIONS, cell
    return verdict.counterexample


@pytest.mark.parametrize("metric", [*ROWS, *table.SETTINGS])
def test_verdicts_are_those_written_down(metric):
    """A counterexample breaks the plain metric as well, with the scores it tells."""
    mine = [cell for cell in CELLS if cell["metric"] == subject(metric).name]
    assert mine
    for cell in mine:
        example = decided(metric, cell)
        if example is not None and metric in ROWS:  # the plain metrics are those of the rows
            scores = [
                plain.score(metric, rows, example.weights, example.pool, example.cutoff, dict(example.setting))
                for rows in (example.better, example.worse)
            ]
            assert scores[0] <= scores[1] if example.strict else scores[0] < scores[1], cell
            assert all(
                abs(F(text) - score) <= F(1, 10**6) for text, score in zip(example.decimals, scores, strict=True)
            )


@pytest.mark.parametrize(
    "cell",
    SLOW_CELLS if "DIVEVAL_SLOW_CELLS" in os.environ else [],
    ids=lambda cell: f"{cell['metric']}-{cell['axiom']}-{cell['reading']}",
)
def test_slow_verdicts_are_those_written_down(cell):
    """The same for a cell that takes its time, one by one: `make mutants` asks for it."""
    decided(cell["metric"], cell)


def test_the_whole_matrix_is_the_one_written_down(whole):
    """All 400 cells at once, as several processes decide them."""
    written = {(cell["metric"], cell["axiom"], cell["reading"]): cell for cell in (*CELLS, *SLOW_CELLS)}
    for verdict in whole[0]:
        assert table.told(verdict) == written[verdict.metric, verdict.axiom, verdict.reading]


def test_cases_are_those_written_down():
    """Rankings, weights and premises of each case, in the order they are asked."""
    assert list(table.cases()) == table.CASES.read_text(encoding="utf-8").splitlines()
