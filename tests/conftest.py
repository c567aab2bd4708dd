"""Settings of all tests: a shared cache of verdicts, the number of examples of a property, the order of test files."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest

from support.shared import THOROUGH, folder_of_the_run, times

# The most examples of a property in the suite; `make thorough` runs as many as the property declares.
EXAMPLES = 20
# Otherwise ranx compiles for half a minute what the tests call with two topics.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# Threads of numpy's matrix library spin while they wait, on cores that other workers need. This must be set before
# numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests make many objects and little garbage; the default frequency of garbage collection takes a tenth of the time.
gc.set_threshold(100_000, 20, 20)

try:
    from hypothesis import settings
except ImportError:  # the examples of extras run without hypothesis
    pass
else:
    settings.register_profile("diveval", max_examples=times(EXAMPLES, 400), deadline=None)
    settings.load_profile("diveval")

if os.environ.get("DIVEVAL_REWORD"):
    from support.rewording import reword_everything

    reword_everything()


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A new cache folder for all tests and workers of this run."""
    folder = folder_of_the_run(tmp_path_factory) / "diveval-cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVEVAL_CACHE", str(folder))
        yield str(folder)


# Estimated seconds per test by folder, for tests without a mark `slow(seconds=…)`.
SECONDS = {"browser": 2.0, "robustness": 0.3, "peers": 0.3}


def pytest_collection_finish() -> None:
    """Exclude everything loaded so far from garbage collection, since it stays until the end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first, so that no worker waits for a long file at the end, and keep browser tests together.

    `-n 2 --dist loadfile --no-loadscope-reorder` hands out files in this order.
    """
    weight: dict[str, float] = {}
    for item in items:
        mark = item.get_closest_marker("slow")
        seconds = SECONDS.get(_folder(item), 0.0) if mark is None else mark.kwargs.get("seconds", 3.0)
        for part in {_file(item), _block(item)}:
            weight[part] = weight.get(part, 0.0) + seconds
    items.sort(key=lambda item: (-weight[_block(item)], -weight[_file(item)]))  # stable, so a file stays together
    if not THOROUGH:
        for item in items:
            _limit_examples(getattr(item, "obj", None))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many verdicts on axioms were attacked, with how many pairs of rankings."""
    sums: dict[str, list[int]] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        for name, counts in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "teardown" else ():
            if name.startswith("attacked "):
                before = sums.setdefault(name.removeprefix("attacked "), [0, 0])
                before[:] = [old + new for old, new in zip(before, counts, strict=True)]
    for verdict, (cells, pairs) in sorted(sums.items()):
        terminalreporter.write_line(f"attacked: {cells} cells that say {verdict}, {pairs} pairs of rankings")
    if sums:
        cells, pairs = map(sum, zip(*sums.values(), strict=True))
        terminalreporter.write_line(f"attacked: {cells} cells, {pairs} pairs of rankings")


def _limit_examples(function: Any) -> None:
    """Limit the examples of a property to `EXAMPLES`."""
    declared = getattr(function, "_hypothesis_internal_use_settings", None)
    if declared is not None and declared.max_examples > EXAMPLES:
        function._hypothesis_internal_use_settings = settings(declared, max_examples=EXAMPLES)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _folder(item: pytest.Item) -> str:
    return _file(item).split("/")[1]


def _block(item: pytest.Item) -> str:
    """What stays together: a folder of tests that share a browser, else a file."""
    return _file(item).rpartition("/")[0] if _folder(item) == "browser" else _file(item)
