"""Every chart is drawn, saved as SVG, and shows its data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.meta import (
    agreement,
    concordance,
    discriminative,
    plots,
    rescore_levels,
    robustness,
    sensitivity,
    strictness,
    unanimity,
)
from diveval.results.pictures import save
from diveval.results.scores import Scores
from diveval.stats import interval
from support.refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
GRID = [f"RBU(p={p},e={e})@20" for p in ("0.8", "0.99") for e in ("0", "0.05")]


def make(seed: int = 0, noise: float = 0.0) -> Any:
    rng = np.random.default_rng(1)
    values = rng.random((5, 1, 12)) + 0.2 * rng.random((5, 6, 12))
    values = values + noise * np.random.default_rng(seed).normal(size=values.shape)
    names = [*GRID, "P@10", "S-Recall@10"]
    return Scores.of(values, runs=[f"run{r}" for r in range(5)], metrics=names, topics=[str(t) for t in range(12)])


SCORES = make()
CHARTS = {
    "unanimity": lambda: plots.unanimity_chart(unanimity(SCORES, bootstrap=50)),
    "strictness": lambda: plots.strictness_chart(strictness(SCORES)),
    "interval": lambda: plots.interval_chart(interval(SCORES, "P@10")),
    "discriminative": lambda: plots.discriminative_chart(discriminative(SCORES, resamples=100)),
    "agreement": lambda: plots.agreement_chart(agreement(SCORES)),
    "concordance": lambda: plots.concordance_chart(concordance(SCORES, gold="S-Recall@10")),
    "sensitivity": lambda: plots.sensitivity_chart(sensitivity(SCORES.select(metrics=GRID), reference=GRID[0])),
    "sensitivity-list": lambda: plots.sensitivity_chart(sensitivity(SCORES, reference=GRID[0])),
    "rank-range": lambda: plots.rank_range_chart(sensitivity(SCORES, reference=GRID[0])),
    "robustness": lambda: plots.robustness_chart(
        robustness(SCORES, rescore_levels(make, levels=[0.1, 0.5], seeds=[1, 2])), most=3
    ),
}
SHOWN = {
    "unanimity": "Metric Unanimity",
    "strictness": "Strictness",
    "interval": "run4",
    "discriminative": "ASL",
    "agreement": "Kendall",
    "concordance": "Concordance with S-Recall@10",
    "sensitivity": "0.99",
    "sensitivity-list": "P@10",
    "rank-range": "run3",
    "robustness": "Rank correlation",
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_save_as_svg(name: Any, tmp_path: Path) -> None:
    """Each chart is an SVG with its labels as text, on a white background."""
    path = save(CHARTS[name](), tmp_path / f"{name}.svg")
    svg = path.read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert SHOWN[name] in svg
    assert 'fill="white"' in svg
    assert "NaN" not in svg


def test_charts_save_as_png_and_pdf(tmp_path: Path) -> None:
    """The extension of the path decides the format; another extension is an error."""
    chart = CHARTS["strictness"]()
    assert save(chart, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert save(chart, tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with refuses("unknown-format", "a.html"):
        save(chart, tmp_path / "a.html")


def test_undefined_values_are_left_out(tmp_path: Path) -> None:
    """A metric without MU has no point and one without τ no cell; an empty chart can be saved."""
    values = np.array([[[1.0], [1.0], [2.0]], [[2.0], [1.0], [1.0]]])
    scores = Scores.of(values, runs=["a", "b"], metrics=["up", "flat", "down"], topics=["t"])
    empty = plots.unanimity_chart(unanimity(scores))
    assert list(empty.to_dict()["datasets"].values()) == [[]]
    assert "NaN" not in save(empty, tmp_path / "empty.svg").read_text()
    (cells,) = plots.agreement_chart(agreement(scores)).to_dict()["datasets"].values()
    assert len(cells) == 4
    assert not any("flat" in (cell["x"], cell["y"]) for cell in cells)


def test_large_matrices_have_no_numbers() -> None:
    """With more than twelve columns the cells are too small for text."""
    values = np.random.default_rng(0).random((4, 13, 3))
    names = [f"m{i}" for i in range(13)]
    scores = Scores.of(values, runs=list("abcd"), metrics=names, topics=list("xyz"))
    assert len(plots.agreement_chart(agreement(scores)).to_dict()["layer"]) == 1
