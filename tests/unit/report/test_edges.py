"""The report where something is missing: a library, an order, a finite number. It says so and goes on, or says why not."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from diveval.errors import DivevalError, UsageError
from diveval.metrics import as_metrics
from diveval.report import Deciding, Study, page
from diveval.report.charts import for_page, inspector_chart, topics_chart
from diveval.report.inspector import inspect
from diveval.report.leaderboard import plain
from diveval.report.provenance import _versions


def test_a_study_needs_the_orders_of_its_pictures(study: Study) -> None:
    """Rankings read for one order cannot answer for another."""
    with pytest.raises(UsageError, match=r"lack an order that the pictures need: read them for `needed\(metrics\)`"):
        Study.of(study.judgments, {}, study.metrics, study.options)


def test_what_json_has_no_word_for_is_left_empty() -> None:
    """NaN and infinities become null; digits are cut only where asked."""
    assert [plain(float("nan")), plain(float("inf"), 3), plain(0.12345, 3), plain(0.12345)] == [None, None, 0.123, 0.12345]


def test_topics_below_zero_have_a_scale_of_two_sides(make: Callable[..., Study]) -> None:
    """With much effort utility falls below 0: the colours then part at 0."""
    costly, cheap = make(["RBU(p=0.99,e=2)@20"]), make(["P@20"])
    assert costly.scores.values.min() < 0

    def scale(study: Study) -> dict:
        return topics_chart(study, study.scores.metrics[0]).to_dict()["encoding"]["color"]["scale"]

    low, high = scale(costly)["domain"]
    assert low == -high < 0 and scale(cheap)["domain"][0] == 0


def test_a_run_that_lacks_the_topic_is_drawn_empty(study: Study) -> None:
    """The inspector's picture has no cell for it, and no invented ones."""
    data = inspect(study, study.scores.topics[0], depth=5)
    name = study.scores.runs[0]
    data["topics"][0]["runs"][0] = None
    shown = for_page(inspector_chart(data, {0: name}, ranks=5))["hconcat"][0]
    assert shown["title"]["text"] == f"{name}: do not start"
    assert not [values for values in _values(shown) if values]


def _values(spec: object) -> list:
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
        if name == "altair":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "altair not installed" in _versions() and f"numpy {np.__version__}" in _versions()


def test_metrics_of_your_own_are_not_among_the_axioms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix says who is left out, and why it is empty where z3 is not there."""
    monkeypatch.setitem(sys.modules, "z3", None)
    with Deciding(as_metrics(["RBU", lambda ranking: 0.0])) as deciding:
        found = deciding.finish(seconds=0)
    assert found["rows"] == [] and any("Metrics of your own" in note for note in found["notes"])
    assert any("diveval[axioms]" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (("", b"Traceback\nImportError: no V8", 1), "could not be bundled by vl-convert: ImportError: no V8"),
        (("x = '</SCRIPT>'", b"", 0), "would end its element"),
    ],
)
def test_a_script_that_cannot_be_had_is_one_line(answer, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vega's script comes from another process: its last line is told, and a script that ends its own element refused."""
    module = sys.modules[page.__module__]
    script, trouble, code = answer
    process = SimpleNamespace(communicate=lambda: (script.encode(), trouble), returncode=code)
    monkeypatch.setattr(module.subprocess, "Popen", lambda *_, **__: process)
    module._begun.cache_clear()
    try:
        with pytest.raises(DivevalError, match=said):
            module.vega_script()
    finally:
        module._begun.cache_clear()
