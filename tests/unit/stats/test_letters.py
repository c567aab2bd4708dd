"""The compact letter display."""

from typing import Any

import pytest

from diveval.stats import letters
from support.present import present


@pytest.mark.parametrize(
    ("count", "different", "expected"),
    [
        (3, [], ["a", "a", "a"]),
        (3, [(0, 2)], ["a", "ab", "b"]),
        (3, [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        (4, [(0, 3), (1, 3), (0, 2)], ["a", "ab", "bc", "c"]),
        (1, [], ["a"]),
    ],
)
def test_letters_of_small_cases(count: int, different: Any, expected: list[str]) -> None:
    """Worked examples of the letters, a for the best."""
    assert letters(count, different) == expected


def test_too_many_letters_are_none() -> None:
    """Random pairs overlap in thousands of groups: there are no letters, and the computation ends."""
    pairs = [(i, j) for i in range(60) for j in range(i + 1, 60) if (i * 7919 + j * 104729) % 97 % 2]
    assert letters(60, pairs) is None


def test_letters_go_on_after_the_alphabet() -> None:
    """Sixty systems that all differ have sixty different letters."""
    assigned = present(letters(60, [(i, j) for i in range(60) for j in range(i + 1, 60)]))
    assert assigned[25:27] == ["z", "A"]
    assert assigned[51:53] == ["Z", "a1"]
    assert len(set(assigned)) == 60
