"""The report when something is missing: a library, an order, a finite number."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diveval.metrics import as_metrics
from diveval.report.axiom_section import AxiomSection
from diveval.report.charts import inspector_chart, topics_chart
from diveval.report.contents import _versions
from diveval.scoring.study import Evaluation
from diveval.views import assets
from diveval.views.board import plain
from diveval.views.walks import inspect
from support.refusals import refuses


def test_a_study_needs_the_orders_of_its_pictures(study: Evaluation) -> None:
    """Rankings read for one order cannot be used for another."""
    with refuses("order-not-read", "metrics_to_read(metrics)"):
        Evaluation(study.judgments, {}, study.metrics, study.options)


def test_nan_and_infinity_become_null() -> None:
    """NaN and infinities become null; values are rounded only on request."""
    assert [plain(float("nan")), plain(float("inf"), 3), plain(0.12345, 3), plain(0.12345)] == [
        None,
        None,
        0.123,
        0.12345,
    ]


def test_negative_values_have_a_diverging_colour_scale(make: Callable[..., Evaluation]) -> None:
    """With high effort utility is below 0, and the colour scale is symmetric around 0."""
    costly, cheap = make(["RBU(p=0.99,e=2)@20"]), make(["P@20"])
    assert costly.scores.values.min() < 0

    def domain(study: Evaluation) -> list[float]:
        return list(topics_chart(study, study.scores.metrics[0]).to_dict()["encoding"]["color"]["scale"]["domain"])

    low, high = domain(costly)
    assert low == -high < 0 and domain(cheap)[0] == 0


def test_a_run_without_the_topic_has_no_cells(study: Evaluation) -> None:
    """The inspector's chart names the run and has no data for it."""
    data = inspect(study, study.scores.topics[0], depth=5)
    name = study.scores.runs[0]
    data["topics"][0]["runs"][0] = None
    shape = inspector_chart(data, {0: name}, ranks=5).to_dict()
    column = shape["hconcat"][0]
    assert name in column["title"]["text"]
    assert _data_in(column)
    assert not any(shape["datasets"][own] for own in _data_in(column))


def _data_in(spec: object) -> list[str]:
    """The names of all data in a part of a specification."""
    if isinstance(spec, list):
        return [name for item in spec for name in _data_in(item)]
    if not isinstance(spec, dict):
        return []
    return [name for key, item in spec.items() for name in ([item["name"]] if key == "data" else _data_in(item))]


def test_missing_libraries_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page lists the versions of the libraries and those that are not installed."""
    original = importlib.metadata.version

    def version(name: str) -> str:
        if name == "scipy":
            raise importlib.metadata.PackageNotFoundError(name)
        return original(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert any("scipy" in text for text in _versions())
    assert f"numpy {np.__version__}" in _versions()


def test_user_metrics_are_not_in_the_axiom_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """A note says that they are left out, and one how to install z3 if it is missing."""
    monkeypatch.setitem(sys.modules, "z3", None)
    with AxiomSection(as_metrics(["RBU", lambda ranking: 0.0])) as deciding:
        matrix = deciding.finish(seconds=0)
    assert matrix["rows"] == [] and len(matrix["notes"]) == 2
    assert any("diveval[axioms]" in note for note in matrix["notes"])


@pytest.mark.parametrize(
    ("modules", "code"),
    [
        ({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}, "internal-error"),
        ({"a.js": "export default 1;\n"}, "internal-error"),
        ({"a.js": 'import * as b from "./b.js";\n'}, "internal-error"),
    ],
)
def test_modules_that_cannot_be_bundled_are_refused(modules: Any, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module in another form is an error when the page is made, not in the browser."""
    monkeypatch.setattr(assets, "text", modules.__getitem__)
    with refuses(code):
        assets.script.__wrapped__("a.js")
