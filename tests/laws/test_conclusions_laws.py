"""Laws of conclusions about unjudged documents: every labelling of small collections, scored by `evaluate`."""

from support.labelled_conclusions import campaign
from support.shared import times


def test_conclusions_hold_under_every_labelling() -> None:
    """Certain and flips are exact, with topics and aspects without a relevant document and every rule of relevance."""
    verdicts = campaign(times(150, 5000), seed=11)
    assert verdicts["certain"] and verdicts["flips"]
