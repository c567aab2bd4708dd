"""Decide many cells, from the cache or in several processes: for the command line, the report and the studio.

The cache keeps verdicts on disk under a digest of everything they depend on: metric, constraint, reading, bounds and the
source code of the engine.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

from diveval.axioms.proof.decide import SECONDS, Metric, check
from diveval.axioms.proof.subjects import Subject, subject
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError, need, warn
from diveval.files import cache_folder, write_atomically
from diveval.processes import process_pool

Progress = Callable[[int, int, Verdict], None]  # done, all, the latest
# Metrics that take longest, decided first to keep all processes busy to the end. Only the order depends on this.
SLOW = ("CT", "EU", "alpha", "D#", "NRBP", "RBU")


@dataclass(frozen=True)
class Cell:
    """One question: does this metric satisfy this constraint under this reading?"""

    subject: Subject
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    time_limit: float

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise UsageError(f"the time limit is a positive number of seconds, got {self.time_limit}")

    @classmethod
    def of(
        cls,
        metric: Metric,
        axiom: str | Axiom,
        reading: str | Reading = CHARITABLE,
        bounds: Bounds | None = None,
        time_limit: float = SECONDS,
    ) -> Cell:
        """A cell from names, with defaults for what is not given."""
        return cls(subject(metric), as_axiom(axiom), as_reading(reading), bounds or Bounds(), time_limit)

    @cached_property
    def key(self) -> str | None:
        """The cache key, computed once: if a source file is edited meanwhile, the verdict belongs to the old version."""
        return key(self.subject, self.axiom, self.reading, self.bounds)

    @property
    def travels(self) -> bool:
        """Whether another process can decide it: a function or an axiom defined in memory cannot be pickled."""
        named = AXIOMS.get(self.axiom.name) is self.axiom
        return named and (not self.subject.user or isinstance(self.subject.source, str))

    def asked(self) -> tuple[Metric, str | Axiom, Reading, Bounds, float]:
        """The arguments of `decide`, as they are sent to another process."""
        metric = self.subject.source if self.subject.user and self.travels else self.subject
        axiom = self.axiom.name if self.travels else self.axiom
        return metric, axiom, self.reading, self.bounds, self.time_limit


def kept(cell: Cell) -> Verdict | None:
    """The verdict on disk, if there is one."""
    return None if cell.key is None else load(cell.key)


def answer(cell: Cell, *, cached: bool = True) -> Verdict:
    """One cell: from the cache, or decided here and kept."""
    found = kept(cell) if cached else None
    if found is None:
        found = decide(*cell.asked())
        if cached and cell.key is not None:
            store(cell.key, found)
    return found


def answers(
    cells: Sequence[Cell], *, jobs: int = 2, cached: bool = True, progress: Progress | None = None
) -> dict[Cell, Verdict]:
    """Many cells: those in the cache first, then the rest, decided in `jobs` processes."""
    need("z3", "axioms")
    if jobs < 1:
        raise UsageError(f"the number of jobs is at least 1, got {jobs}")
    found: dict[Cell, Verdict] = {}
    asked = list(dict.fromkeys(cells))

    def keep(cell: Cell, verdict: Verdict) -> None:
        found[cell] = verdict
        if progress is not None:
            progress(len(found), len(asked), verdict)

    for cell in asked if cached else []:
        before = kept(cell)
        if before is not None:
            keep(cell, before)
    for cell, verdict in _decided([cell for cell in asked if cell not in found], jobs):
        if cached and cell.key is not None:
            store(cell.key, verdict)
        keep(cell, verdict)
    return found


def _decided(cells: Iterable[Cell], jobs: int) -> Iterator[tuple[Cell, Verdict]]:
    """Each cell with its verdict, in the order in which they are decided."""
    travels = [cell for cell in cells if cell.travels]
    stays = [cell for cell in cells if not cell.travels]
    if jobs > 1 and len(travels) > 8:
        waiting = sorted(travels, key=lambda cell: not cell.subject.name.startswith(SLOW))
        done = set()
        try:
            with process_pool(jobs, seldom_collected) as pool:
                futures: dict[Future[Verdict], Cell] = {pool.submit(decide, *cell.asked()): cell for cell in waiting}
                for future in as_completed(futures):
                    yield futures[future], future.result()
                    done.add(futures[future])
            travels = []
        except BrokenProcessPool:
            warn("a worker process ended without an answer; the rest is decided in this one")
            travels = [cell for cell in waiting if cell not in done]
    for cell in [*travels, *stays]:
        yield cell, decide(*cell.asked())


def seldom_collected() -> None:
    """Run the garbage collector rarely: deciding makes many polynomials and no reference cycles."""
    gc.set_threshold(100_000, 20, 20)


def decide(metric: Metric, axiom: str | Axiom, reading: Reading, bounds: Bounds, time_limit: float) -> Verdict:
    """One cell, in the process that calls this."""
    return check(metric, axiom, reading=reading, bounds=bounds, time_limit=time_limit)


# --- the cache --------------------------------------------------------------------------------------------------------


@cache
def version() -> str:
    """A digest of the sources of the engine and of the metrics: another version decides again."""
    here = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted([*here.rglob("*.py"), *here.rglob("*.csv"), *(here.parent / "metrics").rglob("*.py")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key(subject: Subject, axiom: Axiom, reading: Reading, bounds: Bounds) -> str | None:
    """The cache key of a verdict; None where no text identifies the metric or axiom, such as a function in memory."""
    if not isinstance(subject.source, str) or AXIOMS.get(axiom.name) is not axiom:
        return None
    code: str | None = repr(subject.formula)
    written = re.search(r"^(.*\.py):[^:]+$", subject.source)
    if written:
        code = sources(Path(written[1]))
    if code is None:
        return None
    parts = [subject.source, code, str(subject.cutoff), axiom.name, reading.as_dict(), repr(bounds), version()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def sources(path: Path) -> str | None:
    """A digest of a file and of every file it imports, directly or not; None where the imports cannot be determined.

    The standard library is identified by Python's version, an installed package by the time and size of its files.
    """
    digest, waiting, done = hashlib.sha256(sys.version.encode()), [path], set[Path]()
    while waiting:
        file = waiting.pop().resolve()
        if file in done:
            continue
        done.add(file)
        try:
            content = file.read_bytes()
            names = imported(ast.parse(content), file)
        except (OSError, SyntaxError, ValueError):
            return None
        if names is None:
            return None
        digest.update(str(file).encode() + b"\0" + content)
        for name in sorted(names):
            found = _origin(name)
            if isinstance(found, Path):
                waiting.append(found)
            elif found is None:
                return None
            else:
                digest.update(found.encode())
    return digest.hexdigest()


# Names whose use may make a score depend on more than the sources: computed imports, files, the environment.
_OUTSIDE = {"__import__", "exec", "eval", "open", "environ", "getenv"}
_OUTSIDE |= {"read_text", "read_bytes", "read_csv", "read_json", "load", "loadtxt", "genfromtxt", "fromfile"}


def imported(tree: ast.AST, file: Path) -> set[str] | None:
    """The modules a file imports, anywhere in it; None where its values may depend on more than those."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level or not node.module:
                return None
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif {getattr(node, "id", ""), getattr(node, "attr", "")} & _OUTSIDE:  # a name, or an attribute
            return None
    return None if "importlib" in {name.partition(".")[0] for name in names} else names


def _origin(name: str) -> Path | str | None:
    """Where a module comes from: a file to look into, a text that identifies an installed package, or None."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names or top in ("diveval", "numpy"):
        return f"{top} {metadata.version(top)}" if top == "numpy" else top
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return f"{name} is no module"  # a name inside a module, which is looked into by itself
    if spec is None:
        return f"{name} is no module" if "." in name else None
    origin = spec.origin
    if origin is None or not origin.endswith(".py"):
        return f"{name} {origin}"
    path = Path(origin)
    if {"site-packages", "dist-packages"} & set(path.parts):
        return f"{name} {path} {path.stat().st_mtime_ns} {path.stat().st_size}"
    return path


def folder() -> Path:
    return cache_folder() / "axioms"


def load(name: str) -> Verdict | None:
    """A verdict from the cache; None if there is none, or if the file is damaged."""
    try:
        kept = json.loads((folder() / f"{name}.json").read_bytes())
        text = json.dumps(kept["verdict"], sort_keys=True)
        if kept["key"] != name or kept["sum"] != _sum(text):
            return None
        return Verdict.from_dict(kept["verdict"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store(name: str, verdict: Verdict) -> None:
    """Keep a verdict, except one that more time might change. A cache folder that cannot be written is ignored."""
    if verdict.verdict == "unknown" or verdict.hurried:
        return
    shape = verdict.as_dict()
    kept = {"key": name, "sum": _sum(json.dumps(shape, sort_keys=True)), "verdict": shape}
    try:
        folder().mkdir(parents=True, exist_ok=True)
        write_atomically(folder() / f"{name}.json", json.dumps(kept))
    except (OSError, UsageError):
        return


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
