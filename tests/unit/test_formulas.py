"""Formulas of the documentation are found in the text of a page and typeset as MathML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from diveval.metrics import entries
from support.programs import load

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def mathml() -> Any:
    """The extension of the documentation that typesets formulas."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield load(DOCS / "mathml.py")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For p^i the border is that of m = 2, as it is for 1/i.", ["p^i"]),
        ("RBP holds iff p² + p³ > 1, NRBP iff p² + p³(1−α) > 1.", ["p² + p³ > 1", "p² + p³(1−α) > 1"]),
        ("some m has r_c·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > e, with", ["r_c·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > e"]),
        ("s(i,t) = Π_{j<i} (1 − r(j,t)): the chance", ["s(i,t) = Π_{j<i} (1 − r(j,t))"]),
        ("a discount (p^i), a novelty (1−α)^c or Π(1−r)", ["(p^i)", "(1−α)^c", "Π(1−r)"]),
        ("grade to relevance: (2^g−1)/2^gmax (default), [g>0]", ["(2^g−1)/2^gmax"]),
        ("p > 0.8 [at r_c = 1/2; else", ["r_c = 1/2"]),
        ("Cohen's d_z, 10^6 documents", ["d_z", "10^6"]),
        ("mean ± t · s/√n, or 1/log(i+1)", ["t · s/√n", "1/log(i+1)"]),
        ("a metric alpha_nDCG@20, an option --missing-topics, n > 3 and e = 0.05", []),
    ],
)
def test_formulas_are_found_in_sentences(mathml: Any, text: str, expected: list[str]) -> None:
    """A formula is found from its first sign to its last; words, names and plain comparisons are not formulas."""
    assert [text[start:end] for start, end in mathml.formulas(text)] == expected


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("p^i", r"p^{i}"),
        ("p²", r"p^{2}"),
        ("10^12", r"10^{12}"),
        ("Σ_(j≤m) ν_j", r"\sum _{j\le m}\, \nu _{j}"),
        ("1/log₂(i+1)", r"1/\log _{2}(i+1)"),
        ("2^gmax", r"2^{\text{gmax}}"),
        ("1/√(x·y)", r"1/\sqrt{x\cdot y}"),
    ],
)
def test_plain_notation_becomes_latex(mathml: Any, plain: str, latex: str) -> None:
    """Powers, subscripts, sums and logarithms are converted."""
    assert mathml.as_latex(plain) == latex


def test_the_formula_of_every_metric_is_typeset(mathml: Any) -> None:
    """The MathML of every metric's formula can be parsed and contains no sign of the plain notation."""
    for entry in entries().values():
        typeset = ET.fromstring(mathml.convert(mathml.as_latex(entry.formula)))
        assert not set("_^\\$") & set("".join(typeset.itertext())), entry.name
