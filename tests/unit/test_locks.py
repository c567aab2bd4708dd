"""What CI installs: locks in step with pyproject.toml, every file with its sum, and an audit that cannot pass unseen."""

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
tomllib = pytest.importorskip("tomllib", reason="Python 3.11 reads pyproject.toml by itself")

LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "locks").glob("*.txt")}
LOCKED_PYTHON = (ROOT / "locks" / "python").read_text(encoding="utf-8").strip()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked(text: str) -> dict[str, set[str]]:
    """Name → versions; several where the version depends on the system."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def asked(name: str) -> list[str]:
    """What pyproject.toml wants of a lock."""
    if name == "all":
        extras = PROJECT["project"]["optional-dependencies"]
        (every,) = (packaging.Requirement(text) for text in extras["all"])
        return [*PROJECT["project"]["dependencies"], *(text for extra in every.extras for text in extras[extra])]
    return list(PROJECT["dependency-groups"][name])


@pytest.mark.parametrize("name", ["all", "test", "docs", "audit"])
def test_a_lock_holds_what_the_project_asks_for(name: str) -> None:
    """Every requirement is there in a version that fits; when this fails, `make lock` renews the locks."""
    versions = locked(LOCKS[name])
    for text in asked(name):
        requirement = packaging.Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"python_version": LOCKED_PYTHON}):
            continue  # for another Python than the locks are for
        plain = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert plain in versions, f"{text} is not in locks/{name}.txt: make lock"
        assert all(requirement.specifier.contains(version) for version in versions[plain]), f"{text}: make lock"


def test_the_locks_agree_with_each_other() -> None:
    """A package has the same versions in every lock, or the second would undo the first."""
    seen: dict[str, set[str]] = {}
    for text in LOCKS.values():
        for name, versions in locked(text).items():
            assert seen.setdefault(name, versions) == versions, name


@pytest.mark.parametrize("name", LOCKS)
def test_every_file_has_its_sum_and_no_place(name: Any) -> None:
    """Each package is pinned by sums alone: where the files come from is the installer's choice."""
    packages = re.split(r"\n(?=[a-z0-9])", LOCKS[name].partition("make lock\n")[2])
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", package) for package in packages)
    assert "://" not in LOCKS[name] and "--index" not in LOCKS[name] and "--find-links" not in LOCKS[name]


def test_another_python_is_told_that_the_locks_are_not_for_it(tmp_path: Path) -> None:
    """The newest versions that fit are installed instead, in so many words."""
    fake = tmp_path / "python"
    fake.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then echo 3.99; else echo "$@" >> {tmp_path}/asked; fi\n')
    fake.chmod(0o755)
    done = subprocess.run([ROOT / "scripts" / "install", fake, "test"], capture_output=True, text=True, check=True)
    assert "the locks are for Python" in done.stderr and "this is 3.99" in done.stderr
    words = (tmp_path / "asked").read_text()
    assert "--group test" in words and "--require-hashes" not in words


def test_the_locked_python_gets_the_lock(tmp_path: Path) -> None:
    """Every file is checked by its sum."""
    fake = tmp_path / "python"
    version = (ROOT / "locks" / "python").read_text().strip()
    fake.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then echo {version}; else echo "$@" >> {tmp_path}/asked; fi\n')
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
WEAK = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}
UNSEEN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("found", "passes", "says"),
    [
        ([GOOD, GOOD], True, "no known vulnerability in 2 packages"),
        ([GOOD, WEAK], False, "b 2: CVE-1, CVE-2"),
        ([GOOD, UNSEEN], False, "NOT SHOWN for 1 of 2 packages (c)"),
        ([UNSEEN] * 9, False, "9 of 9 packages (c, c, c, …)"),
        ([WEAK, UNSEEN], False, "CVE-2\npip-audit: NOT SHOWN"),
        ([], False, "in 0 packages"),
    ],
)
def test_an_audit_passes_only_when_everything_was_looked_up(audit: Any, found: Any, passes: bool, says: str) -> None:
    """A package the service does not know was not found to be free of anything."""
    good, lines = audit.verdict(found)
    assert good is passes and says in lines


def test_the_rules_of_bandit_still_bite() -> None:
    """With the project's rules a shell, a pickle and a raw XML parser are found in the source."""
    bad = "import pickle, subprocess\nfrom xml.etree import ElementTree\npickle.loads(b'')\nsubprocess.run('x', shell=True)\nElementTree.parse('x')\n"
    words = ["ruff", "check", "--output-format", "concise", "--stdin-filename", "src/diveval/bad.py", "-"]
    done = subprocess.run(
        [sys.executable, "-m", *words], input=bad, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and all(rule in done.stdout for rule in ("S301", "S602", "S314")), done.stdout
