"""Numbers in messages: one thing is not several."""

from __future__ import annotations

from diveval.errors import count_of


def test_one_is_not_several() -> None:
    """The words for one where there is one, those for several otherwise, none among them."""
    assert [count_of(n, "run lacks", "runs lack") for n in (0, 1, 2)] == ["0 runs lack", "1 run lacks", "2 runs lack"]
