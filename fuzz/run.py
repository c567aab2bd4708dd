"""Fuzz all readers of diveval and print how many inputs were tried and which failed.

    python fuzz/run.py [--seconds 600] [--runs N] [--at-once 1] [--work build/fuzz] [--found fuzz/found] [TARGET …]

The targets c-runs, c-judgments and c-numbers are the C reader with AddressSanitizer and UBSan (libFuzzer if there is
clang, otherwise our own driver); the others are the laws of `laws.py` under atheris, which is libFuzzer for Python. The
seconds are divided between the targets. The corpus is kept in the work folder, and the next call starts from it. A case
that breaks a law is written to the folder of found cases, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

HERE = Path(__file__).resolve().parent
C_TARGETS = ("c-runs", "c-judgments", "c-numbers")
FILES = ("runs", "judgments", "nuggets", "truth", "weights", "efforts", "packed", "parquet", "scores")
LAWS = (*FILES, "twins", "names", "evaluation")
COUNTED = [  # packages whose coverage guides the fuzzer: the readers and what uses their results directly
    f"diveval.{package}"
    for package in (
        "reading",
        "collection",
        "metrics",
        "scoring",
        "errors",
        "settings",
        "system.scanner",
        "meta.score_file",
    )
]
LONGEST = 4096  # bytes of an input; small files suffice, because the blocks of the C reader are tiny


@dataclass
class Outcome:
    """The result of a target: inputs tried, coverage if the fuzzer counts it, and failing cases."""

    target: str
    inputs: int
    coverage: str
    cases: list[Path]
    code: int
    seconds: float

    @property
    def bad(self) -> bool:
        return bool(self.cases) or self.code != 0


def main() -> int:
    arguments = _parse_arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    targets, notes = _prepare(arguments)
    for note in notes:
        print(f"fuzz: {note}", flush=True)
    if not targets:
        print("fuzz: no target can run on this system")
        return 1
    outcomes, waiting, running = [], dict(targets), {}
    share = arguments.seconds / len(targets)
    while waiting or running:
        while waiting and len(running) < arguments.at_once:
            name = next(iter(waiting))
            running[name] = (_start(name, waiting.pop(name), arguments, share), time.monotonic())
        for name, (child, start) in list(running.items()):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                del running[name]
                code = os.waitstatus_to_exitcode(status)
                outcomes.append(_outcome(name, arguments, code, time.monotonic() - start))
                _say(outcomes[-1], arguments)
        time.sleep(0.02)
    inputs, found = sum(o.inputs for o in outcomes), sum(len(o.cases) for o in outcomes)
    seconds = sum(o.seconds for o in outcomes)
    print(f"fuzz: {len(outcomes)} targets, {inputs} inputs in {seconds:.0f} s, {found} cases found")
    return 1 if any(o.bad for o in outcomes) else 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"from {', '.join(C_TARGETS + LAWS)} (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=600, help="for all targets together")
    parser.add_argument("--runs", type=int, help="at most this many inputs per target")
    parser.add_argument("--seed", type=int, default=0, help="0 chooses a new one each time")
    parser.add_argument("--at-once", type=int, default=1, help="targets that run at the same time")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build" / "fuzz")
    parser.add_argument("--found", type=Path, default=HERE / "found")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(C_TARGETS + LAWS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    arguments.targets = arguments.targets or [*C_TARGETS, *LAWS]
    return arguments


# --- available targets ------------------------------------------------------------------------------------------------


def _prepare(arguments: argparse.Namespace) -> tuple[dict[str, Callable[[list[str]], None]], list[str]]:
    """A function that starts each available target, and messages about the others."""
    starts: dict[str, Callable[[list[str]], None]] = {}
    notes = []
    wanted = [name for name in arguments.targets if name in C_TARGETS]
    if wanted:
        built = subprocess.run([HERE / "build.sh", arguments.work], capture_output=True, text=True, check=False)
        if built.returncode:
            notes.append(f"the C reader is not fuzzed: {(built.stderr.strip().splitlines() or ['no compiler'])[-1]}")
        elif (arguments.work / "target").exists():
            starts.update({name: _c_target(arguments.work / "target", name) for name in wanted})
        else:
            notes.append("clang with libFuzzer is missing: the C reader is fuzzed without guidance by coverage")
            starts["c-driver"] = _c_driver(arguments)
    if laws := [name for name in arguments.targets if name in LAWS]:
        try:
            starts.update(_python_targets(laws))
        except ImportError as error:
            notes.append(
                f"the Python readers are not fuzzed: {error} (atheris is not available for every version of Python)"
            )
    return starts, notes


def _c_target(program: Path, name: str) -> Callable[[list[str]], None]:
    def start(options: list[str]) -> None:
        os.environ["FUZZ_LAW"] = name.removeprefix("c-")
        os.execv(program, [str(program), *options])

    return start


def _c_driver(arguments: argparse.Namespace) -> Callable[[list[str]], None]:
    def start(options: list[str]) -> None:
        seconds = next(o.partition("=")[2] for o in options if o.startswith("-max_total_time="))
        case = arguments.found / "c-driver" / "crash"
        seed = str(arguments.seed or int(time.time()))
        os.execv(arguments.work / "driver", ["driver", str(arguments.runs or 1 << 60), seconds, seed, str(case)])

    return start


def _python_targets(names: list[str]) -> dict[str, Callable[[list[str]], None]]:
    """The laws, imported once with coverage instrumentation; each target is a fork of this process."""
    import atheris

    sys.path.insert(0, str(HERE))
    # `include` considers only the first part of a module's name, so the rest of the package is excluded explicitly.
    listing = redirect_stderr(StringIO())  # atheris prints every module
    with listing, atheris.instrument_imports(include=["diveval"], exclude=_excluded_modules()):
        import laws
    laws.strict_warnings()

    def target(name: str) -> Callable[[list[str]], None]:
        def once(data: bytes) -> None:
            laws.LAWS[name](data)

        def start(options: list[str]) -> None:
            atheris.Setup([name, *options], once)
            atheris.Fuzz()

        return start

    return {name: target(name) for name in names}


def _excluded_modules() -> list[str]:
    """Every module of the package that is neither in `COUNTED` nor in a package of it."""
    spec = importlib.util.find_spec("diveval")
    assert spec is not None and spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0])
    paths = (path.relative_to(source.parent).with_suffix("") for path in source.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return [name for name in names if not any(f"{name}.".startswith(f"{counted}.") for counted in COUNTED)]


# --- one target -------------------------------------------------------------------------------------------------------


def _start(name: str, start: Callable[[list[str]], None], arguments: argparse.Namespace, share: float) -> int:
    """Fork a process that runs the fuzzer and writes to the target's log."""
    corpus, seeds, found = arguments.work / "corpus" / name, HERE / "corpus" / name, arguments.found / name
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={max(1, round(share))}",
        f"-max_len={LONGEST}",
        "-timeout=20",
        "-rss_limit_mb=3000",
        f"-dict={HERE / 'tokens.dict'}",
        f"-artifact_prefix={found}/",
        "-print_final_stats=1",
        f"-seed={arguments.seed}",
        *([f"-runs={arguments.runs}"] if arguments.runs else []),
        str(corpus),
        str(seeds),
    ]
    if name == "twins":  # inputs that reach deep into the C reader are also compared with the plain reader
        far = [base / "corpus" / c for base in (arguments.work, HERE) for c in ("c-runs", "c-judgments")]
        options += [str(folder) for folder in far if folder.exists()]
    child = os.fork()
    if child:
        return child
    log = os.open(arguments.work / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    start(options)  # exceptions are not caught: libFuzzer stores the case when the process ends
    sys.exit(0)


def _outcome(name: str, arguments: argparse.Namespace, code: int, seconds: float) -> Outcome:
    log = (arguments.work / f"{name}.log").read_text(errors="replace")
    tried = re.findall(r"^stat::number_of_executed_units: *(\d+)|^#(\d+)\t|^(\d+) inputs:", log, re.MULTILINE)
    reached = re.findall(r"cov: \d+ ft: \d+", log)
    cases = re.findall(r"Test unit written to (.+)", log)
    driver_case = arguments.found / name / "crash"
    if driver_case.exists():
        cases.append(str(driver_case))
    if (arguments.found / name).exists() and not any((arguments.found / name).iterdir()):
        (arguments.found / name).rmdir()
    most = max((int(next(filter(None, groups))) for groups in tried), default=0)
    return Outcome(name, most, reached[-1] if reached else "", [Path(case) for case in cases], code, seconds)


def _say(outcome: Outcome, arguments: argparse.Namespace) -> None:
    found = "nothing found" if not outcome.bad else f"FOUND, see {arguments.work / (outcome.target + '.log')}"
    tried = f"{outcome.inputs:10} inputs in {outcome.seconds:6.0f} s"
    print(f"fuzz: {outcome.target:12} {tried}  {outcome.coverage:22} {found}")
    for case in outcome.cases:
        print(f"fuzz:     {case}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
