"""The name of a compressed run is that of its file without the suffixes of compression."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from support.tracks import answer, run_text, small


@pytest.mark.parametrize("name", ["r1", "r1.txt", "r1.gz", "r1.txt.gz", "r1.zip", "r1.run.zip"])
def test_compression_does_not_change_the_name_of_a_run(tmp_path: Path, name: str) -> None:
    """A compressed run whose tag is its name is accepted like a plain one."""
    place, file = small(tmp_path), tmp_path / name
    text = run_text("r1").encode()
    if name.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("r1.txt", text)
            archive.writestr("__MACOSX/._r1.txt", b"x")
    else:
        file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    (verdict,) = answer("validate", "--track", place, file)["verdicts"]
    assert (verdict["name"], verdict["verdict"]) == ("r1", "accepted")
