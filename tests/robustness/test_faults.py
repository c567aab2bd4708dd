"""Interruption, a full disk, a dead worker or a damaged cache: one clear line, and no incomplete file."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from diveval.axioms import matrix
from diveval.axioms.proof import cache
from diveval.cli import main
from diveval.datasets import make_collection
from diveval.datasets.download import get
from diveval.datasets.official import Dataset, RemoteFile
from diveval.scoring.shards import local
from robustness.commands import NO_COVERAGE, WRITERS, collection, die, start, words_of
from support.present import present
from support.refusals import is_refusal, refuses, warns
from support.shared import THOROUGH


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection."""
    return collection(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A collection on which every command takes long: the same few runs under many names."""
    folder = make_collection(tmp_path_factory.mktemp("large"), topics=60, systems=4, depth=400, seed=2)
    for run in list((folder / "runs").glob("*.run")):
        for number in range(6):
            shutil.copy(run, run.with_name(f"{run.stem}{number}.run"))
    return folder


# --- interrupted ------------------------------------------------------------------------------------------------------

LONG = {
    "evaluate": ("evaluate {q} {runs} -o {out}", {"DIVEVAL_PLAIN_READER": "1"}, 0.7),
    "compare": ("compare {q} {runs} -m RBU --test tukey --resamples 1600000 -o {out}", {}, 1.2),
    "axioms": ("axioms --no-cache -o {out}", {}, 1.0),
    "data": ("data make {out} --topics 500 --systems 30", {}, 0.8),
}
if THOROUGH:  # the suite runs one command of each kind: reading, arithmetic, workers, a folder
    LONG |= {
        "simulate": ("data simulate {q} {runs} --grades -o {out}", {}, 1.2),
        "report": ("report {q} {runs} -o {out}", {}, 1.5),
    }


def running(typed: Any, after: Any, **environment: Any) -> Any:
    """A command that is still running after a while; one that ends sooner is started again with a shorter wait."""
    for wait in (after, after / 2, after / 4, after / 8):
        process = start(typed, **NO_COVERAGE, **environment)
        time.sleep(wait)
        if process.poll() is None:
            return process
        process.communicate()
    pytest.fail("it always ends before it can be interrupted")


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_command_with_130(name: Any, large: Any, tmp_path: Path) -> None:
    """One line, code 130, no file, and no process left, when the process group gets SIGINT as from a terminal.

    The studio has its own test, in tests/unit/studio.
    """
    words, environment, after = LONG[name]
    runs = " ".join(str(path) for path in sorted((large / "runs").glob("*.run")))
    typed = words.format(q=large / "qrels.txt", runs=runs, out=tmp_path / "out").split()
    process = running(typed, after, DIVEVAL_CACHE=str(tmp_path / "cache"), **environment)
    os.killpg(process.pid, signal.SIGINT)
    # This takes a second on an idle machine (docs/reliability.md). A remaining worker keeps the pipes open, so it
    # fails here too.
    out, error = process.communicate(timeout=30)
    # During an import Python itself may end by the signal; a shell shows 130 for both.
    assert process.returncode in (130, -signal.SIGINT), error
    assert error.splitlines()[-1:] == [b"diveval: interrupted"] and b"Traceback" not in error
    assert out == b"" and not (tmp_path / "out").is_file()


# --- out of space, or not allowed -------------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Any]:
    """A folder on a file system of 16 KiB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = (
        shutil.which("mount")
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
        == 0
    )
    if not mounted:
        pytest.skip("mounting a tiny tmpfs needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=False)


@pytest.mark.parametrize("name", ["evaluate", "convert-qrels", "evaluate-parquet"])
def test_on_a_full_disk_the_old_file_stays(
    name: str, source: Any, tiny: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, code 2, and no other file, for text and parquet."""
    target = tiny / WRITERS[name].name
    target.write_text("old")
    (tiny / "ballast").write_bytes(b"x" * 12288)
    assert main(words_of(name, source, target)) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("diveval: ") and error.endswith("No space left on device")
    assert sorted(path.name for path in tiny.iterdir()) == ["ballast", target.name] and target.read_text() == "old"


@pytest.mark.parametrize("name", ["simulate", "meta", "data-make", "data-get", "convert-runs"])
def test_on_a_full_disk_a_folder_has_complete_files_only(
    name: str, source: Any, tiny: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, code 2; files are complete, and the file that marks a complete folder is missing."""
    (tiny / "ballast").write_bytes(b"x" * 8192)
    assert main(words_of(name, source, tiny / "out")) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("diveval: ") and error.endswith("No space left on device")
    left = [path for path in (tiny / "out").rglob("*") if path.is_file()]
    assert all(path.read_bytes()[-1:] in (b"\n", b">") or path.suffix == ".gz" for path in left)
    assert not [path for path in tiny.rglob("*") if path.name.startswith(".") or path.suffix in (".tmp", ".part")]
    assert WRITERS[name].last not in [path.name for path in left]


@pytest.mark.parametrize("words", [["metrics", "RBU"], ["evaluate", "{c}/qrels.txt", "{c}/runs/random.run"]])
def test_a_full_disk_behind_standard_output_is_reported(words: list[str], source: Any) -> None:
    """`diveval … > FILE` on a full disk ends with one line and code 2, however short the output."""
    run = next((source / "runs").glob("*.run"))
    typed = [word.replace("{c}/runs/random.run", str(run)).replace("{c}", str(source)) for word in words]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "diveval", *typed], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"diveval: standard output: No space left on device\n"


def test_a_read_only_folder_is_reported(source: Any, tmp_path: Path) -> None:
    """The command ends with code 2 and names the file."""
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    process = start(words_of("evaluate", source, folder / "out"))
    _, error = process.communicate(timeout=60)
    assert process.returncode == 2 and str(folder).encode() in error


# --- a worker that dies -----------------------------------------------------------------------------------------------


def test_a_dead_worker_is_an_error_and_not_a_hang(
    source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """When workers are killed, the command ends with one line and code 2, and the old file stays."""
    target = tmp_path / "out.csv"
    target.write_text("old")
    monkeypatch.setattr(local, "_prepare", die)
    monkeypatch.setattr(local, "SHARD_ROWS", 50)  # small files are scored in memory
    monkeypatch.setitem(present(local.evaluate_parquet.__kwdefaults__), "shard_rows", 50)
    table = parquet.read_table(source / "runs.parquet")
    parquet.write_table(table, tmp_path / "runs.parquet", row_group_size=50)
    words = [
        "evaluate",
        f"{source}/qrels.parquet",
        f"{tmp_path}/runs.parquet",
        "-m",
        "RBU",
        "-f",
        "csv",
        "--jobs",
        "2",
        "-o",
        str(target),
    ]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert is_refusal(error, "worker-died") and error.count("\n") == 1
    assert target.read_text() == "old"


def test_axioms_are_decided_without_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the worker processes fail, this process decides the rest, with a warning."""

    def broken(*given: Any) -> None:
        raise BrokenProcessPool("killed")

    monkeypatch.setattr("diveval.axioms.proof.scheduler.process_pool", broken)
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    with warns("worker-died"):
        verdicts = matrix(["P@k"], jobs=2)
    assert len(verdicts) == 20 and {verdict.verdict for verdict in verdicts} <= {
        "holds",
        "fails",
        "region",
        "not-applicable",
    }


# --- caches -----------------------------------------------------------------------------------------------------------

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "cut": lambda good: good[: len(good) // 2],
    "garbage": lambda good: bytes(range(256)),
    "another-shape": lambda good: b'{"key": 1, "files": [], "dataset": null}',
    "nested": lambda good: b"[" * 100_000,
    "other-value": lambda good: good.replace(b"fails", b"holds").replace(b'"holds"', b'"fails"', 1),
}


@pytest.mark.parametrize("damage", [*DAMAGE, "folder", "unreadable"])
def test_a_damaged_verdict_is_decided_again(damage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file of the cache is ignored; the verdict is decided again and written again."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    first = matrix(["P@k"], axioms=["Deep"], readings=["as-written"], jobs=1)
    (path,) = cache.folder().glob("*.json")
    good = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "unreadable":
        path.chmod(0)
    else:
        path.write_bytes(DAMAGE[damage](good))
    assert matrix(["P@k"], axioms=["Deep"], readings=["as-written"], jobs=1) == first
    if damage not in ("folder", "unreadable"):
        assert json.loads(path.read_bytes()) == json.loads(good)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
def test_a_cache_that_others_can_write_is_not_used(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict from a folder that other users can write is decided again, and no link that they planted is followed."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    (verdict,) = matrix(["P@k"], axioms=["Deep"], readings=["as-written"], jobs=1)
    (kept,) = cache.folder().glob("*.json")
    assert cache.load(kept.stem) == verdict
    cache.folder().chmod(mode)
    assert cache.load(kept.stem) is None
    victim = tmp_path / "victim"
    kept.unlink()
    victim.write_text("precious")
    kept.symlink_to(victim)
    cache.store(kept.stem, verdict)
    assert victim.read_text() == "precious"


def test_another_version_of_the_engine_decides_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict of another version of the engine is not used."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    matrix(["P@k"], axioms=["Deep"], readings=["as-written"], jobs=1)
    monkeypatch.setattr(cache, "version", lambda: "another")
    matrix(["P@k"], axioms=["Deep"], readings=["as-written"], jobs=1)
    assert len(list(cache.folder().glob("*.json"))) == 2


@pytest.mark.parametrize("damage", [kind for kind in DAMAGE if kind != "other-value"])
def test_a_damaged_manifest_is_rewritten(damage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest of a cached dataset is rewritten with a warning, once the terms are accepted again."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "source"
    source.mkdir()
    (source / "qrels.txt").write_text("1 1 d 1\n")
    dataset = Dataset(
        "mini",
        "small",
        "https://example.org",
        "For tests.",
        files=(RemoteFile("judgments", "qrels.txt", "https://example.org/q"),),
    )
    with warns("no-checksum"):
        folder = get(dataset, source_dir=source, accept_terms=True)
    manifest = folder / "manifest.json"
    good = manifest.read_bytes()
    manifest.write_bytes(DAMAGE[damage](good))
    with (
        warns("file-replaced"),
        refuses("terms-not-accepted"),
    ):
        get(dataset, source_dir=source)
    with warns("file-replaced"):
        get(dataset, source_dir=source, accept_terms=True)
    assert json.loads(manifest.read_bytes()) == json.loads(good)
    assert (folder / "qrels.txt").read_text() == "1 1 d 1\n"


EVALUATIONS = """
import diveval
q = {'1': {'a': {'d1': 2, 'd2': 1}, 'b': {'d3': 1}}}; r = {'1': {'d1': 3.0, 'x': 2.0, 'd3': 1.0}}
def go(n):
    for _ in range(n): diveval.evaluate(q, r, ['RBU', 'alpha_nDCG@20'])
"""


def test_evaluations_keep_no_objects() -> None:
    """After the first calls, which fill numpy's caches, 150 calls leave fewer than 150 objects."""
    names: dict[str, Any] = {}
    exec(EVALUATIONS, names)
    names["go"](150)
    gc.collect()
    before = sys.getallocatedblocks()
    names["go"](150)
    gc.collect()
    assert sys.getallocatedblocks() - before < 150


@pytest.mark.skipif(not os.environ.get("DIVEVAL_HOSTILE"), reason="`make hostile` runs this")
def test_ten_thousand_evaluations_do_not_grow() -> None:
    """The memory of a process, including that of C code, does not grow over 10,000 calls of `evaluate`."""
    program = EVALUATIONS + (
        "import resource\n"
        "def size(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "go(200); first = size(); go(9800); print(size() - first)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1024, f"grew by {done.stdout} KiB"
