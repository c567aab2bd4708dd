"""Every metric in several settings on a fixed collection: its numbers and its rules are those written down."""

import csv
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.judgments import Judgments
from diveval.metrics import entries, parse
from diveval.metrics.compat import TOOLS
from diveval.runs import Run
from support import every_metric as table
from support.drawn import draw

OTHERS = tuple(f"{tool}." for tool in TOOLS)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_every_number_is_the_one_written_down(tool: Any) -> None:
    """Scored together, the runs have the numbers each had alone."""
    with table.VALUES.open(encoding="utf-8", newline="") as file:
        expected = {name: np.array(rest, dtype=float) for name, *rest in csv.reader(file)}
    asked = [name for name in table.names() if (name.startswith(f"{tool}.") if tool else not name.startswith(OTHERS))]
    assert asked and set(asked) <= set(expected)
    with np.errstate(divide="raise", invalid="raise"):  # nothing is divided by 0 on the way
        found = table.values(table.runs(), asked)
    for name in asked:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-11, err_msg=name)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_every_metric_stands_alone() -> None:
    """Asked for by itself, a metric has the numbers it has in company: it takes nothing from what others kept."""
    with table.VALUES.open(encoding="utf-8", newline="") as file:
        expected = {name: np.array(rest, dtype=float) for name, *rest in csv.reader(file)}
    for entry in entries().values():
        name = table.settings(entry)[-1]
        np.testing.assert_allclose(table.values(table.runs(), [name])[name], expected[name], rtol=1e-9, atol=1e-11)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_what_else_is_scored_changes_no_bit(tool: Any) -> None:
    """Four runs together have the numbers each has alone, with topics of other sizes and one without relevance."""
    asked = [name for name in table.names() if (name.startswith(f"{tool}.") if tool else not name.startswith(OTHERS))]
    drawn = [draw(seed, lowest=-1) for seed in (3, 4, 5, 6)]
    grade = (lambda g: max(g, 0) / 4) if tool == "cwl" else int  # cwl_eval takes gains between 0 and 1
    judgments = Judgments.from_rows([(t, a, d, grade(g)) for t, a, d, g in drawn[0].judgments])
    runs = [Run.from_rows(one.run, name=str(i)) for i, one in enumerate(drawn)]
    with np.errstate(divide="raise", invalid="raise"):
        together = evaluate(judgments, runs, asked).values
        alone = [evaluate(judgments, run, asked).values[0] for run in runs]
    assert together.tobytes() == np.array(alone).tobytes()
    assert (np.ptp(together, axis=0) > 0).any()


def test_every_rule_is_the_one_written_down() -> None:
    """Aliases, ranges, cutoffs, gains, orders and means of the whole catalogue."""
    with table.CATALOGUE.open(encoding="utf-8", newline="") as file:
        expected = list(csv.reader(file))
    assert [table.declared(entry) for entry in entries().values()] == expected


def test_every_entry_has_words() -> None:
    """A meaning for the metric and each parameter, a formula and a reference, and nobody's shouting or placeholders."""
    for entry in entries().values():
        words = [entry.meaning, entry.formula, entry.reference, *(p.meaning for p in entry.parameters)]
        assert all(isinstance(text, str) and text.strip() == text != "" for text in words), entry.name
        assert all(text != text.upper() or len(text) < 12 for text in words), entry.name


def test_every_name_is_its_own_text() -> None:
    """What a metric is called is read as the same metric."""
    for name in table.names():
        assert parse(name).name == name
