"""Verdicts on disk, under a digest of everything they depend on: metric, constraint, reading, bounds and the source code
of the engine."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import re
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from diveval.axioms.proof.subjects import SymbolicMetric
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError
from diveval.system.files import cache_folder, trusted, write_atomically


@cache
def version() -> str:
    """A digest of the sources of the engine and of the metrics: another version decides again."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    files = [*(package / "axioms").rglob("*.csv")]
    for part in ("axioms", "exact", "metrics"):
        files += (package / part).rglob("*.py")
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key(subject: SymbolicMetric, axiom: Axiom, reading: Reading, bounds: Bounds) -> str | None:
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
            names = find_imports(ast.parse(content), file)
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


def find_imports(tree: ast.AST, file: Path) -> set[str] | None:
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
    """A verdict from the cache; None if there is none, if the file is damaged, or if another user could have written it."""
    if not trusted(folder()):
        return None
    try:
        kept = json.loads((folder() / f"{name}.json").read_bytes())
        text = json.dumps(kept["verdict"], sort_keys=True)
        if kept["key"] != name or kept["sum"] != _sum(text):
            return None
        return Verdict.from_dict(kept["verdict"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store(name: str, verdict: Verdict) -> None:
    """Keep a verdict, except one that more time might change.

    A cache folder that cannot be written is ignored, and so is one that others can write: they could forge a verdict, or
    plant a link that makes this process replace another file.
    """
    if verdict.verdict == "unknown" or verdict.hurried:
        return
    shape = verdict.as_dict()
    kept = {"key": name, "sum": _sum(json.dumps(shape, sort_keys=True)), "verdict": shape}
    try:
        folder().mkdir(mode=0o755, parents=True, exist_ok=True)
        if not trusted(folder()):
            return
        write_atomically(folder() / f"{name}.json", json.dumps(kept))
    except (OSError, UsageError):
        return


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
