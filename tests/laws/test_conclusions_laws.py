"""Laws of conclusions: every labelling of small collections, by `evaluate`, and exact recomputations with fractions."""

import pytest

from support.exact_conclusions import LEAST
from support.exact_conclusions import campaign as recompute
from support.labelled_conclusions import campaign
from support.shared import times


def test_conclusions_hold_under_every_labelling() -> None:
    """Certain and flips are exact, with topics and aspects without a relevant document and every rule of relevance."""
    verdicts = campaign(times(150, 5000), seed=11)
    assert verdicts["certain"] and verdicts["flips"]


@pytest.mark.parametrize("doubt", LEAST)
def test_verdicts_are_the_exact_ones(doubt: str) -> None:
    """Every labelling, every corner of the weights, and the roots of the lead in a parameter decide as conclusions do."""
    verdicts = recompute(times(400 if doubt == "parameters" else 150, 5000), doubt, seed=6)
    assert verdicts["certain"] and verdicts["flips"] and verdicts["undecided"]
    assert verdicts["no weight"] <= verdicts.total() / 8  # labels under which evaluation itself is refused
