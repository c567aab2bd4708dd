"""`make mutants`: small faults put into metrics, unanimity and axioms, and how many of them the tests notice.

mutmut makes the mutants; each runs against the tests that run its statement, in a process of its own. Works in a copy,
build/mutants. A sample is drawn by seed from each package, as all take hours; `--sample all` takes every mutant. A mutant
killed before is not tried again while its file stays as it was; `--fresh` forgets what is known.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

from making import Module, Mutant
from running import decide, watch

ROOT = Path(__file__).parents[2]
COPY = ROOT / "build" / "mutants"
COPIED = ["src", "tests", "docs", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"]
PACKAGES: dict[str, tuple[str, int | None]] = {  # the first that fits is a module's package; how many are drawn from it
    "metrics/compat": ("diveval.metrics.compat", 300),
    "metrics": ("diveval.metrics", 400),
    "meta/unanimity": ("diveval.meta.unanimity", None),
    "axioms": ("diveval.axioms", 400),
}


def main() -> int:
    words = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    words.add_argument("--sample", default="", help="mutants per package, or `all`; without it what PACKAGES says")
    words.add_argument("--seed", default="1")
    words.add_argument("--package", action="append", choices=PACKAGES, help="only this package (may be repeated)")
    words.add_argument("--processes", type=int, default=2)
    words.add_argument("--budget", type=float, default=45, help="seconds of tests a mutant must stand")
    words.add_argument("--fresh", action="store_true", help="try again what is known to be killed")
    words.add_argument("--keep", action="store_true", help="work on the copy as it is, whatever the tree says now")
    asked = words.parse_args()
    if not asked.keep:
        copy_tree()
    shutil.rmtree(COPY / "scratch", ignore_errors=True)
    (COPY / "scratch").mkdir()
    os.chdir(COPY)
    drawn = {package: draw(package, asked) for package in asked.package or PACKAGES}
    known = {} if asked.fresh else load()
    try_all([mutant for mutants, _ in drawn.values() for mutant in mutants], known, asked)
    for package, (mutants, of) in drawn.items():
        tell(package, mutants, of, known)
    return 0


def copy_tree() -> None:
    """What the tests need. The shared tree is never changed, and may change while the copy is worked on."""
    for name in COPIED:
        source, target = ROOT / name, COPY / name
        if source.is_dir():
            leave = shutil.ignore_patterns("__pycache__", "_build", "_generated", "*.egg-info")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=leave)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def package_of(module: str) -> str | None:
    return next((package for package, (prefix, _) in PACKAGES.items() if f"{module}.".startswith(f"{prefix}.")), None)


def draw(package: str, asked: argparse.Namespace) -> tuple[list[Mutant], int]:
    """The mutants drawn, and how many there are. A larger sample contains every smaller one of its seed."""
    modules = [
        Module(path, COPY) for path in sorted((COPY / "src").rglob("*.py")) if package_of(_dotted(path)) == package
    ]
    each = [(module, number) for module in modules for number in range(len(module))]
    size = PACKAGES[package][1] if not asked.sample else None if asked.sample == "all" else int(asked.sample)
    chosen = random.Random(f"{asked.seed} {package}").sample(each, len(each))[:size]
    return [module.mutant(number) for module, number in chosen], len(each)


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(COPY / "src").with_suffix("").parts).removesuffix(".__init__")


def load() -> dict[str, str]:
    try:
        return dict(json.loads((COPY / "known.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def try_all(mutants: list[Mutant], known: dict[str, str], asked: argparse.Namespace) -> None:
    """Fill in what became of each mutant."""
    from mutmut.configuration import config

    open_ones = [mutant for mutant in mutants if known.get(mutant.key) not in ("killed", "timeout")]
    if not open_ones:
        return
    modules = [_dotted(path) for path in sorted((COPY / "src").rglob("*.py")) if package_of(_dotted(path))]
    tests = watch(COPY, config().pytest_add_cli_args_test_selection, modules)
    work = []
    for mutant in open_ones:
        chosen = tests.of(mutant, asked.budget)
        if chosen:
            work.append((mutant, chosen, sum(tests.seconds[test] for test in chosen)))
        else:
            known[mutant.key] = "no test"
    for number, (mutant, outcome) in enumerate(decide(COPY, work, tests.others, asked.processes), 1):
        known[mutant.key] = outcome
        print(f"{number}/{len(work)} {outcome} {mutant.name}", flush=True)
        (COPY / "known.json").write_text(json.dumps(known), encoding="utf-8")


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.959964, killed / tried
    middle, spread = share + z * z / (2 * tried), z * math.sqrt((share * (1 - share) + z * z / (4 * tried)) / tried)
    return (middle - spread) / (1 + z * z / tried), (middle + spread) / (1 + z * z / tried)


def tell(package: str, mutants: list[Mutant], of: int, known: dict[str, str]) -> None:
    """The mutants of a package that live, as differences, then its score."""
    print(f"\n== {package}")
    for mutant in sorted(mutants, key=lambda mutant: (mutant.path, mutant.line)):
        if known[mutant.key] not in ("killed", "timeout"):
            print(f"{known[mutant.key]}: {mutant}")
    counts = Counter(known[mutant.key] for mutant in mutants)
    killed = counts["killed"] + counts["timeout"]
    low, high = interval(killed, len(mutants))
    sure = "all of them" if len(mutants) == of else f"of {of}; 95 % interval {low:.1%} to {high:.1%}"
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
    print(f"{package}: {killed / len(mutants):.1%} killed, {len(mutants)} mutants, {sure} ({kinds})")


if __name__ == "__main__":
    sys.exit(main())
