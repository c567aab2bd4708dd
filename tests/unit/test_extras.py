"""Every extra has an example that `make extras` runs with this extra alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parents[2]


def test_every_extra_has_an_example() -> None:
    """tests/extras contains one program per extra of pyproject.toml, and no other."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {path.stem for path in (ROOT / "tests" / "extras").glob("*.py")} == set(extras)
