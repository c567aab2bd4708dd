"""The page about MovieLens, followed literally: its data come from a package of the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.console import ROOT, complaints

PAGE = ROOT / "docs" / "movielens.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where the registry cannot be reached."""
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), "recbole==1.2.1"]
    if subprocess.run(words, capture_output=True, timeout=120).returncode:
        pytest.skip("recbole's wheel, which contains MovieLens, cannot be downloaded")


@pytest.mark.slow
@pytest.mark.usefixtures("wheel")
def test_the_page_is_followed_literally(tmp_path: Path) -> None:
    """Every command prints what the page shows, from installing the data to the decision."""
    wrong = complaints(PAGE, tmp_path)
    assert not wrong, "\n".join(wrong)
