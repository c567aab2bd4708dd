"""What all tests share: a cache of verdicts, how many examples a property gets, in which order files reach workers."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from support.shared import folder_of_the_run

try:
    from hypothesis import settings
except ImportError:  # the extras' examples run without it
    pass
else:
    # Forty examples find what a hundred do here; HYPOTHESIS_PROFILE=thorough asks for more.
    settings.register_profile("suite", max_examples=40, deadline=None)
    settings.register_profile("thorough", max_examples=400, deadline=None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

if os.environ.get("DIVEVAL_REWORD"):
    from support.rewording import reword_everything

    reword_everything()


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cache folder that no other run has touched, for all tests and all workers: what one decides another finds."""
    folder = folder_of_the_run(tmp_path_factory) / "diveval-cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVEVAL_CACHE", str(folder))
        yield str(folder)


# Seconds of a test by its folder, where no mark `slow(seconds=…)` says more: pages, processes, other libraries.
SECONDS = {"browser": 2.0, "robustness": 0.3, "peers": 0.3}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: a long file that starts last is waited for by all. Those of a browser stay together.

    `-n 2 --dist loadfile --no-loadscope-reorder` hands out files in this order.
    """
    weight: dict[str, float] = {}
    for item in items:
        mark = item.get_closest_marker("slow")
        seconds = SECONDS.get(_folder(item), 0.0) if mark is None else mark.kwargs.get("seconds", 3.0)
        for part in {_file(item), _block(item)}:
            weight[part] = weight.get(part, 0.0) + seconds
    items.sort(key=lambda item: (-weight[_block(item)], -weight[_file(item)]))  # stable: a file stays in one piece


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _folder(item: pytest.Item) -> str:
    return _file(item).split("/")[1]


def _block(item: pytest.Item) -> str:
    """What stays together: files that share a browser, else a file."""
    return "browser" if _folder(item) == "browser" else _file(item)
