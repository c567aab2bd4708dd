"""The helper that frees tests from words still tells a message from another."""

from __future__ import annotations

import pytest

from support.rewording import reworded
from support.wording import says, wording

EXAMPLE = "topic '7': expected 4 columns (topic aspect document grade), got 3; name the format with --qrels-format"


def test_another_wording_of_the_same_passes() -> None:
    """Facts and one word are enough, in any order."""
    assert says(EXAMPLE, EXAMPLE) and says(EXAMPLE, reworded(EXAMPLE)) and reworded(EXAMPLE) != EXAMPLE
    assert says(EXAMPLE, "3 columns where 4 were wanted, topic `7`: try --qrels-format")


@pytest.mark.parametrize(("fact", "other"), [("'7'", "'8'"), ("4 ", "5 "), ("got 3", "got 30"), ("--qrels-", "--run-")])
def test_another_fact_does_not(fact: str, other: str) -> None:
    """Every quoted text, number and option of the example is needed."""
    assert not says(EXAMPLE, EXAMPLE.replace(fact, other))


def test_another_matter_does_not() -> None:
    """Of the words one is needed; of two examples, either."""
    assert not says("two different weights", "the run contains no document")
    assert says("two different weights|no document", "the run contains no document")
    assert says(r"an id .* is missing in RBU\(p=0\.5\)", "RBU(p=0.5) lacks the id")


def test_an_example_that_any_message_would_fit_is_refused() -> None:
    """A test that cannot fail is none."""
    with pytest.raises(AssertionError):
        wording("it is not given")
