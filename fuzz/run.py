"""Fuzz everything diveval reads, and say how much was tried and what was found.

    python fuzz/run.py [--seconds 600] [--runs N] [--at-once 1] [--work build/fuzz] [--found fuzz/found] [TARGET …]

Targets: c-runs, c-judgments and c-numbers are the C reader under AddressSanitizer and UBSan (libFuzzer where there is
clang, a driver of our own where there is not); the others are the laws of `laws.py` under atheris, which is libFuzzer
for Python. The seconds are divided between the targets. What the fuzzer learns stays in the work folder and is where
the next call starts from; a case that breaks a law goes to the folder of found cases, and the exit code is 1.
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
COUNTED = [  # where coverage guides: what reads, and what reads lead to at once
    *(
        f"diveval.{module}"
        for module in ("reading", "scanner", "errors", "columns", "grouping", "judgments", "relevance", "runs")
    ),
    *(f"diveval.{module}" for module in ("rankings", "options", "evaluation", "blocks", "scoring", "scores")),
    *(f"diveval.metrics.{module}" for module in ("names", "metric", "batch", "ideal")),
    *(f"diveval.{module}" for module in ("datasets.download", "meta.score_file")),
]
LONGEST = 4096  # bytes of an input: what is wrong in large files is wrong in small ones, blocks are tiny in C


@dataclass
class Outcome:
    """What a target did: inputs tried, edges and features reached where the fuzzer counts them, cases it left."""

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
    asked = _arguments()
    asked.work.mkdir(parents=True, exist_ok=True)
    here, notes = _prepare(asked)
    for note in notes:
        print(f"fuzz: {note}", flush=True)
    if not here:
        print("fuzz: nothing can be fuzzed here")
        return 1
    outcomes, waiting, running = [], dict(here), {}
    share = asked.seconds / len(here)
    while waiting or running:
        while waiting and len(running) < asked.at_once:
            name = next(iter(waiting))
            running[name] = (_start(name, waiting.pop(name), asked, share), time.monotonic())
        for name, (child, start) in list(running.items()):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                del running[name]
                code = os.waitstatus_to_exitcode(status)
                outcomes.append(_outcome(name, asked, code, time.monotonic() - start))
                _say(outcomes[-1], asked)
        time.sleep(0.02)
    inputs, found = sum(o.inputs for o in outcomes), sum(len(o.cases) for o in outcomes)
    seconds = sum(o.seconds for o in outcomes)
    print(f"fuzz: {len(outcomes)} targets, {inputs} inputs in {seconds:.0f} s, {found} cases found")
    return 1 if any(o.bad for o in outcomes) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(C_TARGETS + LAWS)} (all)")
    parser.add_argument("--seconds", type=float, default=600, help="for all targets together")
    parser.add_argument("--runs", type=int, help="no more inputs than these a target")
    parser.add_argument("--seed", type=int, default=0, help="0: another one every time")
    parser.add_argument("--at-once", type=int, default=1, help="targets that run at the same time")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build" / "fuzz")
    parser.add_argument("--found", type=Path, default=HERE / "found")
    asked = parser.parse_args()
    unknown = set(asked.targets) - set(C_TARGETS + LAWS)
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    asked.targets = asked.targets or [*C_TARGETS, *LAWS]
    return asked


# --- what can be run here ---------------------------------------------------------------------------------------------


def _prepare(asked: argparse.Namespace) -> tuple[dict[str, Callable[[list[str]], None]], list[str]]:
    """How each target is started in a process of its own, and what has to be said first."""
    starts: dict[str, Callable[[list[str]], None]] = {}
    notes = []
    wanted = [name for name in asked.targets if name in C_TARGETS]
    if wanted:
        built = subprocess.run([HERE / "build.sh", asked.work], capture_output=True, text=True, check=False)
        if built.returncode:
            notes.append(f"the C reader is not fuzzed: {(built.stderr.strip().splitlines() or ['no compiler'])[-1]}")
        elif (asked.work / "target").exists():
            starts.update({name: _c_target(asked.work / "target", name) for name in wanted})
        else:
            notes.append("no clang with libFuzzer here: the C reader is fuzzed without guidance by coverage")
            starts["c-driver"] = _c_driver(asked)
    if laws := [name for name in asked.targets if name in LAWS]:
        try:
            starts.update(_python_targets(laws))
        except ImportError as error:
            notes.append(f"the Python readers are not fuzzed: {error} (atheris cannot be installed on every Python)")
    return starts, notes


def _c_target(program: Path, name: str) -> Callable[[list[str]], None]:
    def start(options: list[str]) -> None:
        os.environ["FUZZ_LAW"] = name.removeprefix("c-")
        os.execv(program, [str(program), *options])

    return start


def _c_driver(asked: argparse.Namespace) -> Callable[[list[str]], None]:
    def start(options: list[str]) -> None:
        seconds = next(o.partition("=")[2] for o in options if o.startswith("-max_total_time="))
        case = asked.found / "c-driver" / "crash"
        seed = str(asked.seed or int(time.time()))
        os.execv(asked.work / "driver", ["driver", str(asked.runs or 1 << 60), seconds, seed, str(case)])

    return start


def _python_targets(names: list[str]) -> dict[str, Callable[[list[str]], None]]:
    """The laws, imported once with their coverage counted; each target is a fork of this process."""
    import atheris

    sys.path.insert(0, str(HERE))
    # atheris looks at the first part of a name in `include` only, so that everything else of the package is excluded.
    listing = redirect_stderr(StringIO())  # it lists every module
    with listing, atheris.instrument_imports(include=["diveval"], exclude=_uncounted()):
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


def _uncounted() -> list[str]:
    """Every module of the package that is neither in `COUNTED` nor in a package of it."""
    spec = importlib.util.find_spec("diveval")
    assert spec is not None and spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0])
    paths = (path.relative_to(source.parent).with_suffix("") for path in source.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return [name for name in names if not any(f"{name}.".startswith(f"{counted}.") for counted in COUNTED)]


# --- one target -------------------------------------------------------------------------------------------------------


def _start(name: str, start: Callable[[list[str]], None], asked: argparse.Namespace, share: float) -> int:
    """Fork; the child writes to the target's log and becomes the fuzzer."""
    learnt, seeds, found = asked.work / "corpus" / name, HERE / "corpus" / name, asked.found / name
    for folder in (learnt, found):
        folder.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={max(1, round(share))}",
        f"-max_len={LONGEST}",
        "-timeout=20",
        "-rss_limit_mb=3000",
        f"-dict={HERE / 'tokens.dict'}",
        f"-artifact_prefix={found}/",
        "-print_final_stats=1",
        f"-seed={asked.seed}",
        *([f"-runs={asked.runs}"] if asked.runs else []),
        str(learnt),
        str(seeds),
    ]
    if name == "twins":  # what reaches far into the C reader is worth comparing with the plain one
        far = [base / "corpus" / c for base in (asked.work, HERE) for c in ("c-runs", "c-judgments")]
        options += [str(folder) for folder in far if folder.exists()]
    child = os.fork()
    if child:
        return child
    log = os.open(asked.work / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    start(options)  # libFuzzer keeps the case when the process ends by itself, so an exception goes all the way up
    sys.exit(0)


def _outcome(name: str, asked: argparse.Namespace, code: int, seconds: float) -> Outcome:
    log = (asked.work / f"{name}.log").read_text(errors="replace")
    tried = re.findall(r"^stat::number_of_executed_units: *(\d+)|^#(\d+)\t|^(\d+) inputs:", log, re.MULTILINE)
    reached = re.findall(r"cov: \d+ ft: \d+", log)
    cases = re.findall(r"Test unit written to (.+)", log)
    driver_case = asked.found / name / "crash"
    if driver_case.exists():
        cases.append(str(driver_case))
    if (asked.found / name).exists() and not any((asked.found / name).iterdir()):
        (asked.found / name).rmdir()
    most = max((int(next(filter(None, groups))) for groups in tried), default=0)
    return Outcome(name, most, reached[-1] if reached else "", [Path(case) for case in cases], code, seconds)


def _say(outcome: Outcome, asked: argparse.Namespace) -> None:
    found = "nothing found" if not outcome.bad else f"FOUND, see {asked.work / (outcome.target + '.log')}"
    tried = f"{outcome.inputs:10} inputs in {outcome.seconds:6.0f} s"
    print(f"fuzz: {outcome.target:12} {tried}  {outcome.coverage:22} {found}")
    for case in outcome.cases:
        print(f"fuzz:     {case}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
