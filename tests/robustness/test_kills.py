"""kill -9 at any moment of any command that writes: the old file or the new one is there, whole, never a third thing.

The suite kills the quick commands a few times; `make kills` kills every one, a hundred times and more in all.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from robustness.commands import WRITERS, collection, start, words_of

KILLS = int(os.environ.get("DIVEVAL_KILLS", "0"))  # for each command; `make kills` says how many
CHOSEN = [name for name, writer in WRITERS.items() if KILLS or writer.quick]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all the commands read."""
    return collection(tmp_path_factory.mktemp("killed"))


def contents(target: Path) -> dict[str, bytes]:
    """Every file a reader would take for a result: `.name.tmp` and `name.part` are what a killed process leaves."""
    if target.is_file():
        return {"": target.read_bytes()}
    return {
        name: path.read_bytes()
        for path in sorted(target.rglob("*"))
        if path.is_file()
        for name in [str(path.relative_to(target))]
        if not any(part.startswith(".") for part in path.relative_to(target).parts)
        and not name.endswith((".part", ".from"))
    }


def entries(folder: Path) -> set[tuple[str, int]]:
    """All there is under a folder, as cheaply as it can be told."""
    return {(str(path), path.stat().st_ino) for path in folder.rglob("*")}


def stirred(folder: Path, process: Any, deadline: float) -> bool:
    """Wait until something in the folder changes: the moment a command begins to write."""
    before = entries(folder)
    while process.poll() is None and time.perf_counter() < deadline:
        try:
            if entries(folder) != before:
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.0005)  # the command wants the core
    return False


def prepare(target: Path, new: dict[str, bytes], keeps: bool) -> dict[str, bytes]:
    """What was there before: an old version of each file, or nothing where a command wants an empty place."""
    for path in sorted(target.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    if keeps:
        for name in new:
            path = target / name if name else target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"old")
    return contents(target)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_kill_leaves_the_old_or_the_new(
    name: str, made: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Half the kills fall at a random moment, half just when the command begins to write."""
    writer, rng = WRITERS[name], random.Random(name)
    folder = tmp_path / "place"
    folder.mkdir()
    target = folder / writer.name
    words = words_of(name, made, target)
    environment = {"DIVEVAL_CACHE": str(tmp_path / "cache")}
    for _ in range(2):  # the second with the caches warm, as all that follow
        prepare(target, {}, keeps=False)
        started = time.perf_counter()
        process = start(words, **environment)
        _, error = process.communicate(timeout=300)
        took = time.perf_counter() - started
        assert process.returncode == 0, error
        if writer.quick:
            break
    new = contents(target)
    told = {"old": 0, "new": 0, "between": 0}
    for number in range(KILLS or 2):
        old = prepare(target, new, writer.keeps)
        process = start(words, **environment)
        try:
            if number % 2:
                stirred(folder, process, time.perf_counter() + 300)
                time.sleep(rng.uniform(0, 0.004))
            else:
                time.sleep(rng.uniform(0.3, 1.02) * took)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        left = contents(target)
        for file, content in left.items():
            third = f"{name}: a third thing of {len(content)} bytes in {file or target.name}"
            assert content == old.get(file) or content == new.get(file) or growing(file, content, new), third
        assert set(old) <= set(left), f"{name}: an old file is gone"
        if writer.last not in ("", "-") and left.get(writer.last) == new[writer.last]:
            assert left == new, f"{name}: {writer.last} is there before the rest"
        told["new" if left == new else "old" if left == old else "between"] += 1
    if KILLS:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(
                f"\n{name}: {KILLS} kills, {told['old']} left the old, {told['new']} the new, {told['between']} some files of each",
                end="",
            )


def growing(file: str, content: bytes, new: dict[str, bytes]) -> bool:
    """The manifest of a download is written anew after each file, so that nothing that came is lost."""
    if Path(file).name != "manifest.json":
        return False
    listed, all_of_it = json.loads(content), json.loads(new[file])
    return bool(listed["files"].items() <= all_of_it["files"].items())
