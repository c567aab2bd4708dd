"""Run tests against mutants. Each has a process forked from one that has not imported diveval, so that no state is shared."""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from making import Mutant

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Tests:
    """Which tests run a line, and how many seconds each takes."""

    seconds: dict[str, float]
    by_line: dict[str, dict[int, list[str]]]
    others: set[str]  # third-party modules that the tests import

    def of(self, mutant: Mutant, budget: float) -> list[str]:
        """The tests that run the mutated statement, fastest first, within the budget; all tests if an import runs it."""
        lines = self.by_line.get(mutant.path, {})
        tests = {test for line in mutant.statement() for test in lines.get(line, [])}
        if "" in tests:
            tests = set(self.seconds)
        chosen, spent = [], 0.0
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            spent += self.seconds[test]
            if chosen and spent > budget:
                break
            chosen.append(test)
        return chosen


def record_lines(copy: Path, selection: Sequence[str], modules: Iterable[str]) -> Tests:
    """Which tests run each line. Test files without a record for this source are run once, in a separate process."""
    files = [path for word in selection for path in sorted((copy / word).rglob("test_*.py")) or [copy / word]]
    common = _digest([*(copy / "src").rglob("*.py"), *(copy / "tests" / "support").rglob("*.py")])
    records = {
        path: copy / "notes" / f"{_digest([path, *_neighbours(path)])[:16]}-{common[:16]}.json" for path in files
    }
    (copy / "notes").mkdir(exist_ok=True)
    missing = [path for path in files if not records[path].exists()]
    if missing:
        _record(copy, missing, records, modules)
    seconds: dict[str, float] = {}
    by_line: dict[str, dict[int, list[str]]] = {}
    others: set[str] = set()
    for path in files:
        notes = json.loads(records[path].read_text(encoding="utf-8"))
        seconds |= notes["seconds"]
        for source, lines in notes["by_line"].items():
            for line, tests in lines.items():
                by_line.setdefault(source, {}).setdefault(int(line), []).extend(tests)
        others |= set(notes["others"])
    return Tests(seconds, by_line, others)


def _record(copy: Path, files: Sequence[Path], records: dict[Path, Path], modules: Iterable[str]) -> None:
    """Run the test files and write one record for each."""
    notes = copy / "notes" / "now.json"
    command = [sys.executable, "-m", "pytest", "-p", "quick_tests", "-p", "no:cacheprovider"]
    command += [str(path.relative_to(copy)) for path in files]
    variables = {"MUTANTS_NOTES": str(notes), "MUTANTS_MODULES": " ".join(modules)}
    done = subprocess.run(command, cwd=copy, env=environment(copy) | variables, check=False)
    if done.returncode:
        raise SystemExit("the tests fail without any mutation")
    record = json.loads(notes.read_text(encoding="utf-8"))
    for path in files:
        prefix = f"{path.relative_to(copy).as_posix()}::"
        seconds = {test: time for test, time in record["seconds"].items() if test.startswith(prefix)}
        by_line = {
            source: {line: own for line, tests in lines.items() if (own := [t for t in tests if t in seconds or not t])}
            for source, lines in record["by_line"].items()
        }
        records[path].write_text(
            json.dumps({"seconds": seconds, "by_line": by_line, "others": record["others"]}), encoding="utf-8"
        )


def _neighbours(path: Path) -> list[Path]:
    """Files in the same folder that a test file may read or import."""
    return [other for other in path.parent.iterdir() if other.is_file() and not other.name.startswith("test_")]


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def environment(copy: Path) -> dict[str, str]:
    """The copy's sources take precedence over the installed ones; bytecode is cached, because every mutant imports the tests."""
    paths = os.pathsep.join([str(HERE), str(copy / "src")])
    changed = {"PYTHONPATH": paths, "MUTANTS_SCRATCH": str(copy / "scratch")}
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | changed


def decide(
    copy: Path, work: Sequence[tuple[Mutant, list[str], float]], others: Iterable[str], processes: int
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with its outcome: killed, timeout or survived."""
    for name in sorted(others):  # imported once and inherited by every child process
        with suppress(Exception):
            importlib.import_module(name)
    os.environ.update(environment(copy))
    sys.dont_write_bytecode = False
    sys.path.insert(0, str(copy / "src"))
    os.chdir(copy)
    running: dict[int, Mutant] = {}
    waiting = list(work)
    while waiting or running:
        while waiting and len(running) < processes:
            mutant, tests, seconds = waiting.pop(0)
            pid = os.fork()
            if pid == 0:
                _child(mutant, tests, seconds)
            running[pid] = mutant
        pid, status = os.wait()
        if pid in running:
            yield running.pop(pid), _outcome(os.waitstatus_to_exitcode(status))


def _outcome(code: int) -> str:
    """The outcome for pytest's exit code; -24 and -9 are the signals of the CPU time limit."""
    return {0: "survived", -24: "timeout", -9: "timeout"}.get(code, "killed")


def _child(mutant: Mutant, tests: list[str], seconds: float) -> None:
    """Run the tests with the mutant in place of its module; never returns."""
    code = 3
    try:
        limit = int(10 + 4 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        sys.meta_path.insert(0, _Finder(mutant))
        import pytest

        code = int(pytest.main(["-x", "-q", "-p", "quick_tests", "-p", "no:cacheprovider", "--tb=no", *tests]))
    finally:
        os._exit(code)


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the mutant's text under the name of its file."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(Path(mutant.path).resolve()))
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._mutant.source, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the mutated module only."""

    def __init__(self, mutant: Mutant) -> None:
        self._loader = _Loader(mutant)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._loader.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)
