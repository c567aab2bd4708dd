"""Singular and plural in messages."""

from __future__ import annotations

from diveval.errors import count_of


def test_singular_for_one_and_plural_otherwise() -> None:
    """One takes the singular; 0 and 2 take the plural."""
    assert [count_of(n, "run lacks", "runs lack") for n in (0, 1, 2)] == ["0 runs lack", "1 run lacks", "2 runs lack"]
