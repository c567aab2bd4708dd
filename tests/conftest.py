"""What all tests share: how many examples a property gets, and in which order files reach the workers."""

from __future__ import annotations

import os

import pytest

try:
    from hypothesis import settings
except ImportError:  # the extras' examples run without it
    pass
else:
    # Forty examples find what a hundred do here; HYPOTHESIS_PROFILE=thorough asks for more.
    settings.register_profile("suite", max_examples=40, deadline=None)
    settings.register_profile("thorough", max_examples=400, deadline=None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, the slowest kinds leading: a long file that starts last is waited for by all.

    `-n 2 --dist loadfile --no-loadscope-reorder` hands out files in this order.
    """
    weight: dict[str, float] = {}
    for item in items:
        mark = item.get_closest_marker("slow")
        weight.setdefault(item.nodeid.partition("::")[0], 0.0)
        if mark is not None:
            weight[item.nodeid.partition("::")[0]] += mark.kwargs.get("seconds", 3.0)
    items.sort(key=lambda item: -weight[item.nodeid.partition("::")[0]])  # stable: a file stays in one piece
