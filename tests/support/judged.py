"""Small collections that people and a model label, for tests of judges, plans and gates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from diveval.errors import DivevalWarning

Labels = dict[str, dict[str, dict[str, float]]]
T = TypeVar("T")


def make_labels(topics: int, *, documents: int = 8, seed: int = 0, grades: int = 3) -> Labels:
    """Random grades of every document for two aspects of every topic."""
    rng = np.random.default_rng(seed)
    return {
        f"t{t:03}": {a: {f"d{d}": float(rng.integers(0, grades)) for d in range(documents)} for a in ("a", "b")}
        for t in range(topics)
    }


def spoil(labels: Labels, share: float, *, seed: int = 1, grades: int = 3) -> Labels:
    """A model's labels: some of them are drawn anew."""
    rng = np.random.default_rng(seed)
    return {
        topic: {
            aspect: {d: float(rng.integers(0, grades)) if rng.random() < share else g for d, g in by_document.items()}
            for aspect, by_document in aspects.items()
        }
        for topic, aspects in labels.items()
    }


def make_runs(
    topics: Sequence[str], names: Sequence[str] = ("A", "B", "C"), *, documents: int = 8, seed: int = 2
) -> dict[str, dict[str, list[str]]]:
    """Random rankings of the documents of every topic."""
    rng = np.random.default_rng(seed)
    return {name: {t: [f"d{d}" for d in rng.permutation(documents)] for t in topics} for name in names}


@contextmanager
def codes_of_warnings() -> Iterator[list[str]]:
    """The codes of the warnings that are issued inside."""
    codes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield codes
    codes += [w.message.code for w in caught if isinstance(w.message, DivevalWarning)]


def quietly(call: Callable[[], T]) -> T:
    """What a call returns, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        return call()
