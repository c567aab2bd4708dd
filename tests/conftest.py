"""What all tests share: a cache of verdicts, how many examples a property gets, in which order files reach workers."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest

from support.shared import THOROUGH, folder_of_the_run, times

# Examples of a property at the most: each run draws others, and `make thorough` as many as the property asks for.
EXAMPLES = 20
# ranx compiles for half a minute what the tests call with two topics.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# Threads of numpy's matrix library spin while they wait, on cores that other workers want. This stands before any
# import of numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests make many objects and little garbage; looking through them as often as a program would takes a tenth of the time.
gc.set_threshold(100_000, 20, 20)

try:
    from hypothesis import settings
except ImportError:  # the extras' examples run without it
    pass
else:
    settings.register_profile("diveval", max_examples=times(EXAMPLES, 400), deadline=None)
    settings.load_profile("diveval")

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


def pytest_collection_finish() -> None:
    """What was loaded stays until the end: garbage is not looked for in it."""
    gc.freeze()


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
    if not THOROUGH:
        for item in items:
            _try_fewer(getattr(item, "obj", None))


def _try_fewer(function: Any) -> None:
    """A property that asks for more examples than `EXAMPLES` gets those."""
    chosen = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None and chosen.max_examples > EXAMPLES:
        function._hypothesis_internal_use_settings = settings(chosen, max_examples=EXAMPLES)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _folder(item: pytest.Item) -> str:
    return _file(item).split("/")[1]


def _block(item: pytest.Item) -> str:
    """What stays together: the folders of files that share a browser, else a file."""
    return _file(item).rpartition("/")[0] if _folder(item) == "browser" else _file(item)
