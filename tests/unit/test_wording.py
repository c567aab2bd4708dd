"""`support.wording` accepts other wordings of a message and refuses other messages."""

from __future__ import annotations

import pytest

from support.rewording import reworded
from support.wording import says, wording

EXAMPLE = "topic '7': expected 4 columns (topic aspect document grade), got 3; name the format with --qrels-format"


def test_another_wording_passes() -> None:
    """A message with all facts and one word of the example passes, in any order."""
    assert says(EXAMPLE, EXAMPLE) and says(EXAMPLE, reworded(EXAMPLE)) and reworded(EXAMPLE) != EXAMPLE
    assert says(EXAMPLE, "3 columns where 4 were wanted, topic `7`: try --qrels-format")


@pytest.mark.parametrize(("fact", "other"), [("'7'", "'8'"), ("4 ", "5 "), ("got 3", "got 30"), ("--qrels-", "--run-")])
def test_another_fact_fails(fact: str, other: str) -> None:
    """A message that lacks a quoted text, number or option of the example fails."""
    assert not says(EXAMPLE, EXAMPLE.replace(fact, other))


def test_another_subject_fails() -> None:
    """One word of the example is needed; of two examples separated by |, either is enough."""
    assert not says("two different weights", "the run contains no document")
    assert says("two different weights|no document", "the run contains no document")
    assert says(r"an id .* is missing in RBU\(p=0\.5\)", "RBU(p=0.5) lacks the id")


def test_an_example_without_facts_is_refused() -> None:
    """An example that every message would match is an error."""
    with pytest.raises(AssertionError):
        wording("it is not given")
