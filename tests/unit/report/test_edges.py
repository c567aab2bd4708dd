"""The report where something is missing: a library, an order, a finite number. It says so and goes on, or says why not."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diveval.errors import DivevalError, UsageError
from diveval.metrics import as_metrics
from diveval.report import Deciding, Study
from diveval.report.charts import inspector_chart, topics_chart
from diveval.report.contents import _versions
from diveval.views import assets
from diveval.views.board import plain
from diveval.views.walks import inspect
from support.wording import wording


def test_a_study_needs_the_orders_of_its_pictures(study: Study) -> None:
    """Rankings read for one order cannot answer for another."""
    with pytest.raises(
        UsageError, match=wording(r"lack an order that the pictures need: read them for `needed\(metrics\)`")
    ):
        Study(study.judgments, {}, study.metrics, study.options)


def test_what_json_has_no_word_for_is_left_empty() -> None:
    """NaN and infinities become null; digits are cut only where asked."""
    assert [plain(float("nan")), plain(float("inf"), 3), plain(0.12345, 3), plain(0.12345)] == [
        None,
        None,
        0.123,
        0.12345,
    ]


def test_topics_below_zero_have_a_scale_of_two_sides(make: Callable[..., Study]) -> None:
    """With much effort utility falls below 0: the colours then part at 0."""
    costly, cheap = make(["RBU(p=0.99,e=2)@20"]), make(["P@20"])
    assert costly.scores.values.min() < 0

    def domain(study: Study) -> list[float]:
        return list(topics_chart(study, study.scores.metrics[0]).to_dict()["encoding"]["color"]["scale"]["domain"])

    low, high = domain(costly)
    assert low == -high < 0 and domain(cheap)[0] == 0


def test_a_run_that_lacks_the_topic_is_drawn_empty(study: Study) -> None:
    """The inspector's picture has no cell for it, and no invented ones."""
    data = inspect(study, study.scores.topics[0], depth=5)
    name = study.scores.runs[0]
    data["topics"][0]["runs"][0] = None
    shown = inspector_chart(data, {0: name}, ranks=5).to_dict()["hconcat"][0]
    assert name in shown["title"]["text"]
    assert not [values for values in _values(shown) if values]


def _values(spec: object) -> list[list[Any]]:
    """Every list of data anywhere in a specification, without the marks that stand at the stopping rank."""
    if isinstance(spec, list):
        return [values for item in spec for values in _values(item)]
    if not isinstance(spec, dict):
        return []
    return [found for key, item in spec.items() for found in ([item["values"]] if key == "data" else _values(item))]


def test_a_library_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page tells with what it was made, and without what."""
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "scipy":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "scipy not installed" in _versions() and f"numpy {np.__version__}" in _versions()


def test_metrics_of_your_own_are_not_among_the_axioms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix says who is left out, and why it is empty where z3 is not there."""
    monkeypatch.setitem(sys.modules, "z3", None)
    with Deciding(as_metrics(["RBU", lambda ranking: 0.0])) as deciding:
        found = deciding.finish(seconds=0)
    assert found["rows"] == [] and any("Metrics of your own" in note for note in found["notes"])
    assert any("diveval[axioms]" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}, "circle"),
        ({"a.js": "export default 1;\n"}, "cannot be bundled"),
        ({"a.js": 'import * as b from "./b.js";\n'}, "cannot be bundled"),
    ],
)
def test_modules_that_cannot_be_bundled_are_refused(modules: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report's script is made of modules in one plain form; another form fails when it is made, not in a browser."""
    monkeypatch.setattr(assets, "text", modules.__getitem__)
    with pytest.raises(DivevalError, match=wording(said)):
        assets.script.__wrapped__("a.js")
