"""Every seed of the fuzzers and every case they ever found, through the same laws, in plain Python and in C."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from robustness.fuzz_driver import FUZZ, built_driver
from support.programs import load
from support.shared import times
from support.wording import wording

TRIES = times(100, 300)
CASES = sorted(path for folder in ("corpus", "found") for path in (FUZZ / folder).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def laws() -> ModuleType:
    """fuzz/laws.py, which is no part of any package."""
    return load(FUZZ / "laws.py", "diveval_fuzz_laws")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C laws under sanitizers, for any compiler."""
    return built_driver(tmp_path_factory) / "driver"


@pytest.mark.parametrize("case", CASES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_case_keeps_its_law(case: Path, laws: ModuleType) -> None:
    """A result or one clear line, never another exception, never a number that is none."""
    with warnings.catch_warnings():
        laws.strict_warnings()
        laws.law_for(case.parent.name)(case.read_bytes())


def test_a_law_can_be_broken(laws: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws do see a foreign exception, a complaint of two lines and a number that is none."""
    from diveval.errors import InputError

    def raises(error: Exception) -> None:
        raise error

    monkeypatch.setattr(laws, "read_weights", lambda _: raises(KeyError("x")))
    with pytest.raises(KeyError):
        laws.law_of_weights(b"")
    monkeypatch.setattr(laws, "read_weights", lambda _: raises(InputError("one\ntwo")))
    with pytest.raises(laws.Broken, match=wording("not one line")):
        laws.law_of_weights(b"")
    monkeypatch.setattr(laws, "read_weights", lambda _: {("1", "1"): float("nan")})
    with pytest.raises(laws.Broken, match=wording("a weight that is none")):
        laws.law_of_weights(b"")


def test_the_c_reader_keeps_its_laws_on_every_case(driver: Path) -> None:
    """One answer however a file is cut, and not a byte touched out of bounds, for every file there is."""
    done = subprocess.run([driver, "replay", *CASES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{len(CASES)} files; no fault\n"


def test_the_driver_makes_and_damages_files_of_its_own(driver: Path, tmp_path: Path) -> None:
    """Damaged files in the ways that need no clang."""
    done = subprocess.run(
        [driver, str(TRIES), "60", "1", tmp_path / "case"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"{TRIES} inputs:") and "no fault" in done.stdout
