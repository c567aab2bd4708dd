"""Every seed of the fuzzers and every case they found passes the same checks, in Python and in C."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from diveval.errors import InputError
from robustness.fuzz_driver import FUZZ, built_driver
from support.programs import load
from support.shared import times

TRIES = times(100, 300)
CASES = sorted(path for folder in ("corpus", "found") for path in (FUZZ / folder).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def laws() -> ModuleType:
    """fuzz/laws.py as a module."""
    return load(FUZZ / "laws.py", "diveval_fuzz_laws")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fuzz driver of the C reader, built with sanitizers by any compiler."""
    return built_driver(tmp_path_factory) / "driver"


@pytest.mark.parametrize("case", CASES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_case_passes_its_check(case: Path, laws: ModuleType) -> None:
    """Every case gives a valid result or an error of one line, never another exception."""
    with warnings.catch_warnings():
        laws.strict_warnings()
        laws.law_for(case.parent.name)(case.read_bytes())


def test_the_checks_can_fail(laws: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks detect a foreign exception, an error of two lines and a NaN."""

    def raises(error: Exception) -> None:
        raise error

    monkeypatch.setattr(laws, "read_weights", lambda _: raises(KeyError("x")))
    with pytest.raises(KeyError):
        laws.law_of_weights(b"")
    monkeypatch.setattr(laws, "read_weights", lambda _: raises(InputError("not-a-number", "one\ntwo")))
    with pytest.raises(laws.Broken, match="line"):
        laws.law_of_weights(b"")
    monkeypatch.setattr(laws, "read_weights", lambda _: {("1", "1"): float("nan")})
    with pytest.raises(laws.Broken, match="weight"):
        laws.law_of_weights(b"")


def test_the_c_reader_passes_on_every_case(driver: Path) -> None:
    """For every case the C reader gives one answer however the file is split, with no access out of bounds."""
    done = subprocess.run([driver, "replay", *CASES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"{len(CASES)} files")


def test_the_driver_passes_on_damaged_files(driver: Path, tmp_path: Path) -> None:
    """The C reader passes on files that the driver makes and damages without clang."""
    done = subprocess.run(
        [driver, str(TRIES), "60", "1", tmp_path / "case"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"{TRIES} inputs")
