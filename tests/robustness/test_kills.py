"""A command killed with SIGKILL at any moment leaves the complete old or the complete new version of its files.

The suite kills the quick commands a few times; `make kills` kills every command, more than a hundred times in all.
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

KILLS = int(os.environ.get("DIVEVAL_KILLS", "0"))  # per command, set by `make kills`
CHOSEN = [name for name, writer in WRITERS.items() if KILLS or writer.quick]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection that all commands read."""
    return collection(tmp_path_factory.mktemp("killed"))


def contents(target: Path) -> dict[str, bytes]:
    """Every result file, without the temporary files of a killed process."""
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
    """All paths below a folder with their inodes, to notice changes."""
    return {(str(path), path.stat().st_ino) for path in folder.rglob("*")}


def wait_for_change(folder: Path, process: Any, deadline: float) -> bool:
    """Wait until something in the folder changes, which is when a command begins to write."""
    before = entries(folder)
    while process.poll() is None and time.perf_counter() < deadline:
        try:
            if entries(folder) != before:
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.0005)  # leaves the core to the command
    return False


def prepare(target: Path, new: dict[str, bytes], keeps: bool) -> dict[str, bytes]:
    """Put an old version of each file in place, or nothing for a command that needs an empty folder."""
    for path in sorted(target.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    if keeps:
        for name in new:
            path = target / name if name else target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"old")
    return contents(target)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_kill_leaves_the_old_or_the_new_version(
    name: str, source: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Half of the kills are at a random moment, half when the command begins to write."""
    writer, rng = WRITERS[name], random.Random(name)
    folder = tmp_path / "place"
    folder.mkdir()
    target = folder / writer.name
    words = words_of(name, source, target)
    environment = {"DIVEVAL_CACHE": str(tmp_path / "cache")}
    for _ in range(2):  # the second with warm caches, like the runs that are killed
        prepare(target, {}, keeps=False)
        started = time.perf_counter()
        process = start(words, **environment)
        _, error = process.communicate(timeout=300)
        took = time.perf_counter() - started
        assert process.returncode == 0, error
        if writer.quick:
            break
    new = contents(target)
    counts = {"old": 0, "new": 0, "between": 0}
    for number in range(KILLS or 2):
        old = prepare(target, new, writer.keeps)
        process = start(words, **environment)
        try:
            if number % 2:
                wait_for_change(folder, process, time.perf_counter() + 300)
                time.sleep(rng.uniform(0, 0.004))
            else:
                time.sleep(rng.uniform(0.3, 1.02) * took)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        left = contents(target)
        for file, content in left.items():
            message = f"{name}: neither old nor new: {len(content)} bytes in {file or target.name}"
            assert content == old.get(file) or content == new.get(file) or growing(file, content, new), message
        assert set(old) <= set(left), f"{name}: an old file is gone"
        if writer.last not in ("", "-") and left.get(writer.last) == new[writer.last]:
            assert left == new, f"{name}: {writer.last} is there before the rest"
        counts["new" if left == new else "old" if left == old else "between"] += 1
    if KILLS:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(
                f"\n{name}: {KILLS} kills, {counts['old']} left the old, {counts['new']} the new, {counts['between']} some files of each",
                end="",
            )


def growing(file: str, content: bytes, new: dict[str, bytes]) -> bool:
    """Whether a file is an earlier manifest of a download, which is rewritten after each file."""
    if Path(file).name != "manifest.json":
        return False
    partial, complete = json.loads(content), json.loads(new[file])
    return bool(partial["files"].items() <= complete["files"].items())
