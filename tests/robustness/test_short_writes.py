"""Output that a file system takes only in part, and interruptions while modules are imported."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robustness.commands import WRITERS, collection, words_of
from support.shared import THOROUGH, made_once

PRINTING = [
    "metrics",
    "--help",
    "--version",
    "completion bash",
    "evaluate q r -q -f csv",
    "data convert qrels q -",
    "check q r",
]
OTHER_PROGRAMS = ["diveval.trec_eval", "diveval.trec_eval -h", "diveval.trec_eval q r"]
WRITING = ["evaluate q r -f csv -o {}", "data convert run r {}", "evaluate q r -f csv -o /dev/stdout"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments and a run of a few kilobytes."""
    rows = [(t, d) for t in range(40) for d in range(20)]
    (tmp_path / "q").write_text("".join(f"{t} a d{d} {d % 2}\n" for t, d in rows))
    (tmp_path / "r").write_text("".join(f"{t} Q0 d{d} {d + 1} {-d} x\n" for t, d in rows))
    return tmp_path


def run(
    words: str, folder: Path, limit: int, unbuffered: str, program: str = "diveval"
) -> subprocess.CompletedProcess[bytes]:
    """Run a command whose files, standard output among them, cannot become longer than `limit` bytes."""

    def shrink() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with (folder / "printed").open("wb") as out:
        return subprocess.run(
            [sys.executable, "-m", program, *words.split()],
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=shrink,
            check=False,
        )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", PRINTING)
def test_a_truncated_standard_output_is_an_error(words: str, unbuffered: str, folder: Path) -> None:
    """If the file behind standard output takes only part of the text, the command says so and fails."""
    done = run(words, folder, 10, unbuffered)
    assert done.returncode == 2 and done.stderr and b"Traceback" not in done.stderr
    assert (folder / "printed").stat().st_size == 10


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", OTHER_PROGRAMS)
def test_other_programs_report_a_truncated_output(words: str, unbuffered: str, folder: Path) -> None:
    """So does `python -m diveval.trec_eval`, its usage included."""
    program, _, rest = words.partition(" ")
    done = run(rest, folder, 10, unbuffered, program)
    assert done.returncode == 2 and done.stderr and b"Traceback" not in done.stderr
    assert (folder / "printed").stat().st_size == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS if THOROUGH else [name for name in WRITERS if WRITERS[name].quick])
def test_every_command_reports_a_truncated_file(name: str, tmp_path: Path, tmp_path_factory: Any) -> None:
    """Whatever a command writes, to a file, a folder or standard output: what is cut short is an error and not kept."""
    source = made_once(tmp_path_factory, "cut", collection)
    words = words_of(name, source, tmp_path / WRITERS[name].name)
    printed = [word for word, before in zip(words, ["", *words], strict=False) if "-o" not in (word, before)]
    for typed in [words, printed] if "csv" in words else [words]:
        done = run(" ".join(typed), tmp_path, 20, "1")
        assert done.returncode == 2 and done.stderr and b"Traceback" not in done.stderr, (typed, done.stderr)
        left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "printed"]
        assert not [path for path in left if path.stat().st_size >= 20 or path.suffix == ".tmp"], (typed, left)
        assert typed is words or (tmp_path / "printed").stat().st_size == 20


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", WRITING)
def test_a_truncated_file_is_an_error(words: str, unbuffered: str, folder: Path) -> None:
    """A file that cannot be written completely is not left behind, and the command fails."""
    done = run(words.format("out"), folder, 50, unbuffered)
    assert done.returncode == 2 and done.stderr and b"Traceback" not in done.stderr
    assert not (folder / "out").exists()


@pytest.mark.parametrize("module", ["numpy", "argparse"])
@pytest.mark.parametrize("consequence", ["", "raise ImportError('a compiled module was interrupted')"])
def test_ctrl_c_during_an_import_is_one_line(module: str, consequence: str, tmp_path: Path) -> None:
    """An interruption while a module is imported ends the command with 130 and no traceback."""
    (tmp_path / f"{module}.py").write_text(
        f"import os, signal\ntry:\n    os.kill(os.getpid(), {int(signal.SIGINT)})\n    [0 for _ in range(10**6)]\n"
        f"except KeyboardInterrupt:\n    {consequence or 'raise'}\n"
    )
    (tmp_path / "q").write_text("1 a d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 x\n")
    done = subprocess.run(
        [sys.executable, "-m", "diveval", "evaluate", "q", "r"],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, b"diveval: interrupted\n")
