"""Synthetic collections small enough for fast experiments."""

from __future__ import annotations

import pytest

from diveval.experiments import Collection, synthetic, synthetic_dynamic_domain


@pytest.fixture(scope="session")
def small() -> Collection:
    """Rankings of 8 topics by 6 systems."""
    return synthetic(topics=8, systems=6, depth=60, seed=3)


@pytest.fixture(scope="session")
def small_rounds() -> Collection:
    """The same in Dynamic Domain's shape."""
    return synthetic_dynamic_domain(topics=8, systems=6, seed=3)
