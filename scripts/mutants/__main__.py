"""`make mutants`: mutation testing of what computes and decides: metrics, unanimity, axioms, conclusions, recommenders, answers.

mutmut creates the mutants; for each, the tests that run its statement are run in a process of their own, in a copy of the
tree (build/mutants). A random sample of each package is tested, because all mutants take hours; `--sample all` takes every
mutant. A mutant that was killed is not tested again until its file changes; `--fresh` discards the earlier results.
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
from dataclasses import dataclass
from pathlib import Path

from making import Module, Mutant
from running import decide, record_lines

ROOT = Path(__file__).parents[2]
COPY = ROOT / "build" / "mutants"
COPIED = ["src", "tests", "docs", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"]


@dataclass(frozen=True)
class Package:
    """Modules that are mutated together, and the tests that may find their mutants."""

    prefix: str  # of the modules' names; the first package that matches has the module
    sample: int | None  # mutants; None for all
    tests: tuple[str, ...] = ()  # none: those of pyproject.toml


PACKAGES = {
    "metrics/compat": Package("diveval.metrics.compat", 300),
    "metrics": Package("diveval.metrics", 400),
    "meta/unanimity": Package("diveval.meta.unanimity", None),
    "axioms": Package("diveval.axioms", 400),
    "conclusions": Package(
        "diveval.conclusions",
        200,
        (
            "tests/laws/test_conclusions_laws.py",
            "tests/laws/test_result_protocol.py",
            "tests/unit/cli/test_evidence.py",
            "tests/unit/conclusions",
            "tests/unit/judging/test_board.py",
            "tests/unit/judging/test_pools.py",
            "tests/unit/report/test_survival.py",
            "tests/unit/test_judged_only.py",
            "tests/unit/test_statements.py",
        ),
    ),
    "recommend": Package("diveval.recommend", 200, ("tests/peers/test_rectools.py", "tests/unit/recommend")),
    "answers": Package(
        "diveval.answers",
        200,
        ("tests/laws/test_result_protocol.py", "tests/unit/answers", "tests/unit/datasets/test_rag_answers.py"),
    ),
    "violations": Package("diveval.analysis.violations", 200, ("tests/unit/violations",)),
    "results": Package(
        "diveval.results",
        200,
        (
            "tests/laws/test_result_protocol.py",
            "tests/peers/test_frames.py",
            "tests/unit/cli",
            "tests/unit/compat/test_drop_in.py",
            "tests/unit/compat/test_printouts.py",
            "tests/unit/metrics/test_user_models.py",
            "tests/unit/report/test_headline.py",
            "tests/unit/results",
            "tests/unit/stats",
            "tests/unit/test_api.py",
            "tests/unit/test_csv.py",
            "tests/unit/test_evaluation.py",
            "tests/unit/test_formulas_in_tables.py",
            "tests/unit/test_judged_only.py",
            "tests/unit/test_public_objects.py",
            "tests/unit/test_publishing.py",
            "tests/unit/test_spreadsheets.py",
            "tests/unit/test_statements.py",
        ),
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--sample", default="", help="mutants per package, or `all`; default: see PACKAGES")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--package", action="append", choices=PACKAGES, help="only this package (may be repeated)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--budget", type=float, default=45, help="seconds of tests per mutant")
    parser.add_argument("--tests", action="append", help="a file or folder of tests instead of all that are selected")
    parser.add_argument("--fresh", action="store_true", help="test again the mutants that were killed before")
    parser.add_argument("--keep", action="store_true", help="use the existing copy, even if the tree has changed")
    options = parser.parse_args()
    if not options.keep:
        copy_tree()
    shutil.rmtree(COPY / "scratch", ignore_errors=True)
    (COPY / "scratch").mkdir()
    os.chdir(COPY)
    samples = {package: sample(package, options) for package in options.package or PACKAGES}
    outcomes = {} if options.fresh else load()
    for package, (mutants, _) in samples.items():
        test_all(package, mutants, outcomes, options)
    for package, (mutants, total) in samples.items():
        report(package, mutants, total, outcomes)
    return 0


def copy_tree() -> None:
    """Copy what the tests need, so that the tree is not modified and may change during the run."""
    for name in COPIED:
        source, target = ROOT / name, COPY / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "_build", "_generated", "*.egg-info")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def package_of(module: str) -> str | None:
    return next((package for package, entry in PACKAGES.items() if f"{module}.".startswith(f"{entry.prefix}.")), None)


def sample(package: str, options: argparse.Namespace) -> tuple[list[Mutant], int]:
    """The sampled mutants and the number of all. A larger sample contains every smaller one with the same seed."""
    modules = [
        Module(path, COPY) for path in sorted((COPY / "src").rglob("*.py")) if package_of(_dotted(path)) == package
    ]
    each = [(module, number) for module in modules for number in range(len(module))]
    size = PACKAGES[package].sample if not options.sample else None if options.sample == "all" else int(options.sample)
    chosen = random.Random(f"{options.seed} {package}").sample(each, len(each))[:size]
    return [module.mutant(number) for module, number in chosen], len(each)


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(COPY / "src").with_suffix("").parts).removesuffix(".__init__")


def load() -> dict[str, str]:
    try:
        return dict(json.loads((COPY / "outcomes.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def test_all(package: str, mutants: list[Mutant], outcomes: dict[str, str], options: argparse.Namespace) -> None:
    """Test the mutants of a package that have no result and add their outcomes."""
    from mutmut.configuration import config

    untested = [mutant for mutant in mutants if outcomes.get(mutant.key) not in ("killed", "timeout")]
    if not untested:
        return
    modules = [_dotted(path) for path in sorted((COPY / "src").rglob("*.py")) if package_of(_dotted(path))]
    selection = options.tests or PACKAGES[package].tests or config().pytest_add_cli_args_test_selection
    tests = record_lines(COPY, selection, modules)
    work = []
    for mutant in untested:
        chosen = tests.of(mutant, options.budget)
        if chosen:
            work.append((mutant, chosen, sum(tests.seconds[test] for test in chosen)))
        else:
            outcomes[mutant.key] = "no test"
    for number, (mutant, outcome) in enumerate(decide(COPY, work, tests, options.processes), 1):
        outcomes[mutant.key] = outcome
        print(f"{number}/{len(work)} {outcome} {mutant.name}", flush=True)
        (COPY / "outcomes.json").write_text(json.dumps(outcomes), encoding="utf-8")


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.959964, killed / tried
    middle, spread = share + z * z / (2 * tried), z * math.sqrt((share * (1 - share) + z * z / (4 * tried)) / tried)
    return (middle - spread) / (1 + z * z / tried), (middle + spread) / (1 + z * z / tried)


def report(package: str, mutants: list[Mutant], total: int, outcomes: dict[str, str]) -> None:
    """Print the surviving mutants of a package as diffs, then its score."""
    print(f"\n== {package}")
    for mutant in sorted(mutants, key=lambda mutant: (mutant.path, mutant.line)):
        if outcomes[mutant.key] not in ("killed", "timeout"):
            print(f"{outcomes[mutant.key]}: {mutant}")
    counts = Counter(outcomes[mutant.key] for mutant in mutants)
    killed = counts["killed"] + counts["timeout"]
    low, high = interval(killed, len(mutants))
    scope = "all of them" if len(mutants) == total else f"of {total}; 95 % interval {low:.1%} to {high:.1%}"
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
    print(f"{package}: {killed / len(mutants):.1%} killed, {len(mutants)} mutants, {scope} ({kinds})")


if __name__ == "__main__":
    sys.exit(main())
