"""Run tests against mutants. Each has a process forked from one that has not imported diveval, so that no state is shared."""

from __future__ import annotations
import __future__

import ast
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from making import Mutant

HERE = Path(__file__).parent
_NOT_REPLACED = 70
_OPTIONS = ["-q", "-p", "quick_tests", "-p", "no:cacheprovider"]


@dataclass(frozen=True)
class Tests:
    """Which tests run a line, and how many seconds each takes."""

    seconds: dict[str, float]
    by_line: dict[str, dict[int, list[str]]]
    others: set[str]  # third-party modules that the tests import

    def _running(self, mutant: Mutant) -> set[str]:
        lines = self.by_line.get(mutant.path, {})
        return {test for line in mutant.statement() for test in lines.get(line, [])}

    def runs_at_import(self, mutant: Mutant) -> bool:
        """Whether an import runs the mutated statement: nothing can replace it after that."""
        return "" in self._running(mutant)

    def of(self, mutant: Mutant, budget: float) -> list[str]:
        """The tests that run the mutated statement, fastest first, within the budget; all tests if an import runs it."""
        tests = set(self.seconds) if self.runs_at_import(mutant) else self._running(mutant)
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
    copy: Path, work: Sequence[tuple[Mutant, list[str], float]], tests: Tests, processes: int
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with its outcome: killed, timeout or survived.

    A mutant that no import runs replaces its function in a process that has collected the tests; the others are imported.
    """
    os.environ.update(environment(copy))
    sys.dont_write_bytecode = False
    sys.path.insert(0, str(copy / "src"))
    os.chdir(copy)
    replaceable = [entry for entry in work if not tests.runs_at_import(entry[0])]
    imported = [entry for entry in work if tests.runs_at_import(entry[0])]
    entries = {entry[0].key: entry for entry in work}
    for mutant, outcome in _decide_collected(replaceable, processes):
        if outcome == "not replaced":
            imported.append(entries[mutant.key])
        else:
            yield mutant, outcome
    for name in sorted(tests.others):  # imported once and inherited by every child process
        with suppress(Exception):
            importlib.import_module(name)
    yield from _fork_each(imported, processes, _import_and_test)


def _decide_collected(work: Sequence[tuple[Mutant, list[str], float]], processes: int) -> Iterator[tuple[Mutant, str]]:
    """Decide in a process that has imported diveval and collected the tests; it reports by a pipe."""
    if not work:
        return
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _collect_and_test(work, processes, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        for line in lines:
            number, outcome = line.rstrip().split(maxsplit=1)
            yield work[int(number)][0], outcome
    os.waitpid(pid, 0)


def _collect_and_test(work: Sequence[tuple[Mutant, list[str], float]], processes: int, writing: int) -> None:
    """Collect the tests of all mutants, then test each mutant in a fork; never returns."""
    import pytest

    class Loop:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            items = {item.nodeid: item for item in session.items}
            numbers = {mutant.key: number for number, (mutant, _, _) in enumerate(work)}

            def test(mutant: Mutant, tests: list[str]) -> int:
                return _replace_and_test(mutant, [items[test] for test in tests if test in items], session)

            for mutant, outcome in _fork_each(work, processes, test):
                os.write(writing, f"{numbers[mutant.key]} {outcome}\n".encode())
            return True

    files = sorted({test.partition("::")[0] for _, tests, _ in work for test in tests})
    try:
        pytest.main([*_OPTIONS, "-s", *files], plugins=[Loop()])
    finally:
        os._exit(0)


def _fork_each(
    work: Sequence[tuple[Mutant, list[str], float]], processes: int, test: Callable[[Mutant, list[str]], int]
) -> Iterator[tuple[Mutant, str]]:
    """Run a test of each mutant in a process of its own."""
    running: dict[int, Mutant] = {}
    waiting = list(work)
    while waiting or running:
        while waiting and len(running) < processes:
            mutant, tests, seconds = waiting.pop(0)
            pid = os.fork()
            if pid == 0:
                _child(test, mutant, tests, seconds)
            running[pid] = mutant
        pid, status = os.wait()
        if pid in running:
            yield running.pop(pid), _outcome(os.waitstatus_to_exitcode(status))


def _outcome(code: int) -> str:
    """The outcome for pytest's exit code; the negative ones are the signals of the limits of time."""
    return {0: "survived", _NOT_REPLACED: "not replaced", -24: "timeout", -9: "timeout", -14: "timeout"}.get(
        code, "killed"
    )


def _child(test: Callable[[Mutant, list[str]], int], mutant: Mutant, tests: list[str], seconds: float) -> None:
    """Run the tests of a mutant with limits of CPU time and, for what waits for ever, of time; never returns."""
    code = 3
    try:
        limit = int(10 + 4 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2))
        signal.alarm(60 + 10 * limit)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        code = test(mutant, tests)
    finally:
        os._exit(code)


def _import_and_test(mutant: Mutant, tests: list[str]) -> int:
    """Test with the mutant in place of its module, which nothing has imported yet."""
    import pytest

    sys.meta_path.insert(0, _Finder(mutant))
    return int(pytest.main(["-x", "--tb=no", *_OPTIONS, *tests]))


def _replace_and_test(mutant: Mutant, items: Sequence[Any], session: Any) -> int:
    """Test with the mutant's function in place of the one that has been imported."""
    try:
        _replace_function(mutant)
    except (AssertionError, LookupError, NameError, StopIteration, TypeError, ValueError):
        return _NOT_REPLACED
    scratch = Path(tempfile.mkdtemp(prefix="mutant-", dir=os.environ["MUTANTS_SCRATCH"]))
    try:
        os.environ["DIVEVAL_CACHE"] = str(scratch / "cache")
        session.config._tmp_path_factory._basetemp = scratch
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        return int(session.testsfailed > 0)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _replace_function(mutant: Mutant) -> None:
    """Give the imported function or method the code and the defaults of the mutated one; every reference to it sees them."""
    module = importlib.import_module(mutant.module)
    owner: Any = module
    body: list[ast.stmt] = ast.parse(mutant.source).body
    while True:
        statement = next(s for s in body if s.lineno <= mutant.line <= (s.end_lineno or 0))
        if isinstance(statement, ast.FunctionDef):
            break
        assert isinstance(statement, ast.ClassDef)
        owner, body = vars(owner)[statement.name], statement.body
    inside: ast.stmt = statement
    if owner is not module:  # a class of the same name, so that private names and super() mean the same
        inside = ast.ClassDef(owner.__name__, bases=[], keywords=[], body=[statement], decorator_list=[])
    names = dict(vars(module))
    tree = ast.fix_missing_locations(ast.Module([inside], type_ignores=[]))
    exec(compile(tree, module.__file__ or "", "exec", __future__.annotations.compiler_flag), names)
    mutated = names[statement.name] if owner is module else vars(names[owner.__name__])[statement.name]
    function = vars(owner)[statement.name]
    function.__code__, function.__defaults__ = mutated.__code__, mutated.__defaults__
    function.__kwdefaults__ = mutated.__kwdefaults__


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
