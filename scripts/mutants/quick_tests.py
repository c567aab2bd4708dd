"""A pytest plugin for mutation testing: fewer examples, no slow fixtures, and no cache shared between processes."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

EXAMPLES = 12
SLOW_FIXTURES = {"whole"}  # the complete matrix of axioms takes half a minute; other tests decide its cells one by one


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give this process its own folder for temporary files and verdicts: a shared cache would hide the mutant."""
    scratch = tempfile.mkdtemp(prefix="mutant-", dir=os.environ["MUTANTS_SCRATCH"])
    config.option.basetemp = Path(scratch) / "tests"
    os.environ["DIVEVAL_CACHE"] = str(Path(scratch) / "cache")
    config.add_cleanup(lambda: shutil.rmtree(scratch, ignore_errors=True))
    if "MUTANTS_NOTES" in os.environ:
        config.pluginmanager.register(LineRecorder(Path(os.environ["MUTANTS_NOTES"])))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests with slow fixtures and limit the examples of the others."""
    slow = [item for item in items if SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ()))]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
    for item in items:
        _limit_search(getattr(item, "obj", None))


def _limit_search(function: Any) -> None:
    """Use the same few examples for every mutant, without shrinking: one that fails is enough."""
    chosen = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        function._hypothesis_internal_use_settings = settings(
            chosen,
            max_examples=min(chosen.max_examples, EXAMPLES),
            phases=[Phase.explicit, Phase.generate],
            derandomize=True,
            database=None,
            deadline=None,
        )


class LineRecorder:
    """Records which lines each test runs and how long it takes."""

    def __init__(self, notes: Path) -> None:
        import coverage

        self._notes = notes
        self._seconds: dict[str, float] = defaultdict(float)
        self._coverage = coverage.Coverage(data_file=None, source=["src/diveval"])
        self._coverage.start()
        for name in os.environ["MUTANTS_MODULES"].split():  # lines run by an import belong to no single test
            importlib.import_module(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._coverage.switch_context(item.nodeid)
        done = yield
        self._coverage.switch_context("")
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        data, folder = self._coverage.get_data(), Path.cwd()
        files = {str(Path(path).relative_to(folder)): data.contexts_by_lineno(path) for path in data.measured_files()}
        others = [
            name for name, module in sys.modules.items() if "site-packages" in (getattr(module, "__file__", "") or "")
        ]
        notes = {"seconds": self._seconds, "by_line": files, "others": others}
        self._notes.write_text(json.dumps(notes), encoding="utf-8")
