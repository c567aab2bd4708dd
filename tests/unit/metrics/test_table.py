"""Every metric in several settings on a fixed collection: its values and its declaration are those recorded."""

import csv
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.metrics import entries, parse
from diveval.metrics.compat import TOOLS
from support import every_metric as table
from support.drawn import draw

OTHERS = tuple(f"{tool}." for tool in TOOLS)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_every_value_is_the_recorded_one(tool: Any) -> None:
    """The runs, scored together, have the recorded values."""
    with table.VALUES.open(encoding="utf-8", newline="") as file:
        expected = {name: np.array(rest, dtype=float) for name, *rest in csv.reader(file)}
    names = [name for name in table.names() if (name.startswith(f"{tool}.") if tool else not name.startswith(OTHERS))]
    assert names and set(names) <= set(expected)
    with np.errstate(divide="raise", invalid="raise"):  # no division by 0
        computed = table.values(table.runs(), names)
    for name in names:
        np.testing.assert_allclose(computed[name], expected[name], rtol=1e-9, atol=1e-11, err_msg=name)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_every_metric_can_be_scored_alone() -> None:
    """A metric scored alone has the recorded values, so it depends on nothing cached by others."""
    with table.VALUES.open(encoding="utf-8", newline="") as file:
        expected = {name: np.array(rest, dtype=float) for name, *rest in csv.reader(file)}
    for entry in entries().values():
        if entry.needs_groups:
            continue
        name = table.settings(entry)[-1]
        np.testing.assert_allclose(table.values(table.runs(), [name])[name], expected[name], rtol=1e-9, atol=1e-11)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_scores_do_not_depend_on_the_other_runs(tool: Any) -> None:
    """Four runs together have exactly the scores each has alone."""
    names = [name for name in table.names() if (name.startswith(f"{tool}.") if tool else not name.startswith(OTHERS))]
    collections = [draw(seed, lowest=-1) for seed in (3, 4, 5, 6)]
    grade = (lambda g: max(g, 0) / 4) if tool == "cwl" else int  # cwl_eval takes gains between 0 and 1
    judgments = Judgments.from_rows([(t, a, d, grade(g)) for t, a, d, g in collections[0].judgments])
    runs = [Run.from_rows(one.run, name=str(i)) for i, one in enumerate(collections)]
    with np.errstate(divide="raise", invalid="raise"):
        together = evaluate(judgments, runs, names).values
        alone = [evaluate(judgments, run, names).values[0] for run in runs]
    assert together.tobytes() == np.array(alone).tobytes()
    assert (np.ptp(together, axis=0) > 0).any()


def test_every_declaration_is_the_recorded_one() -> None:
    """Aliases, ranges, cutoffs, gains, orders and means of the catalogue are those recorded."""
    with table.CATALOGUE.open(encoding="utf-8", newline="") as file:
        expected = list(csv.reader(file))
    assert [table.declared(entry) for entry in entries().values()] == expected


def test_every_entry_is_described() -> None:
    """The metric and each parameter have a meaning; formula and reference are not empty or placeholders."""
    for entry in entries().values():
        texts = [entry.meaning, entry.formula, entry.reference, *(p.meaning for p in entry.parameters)]
        assert all(isinstance(text, str) and text.strip() == text != "" for text in texts), entry.name
        assert all(text != text.upper() or len(text) < 12 for text in texts), entry.name


def test_every_name_parses_to_itself() -> None:
    """The name of a metric parses to the same metric."""
    for name in table.names():
        assert parse(name).name == name
