"""Coverage of csrc/: build the scanner with gcc --coverage in a copy of the tree, run the tests, count with gcov.

    python scripts/c_coverage.py [FOLDER]

The copy and the counts stay in FOLDER (build/coverage/c). These tests do not make allocations fail, so the lines that
handle such failures count as not run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ["src", "csrc", "tests", "setup.py", "pyproject.toml", "README.md", "LICENSE"]
# The tests of the readers, except one that builds a program of its own with sanitizers.
READERS = [
    "tests/unit/reading",
    "--ignore=tests/unit/reading/test_scan_sanitized.py",
    "tests/laws/test_scanner_twins.py",
    "tests/robustness/test_bad_input.py",
]
# Atomic updates, because threads scan files without the GIL and share the counters.
FLAGS = "--coverage -O0 -fprofile-update=atomic"


def build(tree: Path) -> Path:
    """Copy what the tests need, build the scanner with counters there and return the folder of its object files."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored)
        else:
            shutil.copy(source, tree / name)
    environment = {**os.environ, "CC": "gcc", "CFLAGS": FLAGS, "LDFLAGS": "--coverage"}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", "--build-temp", "objects"]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    return tree / "objects" / "csrc"


def run_tests(tree: Path) -> int:
    """Run the readers' tests on the copy and return pytest's exit code; the counts are written when a process ends."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={tree / 'temporary'}", *READERS]
    return subprocess.run(command, cwd=tree, env=environment, check=False).returncode


def count(tree: Path, objects: Path) -> dict[str, list[int]]:
    """Print the lines that were not run; return for each source file: lines run, lines, branches taken, branches."""
    lines: dict[tuple[str, int], int] = defaultdict(int)
    branches: dict[tuple[str, int, int], int] = defaultdict(int)
    for notes in sorted(objects.glob("*.gcno")):
        gcov = ["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)]
        done = subprocess.run(gcov, cwd=tree, capture_output=True, text=True, check=True)
        for source in json.loads(done.stdout)["files"]:
            name = source["file"]
            if not name.startswith("csrc/"):
                continue  # Python's own headers
            # Functions of a header are compiled into every source that includes it: their counts are added.
            for line in source["lines"]:
                number = line["line_number"]
                lines[name, number] += line["count"]
                for index, branch in enumerate(line["branches"]):
                    branches[name, number, index] += branch["count"]
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (name, _), runs in lines.items():
        totals[name][0] += runs > 0
        totals[name][1] += 1
    for (name, _, _), runs in branches.items():
        totals[name][2] += runs > 0
        totals[name][3] += 1
    missing = defaultdict(list)
    for (name, number), runs in sorted(lines.items()):
        if not runs:
            missing[name].append(number)
    for name, numbers in missing.items():
        print(f"{name}: not run: {', '.join(map(str, numbers))}")
    return totals


def main() -> None:
    """Build, test, count and print."""
    if missing := [tool for tool in ("gcc", "gcov") if shutil.which(tool) is None]:
        sys.exit(f"c_coverage: {' and '.join(missing)} not found; the C sources are not counted")
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "coverage" / "c").resolve()
    objects = build(tree)
    code = run_tests(tree)
    totals = count(tree, objects)
    totals["all of csrc"] = [sum(column) for column in zip(*totals.values(), strict=True)]
    print(f"{'':20}{'lines':>16}{'branches':>20}")
    for name, (run, lines, taken, branches) in totals.items():
        print(f"{name:20}{run:6}/{lines:<4}{run / lines:6.1%}{taken:8}/{branches:<5}{taken / max(branches, 1):6.1%}")
    sys.exit(code)


if __name__ == "__main__":
    main()
