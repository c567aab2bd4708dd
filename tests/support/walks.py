"""The source files that a few typical tasks run, recorded by a profiler: `docs/architecture.md` lists them.

`python tests/support/walks.py` updates the lists of the page, `--print` prints them, and a test compares them.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "diveval"
PAGE = ROOT / "docs" / "architecture.md"
LIST = re.compile(r"(<!-- walk (?P<name>\w+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)
Prepared = Callable[[], object]  # the task itself, without its preparation


def evaluate(folder: Path) -> Prepared:
    return lambda: _command("evaluate", folder / "qrels.txt", folder / "x.run", "-m", "RBU@20")


def axiom(folder: Path) -> Prepared:
    return lambda: _command("axioms", "RBP", "--axiom", "Pri", "--reading", "charitable", "--jobs", "1")


def report(folder: Path) -> Prepared:
    runs = folder / "x.run", folder / "y.run"
    words = ("-m", "P@5", "-m", "RR@5", "-o", folder / "report.html")
    return lambda: _command("report", folder / "qrels.txt", *runs, *words)


def slider(folder: Path) -> Prepared:
    from diveval.studio.endpoints import endpoints
    from diveval.studio.session import Studio
    from diveval.views.shared import no_step

    studio = Studio([folder / "qrels.txt", folder / "x.run", folder / "y.run"])
    load, scores = (
        next(one for one in endpoints(studio.limits) if one.path == path) for path in ("/api/collection", "/api/scores")
    )
    loaded = load.answer(studio, load.read({"given": True}))
    while loaded["state"] == "running":
        loaded = studio.job({"id": loaded["id"]})

    def ask(metric: str) -> None:
        fields = {"per_topic": True, "collection": loaded["result"]["id"], "metrics": [metric]}
        scores.answer(studio, scores.read(fields), no_step)

    ask("RBU(p=0.8)@20")
    return lambda: ask("RBU(p=0.9)@20")


def track(folder: Path) -> Prepared:
    from support import tracks

    place = tracks.small(folder)

    def life() -> None:
        tracks.send(place, "beta", "beta-1", tracks.run_text("beta-1"))
        tracks.judge(place)
        tracks.track("score", place)
        tracks.track("rank", place)

    return life


WALKS = {"evaluate": evaluate, "axiom": axiom, "slider": slider, "report": report, "track": track}


def _command(*words: str | Path) -> None:
    from diveval.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main([str(word) for word in words])
    assert code == 0, errors.getvalue()


@cache
def recorded() -> dict[str, list[str]]:
    """The files of each task in the order in which they are first entered, recorded in a separate process."""
    command = [sys.executable, str(Path(__file__)), "--print"]
    paths = [str(SOURCE.parent), str(ROOT / "tests")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    walks = (line.split() for line in done.stdout.splitlines())
    return {name: files for name, *files in walks}


def listed() -> dict[str, list[str]]:
    """The lists of the page."""
    page = PAGE.read_text(encoding="utf-8")
    return {
        match["name"]: re.findall(r"^\* `([\w/]+\.py)`", match["body"], re.MULTILINE) for match in LIST.finditer(page)
    }


def _load() -> None:
    """Import everything, since imports are not part of a task."""
    import diveval

    for module in pkgutil.walk_packages(diveval.__path__, "diveval."):
        if "bundled" not in module.name and not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    with contextlib.suppress(ImportError):
        importlib.import_module("scipy.cluster.hierarchy")  # the report imports it, which is slow under a profiler


def _record_all() -> None:
    """Record each task in a fork of a process that has everything loaded, so that tasks share no caches."""
    _load()
    for name in WALKS:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                print(name, *_record(name), flush=True)
            except BaseException:  # noqa: BLE001  # the child must never continue as the parent
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit(f"the task {name} failed")


def _record(name: str) -> list[str]:
    paths: dict[str, None] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            paths.setdefault(frame.f_code.co_filename)  # called millions of times, so it does no more than this

    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        os.environ["DIVEVAL_CACHE"] = str(folder / "cache")
        (folder / "qrels.txt").write_text("1 a d1 1\n1 b d2 1\n1 a d3 0\n2 a d1 1\n")
        (folder / "x.run").write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n2 Q0 d1 1 3 x\n")
        (folder / "y.run").write_text("1 Q0 d2 1 2 y\n1 Q0 d1 2 1 y\n2 Q0 d3 1 3 y\n")
        task = WALKS[name](folder)
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            task()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return [file.relative_to(SOURCE).as_posix() for file in map(Path, paths) if file.is_relative_to(SOURCE)]


def _line(file: str) -> str:
    """A file with the first sentence of its docstring."""
    text = ast.get_docstring(ast.parse((SOURCE / file).read_text(encoding="utf-8"))) or ""
    first = " ".join(re.split(r"(?<=\.)\s|\n\n", text)[0].split()).rstrip(".")
    return f"* `{file}`: {first}\n"


def _fill() -> None:
    page = PAGE.read_text(encoding="utf-8")
    page = LIST.sub(lambda match: match[1] + "".join(map(_line, recorded()[match["name"]])) + match[4], page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _record_all()
    else:
        _fill()
