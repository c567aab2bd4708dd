"""Every result is a value with the same forms, and all of them contain the same cells."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import pkgutil
import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import diveval
from diveval import answers, meta, recommend
from diveval.analysis.answer_checks import check_answers
from diveval.axioms import AXIOMS, scale
from diveval.axioms.presentation.matrix import matrix_of
from diveval.axioms.proof.verdicts import Answer, Verdict
from diveval.judging.answer_judges import compare_judges
from diveval.meta.preference_agreement import people_agreement
from diveval.publishing.results_table import results_table
from diveval.reading.preferences import Preference
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.table_text import in_markdown, latex_escape
from diveval.stats import compare_slices
from diveval.stats.intervals import interval

JUDGMENTS = {str(t): {a: {f"d{t}{a}{i}": (i + t) % 3 for i in range(4)} for a in ("a", "b|c")} for t in range(1, 7)}
METRICS = ["RBU(p=0.9,e=0.01)@5", "alpha_nDCG@5", "ERR_IA@5"]
FORMS = ("to_text", "to_csv", "to_json", "to_markdown", "to_latex", "to_pandas", "to_polars", "_repr_html_")


def _runs() -> dict[str, dict[str, list[str]]]:
    """Three runs over the same topics; names hold what Markdown, LaTeX, CSV and HTML must escape."""
    rng = np.random.default_rng(1)
    return {
        name: {
            topic: rng.permutation([*(d for by in aspects.values() for d in by), "x", "y"]).tolist()
            for topic, aspects in JUDGMENTS.items()
        }
        for name in ("first_run", "second, & <b>", "third | *run*")
    }


@cache
def _scores() -> Scores:
    return diveval.evaluate(JUDGMENTS, _runs(), METRICS)


def _verdicts() -> Result:
    answered: list[Answer] = ["holds", "fails", "region", "unknown"]
    cells = [(metric, axiom) for metric in ("RBU@k", "P@k") for axiom in AXIOMS]
    return matrix_of([Verdict(m, a, "charitable", answered[i % 4], "holds") for i, (m, a) in enumerate(cells)])


def _preferred() -> Result:
    first, second, _ = _scores().runs
    votes = [Preference(topic, first, second, 1, "me") for topic in _scores().topics]
    return people_agreement(_scores(), votes, resamples=100)


def _votes() -> list[Preference]:
    return [Preference(str(t), "a", "b", 1 - 2 * (t % 2), "me") for t in range(4)]


def _judges() -> Result:
    people = {topic: JUDGMENTS[topic] for topic in ("1", "2", "3")}
    return diveval.judges(people, JUDGMENTS, _runs(), METRICS, resamples=100)


def _catalogue() -> Result:
    return diveval.metrics("all")


LABELS = [
    {"question": q, "system": s, "nugget": n, "label": (i + j) % 3 != 0, "judge": f"j{j}"}
    for i, (q, s, n) in enumerate((q, s, n) for q in ("1", "2") for s in ("a, b", "c|d") for n in ("x_1", "y & <z>"))
    for j in range(3)
]


PAIR = [diveval.as_run(_runs()[name], name=name) for name in ("first_run", "third | *run*")]
RESULTS: dict[str, Callable[[], Result]] = {
    "Scores": _scores,
    "Comparison": lambda: _scores().compare("RBU"),
    "Intervals": lambda: interval(_scores(), "RBU"),
    "ResultsTable": lambda: results_table(_scores()),
    "UserModel": lambda: diveval.user_model("RBU@20"),
    "Unanimity": lambda: _scores().unanimity(bootstrap=100),
    "Discriminative": lambda: meta.discriminative(_scores(), resamples=100),
    "Strictness": lambda: meta.strictness(_scores()),
    "Concordance": lambda: meta.concordance(_scores(), gold="ERR_IA@5"),
    "Agreement": lambda: meta.agreement(_scores()),
    "Sensitivity": lambda: meta.sensitivity(_scores(), reference=METRICS[0]),
    "Robustness": lambda: meta.robustness(_scores(), [(0.1, _scores())]),
    "Prediction": lambda: meta.prediction(_scores(), _scores(), resamples=100),
    "PeopleAgreement": _preferred,
    "EffortStudy": lambda: diveval.tune_effort(JUDGMENTS, _runs(), p=(0.8, 0.9), e=(0.0, 0.01)),
    "StoppingRanks": lambda: diveval.stopping_ranks(JUDGMENTS, _runs()),
    "Violations": lambda: diveval.violations(JUDGMENTS, _runs(), METRICS),
    "Conclusions": lambda: diveval.conclude(JUDGMENTS, _runs(), "RBU(p=0.6..0.9,e=0..0.1)@5"),
    "Why": lambda: diveval.why(JUDGMENTS, PAIR[0], PAIR[1], METRICS[:2], axioms=False),
    "Losses": lambda: diveval.losses(JUDGMENTS, PAIR[0], PAIR[1], METRICS[0]),
    "Choice": lambda: diveval.choose(JUDGMENTS, _runs(), metrics=METRICS, need=["Conf"], time_limit=1),
    "Gate": lambda: diveval.gate(JUDGMENTS, PAIR[0], PAIR[1], METRICS, margin=0.1),
    "Judges": _judges,
    "Plan": lambda: diveval.plan(JUDGMENTS, _runs(), METRICS, difference=0.1),
    "Panel": lambda: diveval.panel([JUDGMENTS, JUDGMENTS], _runs(), METRICS, resamples=100),
    "Board": lambda: diveval.board(JUDGMENTS, _runs(), "RBU(p=0.6..0.9,e=0..0.1)@5"),
    "Votes": lambda: meta.rank_by_votes(_votes(), resamples=100),
    "AnswerAgreement": lambda: compare_judges(answers.gather(LABELS), resamples=100),
    "AnswerCheck": lambda: check_answers(answers.gather(LABELS)),
    "SliceComparison": lambda: compare_slices(_scores(), {"odd": ["1", "3", "5"], "even|_": ["2", "4", "6"]}),
    "MissedNuggets": lambda: answers.find_missed(answers.gather(LABELS)),
    "PoolAudit": lambda: diveval.audit_pool(JUDGMENTS, _runs(), METRICS),
    "Matrix": _verdicts,
    "Scale": lambda: scale("RBP(p=0.8)@3"),
    "Catalogue": _catalogue,
}
# Results whose printed table is not their columns with four decimals.
PIVOTED = {"Losses", "Scores", "ResultsTable", "StoppingRanks", "Choice", "Matrix", "Conclusions"}
ELSEWHERE = {
    "Reproduction",
    "Family",
    "AxiomMap",
}  # minutes to make; tests/unit/experiments and tests/unit/axioms print them


@cache
def _made(name: str) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RESULTS[name]()


def _all_results() -> set[str]:
    """The names of all result classes of the package."""
    for module in pkgutil.walk_packages(diveval.__path__, "diveval."):
        if not re.search(r"integrations|__main__|bundled|_scanner", module.name):
            importlib.import_module(module.name)
    waiting, names = [Result], set[str]()
    while waiting:
        below = waiting.pop().__subclasses__()
        names |= {kind.__name__ for kind in below}
        waiting += below
    return names


def test_every_result_class_is_tested() -> None:
    """The examples of this file are all classes of results."""
    assert _all_results() == set(RESULTS) | ELSEWHERE
    assert answers.evaluate is not None and recommend.evaluate is not None  # both return Scores


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_form(name: str) -> None:
    """Each form exists and is not empty; `repr` and `str` show data; the setup is JSON."""
    result = _made(name)
    assert type(result).__name__ == name
    for form in FORMS:
        assert len(getattr(result, form)()) > 0, form
    assert repr(result).startswith(f"<{name}: ") and len(repr(result).splitlines()) > 1
    assert str(result) == result.to_text().rstrip("\n")
    assert json.loads(json.dumps(result.setup.as_dict())) is not None
    assert len(result) == len(list(result)) > 0 and result
    assert hash(result.setup.judgments) is not None and result == result


def _text(value: Any) -> str:
    """A cell as CSV writes it; numbers by value."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _number(text: str) -> str:
    try:
        return repr(float(text))
    except ValueError:
        return text


@pytest.mark.parametrize("name", RESULTS)
def test_csv_and_frames_hold_the_columns(name: str) -> None:
    """CSV, pandas and polars have the header and cells of `columns()`; a CSV of scores adds the means."""
    result = _made(name)
    columns = result.columns()
    expected = [[_number(_text(value)) for value in row] for row in zip(*columns.values(), strict=True)]
    head, *rows = csv.reader(io.StringIO(result.to_csv()))
    if isinstance(result, Scores):
        rows = [row for row in rows if row[2] != "all"]
    assert head == list(columns)
    assert [[_number(cell) for cell in row] for row in rows] == expected
    for frame in (result.to_pandas(), result.to_polars()):
        assert list(frame.columns) == head
        cells = zip(*(list(frame[column]) for column in head), strict=True)
        assert [[_number(_text(_plain(cell))) for cell in row] for row in cells] == expected


def _plain(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) else cell


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in ("Scores", "Why", "Choice", "Agreement")])
def test_json_holds_the_columns(name: str) -> None:
    """The rows of the JSON have the cells of every column that they share, in the same order."""
    result = _made(name)
    shape, columns = json.loads(result.to_json()), result.columns()
    rows = shape.get("rows", result.records())
    shared = [column for column in columns if rows and column in rows[0]]
    assert len(shared) >= 2
    for column in shared:
        if not isinstance(rows[0][column], dict | list):
            assert [_text(row[column]) for row in rows] == [_text(value) for value in columns[column]], column


def test_json_of_scores_holds_the_columns() -> None:
    """`per_topic` of the JSON has the values of the columns, `mean` those of `scores[run, metric]`."""
    scores = _scores()
    shape = json.loads(scores.to_json())
    for run, metric, topic, value in zip(*scores.columns().values(), strict=True):
        assert shape["per_topic"][run][metric][topic] == value == scores[str(run), str(metric), str(topic)]
    assert all(shape["mean"][run][metric] == scores[run, metric] for run in scores for metric in scores.metrics)


def _markdown_cells(text: str) -> list[list[str]]:
    """The cells of the Markdown tables of a page, without bold."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("name", RESULTS)
def test_markdown_latex_and_html_hold_the_table(name: str) -> None:
    """Each has every cell of the printed table, escaped; that table is the columns, unless it is pivoted."""
    result = _made(name)
    table = result.display()
    printed = [list(table.header), *map(list, table.rows)]
    bare = [[re.sub(r"^\*\*(.*)\*\*$", r"\1", cell) for cell in row] for row in _markdown_cells(result.to_markdown())]
    assert [[in_markdown(cell).strip() for cell in row] for row in printed] == bare
    latex = result.display().latex()
    assert all(latex_escape(cell) in latex for row in printed for cell in row)
    assert result.to_latex().count(r"\begin{tabular}") == (2 if name == "Comparison" else 1)  # of runs, and of pairs
    html = result._repr_html_()
    assert html.count("<tr>") == 1 + min(len(table.rows), 50)
    if name not in PIVOTED:
        columns = result.columns()
        assert list(table.header) == list(columns)
        for row, values in zip(table.rows, zip(*columns.values(), strict=True), strict=True):
            floats = [(cell, value) for cell, value in zip(row, values, strict=True) if isinstance(value, float)]
            assert all(cell == f"{value:.4f}" for cell, value in floats)
