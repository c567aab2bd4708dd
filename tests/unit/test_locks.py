"""What CI installs: locks that match pyproject.toml, a hash for every file, and an audit of every package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.console import ROOT
from support.programs import load

packaging = pytest.importorskip("packaging.requirements")
tomllib = pytest.importorskip("tomllib", reason="tomllib needs Python 3.11")

LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "locks").glob("*.txt")}
LOCKED_PYTHON = (ROOT / "locks" / "python").read_text(encoding="utf-8").strip()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked(text: str) -> dict[str, set[str]]:
    """Name → versions; several where the version depends on the system."""
    packages: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE):
        packages.setdefault(name, set()).add(version)
    return packages


def required(name: str) -> list[str]:
    """The requirements of pyproject.toml that a lock must satisfy."""
    if name == "all":
        extras = PROJECT["project"]["optional-dependencies"]
        (every,) = (packaging.Requirement(text) for text in extras["all"])
        return [*PROJECT["project"]["dependencies"], *(text for extra in every.extras for text in extras[extra])]
    return list(PROJECT["dependency-groups"][name])


@pytest.mark.parametrize("name", ["all", "test", "docs", "audit"])
def test_a_lock_satisfies_the_requirements_of_the_project(name: str) -> None:
    """Every requirement is locked in a version that satisfies it; `make lock` renews the locks."""
    versions = locked(LOCKS[name])
    for text in required(name):
        requirement = packaging.Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"python_version": LOCKED_PYTHON}):
            continue  # for another Python than the locks are for
        plain = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert plain in versions, f"{text} is not in locks/{name}.txt: make lock"
        assert all(requirement.specifier.contains(version) for version in versions[plain]), f"{text}: make lock"


def test_the_locks_agree_with_each_other() -> None:
    """A package has the same versions in every lock."""
    seen: dict[str, set[str]] = {}
    for text in LOCKS.values():
        for name, versions in locked(text).items():
            assert seen.setdefault(name, versions) == versions, name


@pytest.mark.parametrize("name", LOCKS)
def test_every_file_has_a_hash_and_no_address(name: Any) -> None:
    """Each package is pinned by hashes alone; the index is the installer's choice."""
    packages = re.split(r"\n(?=[a-z0-9])", LOCKS[name].partition("make lock\n")[2])
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", package) for package in packages)
    assert "://" not in LOCKS[name] and "--index" not in LOCKS[name] and "--find-links" not in LOCKS[name]


def test_another_python_installs_without_the_locks(tmp_path: Path) -> None:
    """Another Python version gets a warning and the newest versions that satisfy the requirements."""
    fake = tmp_path / "python"
    fake.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then echo 3.99; else echo "$@" >> {tmp_path}/asked; fi\n')
    fake.chmod(0o755)
    done = subprocess.run([ROOT / "scripts" / "install", fake, "test"], capture_output=True, text=True, check=True)
    assert LOCKED_PYTHON in done.stderr and "3.99" in done.stderr
    words = (tmp_path / "asked").read_text()
    assert "--group test" in words and "--require-hashes" not in words


def test_the_locked_python_installs_from_the_lock(tmp_path: Path) -> None:
    """The Python version of the locks installs with --require-hashes."""
    fake = tmp_path / "python"
    fake.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then echo {LOCKED_PYTHON}; else echo "$@" >> {tmp_path}/asked; fi\n')
    fake.chmod(0o755)
    done = subprocess.run([ROOT / "scripts" / "install", fake, "all"], capture_output=True, text=True, check=True)
    first, second = (tmp_path / "asked").read_text().splitlines()
    assert "--require-hashes --requirement locks/all.txt" in first and done.stderr == ""
    assert "--no-deps --no-build-isolation --editable ." in second


# --- the audit --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    """scripts/audit.py as a module."""
    return load(ROOT / "scripts" / "audit.py")


GOOD = {"name": "a", "version": "1", "vulns": []}
VULNERABLE = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "passes", "expected"),
    [
        ([GOOD, GOOD], True, "2 packages"),
        ([GOOD, VULNERABLE], False, "b 2: CVE-1, CVE-2"),
        ([GOOD, UNKNOWN], False, "1 of 2 packages (c)"),
        ([UNKNOWN] * 9, False, "9 of 9 packages (c, c, c, …)"),
        ([VULNERABLE, UNKNOWN], False, "CVE-2|1 of 2 packages (c)"),
        ([], False, "0 packages"),
    ],
)
def test_an_audit_passes_only_when_everything_was_looked_up(
    audit: Any, packages: Any, passes: bool, expected: str
) -> None:
    """A vulnerable package, an unknown package, or no package fails the audit and is listed."""
    passed, text = audit.verdict(packages)
    assert passed is passes and all(part in text for part in expected.split("|"))


def test_the_security_rules_are_active() -> None:
    """The project's ruff rules report a shell, a pickle and an unsafe XML parser."""
    bad = "import pickle, subprocess\nfrom xml.etree import ElementTree\npickle.loads(b'')\nsubprocess.run('x', shell=True)\nElementTree.parse('x')\n"
    words = ["ruff", "check", "--output-format", "concise", "--stdin-filename", "src/diveval/bad.py", "-"]
    done = subprocess.run(
        [sys.executable, "-m", *words], input=bad, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and all(rule in done.stdout for rule in ("S301", "S602", "S314")), done.stdout
