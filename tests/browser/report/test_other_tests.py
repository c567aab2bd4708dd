"""A report whose test is chosen by an option: the map of parameters shows no decision that the test did not make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.report.conftest import METRICS, drawn, make_study
from diveval.report.contents import contents
from diveval.report.page import page
from diveval.stats.tests import Significance


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize(("test", "hatched"), [("sign", 1), ("tukey", 0)])
def test_the_map_of_another_test(watched: Any, tmp_path: Path, test: str, hatched: int) -> None:
    """Hatching and its key are there for a test that the map can use, and neither for one by resamples."""
    study = make_study({}, topics=5, systems=4, depth=25, metrics=METRICS[:1])
    how = Significance(test=test, resamples=100)
    data = contents(study, axiom_seconds=0, conclusions=False, how=how)
    path = tmp_path / "report.html"
    path.write_text(page(data), encoding="utf-8")
    shown = drawn(watched.open(path.as_uri()))
    shown.wait_for_selector("#map-tied", state="attached")
    assert shown.locator(".key .swatch.tied").count() == hatched
    assert bool(shown.locator("#map-tied").get_attribute("d")) == bool(hatched)
